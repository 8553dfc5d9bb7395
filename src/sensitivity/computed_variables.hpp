// Derivatives of variables that are no unknowns but computed from them: outputs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <saltus/system/step_polynomial.hpp>
#include <saltus/system/system.hpp>

#include "sensitivity/followed_path.hpp"

namespace saltus::detail {

/// y(t, x, x') moves with a parameter by y_x S + y_x' S': central differences of VariableMap::values along (S, S'), so
/// that every map has them, also of motion on surfaces. Errors are of the size of eps^(2/3) of y.
class ComputedVariables {
 public:
  ComputedVariables(const System& system, std::uint32_t n_columns);

  bool any() const { return !variables_.empty(); }
  /// Numbers of the map.
  std::span<const std::uint32_t> variables() const { return variables_; }

  /// Along a step of S: cubic polynomials in (t - t_from) / (t_to - t_from), with coefficients as those of
  /// VariationalStep. Interpolated between four points, as S is.
  void sample(Workspace& workspace, const FollowedPath& solution, const StepPolynomial& s);
  /// Coefficient number `degree` of computed variable j (of variables()) and a column.
  double coefficient(std::size_t degree, std::size_t j, std::size_t column) const {
    return samples_[(degree * variables_.size() + j) * n_columns_ + column];
  }
  /// Whether it could be differentiated all along the last step.
  bool known(std::size_t j) const { return known_[j] != 0; }

 private:
  void differentiate(Workspace& workspace, double t, std::size_t column, std::span<double> into);

  const System& system_;
  std::uint32_t n_columns_;
  std::vector<std::uint32_t> variables_;
  std::vector<double> samples_;
  std::vector<std::uint8_t> known_;
  std::vector<double> x_, xdot_, s_, sdot_, x_moved_, xdot_moved_;
  std::vector<double> up_, down_;  // all variables of the map
};

}  // namespace saltus::detail
