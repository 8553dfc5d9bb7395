// Inputs that the caller sets while a run goes on, and looks into open steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <saltus/simulate.hpp>

#include "support/same_bits.hpp"

namespace saltus {
namespace {

using HybridRun = Run;  // GoogleTest has one of its own

constexpr double tol = 1e-8;
/// Two runs with other steps: ten tolerances, a thousand on IDA after several stretches.
double allowed(EngineKind engine) { return (engine == EngineKind::ida ? 1000 : 10) * tol; }

RunOptions options_for(EngineKind engine, double t_end) {
  RunOptions options;
  options.engine = engine;
  options.t_end = t_end;
  options.rtol = options.atol = tol;
  return options;
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// ---- models --------------------------------------------------------------------------------------------

/// A heater that follows an input, a thermostat that switches at 1 and 0.5, and a count of it.
void write_thermostat(Model& m) {
  const Expr x = m.state("x", 0.0), u = m.outside_input("u", 1.0);
  const Expr on = m.discrete("on", 1.0), n = m.discrete("n", 0.0);
  m.equation(der(x) == -x + 2.0 * on * u);
  m.when("hot", x > 1.0, {{on, 0.0}, {n, pre(n) + 1.0}});
  m.when("cold", x < 0.5, {{on, 1.0}, {n, pre(n) + 1.0}});
  m.output("input", u);
}
/// A mass on a belt whose speed is set from outside: it slides on v = vb, and slips.
void write_belt(Model& m) {
  const Expr x = m.state("x", 0.0), v = m.state("v", 0.0), vb = m.outside_input("vb", 0.5);
  m.equation(der(x) == v);
  m.equation(der(v) == -x - 0.1 * v + where(v < vb, 1.0, -1.0));
}
/// A pendulum whose length is set from outside: index 3.
void write_pendulum(Model& m) {
  const Expr x = m.state("x", 0.6), y = m.state("y", -0.8), l = m.outside_input("l", 1.0);
  const Expr vx = m.state("vx", 0.0), vy = m.state("vy", 0.0), f = m.algebraic("f", {.guess = 8.0});
  m.equation(der(x) == vx);
  m.equation(der(y) == vy);
  m.equation(der(vx) == -f * x);
  m.equation(der(vy) == -f * y - 9.81);
  m.equation("rod", x * x + y * y == l * l);
}
/// Smooth, without anything that could switch.
void write_lag(Model& m) {
  const Expr x = m.state("x", 0.0), u = m.outside_input("u", 0.0);
  m.equation(der(x) == u - x);
  m.output("error", u - x);
}

struct Case {
  const char* name;
  std::function<void(Model&)> write;
  EngineKind engine;
};
std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const EngineKind engine :
       {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau, EngineKind::ida}) {
    cases.push_back({"thermostat", write_thermostat, engine});
    cases.push_back({"belt", write_belt, engine});
    cases.push_back({"pendulum", write_pendulum, engine});
    cases.push_back({"lag", write_lag, engine});
  }
  return cases;
}

class OutsideInputs : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(All, OutsideInputs, testing::ValuesIn(all_cases()), [](const auto& c) {
  return std::string(c.param.name) + "_" + std::string(name(c.param.engine));
});

// ---- looks ---------------------------------------------------------------------------------------------

TEST_P(OutsideInputs, LooksChangeNoBit) {
  const auto run_of = [&](bool looks) {
    Model m("looked at");
    GetParam().write(m);
    HybridRun run = start_run(m, options_for(GetParam().engine, 10.0));
    std::mt19937 random(17);
    std::uniform_real_distribution<double> pause(0.0, 0.1);
    for (double t = 0.0; looks && t < 10.0; t += pause(random)) {
      EXPECT_TRUE(run.advance_to(t)) << run.report().message;
      EXPECT_EQ(run.t(), t);
      EXPECT_TRUE(std::isfinite(run.value(run.trajectory().variables().back().name)));
      run.set_input(std::string(GetParam().name) == "belt"       ? "vb"
                    : std::string(GetParam().name) == "pendulum" ? "l"
                                                                 : "u",
                    std::string(GetParam().name) == "belt"  ? 0.5
                    : std::string(GetParam().name) == "lag" ? 0.0
                                                            : 1.0);
    }
    while (run.advance()) {
    }
    return run.finish();
  };
  EXPECT_EQ(test::difference(run_of(true), run_of(false)), "");
}

/// What has not happened yet is not seen, and what has happened is.
TEST(AdvanceTo, EventsHappenAtTheirTimesAndNotBefore) {
  for (const EngineKind engine : {EngineKind::dopri5, EngineKind::radau, EngineKind::ida}) {
    Model m("rises");
    const Expr x = m.state("x", 0.0), n = m.discrete("n", 0.0);
    m.equation(der(x) == 1.0);
    m.when("one", x > 1.0, {{n, 1.0}});
    HybridRun run = start_run(m, options_for(engine, 10.0));
    constexpr double off = 1e-6;  // far beyond the error of the event
    ASSERT_TRUE(run.advance_to(1.0 - off));
    EXPECT_EQ(run.value("n"), 0.0);
    EXPECT_NEAR(run.value("x"), 1.0 - off, 10 * tol);
    ASSERT_TRUE(run.advance_to(1.0 + off));
    EXPECT_EQ(run.value("n"), 1.0);
    EXPECT_TRUE(run.advance_to(10.0));
    EXPECT_FALSE(run.advance_to(11.0));
    EXPECT_EQ(run.t(), 10.0);
  }
}

// ---- changes -------------------------------------------------------------------------------------------

/// The same as a table of steps: events at the same times, values within ten tolerances.
TEST(OutsideInput, AChangeDoesWhatAStepInATableDoes) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> pause(0.05, 0.4), level(0.8, 2.0);
  std::vector<double> times{0.0}, values{1.0};
  while (times.back() < 9.0) {
    times.push_back(times.back() + pause(random));
    values.push_back(level(random));
  }
  for (const EngineKind engine :
       {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau, EngineKind::ida}) {
    Model with_table("table");
    {
      const Expr x = with_table.state("x", 0.0);
      const Expr u = with_table.input("u", table(times, values, Interpolation::step));
      const Expr on = with_table.discrete("on", 1.0), n = with_table.discrete("n", 0.0);
      with_table.equation(der(x) == -x + 2.0 * on * u);
      with_table.when("hot", x > 1.0, {{on, 0.0}, {n, pre(n) + 1.0}});
      with_table.when("cold", x < 0.5, {{on, 1.0}, {n, pre(n) + 1.0}});
    }
    const Solution expected = simulate(with_table, options_for(engine, 10.0));
    const auto stepped = [&] {
      Model m("table");
      write_thermostat(m);
      HybridRun run = start_run(m, options_for(engine, 10.0));
      for (std::size_t k = 1; k < times.size(); ++k) {
        EXPECT_TRUE(run.advance_to(times[k])) << run.report().message;
        run.set_input("u", values[k]);
      }
      while (run.advance()) {
      }
      return run.finish();
    };
    const Solution s = stepped();
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_EQ(s.final("n"), expected.final("n"));
    for (const char* event : {"hot", "cold"}) {
      const auto found = s.event_times(event), wanted = expected.event_times(event);
      ASSERT_EQ(found.size(), wanted.size()) << event;
      for (std::size_t k = 0; k < found.size(); ++k)
        EXPECT_NEAR(found[k], wanted[k], allowed(engine)) << event << ' ' << name(engine);
    }
    EXPECT_NEAR(s.final("x"), expected.final("x"), allowed(engine));
    // What was recorded before a change was recorded with the input of before.
    EXPECT_EQ(s.at("input", times[3], Side::left), values[2]);
    EXPECT_EQ(s.at("input", times[3]), values[3]);
    EXPECT_EQ(test::difference(s, stepped()), "");
  }
}

