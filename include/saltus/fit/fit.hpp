// Gauss-Newton with damping (Levenberg and Marquardt): small, and only steps that lower the sum of squares. Where
// events pass the times of data it has kinks: derivatives of both sides are then used together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <saltus/core/options.hpp>
#include <saltus/fit/problem.hpp>
#include <saltus/numerics/matrix.hpp>

namespace saltus {

struct FitOptions {
  int max_iterations = 50;
  /// Converged: the next full step d is shorter than this in standard errors, |J d| <= within sigma, or at a kink the
  /// derivatives of all sides together promise no more than such a step.
  double within = 0.01;
};
template <class V>
void describe(FitOptions& o, V& field) {
  field("max_iterations", o.max_iterations).at_least(1).help("steps that are tried");
  field("within", o.within).above(0).help("standard errors by which the last step may miss");
}

enum class FitStatus : std::uint8_t {
  converged,
  undetermined,  ///< the data leave some parameters open: the message names them, the others have their errors
  /// The sum of squares would fall beyond a datum that jumps, because an event passes its time: the message names it.
  at_jump,
  /// No step lowers the sum of squares, however short, and this is no minimum: derivatives are wrong there, or do not
  /// exist beside it.
  no_decrease,
  iteration_limit,  ///< FitOptions::max_iterations
  no_start,         ///< no residuals or derivatives at the start values: the message says why
};
std::string_view name(FitStatus status) noexcept;

struct FittedParameter {
  std::string name;
  double value = 0.0;
  /// Of a linearised model at the values found. Empty: it is on a bound, or nothing determines it.
  std::optional<double> standard_error = {};
  bool at_bound = false;
};

/// Values for which there were no derivatives, and so no step.
struct RefusedTrial {
  std::vector<double> values;
  std::string why;
};

struct FitResult {
  FitStatus status = FitStatus::converged;
  std::string message;  // where it converged at a kink: which data have it
  std::vector<FittedParameter> parameters;
  /// Of all parameters, zero for those without a standard error.
  Matrix covariance;
  std::vector<double> residuals;
  double sum_of_squares = 0.0;
  int iterations = 0;
  int evaluations = 0;
  std::vector<RefusedTrial> refused = {};
  /// Residuals that are much larger or smaller than the standard deviations given.
  std::vector<std::string> warnings = {};

  bool ok() const { return status == FitStatus::converged; }
  /// Throws Error, naming the nearest name.
  const FittedParameter& of(std::string_view parameter) const;
};

/// With known sigma the covariance is (J^T J)^-1, else that times the sum of squares per degree of freedom.
FitResult fit(const LeastSquaresProblem& problem, const FitOptions& options = {});

/// For people.
std::string to_text(const FitResult& result);

}  // namespace saltus
