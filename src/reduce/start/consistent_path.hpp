// Points on the solution set of a derivative array: x_0 … x_{L+1} with F_0 = … = F_L = 0.
#pragma once

#include <string>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/numerics/quad.hpp>

#include "numerics/eigen.hpp"
#include "reduce/start/gauss_newton.hpp"
#include "reduce/start/limit_rows.hpp"
#include "reduce/array/scaled_array.hpp"

namespace saltus::detail {

/// What a search may do to x_0.
struct PathWish {
  /// In the user's units. Kept if it is consistent as it is.
  std::vector<double> x;
  /// kept (xi_0 - wish) = 0 in scaled unknowns; no rows: nothing is kept.
  Eigen::MatrixXd kept;
  /// One flag per unknown: its x_0 does not move. Empty: none.
  std::vector<std::uint8_t> fixed;
  /// Further equations of x_0, solved together with the array.
  LimitRows* limit = nullptr;
  /// x is not consistent, and the path begins with what solve_higher() left at x, or at a consistent point.
  bool higher_solved = false;
};

struct PolishedPath {
  std::vector<Quad> path;
  /// Equations contradict each other by no more than what rounding of their data explains, or than what
  /// is tolerated.
  bool only_up_to_rounding = false;
};

/// Staged Gauss-Newton with steps of smallest norm, in scaled unknowns.
class PathSearch {
 public:
  PathSearch(const System& system, Workspace& workspace, double t,
             double tolerated_contradiction = 0.0)
      : system_(system),
        t_(t),
        tolerated_contradiction_(tolerated_contradiction),
        array_(system, workspace, t),
        quad_array_(system, workspace, t) {
    array_.remember();
  }

  /// Moves `path` (user's units, x_0 … x_{level+1}) onto the solution set, as far as double
  /// precision goes. Fixed values and equations between limits that contradict the equations are a
  /// failure that names them.
  Result<void> solve(std::vector<double>& path, int level, const ArrayScaling& scaling,
                     const PathWish& wish);

  /// Moves higher coefficients only, to x_0 of the wish. Whether that is consistent to 1e-10; it may not be
  /// possible to evaluate it.
  bool solve_higher(std::vector<double>& path, int level, const ArrayScaling& scaling,
                    const PathWish& wish);

  /// To quad precision: |Phi_i| <= 1e-28 (1 + sum_j |dPhi_i/dxi_j xi_j|).
  Result<PolishedPath> polish(const std::vector<double>& path, int level,
                              const ArrayScaling& scaling);

  /// The largest relative residual that solve() has left.
  double residual_left() const { return residual_left_; }

  std::uint64_t n_evaluations() const {
    return array_.n_evaluations() + quad_array_.n_evaluations();
  }

  ScaledArray<double>& array() { return array_; }
  ScaledArray<Quad>& quad_array() { return quad_array_; }
  Failure not_evaluated(const Evaluation& evaluation) const;
  /// Fixed values that contradict the equations, and what the last solve() left of these.
  Failure over_fixed(const std::vector<std::uint32_t>& to_blame) const;

  double tolerated_contradiction() const { return tolerated_contradiction_; }
  void tolerate_contradiction(double size) { tolerated_contradiction_ = size; }

 private:
  GaussNewtonProblem stage_0(int level, const ArrayScaling& scaling, const PathWish& wish);
  /// Newton in quad by elimination: for arrays that double precision cannot solve.
  void polish_by_elimination(std::vector<Quad>& xi, int level, const ArrayScaling& scaling,
                             const std::vector<double>& row_size, double& worst);
  double worst_relative(const std::vector<Quad>& phi, const std::vector<double>& row_size) const;
  Failure limit_not_evaluated(const LimitRows& limit, const Evaluation& evaluation) const;
  Failure not_converged(const std::vector<double>& relative_residual) const;
  /// Equations between limits, and fixed values, if any, that contradict them or the array.
  Failure limits_contradict(const LimitRows& limit, const std::vector<std::uint32_t>& equations,
                            const std::vector<std::uint32_t>& fixed) const;
  /// The same at a point that no step improves: all equations are missed as little as possible.
  Failure contradiction(const std::vector<double>& relative_residual) const;
  std::string worst_equations(const std::vector<double>& relative_residual) const;

  const System& system_;
  double t_;
  double tolerated_contradiction_;
  double residual_left_ = 0.0;
  std::vector<double> left_;  // relative residuals that solve() could not reduce
  ScaledArray<double> array_;
  ScaledArray<Quad> quad_array_;
};

}  // namespace saltus::detail
