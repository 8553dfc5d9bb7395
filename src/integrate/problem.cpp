#include "integrate/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include <saltus/core/text.hpp>

namespace saltus::detail {

namespace {

// The row of a point that was refused before any equation was evaluated.
constexpr std::uint32_t no_row = std::numeric_limits<std::uint32_t>::max();

/// The reason is a text, or makes one: engines are made at every event, and reasons are hardly ever read.
template <class Reason>
void check(bool holds, const char* field, const Reason& reason) {
  if (holds) return;
  if constexpr (std::is_invocable_v<Reason>)
    throw OptionError(field, reason());
  else
    throw OptionError(field, reason);
}

}  // namespace

Problem::Problem(const System& system, Workspace& workspace, EngineOptions options)
    : system_(system),
      workspace_(workspace),
      options_(std::move(options)),
      n_(system.size()),
      explicit_form_(workspace.ability<ExplicitForm>()),
      projection_(workspace.ability<StepProjection>()),
      refresh_(workspace.ability<StepRefresh>()),
      exact_(workspace.ability<OutputProjection>()) {
  if (const auto* choice = workspace.ability<ChosenStates>()) {
    stand_ins_ = choice->stand_ins();
    const auto n_stand_ins = std::ranges::count(stand_ins_, 1);
    others_follow_stand_ins_ =
        n_stand_ins > 0 && std::ranges::count(choice->chosen(), 0) > n_stand_ins;
  }
  is_constant_.resize(n_);
  for (std::uint32_t i = 0; i < n_; ++i) is_constant_[i] = system.is_constant(i) ? 1 : 0;
  const auto n_constants = std::ranges::count(is_constant_, 1);
  if (n_constants == 0) is_constant_.clear();
  n_measured_ = std::max(static_cast<double>(n_) - static_cast<double>(n_constants), 1.0);
  if (system.n_equations() != n_) {
    throw ModelError("system",
                     "has " + std::to_string(system.n_equations()) + " equations for " +
                         std::to_string(n_) +
                         " unknowns: it has to be reduced before an engine can integrate it");
  }
  const EngineOptions& o = options_;
  check(o.rtol >= 0 && std::isfinite(o.rtol), "rtol", "must be finite and not negative");
  check(o.atol.size() == 1 || o.atol.size() == n_, "atol", [&] {
    return "has " + std::to_string(o.atol.size()) + " values; give one, or one for each of the " +
           std::to_string(n_) + " unknowns";
  });
  for (std::uint32_t i = 0; i < n_; ++i) {
    check(atol(i) >= 0 && std::isfinite(atol(i)), "atol",
          [&] { return "of " + system.unknown_name(i) + " must be finite and not negative"; });
    // Without an absolute part the weight is infinite where the unknown passes through zero.
    check(atol(i) > 0, "atol", [&] { return "of " + system.unknown_name(i) + " must be > 0"; });
  }
  check(o.initial_step >= 0 && std::isfinite(o.initial_step), "initial_step",
        "must be finite and not negative");
  check(o.min_step >= 0 && std::isfinite(o.min_step), "min_step",
        "must be finite and not negative");
  check(o.max_step > 0 && o.max_step >= o.min_step, "max_step", "must be > 0 and >= min_step");
  check(o.fixed_step >= 0 && std::isfinite(o.fixed_step), "fixed_step",
        "must be finite and not negative");
  check(o.max_order >= 1 && o.max_order <= 5, "max_order", "must be 1 to 5");
  check(o.non_negative.empty() || o.non_negative.size() == n_, "non_negative",
        "must name none or all of the unknowns");
}

bool Problem::refused(double t, std::span<const double> x) {
  if (!stage_check || stage_check(t, x)) return false;
  ++work.n_refused_points;
  trouble_ = Evaluation::out_of_domain(no_row);
  return true;
}

std::span<const double> Problem::without_negatives(std::span<const double> x, double floor) {
  if (options_.non_negative.empty()) return x;
  x_clipped_.assign(x.begin(), x.end());
  for (std::uint32_t i = 0; i < n_; ++i) {
    if (options_.non_negative[i] != 0) x_clipped_[i] = std::max(x_clipped_[i], floor * atol(i));
  }
  return x_clipped_;
}

Evaluation Problem::remember(Evaluation evaluation) {
  if (!evaluation) {
    ++work.n_refused_points;
    trouble_ = evaluation;
  }
  return evaluation;
}

// Where an equation cannot be evaluated because an unknown is negative that must not be, zero stands in
// for it. Where it can be, its smooth continuation is the better guide: with zeros everywhere,
// Newton's iteration meets a kink at each such unknown.
template <class Call>
Evaluation Problem::evaluated(std::span<const double> x, double floor, Call&& call) {
  const Evaluation plain = call(x);
  if (plain || options_.non_negative.empty() || plain.status() == Evaluation::Status::failed) {
    return remember(plain);
  }
  return remember(call(without_negatives(x, floor)));
}

Evaluation Problem::residual(double t, std::span<const double> x, std::span<const double> xdot,
                             std::span<double> f) {
  if (refused(t, x)) return trouble_;
  ++work.n_evaluations;
  return evaluated(x, 0.0, [&](auto at) { return workspace_.residual(t, at, xdot, f); });
}

Evaluation Problem::jacobian(double t, std::span<const double> x, std::span<const double> xdot,
                             std::span<double> df_dx, std::span<double> df_dxdot) {
  if (refused(t, x)) return trouble_;
  ++work.n_jacobians;
  // At zero itself a derivative may be infinite (a square root); an iteration needs only a good one.
  constexpr double beside_zero = 0.01;
  return evaluated(x, beside_zero,
                   [&](auto at) { return workspace_.jacobian(t, at, xdot, df_dx, df_dxdot); });
}

Evaluation Problem::derivative(double t, std::span<const double> x, std::span<double> xdot) {
  if (refused(t, x)) return trouble_;
  ++work.n_evaluations;
  // Without an iteration there is no kink to fear, and what is negative must not grow.
  return remember(explicit_form_->derivative(t, without_negatives(x, 0.0), xdot));
}

Evaluation Problem::project(double t, std::span<double> x) {
  return remember(projection_->project(t, x));
}

StepRefresh::Answer Problem::accepted(double t, std::span<const double> x,
                                      std::span<const double> xdot) {
  if (refresh_ == nullptr) return StepRefresh::Answer::unchanged;
  const StepRefresh::Answer answer = refresh_->step_accepted(t, x, xdot);
  stopped_ = answer == StepRefresh::Answer::stop;
  return answer;
}

void Problem::settle(double t, std::span<double> x, std::span<double> xdot) {
  double moved = 0.0;
  // What fails leaves the point as it is.
  if (exact_ != nullptr) (void)exact_->project(t, x, xdot, moved);
}

Result<void> Problem::verdict() const {
  if (stopped_) return refresh_->stop_reason();
  return {};
}

void Problem::error_weights(double rtol, double atol_factor, std::span<const double> x,
                            std::span<double> weights) const {
  for (std::uint32_t i = 0; i < n_; ++i) {
    weights[i] = 1.0 / (rtol * std::abs(x[i]) + atol_factor * atol(i));
  }
  if (is_constant_.empty()) return;
  const double larger = std::sqrt(n_ / n_measured_);
  for (std::uint32_t i = 0; i < n_; ++i) weights[i] *= is_constant_[i] != 0 ? 0.0 : larger;
}

double Problem::smallest_step(double t) const {
  constexpr double ulps = 16.0;
  const double rounding = ulps * std::numeric_limits<double>::epsilon() * std::abs(t);
  return std::max({options_.min_step, rounding, std::numeric_limits<double>::min()});
}

std::string Problem::names_of_non_negative() const {
  constexpr std::size_t most = 3;
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < n_ && names.size() <= most; ++i)
    if (options_.non_negative[i] != 0)
      names.push_back(names.size() < most ? quote(system().unknown_name(i)) : "…");
  return join(names, ", ") + " (option non_negative)";
}

