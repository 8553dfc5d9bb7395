// Derivatives of variables that are no unknowns but computed from them: outputs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <saltus/system/step_polynomial.hpp>
#include <saltus/system/system.hpp>
#include <saltus/trajectory/fitted_pieces.hpp>

#include "sensitivity/followed_path.hpp"
#include "sensitivity/function_at_event.hpp"

namespace saltus::detail {

/// y(t, x, x') moves with a parameter by y_x S + y_x' S': exactly where the system knows its expressions
/// (OutputDirections), else by central differences of VariableMap::values along (S, S'), so that every map has them, also
/// of motion on surfaces. Their errors are of the size of eps^(2/3) of y.
class ComputedVariables {
 public:
  ComputedVariables(const System& system, std::uint32_t n_columns);

  bool any() const { return !variables_.empty(); }
  /// Numbers of the map.
  std::span<const std::uint32_t> variables() const { return variables_; }

  /// Along a step of S. Columns may be off by rtol times their magnitude, or times that of the variable over that of the
  /// parameter (`scales`).
  void fit(Workspace& workspace, const FollowedPath& solution, const StepPolynomial& s, double rtol,
           std::span<const double> scales);
  /// In pieces, of number j n_columns + column for variable j (of variables()).
  const FittedPieces& pieces() const { return pieces_; }
  /// How a computed variable changes along time at a point that moves with x' and x'' (of integrated unknowns, if they
  /// are known); nothing where that is not known.
  std::vector<std::optional<double>> rates(const FollowedPoint& at, const MotionAtEvent& motion);
  /// Whether it could be differentiated all along the last step.
  bool known(std::size_t j) const { return known_[j] != 0; }

 private:
  void differentiate(Workspace& workspace, double t, std::size_t column, std::span<double> into);

  const System& system_;
  std::uint32_t n_columns_;
  std::vector<std::uint32_t> variables_;
  FittedPieces pieces_;
  std::vector<double> found_, allowed_;
  std::vector<std::uint8_t> known_;
  std::vector<double> x_, xdot_, s_, sdot_, x_moved_, xdot_moved_;
  std::vector<double> up_, down_;  // all variables of the map
};

}  // namespace saltus::detail
