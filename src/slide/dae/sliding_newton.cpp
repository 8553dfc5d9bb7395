#include "slide/dae/sliding_newton.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::detail {

StatesKept::StatesKept(const System& system)
    : pattern_(system.pattern()),
      solver_(pattern_, LinearSolverKind::automatic),
      df_dx_(static_cast<std::size_t>(pattern_.nnz())),
      df_dxdot_(df_dx_.size()),
      matrix_(df_dx_.size()),
      f_(system.size()),
      x_(system.size()),
      xdot_(system.size()) {
  for (std::uint32_t j = 0; j < system.size(); ++j) nominal_.push_back(system.nominal(j));
}

bool StatesKept::factor(Workspace& workspace, std::span<const std::uint8_t> is_state, double t) {
  if (!workspace.jacobian(t, x_, xdot_, df_dx_, df_dxdot_)) return false;
  for (std::size_t j = 0; j < x_.size(); ++j) {
    const auto end = static_cast<std::size_t>(pattern_.column_start[j + 1]);
    for (auto s = static_cast<std::size_t>(pattern_.column_start[j]); s < end; ++s) {
      matrix_[s] = (is_state[j] != 0 ? df_dxdot_[s] : df_dx_[s]) * nominal_[j];
    }
  }
  was_singular_ = !solver_.factor(matrix_);
  return !was_singular_;
}

/// Its size in units of the unknowns.
double StatesKept::step(std::span<const std::uint8_t> is_state) {
  solver_.solve(f_);
  double size = 0.0;
  for (std::size_t j = 0; j < x_.size(); ++j) {
    double& value = is_state[j] != 0 ? xdot_[j] : x_[j];
    const double change = nominal_[j] * f_[j];
    size = std::max(size, std::abs(change) / std::max(nominal_[j], std::abs(value)));
    value -= change;
  }
  return size;
}

bool StatesKept::begin_slopes(Workspace& workspace, std::span<const std::uint8_t> is_state,
                              double t, std::span<const double> x, std::span<const double> xdot) {
  std::copy(x.begin(), x.end(), x_.begin());
  std::copy(xdot.begin(), xdot.end(), xdot_.begin());
  return factor(workspace, is_state, t);
}

void StatesKept::slope(std::uint32_t state, std::span<double> others) {
  std::fill(others.begin(), others.end(), 0.0);
  const auto end = static_cast<std::size_t>(pattern_.column_start[state + 1]);
  for (auto s = static_cast<std::size_t>(pattern_.column_start[state]); s < end; ++s) {
    others[static_cast<std::size_t>(pattern_.row[s])] = -df_dx_[s];
  }
  solver_.solve(others);
  for (std::size_t j = 0; j < others.size(); ++j) others[j] *= nominal_[j];
}

Evaluation StatesKept::solve(Workspace& workspace, std::span<const std::uint8_t> is_state, double t,
                             std::span<double> x, std::span<double> xdot, double& moved,
                             Accuracy accuracy) {
  constexpr int most_steps = 15;
  constexpr double settled = 1e-15, largest_rounding = 1e-8;
  constexpr double square_is_rounding = 1e-8;
  std::copy(x.begin(), x.end(), x_.begin());
  std::copy(xdot.begin(), xdot.end(), xdot_.begin());
  was_singular_ = false;
  double last = 0.0;
  for (int k = 0; k < most_steps; ++k) {
    // A new matrix while it is far, then the same one: rounding is reached in two or three steps.
    if (k == 0 || last > 1e-3) {
      if (!factor(workspace, is_state, t)) return Evaluation::out_of_domain(0);
    }
    if (const auto e = workspace.residual(t, x_, xdot_, f_); !e) return e;
    const double size = step(is_state);
    if (!std::isfinite(size)) return Evaluation::out_of_domain(0);
    const bool is_fresh = k == 0 || last > 1e-3;
    const bool is_last =
        accuracy == Accuracy::of_multipliers && is_fresh && size <= square_is_rounding;
    if (size <= settled || is_last || (k > 0 && size > 0.5 * last && size <= largest_rounding)) {
      moved = 0.0;
      for (std::size_t j = 0; j < x_.size(); ++j) {
        moved = std::max(moved, std::abs(x_[j] - x[j]) / nominal_[j]);
      }
      std::copy(x_.begin(), x_.end(), x.begin());
      std::copy(xdot_.begin(), xdot_.end(), xdot.begin());
      return Evaluation::ok();
    }
    last = size;
  }
  return Evaluation::out_of_domain(0);
}

}  // namespace saltus::detail
