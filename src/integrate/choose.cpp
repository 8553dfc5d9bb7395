#include <saltus/integrate/choose.hpp>

#include <cmath>

#include <saltus/core/text.hpp>
#include <saltus/system/abilities.hpp>

#include "integrate/elimination.hpp"
#include "integrate/stiffness_estimate.hpp"

// The numbers below were measured: docs/design/0005-engine-choice.md.

namespace saltus {

namespace {

// Explicit steps are limited by stability if accurate_step × radius exceeds this.
constexpr double stable_product = 3.0;
// A decaying system needs radius × (t_end - t) / 3.3 explicit steps, whatever the accuracy; up to
// this product they cost less than the steps of an implicit engine.
constexpr double affordable_product = 5000.0;
// dop853 beats dopri5 at and below this rtol, its continuous extension included.
constexpr double tight_rtol = 1e-8;
// radau factorises more often than ida; multiplications per unknown up to which it is still faster.
constexpr double cheap_elimination = 300.0;
constexpr std::uint32_t large = 2000;

std::string shortly(double value) {
  const double digits = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 1.0);
  return std::isfinite(digits) && digits > 0.0 ? to_text(std::round(value / digits) * digits)
                                               : to_text(value);
}

EngineChoice choose_implicit(const System& system, const EngineOptions& options,
                             const std::string& why) {
  // IDA takes no steps of fixed length.
  if (options.fixed_step > 0.0) return {EngineKind::radau, why + ", fixed steps"};
  const std::uint32_t n = system.size();
  if (n > large) {
    return {EngineKind::ida, why + ", large: " + std::to_string(n) + " unknowns"};
  }
  const double limit = cheap_elimination * n;
  if (detail::elimination_cost(system.pattern(), limit) <= limit) {
    return {EngineKind::radau, why + ", factors are cheap"};
  }
  return {EngineKind::ida, why + ", factors are expensive"};
}

}  // namespace

EngineChoice choose_engine(const System& system, Workspace& workspace, const EnginePoint& point,
                           double t_end, const EngineOptions& options) {
  if (workspace.ability<ExplicitForm>() == nullptr) {
    return choose_implicit(system, options, "a DAE");
  }
  const auto estimate = detail::estimate_stiffness(system, workspace, point, t_end, options);
  if (!estimate) return choose_implicit(system, options, "an ODE that cannot be probed");

  const double product = estimate->accurate_step * estimate->radius;
  if (product >= stable_product) {
    return choose_implicit(system, options, "a stiff ODE (h rho = " + shortly(product) + ")");
  }
  const double over_all = estimate->radius * std::abs(t_end - point.t);
  if (estimate->decays && over_all >= affordable_product) {
    return choose_implicit(system, options,
                           "a stiff ODE (rho (t_end - t) = " + shortly(over_all) + ")");
  }
  if (options.rtol <= tight_rtol) {
    return {EngineKind::dop853, "an ODE that is not stiff, tight tolerance"};
  }
  return {EngineKind::dopri5, "an ODE that is not stiff"};
}

EngineChoice choose_stiff_engine(const System& system, const EngineOptions& options) {
  return choose_implicit(system, options, "stiff");
}

}  // namespace saltus
