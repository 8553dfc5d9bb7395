// Which states the surfaces determine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <saltus/numerics/linear_solver.hpp>
#include <saltus/system/system.hpp>

namespace saltus::detail {

/// How g changes with the states of a base of index 1, the other unknowns following their equations:
///
///   w = g_x - lambda^T dF/dx,  lambda^T dF/d(x', y) = (0, g_y),
///
/// with y the unknowns that are no states.
class StateGradients {
 public:
  explicit StateGradients(const System& base);

  /// Before rows are asked for: a Jacobian of the base.
  void set_jacobian(std::span<const double> df_dx, std::span<const double> df_dxdot);
  /// In place of the gradient of a surface, in nominal units; zero for what is no state. False if the
  /// base is singular.
  bool reduce(std::span<const std::uint8_t> is_state, std::span<double> gradient);

 private:
  bool factor(std::span<const std::uint8_t> is_state);

  const System& base_;
  CscAssembly transposed_;
  LinearSolver<double> solver_;
  std::vector<double> df_dx_, df_dxdot_, values_, lambda_, nominal_;
  bool is_factored_ = false;
};

/// One state per surface, by elimination with the largest entry of each row: `rows` has a row per surface
/// and is overwritten. Empty if some row vanishes.
std::vector<std::uint32_t> choose_pivots(std::span<double> rows, std::uint32_t n_surfaces);
/// The smallest ratio of a pivot to the largest entry of its row in that elimination; 0 if it breaks down.
double pivot_quality(std::span<double> rows, std::span<const std::uint32_t> pivots);

}  // namespace saltus::detail
