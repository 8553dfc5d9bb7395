// Systems written as Python functions. Every evaluation enters the interpreter: for experiments.
#include <pybind11/stl.h>

#include <algorithm>
#include <stdexcept>

#include <saltus/system/function_system.hpp>

#include "callback_error.hpp"
#include "solutions.hpp"

namespace saltus::python {

namespace {

using Input = SystemFunctions::Input;
using Output = SystemFunctions::Output;

py::array_t<double> array_of(Input values) {
  return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
}

/// One that returns an array of as many numbers as there is room for.
class ArrayFunction {
 public:
  ArrayFunction(const py::function& function, const std::string& what)
      : function_(function, what), what_(what) {}

  template <class... Arrays>
  void operator()(double t, Output out, const Arrays&... arrays) const {
    py::gil_scoped_acquire lock;
    const auto read = [&](const py::object& returned) {
      const auto numbers = returned.cast<Numbers>();
      if (static_cast<std::size_t>(numbers.size()) != out.size())
        throw py::value_error(what_ + " returned " + std::to_string(numbers.size()) +
                              " numbers, expected " + std::to_string(out.size()));
      std::copy_n(numbers.data(), out.size(), out.begin());
    };
    if (!function_.call(t, read, t, array_of(arrays)...))
      throw std::runtime_error(what_ + " raised an exception");
  }

 private:
  PythonFunction function_;
  std::string what_;
};

std::vector<FunctionAction> actions_of(const py::list& given) {
  std::vector<FunctionAction> out;
  for (const auto& one : given) {
    const auto [name, trigger, direction, set, terminal] =
        one.cast<std::tuple<std::string, std::string, int, py::object, bool>>();
    FunctionAction action;
    action.name = name;
    action.trigger = trigger;
    action.when = direction > 0   ? FunctionAction::When::rising
                  : direction < 0 ? FunctionAction::When::falling
                                  : FunctionAction::When::either;
    action.terminal = terminal;
    if (!set.is_none()) {
      const ArrayFunction function(set.cast<py::function>(), "the action '" + name + "'");
      action.set = [function](double t, Input x, Output after) { function(t, after, x); };
    }
    out.push_back(std::move(action));
  }
  return out;
}

/// (name, start, differential, nominal, unit) of each unknown; functions are None where they are missing. `jacobian` returns
/// dF/dx and dF/dx' one after the other, by columns.
std::shared_ptr<System> make(const py::list& unknowns, const py::object& residual,
                             const py::object& derivative, const py::object& jacobian,
                             const py::object& switching,
                             const std::vector<std::pair<std::string, bool>>& switches,
                             const py::list& actions) {
  SystemFunctions functions;
  for (const auto& one : unknowns) {
    const auto [name, start, differential, nominal, unit] =
        one.cast<std::tuple<std::string, double, bool, double, std::string>>();
    functions.unknowns.push_back({name, start, differential, nominal, unit});
  }
  if (!residual.is_none()) {
    const ArrayFunction f(residual.cast<py::function>(), "the function 'residual'");
    functions.residual = [f](double t, Input x, Input xdot, Output out) { f(t, out, x, xdot); };
  }
  if (!derivative.is_none()) {
    const ArrayFunction f(derivative.cast<py::function>(), "the function 'derivative'");
    functions.derivative = [f](double t, Input x, Output out) { f(t, out, x); };
  }
  if (!jacobian.is_none()) {
    const ArrayFunction f(jacobian.cast<py::function>(), "the function 'jacobian'");
    functions.jacobian = [f](double t, Input x, Input xdot, Output df_dx, Output df_dxdot) {
      std::vector<double> both(df_dx.size() + df_dxdot.size());
      f(t, both, x, xdot);
      std::copy_n(both.begin(), df_dx.size(), df_dx.begin());
      std::copy_n(both.begin() + std::ssize(df_dx), df_dxdot.size(), df_dxdot.begin());
    };
  }
  if (!switching.is_none()) {
    const ArrayFunction f(switching.cast<py::function>(), "the function 'switching'");
    functions.switching = [f](double t, Input x, Output out) { f(t, out, x); };
  }
  for (const auto& [name, changes] : switches) functions.switches.push_back({name, changes});
  functions.actions = actions_of(actions);
  return std::const_pointer_cast<System>(make_system(std::move(functions)));
}

}  // namespace

void add_systems(py::module_& m) { m.def("make_system", make); }

}  // namespace saltus::python
