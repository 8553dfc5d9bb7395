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
  for (auto* g : {&g_base_, &g_above_, &g_below_}) g->assign(parts.infos.size(), 0.0);
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

template <class Move>
Evaluation DifferencedSwitching::difference(const Move& move, std::span<double> slope) {
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
      [&](double side) {
        t_moved_ = t + side * step;
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
        [&](double side) {
          x_moved_[j] = x[j] + side * step;
          return x_moved_[j] - x[j];
        },
        dg_dx.subspan(j * m, m));
    x_moved_[j] = x[j];
    if (!done) return done;
  }
  return Evaluation::ok();
}

}  // namespace saltus::detail
