// A step of the variational equations
//
//   F_x' S' + F_x S = 0                                                                             (Z.1)
//
// along a solution x(t) of F(t, x, x') = 0, for all columns of S at once: collocation at the three points of
// Radau IIA. With W the inverse of its coefficients, stages S_i = S(t_0 + c_i h) solve
//
//   F_x'(t_i) sum_j W_ij (S_j - S_0) / h + F_x(t_i) S_i = 0,                                        (Z.2)
//
// one linear system of three times the size, exactly: nothing is iterated, and unknowns without derivatives need
// no start values. The error is that of the polynomial P through the stages, from its residual at t_0:
//
//   (F_x' + gamma h F_x) error = -gamma h (F_x P(t_0) + F_x' P'(t_0)),   gamma: the real eigenvalue  (Z.3)
//
// (Hairer and Wanner II, IV.8).
//
// x' of a polynomial has an order less than x. Where F_x contains it (a mass that is a parameter, m der(v)), a step of
// Newton's method towards F(t, x, x') = 0 gives that order back.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/numerics/linear_solver.hpp>
#include <saltus/system/system.hpp>
#include <saltus/trajectory/sensitivity.hpp>

#include "sensitivity/followed_path.hpp"

namespace saltus::detail {

class VariationalStep {
 public:
  /// Evaluations and factorisations are counted in `work`.
  VariationalStep(const System& system, std::uint32_t n_columns, SensitivityWork& work);

  /// From S at t_from (unknown by unknown: S[i n_columns + k]) to t_to, along the solution.
  Result<void> take(Workspace& workspace, const FollowedPath& along, double t_from, double t_to,
                    std::span<const double> s);

  /// Coefficients of the polynomials in (t - t_from) / (t_to - t_from): [k size + i n_columns + column], k = 0 … 3.
  std::span<const double> coefficients() const { return coefficients_; }
  /// S at t_to.
  std::span<const double> end() const { return std::span(stages_of_s_).last(error_.size()); }
  /// By (Z.3), as S; unknowns without derivatives are left out: 0.
  std::span<const double> error() const { return error_; }

 private:
  struct Point {
    std::vector<double> of_x, of_xdot;  // on the pattern of the system
    double t = std::numeric_limits<double>::quiet_NaN();
  };
  Result<void> evaluate(Workspace& workspace, const FollowedPath& along, double t, Point& point);
  bool depends_on_slopes(Workspace& workspace, double t);
  void refine_slopes(Workspace& workspace, double t);
  void find_moving(std::span<const double> s);
  void keep_resting(std::span<const double> s);
  bool factor_stages(double h);
  void add_product(std::span<const double> a, double factor, std::span<const double> s,
                   std::span<double> product) const;
  void solve_moving(LinearSolver<double>& solver, std::span<double> by_rows);
  std::span<double> stage(std::size_t i) {
    return std::span(stages_of_s_).subspan(i * error_.size(), error_.size());
  }
  void make_polynomials(std::span<const double> s);
  Result<void> begin_at(Workspace& workspace, const FollowedPath& along, double t_from);
  Result<void> estimate(double h);

  const System& system_;
  std::uint32_t n_, n_columns_;
  SensitivityWork& work_;
  LinearSolver<double> stages_, one_;
  Point points_[3], first_;
  std::vector<std::uint8_t> is_differential_;
  std::vector<std::uint32_t> moving_, n_ones_;
  std::vector<double> matrix_, right_, x_, xdot_;
  std::optional<bool> refines_;  // x', as F_x contains it
  std::vector<std::uint8_t> integrated_;
  std::vector<double> stages_of_s_, coefficients_, error_;
};

}  // namespace saltus::detail
