#include "integrate/contract_run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include <saltus/core/text.hpp>

namespace saltus::detail {

ClosedProblem turning_problem() {
  SystemFunctions functions;
  functions.unknowns = {{"x", 0.0}, {"y", 1.0}, {"z", 0.5}};
  functions.derivative = [](double t, auto x, auto f) {
    const double rate = 1.0 + 0.3 * std::cos(t);
    f[0] = rate * x[1];
    f[1] = -rate * x[0];
    f[2] = x[2] * x[2] * rate * x[1];
  };
  return {make_system(std::move(functions)), [](double t, auto x) {
            const double g = t + 0.3 * std::sin(t);
            x[0] = std::sin(g);
            x[1] = std::cos(g);
            x[2] = 1.0 / (2.0 - std::sin(g));
          }};
}

ClosedProblem draining_problem() {
  SystemFunctions functions;
  functions.unknowns = {{"level", 1.0}};
  functions.derivative = [](double, auto x, auto f) { f[0] = -2.0 * std::sqrt(x[0]); };
  return {make_system(std::move(functions)),
          [](double t, auto x) { x[0] = (1.0 - t) * (1.0 - t); }};
}

ClosedProblem ramp_problem(RampEnd end) {
  SystemFunctions functions;
  functions.unknowns = {{"x", 0.0}};
  functions.derivative = [end](double t, auto, auto f) {
    f[0] = 1.0;
    if (t <= 0.5 || end == RampEnd::none) return;
    if (end == RampEnd::throws) throw std::runtime_error("beyond the end of the ramp");
    f[0] = std::numeric_limits<double>::quiet_NaN();
  };
  return {make_system(std::move(functions)), [](double t, auto x) { x[0] = t; }};
}

double in_tolerances(std::span<const double> x, std::span<const double> wanted) {
  double worst = 0.0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double tolerance = contract_rtol * std::abs(wanted[i]) + contract_atol;
    const double error = std::abs(x[i] - wanted[i]) / tolerance;
    // Whatever is not a number is no match.
    worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(worst, error);
  }
  return worst;
}

ContractRun::ContractRun(const EngineFactory& make, const ClosedProblem& problem, std::string what,
                         std::vector<std::string>& findings)
    : problem_(problem),
      what_(std::move(what)),
      findings_(findings),
      workspace_(problem.system->workspace()) {
  EngineOptions options;
  options.rtol = contract_rtol;
  options.atol = {contract_atol};
  engine_ = make(*problem_.system, *workspace_, options);
}

void ContractRun::find(const std::string& sentence) {
  findings_.push_back(what_ + ": " + sentence);
}

bool ContractRun::start(double t, double t_towards, const StartHint& hint) {
  const std::vector<double> x = problem_.at(t);
  std::vector<double> xdot(x.size());
  const Evaluation evaluation =
      workspace_->ability<ExplicitForm>()->derivative(t, x, std::span<double>(xdot));
  SALTUS_ASSERT(evaluation);
  const auto done = engine_->start({t, x, xdot}, t_towards, hint);
  if (!done) {
    find("start() fails: " + done.failure().message);
    return false;
  }
  if (engine_->t() != t || !std::ranges::equal(engine_->x(), x)) {
    find("start() does not begin at the point it was given");
  }
  if (engine_->work().n_starts != counts_.n_starts + 1) find("start() is not counted");
  check_counts();
  return true;
}

bool ContractRun::one_step(double t_end) {
  const double before = engine_->t();
  const std::uint64_t n_steps = engine_->work().n_steps;
  last_ = engine_->step(t_end);
  check_counts();
  if (!last_) return false;
  const double now = engine_->t();
  const bool moved = t_end > before ? now > before : now < before;
  const bool passed = t_end > before ? now > t_end : now < t_end;
  if (!moved || passed) {
    find("a step from t = " + to_text(before) + " towards the bound " + to_text(t_end) +
         " ends at t = " + to_text(now));
    last_ = Failure{FailureCode::limit_reached, "the bound was missed"};
    return false;
  }
  if (engine_->work().n_steps != n_steps + 1) find("a step is not counted as one");
  return true;
}

bool ContractRun::advance(double t_end, const std::function<void()>& after_step) {
  constexpr int max_steps = 20000;
  for (int i = 0; i < max_steps; ++i) {
    if (engine_->t() == t_end) return true;
    if (!one_step(t_end)) {
      find("does not reach t = " + to_text(t_end) + ": " + last_.failure().message);
      return false;
    }
    if (after_step) after_step();
  }
  find("needs more than " + std::to_string(max_steps) + " steps");
  return false;
}

bool ContractRun::advance_to_failure(double t_end) {
  constexpr int max_steps = 20000;
  for (int i = 0; i < max_steps && engine_->t() != t_end; ++i) {
    const double t = engine_->t();
    const std::vector<double> x(engine_->x().begin(), engine_->x().end());
    const std::vector<double> xdot(engine_->xdot().begin(), engine_->xdot().end());
    if (one_step(t_end)) continue;
    if (engine_->t() != t || !std::ranges::equal(engine_->x(), x) ||
        !std::ranges::equal(engine_->xdot(), xdot)) {
      find("after a failure the last point is not kept");
    }
    if (last_.failure().message.empty()) find("a failure has no message");
    return true;
  }
  find("does not fail where it must");
  return false;
}

void ContractRun::check_accuracy() {
  const double error = in_tolerances(engine_->x(), problem_.at(engine_->t()));
  if (error <= contract_accuracy) return;
  find("the error at t = " + to_text(engine_->t()) + " is " + to_text(error) +
       " tolerances, more than " + to_text(contract_accuracy));
}

void ContractRun::check_counts() {
  const auto list = [](const WorkCounts& w) {
    return std::array{w.n_steps,          w.n_error_failures,    w.n_convergence_failures,
                      w.n_refused_points, w.n_evaluations,       w.n_jacobians,
                      w.n_factorizations, w.n_newton_iterations, w.n_starts,
                      w.n_corrections};
  };
  const auto before = list(counts_);
  counts_ = engine_->work();
  const auto now = list(counts_);
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i] >= before[i]) continue;
    find("a count of work() shrinks");
    return;
  }
}

}  // namespace saltus::detail
