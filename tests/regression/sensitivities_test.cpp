// Complaints: derivatives that are silently wrong beside or after an event.
#include <cmath>

#include <gtest/gtest.h>

#include <saltus/saltus.hpp>

namespace saltus {
namespace {

constexpr EngineKind derivative_engines[] = {EngineKind::dopri5, EngineKind::dop853,
                                             EngineKind::radau, EngineKind::ida};
constexpr double tolerance_of_derivatives = 1e-9;

RunOptions with_derivatives(double t_end, EngineKind engine, std::vector<std::string> names) {
  RunOptions o = {.t_end = t_end,
                  .rtol = tolerance_of_derivatives,
                  .atol = tolerance_of_derivatives,
                  .engine = engine};
  o.sensitivities = std::move(names);
  return o;
}

// ---- SciMLSensitivity.jl#1447: an event within an ulp of an output point spoils gradients by 7 % -------------

/// Turns back at 10, which it reaches at t = 5 up to rounding.
void write_turning_body(Model& m, double speed) {
  const Expr x = m.state("x", 0.0), v = m.state("v", speed);
  m.equation(der(x) == v);
  m.equation(der(v) == 0.0);
  m.when("turn", x > 10.0, {{v, -pre(v)}});
}

TEST(ComplaintsSciMLSensitivity1447, AnEventAtAnOutputPointHasBothLimits) {
  for (const EngineKind engine : derivative_engines) {
    for (const double moved : {-1e-15, 0.0, 1e-15}) {
      Model m("turns back");
      write_turning_body(m, 2.0 * (1 + moved));
      RunOptions o = with_derivatives(6.0, engine, {"v"});
      o.output.points = OutputPoints::grid;
      o.output.interval = 0.5;
      const Solution s = simulate(m, o);
      ASSERT_TRUE(s.ok()) << s.report.message;
      ASSERT_FALSE(s.sensitivities.ends()) << s.sensitivities.ends()->why;
      ASSERT_EQ(s.sensitivities.event_times().size(), 1U);
      const double t = s.sensitivities.event_times()[0].t, few = 100 * tolerance_of_derivatives;
      // x = v t, and 20 - v t from 10/v on
      EXPECT_NEAR(s.sensitivities.event_times()[0].derivatives[0], -2.5, few);
      EXPECT_NEAR(s.sensitivity("x", "v", t, Side::left), 5.0, few) << name(engine);
      EXPECT_NEAR(s.sensitivity("x", "v", t, Side::right), -5.0, few) << name(engine);
      for (const double later : {5.5, 6.0})
        EXPECT_NEAR(s.sensitivity("x", "v", later, Side::left), -later, few) << name(engine);
    }
  }
}

TEST(ComplaintsSciMLSensitivity1447, NaiveDifferencesAtTheOutputPointAreNeitherLimit) {
  const double h = 1e-6;
  const auto at_five = [](double v) { return 5.0 < 10 / v ? 5 * v : 20 - 5 * v; };
  const double found = (at_five(2 + h) - at_five(2 - h)) / (2 * h);
  EXPECT_GT(std::abs(found - 5.0), 1.0);
  EXPECT_GT(std::abs(found + 5.0), 1.0);
}

// ---- diffrax#729: gradients of states after an event lack the term of its time ------------------------------

TEST(ComplaintsDiffrax729, StatesAfterAnEventFollowItsTime) {
  for (const EngineKind engine : derivative_engines) {
    Model m("switched off");
    const Expr y = m.state("y", 0.0), tau = m.parameter("tau", 0.98);
    m.equation(der(y) == where(m.time() < tau, Expr(1.0), Expr(0.0)));
    const Solution s = simulate(m, with_derivatives(2.0, engine, {"tau"}));
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_NEAR(s.sensitivity("y", "tau", 0.5), 0.0, 1e-14);
    EXPECT_NEAR(s.sensitivity("y", "tau", 1.5), 1.0, 1e-12) << name(engine);
    EXPECT_NEAR(s.sensitivity("y", "tau", 2.0, Side::left), 1.0, 1e-12) << name(engine);
    EXPECT_NEAR(s.final("y"), 0.98, 100 * tolerance_of_derivatives);
  }
}

TEST(ComplaintsDiffrax729, NaiveVariationalEquationsDoNotSeeTheTime) {
  // s' = df/dy s + df/dtau with f = 1 or 0, by steps of Euler's method
  double s = 0.0;
  for (int i = 0; i < 200; ++i) s += 0.01 * (0.0 * s + 0.0);
  EXPECT_GT(std::abs(s - 1.0), 0.5);
}

// ---- AMICI#3257: an event that its state triggers and that sets the state, seen from the wrong side ----------

/// x' = -k x from 1; below 1/2 a dose b is added.
struct Dosing {
  static constexpr double k = 0.7, c = 0.5, b = 0.3, t_end = 1.5;
  static double time() { return std::log(1 / c) / k; }
  /// x = (c + b) exp(-k (t - t1)), t1 = log(1/c) / k
  static double of_k() { return -(c + b) * std::exp(-k * (t_end - time())) * t_end; }
};

TEST(ComplaintsAMICI3257, ADoseIsSeenFromTheSideItsTriggerIsOn) {
  for (const EngineKind engine : derivative_engines) {
    Model m("dosing");
    const Expr x = m.state("x", 1.0), k = m.parameter("k", Dosing::k);
    m.equation(der(x) == -k * x);
    m.when("dose", x < Dosing::c, {{x, pre(x) + Dosing::b}});
    const Solution s = simulate(m, with_derivatives(Dosing::t_end, engine, {"k"}));
    ASSERT_TRUE(s.ok()) << s.report.message;
    ASSERT_EQ(s.sensitivities.event_times().size(), 1U);
    const double few = 1000 * tolerance_of_derivatives;
    EXPECT_NEAR(s.sensitivities.event_times()[0].derivatives[0], -Dosing::time() / Dosing::k, few);
    EXPECT_NEAR(s.sensitivity("x", "k", Dosing::t_end, Side::left), Dosing::of_k(), few)
        << name(engine);
  }
}

TEST(ComplaintsAMICI3257, NaiveTimesFromTheStateAfterTheDoseAreWrong) {
  using D = Dosing;
  const double s_before = -D::time() * D::c, after = D::c + D::b;
  const auto end = [&](double rate_at_trigger) {
    const double tau = -s_before / rate_at_trigger;
    const double s_after = s_before - D::k * D::c * tau + D::k * after * tau;
    const double decay = std::exp(-D::k * (D::t_end - D::time()));
    return decay * (s_after - (D::t_end - D::time()) * after);
  };
  EXPECT_NEAR(end(-D::k * D::c), D::of_k(), 1e-14);
  EXPECT_GT(std::abs(end(-D::k * after) / D::of_k() - 1), 0.01);
}

}  // namespace
}  // namespace saltus
