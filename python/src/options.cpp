#include <pybind11/stl.h>

#include <cmath>

#include <saltus/core/text.hpp>
#include <saltus/fit/fit.hpp>
#include <saltus/hybrid/options.hpp>
#include <saltus/simulate/analyze.hpp>

#include "option_values.hpp"

namespace saltus::python {

namespace {

template <class T>
std::vector<Named<T>> named(const py::handle& value) {
  std::vector<Named<T>> out;
  for (const auto& entry : value.cast<py::dict>())
    out.push_back({py::cast<std::string>(entry.first), py::cast<T>(entry.second)});
  return out;
}

int whole(const py::handle& value) {
  // 10.0 is a whole number, too: people compute limits.
  if (!py::isinstance<py::float_>(value)) return value.cast<int>();
  const double x = value.cast<double>();
  if (x != std::floor(x)) throw py::cast_error();
  return static_cast<int>(x);
}

OptionValue value_of(OptionType type, const py::handle& value) {
  switch (type) {
    case OptionType::boolean:
      return value.cast<bool>();
    case OptionType::integer:
      return whole(value);
    case OptionType::real:
      return value.cast<double>();
    case OptionType::text:
    case OptionType::choice:
      return value.cast<std::string>();
    case OptionType::reals:
      return value.cast<std::vector<double>>();
    case OptionType::texts:
      // One name is a list of one, not one of letters.
      if (py::isinstance<py::str>(value)) return std::vector{value.cast<std::string>()};
      return value.cast<std::vector<std::string>>();
    case OptionType::named_reals:
      return named<double>(value);
    case OptionType::named_texts:
    case OptionType::named_choices:
      return named<std::string>(value);
  }
  throw py::cast_error();
}

void set_field(const OptionField& field, const py::handle& value) {
  OptionValue converted;
  try {
    converted = value_of(field.type, value);
  } catch (const std::exception&) {  // cast_error, error_already_set
    throw OptionError(field.name, py::repr(value).cast<std::string>() + " is not a value of type " +
                                      std::string(name(field.type)));
  }
  if (field.type == OptionType::choice || field.type == OptionType::named_choices)
    detail::check_option_value(field, converted);
  field.set(converted);
}

template <class O>
py::list list_of() {
  py::list out;
  for (const OptionInfo& info : list_options<O>())
    out.append(py::make_tuple(info.name, info.type, info.default_value, info.unit, info.bounds,
                              info.help));
  return out;
}

}  // namespace

std::optional<std::string> set_fields(const std::vector<OptionField>& fields,
                                      const py::dict& values) {
  for (const auto& [key, value] : values) {
    const std::string wanted = key.cast<std::string>();
    const OptionField* found = nullptr;
    for (const OptionField& field : fields)
      if (field.name == wanted) found = &field;
    if (found == nullptr) return wanted;
    set_field(*found, value);
  }
  return std::nullopt;
}

void add_options(py::module_& m) {
  m.def("run_options", list_of<RunOptions>);
  m.def("analyze_options", list_of<AnalyzeOptions>);
  m.def("fit_options", list_of<FitOptions>);
}

}  // namespace saltus::python
