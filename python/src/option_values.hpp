// Options as keyword arguments.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <saltus/core/options.hpp>

#include "bindings.hpp"

namespace saltus::python {

/// Values by full names ("events.surface"). Returns the first name that is none of the list; throws OptionError for
/// a value of another type.
std::optional<std::string> set_fields(const std::vector<OptionField>& fields,
                                      const py::dict& values);

/// Names, types and bounds are refused as by every other way to set options.
template <class O>
O options_of(const py::dict& values) {
  O options;
  OptionList list;
  describe(options, list);
  if (const auto unknown = set_fields(list.take(), values)) set_option(options, *unknown, "");
  validate_options(options);
  return options;
}

}  // namespace saltus::python
