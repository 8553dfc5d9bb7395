// Derivatives of what happens at instants, in closed form: dwell times, actions that change no value, actions and
// outputs that are steep, and what is refused by name.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <saltus/simulate.hpp>

namespace saltus {
namespace {

RunOptions instants_run(double t_end, double tolerance, std::vector<std::string> with_respect_to) {
  RunOptions o;
  o.t_end = t_end;
  o.rtol = o.atol = tolerance;
  o.sensitivities = std::move(with_respect_to);
  return o;
}

// x = sin(p t) is high from t1 = asin(0.5) / p on, and is low again before 3 s have passed: z' = 1 from t1 to t1 + 3.
TEST(SensitivityOfDwell, IsThatOfThePreviousSwitch) {
  Model m("dwell");
  const Expr x = m.state("x", 0.0), w = m.state("w", 1.0), z = m.state("z", 0.0),
             p = m.parameter("p", 1.0);
  m.equation(der(x) == p * w);
  m.equation(der(w) == -p * x);
  m.equation(der(z) == where(m.named("high", x > 0.5), 1.0, 0.0));
  RunOptions o = instants_run(5.0, 1e-8, {"p"});
  o.events.dwell = {{"high", 3.0}};
  const Solution s = simulate(m, o);
  ASSERT_TRUE(s.ok()) << s.report.message;
  ASSERT_FALSE(s.sensitivities.ends()) << s.sensitivities.ends()->why;
  const auto& times = s.sensitivities.event_times();
  ASSERT_EQ(times.size(), 2U);
  EXPECT_NEAR(times[1].t, times[0].t + 3.0, 1e-12);
  EXPECT_NEAR(times[0].derivatives[0], -std::asin(0.5), 1e-6);
  EXPECT_EQ(times[1].derivatives[0], times[0].derivatives[0]);
  EXPECT_NEAR(s.sensitivity("z", "p", 5.0, Side::left), 0.0, 1e-7);
  // and without a dwell time it is the crossing's own: high for (pi - 2 asin(0.5)) / p
  o.events.dwell = {};
  EXPECT_NEAR(simulate(m, o).sensitivity("z", "p", 5.0, Side::left),
              -(std::acos(-1.0) - 2 * std::asin(0.5)), 1e-6);
}

// A run begins on the surface y = p, p = 0, and with another p beside it. Where both sides move alike there, x' = y - p or 0,
// x(T) = (T - p)^2 / 2. Where they do not, x' = 1 or 0, x(T) = T - p for p > 0 and T for p < 0: no derivative.
TEST(SensitivityOnSurfaces, MattersWhereSidesMoveDifferently) {
  constexpr double t_end = 2.0;
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
    for (const bool alike : {true, false}) {
      Model m("begins");
      const Expr x = m.state("x", 0.0), y = m.state("y", 0.0), z = m.algebraic("z"),
                 p = m.parameter("p", 0.0, {.nominal = 1.0});
      m.equation(der(y) == 1.0);
      const Cond above = m.named("above", y > p);
      m.equation(der(x) == (alike ? where(above, y - p, 0.0) : where(above, 1.0 + 0.0 * y, 0.0)));
      // What is only computed may have another rate on each side.
      m.equation(z + 0.1 * z * z * z == where(above, 3.0 * (y - p), 0.0));
      RunOptions o = instants_run(t_end, 1e-8, {"p"});
      o.engine = engine;
      const Solution s = simulate(m, o);
      ASSERT_TRUE(s.ok()) << s.report.message;
      if (alike) {
        ASSERT_FALSE(s.sensitivities.ends()) << s.sensitivities.ends()->why;
        EXPECT_NEAR(s.sensitivity("x", "p", t_end, Side::left), -t_end, 1e-6);
      } else {
        ASSERT_TRUE(s.sensitivities.ends());
        EXPECT_NE(s.sensitivities.ends()->why.find("begins on the surface of 'above'"),
                  std::string::npos)
            << s.sensitivities.ends()->why;
      }
    }
  }
}

// x(0) := p, whatever was stated before.
TEST(SensitivityOfActions, AtTheStartDoesNotDependOnStatedValues) {
  for (const double stated : {1.0, 0.5}) {
    Model m("start");
    const Expr x = m.state("x", stated), y = m.state("y", 0.0), p = m.parameter("p", 1.0);
    m.equation(der(x) == -x);
    m.equation(der(y) == 0.0);
    m.at_start("initial", {{x, 1.0 * p}});
    m.at_start("of y", {{y, 3.0 * p - 3.0}});
    const Solution s = simulate(m, instants_run(3.0, 1e-8, {"p"}));
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_NEAR(s.sensitivity("x", "p", 3.0, Side::left), std::exp(-3.0), 1e-7) << stated;
    EXPECT_NEAR(s.sensitivity("y", "p", 3.0, Side::left), 3.0, 1e-9) << stated;
  }
}

// hold := p, and after that b := 3 hold; hold may have that value already.
TEST(SensitivityOfActions, InAChainDoesNotDependOnWhetherValuesChange) {
  for (const double before : {1.0, 0.7}) {
    Model m("chain");
    const Expr x = m.state("x", 0.0), hold = m.state("hold", before), b = m.state("b", 0.0),
               p = m.parameter("p", 1.0), n = m.discrete("n", 0.0);
    m.equation(der(x) == 1.0);
    m.equation(der(hold) == 0.0);
    m.equation(der(b) == 0.0);
    m.when("first", x > 1.0, {{hold, 1.0 * p}, {n, pre(n) + 1.0}});
    m.when("second", change(n), {{b, 3.0 * hold}});
    const Solution s = simulate(m, instants_run(3.0, 1e-8, {"p"}));
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_NEAR(s.sensitivity("hold", "p", 3.0, Side::left), 1.0, 1e-9) << before;
    EXPECT_NEAR(s.sensitivity("b", "p", 3.0, Side::left), 3.0, 1e-9) << before;
  }
}

// Two actions may set the same value, and mean different ones.
TEST(SensitivityOfActions, ThatSetTheSameInDifferentWaysIsRefused) {
  Model m("both");
  const Expr x = m.state("x", 0.0), y = m.state("y", 0.0), p = m.parameter("p", 1.0);
  m.equation(der(x) == 1.0);
  m.equation(der(y) == 0.0);
  m.when("one", x > 1.0, {{y, 1.0 * p}});
  m.when("other", x > 1.0, {{y, p * p}});
  const Solution s = simulate(m, instants_run(3.0, 1e-8, {"p"}));
  ASSERT_TRUE(s.ok()) << s.report.message;
  ASSERT_TRUE(s.sensitivities.ends());
  EXPECT_NE(s.sensitivities.ends()->why.find("'y'"), std::string::npos)
      << s.sensitivities.ends()->why;
}

// x := sin(omega tau) at tau.
TEST(SensitivityOfActions, IsExactHoweverSteepTheyAre) {
  for (const double omega : {1e3, 1e5, 1e7}) {
    Model m("fast");
    const Expr x = m.state("x", 1.0), tau = m.parameter("tau", 1.0);
    m.equation(der(x) == 0.0);
    m.when("go", m.time() > tau, {{x, sin(omega * m.time())}});
    const Solution s = simulate(m, instants_run(3.0, 1e-8, {"tau"}));
    ASSERT_TRUE(s.ok()) << s.report.message;
    const double exact = omega * std::cos(omega);
    // The event is located to 1e-10, by which a phase is off.
    EXPECT_NEAR(s.sensitivity("x", "tau", 3.0, Side::left), exact,
                1e-8 * omega + 1e-10 * omega * omega)
        << omega;
  }
}

// Saturation at concentrations far below 1, without nominal values.
TEST(SensitivityOfActionsAndOutputs, IsExactForSmallUnknowns) {
  for (const double c0 : {1e-3, 1e-8}) {
    Model m("concentration");
    const Expr c = m.state("c", c0), z = m.state("z", 0.0), k = m.parameter("k", 1.0);
    m.equation(der(c) == -k * c);
    m.equation(der(z) == 0.0);
    m.output("rate", c / (c0 + c));
    m.output("logarithm", log(c));
    m.output("root", sqrt(c));
    m.when("go", m.time() > 1.0, {{z, c / (c0 + c)}});
    RunOptions o = instants_run(2.0, 1e-8, {"k"});
    o.atol = 1e-16;
    const Solution s = simulate(m, o);
    ASSERT_TRUE(s.ok()) << s.report.message;
    const double e1 = std::exp(-1.0), e2 = std::exp(-2.0);
    const auto at_end = [&](const char* name) { return s.sensitivity(name, "k", 2.0, Side::left); };
    EXPECT_NEAR(at_end("z"), -e1 / ((1 + e1) * (1 + e1)), 1e-6) << c0;
    EXPECT_NEAR(at_end("rate"), -2 * e2 / ((1 + e2) * (1 + e2)), 1e-6) << c0;
    EXPECT_NEAR(at_end("logarithm"), -2.0, 1e-6) << c0;
    EXPECT_NEAR(at_end("root"), -std::sqrt(c0 * e2), 1e-6 * std::sqrt(c0)) << c0;
  }
}

// u is extremely sensitive, and neither z nor the output reads it.
TEST(SensitivityOfActionsAndOutputs, DoesNotDependOnUnknownsTheyDoNotRead) {
  for (const double large : {1.0, 1e9}) {
    Model m("beside");
    const Expr v = m.state("v", 1.0), z = m.state("z", 0.0), u = m.state("u", 1.0),
               p = m.parameter("p", 1.0);
    m.equation(der(v) == -1e-3 * p * v);
    m.equation(der(u) == large * (p - 1.0));
    m.equation(der(z) == 0.0);
    m.output("square", v * v);
    m.when("go", m.time() > 1.0, {{z, -0.8 * v}});
    const Solution s = simulate(m, instants_run(2.0, 1e-8, {"p"}));
    ASSERT_TRUE(s.ok()) << s.report.message;
    // S of v has atol 1e-8
    EXPECT_NEAR(s.sensitivity("z", "p", 2.0, Side::left), 0.8e-3 * std::exp(-1e-3), 1e-8) << large;
    EXPECT_NEAR(s.sensitivity("square", "p", 2.0, Side::left), -4e-3 * std::exp(-4e-3), 1e-8)
        << large;
  }
}

// ---- what is refused, and how ---------------------------------------------------------------------------

std::string why_refused(const Solution& s, const char* variable, const char* parameter, double t) {
  try {
    (void)s.sensitivity(variable, parameter, t);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

// x = t^2 - c touches 0 from above, hardly: -2 ... 2, in both directions of time.
TEST(SensitivityRefusals, OfRunsBackwardInTimeSayWhy) {
  for (const bool backward : {false, true}) {
    Model m("parabola");
    const Expr x = m.state("x", 4.0 + 1e-9), v = m.state("v", backward ? 4.0 : -4.0),
               z = m.state("z", 0.0);
    m.equation(der(x) == v);
    m.equation(der(v) == 2.0);
    m.equation(der(z) == where(x > 0.0, 1.0, 0.0));
    RunOptions o = instants_run(backward ? -2.0 : 2.0, 1e-6, {"x"});
    o.t_begin = backward ? 2.0 : -2.0;
    const Solution s = simulate(m, o);
    ASSERT_TRUE(s.ok()) << s.report.message;
    ASSERT_TRUE(s.sensitivities.ends()) << backward;
    EXPECT_NEAR(s.sensitivities.ends()->t, 0.0, 0.1);
    EXPECT_NE(why_refused(s, "z", "x", backward ? -1.5 : 1.5).find("'x > 0' is touched"),
              std::string::npos)
        << why_refused(s, "z", "x", backward ? -1.5 : 1.5);
  }
}

TEST(SensitivityRefusals, OutputsWithoutDerivativesSayWhy) {
  Model m("root");
  const Expr x = m.state("x", 0.0), p = m.parameter("p", 0.0);
  m.equation(der(x) == p);
  m.output("root", sqrt(x));
  const Solution s = simulate(m, instants_run(1.0, 1e-6, {"p"}));
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NE(why_refused(s, "root", "p", 0.5).find("cannot be differentiated"), std::string::npos)
      << why_refused(s, "root", "p", 0.5);
}

// Events that are moved to ends of steps have times without derivatives.
TEST(SensitivityRefusals, OfEventsAtEndsOfSteps) {
  Model m("late");
  const Expr x = m.state("x", 0.0), p = m.parameter("p", 1.0);
  m.equation(der(x) == where(x > 1.0, 2.0, 1.0) * p);
  RunOptions o = instants_run(3.0, 1e-6, {"p"});
  o.events.location = LocationKind::step_end;
  EXPECT_THROW((void)simulate(m, o), OptionError);
  o.sensitivities.clear();
  EXPECT_TRUE(simulate(m, o).ok());
}

}  // namespace
}  // namespace saltus
