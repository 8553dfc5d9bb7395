#include "system/differenced_switching.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <saltus/core/error.hpp>

namespace saltus::detail {

CscPattern full_pattern(std::size_t n_rows, std::size_t n_cols) {
  CscPattern full;
  full.n_rows = static_cast<index_t>(n_rows);
  full.n_cols = static_cast<index_t>(n_cols);
  full.column_start.clear();
  for (index_t j = 0; j <= full.n_cols; ++j) full.column_start.push_back(j * full.n_rows);
  full.row.reserve(n_rows * n_cols);
  for (index_t j = 0; j < full.n_cols; ++j) {
    for (index_t i = 0; i < full.n_rows; ++i) full.row.push_back(i);
  }
  return full;
}

DifferencedSwitching::DifferencedSwitching(const Parts& parts, Evaluate evaluate)
    : parts_(parts), evaluate_(std::move(evaluate)), x_moved_(parts.nominal.size(), 0.0) {
  for (auto* g : {&g_base_, &g_above_, &g_below_, &size_}) g->assign(parts.infos.size(), 0.0);
  for (auto& g : g_wide_) g.assign(parts.infos.size(), 0.0);
}

void DifferencedSwitching::set_relations(std::span<const std::uint8_t> truth) {
  SALTUS_ASSERT(truth.size() == parts_.relations.size());
  std::copy(truth.begin(), truth.end(), parts_.relations.begin());
}

Evaluation DifferencedSwitching::evaluate_active(double t, std::span<const double> x,
                                                 std::span<double> g) {
  const Evaluation called = evaluate_(t, x, g);
  if (!called) return called;
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    if (!is_active(i)) {
      g[i] = 0.0;
    } else if (!std::isfinite(g[i])) {
      return Evaluation::out_of_domain(i);
    }
  }
  return Evaluation::ok();
}

Evaluation DifferencedSwitching::evaluate(double t, std::span<const double> x,
                                          std::span<const double>, std::span<double> g) {
  SALTUS_ASSERT(x.size() == parts_.nominal.size() && g.size() == parts_.infos.size());
  return evaluate_active(t, x, g);
}

Evaluation DifferencedSwitching::evaluate_one(std::uint32_t which, double t,
                                              std::span<const double> x, std::span<const double>,
                                              double& g) {
  const Evaluation called = evaluate_(t, x, g_base_);
  if (!called) return called;
  if (!std::isfinite(g_base_[which])) return Evaluation::out_of_domain(which);
  g = g_base_[which];  // that another one is out of its domain is of no interest
  return Evaluation::ok();
}

/// First and second differences of one and two increments fit together, up to rounding.
bool DifferencedSwitching::is_smooth(std::size_t which) const {
  constexpr double fit = 1e-2, rounding = 64 * std::numeric_limits<double>::epsilon();
  const double base = g_base_[which];
  double change[4], largest = 0.0;
  for (std::size_t k = 0; k < 4; ++k) {
    change[k] = g_wide_[k][which] - base;
    largest = std::max(largest, std::fabs(change[k]));
  }
  const double odd = (change[3] - change[0]) - 2 * (change[2] - change[1]);
  const double even = (change[3] + change[0]) - 4 * (change[2] + change[1]);
  const double allowed = fit * largest + rounding * std::max(std::fabs(base), size_[which]);
  return std::fabs(odd) <= allowed && std::fabs(even) <= allowed;
}

template <class Move>
bool DifferencedSwitching::wide_difference(const Move& move, std::span<double> slope) {
  constexpr double wide[] = {-60.0, -30.0, 30.0, 60.0};
  double distance[4];
  for (std::size_t k = 0; k < 4; ++k) {
    distance[k] = move(wide[k]);
    if (!evaluate_active(t_moved_, x_moved_, g_wide_[k])) return false;
  }
  for (std::size_t i = 0; i < slope.size(); ++i) {
    if (!is_smooth(i)) return false;
    const double near = (g_wide_[2][i] - g_wide_[1][i]) / (distance[2] - distance[1]);
    const double far = (g_wide_[3][i] - g_wide_[0][i]) / (distance[3] - distance[0]);
    slope[i] = (4 * near - far) / 3;
  }
  return true;
}

template <class Move>
Evaluation DifferencedSwitching::difference(const Move& move, std::span<double> slope) {
  if (wide_difference(move, slope)) return Evaluation::ok();
  const double ahead = move(1.0);
  const Evaluation above = evaluate_active(t_moved_, x_moved_, g_above_);
  const double back = move(-1.0);
  const Evaluation below = evaluate_active(t_moved_, x_moved_, g_below_);
  if (!above && !below) return above;
  const std::vector<double>& upper = above ? g_above_ : g_base_;
  const std::vector<double>& lower = below ? g_below_ : g_base_;
  const double distance = (above ? ahead : 0.0) - (below ? back : 0.0);
  for (std::size_t i = 0; i < slope.size(); ++i) slope[i] = (upper[i] - lower[i]) / distance;
  return Evaluation::ok();
}

Evaluation DifferencedSwitching::rates(double t, std::span<const double> x,
                                       std::span<const double> xdot, std::span<double> g,
                                       std::span<double> gdot) {
  SALTUS_ASSERT(g.size() == parts_.infos.size() && gdot.size() == parts_.infos.size());
  static const double relative = std::cbrt(std::numeric_limits<double>::epsilon());
  const Evaluation base = evaluate_active(t, x, g_base_);
  if (!base) return base;
  std::copy(g_base_.begin(), g_base_.end(), g.begin());
  // No unknown moves by more than the relative increment, and time by no more than that of one unit.
  double step = relative;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double allowed = relative * std::max(std::fabs(x[i]), parts_.nominal[i]);
    if (std::fabs(xdot[i]) * step > allowed) step = allowed / std::fabs(xdot[i]);
  }
  // Time must move at all; x moves by what it really did.
  step = std::max(step, 0x1p-48 * std::fabs(t));
  return difference(
      [&](double increments) {
        t_moved_ = t + increments * step;
        const double moved = t_moved_ - t;
        for (std::size_t i = 0; i < x.size(); ++i) x_moved_[i] = x[i] + moved * xdot[i];
        return moved;
      },
      gdot);
}

Evaluation DifferencedSwitching::gradients(double t, std::span<const double> x,
                                           std::span<const double>, std::span<double> dg_dx) {
  static const double relative = std::cbrt(std::numeric_limits<double>::epsilon());
  const std::size_t m = parts_.infos.size();
  SALTUS_ASSERT(dg_dx.size() == m * x.size());
  const Evaluation base = evaluate_active(t, x, g_base_);
  if (!base) return base;
  t_moved_ = t;
  std::copy(x.begin(), x.end(), x_moved_.begin());
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double step = relative * std::max(std::fabs(x[j]), parts_.nominal[j]);
    const Evaluation done = difference(
        [&](double increments) {
          x_moved_[j] = x[j] + increments * step;
          return x_moved_[j] - x[j];
        },
        dg_dx.subspan(j * m, m));
    x_moved_[j] = x[j];
    if (!done) return done;
  }
  std::fill(size_.begin(), size_.end(), 0.0);
  for (std::size_t j = 0; j < x.size(); ++j) {
    for (std::size_t i = 0; i < m; ++i)
      size_[i] += std::fabs(dg_dx[j * m + i]) * std::max(std::fabs(x[j]), parts_.nominal[j]);
  }
  return Evaluation::ok();
}

}  // namespace saltus::detail
