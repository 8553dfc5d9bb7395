// Fits parameters by the damped Gauss-Newton method (Levenberg and Marquardt). Every step lowers
// the sum of squares. Where events pass the times of data the sum has kinks; there the derivatives
// of both sides are used together.
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
  /// Converged if the next full step d is shorter than this in standard errors: |J d| <= within
  /// sigma. At a kink: if the derivatives of all sides together promise no more than such a step.
  double within = 0.01;
};
template <class V>
void describe(FitOptions& o, V& field) {
  field("max_iterations", o.max_iterations).at_least(1).help("steps that are tried");
  field("within", o.within).above(0).help("standard errors by which the last step may miss");
}

enum class FitStatus : std::uint8_t {
  converged,
  /// The data do not determine some parameters. The message names them; the others have their
  /// standard errors.
  undetermined,
  /// The sum of squares would fall beyond a datum that jumps because an event passes its time. The
  /// message names it.
  at_jump,
  /// No step lowers the sum of squares, however short, and the point is not a minimum. Derivatives
  /// are wrong there, or do not exist beside it.
  no_decrease,
  iteration_limit,  ///< FitOptions::max_iterations was reached
  no_start,  ///< no residuals or derivatives at the start values; the message gives the reason
};
std::string_view name(FitStatus status) noexcept;

struct FittedParameter {
  std::string name;
  double value = 0.0;
  /// From the model linearised at the values found. Empty if the parameter is on a bound, or not
  /// determined.
  std::optional<double> standard_error = {};
  bool at_bound = false;
};

/// Values without derivatives, from which no step was possible.
struct RefusedTrial {
  std::vector<double> values;
  std::string why;
};

struct FitResult {
  FitStatus status = FitStatus::converged;
  std::string message;  // if it converged at a kink: the data concerned
  std::vector<FittedParameter> parameters;
  /// Covers all parameters; zero for those without a standard error.
  Matrix covariance;
  std::vector<double> residuals;
  double sum_of_squares = 0.0;
  int iterations = 0;
  int evaluations = 0;
  std::vector<RefusedTrial> refused = {};
  /// Names residuals that are much larger or smaller than the given standard deviations.
  std::vector<std::string> warnings = {};

  bool ok() const { return status == FitStatus::converged; }
  /// Throws Error, suggesting the nearest name, if there is no such parameter.
  const FittedParameter& of(std::string_view parameter) const;
};

/// Minimises the sum of squared residuals. With known sigma the covariance is (J^T J)^-1, otherwise
/// that times the sum of squares per degree of freedom.
FitResult fit(const LeastSquaresProblem& problem, const FitOptions& options = {});

/// Returns the result as text for people.
std::string to_text(const FitResult& result);

}  // namespace saltus
