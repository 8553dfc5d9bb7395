// Evaluation of the form with copies: every vertex has motions and unknowns without derivative of its own.
#include <algorithm>

#include "slide/sliding_dae.hpp"

namespace saltus::detail {

namespace {

constexpr std::uint32_t not_a_pivot = MixedLayout::none;

}  // namespace

/// A block holds x' of states and x of others, up to what was added when a choice of states changed.
void SlidingDaeWorkspace::load_copy(std::uint32_t vertex, std::span<const double> x) {
  const std::size_t n = layout_.n;
  const auto block = x.subspan(layout_.block(vertex), n);
  for (std::size_t j = 0; j < n; ++j) {
    const double own = block[j] + copy_offset_[vertex * n + j];
    copy_x_[j] = is_state_[j] != 0 ? x[j] : own;
    copy_xdot_[j] = is_state_[j] != 0 ? own : 0.0;
  }
}

Evaluation SlidingDaeWorkspace::copied_rows(double t, std::span<const double> x,
                                            std::span<const double> xdot, std::span<double> f) {
  const std::size_t n = layout_.n;
  for (std::size_t j = 0; j < n; ++j) {
    if (is_state_[j] == 0) {
      f[j] = x[j];
    } else {
      f[j] = pivot_of_[j] == not_a_pivot ? xdot[j] : xhat_[j];
    }
  }
  for (std::uint32_t b = 0; b < sides_.n_vertices(); ++b) {
    load_copy(b, x);
    const auto rows = f.subspan(layout_.block(b), n);
    const Evaluation done = equations_.residual(b, t, copy_x_, copy_xdot_, rows);
    if (!done) return done;
    for (std::size_t j = 0; j < n; ++j) {
      f[j] -= w_[b] * (is_state_[j] != 0 ? copy_xdot_[j] : copy_x_[j]);
    }
  }
  return Evaluation::ok();
}

Evaluation SlidingDaeWorkspace::copied_jacobian(double t, std::span<const double> x,
                                                std::span<double> df_dx,
                                                std::span<double> df_dxdot) {
  const std::size_t n = layout_.n;
  const CscPattern& p = system_.base().system->pattern();
  const auto nnz = static_cast<std::size_t>(p.nnz());
  for (std::size_t j = 0; j < n; ++j) {
    if (is_state_[j] == 0) {
      df_dx[layout_.mixed[j]] += 1.0;
    } else if (pivot_of_[j] == not_a_pivot) {
      df_dxdot[layout_.mixed[j]] += 1.0;
    } else {
      df_dxdot[layout_.by_p[pivot_of_[j] * n + j]] += 1.0;
    }
  }
  for (std::uint32_t b = 0; b < sides_.n_vertices(); ++b) {
    load_copy(b, x);
    const auto by_x = equations_.df_dx(b), by_xdot = equations_.df_dxdot(b);
    if (const auto e = equations_.jacobian(b, t, copy_x_, copy_xdot_, by_x, by_xdot); !e) return e;
    for (std::size_t j = 0; j < n; ++j) {
      const double own = is_state_[j] != 0 ? copy_xdot_[j] : copy_x_[j];
      df_dx[layout_.mean[b * n + j]] -= w_[b];
      for (std::uint32_t k = 0; k < layout_.z; ++k) {
        df_dxdot[layout_.by_u[k * n + j]] -= weight_slope(u_, b, k) * own;
      }
      const auto end = static_cast<std::size_t>(p.column_start[j + 1]);
      for (auto s = static_cast<std::size_t>(p.column_start[j]); s < end; ++s) {
        const std::size_t at = b * nnz + s;
        if (is_state_[j] != 0) {
          df_dx[layout_.in_x[at]] += by_x[s];
          df_dx[layout_.in_block[at]] += by_xdot[s];
        } else {
          df_dx[layout_.in_block[at]] += by_x[s];
        }
      }
    }
  }
  return Evaluation::ok();
}

/// Where the base now integrates others, unknowns of blocks stand for something else; they keep their
/// values, so that the point remains one of the solution. True if any does.
bool SlidingDaeWorkspace::copies_change_meaning(std::span<const double> x) {
  if (!layout_.has_copies) return false;
  const auto now = states_of(*system_.base().system, *raw_);
  if (std::equal(now.begin(), now.end(), is_state_.begin())) return false;
  const std::size_t n = layout_.n;
  for (std::uint32_t b = 0; b < sides_.n_vertices(); ++b) {
    load_copy(b, x);
    for (std::size_t j = 0; j < n; ++j) {
      if (now[j] == is_state_[j]) continue;
      const double own = x[layout_.block(b) + j];
      const std::uint32_t motion = layout_.motion[j];
      // A derivative that is not known as an unknown is that of the mixture.
      const double rate = motion < n ? copy_x_[motion] : xhat_[j];
      copy_offset_[b * n + j] = (now[j] != 0 ? rate : copy_x_[j]) - own;
    }
  }
  is_state_.assign(now.begin(), now.end());
  return true;
}

}  // namespace saltus::detail
