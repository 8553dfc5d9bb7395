#include "integrate/explicit/first_step.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/numerics/norms.hpp>

namespace saltus::detail {

FirstStep find_first_step(Problem& problem, double t, std::span<const double> x,
                          std::span<const double> f, double h_max, int order,
                          std::span<double> scratch) {
  constexpr double nothing = 1e-5;  // a norm far below the tolerance
  const std::size_t n = x.size();
  const auto weights = scratch.first(n);
  const auto x_euler = scratch.subspan(n, n);
  const auto f_euler = scratch.subspan(2 * n, n);
  const double longest = std::abs(h_max);

  problem.error_weights(x, weights);
  const double size = wrms_norm(x, weights);
  const double speed = wrms_norm(f, weights);
  double h = 1e-6 * longest;
  // From zero, the solution moves by one tolerance.
  if (speed > nothing) h = size > nothing ? 0.01 * size / speed : 1.0 / speed;
  h = std::max(std::min(h, longest), std::min(problem.smallest_step(t), longest));

  constexpr int max_tries = 12;  // thousands of times shorter
  for (int tries = 1;; ++tries) {
    const double step = std::copysign(h, h_max);
    for (std::size_t i = 0; i < n; ++i) x_euler[i] = x[i] + step * f[i];
    const Evaluation evaluation = problem.derivative(t + step, x_euler, f_euler);
    if (evaluation) break;
    if (evaluation.status() == Evaluation::Status::failed) return {evaluation, 0.0};
    h *= 0.5;
    if (tries == max_tries) return {Evaluation::ok(), h};
  }
  for (std::size_t i = 0; i < n; ++i) f_euler[i] -= f[i];
  const double curvature = wrms_norm(f_euler, weights) / h;
  const double larger = std::max(curvature, speed);
  const double by_order =
      larger <= 1e-15 ? 1e-3 * longest : std::pow(0.01 / larger, 1.0 / static_cast<double>(order));
  return {Evaluation::ok(), std::min({100.0 * h, by_order, longest})};
}

}  // namespace saltus::detail
