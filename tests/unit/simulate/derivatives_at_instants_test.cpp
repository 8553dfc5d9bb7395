// Derivatives where several things happen at one instant: closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <saltus/simulate.hpp>

namespace saltus {
namespace {

RunOptions at_instants(std::vector<std::string> with_respect_to, double tolerance = 1e-8) {
  RunOptions o;
  o.t_end = 3.0;
  o.rtol = o.atol = tolerance;
  o.sensitivities = std::move(with_respect_to);
  return o;
}

/// 100 tolerances: these are sums of a few terms of the size of one.
void expect_derivative(const Solution& s, const char* variable, const char* parameter, double exact,
                       double tolerance = 1e-8) {
  ASSERT_TRUE(s.ok()) << s.report.message;
  ASSERT_FALSE(s.sensitivities.ends()) << s.sensitivities.ends()->why;
  EXPECT_NEAR(s.sensitivity(variable, parameter, 3.0, Side::left), exact, 100 * tolerance)
      << variable << " " << parameter;
}

TEST(DerivativesAtInstants, GoThroughATransitionAtTheStart) {
  Model m("left at once");
  const Expr x = m.state("x", 2.0), p = m.parameter("p", 1.5), k = m.parameter("k", 1.0);
  const ModeId a = m.mode("A"), b = m.mode("B");
  m.equation(a, der(x) == 1.0);
  m.equation(b, der(x) == -k * x);
  m.transition("go", a, b, x > 1.0, {.maps = {{x, p * x}}});
  const Solution s = simulate(m, at_instants({"p", "x", "k"}));
  expect_derivative(s, "x", "p", 2 * std::exp(-3.0));
  expect_derivative(s, "x", "x", 1.5 * std::exp(-3.0));
  expect_derivative(s, "x", "k", -3 * 3.0 * std::exp(-3.0));
}

/// v(t) = 2 t1^2 + 3 (t - t1) with t1 = 1/p.
TEST(DerivativesAtInstants, MoveWithOneTimeWhereATransitionSetsOffAnAction) {
  Model m("transition sets off an action");
  const Expr x = m.state("x", 0.0), v = m.state("v", 0.0), p = m.parameter("p", 1.0);
  const ModeId a = m.mode("A"), b = m.mode("B");
  m.equation(a, der(x) == 1.0 * p);
  m.equation(b, der(x) == 0.0 * p);
  m.equation(a, der(v) == 1.0);
  m.equation(b, der(v) == 3.0);
  m.transition("go", a, b, x > 1.0, {.maps = {{x, x + 5.0}}});
  m.when("hit", x > 4.0, {{v, 2.0 * v * v}});
  const Solution s = simulate(m, at_instants({"p"}));
  expect_derivative(s, "v", "p", (4.0 - 3.0) * -1.0);
  expect_derivative(s, "x", "p", 0.0);
}

/// v^2 = 0.8 at the event whatever p is, then y = p (p v)^2.
TEST(DerivativesAtInstants, OfWhatFollowsFromAnActionAreReadByTheNext) {
  Model m("chain over an algebraic unknown");
  const Expr v = m.state("v", 1.0), x = m.state("x", 0.0), y = m.algebraic("y"),
             z = m.state("z", 0.0), n = m.discrete("n", 0.0), p = m.parameter("p", 0.3);
  m.equation(der(x) == y);
  m.equation(y == v * v * p);
  m.equation(der(v) == -p * v);
  m.equation(der(z) == 0.0);
  m.when("first", x > 0.1, {{v, -p * v}, {n, pre(n) + 1.0}});
  m.when("second", change(n), {{z, 1.0 * y}});
  expect_derivative(simulate(m, at_instants({"p"})), "z", "p", 2.4 * 0.3 * 0.3);
}

/// v^2 = 1 - p at the event, then der(x) = (p v)^2.
TEST(DerivativesAtInstants, OfDerivativesAfterAnActionAreReadByTheNext) {
  Model m("chain over a derivative");
  const Expr v = m.state("v", 1.0), x = m.state("x", 0.0), z = m.state("z", 0.0),
             n = m.discrete("n", 0.0), p = m.parameter("p", 0.3);
  m.equation(der(x) == v * v);
  m.equation(der(v) == -p * v);
  m.equation(der(z) == 0.0);
  m.when("first", x > 0.5, {{v, -p * v}, {n, pre(n) + 1.0}});
  m.when("second", change(n), {{z, der(x)}});
  expect_derivative(simulate(m, at_instants({"p"})), "z", "p", 2 * 0.3 - 3 * 0.09);
}

/// What is set to the value it has moves all the same, and what follows from it.
TEST(DerivativesAtInstants, OfWhatIsSetToItsOwnValueAreReadByTheNext) {
  for (const double before : {1.0, 0.7}) {
    Model m("chain of equal values");
    const Expr x = m.state("x", 0.0), hold = m.state("hold", before), b = m.state("b", 0.0),
               twice = m.algebraic("twice"), p = m.parameter("p", 1.0);
    const Expr n = m.discrete("n", 0.0);
    m.equation(der(x) == 1.0);
    m.equation(der(hold) == 0.0);
    m.equation(der(b) == 0.0);
    m.equation(twice == 2.0 * hold);
    m.when("first", x > 1.0, {{hold, 1.0 * p}, {n, pre(n) + 1.0}});
    m.when("second", change(n), {{b, 3.0 * hold + twice}});
    const Solution s = simulate(m, at_instants({"p"}));
    expect_derivative(s, "hold", "p", 1.0);
    expect_derivative(s, "b", "p", 5.0);
  }
}

void write_priorities(Model& m, double of_high, double of_low, int priority) {
  const Expr x = m.state("x", 0.0), v = m.state("v", 1.0), e = m.parameter("e", 0.5);
  m.equation(der(x) == 1.0);
  m.equation(der(v) == 0.0);
  m.when("low", x > 1.0, {{v, of_low * v}});
  m.when("high", x > 1.0, {{v, of_high * e * v}}, {.priority = priority});
}

TEST(DerivativesAtInstants, AreThoseOfTheActionWithTheHighestPriority) {
  Model different("priority");
  write_priorities(different, -1.0, 0.5, 1);
  expect_derivative(simulate(different, at_instants({"e"})), "v", "e", -1.0);
  Model equal("priority among equal values");
  write_priorities(equal, 1.0, 0.5, 1);
  expect_derivative(simulate(equal, at_instants({"e"})), "v", "e", 1.0);
}

TEST(DerivativesAtInstants, EndWhereTwoActionsAgreeByChance) {
  Model m("no priority");
  write_priorities(m, 1.0, 0.5, 0);
  const Solution s = simulate(m, at_instants({"e"}));
  ASSERT_TRUE(s.ok()) << s.report.message;
  ASSERT_TRUE(s.sensitivities.ends());
  EXPECT_NE(s.sensitivities.ends()->why.find("both set 'v'"), std::string::npos)
      << s.sensitivities.ends()->why;
}

/// z' = 2 once x > 1, else 7 once y > 1, else 1: from the left and from the right of p = q derivatives differ.
TEST(DerivativesAtInstants, EndWhereACrossingIsMaskedByAnotherOne) {
  Model m("masked");
  const Expr x = m.state("x", 0.0), y = m.state("y", 0.0), z = m.state("z", 0.0),
             p = m.parameter("p", 1.0), q = m.parameter("q", 1.0);
  m.equation(der(x) == p);
  m.equation(der(y) == q);
  m.equation(der(z) == where(x > 1.0, 2.0, where(y > 1.0, 7.0, 1.0)));
  const Solution s = simulate(m, at_instants({"p", "q"}));
  ASSERT_TRUE(s.sensitivities.ends());
  EXPECT_NEAR(s.sensitivities.ends()->t, 1.0, 1e-6);
}

/// Where both always cross together their order does not matter.
TEST(DerivativesAtInstants, GoOnWhereAMaskedCrossingMovesAlong) {
  Model m("masked");
  const Expr x = m.state("x", 0.0), z = m.state("z", 0.0), p = m.parameter("p", 1.0);
  m.equation(der(x) == p);
  m.equation(der(z) == where(x > 1.0, 2.0, where(2.0 * x > 2.0, 7.0, 1.0)));
  expect_derivative(simulate(m, at_instants({"p"})), "z", "p", 1.0);
}

/// Charges of capacitors add up, however small the difference of their voltages: v = exp(-0.3) (v1 + 3 v2) / 4.
TEST(DerivativesAtInstants, OfImpulsesAreThoseOfImpulsesHoweverSmall) {
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    for (const double beside : {0.0, 1e-7, 1.0}) {
      Model m("capacitors");
      const Expr a = m.state("v1", 1.0), b = m.state("v2", 1.0 + beside), i = m.algebraic("i"),
                 c1 = m.parameter("C1", 1.0), c2 = m.parameter("C2", 3.0);
      m.equation(c1 * der(a) == -i - 0.1 * a);
      m.equation(c2 * der(b) == i - 0.3 * b);
      m.ideal_switch("S", a - b, i, m.time() > 1.0);
      const Solution s = simulate(m, at_instants({"v1"}, tolerance));
      expect_derivative(s, "v1", "v1", std::exp(-0.3) / 4, tolerance);
      expect_derivative(s, "v2", "v1", std::exp(-0.3) / 4, tolerance);
    }
  }
}

TEST(DerivativesAtInstants, OfALockedClutchAreThoseOfConservedMomentum) {
  for (const double w2 : {1.0, 1.5}) {
    Model m("clutch");
    const Expr a = m.state("w1", 1.0), b = m.state("w2", w2), torque = m.algebraic("M");
    const ModeId open = m.mode("open"), locked = m.mode("locked");
    m.equation(der(a) == -torque);
    m.equation(3.0 * der(b) == torque);
    m.equation(open, torque == 0.0);
    m.equation(locked, a == b);
    m.transition("lock", open, locked, m.time() > 1.0, {.restart = RestartPolicy::impulse});
    const Solution s = simulate(m, at_instants({"w1"}, 1e-6));
    expect_derivative(s, "w1", "w1", 0.25, 1e-6);
    expect_derivative(s, "w2", "w1", 0.25, 1e-6);
  }
}

// x = sin t passes c at pi/6, y = exp(-t) its own value a little later or earlier. z' is 1 before both, 4 after both, between
// them 2 or 7, so that dz/dc depends on the order. With `matters` false y changes nothing.
Solution two_surfaces(double apart, double tolerance, EngineKind engine, bool matters = true) {
  Model m("two surfaces");
  const Expr x = m.state("x", 0.0), w = m.state("w", 1.0), y = m.state("y", 1.0);
  const Expr z = m.state("z", 0.0), c = m.parameter("c", 0.5);
  m.equation(der(x) == w);
  m.equation(der(w) == -x);
  m.equation(der(y) == -y);
  const Cond later = y < std::exp(-(std::acos(-1.0) / 6 + apart));
  if (matters)
    m.equation(der(z) == where(x > c, where(later, 4.0, 2.0), where(later, 7.0, 1.0)));
  else
    m.equation(der(z) == where(x > c, 2.0, 1.0) + where(later && (x < -10.0), 5.0, 0.0));
  RunOptions o = at_instants({"c"}, tolerance);
  o.engine = engine;
  return simulate(m, o);
}

TEST(DerivativesAtInstants, AreNotGivenWhereErrorsDecideTheOrder) {
  const double of_time = 1 / std::sqrt(0.75);
  for (const EngineKind engine : {EngineKind::ida, EngineKind::radau, EngineKind::dop853}) {
    for (const double apart : {1e-5, -1e-5}) {
      const double exact = (apart > 0 ? 2 : 6) * of_time;
      const Solution coarse = two_surfaces(apart, 1e-4, engine);
      ASSERT_TRUE(coarse.sensitivities.ends());
      EXPECT_NE(coarse.sensitivities.ends()->why.find("their order"), std::string::npos)
          << coarse.sensitivities.ends()->why;
      expect_derivative(two_surfaces(apart, 1e-8, engine), "z", "c", exact);
      // ida at 1e-4 takes the two in the wrong order: here that does not matter
      expect_derivative(two_surfaces(apart, 1e-4, engine, false), "z", "c", -2 * of_time, 1e-4);
    }
  }
}

}  // namespace
}  // namespace saltus
