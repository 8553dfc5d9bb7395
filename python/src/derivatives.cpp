// Derivatives of solutions with respect to parameters and start values.
#include <pybind11/stl.h>

#include <saltus/simulate/gradient.hpp>

#include "solutions.hpp"

namespace saltus::python {

namespace {

py::array sensitivity(const Solution& s, const std::string& variable, const std::string& parameter,
                      const Numbers& times, const std::string& side) {
  py::array_t<double> out(times.size());
  for (py::ssize_t k = 0; k < times.size(); ++k)
    out.mutable_at(k) = s.sensitivity(variable, parameter, times.at(k), side_of(side));
  return out;
}

/// At the rows of the solution: at an event, the limit that belongs to the row.
py::array sensitivity_in_rows(const Solution& s, const std::string& variable,
                              const std::string& parameter) {
  const Trajectory& trajectory = s.trajectory;
  py::array_t<double> out(static_cast<py::ssize_t>(trajectory.n_rows()));
  const Side before = trajectory.backward() ? Side::right : Side::left;
  const Side after = trajectory.backward() ? Side::left : Side::right;
  for (const Segment& segment : trajectory.segments())
    for (std::uint32_t r = segment.first_row; r < segment.first_row + segment.n_rows; ++r) {
      const double t = trajectory.times()[r];
      out.mutable_at(r) =
          s.sensitivity(variable, parameter, t, t == segment.t_begin ? after : before);
    }
  return out;
}

py::list event_times(const Solution& s) {
  py::list out;
  for (const EventTimeDerivative& one : s.sensitivities.event_times())
    out.append(py::make_tuple(one.t, one.relation, one.derivatives));
  return out;
}

/// (value, {parameter: derivative}), or Error with the reason why there is none.
py::tuple gradient_of(const Solution& s, const std::string& functional) {
  const Gradient found = gradient(s, functional);
  if (!found.ok()) throw Error("no gradient of '" + functional + "': " + found.refused->why);
  py::dict derivatives;
  for (const Named<double>& one : found.derivatives) derivatives[py::str(one.name)] = one.value;
  return py::make_tuple(found.value, derivatives);
}

}  // namespace

void add_derivatives(py::class_<Solution, std::shared_ptr<Solution>>& c) {
  c.def("sensitivity_parameters", [](const Solution& s) { return s.sensitivities.parameters(); });
  c.def("sensitivity", sensitivity);
  c.def("sensitivity_in_rows", sensitivity_in_rows);
  c.def("event_time_derivatives", event_times);
  c.def("derivatives_end", [](const Solution& s) -> py::object {
    const auto& ends = s.sensitivities.ends();
    if (!ends) return py::none();
    return py::make_tuple(ends->t, ends->why);
  });
  c.def("gradient", gradient_of);
}

}  // namespace saltus::python
