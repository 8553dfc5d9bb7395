// What can be said of a model before it runs, near a point of a solution, and of its parameters from data.
#include <pybind11/stl.h>

#include <saltus/fit/fit.hpp>
#include <saltus/simulate/analysis_json.hpp>
#include <saltus/simulate/analyze.hpp>
#include <saltus/simulate/linearize.hpp>

#include "callback_error.hpp"
#include "option_values.hpp"
#include "runs.hpp"
#include "solutions.hpp"

namespace saltus::python {

namespace {

/// (text, JSON, picture for Graphviz).
py::tuple analysis(ModelBuilder& model, const py::dict& options,
                   const std::vector<std::string>& modes) {
  AnalyzeOptions given = options_of<AnalyzeOptions>(options);
  given.modes = modes;
  const auto definition = model.built();
  ModelAnalysis found;
  {
    py::gil_scoped_release unlocked;
    found = analyze(definition, given);
  }
  return py::make_tuple(to_text(found), to_json(found), to_dot(found));
}

/// (text, JSON) at the start, or at a time of a solution.
py::tuple linearization(ModelBuilder& model, const Solution* solution, double t,
                        const std::string& side) {
  const auto definition = model.built();
  const Result<Linearization> found = solution == nullptr
                                          ? linearize(definition, t)
                                          : linearize(definition, *solution, t, side_of(side));
  if (!found) throw Error("linearize: " + found.failure().message);
  return py::make_tuple(to_text(*found), to_json(*found));
}

using GivenParameter = std::tuple<std::string, double, double, double>;  // name, start, bounds
using GivenData =
    std::tuple<std::string, std::vector<double>, std::vector<double>, std::vector<double>>;

FitProblem problem_of(ModelBuilder& model, const std::vector<GivenParameter>& parameters,
                      const std::vector<GivenData>& data, const py::dict& options) {
  std::vector<FitParameter> wanted;
  for (const auto& [name, start, lower, upper] : parameters)
    wanted.push_back({name, start, lower, upper});
  std::vector<Measurement> measured;
  for (const auto& [name, times, values, sigma] : data)
    measured.push_back({name, times, values, sigma});
  return {model.built(), std::move(wanted), std::move(measured), options_of<RunOptions>(options)};
}

py::array matrix_of(const Matrix& matrix) {
  return py::array_t<double>(
      {static_cast<py::ssize_t>(matrix.n_rows), static_cast<py::ssize_t>(matrix.n_cols)},
      matrix.values.data());
}

py::dict fit_model(ModelBuilder& model, const std::vector<GivenParameter>& parameters,
                   const std::vector<GivenData>& data, const py::dict& run_options,
                   const py::dict& fit_options) {
  const FitProblem problem = problem_of(model, parameters, data, run_options);
  const FitOptions options = options_of<FitOptions>(fit_options);
  PendingError pending;
  FitResult result;
  {
    py::gil_scoped_release unlocked;
    result = fit(problem, options);
  }
  pending.rethrow();
  py::dict out, values, errors;
  for (const FittedParameter& one : result.parameters) {
    values[py::str(one.name)] = one.value;
    errors[py::str(one.name)] = one.standard_error;
  }
  out["status"] = std::string(name(result.status));
  out["success"] = result.ok();
  out["message"] = result.message;
  out["values"] = values;
  out["standard_errors"] = errors;
  out["covariance"] = matrix_of(result.covariance);
  out["residuals"] = result.residuals;
  out["sum_of_squares"] = result.sum_of_squares;
  out["iterations"] = result.iterations;
  out["evaluations"] = result.evaluations;
  out["warnings"] = result.warnings;
  out["text"] = to_text(result);
  return out;
}

/// Residuals and Jacobian at some values, for other optimisers.
py::tuple residuals(ModelBuilder& model, const std::vector<GivenParameter>& parameters,
                    const std::vector<GivenData>& data, const py::dict& run_options,
                    const std::vector<double>& p) {
  const FitProblem problem = problem_of(model, parameters, data, run_options);
  const Result<ResidualValues> found = problem.evaluate(p);
  if (!found) throw Error(found.failure().message);
  return py::make_tuple(found->residuals, matrix_of(found->jacobian));
}

}  // namespace

void add_analysis(py::module_& m) {
  m.def("analyze", analysis);
  m.def("linearize", linearization);
  m.def("fit", fit_model);
  m.def("residuals", residuals);
}

}  // namespace saltus::python
