#include "slide/dae/motion_attraction.hpp"

#include <algorithm>

namespace saltus::detail {

MotionAttraction::MotionAttraction(const MixedLayout& layout, BaseAtSides& base, VertexForm& form,
                                   MixedPoint& point)
    : layout_(layout),
      base_(base),
      form_(form),
      point_(point),
      solver_(base.system.pattern(), LinearSolverKind::automatic),
      rows_(static_cast<std::size_t>(layout.z) * layout.n) {}

Evaluation MotionAttraction::attraction(double t, std::span<const double> x,
                                        std::span<const double> xdot, std::span<double> matrix) {
  const std::size_t n = layout_.n, z = layout_.z;
  const auto nnz = static_cast<std::size_t>(base_.system.pattern().nnz());
  point_.load(x, xdot);
  std::fill(matrix.begin(), matrix.end(), 0.0);
  mean_by_x_.assign(nnz, 0.0);
  mean_by_xdot_.assign(nnz, 0.0);
  by_multiplier_.assign(z * n, 0.0);
  for (std::uint32_t b = 0; b < base_.sides.n_vertices(); ++b) {
    if (const auto e = add_vertex(b, t, x); !e) return e;
  }
  if (const auto e = reduce_gradients(t, x.first(n)); !e) return e;
  if (!layout_.has_copies && !solve_for_motions()) return Evaluation::out_of_domain(0);
  for (std::size_t k = 0; k < z; ++k) {
    for (std::size_t l = 0; l < z; ++l) {
      for (std::size_t j = 0; j < n; ++j) {
        if (point_.is_state()[j] != 0)
          matrix[k * z + l] += rows_[k * n + j] * by_multiplier_[l * n + j];
      }
    }
  }
  return Evaluation::ok();
}

/// What a vertex contributes to the mean Jacobian, and to dF/du or the motions themselves.
Evaluation MotionAttraction::add_vertex(std::uint32_t vertex, double t, std::span<const double> x) {
  const std::size_t n = layout_.n;
  SideEquations& equations = base_.equations;
  const VertexForm::Seen seen = form_.at(vertex, x);
  const auto by_x = equations.df_dx(vertex), by_xdot = equations.df_dxdot(vertex);
  if (const auto e = equations.jacobian(vertex, t, seen.x, seen.xdot, by_x, by_xdot); !e) return e;
  const auto f = equations.residual(vertex);
  // What an engine's iteration evaluated last is as good: this is looked at for its size and its sign.
  if (!layout_.has_copies && !equations.residual_nearby(vertex, t, seen.x, seen.xdot, f)) {
    if (const auto e = equations.residual(vertex, t, seen.x, seen.xdot, f); !e) return e;
  }
  const double weight = point_.weights()[vertex];
  for (std::size_t s = 0; s < mean_by_x_.size(); ++s) {
    mean_by_x_[s] += weight * by_x[s];
    mean_by_xdot_[s] += weight * by_xdot[s];
  }
  for (std::uint32_t l = 0; l < layout_.z; ++l) {
    const double slope = weight_slope(point_.u(), vertex, l);
    for (std::size_t j = 0; j < n; ++j) {
      by_multiplier_[l * n + j] +=
          slope * (layout_.has_copies ? -seen.xdot[j] / base_.surfaces.nominal()[j] : f[j]);
    }
  }
  return Evaluation::ok();
}

/// rows_: the gradients of surfaces by states.
Evaluation MotionAttraction::reduce_gradients(double t, std::span<const double> x) {
  const std::size_t n = layout_.n;
  SurfaceFunctions& surfaces = base_.surfaces;
  if (const auto e = surfaces.gradients(t, x, point_.velocity()); !e) return e;
  base_.gradients.set_jacobian(mean_by_x_, mean_by_xdot_);
  for (std::uint32_t k = 0; k < layout_.z; ++k) {
    const auto row = std::span(rows_).subspan(k * n, n);
    std::copy(surfaces.gradient(k).begin(), surfaces.gradient(k).end(), row.begin());
    if (!base_.gradients.reduce(point_.is_state(), row)) return Evaluation::out_of_domain(0);
  }
  return Evaluation::ok();
}

/// by_multiplier_: from dF/du to -d(x', y)/du in nominal units.
bool MotionAttraction::solve_for_motions() {
  const CscPattern& p = base_.system.pattern();
  matrix_.resize(mean_by_x_.size());
  for (std::size_t j = 0; j < layout_.n; ++j) {
    const std::vector<double>& part = point_.is_state()[j] != 0 ? mean_by_xdot_ : mean_by_x_;
    const auto end = static_cast<std::size_t>(p.column_start[j + 1]);
    for (auto s = static_cast<std::size_t>(p.column_start[j]); s < end; ++s) {
      matrix_[s] = part[s] * base_.surfaces.nominal()[j];
    }
  }
  if (!solver_.factor(matrix_)) return false;
  for (std::uint32_t l = 0; l < layout_.z; ++l) {
    solver_.solve(std::span(by_multiplier_).subspan(std::size_t{l} * layout_.n, layout_.n));
  }
  return true;
}

}  // namespace saltus::detail
