// The matrices of the simplified Newton iteration, with E = dF/dx' and J = dF/dx:
//   real (gamma / h) E + J   and   complex ((alpha + i beta) / h) E + J.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include <saltus/numerics/linear_solver.hpp>

#include "integrate/radau/frame.hpp"

namespace saltus::detail {

class RadauMatrices {
 public:
  RadauMatrices(const CscPattern& pattern, LinearSolverKind kind);

  LinearSolverKind kind() const { return real_.kind(); }

  /// New E and J; old factors are stale then.
  Evaluation evaluate(Problem& problem, double t, std::span<const double> x,
                      std::span<const double> xdot);
  bool evaluated() const { return evaluated_; }

  /// False if one of the two is singular: see singular_column().
  [[nodiscard]] bool factor(double h, WorkCounts& work);
  /// The step the factors belong to; 0 if there are none.
  double factored_step() const { return factored_step_; }
  index_t singular_column() const { return singular_column_; }

  void solve_real(std::span<double> b) { real_.solve(b); }
  void solve_complex(std::span<std::complex<double>> b) { complex_.solve(b); }

 private:
  std::vector<double> e_;
  std::vector<double> j_;
  std::vector<double> real_values_;
  std::vector<std::complex<double>> complex_values_;
  LinearSolver<double> real_;
  LinearSolver<std::complex<double>> complex_;
  double factored_step_ = 0.0;
  index_t singular_column_ = 0;
  bool evaluated_ = false;
};

}  // namespace saltus::detail
