// Outputs that change faster than the solution they are computed from: between rows, with derivatives, at the event
// that ends a run.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <saltus/simulate.hpp>

namespace saltus {
namespace {

constexpr EngineKind engines_with_outputs[] = {EngineKind::dopri5, EngineKind::dop853,
                                               EngineKind::radau, EngineKind::ida};

RunOptions fast_run(double t_end, double tolerance, EngineKind engine) {
  RunOptions o;
  o.t_end = t_end;
  o.rtol = o.atol = tolerance;
  o.engine = engine;
  return o;
}

void write_sensor(Model& m) {
  const Expr x = m.state("x", 0.0), w = m.state("w", 1.0), p = m.parameter("p", 1.0);
  m.equation(der(x) == p);
  m.equation(der(w) == -0.3 * w);
  m.output("y", sin(10.0 * x));
  m.output("q", x * w * w);
}

// x = p t: 30 rad within a few steps.
TEST(FastOutputs, AreAsAccurateBetweenRowsAsTheSolution) {
  for (const EngineKind engine : engines_with_outputs) {
    for (const double tolerance : {1e-4, 1e-6, 1e-9}) {
      Model m("sensor");
      write_sensor(m);
      const Solution s = simulate(m, fast_run(3.0, tolerance, engine));
      ASSERT_TRUE(s.ok()) << s.report.message;
      EXPECT_TRUE(s.report.warnings.empty()) << s.report.warnings.front();
      double off_y = 0, off_q = 0, off_x = 0;
      for (int i = 0; i < 300; ++i) {
        const double t = 0.01 * i + 0.003;
        off_x = std::max(off_x, std::abs(s.at("x", t) - t));
        off_y = std::max(off_y, std::abs(s.at("y", t) - std::sin(10 * t)));
        off_q = std::max(off_q, std::abs(s.at("q", t) - t * std::exp(-0.6 * t)));
      }
      // Checked at three points of a piece, so a few tolerances; errors of x count ten times. w has its own.
      EXPECT_LT(off_y, 10 * tolerance + 10 * off_x) << name(engine) << " " << tolerance;
      EXPECT_LT(off_q, 50 * tolerance) << name(engine) << " " << tolerance;
    }
  }
}

// sin^2 + cos^2 - 1 is rounding alone: no polynomial follows it, and none has to.
TEST(FastOutputs, ThatAreRoundingAloneTakeNoPieces) {
  for (const EngineKind engine : engines_with_outputs) {
    std::uint32_t n_pieces[2] = {};
    for (const bool with : {false, true}) {
      Model m("nothing");
      const Expr x = m.state("x", 0.0);
      m.equation(der(x) == 1.0 + 0.5 * cos(x));
      if (with) m.output("nothing", sin(x) * sin(x) + cos(x) * cos(x) - 1.0);
      const Solution s = simulate(m, fast_run(10.0, 1e-8, engine));
      EXPECT_TRUE(s.report.warnings.empty()) << s.report.warnings.front();
      n_pieces[with ? 1 : 0] = s.trajectory.n_steps();
    }
    EXPECT_LE(n_pieces[1], n_pieces[0] + n_pieces[0] / 10) << name(engine);
  }
}

TEST(FastOutputs, HaveDerivativesThatAreAsAccurate) {
  for (const EngineKind engine : engines_with_outputs) {
    for (const double tolerance : {1e-4, 1e-6, 1e-9}) {
      Model m("sensor");
      write_sensor(m);
      RunOptions options = fast_run(3.0, tolerance, engine);
      options.sensitivities = {"p"};
      const Solution s = simulate(m, options);
      ASSERT_TRUE(s.ok()) << s.report.message;
      EXPECT_FALSE(s.sensitivities.coarsest());
      double off_y = 0, off_q = 0;
      for (int i = 0; i < 300; ++i) {
        const double t = 0.01 * i + 0.003;
        off_y = std::max(off_y, std::abs(s.sensitivity("y", "p", t) - 10 * t * std::cos(10 * t)));
        off_q = std::max(off_q, std::abs(s.sensitivity("q", "p", t) - t * std::exp(-0.6 * t)));
      }
      // of up to 30, and 100 x by which errors of x count
      EXPECT_LT(off_y, 300 * tolerance) << name(engine) << " " << tolerance;
      EXPECT_LT(off_q, 50 * tolerance) << name(engine) << " " << tolerance;
    }
  }
}

// Their pieces are those of steps as long as one polynomial does.
TEST(FastOutputs, CostNothingWhereOnePolynomialPerStepDoes) {
  const auto n_steps = [](bool with_output) {
    Model m("slow");
    const Expr x = m.state("x", 1.0), v = m.state("v", 0.0);
    m.equation(der(x) == v);
    m.equation(der(v) == -x);
    if (with_output) m.output("sum", 2.0 * x - v);
    return simulate(m, fast_run(20.0, 1e-8, EngineKind::dopri5)).trajectory.n_steps();
  };
  EXPECT_EQ(n_steps(true), n_steps(false));
}

// What cannot be kept is said: 3e6 rad within a few steps.
TEST(FastOutputs, ThatAreTooFastAreTold) {
  Model m("hopeless");
  const Expr x = m.state("x", 0.0);
  m.equation(der(x) == 1.0);
  m.output("y", sin(1e6 * x));
  const Solution s = simulate(m, fast_run(3.0, 1e-6, EngineKind::dopri5));
  ASSERT_TRUE(s.ok());
  ASSERT_EQ(s.report.warnings.size(), 1U);
  EXPECT_NE(s.report.warnings.front().find("'y' is off by"), std::string::npos);
  EXPECT_LT(s.trajectory.n_steps(), 3000U);
}

// The end moves, J with it: J(T) depends on where x = p is reached, not on how fast.
TEST(FastOutputs, AtTheEventThatEndsARunMoveAsTheModelSays) {
  for (const EngineKind engine : engines_with_outputs) {
    for (const double tolerance : {1e-4, 1e-6, 1e-9}) {
      Model m("terminal");
      const Expr x = m.state("x", 0.0), z = m.state("z", 1.0), p = m.parameter("p", 1.3),
                 k = m.parameter("k", 0.7);
      m.equation(der(x) == k * (1.0 + 0.1 * x));
      m.equation(der(z) == -z * z * k);
      m.output("J", sin(10.0 * x) + z);
      m.terminate_when("end", x > p);
      const Gradient g = gradient(m, "J", {"p", "k"}, fast_run(30.0, tolerance, engine));
      ASSERT_TRUE(g.ok()) << g.refused->why;
      const double kt = std::log(1.13) / 0.1, z_end = 1 / (1 + kt);
      const double exact = 10 * std::cos(13.0) - z_end * z_end / 1.13;
      // J_x is 10, J_xx 100
      EXPECT_NEAR(g.of("p"), exact, 300 * tolerance) << name(engine) << " " << tolerance;
      EXPECT_NEAR(g.of("k"), 0.0, 300 * tolerance) << name(engine) << " " << tolerance;
    }
  }
}

}  // namespace
}  // namespace saltus
