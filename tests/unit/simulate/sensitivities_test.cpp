// Derivatives of solutions through events, (Z.4) and (Z.5): closed forms, differences, refusals.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <saltus/lower/compile_model.hpp>
#include <saltus/sensitivity/forward.hpp>
#include <saltus/simulate.hpp>

namespace saltus {
namespace {

using FollowedRun = Run;  // tests have a Run() of their own

constexpr EngineKind sensitive_engines[] = {EngineKind::dopri5, EngineKind::dop853,
                                            EngineKind::radau, EngineKind::ida};

RunOptions sensitive_run(double t_end, double tolerance, EngineKind engine,
                         std::vector<std::string> with_respect_to) {
  RunOptions o;
  o.t_end = t_end;
  o.rtol = o.atol = tolerance;
  o.engine = engine;
  o.sensitivities = std::move(with_respect_to);
  return o;
}

// ---- DSL48SE, equation 4: two relaxations, three crossings of x^3 - 5 x^2 + 7 x = p ---------------------

void write_two_relaxations(Model& m, double value) {
  const Expr x = m.state("x", 0.0), p = m.parameter("p", value);
  const Cond below = x * x * x - 5.0 * x * x + 7.0 * x <= p;
  m.equation(der(x) == where(below, 4.0 - x, 10.0 - 2.0 * x));
}

/// At event k x is the root r_k of the cubic, r_k' = 1 / h'(r_k); times are integrals of 1/f between roots.
struct TwoRelaxations {
  double time_derivative[3], end;
};
TwoRelaxations two_relaxations() {
  const double p = 2.9;
  double r[] = {0.787, 1.24, 2.97}, slope[3];
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 50; ++i)
      r[k] -= (((r[k] - 5) * r[k] + 7) * r[k] - p) / ((3 * r[k] - 10) * r[k] + 7);
    slope[k] = 1 / ((3 * r[k] - 10) * r[k] + 7);
  }
  const auto a = [](double x) { return 4 - x; };
  const auto b = [](double x) { return 10 - 2 * x; };
  TwoRelaxations t;
  t.time_derivative[0] = slope[0] / a(r[0]);
  t.time_derivative[1] = t.time_derivative[0] + slope[1] / b(r[1]) - slope[0] / b(r[0]);
  t.time_derivative[2] = t.time_derivative[1] + slope[2] / a(r[2]) - slope[1] / a(r[1]);
  const double t3 = 1.26634784179607163390594777519;  // tests/reference/dsl48se_small_hybrid.json
  t.end = (slope[2] - b(r[2]) * t.time_derivative[2]) * std::exp(-2 * (2 - t3));
  return t;
}

TEST(Sensitivities, OfTwoRelaxationsAreTheClosedForm) {
  const TwoRelaxations exact = two_relaxations();
  for (const EngineKind engine : sensitive_engines) {
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
      Model m("two relaxations");
      write_two_relaxations(m, 2.9);
      const Solution s = simulate(m, sensitive_run(2.0, tolerance, engine, {"p"}));
      ASSERT_TRUE(s.ok()) << s.report.message;
      ASSERT_FALSE(s.sensitivities.ends()) << s.sensitivities.ends()->why;
      const auto& events = s.sensitivities.event_times();
      ASSERT_EQ(events.size(), 3U);
      // of the issue: 1000 tolerances, relative
      const double few = 1000 * tolerance;
      for (std::size_t k = 0; k < 3; ++k)
        EXPECT_NEAR(events[k].derivatives[0] / exact.time_derivative[k], 1.0, few)
            << name(engine) << " " << tolerance;
      EXPECT_NEAR(s.sensitivity("x", "p", 2.0, Side::left) / exact.end, 1.0, few)
          << name(engine) << " " << tolerance;
    }
  }
}

TEST(SensitivitiesTwin, WithoutJumpsTheyAreZero) {
  Model m("two relaxations");
  const Expr x = m.state("x", 0.0), p = m.state("p", 2.9);
  const Cond below = x * x * x - 5.0 * x * x + 7.0 * x <= p;
  m.equation(der(x) == where(below, 4.0 - x, 10.0 - 2.0 * x));
  m.equation(der(p) == 0.0);
  ForwardSensitivities plain({"p"}, {1e-8, 1e-8, false});
  RunOptions o = sensitive_run(2.0, 1e-8, EngineKind::radau, {});
  FollowedRun run("two relaxations", compile_model(m.build()), o, null_observer(), &plain);
  while (run.advance()) {
  }
  ASSERT_TRUE(run.finish().ok());
  EXPECT_EQ(plain.take().at("x", "p", 2.0, Side::left), 0.0);
  EXPECT_GT(std::abs(two_relaxations().end), 0.5);
}

// ---- a ball -------------------------------------------------------------------------------------------

