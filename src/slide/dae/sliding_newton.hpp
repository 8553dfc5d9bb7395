// The point of a system that has the same states: everything else follows by Newton's method.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <saltus/numerics/linear_solver.hpp>
#include <saltus/system/system.hpp>

namespace saltus::detail {

class StatesKept {
 public:
  explicit StatesKept(const System& system);

  /// Rounding, or what is far below every tolerance: a step with a matrix of its own point whose square is
  /// rounding is the last one.
  enum class Accuracy : std::uint8_t { rounding, of_multipliers };

  /// Moves x' of states and x of all others until F(t, x, x') = 0; `moved` gets the largest change of x in
  /// nominal units. On a failure x and x' are as they were.
  Evaluation solve(Workspace& workspace, std::span<const std::uint8_t> is_state, double t,
                   std::span<double> x, std::span<double> xdot, double& moved,
                   Accuracy accuracy = Accuracy::rounding);
  /// How everything else changes with a state at a solution; slope() for the point begun with.
  bool begin_slopes(Workspace& workspace, std::span<const std::uint8_t> is_state, double t,
                    std::span<const double> x, std::span<const double> xdot);
  void slope(std::uint32_t state, std::span<double> others);
  /// Whether the last failure was a singular matrix.
  bool was_singular() const { return was_singular_; }

 private:
  bool factor(Workspace& workspace, std::span<const std::uint8_t> is_state, double t);
  double step(std::span<const std::uint8_t> is_state);

  const CscPattern& pattern_;
  std::vector<double> nominal_;
  LinearSolver<double> solver_;
  std::vector<double> df_dx_, df_dxdot_, matrix_, f_, x_, xdot_;
  bool was_singular_ = false;
};

}  // namespace saltus::detail
