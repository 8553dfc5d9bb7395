// Derivatives of outputs, and of what whole runs come to.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <saltus/simulate.hpp>

namespace saltus {
namespace {

constexpr EngineKind engines_with_gradients[] = {EngineKind::dopri5, EngineKind::dop853,
                                                 EngineKind::radau, EngineKind::ida};

RunOptions gradient_run(double t_end, double tolerance, EngineKind engine) {
  RunOptions o;
  o.t_end = t_end;
  o.rtol = o.atol = tolerance;
  o.engine = engine;
  return o;
}

// ---- outputs --------------------------------------------------------------------------------------------

TEST(OutputSensitivities, OfStickAndSlipAreThoseOfDifferences) {
  const auto run = [](double stiffness, const RunOptions& options) {
    Model m("belt");
    const Expr x = m.state("x", 1.0), v = m.state("v", 0.5);
    const Expr k = m.parameter("k", stiffness), belt = m.parameter("belt", 0.2);
    const Expr friction = -sign(v - belt) / (1.0 + 3.0 * abs(v - belt));
    m.equation(der(x) == v);
    m.equation(der(v) == -k * x + friction);
    m.output("energy", 0.5 * (v * v + k * x * x));
    m.output("friction", friction);
    m.output("acceleration", der(v));
    m.output("k", 1.0 * k);  // a parameter is no column, so its name is free
    return simulate(m, options);
  };
  const double step = 1e-4;
  RunOptions fine = gradient_run(12.0, 1e-11, EngineKind::dop853);
  const Solution up = run(3.0 + step, fine), down = run(3.0 - step, fine);
  for (const EngineKind engine : engines_with_gradients) {
    RunOptions options = gradient_run(12.0, 1e-9, engine);
    options.sensitivities = {"k", "v"};
    const Solution s = run(3.0, options);
    ASSERT_TRUE(s.ok()) << s.report.message;
    ASSERT_FALSE(s.sensitivities.ends());
    const double slip = 11.5, stick = 7.6;
    ASSERT_FALSE(s.trajectory.segments().empty());
    for (const double t : {slip, stick, 12.0}) {
      const Side side = t == 12.0 ? Side::left : Side::right;
      for (const char* output : {"energy", "friction", "acceleration"}) {
        const double difference = (up.at(output, t, side) - down.at(output, t, side)) / (2 * step);
        // as for unknowns 1e-5; relative to 1, because some are zero while it sticks
        EXPECT_NEAR(s.sensitivity(output, "k", t, side), difference,
                    1e-5 * std::max(1.0, std::abs(difference)))
            << name(engine) << " " << output << " " << t;
      }
    }
    // on the belt friction is what holds it: k x
    EXPECT_NEAR(s.sensitivity("friction", "k", stick),
                s.at("x", stick) + 3.0 * s.sensitivity("x", "k", stick), 1e-6);
    // a mixture of both sides: zero up to the rounding of differences
    EXPECT_NEAR(s.sensitivity("k", "v", stick), 0.0, 1e-9);
    EXPECT_NEAR(s.sensitivity("k", "k", stick), 1.0, 1e-9);
  }
}

TEST(OutputSensitivities, AreAbsentWhereTheyDoNotExist) {
  // the root of x(0) + t has no derivative at t = 0 for x(0) = 0
  Model m("tank");
  const Expr x = m.state("x", 0.0);
  m.equation(der(x) == 1.0);
  m.output("root", sqrt(x));
  m.output("twice", 2.0 * x);
  RunOptions options = gradient_run(2.0, 1e-9, EngineKind::radau);
  options.sensitivities = {"x"};
  options.initial_step = 1e-6;
  const Solution s = simulate(m, options);
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.sensitivity("twice", "x", 1e-7), 2.0, 1e-9);
  EXPECT_THROW((void)s.sensitivity("root", "x", 1e-7), Error);
  EXPECT_NEAR(gradient(s, "root").of("x"), 1 / std::sqrt(8.0), 1e-8);
  options.t_end = 1e-6;
  const Solution early = simulate(m, options);
  EXPECT_TRUE(gradient(early, "twice").ok());
  ASSERT_FALSE(gradient(early, "root").ok());
  EXPECT_NE(gradient(early, "root").refused->why.find("'root' cannot be differentiated"),
            std::string::npos);
}

// ---- functionals ----------------------------------------------------------------------------------------

TEST(GradientOfFunctionals, WithEndAndIntegralIsTheClosedForm) {
  const double a = 0.7, b = 1.3, x0 = 2.0, T = 3.0, q = std::exp(-2 * a * T);
  for (const EngineKind engine : engines_with_gradients) {
    Model m("decay");
    const Expr x = m.state("x", x0), rate = m.parameter("a", a), weight = m.parameter("b", b);
    m.equation(der(x) == -rate * x);
    m.output("J", weight * x * x + m.integral("sum", rate * x * x));
    const Gradient g = gradient(m, "J", {"a", "b", "x"}, gradient_run(T, 1e-9, engine));
    ASSERT_TRUE(g.ok()) << g.refused->why;
    // J = x0^2 (b q + (1 - q) / 2)
    const double few = 1e-7;
    EXPECT_NEAR(g.value, x0 * x0 * (b * q + (1 - q) / 2), few) << name(engine);
    EXPECT_NEAR(g.of("a"), x0 * x0 * (b - 0.5) * -2 * T * q, few) << name(engine);
    EXPECT_NEAR(g.of("b"), x0 * x0 * q, few) << name(engine);
    EXPECT_NEAR(g.of("x"), 2 * x0 * (b * q + (1 - q) / 2), few) << name(engine);
    EXPECT_THROW((void)g.of("c"), Error);
  }
}

TEST(GradientOfFunctionals, MovesWithTheEventThatEndsTheRun) {
  const double g = 9.81, h = 1.7, fall = std::sqrt(2 * h / g);
  for (const EngineKind engine : engines_with_gradients) {
    Model m("stone");
    const Expr y = m.state("y", h), v = m.state("v", 0.0), gravity = m.parameter("g", g);
    m.equation(der(y) == v);
    m.equation(der(v) == -gravity);
    m.terminate_when("ground", y < 0.0);
    m.output("energy", v * v);          // 2 g h where it falls
    (void)m.integral("area", 1.0 * y);  // 2/3 h t*
    RunOptions options = gradient_run(2.0, 1e-9, engine);
    options.sensitivities = {"g", "y"};
    const Solution s = simulate(m, options);
    ASSERT_EQ(s.report.outcome, Outcome::terminal_event) << s.report.message;
    const Gradient energy = gradient(s, "energy"), area = gradient(s, "area");
    ASSERT_TRUE(energy.ok()) << energy.refused->why;
    const double few = 1e-6;
    EXPECT_NEAR(energy.t, fall, few);
    EXPECT_NEAR(energy.of("g"), 2 * h, few) << name(engine);
    EXPECT_NEAR(energy.of("y"), 2 * g, few) << name(engine);
    EXPECT_NEAR(area.of("y"), fall, few) << name(engine);
    EXPECT_NEAR(area.of("g"), -h * fall / (3 * g), few) << name(engine);
    // twin: at a fixed time the speed does not depend on the height
    EXPECT_NEAR(s.sensitivity("energy", "y", fall, Side::left), 0.0, few);
  }
}

TEST(GradientOfFunctionals, IsRefusedByName) {
  // an event at the very end
  Model m("decay");
  const Expr x = m.state("x", 1.0);
  m.equation(der(x) == -x);
  RunOptions options = gradient_run(1.0, 1e-9, EngineKind::radau);
  options.sensitivities = {"x"};
  Solution s = simulate(m, options);
  EXPECT_TRUE(gradient(s, "x").ok());
  const Sensitivities plain = s.sensitivities;
  s.sensitivities = {plain.parameters(), plain.trajectory(), {{1.0, "x > a", {0.5}}}, {}};
  const Gradient at_event = gradient(s, "x");
  ASSERT_FALSE(at_event.ok());
  EXPECT_NE(at_event.refused->why.find("an event falls on the end"), std::string::npos)
      << at_event.refused->why;
  EXPECT_THROW((void)at_event.of("x"), Error);
  // a run that fails
  Model explodes("explodes");
  const Expr y = explodes.state("y", 1.0);
  explodes.equation(der(y) == y * y);
  const Gradient none = gradient(explodes, "y", {"y"}, gradient_run(2.0, 1e-6, EngineKind::dopri5));
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.refused->why.find("ended early"), std::string::npos) << none.refused->why;
  // derivatives that end
  Model touches("touches");
  const Expr z = touches.state("z", 0.0), w = touches.state("w", 1.0);
  touches.equation(der(z) == w);
  touches.equation(der(w) == -z - where(z > 1.0, 5.0 * (z - 1.0), Expr(0.0)));
  const Gradient grazes = gradient(touches, "z", {"w"}, gradient_run(3.0, 1e-8, EngineKind::radau));
  ASSERT_FALSE(grazes.ok());
  EXPECT_NE(grazes.refused->why.find("z > 1"), std::string::npos);
  EXPECT_LT(grazes.refused->t, 2.0);
}

}  // namespace
}  // namespace saltus
