// The point of a motion on surfaces that its states determine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "slide/dae/mixed_point.hpp"
#include "slide/dae/sliding_newton.hpp"

namespace saltus::detail {

/// Finds derivatives and multipliers to rounding, where an engine has them less accurately; keeps multipliers of the last
/// points.
class ExactPoint {
 public:
  using Accuracy = StatesKept::Accuracy;

  ExactPoint(const System& system, Workspace& workspace, const MixedLayout& layout,
             BaseAtSides& base, const MixedPoint& point);

  Evaluation project(double t, std::span<double> x, std::span<double> xdot, double& moved) {
    return states_kept_.solve(workspace_, point_.chosen(), t, x, xdot, moved);
  }
  Evaluation find(double t, std::span<const double> x, std::span<const double> xdot,
                  Accuracy accuracy = Accuracy::rounding);
  /// The point found last.
  std::span<const double> x() const { return x_; }
  std::span<const double> xdot() const { return xdot_; }

  Evaluation multipliers(double t, std::span<const double> x, std::span<const double> xdot,
                         std::span<double> u);
  /// du_k/dx_j at [k n + j] along the motion.
  Evaluation multiplier_gradients(double t, std::span<const double> x, std::span<const double> xdot,
                                  std::span<double> du_dx);

 private:
  /// Multipliers of a point.
  struct Known {
    double t = 0.0;
    std::vector<double> x, xdot, u;
    std::uint64_t epoch = 0;  // 0: nothing
  };
  static constexpr std::size_t n_known_ = 16;

  Workspace& workspace_;
  const MixedLayout& layout_;
  BaseAtSides& base_;
  const MixedPoint& point_;
  StatesKept states_kept_;
  std::vector<double> x_, xdot_, by_state_;
  std::vector<Known> known_;
  std::size_t next_known_ = 0;
};

}  // namespace saltus::detail