void write_ball(Model& m, double g, double e, double height) {
  const Expr y = m.state("y", height), v = m.state("v", 0.0);
  const Expr gravity = m.parameter("g", g), restitution = m.parameter("e", e);
  m.equation(der(y) == v);
  m.equation(der(v) == -gravity);
  m.when("bounce", y < 0.0, {{v, -restitution * pre(v)}});
}

TEST(Sensitivities, OfABouncingBallAreTheClosedForm) {
  // between bounces: y = e g t1 w - g w^2 / 2 with w = t - t1, t1 = sqrt(2 h / g)
  const double g = 9.81, e = 0.8, t = 1.0, t1 = std::sqrt(2 / g), w = t - t1;
  const double dt1_dg = -t1 / (2 * g), dt1_dh = 1 / (g * t1);
  const auto total = [&](double of_t1) { return (e * g * w - e * g * t1 + g * w) * of_t1; };
  for (const EngineKind engine : sensitive_engines) {
    Model m("ball");
    write_ball(m, g, e, 1.0);
    const double tolerance = 1e-9;
    const Solution s = simulate(m, sensitive_run(1.1, tolerance, engine, {"g", "e", "y"}));
    ASSERT_TRUE(s.ok()) << s.report.message;
    const double few = 100 * tolerance;
    EXPECT_NEAR(s.sensitivity("y", "g", t), e * t1 * w - w * w / 2 + total(dt1_dg), few);
    EXPECT_NEAR(s.sensitivity("y", "e", t), g * t1 * w, few);
    EXPECT_NEAR(s.sensitivity("y", "y", t), total(dt1_dh), few);
    // both limits at the bounce: dv/dh = -g dt1/dh falls away from the velocity before
    const double bounce = s.sensitivities.event_times()[0].t;
    EXPECT_NEAR(s.sensitivity("v", "y", bounce, Side::left), 0.0, few);
    EXPECT_NEAR(s.sensitivity("v", "y", bounce, Side::right), (e + 1) * g * dt1_dh, few);
    EXPECT_NEAR(s.sensitivities.event_times()[0].derivatives[2], dt1_dh, few);
  }
}

// ---- motion on a surface ------------------------------------------------------------------------------

struct Belt {
  double k = 3.0, friction = 1.0, speed = 0.2, gamma = 3.0, mass = 1.0, x = 1.0;
};
void write_belt(Model& m, const Belt& belt) {
  const Expr x = m.state("x", belt.x), v = m.state("v", 0.5);
  const Expr k = m.parameter("k", belt.k), f = m.parameter("Fs", belt.friction);
  const Expr vd = m.parameter("vd", belt.speed), gamma = m.parameter("gamma", belt.gamma);
  const Expr mass = m.parameter("m", belt.mass);
  m.equation(der(x) == v);
  m.equation(mass * der(v) == -k * x - f * sign(v - vd) / (1.0 + gamma * abs(v - vd)));
}

TEST(Sensitivities, StayOnTheSurfaceThatHoldsTheSolution) {
  for (const EngineKind engine : sensitive_engines) {
    Model m("belt");
    write_belt(m, {});
    const Solution s = simulate(m, sensitive_run(10.0, 1e-8, engine, {"k", "vd"}));
    ASSERT_TRUE(s.ok()) << s.report.message;
    const auto entries = s.event_times("v - vd > 0", EventKind::enter_sliding);
    const auto exits = s.event_times("v - vd > 0", EventKind::exit_sliding);
    ASSERT_FALSE(entries.empty());
    ASSERT_FALSE(exits.empty());
    // g = v - vd: g_x S + g_p = 0
    // right after the entry to rounding; on the way equations of explicit engines do not contain the surface
    const bool is_explicit = engine == EngineKind::dopri5 || engine == EngineKind::dop853;
    const double inside = 0.5 * (entries[0] + exits[0]);
    for (const double t : {entries[0], inside}) {
      const double allowed = t == inside && is_explicit ? 1e-8 : 1e-12;
      EXPECT_NEAR(s.sensitivity("v", "vd", t), 1.0, allowed) << name(engine);
      EXPECT_NEAR(s.sensitivity("v", "k", t), 0.0, allowed) << name(engine);
    }
    // continuous at the exit, where both fields are the same up to the error of its time
    EXPECT_NEAR(s.sensitivity("x", "k", exits[0], Side::left),
                s.sensitivity("x", "k", exits[0], Side::right), 1e-6);
  }
}

// ---- functions that contain derivatives ------------------------------------------------------------------

