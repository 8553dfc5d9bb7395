// Solutions: arrays that look into them, values at any time, files.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <vector>

#include <saltus/io.hpp>
#include <saltus/simulate/analyze.hpp>
#include <saltus/trajectory/solution.hpp>

#include "bindings.hpp"
#include "callback_error.hpp"
#include "solutions.hpp"

namespace saltus::python {

Side side_of(const std::string& name) { return name == "left" ? Side::left : Side::right; }

py::array view_of(std::span<const double> values, const py::object& owner) {
  py::array_t<double> out({static_cast<py::ssize_t>(values.size())}, values.data(), owner);
  out.attr("flags").attr("writeable") = false;
  return out;
}

namespace {

const Solution& solution_of(const py::object& self) { return self.cast<const Solution&>(); }

/// Rows are records of all variables; seen as one line per variable.
py::array values(const py::object& self) {
  const Trajectory& trajectory = solution_of(self).trajectory;
  const auto n = static_cast<py::ssize_t>(trajectory.variables().size());
  const auto rows = static_cast<py::ssize_t>(trajectory.n_rows());
  if (rows == 0) return py::array_t<double>(std::vector<py::ssize_t>{n, 0});
  const auto size = static_cast<py::ssize_t>(sizeof(double));
  py::array_t<double> out({n, rows}, {size, n * size}, trajectory.row(0).data(), self);
  out.attr("flags").attr("writeable") = false;
  return out;
}

bool some_absent(const Trajectory& trajectory) {
  for (const Segment& segment : trajectory.segments())
    for (const std::uint8_t present : segment.present)
      if (present == 0) return true;
  return false;
}

/// True where a variable does not exist in the mode of the row; None if all exist everywhere.
py::object absent_values(const Solution& solution) {
  const Trajectory& trajectory = solution.trajectory;
  if (!some_absent(trajectory)) return py::none();
  const std::size_t n = trajectory.variables().size();
  py::array_t<bool> mask({n, static_cast<std::size_t>(trajectory.n_rows())});
  auto out = mask.mutable_unchecked<2>();
  for (const Segment& segment : trajectory.segments())
    for (std::uint32_t r = segment.first_row; r < segment.first_row + segment.n_rows; ++r)
      for (std::size_t i = 0; i < n; ++i)
        out(static_cast<py::ssize_t>(i), r) = segment.present[i] == 0;
  return mask;
}

/// Points on constraints call the Python functions of a model. The interpreter's lock is given up meanwhile: a thread that
/// kept it while it waits for another one's point would stop both.
template <class Look>
void unlocked(Look&& look) {
  PendingError pending;
  std::exception_ptr failed;
  {
    py::gil_scoped_release released;
    try {
      look();
    } catch (...) {
      failed = std::current_exception();
    }
  }
  pending.rethrow();
  if (failed) std::rethrow_exception(failed);
}

/// All variables (or one) at some times: values, and where they are absent (None: nowhere).
py::tuple at(const Solution& solution, const Numbers& times, std::optional<std::uint32_t> which,
             const std::string& side_name) {
  const Trajectory& trajectory = solution.trajectory;
  const Side side = side_of(side_name);
  const std::size_t first = which.value_or(0);
  const std::size_t n = which ? 1 : trajectory.variables().size();
  const auto n_times = static_cast<std::size_t>(times.size());
  const bool whole = !which && !some_absent(trajectory);
  py::array_t<double> result({n, n_times});
  py::array_t<bool> mask({n, n_times});
  auto out = result.mutable_unchecked<2>();
  auto missing = mask.mutable_unchecked<2>();
  const double* const at_times = times.data();
  bool any = false;
  // All variables at one time after another: a point is found once.
  unlocked([&] {
    std::vector<double> all(n);
    for (std::size_t k = 0; k < n_times; ++k) {
      if (whole) trajectory.at(at_times[k], all, side);
      for (std::size_t i = 0; i < n; ++i) {
        const std::optional<double> value =
            whole ? all[i]
                  : trajectory.at(static_cast<std::uint32_t>(first + i), at_times[k], side);
        const auto row = static_cast<py::ssize_t>(i), column = static_cast<py::ssize_t>(k);
        out(row, column) = value.value_or(0.0);
        missing(row, column) = !value;
        any = any || !value;
      }
    }
  });
  return py::make_tuple(result, any ? py::object(mask) : py::none());
}

py::array derivative_at(const Solution& solution, const std::string& variable, const Numbers& times,
                        const std::string& side) {
  py::array_t<double> out(times.size());
  for (py::ssize_t k = 0; k < times.size(); ++k)
    out.mutable_at(k) = solution.derivative_at(variable, times.at(k), side_of(side));
  return out;
}

py::list variables(const Solution& solution) {
  py::list out;
  for (const VariableInfo& v : solution.trajectory.variables())
    out.append(py::make_tuple(v.name, v.unit, v.description));
  return out;
}

py::list segments(const Solution& solution) {
  py::list out;
  for (const Segment& s : solution.trajectory.segments())
    out.append(py::make_tuple(s.mode, s.t_begin, s.t_end, s.sliding, s.first_row, s.n_rows));
  return out;
}

py::dict statistics(const Solution& solution) {
  const WorkCounts work = solution.report.total_work();
  const EventWork& events = solution.report.events;
  py::dict out;
  out["n_steps"] = work.n_steps;
  out["n_rejected_steps"] = work.n_error_failures + work.n_convergence_failures;
  out["n_evaluations"] = work.n_evaluations;
  out["n_jacobians"] = work.n_jacobians;
  out["n_factorizations"] = work.n_factorizations;
  out["n_newton_iterations"] = work.n_newton_iterations;
  out["n_events"] = solution.event_log.n_events();
  out["n_restarts"] = events.counts.n_restarts;
  out["n_event_iterations"] = events.counts.n_iterations;
  std::uint64_t switching = 0, uncertified = 0;
  for (const SwitchWork& one : solution.report.switches) {
    switching += one.n_evaluations;
    uncertified += one.n_heuristic + one.n_marginal;
  }
  out["n_switching_evaluations"] = switching;
  out["n_uncertified_steps"] = uncertified;
  out["wall_time_s"] = solution.report.wall_time_s;
  return out;
}

/// As the command line makes it: curves as smooth as they are.
ResultFile file_of(const Solution& solution, const py::list& parameters, std::size_t n_rows) {
  ResultFile result = result_of(solution, n_rows);
  for (const auto& one : parameters) {
    const auto [name, value, unit, description] =
        one.cast<std::tuple<std::string, double, std::string, std::string>>();
    result.parameters.push_back({name, unit, description, value});
  }
  return result;
}

void add_files(py::class_<Solution, std::shared_ptr<Solution>>& c) {
  c.def("save", [](const Solution& s, const std::string& path, const py::list& parameters,
                   std::size_t n_rows) { save_result(file_of(s, parameters, n_rows), path); });
  c.def("save_report", [](const Solution& s, const std::string& path, const py::list& parameters,
                          const std::vector<std::string>& show, const std::string& analysis_text,
                          const std::string& analysis_json) {
    ResultFile file = file_of(s, parameters, 500);
    file.analysis_text = analysis_text;
    file.analysis_json = analysis_json;
    save_report(file, path, {.show = show});
  });
  c.def("json", [](const Solution& s) { return to_json(s); });
}

void add_report(py::class_<Solution, std::shared_ptr<Solution>>& c) {
  c.def("model", [](const Solution& s) { return s.report.model; });
  c.def("outcome", [](const Solution& s) { return std::string(name(s.report.outcome)); });
  c.def("ok", &Solution::ok);
  c.def("message", [](const Solution& s) { return s.report.message; });
  c.def("t_begin", &Solution::t_begin);
  c.def("t_end", &Solution::t_end);
  c.def("t_requested", [](const Solution& s) { return s.report.t_requested; });
  c.def("warnings", [](const Solution& s) { return s.report.warnings; });
  c.def("report_text", [](const Solution& s) { return to_text(s.report); });
  c.def("report_json", [](const Solution& s) { return to_json(s.report); });
  c.def("statistics", statistics);
  c.def("memory", [](const Solution& s) { return s.trajectory.memory(); });
}

}  // namespace

void add_solutions(py::module_& m) {
  py::class_<Solution, std::shared_ptr<Solution>> c(m, "Solution");
  c.def("times",
        [](const py::object& self) { return view_of(solution_of(self).trajectory.times(), self); });
  c.def("values", values);
  c.def("absent", absent_values);
  c.def("at", at);
  c.def("derivative_at", derivative_at);
  c.def("variables", variables);
  c.def("index_of", [](const Solution& s, const std::string& variable) {
    return s.trajectory.index_of(variable);
  });
  c.def("segments", segments);
  add_files(c);
  add_report(c);
  add_derivatives(c);
  m.def("load_result", [](const std::string& path) {
    const ResultFile file = load_result(path);
    py::dict columns;
    for (const ResultColumn& column : file.table.columns)
      columns[py::str(column.name)] = py::make_tuple(
          py::array_t<double>(static_cast<py::ssize_t>(column.values.size()), column.values.data()),
          column.present, column.unit);
    return py::make_tuple(file.model, file.table.times, columns);
  });
}

}  // namespace saltus::python
