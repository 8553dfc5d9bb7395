// A start value is kept, a guess gives way: also where hidden constraints tie them together.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include <saltus/simulate.hpp>

namespace saltus {
namespace {

/// A rod on a hinge with the reactions of the hinge, of index 3. Position and velocity of its centre follow from the
/// angle; here they are guesses, zero or near, or stated and wrong.
Solution hinged_rod(bool states_velocities, EngineKind engine) {
  Model m("rod");
  const double mass = 36.0, length = 1.0, g = 9.81, inertia = mass * length * length / 12;
  const auto velocity = [&](const char* name) {
    return m.state(name, states_velocities ? Attributes{.start = 0.0} : Attributes{.guess = 0.0});
  };
  const Expr angle = m.state("angle", 0.35), rate = m.state("rate", 1.0);
  const Expr x = m.state("x", Attributes{.guess = 0.4}), y = m.state("y", Attributes{.guess = 0.1});
  const Expr vx = velocity("vx"), vy = velocity("vy");
  const Expr rx = m.algebraic("rx"), ry = m.algebraic("ry");
  m.equation(der(x) == vx);
  m.equation(der(y) == vy);
  m.equation(der(angle) == rate);
  m.equation(mass * der(vx) == mass * g + rx);
  m.equation(mass * der(vy) == ry);
  m.equation(inertia * der(rate) == length / 2 * (sin(angle) * rx - cos(angle) * ry));
  m.equation(x == length / 2 * cos(angle));
  m.equation(y == length / 2 * sin(angle));
  RunOptions options{.t_end = 0.1};
  options.engine = engine;
  return simulate(m, options);
}

TEST(StatedStarts, GuessesGiveWayAtIndexThree) {
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
    const Solution s = hinged_rod(false, engine);
    ASSERT_TRUE(s.ok()) << s.report.message;
    // a few roundings of numbers of size one
    EXPECT_NEAR(s.at("angle", 0.0), 0.35, 1e-12);
    EXPECT_NEAR(s.at("rate", 0.0), 1.0, 1e-12);
    EXPECT_NEAR(s.at("x", 0.0), 0.5 * std::cos(0.35), 1e-12);
    EXPECT_NEAR(s.at("vx", 0.0), -0.5 * std::sin(0.35), 1e-12);
    EXPECT_NEAR(s.at("vy", 0.0), 0.5 * std::cos(0.35), 1e-12);
  }
}

TEST(StatedStarts, StatedValuesThatContradictEachOtherAreTold) {
  const Solution s = hinged_rod(true, EngineKind::radau);
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_LT(s.at("rate", 0.0), 0.5);
  bool told = false;
  for (const DecisionRecord& choice : s.report.choices)
    told = told || choice.name == "start value of rate";
  EXPECT_TRUE(told);
  ASSERT_EQ(s.report.warnings.size(), 1U);
  EXPECT_NE(s.report.warnings[0].find("contradict the stated start values"), std::string::npos);
  EXPECT_NE(s.report.warnings[0].find("'rate' from 1 to "), std::string::npos)
      << s.report.warnings[0];
}

TEST(StatedStarts, ValuesStayWhereAnEquationHasTwoDerivatives) {
  for (const double factor : {1.0, 1e6}) {
    Model m("two derivatives");
    Expr x = m.state("x", 0.9), y = m.state("y", Attributes{.guess = 0.0});
    m.equation(factor * (der(x) + der(y)) == factor * 1.0);
    m.equation(x - y == 0.5);
    const Solution s = simulate(m, {.t_end = 1.0});
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_EQ(s.at("x", 0.0), 0.9);
    EXPECT_NEAR(s.at("y", 0.0), 0.4, 1e-12);
    EXPECT_NEAR(s.final("x"), 1.4, 1e-6);
  }
}

}  // namespace
}  // namespace saltus