/// An oscillator that is damped while its acceleration is large, written by its acceleration or by its position.
Solution oscillator_switched_by(bool acceleration, EngineKind engine) {
  Model m("oscillator");
  const Expr x = m.state("x", 1.0), v = m.state("v", 0.0);
  const Expr k = m.parameter("k", 3.0), level = m.parameter("level", 1.2);
  m.equation(der(x) == v);
  m.equation(der(v) == -k * x);
  const Expr z = m.state("z", 0.0);
  m.equation(der(z) == where((acceleration ? der(v) : -k * x) > level, 1.0 + z * z, -0.5 * z));
  return simulate(m, sensitive_run(4.0, 1e-9, engine, {"k", "level", "x"}));
}

TEST(Sensitivities, OfFunctionsThatContainDerivativesAreThoseWithout) {
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
    const Solution with = oscillator_switched_by(true, engine),
                   without = oscillator_switched_by(false, engine);
    for (const Solution* s : {&with, &without}) {
      ASSERT_TRUE(s->ok()) << s->report.message;
      ASSERT_FALSE(s->sensitivities.ends()) << s->sensitivities.ends()->why;
      ASSERT_GE(s->sensitivities.event_times().size(), 2U);
    }
    for (const char* p : {"k", "level", "x"}) {
      const double expected = without.sensitivity("z", p, 4.0, Side::left);
      EXPECT_GT(std::abs(expected), 1e-2);
      EXPECT_NEAR(with.sensitivity("z", p, 4.0, Side::left) / expected, 1.0, 1e-6)
          << name(engine) << " " << p;
    }
  }
}

// ---- actions one after the other at an instant ---------------------------------------------------------------

/// Thrown back at x = 1; what is counted then sets w to the force right after, which depends on what the first action set.
void write_second_action(Model& m, double e, double c) {
  const Expr x = m.state("x", 0.0), v = m.state("v", 2.0), w = m.state("w", 0.0);
  const Expr restitution = m.parameter("e", e), damping = m.parameter("c", c);
  const Expr force = m.algebraic("force"), n = m.discrete("n", 0.0);
  m.equation(force == -damping * v * v * v);
  m.equation(der(x) == v);
  m.equation(der(v) == force - x);
  m.equation(der(w) == 0.0);
  m.when("bounce", x > 1.0, {{v, -restitution * pre(v)}, {n, pre(n) + 1.0}});
  m.when("measure", n > 0.5, {{w, der(v) + 0.5 * force}});
}

TEST(Sensitivities, OfASecondActionFollowWhatTheFirstOneSet) {
  const double h = 1e-4, e = 0.7, c = 0.2;
  const auto end = [&](double at_e, double at_c) {
    Model m("measured");
    write_second_action(m, at_e, at_c);
    const Solution s = simulate(m, sensitive_run(1.0, 1e-12, EngineKind::radau, {}));
    EXPECT_EQ(s.event_times("measure").size(), 1U);
    return s.final("w");
  };
  const double of_e = (end(e + h, c) - end(e - h, c)) / (2 * h),
               of_c = (end(e, c + h) - end(e, c - h)) / (2 * h);
  EXPECT_GT(std::abs(of_e), 0.5);
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
    Model m("measured");
    write_second_action(m, e, c);
    const Solution s = simulate(m, sensitive_run(1.0, 1e-9, engine, {"e", "c"}));
    ASSERT_TRUE(s.ok()) << s.report.message;
    ASSERT_FALSE(s.sensitivities.ends()) << s.sensitivities.ends()->why;
    // h^2 of differences, and 1000 tolerances
    EXPECT_NEAR(s.sensitivity("w", "e", 1.0, Side::left), of_e, 1e-6) << name(engine);
    EXPECT_NEAR(s.sensitivity("w", "c", 1.0, Side::left), of_c, 1e-6) << name(engine);
  }
}

// ---- a parameter that multiplies a derivative ------------------------------------------------------------------

TEST(Sensitivities, OfAMassAreAsGoodHoweverItIsWritten) {
  for (const EngineKind engine : sensitive_engines) {
    double found[2];
    for (const bool multiplied : {false, true}) {
      Model m("oscillator");
      const Expr x = m.state("x", 1.0), v = m.state("v", 0.0), mass = m.parameter("m", 1.0);
      const Expr force = -x - x * x * x + 0.3 * cos(2.0 * m.time());
      m.equation(der(x) == v);
      if (multiplied) {
        m.equation(mass * der(v) == force);
      } else {
        m.equation(der(v) == force / mass);
      }
      const Solution s = simulate(m, sensitive_run(12.0, 1e-7, engine, {"m"}));
      ASSERT_TRUE(s.ok()) << s.report.message;
      found[multiplied ? 1 : 0] = s.sensitivity("x", "m", 12.0, Side::left);
    }
    // x' of a polynomial in its place: 150 tolerances on radau
    EXPECT_NEAR(found[1], found[0], 2e-7) << name(engine);
  }
}

// ---- what has no derivative -----------------------------------------------------------------------------

