#include "sensitivity/event_time.hpp"

#include <cmath>
#include <limits>

#include <saltus/core/text.hpp>

#include "sensitivity/likely_errors.hpp"

namespace saltus::detail {

namespace {

/// Below this part of the sum of its terms the rate of a function is none: its surface is touched.
constexpr double grazing = 1e-6;
/// If g is off by its likely error, and g' changes by more than this part meanwhile, g' is not known.
constexpr double unknown_rate = 0.1;
/// Below this part of the sum of its terms a function stays on its surface: some terms are central differences.
constexpr double on_surface = 1e-6;

}  // namespace

double FunctionMotion::moved_off(std::size_t column, double tau) const {
  const double off = moved[column] + rate * tau;
  return std::abs(off) > on_surface * (sizes[column] + terms * std::abs(tau)) ? off : 0.0;
}

FunctionMotion motion_of(const Columns& columns, const FollowedPoint& at, std::uint32_t which,
                         const MotionAtEvent& motion) {
  auto& functions = *at.workspace.ability<SwitchingFunctions>();
  const std::size_t p = columns.p();
  FunctionMotion found;
  found.moved.assign(p, 0.0);
  found.sizes.assign(p, 0.0);
  const CscPattern& pattern = functions.gradient_pattern();
  std::vector<double> g(functions.count()), rate(functions.count());
  std::vector<double> gradient(static_cast<std::size_t>(pattern.nnz()));
  FunctionAtEvent function(at, which, motion);
  const std::vector<double> x = function.on_surface();
  if (!functions.evaluate_one(which, at.t, at.x, at.xdot, found.value) ||
      !functions.rates(at.t, x, motion.slope, g, rate) ||
      !functions.gradients(at.t, x, at.xdot, gradient)) {
    found.missing = "has no derivatives";
    return found;
  }
  found.rate = rate[which];
  if (functions.info(which).kind == SwitchKind::exit) {
    const auto exact = function.rate_along();
    if (exact) found.rate = *exact;
  }
  double along = 0.0;
  constexpr double few_digits = 16 * std::numeric_limits<double>::epsilon();
  for (std::size_t i = 0; i < at.x.size(); ++i) {
    for (auto s = static_cast<std::size_t>(pattern.column_start[i]);
         s < static_cast<std::size_t>(pattern.column_start[i + 1]); ++s) {
      if (static_cast<std::uint32_t>(pattern.row[s]) != which) continue;
      along += gradient[s] * motion.slope[i];
      found.terms += std::abs(gradient[s] * motion.slope[i]);
      if (!at.system.is_constant(static_cast<std::uint32_t>(i)))
        found.tolerance += std::abs(gradient[s]) * (columns.options.rtol * std::abs(at.x[i]) +
                                                    columns.options.atol * columns.nominal[i]);
      found.rounding +=
          few_digits * std::abs(gradient[s]) * (std::abs(at.x[i]) + columns.nominal[i]);
      for (std::size_t k = 0; k < p; ++k) {
        found.moved[k] += gradient[s] * columns.s[i * p + k];
        found.sizes[k] += std::abs(gradient[s] * columns.s[i * p + k]);
      }
    }
  }
  found.terms += std::abs(found.rate - along);
  const auto by_derivatives = function.rates_by_derivatives();
  if (!by_derivatives) {
    found.missing = "contains derivatives whose own derivatives are not known";
    return found;
  }
  for (std::size_t k = 0; k < p; ++k) {
    found.moved[k] += (*by_derivatives)[k];
    found.sizes[k] += std::abs((*by_derivatives)[k]);
  }
  found.rate += by_derivatives->back();
  found.terms += std::abs(by_derivatives->back());
  return found;
}

NextCrossings::NextCrossings(const Columns& columns, const FollowedPoint& at,
                             const MotionAtEvent& motion, double sense) {
  auto& functions = *at.workspace.ability<SwitchingFunctions>();
  const std::uint32_t n = functions.count();
  until_.assign(n, std::numeric_limits<double>::infinity());
  error_.assign(n, 0.0);
  const CscPattern& pattern = functions.gradient_pattern();
  std::vector<double> g(n), rate(n), gradient(static_cast<std::size_t>(pattern.nnz()));
  if (!functions.rates(at.t, at.x, motion.slope, g, rate) ||
      !functions.gradients(at.t, at.x, at.xdot, gradient))
    return;
  for (std::size_t i = 0; i < at.x.size(); ++i) {
    if (at.system.is_constant(static_cast<std::uint32_t>(i))) continue;
    const double tolerance =
        columns.options.rtol * std::abs(at.x[i]) + columns.options.atol * columns.nominal[i];
    for (auto s = static_cast<std::size_t>(pattern.column_start[i]);
         s < static_cast<std::size_t>(pattern.column_start[i + 1]); ++s)
      error_[static_cast<std::size_t>(pattern.row[s])] += std::abs(gradient[s]) * tolerance;
  }
  for (std::uint32_t w = 0; w < n; ++w) {
    const SwitchKind kind = functions.info(w).kind;
    const bool is_followed = (kind == SwitchKind::relation || kind == SwitchKind::exit) &&
                             functions.is_active(w) && rate[w] != 0;
    error_[w] = is_followed ? likely_error * error_[w] / std::abs(rate[w]) : 0.0;
    if (is_followed && sense * rate[w] * g[w] < 0) until_[w] = std::abs(g[w] / rate[w]);
  }
}

std::vector<std::uint32_t> NextCrossings::within(double error) const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t w = 0; w < until_.size(); ++w)
    if (until_[w] <= error + error_[w]) found.push_back(w);
  return found;
}

std::optional<std::vector<double>> time_derivatives(Columns& columns, const FollowedPoint& left,
                                                    const FollowedCrossing& crossing,
                                                    const MotionAtEvent& motion) {
  auto& functions = *left.workspace.ability<SwitchingFunctions>();
  const std::string who = "'" + functions.info(crossing.which).name + "'";
  std::vector<double> tau(columns.p(), 0.0);
  if (functions.is_timed(crossing.which)) return tau;
  if (crossing.guarantee == Guarantee::marginal) {
    columns.end(left.t, who + " is touched or hardly crossed");
    return std::nullopt;
  }
  const FunctionMotion g = motion_of(columns, left, crossing.which, motion);
  if (!g.missing.empty()) {
    columns.end(left.t, who + " " + g.missing);
    return std::nullopt;
  }
  if (!(std::abs(g.rate) > grazing * g.terms)) {
    columns.end(left.t, who +
                            " is touched along a tangent: its time has no derivative. Ask for "
                            "earlier times or choose values farther from touching");
    return std::nullopt;
  }
  if (const auto bend = FunctionAtEvent(left, crossing.which, motion).curvature()) {
    // The part by which g' changes while g changes by its likely error; proportional to the tolerance.
    const double part = std::abs(*bend) * likely_error * g.tolerance / std::pow(g.rate, 2);
    if (part > unknown_rate) {
      columns.end(left.t, who +
                              " is crossed so flatly that its rate is not known: an error of ten "
                              "tolerances changes it by " +
                              to_text(std::round(100 * part)) +
                              " %; derivatives need tolerances that are smaller by a factor of " +
                              to_text(std::ceil(part / unknown_rate)));
      return std::nullopt;
    }
  }
  for (std::size_t k = 0; k < tau.size(); ++k) tau[k] = -g.moved[k] / g.rate;
  return tau;
}

}  // namespace saltus::detail
