#include "slide/dae/copied_form.hpp"

#include <algorithm>

namespace saltus::detail {

CopiedForm::CopiedForm(const MixedLayout& layout, BaseAtSides& base, MixedPoint& point)
    : layout_(layout),
      base_(base),
      point_(point),
      offset_(static_cast<std::size_t>(layout.n) * base.sides.n_vertices(), 0.0),
      x_(layout.n),
      xdot_(layout.n) {}

/// A block holds x' of states and x of others, up to the offset.
VertexForm::Seen CopiedForm::at(std::uint32_t vertex, std::span<const double> x) {
  const std::size_t n = layout_.n;
  const auto block = x.subspan(layout_.block(vertex), n);
  const auto is_state = point_.is_state();
  for (std::size_t j = 0; j < n; ++j) {
    const double own = block[j] + offset_[vertex * n + j];
    x_[j] = is_state[j] != 0 ? x[j] : own;
    xdot_[j] = is_state[j] != 0 ? own : 0.0;
  }
  return {x_, xdot_};
}

Evaluation CopiedForm::rows(double t, std::span<const double> x, std::span<const double> xdot,
                            std::span<double> f) {
  const std::size_t n = layout_.n;
  const auto is_state = point_.is_state();
  for (std::size_t j = 0; j < n; ++j) {
    if (is_state[j] == 0) {
      f[j] = x[j];
    } else {
      f[j] = point_.surface_of(j) == MixedPoint::no_surface ? xdot[j] : point_.xdot()[j];
    }
  }
  for (std::uint32_t b = 0; b < base_.sides.n_vertices(); ++b) {
    const Seen seen = at(b, x);
    const auto rows = f.subspan(layout_.block(b), n);
    const Evaluation done = base_.equations.residual(b, t, seen.x, seen.xdot, rows);
    if (!done) return done;
    for (std::size_t j = 0; j < n; ++j) {
      f[j] -= point_.weights()[b] * (is_state[j] != 0 ? xdot_[j] : x_[j]);
    }
  }
  return Evaluation::ok();
}

Evaluation CopiedForm::jacobian(double t, std::span<const double> x, std::span<double> df_dx,
                                std::span<double> df_dxdot) {
  const std::size_t n = layout_.n;
  const CscPattern& p = base_.system.pattern();
  const auto nnz = static_cast<std::size_t>(p.nnz());
  const auto is_state = point_.is_state();
  SideEquations& equations = base_.equations;
  for (std::size_t j = 0; j < n; ++j) {
    if (is_state[j] == 0) {
      df_dx[layout_.mixed[j]] += 1.0;
    } else if (point_.surface_of(j) == MixedPoint::no_surface) {
      df_dxdot[layout_.mixed[j]] += 1.0;
    } else {
      df_dxdot[layout_.by_p[point_.surface_of(j) * n + j]] += 1.0;
    }
  }
  for (std::uint32_t b = 0; b < base_.sides.n_vertices(); ++b) {
    const Seen seen = at(b, x);
    const auto by_x = equations.df_dx(b), by_xdot = equations.df_dxdot(b);
    if (const auto e = equations.jacobian(b, t, seen.x, seen.xdot, by_x, by_xdot); !e) return e;
    for (std::size_t j = 0; j < n; ++j) {
      const double own = is_state[j] != 0 ? xdot_[j] : x_[j];
      df_dx[layout_.mean[b * n + j]] -= point_.weights()[b];
      for (std::uint32_t k = 0; k < layout_.z; ++k) {
        df_dxdot[layout_.by_u[k * n + j]] -= weight_slope(point_.u(), b, k) * own;
      }
      const auto end = static_cast<std::size_t>(p.column_start[j + 1]);
      for (auto s = static_cast<std::size_t>(p.column_start[j]); s < end; ++s) {
        const std::size_t slot = b * nnz + s;
        if (is_state[j] != 0) {
          df_dx[layout_.in_x[slot]] += by_x[s];
          df_dx[layout_.in_block[slot]] += by_xdot[s];
        } else {
          df_dx[layout_.in_block[slot]] += by_x[s];
        }
      }
    }
  }
  return Evaluation::ok();
}

bool CopiedForm::change_meaning(std::span<const double> x) {
  const auto now = states_of(base_.system, *base_.workspace), before = point_.is_state();
  if (std::equal(now.begin(), now.end(), before.begin())) return false;
  const std::size_t n = layout_.n;
  for (std::uint32_t b = 0; b < base_.sides.n_vertices(); ++b) {
    at(b, x);
    for (std::size_t j = 0; j < n; ++j) {
      if (now[j] == before[j]) continue;
      const double own = x[layout_.block(b) + j];
      const std::uint32_t motion = layout_.motion[j];
      // A derivative that is not known as an unknown is that of the mixture.
      const double rate = motion < n ? x_[motion] : point_.xdot()[j];
      offset_[b * n + j] = (now[j] != 0 ? rate : x_[j]) - own;
    }
  }
  point_.set_states(now);
  return true;
}

}  // namespace saltus::detail
