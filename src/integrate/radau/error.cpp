#include "integrate/radau/error.hpp"

#include <saltus/numerics/norms.hpp>

namespace saltus::detail {

Evaluation RadauError::filtered_defect(Problem& problem, RadauMatrices& matrices, double t,
                                       std::span<const double> x) {
  const WithoutStageCheck accepted_point(problem);
  const Evaluation done = problem.residual(t, x, slope_, error_);
  if (!done) return done;
  matrices.solve_real(error_);
  for (double& e : error_) e = -e;
  return done;
}

Evaluation RadauError::estimate(Problem& problem, RadauMatrices& matrices, const RadauFrame& frame,
                                std::span<const double> z, std::span<const double> weights,
                                bool filter_twice, double& norm) {
  const std::size_t n = slope_.size();
  const RadauRow& q = radau_tableau.powers[0];
  for (std::size_t k = 0; k < n; ++k) {
    slope_[k] = (q[0] * z[k] + q[1] * z[n + k] + q[2] * z[2 * n + k]) / frame.h;
  }
  const Evaluation first = filtered_defect(problem, matrices, frame.t_left, frame.x_left);
  if (!first) return first;
  norm = wrms_norm(error_, weights);
  if (norm < 1.0 || !filter_twice) return first;

  for (std::size_t k = 0; k < n; ++k) x_[k] = frame.x_left[k] + error_[k];
  const Evaluation second = filtered_defect(problem, matrices, frame.t_left, x_);
  if (second) norm = wrms_norm(error_, weights);
  // Out of domain there says nothing about the step: the first estimate stands.
  return second.status() == Evaluation::Status::failed ? second : first;
}

}  // namespace saltus::detail
