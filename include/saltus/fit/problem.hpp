// Residuals of a model against measured trajectories, and their derivatives through its events.
//
//   FitProblem problem(model.build(), {{"Fs", 1.2}, {"gamma", 3.5}},
//                      {{"x", times, values, {0.01}}}, {.rtol = 1e-8});
//   FitResult found = fit(problem);
//   std::cout << to_text(found);
//
// To use your own optimiser, call problem.evaluate(p). To use your own residuals (several runs,
// other terms), derive from LeastSquaresProblem and call fit().
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/hybrid/options.hpp>
#include <saltus/model/definition.hpp>
#include <saltus/model/model.hpp>
#include <saltus/numerics/matrix.hpp>

namespace saltus {

/// A parameter of the model, or a state for its start value, with its first value and its bounds
/// (in addition to Attributes::min and max).
struct FitParameter {
  std::string name;
  double start = 0.0;
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

/// A measured variable or output.
struct Measurement {
  std::string variable;
  std::vector<double> times;
  std::vector<double> values;
  /// Standard deviations of the values: one for each, or one for all. Empty: unknown and the same
  /// for all measurements; it is then estimated from the residuals.
  std::vector<double> sigma = {};
};

struct ResidualValues {
  std::vector<double> residuals;
  Matrix jacobian;  // one row per residual, one column per parameter
};

/// Residuals r(p). A fit minimises the sum of their squares.
class LeastSquaresProblem {
 public:
  virtual ~LeastSquaresProblem() = default;
  virtual std::span<const FitParameter> parameters() const = 0;
  /// Returns residuals and derivatives, or a Failure with the reason if there are none for these
  /// values.
  virtual Result<ResidualValues> evaluate(std::span<const double> p) const = 0;
  /// Returns whether residuals are in units of their standard deviations.
  virtual bool sigma_known() const = 0;
  /// Returns the accuracy of derivatives, relative to the largest one of a parameter. Parameters
  /// whose effects differ by less are not distinguished.
  virtual double accuracy() const { return 0.0; }
  /// Returns the name of a residual, for messages about values p.
  virtual std::string residual_name(std::size_t residual, std::span<const double> p) const;
};

/// Residuals (model - measured) / sigma, measurement by measurement, from one run of the model. It
/// is const and holds no mutable state, hence thread-safe.
class FitProblem final : public LeastSquaresProblem {
 public:
  /// A run goes from options.t_begin to the last time of the data; the constructor replaces
  /// sensitivities and t_end of the options. At the time of an event, the value after it is
  /// compared. Throws ModelError or OptionError, naming the parts that do not match.
  FitProblem(std::shared_ptr<const ModelDefinition> model, std::vector<FitParameter> parameters,
             std::vector<Measurement> data, RunOptions options = {});
  FitProblem(const Model& model, std::vector<FitParameter> parameters,
             std::vector<Measurement> data, RunOptions options = {})
      : FitProblem(model.build(), std::move(parameters), std::move(data), std::move(options)) {}

  std::span<const FitParameter> parameters() const override { return parameters_; }
  bool sigma_known() const override { return sigma_known_; }
  double accuracy() const override { return options_.rtol; }
  /// Returns a Failure where the run fails, or where derivatives end before the data do. The
  /// message gives time and reason.
  Result<ResidualValues> evaluate(std::span<const double> p) const override;
  /// Returns variable and time, and the nearest event.
  std::string residual_name(std::size_t residual, std::span<const double> p) const override;

 private:
  std::shared_ptr<const ModelDefinition> with(std::span<const double> p) const;

  std::shared_ptr<const ModelDefinition> model_;
  std::vector<FitParameter> parameters_;
  std::vector<Measurement> data_;
  RunOptions options_;
  bool sigma_known_ = true;
};

}  // namespace saltus