TEST(Sensitivities, EndWhereASurfaceIsTouched) {
  // x = a sin t touches x = 1 for a = 1, crosses it for larger ones.
  for (const double amplitude : {0.9, 1.0, 1.2}) {
    Model m("oscillator");
    const Expr x = m.state("x", 0.0), v = m.state("v", amplitude);
    m.equation(der(x) == v);
    m.equation(der(v) == -x - where(x > 1.0, 5.0 * (x - 1.0), Expr(0.0)));
    const Solution s = simulate(m, sensitive_run(3.0, 1e-8, EngineKind::radau, {"v"}));
    ASSERT_TRUE(s.ok()) << s.report.message;
    if (amplitude == 1.0) {
      ASSERT_TRUE(s.sensitivities.ends());
      EXPECT_NE(s.sensitivities.ends()->why.find("x > 1"), std::string::npos);
      EXPECT_THROW((void)s.sensitivity("x", "v", 2.9), Error);
    } else {
      EXPECT_FALSE(s.sensitivities.ends());
    }
  }
}

TEST(Sensitivities, EndWhereTwoSurfacesAreCrossedTogether) {
  Model m("two at once");
  const Expr x = m.state("x", 0.0), y = m.state("y", 0.0);
  m.equation(der(x) == 1.0 + where(y > 1.0, 1.0, 0.0));
  m.equation(der(y) == 1.0 + where(x > 1.0, 2.0, 0.0));
  const Solution s = simulate(m, sensitive_run(2.0, 1e-8, EngineKind::radau, {"x"}));
  ASSERT_TRUE(s.ok()) << s.report.message;
  ASSERT_TRUE(s.sensitivities.ends());
  EXPECT_NE(s.sensitivities.ends()->why.find("their order depends on 'x'"), std::string::npos)
      << s.sensitivities.ends()->why;
  ASSERT_FALSE(s.report.warnings.empty());
}

TEST(Sensitivities, EndAtContacts) {
  for (const bool followed : {false, true}) {
    Model m("ball");
    const Expr y = m.state("y", 1.0), v = m.state("v", 0.0);
    const Expr force = m.unilateral("floor", y, {.restitution = 0.5});
    m.equation(der(y) == v);
    m.equation(der(v) == force - 9.81);
    const std::vector<std::string> names = {"y"};
    const Solution s = simulate(
        m, sensitive_run(1.0, 1e-8, EngineKind::radau, followed ? names : decltype(names){}));
    ASSERT_TRUE(s.ok()) << s.report.message;
    // whether it is followed or not
    EXPECT_EQ(s.event_times("floor touches").size(), 2U);
    if (!followed) continue;
    ASSERT_TRUE(s.sensitivities.ends());
    EXPECT_NEAR(s.sensitivities.ends()->t, std::sqrt(2 / 9.81), 1e-7);
    EXPECT_NE(s.sensitivities.ends()->why.find("'floor touches': from here on contact laws"),
              std::string::npos)
        << s.sensitivities.ends()->why;
    EXPECT_NE(s.sensitivities.ends()->why.find("when-clause"), std::string::npos);
  }
}

TEST(Sensitivities, OfWhatIsUnknownAreRefused) {
  Model m("ball");
  write_ball(m, 9.81, 0.5, 1.0);
  EXPECT_THROW((void)simulate(m, sensitive_run(1.0, 1e-6, EngineKind::radau, {"gravity"})), Error);
  const auto why = [&](std::vector<std::string> names) -> std::string {
    try {
      (void)simulate(m, sensitive_run(1.0, 1e-6, EngineKind::radau, std::move(names)))
          .sensitivity("x", "gravity", 0.1);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(why({}),
            "derivatives with respect to 'gravity' were not asked for: name it in "
            "RunOptions::sensitivities");
}

TEST(Sensitivities, OfEventTimesAreFoundByClauseAndByRelation) {
  Model m("ball");
  const Expr y = m.state("y", 1.0), v = m.state("v", 0.0);
  m.equation(der(y) == v);
  m.equation(der(v) == Expr(-9.81));
  m.when("bounce", y < 0.0, {{v, -0.5 * pre(v)}});
  const Solution s = simulate(m, sensitive_run(0.8, 1e-8, EngineKind::radau, {"y"}));
  const auto by_clause = s.event_time_derivatives("bounce");
  ASSERT_EQ(by_clause.size(), 1U);
  EXPECT_EQ(by_clause[0].relation, "y < 0");
  // t = sqrt(2 y / g)
  EXPECT_NEAR(by_clause[0].derivatives[0], 1 / std::sqrt(2 * 9.81), 1e-6);
  EXPECT_EQ(s.event_time_derivatives("y < 0").size(), 1U);
  EXPECT_THROW((void)s.event_time_derivatives("bunce"), Error);
}

}  // namespace
}  // namespace saltus
