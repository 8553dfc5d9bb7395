// Systems of functions that switch: without locks, with locks, with actions.
#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include <saltus/core/error.hpp>
#include <saltus/system.hpp>

#include "problems/disode_p2_functions.hpp"
#include "support/allocation_counter.hpp"

namespace saltus {
namespace {

using problems::BeyondSurface;
using problems::Pounding;
using SwitchValues = std::vector<double>;
using SwitchFlags = std::vector<std::uint8_t>;

constexpr double unit_roundoff = std::numeric_limits<double>::epsilon();

/// Thrown up, falls, bounces with a loss.
SystemFunctions ball() {
  return {.unknowns = {{"height", 1.0}, {"speed", 0.0}},
          .derivative =
              [](double, auto x, auto xdot) {
                xdot[0] = x[1];
                xdot[1] = -9.81;
              },
          .switches = {{.name = "above ground", .changes_equations = false}},
          .switching = [](double, auto x, auto g) { g[0] = x[0]; },
          .actions = {{.name = "bounce",
                       .trigger = "above ground",
                       .when = FunctionAction::When::falling,
                       .set = [](double, auto x, auto after) { after[1] = -0.8 * x[1]; },
                       .targets = {"speed"}}}};
}

std::string refused(SystemFunctions functions) {
  try {
    make_system(std::move(functions));
  } catch (const ModelError& e) {
    return e.what();
  }
  return "accepted";
}

// ---- f with its own signs --------------------------------------------------------------------------

TEST(FunctionSwitching, OwnSignsOfferNoLocks) {
  const auto workspace = make_system(problems::disode_p2_functions())->workspace();
  ASSERT_NE(workspace->ability<SwitchingFunctions>(), nullptr);
  EXPECT_EQ(workspace->ability<Locks>(), nullptr);
  EXPECT_EQ(workspace->ability<StepEnclosure>(), nullptr);
  EXPECT_EQ(workspace->ability<EventActions>(), nullptr);
}

TEST(FunctionSwitching, SwitchesAreDescribedAndEvaluated) {
  const auto workspace = make_system(problems::disode_p2_functions())->workspace();
  auto& functions = *workspace->ability<SwitchingFunctions>();
  ASSERT_EQ(functions.count(), 2U);
  EXPECT_EQ(functions.info(0).name, "contact");
  EXPECT_EQ(functions.info(1).name, "speed");
  EXPECT_EQ(functions.info(0).kind, SwitchKind::relation);
  EXPECT_TRUE(functions.info(0).truth(1e-300));
  EXPECT_FALSE(functions.info(0).truth(0.0));
  EXPECT_FALSE(functions.info(0).sets_unknowns);
  functions.set_relations(SwitchFlags{1, 1});
  const SwitchValues x{0.0075, -0.5}, xdot{-0.5, 1.0};
  SwitchValues g(2, 99.0);
  ASSERT_TRUE(functions.evaluate(0.0, x, xdot, g));
  EXPECT_EQ(g, (SwitchValues{0.0075 - 0.005, -0.5}));
  double one = 99.0;
  ASSERT_TRUE(functions.evaluate_one(1, 0.0, x, xdot, one));
  EXPECT_EQ(one, -0.5);
  EXPECT_EQ(functions.next_time(1.0, 7.0), 7.0);
  EXPECT_FALSE(functions.is_timed(0));
}

TEST(FunctionSwitching, WhatDoesNotMatterIsZeroAndNotAsked) {
  SystemFunctions written = problems::disode_p2_functions();
  written.switching = [](double, auto x, auto g) {
    g[0] = x[0] - Pounding::stop;
    g[1] = x[0] > Pounding::stop ? x[1] : std::numeric_limits<double>::quiet_NaN();
  };
  const auto workspace = make_system(written)->workspace();
  auto& functions = *workspace->ability<SwitchingFunctions>();
  const SwitchValues x{0.0, -0.5}, xdot{0.0, 0.0};
  SwitchValues g(2, 99.0);
  functions.set_relations(SwitchFlags{0, 0});
  EXPECT_FALSE(functions.is_active(1));
  ASSERT_TRUE(functions.evaluate(0.0, x, xdot, g));
  EXPECT_EQ(g[1], 0.0);
  // The twin: where it matters, a missing value is trouble, by its number.
  functions.set_relations(SwitchFlags{1, 0});
  EXPECT_TRUE(functions.is_active(1));
  const Evaluation missing = functions.evaluate(0.0, x, xdot, g);
  EXPECT_EQ(missing.status(), Evaluation::Status::out_of_domain);
  EXPECT_EQ(missing.row(), 1U);
  double one = 0.0;
  EXPECT_FALSE(functions.evaluate_one(1, 0.0, x, xdot, one));
  EXPECT_TRUE(functions.evaluate_one(0, 0.0, x, xdot, one));
}

/// g = sin(3 t) x^2 + y with known derivatives.
SystemFunctions curved() {
  return {
      .unknowns = {{.name = "x", .start = 2.0}, {.name = "y", .start = 1.0, .nominal = 1e3}},
      .derivative = [](double, auto, auto xdot) { xdot[0] = xdot[1] = 1.0; },
      .switches = {{"curve"}},
      .switching = [](double t, auto x, auto g) { g[0] = std::sin(3.0 * t) * x[0] * x[0] + x[1]; }};
}

TEST(FunctionSwitching, RatesAndGradientsAreDifferences) {
  const auto workspace = make_system(curved())->workspace();
  auto& functions = *workspace->ability<SwitchingFunctions>();
  const double t = 0.4;
  const SwitchValues x{2.0, 1.0}, xdot{-5.0, 0.25};
  SwitchValues g(1), gdot(1), gradient(2);
  ASSERT_TRUE(functions.rates(t, x, xdot, g, gdot));
  EXPECT_EQ(g[0], std::sin(3.0 * t) * 4.0 + 1.0);
  const double rate = 3.0 * std::cos(3.0 * t) * 4.0 + std::sin(3.0 * t) * 4.0 * xdot[0] + xdot[1];
  // Central: h^2/6 of the third derivative (below 27·4·10 here) plus eps |g| / h, h = cbrt(eps).
  const double tolerance = 200.0 * std::pow(unit_roundoff, 2.0 / 3.0);
  EXPECT_NEAR(gdot[0], rate, tolerance);
  ASSERT_TRUE(functions.gradients(t, x, xdot, gradient));
  EXPECT_NEAR(gradient[0], std::sin(3.0 * t) * 4.0, tolerance);
  EXPECT_NEAR(gradient[1], 1.0, tolerance);
  // The twin: a rate that forgets time is told apart.
  EXPECT_GT(std::fabs(gdot[0] - (rate - 3.0 * std::cos(3.0 * t) * 4.0)), 1e3 * tolerance);
}

// Motion on a surface keeps a rate at zero to the tolerance of an iteration: 1e-10 of the terms is not enough.
TEST(FunctionSwitching, RatesOfSmoothFunctionsAreGoodToTwelveDigits) {
  const auto workspace = make_system(curved())->workspace();
  auto& functions = *workspace->ability<SwitchingFunctions>();
  const SwitchValues x{2.0, 1.0}, xdot{-5.0, 0.25};
  SwitchValues g(1), gdot(1), gradient(2);
  // Rounding of g, eps |g| / h with h = 30 cbrt(eps), and the weights 8/12, 1/12; the twin is what a central difference
  // of the best increment leaves, h^2/6 of the third derivative.
  const double terms = 20.0, rounding = 3 * terms * std::pow(unit_roundoff, 2.0 / 3.0) / 30;
  const double narrow = std::cbrt(unit_roundoff), dt = narrow * 2.0 / 5.0;
  double worst = 0.0, worst_narrow = 0.0;
  for (int k = 0; k < 50; ++k) {
    const double t = 0.4 + 0.01 * k;
    ASSERT_TRUE(functions.gradients(t, x, xdot, gradient));
    ASSERT_TRUE(functions.rates(t, x, xdot, g, gdot));
    const double rate = 3.0 * std::cos(3.0 * t) * 4.0 + std::sin(3.0 * t) * 4.0 * xdot[0] + xdot[1];
    worst = std::max(worst, std::fabs(gdot[0] - rate));
    double beside[2];
    for (const int side : {0, 1}) {
      const double way = side == 0 ? -dt : dt;
      const double x0 = x[0] + way * xdot[0];
      beside[side] = std::sin(3.0 * (t + way)) * x0 * x0 + x[1] + way * xdot[1];
    }
    worst_narrow = std::max(worst_narrow, std::fabs((beside[1] - beside[0]) / (2 * dt) - rate));
  }
  EXPECT_LE(worst, rounding);
  EXPECT_GT(worst_narrow, 5 * rounding);
}

TEST(FunctionSwitching, RatesBesideAKinkAreThoseOfTheirPiece) {
  SystemFunctions written = curved();
  written.switching = [](double, auto x, auto g) { g[0] = std::fabs(x[0] - 2.0002) + x[1]; };
  const auto workspace = make_system(written)->workspace();
  auto& functions = *workspace->ability<SwitchingFunctions>();
  const SwitchValues x{
      2.0, 1.0};  // wide increments, 3.6e-4 and 7.2e-4, pass the kink; narrow ones do not
  SwitchValues g(1), gdot(1), gradient(2);
  ASSERT_TRUE(functions.gradients(0.0, x, SwitchValues{0.0, 0.0}, gradient));
  const double central = 100.0 * std::pow(unit_roundoff, 2.0 / 3.0);
  EXPECT_NEAR(gradient[0], -1.0, central);
  ASSERT_TRUE(functions.rates(0.0, x, SwitchValues{1.0, 0.0}, g, gdot));
  EXPECT_NEAR(gdot[0], -1.0, central);
}

TEST(FunctionSwitching, DifferencesStayWhereTheFunctionExists) {
  SystemFunctions written = curved();
  written.switching = [](double, auto x, auto g) { g[0] = std::sqrt(x[0] - 2.0) + 3.0 * x[1]; };
  const auto workspace = make_system(written)->workspace();
  auto& functions = *workspace->ability<SwitchingFunctions>();
  const SwitchValues x{2.0, 1.0};  // on the edge of the domain
  SwitchValues g(1), gdot(1), gradient(2);
  ASSERT_TRUE(functions.rates(0.0, x, SwitchValues{1.0, 0.0}, g, gdot));
  EXPECT_GT(gdot[0], 100.0);  // sqrt(h)/h = cbrt(eps)^(-1/2) = 400
  ASSERT_TRUE(functions.gradients(0.0, x, SwitchValues{0.0, 0.0}, gradient));
  EXPECT_NEAR(gradient[1], 3.0, 100.0 * std::pow(unit_roundoff, 2.0 / 3.0));
}

TEST(FunctionSwitching, ADomainErrorIsNoFailure) {
  const auto workspace =
      make_system(problems::disode_p2_locked_functions(BeyondSurface::throws))->workspace();
  auto& locks = *workspace->ability<Locks>();
  locks.set_lock(0, true);
  SwitchValues xdot(2);
  const SwitchValues before{0.004, 0.1}, beyond{0.006, 0.1};
  EXPECT_EQ(workspace->ability<ExplicitForm>()->derivative(0.0, before, xdot).status(),
            Evaluation::Status::out_of_domain);
  EXPECT_EQ(workspace->last_error(), "square root of a negative depth");
  EXPECT_TRUE(workspace->ability<ExplicitForm>()->derivative(0.0, beyond, xdot));
  // The twin: anything else that is thrown is one.
  SystemFunctions written = curved();
  written.derivative = [](double, auto, auto) { throw std::runtime_error("no network"); };
  EXPECT_EQ(make_system(written)
                ->workspace()
                ->ability<ExplicitForm>()
                ->derivative(0.0, before, xdot)
                .status(),
            Evaluation::Status::failed);
}

// ---- f that is told its side -----------------------------------------------------------------------

TEST(FunctionSwitching, LocksAreObeyedAndDecided) {
  const auto workspace =
      make_system(problems::disode_p2_locked_functions(BeyondSurface::gives_nan))->workspace();
  auto* locks = workspace->ability<Locks>();
  ASSERT_NE(locks, nullptr);
  EXPECT_EQ(SwitchFlags(locks->locks().begin(), locks->locks().end()), (SwitchFlags{0, 0}));
  const SwitchValues deep{0.006, 0.1};
  SwitchValues free(2), load(2), unload(2);
  auto& form = *workspace->ability<ExplicitForm>();
  ASSERT_TRUE(form.derivative(0.0, deep, free));
  ASSERT_TRUE(locks->decide(0.0, deep, free));
  EXPECT_EQ(SwitchFlags(locks->locks().begin(), locks->locks().end()), (SwitchFlags{1, 1}));
  ASSERT_TRUE(form.derivative(0.0, deep, load));
  locks->set_lock(1, false);
  ASSERT_TRUE(form.derivative(0.0, deep, unload));
  EXPECT_GT(free[1], unload[1]);
  EXPECT_GT(unload[1], load[1]);
  // Out of contact the speed's relation does not matter, and is false.
  ASSERT_TRUE(locks->decide(0.0, SwitchValues{0.0, 0.1}, free));
  EXPECT_EQ(SwitchFlags(locks->locks().begin(), locks->locks().end()), (SwitchFlags{0, 0}));
}

TEST(FunctionSwitching, BranchesThatAreNotTakenCountAsFalse) {
  const auto workspace =
      make_system(problems::disode_p2_locked_functions(BeyondSurface::gives_nan))->workspace();
  auto& locks = *workspace->ability<Locks>();
  ASSERT_EQ(locks.n_branches(), 2U);
  ASSERT_EQ(locks.n_equation_branches(), 2U);
  SwitchFlags branches(2);
  locks.set_lock(1, true);
  locks.branches(branches);
  EXPECT_EQ(branches, (SwitchFlags{0, 0}));
  locks.set_lock(0, true);
  locks.branches(branches);
  EXPECT_EQ(branches, (SwitchFlags{1, 1}));
}

TEST(FunctionSwitching, LockedResidualsAndTheirDifferences) {
  const auto system = make_system(
      {.unknowns = {{"x", 1.0}},
       .switches = {{"warm"}},
       .switching = [](double, auto x, auto g) { g[0] = x[0] - 2.0; },
       .locked_residual = [](double, auto x, auto xdot, auto side,
                             auto f) { f[0] = xdot[0] - (side[0] != 0 ? -3.0 : 5.0) * x[0]; }});
  const auto workspace = system->workspace();
  SwitchValues df_dx(1), df_dxdot(1);
  for (const bool warm : {false, true}) {
    workspace->ability<Locks>()->set_lock(0, warm);
    ASSERT_TRUE(workspace->jacobian(0.0, SwitchValues{1.0}, SwitchValues{0.0}, df_dx, df_dxdot));
    EXPECT_NEAR(df_dx[0], warm ? 3.0 : -5.0, 10.0 * std::sqrt(unit_roundoff));
  }
}

// ---- actions ---------------------------------------------------------------------------------------

TEST(FunctionSwitching, AnActionIsDescribedTriggeredAndCarriedOut) {
  const auto workspace = make_system(ball())->workspace();
  auto& actions = *workspace->ability<EventActions>();
  EXPECT_TRUE(workspace->ability<SwitchingFunctions>()->info(0).sets_unknowns);
  ASSERT_EQ(actions.count(), 1U);
  EXPECT_EQ(actions.info(0).name, "bounce");
  EXPECT_EQ(actions.info(0).targets, (std::vector<ActionTarget>{{true, 1}}));
  EXPECT_EQ(actions.info(0).target_names, std::vector<std::string>{"speed"});
  ASSERT_EQ(actions.n_triggers(), 1U);
  EXPECT_EQ(actions.trigger_text(0), "above ground <= 0");
  SwitchFlags truth(1);
  actions.triggers({}, {}, truth);
  EXPECT_EQ(truth, SwitchFlags{0});
  workspace->ability<Locks>()->set_lock(0, false);
  actions.triggers({}, {}, truth);
  EXPECT_EQ(truth, SwitchFlags{1});
  SwitchValues out(1);
  ASSERT_TRUE(actions.values(0, 0.0, SwitchValues{0.0, -5.0}, SwitchValues{0.0, 0.0}, out));
  EXPECT_EQ(out[0], 4.0);
}

TEST(FunctionSwitching, SwitchesThatOnlyTriggerNeedNothingFrozen) {
  const auto workspace = make_system(ball())->workspace();
  ASSERT_NE(workspace->ability<Locks>(), nullptr);
  EXPECT_EQ(workspace->ability<Locks>()->n_branches(), 0U);
  SystemFunctions changing = ball();
  changing.switches[0].changes_equations = true;
  EXPECT_EQ(make_system(changing)->workspace()->ability<Locks>(), nullptr);
}

TEST(FunctionSwitching, ActionsWithoutLocksAreToldTheRelations) {
  SystemFunctions changing = ball();
  changing.switches[0].changes_equations = true;
  changing.actions[0].when = FunctionAction::When::either;
  changing.actions[0].targets = {};
  const auto workspace = make_system(changing)->workspace();
  auto& actions = *workspace->ability<EventActions>();
  EXPECT_EQ(actions.info(0).target_names, (std::vector<std::string>{"height", "speed"}));
  ASSERT_EQ(actions.n_triggers(), 2U);
  SwitchFlags truth(2);
  auto& functions = *workspace->ability<SwitchingFunctions>();
  functions.set_relations(SwitchFlags{1});
  actions.triggers({}, {}, truth);
  EXPECT_EQ(truth, (SwitchFlags{1, 0}));
  functions.set_relations(SwitchFlags{0});
  actions.triggers({}, {}, truth);
  EXPECT_EQ(truth, (SwitchFlags{0, 1}));
}

TEST(FunctionSwitching, EvaluationsAllocateNothing) {
  if (!test::counts_allocations()) GTEST_SKIP();
  const auto workspace = make_system(ball())->workspace();
  auto& functions = *workspace->ability<SwitchingFunctions>();
  auto& actions = *workspace->ability<EventActions>();
  const SwitchValues x{1.0, -1.0}, xdot{-1.0, -9.81};
  SwitchValues g(1), gdot(1), gradient(2), out(1);
  SwitchFlags truth(1);
  const long before = test::allocations();
  ASSERT_TRUE(functions.evaluate(0.0, x, xdot, g));
  ASSERT_TRUE(functions.rates(0.0, x, xdot, g, gdot));
  ASSERT_TRUE(functions.gradients(0.0, x, xdot, gradient));
  ASSERT_TRUE(workspace->ability<Locks>()->decide(0.0, x, xdot));
  actions.triggers({}, {}, truth);
  ASSERT_TRUE(actions.values(0, 0.0, x, xdot, out));
  EXPECT_EQ(test::allocations(), before);
}

// ---- what is refused -------------------------------------------------------------------------------

TEST(FunctionSwitching, RefusesByName) {
  SystemFunctions f = ball();
  f.switching = {};
  EXPECT_EQ(refused(f), "list of functions: `switches` are named, but `switching` is not given");
  f = ball();
  f.switches.push_back({"above ground"});
  EXPECT_EQ(refused(f), "switch 'above ground': two switches have this name");
  f = ball();
  f.actions[0].trigger = "on Mars";
  EXPECT_EQ(refused(f), "action 'bounce': its trigger 'on Mars' is not a switch");
  f = ball();
  f.actions[0].targets = {"spin"};
  EXPECT_EQ(refused(f), "action 'bounce': it sets 'spin', which is not an unknown");
  f = ball();
  f.actions[0].set = {};
  f.actions[0].targets = {};
  EXPECT_EQ(refused(f),
            "action 'bounce': it does nothing: it neither sets unknowns nor ends the run");
  f = ball();
  f.actions.push_back(f.actions[0]);
  EXPECT_EQ(refused(f), "action 'bounce': two actions have this name");
  f = ball();
  f.locked_derivative = [](double, auto, auto, auto) {};
  EXPECT_EQ(refused(f), "list of functions: both `derivative` and `locked_derivative` are given");
  f = problems::disode_p2_locked_functions(BeyondSurface::throws);
  f.jacobian = [](double, auto, auto, auto, auto) {};
  EXPECT_EQ(
      refused(f),
      "list of functions: `jacobian` does not receive the locks that the equations depend on: "
      "leave it out");
  EXPECT_EQ(refused(ball()), "accepted");
}

}  // namespace
}  // namespace saltus
