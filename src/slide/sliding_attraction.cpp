// How fast surfaces attract in the forms that are DAEs.
#include <algorithm>

#include "slide/sliding_dae.hpp"

namespace saltus::detail {

Evaluation SlidingDaeWorkspace::reduce_gradients(double t, std::span<const double> x,
                                                 std::span<const double> by_x,
                                                 std::span<const double> by_xdot) {
  const std::size_t n = layout_.n;
  if (const auto e = surfaces_.gradients(t, x, velocity_); !e) return e;
  state_gradients_.set_jacobian(by_x, by_xdot);
  for (std::uint32_t k = 0; k < layout_.z; ++k) {
    const auto row = std::span(rows_).subspan(k * n, n);
    std::copy(surfaces_.gradient(k).begin(), surfaces_.gradient(k).end(), row.begin());
    if (!state_gradients_.reduce(is_state_, row)) return Evaluation::out_of_domain(0);
  }
  return Evaluation::ok();
}

/// Normal velocities are w_k . x' by states (StateGradients). Motions of copies are there; those of mixed
/// equations change by dF/d(x', y) d(x', y)/du = -dF/du.
Evaluation SlidingDaeWorkspace::attraction(double t, std::span<const double> x,
                                           std::span<const double> xdot, std::span<double> matrix) {
  const std::size_t n = layout_.n, z = layout_.z;
  const auto nnz = static_cast<std::size_t>(system_.base().system->pattern().nnz());
  load(x, xdot);
  std::fill(matrix.begin(), matrix.end(), 0.0);
  mean_by_x_.assign(nnz, 0.0);
  mean_by_xdot_.assign(nnz, 0.0);
  by_multiplier_.assign(z * n, 0.0);
  for (std::uint32_t b = 0; b < sides_.n_vertices(); ++b) {
    if (layout_.has_copies) load_copy(b, x);
    const auto at = layout_.has_copies ? std::span<const double>(copy_x_) : x.first(n);
    const auto& motion = layout_.has_copies ? copy_xdot_ : xhat_;
    const auto by_x = equations_.df_dx(b), by_xdot = equations_.df_dxdot(b);
    if (const auto e = equations_.jacobian(b, t, at, motion, by_x, by_xdot); !e) return e;
    const auto f = equations_.residual(b);
    // What an engine's iteration evaluated last is as good: this is looked at for its size and its sign.
    if (!layout_.has_copies && !equations_.residual_nearby(b, t, at, motion, f)) {
      if (const auto e = equations_.residual(b, t, at, motion, f); !e) return e;
    }
    for (std::size_t s = 0; s < nnz; ++s) {
      mean_by_x_[s] += w_[b] * by_x[s];
      mean_by_xdot_[s] += w_[b] * by_xdot[s];
    }
    for (std::uint32_t l = 0; l < z; ++l) {
      const double slope = weight_slope(u_, b, l);
      for (std::size_t j = 0; j < n; ++j) {
        by_multiplier_[l * n + j] +=
            slope * (layout_.has_copies ? -copy_xdot_[j] / surfaces_.nominal()[j] : f[j]);
      }
    }
  }
  if (const auto e = reduce_gradients(t, x.first(n), mean_by_x_, mean_by_xdot_); !e) return e;
  if (!layout_.has_copies && !solve_for_motions()) return Evaluation::out_of_domain(0);
  for (std::size_t k = 0; k < z; ++k) {
    for (std::size_t l = 0; l < z; ++l) {
      for (std::size_t j = 0; j < n; ++j) {
        if (is_state_[j] != 0) matrix[k * z + l] += rows_[k * n + j] * by_multiplier_[l * n + j];
      }
    }
  }
  return Evaluation::ok();
}

/// by_multiplier_: from dF/du to -d(x', y)/du in nominal units.
bool SlidingDaeWorkspace::solve_for_motions() {
  const CscPattern& p = system_.base().system->pattern();
  base_matrix_.resize(mean_by_x_.size());
  for (std::size_t j = 0; j < layout_.n; ++j) {
    const std::vector<double>& part = is_state_[j] != 0 ? mean_by_xdot_ : mean_by_x_;
    const auto end = static_cast<std::size_t>(p.column_start[j + 1]);
    for (auto s = static_cast<std::size_t>(p.column_start[j]); s < end; ++s) {
      base_matrix_[s] = part[s] * surfaces_.nominal()[j];
    }
  }
  if (!base_solver_.factor(base_matrix_)) return false;
  for (std::uint32_t l = 0; l < layout_.z; ++l) {
    base_solver_.solve(std::span(by_multiplier_).subspan(l * layout_.n, layout_.n));
  }
  return true;
}

}  // namespace saltus::detail
