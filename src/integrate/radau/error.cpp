#include "integrate/radau/error.hpp"

#include <algorithm>

#include <saltus/numerics/norms.hpp>

namespace saltus::detail {

namespace {

// The extrema of s (s - c_1)(s - c_2)(s - 1), the shape of the error of a cubic through the stages,
// lie at 0.07, 0.40 and 0.87; the first is small.
constexpr double inner_points[] = {0.40, 0.87};

}  // namespace

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
  const Evaluation left = at_left_end(problem, matrices, frame, z, weights, filter_twice, norm);
  if (!left || norm >= 1.0) return left;
  return inside(problem, matrices, frame, z, weights, norm);
}

Evaluation RadauError::inside(Problem& problem, RadauMatrices& matrices, const RadauFrame& frame,
                              std::span<const double> z, std::span<const double> weights,
                              double& norm) {
  const std::size_t n = slope_.size();
  const RadauMatrix& q = radau_tableau.powers;
  for (const double s : inner_points) {
    for (std::size_t k = 0; k < n; ++k) {
      const double z0 = z[k], z1 = z[n + k], z2 = z[2 * n + k];
      const double q1 = q[0][0] * z0 + q[0][1] * z1 + q[0][2] * z2;
      const double q2 = q[1][0] * z0 + q[1][1] * z1 + q[1][2] * z2;
      const double q3 = q[2][0] * z0 + q[2][1] * z1 + q[2][2] * z2;
      x_[k] = frame.x_left[k] + s * (q1 + s * (q2 + s * q3));
      slope_[k] = (q1 + s * (2.0 * q2 + s * 3.0 * q3)) / frame.h;
    }
    const Evaluation done = problem.residual(frame.t_left + s * frame.h, x_, slope_, error_);
    if (!done) return done;
    matrices.solve_real(error_);
    norm = std::max(norm, wrms_norm(error_, weights));
  }
  return Evaluation::ok();
}

Evaluation RadauError::at_left_end(Problem& problem, RadauMatrices& matrices,
                                   const RadauFrame& frame, std::span<const double> z,
                                   std::span<const double> weights, bool filter_twice,
                                   double& norm) {
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
