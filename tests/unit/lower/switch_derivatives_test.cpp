// Switching functions of derivatives take them from the equations.
#include <saltus/lower.hpp>

#include <memory>

#include <gtest/gtest.h>

#include <saltus/model.hpp>
#include <saltus/system.hpp>

namespace saltus {
namespace {

std::shared_ptr<const System> system_of(const Model& m) {
  return *compile_model(m.build())->system({});
}

double first_function(const System& s, const std::vector<double>& x,
                      const std::vector<double>& xdot) {
  auto w = s.workspace();
  std::vector<double> g(w->ability<SwitchingFunctions>()->count());
  EXPECT_TRUE(static_cast<bool>(w->ability<SwitchingFunctions>()->evaluate(0.0, x, xdot, g)));
  return g[0];
}

TEST(SwitchDerivatives, AnExplicitDerivativeIsItsRightSide) {
  Model m("m");
  Expr x = m.state("x", 1.0), v = m.state("v", 2.0), k = m.parameter("k", 3.0);
  m.equation(der(x) == v);
  m.equation(2.0 * der(v) == where(der(v) > 1.0, -k * x, -2.0 * k * x));
  const auto s = system_of(m);
  EXPECT_EQ(s->size(), 2u);
  auto w = s->workspace();
  auto& f = *w->ability<SwitchingFunctions>();
  EXPECT_EQ(f.info(0).name, "der(v) > 1");
  // x' is never read: the slope of a polynomial is no derivative of the solution.
  const std::vector<double> x_0 = {-5.0, 0.0};
  for (const bool lock : {true, false}) {
    w->ability<Locks>()->set_lock(0, lock);
    for (const double wrong : {0.0, 1e6}) {
      std::vector<double> g(1);
      ASSERT_TRUE(static_cast<bool>(f.evaluate(0.0, x_0, std::vector{wrong, wrong}, g)));
      EXPECT_EQ(g[0], (lock ? 15.0 : 30.0) / 2.0 - 1.0);
    }
  }
  EXPECT_TRUE(check_system(*s).empty());
}

TEST(SwitchDerivatives, TheirOwnEquationHasTheirAccuracyAlongAStep) {
  Model m("m");
  Expr x = m.state("x", 1.0);
  m.equation(der(x) == -x * x);
  m.output("late", where(der(x) > -0.25, Expr(1.0), Expr(0.0)));
  const auto s = system_of(m);
  auto w = s->workspace();
  auto* enclosure = w->ability<StepEnclosure>();
  const std::vector<double> c = {1.0, -1.0, 0.5};
  const StepPolynomial step{0.0, 1.0, 2, 1, c};
  std::vector<Interval> g(1);
  enclosure->hulls(step, {1.0, 1.0}, g);
  // -x^2 + 1/4 at x = 1/2, not the slope of the polynomial, which is 0 there.
  EXPECT_TRUE(g[0].contains(0.0));
  EXPECT_FALSE(g[0].contains(0.25));
}

TEST(SwitchDerivatives, OfAnImplicitEquationBecomeUnknowns) {
  Model m("m");
  Expr x = m.state("x", 1.0, {.derivative_guess = 1.0});
  m.equation(der(x) * der(x) * der(x) + der(x) == x);
  m.output("fast", where(der(x) > 0.5, Expr(1.0), Expr(0.0)));
  const auto s = system_of(m);
  ASSERT_EQ(s->size(), 2u);
  EXPECT_EQ(s->unknown_name(1), "der(x)");
  EXPECT_EQ(s->equation_name(1), "definition of der(x)");
  EXPECT_EQ(first_function(*s, {7.0, 3.0}, {0.0, 0.0}), 2.5);
  EXPECT_TRUE(check_system(*s).empty());
  // The twin without the relation has one unknown.
  Model plain("m");
  Expr y = plain.state("y", 1.0);
  plain.equation(der(y) * der(y) * der(y) + der(y) == y);
  EXPECT_EQ(system_of(plain)->size(), 1u);
}

TEST(SwitchDerivatives, OfCoupledEquationsBecomeUnknowns) {
  Model m("m");
  Expr x = m.state("x", 1.0), y = m.state("y", 2.0);
  m.equation(der(x) + der(y) == x);
  m.equation(der(x) - der(y) == y);
  m.output("fast", where(der(y) > 0.5, Expr(1.0), Expr(0.0)));
  const auto s = system_of(m);
  ASSERT_EQ(s->size(), 3u);
  EXPECT_EQ(s->unknown_name(2), "der(y)");
  EXPECT_TRUE(check_system(*s).empty());
}

TEST(SwitchDerivatives, SecondDerivativesToo) {
  Model m("m");
  Expr q = m.state("q", 1.0);
  m.equation(der(der(q)) == -4.0 * q);
  m.output("side", where(der(q) + der(q, 2) > 0.0, Expr(1.0), Expr(0.0)));
  const auto s = system_of(m);
  EXPECT_EQ(s->size(), 2u);
  EXPECT_EQ(first_function(*s, {3.0, 5.0}, {0.0, 0.0}), 5.0 - 12.0);
}

TEST(SwitchDerivatives, OfAFamilyAreThoseOfTheLane) {
  Model m("m");
  const std::vector<double> start = {1.0, 2.0, 3.0};
  Expr u = m.states("u", start);
  m.equation("u", der(u) == -2.0 * u);
  m.output("fast", where(der(u) < -3.0, Expr(1.0), Expr(0.0)));
  const auto s = system_of(m);
  auto w = s->workspace();
  std::vector<double> g(3);
  ASSERT_TRUE(static_cast<bool>(
      w->ability<SwitchingFunctions>()->evaluate(0.0, start, std::vector{0.0, 0.0, 0.0}, g)));
  EXPECT_EQ(g, (std::vector<double>{1.0, -1.0, -3.0}));
}

TEST(SwitchDerivatives, ThatNoEquationContainsAreRefused) {
  Model m("m");
  Expr x = m.state("x", 1.0), y = m.algebraic("y");
  m.equation(der(x) == -x);
  m.equation(y == x * x);
  m.output("rising", where(der(y) > 0.0, Expr(1.0), Expr(0.0)));
  try {
    system_of(m);
    FAIL() << "not refused";
  } catch (const ModelError& e) {
    EXPECT_NE(std::string(e.what()).find("der(y) > 0"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace saltus
