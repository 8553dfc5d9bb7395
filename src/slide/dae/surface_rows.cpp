#include "slide/dae/surface_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace saltus::detail {

SurfaceRows::SurfaceRows(const MixedLayout& layout, BaseAtSides& base, const MixedPoint& point)
    : layout_(layout),
      base_(base),
      point_(point),
      g_(layout.z),
      gdot_(layout.z),
      gradients_(static_cast<std::size_t>(layout.z) * layout.n),
      moved_x_(layout.n) {
  if (layout.n_motions() == 0) return;
  f_moved_.resize(layout.n);
  const auto nnz = static_cast<std::size_t>(base.system.pattern().nnz());
  for (auto* entries : {&a_moved_, &unused_}) entries->resize(nnz);
}

double SurfaceRows::small_time(double t, std::span<const double> x, double relative) const {
  double step = relative;
  for (std::size_t i = 0; i < layout_.n; ++i) {
    const double allowed = relative * std::max(std::abs(x[i]), base_.surfaces.nominal()[i]);
    const double speed = std::abs(point_.velocity()[i]);
    if (speed * step > allowed) step = allowed / speed;
  }
  return std::max(step, 0x1p-48 * std::abs(t));
}

Evaluation SurfaceRows::rows(double t, std::span<const double> x, std::span<double> f) {
  const auto at = x.first(layout_.n);
  const Evaluation done = layout_.hidden ? base_.surfaces.rates(t, at, point_.velocity(), g_, gdot_)
                                         : base_.surfaces.values(t, at, point_.xdot(), g_);
  if (!done) return Evaluation::out_of_domain(layout_.n);
  for (std::uint32_t k = 0; k < layout_.z; ++k) {
    f[layout_.n + k] = g_[k];
    if (layout_.hidden) f[layout_.n + layout_.z + k] = gdot_[k];
  }
  return motion_rows(t, at, f);
}

/// dA/dt + dA/dx . x' of the equations of the closure, by a difference along the motion. One of second order would leave
/// 1e-10 of noise, on which the search for consistent values and the projection of outputs come to a stop.
Evaluation SurfaceRows::motion_rows(double t, std::span<const double> x, std::span<double> f) {
  if (layout_.n_motions() == 0) return Evaluation::ok();
  static const double relative = std::pow(std::numeric_limits<double>::epsilon(), 0.25);
  constexpr std::pair<double, double> formula[] = {
      {1.0, 2.0 / 3}, {-1.0, -2.0 / 3}, {2.0, -1.0 / 12}, {-2.0, 1.0 / 12}};
  const double step = small_time(t, x, relative);
  for (std::uint32_t i = 0; i < layout_.n_motions(); ++i) f[layout_.q(i)] = 0.0;
  for (const auto& [steps, weight] : formula) {
    for (std::size_t i = 0; i < layout_.n; ++i)
      moved_x_[i] = x[i] + steps * step * point_.velocity()[i];
    const Evaluation done =
        base_.equations.residual(0, t + steps * step, moved_x_, point_.xdot(), f_moved_);
    if (!done) return done;
    for (std::uint32_t i = 0; i < layout_.n_motions(); ++i)
      f[layout_.q(i)] += weight / step * f_moved_[layout_.closure.equation[i]];
  }
  return Evaluation::ok();
}

Evaluation SurfaceRows::jacobian(double t, std::span<const double> x, std::span<double> df_dx,
                                 std::span<double> df_dxdot) {
  const auto at = x.first(layout_.n);
  if (!base_.surfaces.gradients(t, at, point_.velocity()))
    return Evaluation::out_of_domain(layout_.n);
  for (std::uint32_t k = 0; k < layout_.z; ++k) {
    for (const MixedLayout::Term& term : layout_.surfaces[k].terms) {
      df_dx[term.of_g] += base_.surfaces.gradient(k)[term.unknown];
    }
  }
  if (!layout_.hidden) return Evaluation::ok();
  const Evaluation done = motion_jacobian(t, at, df_dx, df_dxdot);
  return done ? done : Evaluation::out_of_domain(layout_.n + layout_.z);
}

void SurfaceRows::add_term(const MixedLayout::MotionRow& row, const MixedLayout::Term& term,
                           double c, double change, std::span<double> df_dx,
                           std::span<double> df_dxdot) const {
  df_dx[term.at_unknown] += change;
  const std::uint32_t surface = point_.surface_of(term.unknown);
  if (term.at_motion != MixedLayout::none) {
    df_dx[term.at_motion] += c;
  } else if (surface != MixedPoint::no_surface) {
    df_dxdot[row.at_p[surface]] += c;
  } else {
    df_dxdot[term.at_unknown] += c;
  }
}

/// The derivative of dc/dt + dc/dx . x' by x_j is that of c_j along the motion: a difference of c_j.
Evaluation SurfaceRows::motion_jacobian(double t, std::span<const double> x,
                                        std::span<double> df_dx, std::span<double> df_dxdot) {
  static const double relative = std::sqrt(std::numeric_limits<double>::epsilon());
  SurfaceFunctions& surfaces = base_.surfaces;
  const auto velocity = point_.velocity();
  const double step = small_time(t, x, relative);
  for (std::size_t i = 0; i < layout_.n; ++i) moved_x_[i] = x[i] + step * velocity[i];
  const std::size_t n = layout_.n;
  for (std::uint32_t k = 0; k < layout_.z; ++k) {
    std::copy(surfaces.gradient(k).begin(), surfaces.gradient(k).end(),
              gradients_.begin() + static_cast<std::ptrdiff_t>(k * n));
  }
  if (const auto e = surfaces.gradients(t + step, moved_x_, velocity); !e) return e;
  for (std::uint32_t k = 0; k < layout_.z; ++k) {
    for (const MixedLayout::Term& term : layout_.surfaces[k].terms) {
      const double c = gradients_[k * n + term.unknown];
      const double change = (surfaces.gradient(k)[term.unknown] - c) / step;
      add_term(layout_.surfaces[k], term, c, change, df_dx, df_dxdot);
    }
  }
  if (layout_.n_motions() == 0) return Evaluation::ok();
  SideEquations& equations = base_.equations;
  const Evaluation done =
      equations.jacobian(0, t + step, moved_x_, point_.xdot(), a_moved_, unused_);
  if (!done) return done;
  for (const MixedLayout::MotionRow& row : layout_.equations) {
    for (const MixedLayout::Term& term : row.terms) {
      const double c = equations.df_dx(0)[term.source];
      add_term(row, term, c, (a_moved_[term.source] - c) / step, df_dx, df_dxdot);
    }
  }
  return Evaluation::ok();
}

}  // namespace saltus::detail
