#include <saltus/integrate/contract.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <tuple>
#include <utility>

#include <saltus/core/text.hpp>

#include "integrate/contract_run.hpp"

namespace saltus {

namespace {

using detail::ContractRun;
using Findings = std::vector<std::string>;

constexpr double contract_end = 4.0;

void check_both_directions(const EngineFactory& make, Findings& findings) {
  const auto problem = detail::turning_problem();
  for (const auto& [from, to, what] :
       {std::tuple{0.0, contract_end, "accuracy forward in time"},
        std::tuple{contract_end, -1.0, "accuracy backward in time"}}) {
    ContractRun run(make, problem, what, findings);
    if (run.start(from, to) && run.advance(to)) run.check_accuracy();
  }
}

void check_bounds(const EngineFactory& make, Findings& findings) {
  ContractRun run(make, detail::turning_problem(), "bounds", findings);
  if (!run.start(0.0, contract_end)) return;
  for (const double bound : {0.1, 1.0 / 3.0, 1.0, std::nextafter(1.0, 2.0) + 1e-9, contract_end}) {
    if (!run.advance(bound)) return;
    run.check_accuracy();
  }
}

// The ends of a step and what the closed solution is inside. Multistep polynomials have slopes of
// their own at the left end: h times the slopes is compared, in tolerances.
void check_polynomial(const EngineFactory& make, Findings& findings) {
  constexpr double end_tolerances = 0.1;
  ContractRun run(make, detail::turning_problem(), "polynomial", findings);
  if (!run.start(0.0, contract_end)) return;
  std::vector<double> x_left(3), xdot_left(3), value(3), wanted(3);
  const auto remember = [&] {
    std::ranges::copy(run.engine().x(), x_left.begin());
    std::ranges::copy(run.engine().xdot(), xdot_left.begin());
  };
  double t_left = 0.0;
  remember();
  bool broken = false;  // one sentence is enough
  const auto complain = [&](const std::string& sentence) {
    if (!std::exchange(broken, true)) run.find(sentence);
  };
  const auto compare_slopes = [&](const StepPolynomial& step, double t,
                                  std::span<const double> slopes, const char* end) {
    const double h = step.t_right - step.t_left;
    step.derivative_at(t, value);
    for (std::size_t i = 0; i < 3; ++i) {
      value[i] = x_left[i] + h * value[i];
      wanted[i] = x_left[i] + h * slopes[i];
    }
    if (detail::in_tolerances(value, wanted) > detail::contract_accuracy) {
      complain("the slope at the " + std::string(end) + " end does not match xdot()");
    }
  };
  run.advance(contract_end, [&] {
    const StepPolynomial step = run.engine().last_step();
    if (step.t_left != t_left || step.t_right != run.engine().t() || step.n != 3) {
      complain("the step from t = " + to_text(t_left) + " has other ends");
      return;
    }
    step.state_at(step.t_left, value);
    if (detail::in_tolerances(value, x_left) > end_tolerances) {
      complain("the left end point is not met at t = " + to_text(t_left));
    }
    step.state_at(step.t_right, value);
    if (detail::in_tolerances(value, run.engine().x()) > end_tolerances) {
      complain("the right end point is not met at t = " + to_text(step.t_right));
    }
    compare_slopes(step, step.t_left, xdot_left, "left");
    compare_slopes(step, step.t_right, run.engine().xdot(), "right");
    for (const double s : {0.25, 0.5, 0.75}) {
      const double t = step.t_left + s * (step.t_right - step.t_left);
      step.state_at(t, value);
      if (detail::in_tolerances(value, run.problem().at(t)) > detail::contract_accuracy) {
        complain("inside the step at t = " + to_text(t) + " the solution is not met");
      }
    }
    t_left = run.engine().t();
    remember();
  });
}

void check_shorten(const EngineFactory& make, Findings& findings) {
  ContractRun run(make, detail::turning_problem(), "shorten", findings);
  // Long enough for a multistep engine to have a history.
  if (!run.start(0.0, contract_end) || !run.advance(1.0)) return;
  if (const auto done = run.engine().step(contract_end); !done) {
    run.find("the step to be shortened fails: " + done.failure().message);
    return;
  }
  const double t_left = 1.0;
  const double h = run.engine().t() - t_left;
  // Times of the original step, in any order.
  for (const double s : {0.6, 0.2, 0.9}) {
    const double t = t_left + s * h;
    if (const auto done = run.engine().shorten(t); !done) {
      run.find("fails: " + done.failure().message);
      return;
    }
    if (run.engine().t() != t) run.find("t() is not the time asked for");
    run.check_accuracy();
    const StepPolynomial step = run.engine().last_step();
    if (step.t_left != t_left || step.t_right != t) {
      run.find("last_step() is not the shortened step");
    }
  }
  const double t = run.engine().t();
  const std::vector<double> x(run.engine().x().begin(), run.engine().x().end());
  const std::vector<double> xdot(run.engine().xdot().begin(), run.engine().xdot().end());
  if (const auto done = run.engine().start({t, x, xdot}, contract_end); !done) {
    run.find("start() after it fails: " + done.failure().message);
    return;
  }
  if (run.advance(contract_end)) run.check_accuracy();
}

// A check that allows short steps only, then one that allows none.
void check_stage_check(const EngineFactory& make, Findings& findings) {
  constexpr double reach = 0.01;
  ContractRun run(make, detail::turning_problem(), "stage check", findings);
  double t_now = 0.0;
  std::uint64_t n_asked = 0;
  run.engine().set_stage_check([&](double t, std::span<const double>) {
    ++n_asked;
    return std::abs(t - t_now) <= reach;
  });
  if (!run.start(0.0, 1.0, {.step = 10 * reach})) return;
  double longest = 0.0;
  if (!run.advance(0.5, [&] {
        longest = std::max(longest, run.engine().t() - t_now);
        t_now = run.engine().t();
      })) {
    return;
  }
  if (n_asked == 0) run.find("is never asked");
  // A multistep engine may end a step a little off the stage that was checked; twice is another step.
  if (longest > 2 * reach) run.find("a step ends beyond the points that were allowed");
  if (run.engine().work().n_refused_points == 0) run.find("refused points are not counted");
  run.check_accuracy();
  run.engine().set_stage_check([](double, std::span<const double>) { return false; });
  if (!run.advance_to_failure(1.0)) return;
  run.engine().set_stage_check({});
  if (run.start(0.5, 1.0) && run.advance(1.0)) run.check_accuracy();
}

void check_domain(const EngineFactory& make, Findings& findings) {
  {
    // The first step asked for is far too long.
    ContractRun run(make, detail::draining_problem(), "domain left by a long step", findings);
    if (run.start(0.0, 0.99, {.step = 0.99}) && run.advance(0.99)) run.check_accuracy();
  }
  {
    ContractRun run(make, detail::ramp_problem(detail::RampEnd::out_of_domain), "end of the domain",
                    findings);
    if (run.start(0.0, 1.0) && run.advance_to_failure(1.0)) {
      if (run.engine().t() > 0.5) run.find("steps beyond it");
      run.check_accuracy();
    }
  }
  {
    ContractRun run(make, detail::ramp_problem(detail::RampEnd::throws), "a function that throws",
                    findings);
    if (run.start(0.0, 1.0) && run.advance_to_failure(1.0)) run.check_accuracy();
  }
}

void check_repeatable(const EngineFactory& make, Findings& findings) {
  const auto problem = detail::turning_problem();
  std::vector<double> records[2];
  for (auto& record : records) {
    ContractRun run(make, problem, "second run", findings);
    if (!run.start(0.0, contract_end)) return;
    const bool done = run.advance(contract_end, [&] {
      const StepPolynomial step = run.engine().last_step();
      record.push_back(run.engine().t());
      record.insert(record.end(), run.engine().x().begin(), run.engine().x().end());
      record.insert(record.end(), step.coefficients.begin(), step.coefficients.end());
    });
    if (!done) return;
  }
  if (records[0] != records[1]) findings.emplace_back("second run: differs from the first one");
}

}  // namespace

std::vector<std::string> check_engine(const EngineFactory& make) {
  Findings findings;
  for (const auto check : {check_both_directions, check_bounds, check_polynomial, check_shorten,
                           check_stage_check, check_domain, check_repeatable}) {
    try {
      check(make, findings);
    } catch (const std::exception& error) {
      findings.push_back(std::string("throws: ") + error.what());
    }
  }
  return findings;
}

}  // namespace saltus
