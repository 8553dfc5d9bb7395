#include "sensitivity/function_at_event.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::detail {

std::vector<double> FunctionAtEvent::on_surface() const {
  std::vector<double> x(left_.x.begin(), left_.x.end());
  const CscPattern& pattern = functions_.gradient_pattern();
  std::vector<double> gradient(static_cast<std::size_t>(pattern.nnz())), row(x.size(), 0.0);
  double g = 0.0, squares = 0.0;
  if (functions_.info(which_).kind != SwitchKind::relation ||
      !functions_.evaluate_one(which_, left_.t, x, left_.xdot, g) ||
      !functions_.gradients(left_.t, x, left_.xdot, gradient))
    return x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (auto s = static_cast<std::size_t>(pattern.column_start[i]);
         s < static_cast<std::size_t>(pattern.column_start[i + 1]); ++s)
      if (static_cast<std::uint32_t>(pattern.row[s]) == which_) row[i] = gradient[s];
    squares += std::pow(row[i] * motion_.nominal[i], 2);
  }
  const double by = g / squares;
  if (!std::isfinite(by)) return x;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] -= by * row[i] * std::pow(motion_.nominal[i], 2);
  return x;
}

std::optional<double> FunctionAtEvent::rate_along() {
  constexpr double part = 6e-6;  // eps^(1/3)
  double step = part * std::max(std::abs(left_.t), motion_.time_scale);
  for (std::size_t i = 0; i < left_.x.size(); ++i) {
    const double allowed = part * (std::abs(left_.x[i]) + motion_.nominal[i]);
    if (std::abs(motion_.slope[i]) * step > allowed) step = allowed / std::abs(motion_.slope[i]);
  }
  std::vector<double> x(left_.x.size());
  double g[2] = {};
  for (const int side : {0, 1}) {
    const double by = side == 0 ? -step : step;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = left_.x[i] + by * motion_.slope[i];
    if (!functions_.evaluate_one(which_, left_.t + by, x, left_.xdot, g[side])) return std::nullopt;
  }
  return (g[1] - g[0]) / (2 * step);
}

std::optional<double> FunctionAtEvent::curvature() {
  if (!motion_.is_known) return std::nullopt;
  constexpr double part = 1e-4;  // eps^(1/4)
  double step = part * motion_.time_scale;
  for (std::size_t i = 0; i < left_.x.size(); ++i) {
    const double allowed = part * (std::abs(left_.x[i]) + motion_.nominal[i]);
    if (std::abs(motion_.slope[i]) * step > allowed) step = allowed / std::abs(motion_.slope[i]);
  }
  if (!(step > 0)) return std::nullopt;
  std::vector<double> x(left_.x.size()), xdot(left_.x.size());
  double g[3] = {};
  for (const int side : {-1, 0, 1}) {
    const double by = side * step;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = left_.x[i] + by * (motion_.slope[i] + 0.5 * by * motion_.bend[i]);
      xdot[i] = motion_.slope[i] + by * motion_.bend[i];
    }
    if (!functions_.evaluate_one(which_, left_.t + by, x, xdot, g[side + 1])) return std::nullopt;
  }
  return (g[2] - 2 * g[1] + g[0]) / (step * step);
}

std::optional<std::vector<double>> FunctionAtEvent::rates_by_derivatives() {
  std::vector<double> changes(motion_.n_columns + 1, 0.0), direction(left_.x.size()),
      xdot(left_.x.size());
  const auto changed_by = [&](double size) -> std::optional<double> {
    for (std::size_t i = 0; i < xdot.size(); ++i) xdot[i] = left_.xdot[i] + size * direction[i];
    double g = 0.0;
    if (!functions_.evaluate_one(which_, left_.t, left_.x, xdot, g)) return std::nullopt;
    return g;
  };
  const auto change = [&]() -> std::optional<double> {
    constexpr double part = 6e-6;  // eps^(1/3)
    double largest = 0.0;
    for (std::size_t i = 0; i < xdot.size(); ++i)
      largest = std::max(largest,
                         std::abs(direction[i]) / (std::abs(left_.xdot[i]) + motion_.nominal[i]));
    if (largest == 0) return 0.0;
    const auto up = changed_by(part / largest), down = changed_by(-part / largest);
    if (!up || !down) return std::nullopt;
    return (*up - *down) / (2 * part / largest);
  };
  // whether it contains derivatives at all, and those of unknowns that are not integrated
  for (std::size_t i = 0; i < direction.size(); ++i)
    direction[i] = std::abs(left_.xdot[i]) + motion_.nominal[i];
  const auto any = change();
  if (any && *any == 0.0) return changes;
  if (!motion_.is_known) return std::nullopt;
  for (std::size_t i = 0; i < direction.size(); ++i)
    if (motion_.integrated[i] != 0) direction[i] = 0.0;
  const auto others = change();
  if (!others || *others != 0.0) return std::nullopt;
  for (std::size_t k = 0; k <= motion_.n_columns; ++k) {
    for (std::size_t i = 0; i < direction.size(); ++i)
      direction[i] =
          k < motion_.n_columns ? motion_.sdot[i * motion_.n_columns + k] : motion_.bend[i];
    const auto found = change();
    if (!found) return std::nullopt;
    changes[k] = *found;
  }
  return changes;
}

}  // namespace saltus::detail
