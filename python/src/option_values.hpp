// Options as keyword arguments.
#pragma once

#include <memory>
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

/// Fields that look at a place of their own: to make the list takes longer than a short run.
template <class O>
struct ListedOptions {
  O place;
  std::vector<OptionField> fields = detail::checked_fields(place);
  bool is_used = false;

  ListedOptions() = default;
  ListedOptions(const ListedOptions&) = delete;
  ListedOptions& operator=(const ListedOptions&) = delete;

  /// Names, types and bounds are refused as by every other way to set options.
  O set(const py::dict& values) {
    struct Use {
      explicit Use(bool& flag) : used(flag) { used = true; }
      ~Use() { used = false; }
      bool& used;
    } const use(is_used);
    place = O{};
    if (const auto unknown = set_fields(fields, values)) set_option(place, *unknown, "");
    detail::validate_options(fields);
    return place;
  }
};

template <class O>
O options_of(const py::dict& values) {
  thread_local const auto owned = std::make_unique<ListedOptions<O>>();  // see kept_memory.cpp
  ListedOptions<O>& listed = *owned;
  // What converts itself to a number may run something meanwhile.
  return listed.is_used ? ListedOptions<O>().set(values) : listed.set(values);
}

}  // namespace saltus::python
