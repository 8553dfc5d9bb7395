#include "sensitivity/event_time.hpp"

#include <cmath>

#include <saltus/core/text.hpp>

#include "sensitivity/likely_errors.hpp"

namespace saltus::detail {

namespace {

/// Below this part of the sum of its terms the rate of a function is none: its surface is touched.
constexpr double grazing = 1e-6;
/// If g is off by its likely error, and g' changes by more than this part meanwhile, g' is not known.
constexpr double unknown_rate = 0.1;

}  // namespace

std::optional<std::vector<double>> time_derivatives(Columns& columns, const FollowedPoint& left,
                                                    const FollowedCrossing& crossing,
                                                    const MotionAtEvent& motion) {
  auto& functions = *left.workspace.ability<SwitchingFunctions>();
  const std::size_t p = columns.p();
  const std::string who = "'" + functions.info(crossing.which).name + "'";
  std::vector<double> tau(p, 0.0);
  if (functions.is_timed(crossing.which)) return tau;
  if (crossing.guarantee == Guarantee::marginal) {
    columns.end(left.t, who + " is touched or hardly crossed");
    return std::nullopt;
  }
  const CscPattern& pattern = functions.gradient_pattern();
  std::vector<double> g(functions.count()), rate(functions.count());
  std::vector<double> gradient(static_cast<std::size_t>(pattern.nnz()));
  FunctionAtEvent function(left, crossing.which, motion);
  const std::vector<double> x = function.on_surface();
  if (!functions.rates(left.t, x, motion.slope, g, rate) ||
      !functions.gradients(left.t, x, left.xdot, gradient)) {
    columns.end(left.t, who + " has no derivatives");
    return std::nullopt;
  }
  if (functions.info(crossing.which).kind == SwitchKind::exit) {
    const auto exact = function.rate_along();
    if (exact) rate[crossing.which] = *exact;
  }
  double along = 0.0, terms = 0.0, size = 0.0;  // of one tolerance of all unknowns
  for (std::size_t i = 0; i < left.x.size(); ++i) {
    for (auto s = static_cast<std::size_t>(pattern.column_start[i]);
         s < static_cast<std::size_t>(pattern.column_start[i + 1]); ++s) {
      if (static_cast<std::uint32_t>(pattern.row[s]) != crossing.which) continue;
      along += gradient[s] * motion.slope[i];
      terms += std::abs(gradient[s] * motion.slope[i]);
      size += std::abs(gradient[s]) * (columns.options.rtol * std::abs(left.x[i]) +
                                       columns.options.atol * columns.nominal[i]);
      for (std::size_t k = 0; k < p; ++k) tau[k] -= gradient[s] * columns.s[i * p + k];
    }
  }
  terms += std::abs(rate[crossing.which] - along);
  const auto by_derivatives = function.rates_by_derivatives();
  if (!by_derivatives) {
    columns.end(left.t, who + " contains derivatives whose own derivatives are not known");
    return std::nullopt;
  }
  for (std::size_t k = 0; k < p; ++k) tau[k] -= (*by_derivatives)[k];
  rate[crossing.which] += by_derivatives->back();
  terms += std::abs(by_derivatives->back());
  if (!(std::abs(rate[crossing.which]) > grazing * terms)) {
    columns.end(left.t,
                who +
                    " is touched along a tangent: its time has no derivative. Ask for earlier "
                    "times or choose values farther from touching");
    return std::nullopt;
  }
  if (const auto bend = function.curvature()) {
    // The part by which g' changes while g changes by its likely error; proportional to the tolerance.
    const double part = std::abs(*bend) * likely_error * size / std::pow(rate[crossing.which], 2);
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
  for (double& v : tau) v /= rate[crossing.which];
  return tau;
}

}  // namespace saltus::detail
