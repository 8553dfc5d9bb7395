#include "sensitivity/computed_variables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/system/directions.hpp>

namespace saltus::detail {

ComputedVariables::ComputedVariables(const System& system, std::uint32_t n_columns)
    : system_(system), n_columns_(n_columns) {
  const VariableMap& map = system.variable_map();
  const auto n = static_cast<std::uint32_t>(map.variables().size());
  for (std::uint32_t v = 0; v < n; ++v)
    if (map.present(v) && !map.unknown(v)) variables_.push_back(v);
  if (!any()) return;
  found_.resize(variables_.size());
  for (auto* values : {&x_, &xdot_, &x_moved_, &xdot_moved_}) values->resize(system.size());
  for (auto* values : {&s_, &sdot_}) values->resize(std::size_t{system.size()} * n_columns);
  for (auto* values : {&up_, &down_}) values->resize(n);
}

void ComputedVariables::fit(Workspace& workspace, const FollowedPath& solution,
                            const StepPolynomial& s, double rtol, std::span<const double> scales) {
  known_.assign(variables_.size(), 1);
  const auto point = [&](double t) {
    solution.state_at(t, x_);
    solution.derivative_at(t, xdot_);
    s.state_at(t, s_);
    s.derivative_at(t, sdot_);
  };
  allowed_.assign(variables_.size() * n_columns_, 0.0);
  for (const double t : {s.t_left, s.t_right}) {
    point(t);
    std::ranges::fill(up_, 0.0);
    (void)system_.variable_map().values(workspace, t, x_, xdot_, up_);
    for (std::size_t e = 0; e < allowed_.size(); ++e) {
      const double size = std::abs(up_[variables_[e / n_columns_]]);
      if (std::isfinite(size))
        allowed_[e] = std::max(allowed_[e], rtol * size / scales[e % n_columns_]);
    }
  }
  const auto derivatives_at = [&](double t, std::span<double> values) {
    point(t);
    for (std::size_t k = 0; k < n_columns_; ++k) {
      differentiate(workspace, t, k, found_);
      for (std::size_t j = 0; j < found_.size(); ++j) {
        if (!std::isfinite(found_[j])) known_[j] = 0;
        values[j * n_columns_ + k] = known_[j] ? found_[j] : 0.0;
      }
    }
    return true;
  };
  constexpr int degree = 3;  // that of S
  (void)pieces_.fit(s.t_left, s.t_right, degree, rtol, allowed_, derivatives_at);
}

void ComputedVariables::differentiate(Workspace& workspace, double t, std::size_t column,
                                      std::span<double> into) {
  if (auto* exact = workspace.ability<OutputDirections>()) {
    for (std::uint32_t i = 0; i < system_.size(); ++i) {
      x_moved_[i] = s_[i * std::size_t{n_columns_} + column];
      xdot_moved_[i] = sdot_[i * std::size_t{n_columns_} + column];
    }
    if (exact->along(t, x_, xdot_, {0.0, x_moved_, xdot_moved_}, up_)) {
      for (std::size_t j = 0; j < variables_.size(); ++j) into[j] = up_[variables_[j]];
      return;
    }
  }
  // eps^(1/3) of the size of what moves
  constexpr double part = 6e-6;
  double largest = 0.0;
  for (std::uint32_t i = 0; i < system_.size(); ++i) {
    const double nominal = system_.nominal(i);
    const std::size_t e = i * std::size_t{n_columns_} + column;
    largest = std::max({largest, std::abs(s_[e]) / std::max(std::abs(x_[i]), nominal),
                        std::abs(sdot_[e]) / std::max(std::abs(xdot_[i]), nominal)});
  }
  std::ranges::fill(into, 0.0);
  if (largest == 0) return;
  const double move = part / largest;
  const VariableMap& map = system_.variable_map();
  for (const bool is_up : {true, false}) {
    const double by = is_up ? move : -move;
    for (std::uint32_t i = 0; i < system_.size(); ++i) {
      const std::size_t e = i * std::size_t{n_columns_} + column;
      x_moved_[i] = x_[i] + by * s_[e];
      xdot_moved_[i] = xdot_[i] + by * sdot_[e];
    }
    std::vector<double>& values = is_up ? up_ : down_;
    // What cannot be evaluated is no number, or was not written: told apart one by one.
    std::ranges::fill(values, std::numeric_limits<double>::quiet_NaN());
    (void)map.values(workspace, t, x_moved_, xdot_moved_, values);
  }
  for (std::size_t j = 0; j < variables_.size(); ++j)
    into[j] = (up_[variables_[j]] - down_[variables_[j]]) / (2 * move);
}

std::vector<std::optional<double>> ComputedVariables::rates(const FollowedPoint& at,
                                                            const MotionAtEvent& motion) {
  const VariableMap& map = system_.variable_map();
  const auto values_at = [&](double by, double by_unknown_rates, std::vector<double>& values) {
    for (std::uint32_t i = 0; i < system_.size(); ++i) {
      const bool known = motion.is_known && motion.integrated[i] != 0;
      x_moved_[i] = at.x[i] + by * motion.slope[i];
      xdot_moved_[i] = at.xdot[i] + (known ? by * motion.bend[i] : 0.0);
      if (!known) xdot_moved_[i] += by_unknown_rates * (std::abs(at.xdot[i]) + motion.nominal[i]);
    }
    std::ranges::fill(values, std::numeric_limits<double>::quiet_NaN());
    (void)map.values(at.workspace, at.t + by, x_moved_, xdot_moved_, values);
  };
  constexpr double part = 6e-6;  // eps^(1/3)
  double step = part * std::max(std::abs(at.t), motion.time_scale);
  for (std::size_t i = 0; i < at.x.size(); ++i) {
    const double allowed = part * (std::abs(at.x[i]) + motion.nominal[i]);
    if (std::abs(motion.slope[i]) * step > allowed) step = allowed / std::abs(motion.slope[i]);
  }
  std::vector<double> here(up_.size()), elsewhere(up_.size());
  values_at(0.0, 0.0, here);
  values_at(0.0, part, elsewhere);
  values_at(step, 0.0, up_);
  values_at(-step, 0.0, down_);
  for (std::size_t v = 0; v < up_.size(); ++v) up_[v] = (up_[v] - down_[v]) / (2 * step);
  if (auto* exact = at.workspace.ability<OutputDirections>()) {
    std::vector<double> bend(at.x.size(), 0.0);
    for (std::size_t i = 0; i < bend.size(); ++i)
      if (motion.is_known && motion.integrated[i] != 0) bend[i] = motion.bend[i];
    (void)exact->along(at.t, at.x, at.xdot, {1.0, motion.slope, bend}, up_);
  }
  std::vector<std::optional<double>> found;
  for (const std::uint32_t v : variables_) {
    const double rate = up_[v];
    const bool known = std::isfinite(rate) && here[v] == elsewhere[v];
    found.push_back(known ? std::optional(rate) : std::nullopt);
  }
  return found;
}

}  // namespace saltus::detail
