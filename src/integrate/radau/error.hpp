// The error of a step, from the slope of the collocation polynomial p at the left end.
//
// p is of degree 3, collocates at the stages and interpolates x at the left end, but F does not vanish
// there: with p'(0) = q_1 / h (RadauTableau::powers) the defect is
//   d = F(t, x, q_1 / h).
// For F = M x' - f this is M q_1 / h - f(t, x), and
//   err = -((gamma / h) E + J)^-1 d
// is the difference to the embedded method of order 3 of Hairer & Wanner II, (IV.8.19), already
// filtered by the real matrix: their e_i are minus the first row of `powers`. For F that is not linear
// in x', d = E (q_1 / h - x') + O((q_1 / h - x')^2) with q_1 / h - x' = O(h^3), so err = O(h^4) too.
//
// In this form no x' of the left end is needed, so components of x' that the equations do not
// determine cannot spoil it. In equations without x' that defect is zero: the error of algebraic
// unknowns is what the errors of the others cause, err_z = -g_z^-1 g_x err_x. An algebraic unknown
// that comes and goes within the step (the pulse of a diode) leaves no trace in it, nor does a stiff
// unknown that follows a slow one: its defect is damped by the matrix. So the defect is also looked
// at where p is farthest from the solution, between stages: there (...)^-1 F(t, p, p') is the error
// of p itself, O(h^4) as well, and the larger of the two counts.
#pragma once

#include <span>
#include <vector>

#include "integrate/radau/matrices.hpp"

namespace saltus::detail {

class RadauError {
 public:
  explicit RadauError(std::size_t n) : slope_(n), x_(n), error_(n) {}

  /// The norm of the error. `filter_twice` multiplies an error that is too large once more by
  /// ((gamma / h) E + J)^-1 (gamma / h) E, in the form (IV.8.20): err <- -(...)^-1 F(t, x + err, q_1/h).
  /// It damps what stiff components contribute after a start, where they are not yet damped.
  Evaluation estimate(Problem& problem, RadauMatrices& matrices, const RadauFrame& frame,
                      std::span<const double> z, std::span<const double> weights, bool filter_twice,
                      double& norm);

 private:
  Evaluation at_left_end(Problem& problem, RadauMatrices& matrices, const RadauFrame& frame,
                         std::span<const double> z, std::span<const double> weights,
                         bool filter_twice, double& norm);
  Evaluation inside(Problem& problem, RadauMatrices& matrices, const RadauFrame& frame,
                    std::span<const double> z, std::span<const double> weights, double& norm);
  Evaluation filtered_defect(Problem& problem, RadauMatrices& matrices, double t,
                             std::span<const double> x);

  std::vector<double> slope_;
  std::vector<double> x_;
  std::vector<double> error_;
};

}  // namespace saltus::detail