TEST(OutsideInput, ChangesInModelsWithoutEvents) {
  for (const EngineKind engine : {EngineKind::dopri5, EngineKind::radau, EngineKind::ida}) {
    Model m("lag");
    write_lag(m);
    HybridRun run = start_run(m, options_for(engine, 3.0));
    ASSERT_TRUE(run.advance_to(1.0));
    run.set_input("u", 1.0);
    ASSERT_TRUE(run.advance_to(2.0));
    EXPECT_NEAR(run.value("x"), 1.0 - std::exp(-1.0), 100 * tol) << name(engine);
    // u = 2 + 3 (t - 2)
    run.set_input("u", std::vector<double>{2.0, 3.0});
    while (run.advance()) {
    }
    const Solution s = run.finish();
    const double x2 = 1.0 - std::exp(-1.0);
    // x = -1 + 3 s + c e^-s with s = t - 2
    EXPECT_NEAR(s.final("x"), 2.0 + (x2 + 1.0) * std::exp(-1.0), 100 * tol) << name(engine);
    EXPECT_NEAR(s.final("error"), 5.0 - s.final("x"), 1e-12);
    EXPECT_NEAR(s.at("error", 1.5), 1.0 - s.at("x", 1.5), 100 * tol);
  }
}

/// Constraints follow an input with its derivatives: no impulse, since the length goes on as it was.
TEST(OutsideInput, DerivativesReachConstraints) {
  for (const EngineKind engine : {EngineKind::dopri5, EngineKind::radau, EngineKind::ida}) {
    Model m("pendulum");
    write_pendulum(m);
    HybridRun run = start_run(m, options_for(engine, 2.0));
    ASSERT_TRUE(run.advance_to(1.0));
    run.set_input("l", std::vector<double>{1.0, 0.0, 0.2});  // l'' jumps, l and l' do not
    while (run.advance()) {
    }
    const Solution s = run.finish();
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_NEAR(std::hypot(s.final("x"), s.final("y")), 1.1, 100 * tol) << name(engine);
    for (const EventInstant& instant : s.instants()) EXPECT_TRUE(instant.impulses.empty());
  }
}