Problem::Sign Problem::enforce_sign(std::span<double> x) {
  if (options_.non_negative.empty()) return Sign::fine;
  Sign sign = Sign::fine;
  for (std::uint32_t i = 0; i < n_; ++i) {
    if (options_.non_negative[i] == 0 || x[i] >= 0) continue;
    if (-x[i] > atol(i)) return Sign::violated;
    sign = Sign::corrected;
  }
  if (sign == Sign::fine) return sign;
  for (std::uint32_t i = 0; i < n_; ++i) {
    if (options_.non_negative[i] == 0 || x[i] >= 0) continue;
    ++work.n_corrections;
    work.largest_correction = std::max(work.largest_correction, -x[i]);
    x[i] = 0.0;
  }
  return sign;
}

Failure Problem::failure(FailureCode code, const std::string& what, double t, double h) const {
  std::string message = "at t = " + to_text(t) + ": " + what + ", step " + to_text(h);
  if (!trouble_) {
    if (trouble_.row() == no_row) {
      message += "; the last point tried was refused as lying beyond a surface";
    } else {
      message +=
          "; equation '" + system_.equation_name(trouble_.row()) + "' could not be evaluated";
      const std::string why = workspace_.last_error();
      if (!why.empty()) message += " (" + why + ")";
    }
  }
  return {code, message};
}

Failure Problem::step_too_small(const std::string& what, double t, double h) const {
  const bool evaluated = static_cast<bool>(trouble_);
  const FailureCode code = evaluated ? FailureCode::step_too_small : FailureCode::out_of_domain;
  Failure f = failure(code, what, t, h);
  if (options_.min_step > 0 && std::abs(h) <= 2 * options_.min_step)
    f.message += "; option min_step forbids steps below " + to_text(options_.min_step);
  return f;
}

}  // namespace saltus::detail
