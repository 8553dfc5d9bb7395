#include "sensitivity/computed_variables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace saltus::detail {

namespace {

constexpr std::size_t n_samples = 4;

/// Values at 0, 1/3, 2/3 and 1 become coefficients of the cubic through them.
void interpolate_cubic(double& a, double& b, double& c, double& d) {
  const double y0 = a, y1 = b, y2 = c, y3 = d;
  b = (-11 * y0 + 18 * y1 - 9 * y2 + 2 * y3) / 2;
  c = 9 * (2 * y0 - 5 * y1 + 4 * y2 - y3) / 2;
  d = 9 * (-y0 + 3 * y1 - 3 * y2 + y3) / 2;
}

}  // namespace

ComputedVariables::ComputedVariables(const System& system, std::uint32_t n_columns)
    : system_(system), n_columns_(n_columns) {
  const VariableMap& map = system.variable_map();
  const auto n = static_cast<std::uint32_t>(map.variables().size());
  for (std::uint32_t v = 0; v < n; ++v)
    if (map.present(v) && !map.unknown(v)) variables_.push_back(v);
  if (!any()) return;
  samples_.resize(n_samples * variables_.size() * n_columns);
  for (auto* values : {&x_, &xdot_, &x_moved_, &xdot_moved_}) values->resize(system.size());
  for (auto* values : {&s_, &sdot_}) values->resize(std::size_t{system.size()} * n_columns);
  for (auto* values : {&up_, &down_}) values->resize(n);
}

void ComputedVariables::sample(Workspace& workspace, const FollowedPath& solution,
                               const StepPolynomial& s) {
  known_.assign(variables_.size(), 1);
  const std::size_t m = variables_.size() * n_columns_;
  std::vector<double> found(variables_.size());
  for (std::size_t at = 0; at < n_samples; ++at) {
    const double part = static_cast<double>(at) / (n_samples - 1);
    const double t = at + 1 == n_samples ? s.t_right : s.t_left + part * (s.t_right - s.t_left);
    solution.state_at(t, x_);
    solution.derivative_at(t, xdot_);
    s.state_at(t, s_);
    s.derivative_at(t, sdot_);
    for (std::size_t k = 0; k < n_columns_; ++k) {
      differentiate(workspace, t, k, found);
      for (std::size_t j = 0; j < found.size(); ++j) {
        if (!std::isfinite(found[j])) known_[j] = 0;
        samples_[at * m + j * n_columns_ + k] = known_[j] ? found[j] : 0.0;
      }
    }
  }
  for (std::size_t e = 0; e < m; ++e)
    interpolate_cubic(samples_[e], samples_[m + e], samples_[2 * m + e], samples_[3 * m + e]);
}

void ComputedVariables::differentiate(Workspace& workspace, double t, std::size_t column,
                                      std::span<double> into) {
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

}  // namespace saltus::detail