/// Also where nothing but an impulse happens: both limits of the log are those of their own side.
TEST(OutsideInput, TheLeftLimitOfAJumpHasTheInputOfBefore) {
  const auto check = [](const Solution& s) {
    ASSERT_TRUE(s.ok()) << s.report.message;
    ASSERT_EQ(s.instants().size(), 1U);
    const auto& variables = s.trajectory.variables();
    const auto input = static_cast<std::size_t>(
        std::ranges::find(variables, "input", &VariableInfo::name) - variables.begin());
    EXPECT_EQ(s.instants()[0].x_minus[input], 0.0);
    EXPECT_EQ(s.instants()[0].x_plus[input], 1.0);
  };
  const auto write = [](Model& m, const Expr& u) {
    const Expr x = m.state("x", 0.0), f = m.algebraic("f");
    m.equation(der(x) == f);
    m.equation("follows", x == u);
    m.output("input", u);
  };
  Model driven("driven");
  write(driven, driven.input("u", table(std::vector<double>{0, 1}, std::vector<double>{0, 1},
                                        Interpolation::step)));
  check(simulate(driven, options_for(EngineKind::radau, 2.0)));
  Model set("set");
  write(set, set.outside_input("u", 0.0));
  HybridRun run = start_run(set, options_for(EngineKind::radau, 2.0));
  ASSERT_TRUE(run.advance_to(1.0));
  run.set_input("u", 1.0);
  while (run.advance()) {
  }
  check(run.finish());
}

/// An instant may follow at once: the input decides a relation.
TEST(OutsideInput, AChangeMaySetOffAClause) {
  Model m("alarm");
  const Expr x = m.state("x", 0.0), u = m.outside_input("u", 0.0), n = m.discrete("n", 0.0);
  m.equation(der(x) == 1.0);
  m.when("alarm", u + 0.1 * x > 0.5, {{n, pre(n) + 1.0}});
  HybridRun run = start_run(m, options_for(EngineKind::dopri5, 2.0));
  ASSERT_TRUE(run.advance_to(0.7));
  run.set_input("u", 1.0);
  EXPECT_EQ(run.value("n"), 0.0);  // the instant has not been passed yet
  ASSERT_TRUE(run.advance_to(0.8));
  EXPECT_EQ(run.value("n"), 1.0);
  while (run.advance()) {
  }
  const Solution s = run.finish();
  ASSERT_EQ(s.event_times("alarm").size(), 1U);
  EXPECT_EQ(s.event_times("alarm")[0], 0.7);
}

TEST(OutsideInput, TwoRunsOfAModelHaveInputsOfTheirOwn) {
  Model m("lag");
  write_lag(m);
  HybridRun one = start_run(m, options_for(EngineKind::dopri5, 1.0));
  HybridRun other = start_run(m, options_for(EngineKind::dopri5, 1.0));
  one.set_input("u", 1.0);
  while (one.advance() || other.advance()) {
  }
  EXPECT_NEAR(one.finish().final("x"), 1.0 - std::exp(-1.0), 100 * tol);
  EXPECT_EQ(other.finish().final("x"), 0.0);
}

TEST(OutsideInput, MistakesAreNamed) {
  Model m("lag");
  write_lag(m);
  HybridRun run = start_run(m, options_for(EngineKind::dopri5, 1.0));
  EXPECT_EQ(refusal([&] { run.set_input("v", 1.0); }),
            "'v' is not an input that is set from outside: there are u");
  EXPECT_EQ(refusal([&] { run.set_input("u", std::nan("")); }), "input 'u' cannot be set to nan");
  EXPECT_EQ(refusal([&] { run.set_input("u", std::vector<double>(5)); }),
            "input 'u' takes a value and at most 3 derivatives, not 5 numbers");
  ASSERT_TRUE(run.advance_to(0.5));
  EXPECT_EQ(refusal([&] { run.advance_to(0.4); }), "a run cannot go back from t = 0.5 to t = 0.4");
  EXPECT_EQ(refusal([&] { run.advance_to(std::nan("")); }), "a run cannot go to t = nan");
  EXPECT_EQ(refusal([&] { (void)run.value("y"); }), "'y' is not a recorded variable");
  while (run.advance()) {
  }
  EXPECT_EQ(refusal([&] { run.set_input("u", 1.0); }),
            "the run has ended: its inputs cannot be set any more");
}

}  // namespace
}  // namespace saltus
