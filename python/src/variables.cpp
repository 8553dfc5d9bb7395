// Declaring what a model is about.
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "bindings.hpp"
#include "callback_error.hpp"

namespace saltus::python {

namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

std::span<const double> span_of(const Numbers& values) {
  return {values.data(), static_cast<std::size_t>(values.size())};
}

/// Attributes by the names they have in C++; Python has checked that there are no others.
Attributes attributes_of(const py::dict& given) {
  Attributes out;
  const auto number = [&](const char* key, auto& field) {
    if (given.contains(key)) field = given[key].cast<double>();
  };
  const auto text = [&](const char* key, std::string& field) {
    if (given.contains(key)) field = given[key].cast<std::string>();
  };
  number("start", out.start);
  number("guess", out.guess);
  number("derivative_start", out.derivative_start);
  number("derivative_guess", out.derivative_guess);
  number("nominal", out.nominal);
  number("min", out.min);
  number("max", out.max);
  text("unit", out.unit);
  text("description", out.description);
  return out;
}

Interpolation interpolation_of(const std::string& name) {
  if (name == "step") return Interpolation::step;
  if (name == "spline") return Interpolation::spline;
  return Interpolation::linear;
}

NodeId input_table(ModelBuilder& m, const std::string& name, const Numbers& times,
                   const Numbers& values, const std::string& interpolation,
                   const py::dict& attributes) {
  const auto signal = table(span_of(times), span_of(values), interpolation_of(interpolation));
  return m.change().input(name, signal, attributes_of(attributes)).id();
}

/// A Python function of t, or of t and the order of the derivative.
NodeId input_function(ModelBuilder& m, const std::string& name, const py::function& function,
                      int max_order, const std::vector<double>& breakpoints,
                      const py::dict& attributes) {
  const PythonFunction called(function, "the function of input '" + name + "'");
  const auto signal =
      max_order == 0
          ? callback([called](double t) { return called.number(t, t); }, breakpoints)
          : callback([called](double t, int order) { return called.number(t, t, order); },
                     max_order, breakpoints);
  return m.change().input(name, signal, attributes_of(attributes)).id();
}

}  // namespace

void add_variables(BuilderClass& builder) {
  builder.def("state", [](ModelBuilder& m, const std::string& name, const py::dict& attributes) {
    return m.change().state(name, attributes_of(attributes)).id();
  });
  builder.def("states", [](ModelBuilder& m, const std::string& name, const Numbers& starts,
                           const py::dict& attributes) {
    return m.change().states(name, span_of(starts), attributes_of(attributes)).id();
  });
  builder.def("states_without_start", [](ModelBuilder& m, const std::string& name, std::uint32_t n,
                                         const py::dict& attributes) {
    return m.change().states(name, n, attributes_of(attributes)).id();
  });
  builder.def("algebraic",
              [](ModelBuilder& m, const std::string& name, const py::dict& attributes) {
                return m.change().algebraic(name, attributes_of(attributes)).id();
              });
  builder.def("algebraics", [](ModelBuilder& m, const std::string& name, std::uint32_t n,
                               const py::dict& attributes) {
    return m.change().algebraics(name, n, attributes_of(attributes)).id();
  });
  builder.def("parameter", [](ModelBuilder& m, const std::string& name, double value,
                              const py::dict& attributes) {
    return m.change().parameter(name, value, attributes_of(attributes)).id();
  });
  builder.def("parameters", [](ModelBuilder& m, const std::string& name, const Numbers& values,
                               const py::dict& attributes) {
    return m.change().parameters(name, span_of(values), attributes_of(attributes)).id();
  });
  builder.def("discrete", [](ModelBuilder& m, const std::string& name, double start,
                             const py::dict& attributes) {
    return m.change().discrete(name, start, attributes_of(attributes)).id();
  });
  builder.def("input_table", input_table);
  builder.def("input_function", input_function);
  builder.def("outside_input", [](ModelBuilder& m, const std::string& name, double start,
                                  const py::dict& attributes) {
    return m.change().outside_input(name, start, attributes_of(attributes)).id();
  });
  builder.def("hide", [](ModelBuilder& m, NodeId variable) { m.change().hide(m.value(variable)); });
}

}  // namespace saltus::python
