// What follows at one point of a solution from the part of S that is integrated. With d the unknowns that are
// integrated and a all others, F(t, x, x') = 0 and its derivatives along a parameter and along time say
//
//   F_x'd S'_d + F_xa S_a = -F_xd S_d,        F_x'd x''_d + F_xa x'_a = -F_t - F_xd x'_d:            (Z.6)
//
// one matrix for both, and for a step of Newton's method towards x'_d. A polynomial of a step knows x'_d, x'_a and
// x''_d as well, with an order or two less.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <saltus/hybrid/follower.hpp>
#include <saltus/numerics/linear_solver.hpp>

namespace saltus::detail {

struct SecondDerivatives {
  std::vector<double> slope;  // x' of all unknowns
  std::vector<double> bend;   // x'' of those that are integrated, else 0
};

/// One flag per unknown: the states that were chosen, or those with derivatives.
std::vector<std::uint8_t> integrated_unknowns(const System& system, Workspace& workspace);

class LinearisedPoint {
 public:
  /// None if the unknowns that are not integrated do not follow in this way (equations of higher index, or that
  /// contain their derivatives).
  static std::optional<LinearisedPoint> at(const FollowedPoint& point);

  /// One flag per unknown.
  std::span<const std::uint8_t> integrated() const { return integrated_; }
  /// How far the point is from one that solves the equations, in parts of the sizes of unknowns and their derivatives.
  double distance() const { return distance_; }
  /// Replaces S of the others. `sdot`: S' of those that are integrated, else 0.
  void complete(std::span<double> s, std::span<double> sdot, std::size_t n_columns);
  /// `time_scale`: of a step. None where F has no derivative in time.
  std::optional<SecondDerivatives> along_time(const FollowedPoint& point, double time_scale);

 private:
  LinearisedPoint(const FollowedPoint& point, std::vector<std::uint8_t> integrated);
  bool find_slopes(const FollowedPoint& point);
  bool rate_at_rest(const FollowedPoint& point, double time_scale);

  const System& system_;
  std::vector<std::uint8_t> integrated_;
  std::vector<double> of_x_;
  std::vector<double> slopes_;  // x'_d, the others as they were
  double distance_ = 0.0;
  std::vector<double> right_;
  std::unique_ptr<LinearSolver<double>> solver_;
};

}  // namespace saltus::detail
