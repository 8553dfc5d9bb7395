#include "slide/equations/sliding_equations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace saltus::detail {

double weight_slope(std::span<const double> u, std::uint32_t vertex, std::uint32_t k) {
  double product = 0.5 * SlidingSides::side(vertex, k);
  for (std::uint32_t j = 0; j < u.size(); ++j) {
    if (j != k) product *= 0.5 * (1.0 + SlidingSides::side(vertex, j) * u[j]);
  }
  return product;
}

SideEquations::SideEquations(const System& base, Workspace& workspace, SlidingSides& sides,
                             SurfaceFunctions& surfaces)
    : base_(base),
      workspace_(workspace),
      sides_(sides),
      points_near_(sides, surfaces),
      n_(base.size()),
      nnz_(static_cast<std::size_t>(base.pattern().nnz())),
      point_(n_),
      f_(n_ * sides.n_vertices()),
      df_dx_(nnz_ * sides.n_vertices()),
      df_dxdot_(df_dx_.size()),
      is_known_(sides.n_vertices(), 0),
      known_(n_known_ * sides.n_vertices()),
      next_known_(sides.n_vertices(), 0) {}

Evaluation SideEquations::residual(std::uint32_t vertex, double t, std::span<const double> x,
                                   std::span<const double> xdot, std::span<double> f) {
  const std::uint64_t epoch = sides_.epoch();
  const auto first = known_.begin() + static_cast<std::ptrdiff_t>(vertex * n_known_);
  const auto found = std::find_if(first, first + n_known_, [&](const Known& known) {
    return known.epoch == epoch && known.t == t &&
           std::equal(x.begin(), x.end(), known.x.begin()) &&
           std::equal(xdot.begin(), xdot.end(), known.xdot.begin());
  });
  if (found != first + n_known_) {
    std::copy(found->f.begin(), found->f.end(), f.begin());
    std::copy(found->point.begin(), found->point.end(), point_.begin());
  } else {
    const SideVisit visit(sides_, vertex);
    const Evaluation done =
        points_near_.on_side(vertex, t, x, point_, [&](std::span<const double> point) {
          ++n_side_evaluations_;
          return workspace_.residual(t, point, xdot, f);
        });
    if (!done) return done;
    Known& known = *(first + static_cast<std::ptrdiff_t>(next_known_[vertex]));
    next_known_[vertex] = (next_known_[vertex] + 1) % n_known_;
    known.t = t;
    known.x.assign(x.begin(), x.end());
    known.xdot.assign(xdot.begin(), xdot.end());
    known.point = point_;
    known.f.assign(f.begin(), f.end());
    known.epoch = epoch;
  }
  if (points_near_.some_end() && is_known_[vertex] != 0) lead_to(x, vertex, f);
  return Evaluation::ok();
}

/// From where it was evaluated to the point itself, along the slopes that an iteration works with: they agree
/// there. On the surface both points are the same.
void SideEquations::lead_to(std::span<const double> x, std::uint32_t vertex, std::span<double> f) {
  const CscPattern& p = base_.pattern();
  for (std::size_t j = 0; j < n_; ++j) {
    const double way = x[j] - point_[j];
    if (way == 0.0) continue;
    const auto end = static_cast<std::size_t>(p.column_start[j + 1]);
    for (auto s = static_cast<std::size_t>(p.column_start[j]); s < end; ++s)
      f[static_cast<std::size_t>(p.row[s])] += df_dx(vertex)[s] * way;
  }
}

bool SideEquations::residual_nearby(std::uint32_t vertex, double t, std::span<const double> x,
                                    std::span<const double> xdot, std::span<double> f) {
  constexpr double close = 1e-3;
  const std::uint64_t epoch = sides_.epoch();
  const auto is_close = [&](std::span<const double> a, std::span<const double> b) {
    for (std::size_t j = 0; j < n_; ++j) {
      const double nominal = base_.nominal(static_cast<std::uint32_t>(j));
      const double scale = std::max(std::abs(a[j]), nominal);
      if (!(std::abs(a[j] - b[j]) <= close * scale)) return false;
    }
    return true;
  };
  for (std::size_t i = 1; i <= n_known_; ++i) {
    // The newest one first.
    const std::size_t place = (next_known_[vertex] + n_known_ - i) % n_known_;
    const Known& known = known_[vertex * n_known_ + place];
    if (known.epoch != epoch || known.t != t) continue;
    if (!is_close(x, known.x) || !is_close(xdot, known.xdot)) continue;
    std::copy(known.f.begin(), known.f.end(), f.begin());
    return true;
  }
  return false;
}

Evaluation SideEquations::residuals(double t, std::span<const double> x,
                                    std::span<const double> xdot) {
  for (std::uint32_t b = 0; b < n_vertices(); ++b) {
    if (const auto e = residual(b, t, x, xdot, residual(b)); !e) return e;
  }
  return Evaluation::ok();
}

Evaluation SideEquations::jacobian(std::uint32_t vertex, double t, std::span<const double> x,
                                   std::span<const double> xdot, std::span<double> df_dx,
                                   std::span<double> df_dxdot) {
  const SideVisit visit(sides_, vertex);
  Evaluation done = Evaluation::ok();
  if (sides_.locks() != nullptr) {
    done = points_near_.on_side(vertex, t, x, point_, [&](std::span<const double> point) {
      return workspace_.jacobian(t, point, xdot, df_dx, df_dxdot);
    });
  } else {
    done = points_near_.clear_of_surface(vertex, t, x, point_);
    if (done) done = workspace_.jacobian(t, point_, xdot, df_dx, df_dxdot);
  }
  if (df_dx.data() == this->df_dx(vertex).data()) is_known_[vertex] = done ? 1 : 0;
  return done;
}

Evaluation SideEquations::jacobians(double t, std::span<const double> x,
                                    std::span<const double> xdot) {
  for (std::uint32_t b = 0; b < n_vertices(); ++b) {
    if (const auto e = jacobian(b, t, x, xdot, df_dx(b), df_dxdot(b)); !e) return e;
  }
  return Evaluation::ok();
}

}  // namespace saltus::detail
