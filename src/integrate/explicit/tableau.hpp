// Explicit Runge-Kutta methods as data.
#pragma once

#include <vector>

#include <saltus/integrate/options.hpp>

namespace saltus::detail {

/// Stages 0 … s-1 make the step, stage s is the derivative at the new point and stage 0 of the next
/// step, and further stages serve the continuous extension only:
///
///   k_i = f(t + c_i h, x + h sum_j a_ij k_j),   x_new = x + h sum_j a_sj k_j.
struct ExplicitTableau {
  using Row = std::vector<double>;

  EngineKind kind = EngineKind::dopri5;
  int order = 0;
  int n_stages = 0;  // s
  int n_dense = 0;   // stages beyond s
  Row c;
  std::vector<Row> a;  // row i has i entries

  /// One row e: the error is ‖h sum_j e_j k_j‖. Two rows e5, e3: it is E5²/sqrt(E5² + E3²/100), with
  /// E5 and E3 the norms belonging to the rows (HNW II.10, (10.16) ff).
  std::vector<Row> error;

  /// Row m is F_{m+3} = h sum_j d_mj k_j of the extension
  ///   x0 + s (F0 + (1-s) (F1 + s (F2 + (1-s) (F3 + s (F4 + …))))),
  /// where F0, F1 and F2 follow from both end points and their slopes (HNW II.6).
  std::vector<Row> dense;

  // PI control (HNW IV.2): h_new = h clamp(safety err^-exponent err_before^beta).
  double exponent = 0.0;
  double beta = 0.0;
  double min_factor = 0.0;
  double max_factor = 0.0;
  /// h |lambda| where the stability domain ends on the negative real axis, roughly.
  double stability_limit = 0.0;

  int degree() const { return 3 + static_cast<int>(dense.size()); }
  int new_point() const { return n_stages; }
  /// Whether the error can only be known after an evaluation at the new point.
  bool error_needs_new_point() const;
};

/// J. R. Dormand, P. J. Prince, J. Comp. Appl. Math. 6 (1980); extension of L. F. Shampine, Math.
/// Comp. 46 (1986).
ExplicitTableau dopri5_tableau();
/// P. J. Prince, J. R. Dormand, J. Comp. Appl. Math. 7 (1981), with the estimators and the extension
/// of E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I, II.10.
ExplicitTableau dop853_tableau();

}  // namespace saltus::detail
