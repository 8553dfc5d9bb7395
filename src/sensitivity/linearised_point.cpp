#include "sensitivity/linearised_point.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/system/abilities.hpp>

namespace saltus::detail {

std::vector<std::uint8_t> integrated_unknowns(const System& system, Workspace& workspace) {
  const auto* choice = workspace.ability<ChosenStates>();
  const auto flags = choice != nullptr ? choice->chosen() : system.carries_derivative();
  std::vector<std::uint8_t> integrated(flags.begin(), flags.end());
  if (choice == nullptr) return integrated;
  // What occurs by its derivative only has no value that others depend on.
  const auto stand_ins = choice->stand_ins();
  for (std::size_t i = 0; i < stand_ins.size(); ++i)
    if (stand_ins[i] != 0) integrated[i] = 1;
  return integrated;
}

LinearisedPoint::LinearisedPoint(const FollowedPoint& point, std::vector<std::uint8_t> integrated)
    : system_(point.system), integrated_(std::move(integrated)) {}

std::optional<LinearisedPoint> LinearisedPoint::at(const FollowedPoint& point) {
  LinearisedPoint made(point, integrated_unknowns(point.system, point.workspace));
  const CscPattern& p = point.system.pattern();
  const auto nnz = static_cast<std::size_t>(p.nnz());
  std::vector<double> of_xdot(nnz);
  made.of_x_.resize(nnz);
  if (!point.workspace.jacobian(point.t, point.x, point.xdot, made.of_x_, of_xdot))
    return std::nullopt;
  std::vector<double> matrix(nnz);
  for (std::size_t i = 0; i < point.x.size(); ++i) {
    for (auto s = static_cast<std::size_t>(p.column_start[i]);
         s < static_cast<std::size_t>(p.column_start[i + 1]); ++s) {
      if (made.integrated_[i] == 0 && of_xdot[s] != 0) return std::nullopt;
      matrix[s] = made.integrated_[i] != 0 ? of_xdot[s] : made.of_x_[s];
    }
  }
  made.solver_ = std::make_unique<LinearSolver<double>>(p, LinearSolverKind::automatic);
  if (!made.solver_->factor(matrix)) return std::nullopt;
  made.right_.resize(point.x.size());
  if (!made.find_slopes(point)) return std::nullopt;
  return made;
}

bool LinearisedPoint::find_slopes(const FollowedPoint& point) {
  slopes_.assign(point.xdot.begin(), point.xdot.end());
  if (!point.workspace.residual(point.t, point.x, point.xdot, right_)) return false;
  solver_->solve(right_);
  distance_ = 0.0;
  for (std::size_t i = 0; i < slopes_.size(); ++i) {
    const double size = std::abs(integrated_[i] != 0 ? slopes_[i] : point.x[i]);
    distance_ = std::max(
        distance_, std::abs(right_[i]) / (size + system_.nominal(static_cast<std::uint32_t>(i))));
    if (integrated_[i] != 0) slopes_[i] -= right_[i];
  }
  return std::all_of(slopes_.begin(), slopes_.end(), [](double v) { return std::isfinite(v); });
}

void LinearisedPoint::complete(std::span<double> s, std::span<double> sdot, std::size_t n_columns) {
  const CscPattern& p = system_.pattern();
  const std::size_t n = integrated_.size();
  for (std::size_t k = 0; k < n_columns; ++k) {
    std::fill(right_.begin(), right_.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      if (integrated_[i] == 0) continue;
      for (auto e = static_cast<std::size_t>(p.column_start[i]);
           e < static_cast<std::size_t>(p.column_start[i + 1]); ++e)
        right_[static_cast<std::size_t>(p.row[e])] -= of_x_[e] * s[i * n_columns + k];
    }
    solver_->solve(right_);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t e = i * n_columns + k;
      sdot[e] = integrated_[i] != 0 ? right_[i] : 0.0;
      if (integrated_[i] == 0) s[e] = right_[i];
    }
  }
}

/// F_t + F_xd x'_d: exactly where the system knows its derivatives, else by central differences in time.
bool LinearisedPoint::rate_at_rest(const FollowedPoint& point, double time_scale) {
  const std::size_t n = integrated_.size();
  if (auto* levels = point.workspace.ability<DerivativeLevels<double>>()) {
    std::vector<double> path(3 * n, 0.0), f(2 * n);
    for (std::size_t i = 0; i < n; ++i) {
      path[i] = point.x[i];
      path[n + i] = integrated_[i] != 0 ? slopes_[i] : 0.0;
    }
    if (!levels->residuals(point.t, path, 1, f)) return false;
    std::copy_n(f.begin() + static_cast<std::ptrdiff_t>(n), n, right_.begin());
    return true;
  }
  // Errors are of the size of the square of this part, and of eps over it.
  constexpr double part = 1e-4;
  const double step = part * time_scale;
  std::vector<double> before(n), after(n);
  if (!point.workspace.residual(point.t - step, point.x, slopes_, before) ||
      !point.workspace.residual(point.t + step, point.x, slopes_, after))
    return false;
  for (std::size_t i = 0; i < n; ++i) right_[i] = (after[i] - before[i]) / (2 * step);
  const CscPattern& p = system_.pattern();
  for (std::size_t i = 0; i < n; ++i) {
    if (integrated_[i] == 0) continue;
    for (auto e = static_cast<std::size_t>(p.column_start[i]);
         e < static_cast<std::size_t>(p.column_start[i + 1]); ++e)
      right_[static_cast<std::size_t>(p.row[e])] += of_x_[e] * slopes_[i];
  }
  return true;
}

std::optional<SecondDerivatives> LinearisedPoint::along_time(const FollowedPoint& point,
                                                             double time_scale) {
  if (!rate_at_rest(point, time_scale)) return std::nullopt;
  for (double& r : right_) r = -r;
  solver_->solve(right_);
  SecondDerivatives found{slopes_, std::vector<double>(integrated_.size(), 0.0)};
  for (std::size_t i = 0; i < integrated_.size(); ++i)
    (integrated_[i] != 0 ? found.bend : found.slope)[i] = right_[i];
  return found;
}

}  // namespace saltus::detail
