// Residuals of a model beside measured trajectories, and their derivatives through its events.
//
//   FitProblem problem(model.build(), {{"Fs", 1.2}, {"gamma", 3.5}}, {{"x", times, values, {0.01}}}, {.rtol = 1e-8});
//   FitResult found = fit(problem);
//   std::cout << to_text(found);
//
// Whoever brings an optimiser of his own asks problem.evaluate(p); whoever brings residuals of his own
// (several runs, other terms) derives from LeastSquaresProblem and calls fit().
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

/// A parameter of the model, or a state for its start value: where to begin, and between which bounds to stay (those
/// of Attributes::min and max besides).
struct FitParameter {
  std::string name;
  double start = 0.0;
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

/// A variable or output as it was measured.
struct Measurement {
  std::string variable;
  std::vector<double> times;
  std::vector<double> values;
  /// Standard deviations of the values: one for each, or one for all. Empty: the same for all measurements, and
  /// unknown; it is then found from the residuals.
  std::vector<double> sigma = {};
};

struct ResidualValues {
  std::vector<double> residuals;
  Matrix jacobian;  // one row per residual, one column per parameter
};

/// Residuals r(p), to become small in the sum of their squares.
class LeastSquaresProblem {
 public:
  virtual ~LeastSquaresProblem() = default;
  virtual std::span<const FitParameter> parameters() const = 0;
  /// Residuals and derivatives, or why there are none for these values.
  virtual Result<ResidualValues> evaluate(std::span<const double> p) const = 0;
  /// Residuals are in units of their standard deviations.
  virtual bool sigma_known() const = 0;
  /// How accurate derivatives are, as a part of the largest of a parameter. Parameters that differ by less in what they do
  /// are not told apart.
  virtual double accuracy() const { return 0.0; }
  /// For messages about values p.
  virtual std::string residual_name(std::size_t residual, std::span<const double> p) const;
};

/// (model - measured) / sigma, measurement by measurement, from one run of the model. Const and without state of its
/// own: any number of threads may ask.
class FitProblem final : public LeastSquaresProblem {
 public:
  /// A run goes from options.t_begin to the last time of the data; sensitivities and t_end of the options are
  /// replaced. At a time that is an event what comes after it is compared. Refuses (ModelError, OptionError) what
  /// does not fit together, by name.
  FitProblem(std::shared_ptr<const ModelDefinition> model, std::vector<FitParameter> parameters,
             std::vector<Measurement> data, RunOptions options = {});
  FitProblem(const Model& model, std::vector<FitParameter> parameters,
             std::vector<Measurement> data, RunOptions options = {})
      : FitProblem(model.build(), std::move(parameters), std::move(data), std::move(options)) {}

  std::span<const FitParameter> parameters() const override { return parameters_; }
  bool sigma_known() const override { return sigma_known_; }
  double accuracy() const override { return options_.rtol; }
  /// Fails where the run does and where derivatives end before the data do; the message says where and why.
  Result<ResidualValues> evaluate(std::span<const double> p) const override;
  /// Variable and time, and the event nearest to it.
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
