// What is judged where sliding begins may become wrong along it: then the run says so, or goes on by what is right.
#include <cmath>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include <saltus/saltus.hpp>

namespace saltus {
namespace {

constexpr double watch_tolerance = 1e-8;
/// Global errors of these short runs.
constexpr double watch_error = 300 * watch_tolerance;

RunOptions watch_options(double t_end, EngineKind engine) {
  RunOptions o = {
      .t_end = t_end, .rtol = watch_tolerance, .atol = watch_tolerance, .engine = engine};
  o.limits.max_events = 500;
  return o;
}

/// v' = a with a + c a^3 = 1 + f and f = -2 sign(v), q' = f, from v = 0.
void write_cubic_relay(Model& m, const Expr& c, const Expr& v) {
  Expr a = m.algebraic("a"), f = m.algebraic("f"), q = m.state("q", 0.0);
  m.equation(der(v) == a);
  m.equation(a + c * a * a * a == 1.0 + f);
  m.equation(f == where(m.named("contact", v > 0.0), Expr(-2.0), Expr(2.0)));
  m.equation(der(q) == f);
}

/// The root of a + c a^3 = force, by bisection.
double cubic_root(double c, double force) {
  double low = -4.0, high = 4.0;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (middle + c * middle * middle * middle < force ? low : high) = middle;
  }
  return (low + high) / 2;
}

/// Filippov's mean of f: the weights of both sides make the mean of a vanish.
double mean_force(double c) {
  const double plus = cubic_root(c, -1.0), minus = cubic_root(c, 3.0);
  const double w = minus / (minus - plus);  // of v > 0
  return -2.0 * w + 2.0 * (1.0 - w);
}

/// Its integral, by Simpson's rule.
template <typename Coefficient>
double integral_of_mean_force(double t_from, double t_to, Coefficient c) {
  constexpr int n = 20000;
  const double h = (t_to - t_from) / n;
  double sum = 0.0;
  for (int i = 0; i <= n; ++i)
    sum += (i == 0 || i == n ? 1.0 : i % 2 == 1 ? 4.0 : 2.0) * mean_force(c(t_from + i * h));
  return sum * h / 3;
}

bool watch_says(const Solution& s, const std::string& form) {
  for (const DecisionRecord& c : s.report.choices) {
    if (c.name.find("form of the motion on 'contact'") != std::string::npos && c.used == form)
      return true;
  }
  return false;
}

std::size_t n_warnings_of_rule(const Solution& s) {
  std::size_t n = 0;
  for (const std::string& w : s.report.warnings) n += w.find("sliding_rule") != std::string::npos;
  return n;
}

TEST(SlidingWatch, MixedEquationsThatCeaseToBeFilippovsMotionAreLeft) {
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
    Model m("cubic");
    Expr v = m.state("v", 0.0);
    write_cubic_relay(m, m.time(), v);
    const Solution s = simulate(m, watch_options(2.0, engine));
    ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
    EXPECT_NEAR(s.final("f"), mean_force(2.0), watch_error) << name(engine);
    const double q = integral_of_mean_force(0.0, 2.0, [](double t) { return t; });
    EXPECT_NEAR(s.final("q"), q, watch_error) << name(engine);
    EXPECT_TRUE(watch_says(s, "copies")) << name(engine);
  }
}

TEST(SlidingWatch, ATermThatGrowsFromNothingIsSeenInsideALongStep) {
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
    Model m("growing");
    Expr v = m.state("v", 0.0);
    write_cubic_relay(m, exp(30.0 * (m.time() - 1.0)), v);
    const Solution s = simulate(m, watch_options(1.2, engine));
    ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
    const auto c = [](double t) { return std::exp(30.0 * (t - 1.0)); };
    EXPECT_NEAR(s.final("f"), mean_force(c(1.2)), watch_error) << name(engine);
    EXPECT_NEAR(s.final("q"), integral_of_mean_force(0.0, 1.2, c), watch_error) << name(engine);
    EXPECT_TRUE(watch_says(s, "copies")) << name(engine);
  }
}

TEST(SlidingWatch, ATermThatAnEventOnTheSurfaceSwitchesOnIsSeen) {
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
    Model m("switched on");
    Expr v = m.state("v", 0.0), y = m.state("y", -1.0);
    m.equation(der(y) == Expr(1.0));
    write_cubic_relay(m, max(y, Expr(0.0)), v);
    const Solution s = simulate(m, watch_options(3.0, engine));
    ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
    EXPECT_NEAR(s.final("f"), mean_force(2.0), watch_error) << name(engine);
    const double q = -1.0 + integral_of_mean_force(0.0, 2.0, [](double t) { return t; });
    EXPECT_NEAR(s.final("q"), q, watch_error) << name(engine);
  }
}

TEST(SlidingWatch, EquationsThatStayAffineStayMixed) {
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
    Model m("affine");
    Expr v = m.state("v", 0.0);
    Expr a = m.algebraic("a"), f = m.algebraic("f"), q = m.state("q", 0.0);
    m.equation(der(v) == a);
    m.equation(a + m.time() * a == 1.0 + f);
    m.equation(f == where(m.named("contact", v > 0.0), Expr(-2.0), Expr(2.0)));
    m.equation(der(q) == f);
    const Solution s = simulate(m, watch_options(2.0, engine));
    ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
    EXPECT_NEAR(s.final("q"), -2.0, watch_error) << name(engine);
    EXPECT_FALSE(watch_says(s, "copies")) << name(engine);
  }
}

TEST(SlidingWatch, EquivalentControlIsLeftAlone) {
  Model m("asked for");
  Expr v = m.state("v", 0.0);
  write_cubic_relay(m, m.time(), v);
  RunOptions o = watch_options(2.0, EngineKind::radau);
  o.events.sliding_field = SlidingField::equivalent_control;
  const Solution s = simulate(m, o);
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.final("f"), -1.0, watch_error);
  EXPECT_FALSE(watch_says(s, "copies"));
}

/// Two relays from their corner, and q' = a product of them with a factor, or their sum.
void write_relays_with_product(Model& m, bool product) {
  Expr x = m.state("x", 0.0), y = m.state("y", 0.0), q = m.state("q", 0.0);
  Expr a = where(m.named("east", x > 0.0), Expr(1.0), Expr(-1.0));
  Expr b = where(m.named("north", y > 0.0), Expr(1.0), Expr(-1.0));
  m.equation(der(x) == 0.5 - a);
  m.equation(der(y) == 0.4 - b);
  m.equation(der(q) == m.time() * (product ? a * b : a + b));
}

TEST(SlidingWatch, AMotionThatComesToDependOnTheRuleIsWarnedOfOnce) {
  for (const EngineKind engine :
       {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau, EngineKind::ida}) {
    Model m("product");
    write_relays_with_product(m, true);
    const Solution s = simulate(m, watch_options(2.0, engine));
    ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
    EXPECT_EQ(n_warnings_of_rule(s), 1U) << name(engine);
    EXPECT_NEAR(s.final("q"), 0.5 * 0.4 * 2.0, watch_error) << name(engine);
  }
}

TEST(SlidingWatch, AndRefusedWhereNoRuleIsToBeApplied) {
  for (const EngineKind engine : {EngineKind::dopri5, EngineKind::radau}) {
    for (const bool product : {true, false}) {
      Model m("refused");
      write_relays_with_product(m, product);
      RunOptions o = watch_options(2.0, engine);
      o.events.sliding_rule = SlidingRule::reject;
      const Solution s = simulate(m, o);
      EXPECT_EQ(s.ok(), !product) << name(engine) << s.report.message;
      EXPECT_EQ(n_warnings_of_rule(s), 0U) << name(engine);
      if (!product) continue;
      for (const char* part : {"at t = ", "east", "north", "reject"})
        EXPECT_NE(s.report.message.find(part), std::string::npos) << s.report.message;
    }
  }
}

TEST(SlidingWatch, SidesThatAddUpStaySilent) {
  for (const EngineKind engine :
       {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau, EngineKind::ida}) {
    Model m("sum");
    write_relays_with_product(m, false);
    const Solution s = simulate(m, watch_options(2.0, engine));
    ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
    EXPECT_EQ(n_warnings_of_rule(s), 0U) << name(engine);
    EXPECT_NEAR(s.final("q"), 0.9 * 2.0, watch_error) << name(engine);
  }
}

/// A plastic impact that makes friction stick at the same instant: the clause holds nothing there either.
TEST(SlidingWatch, AStopThatBeginsAStayIsSaid) {
  for (const EngineKind engine :
       {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau, EngineKind::ida}) {
    for (const bool rests : {false, true}) {
      Model m("lands and sticks");
      const Expr h = m.state("h", 1.0), v = m.state("v", 0.0), u = m.state("u", 3.0);
      const Expr on = m.discrete("on", 1.0);
      m.equation(der(h) == v * on);
      m.equation(der(v) == -9.0 * on);
      m.equation(der(u) == -sign(u));
      m.when("lands", h < 0.0, {{v, Expr(0.0)}, {u, Expr(0.0)}});
      m.when("rest", Cond::never(m.graph()), {{h, 0.0}, {v, 0.0}, {on, 0.0}});
      RunOptions o = watch_options(2.0, engine);
      if (rests) o.events.accumulation = {{"h < 0", "rest"}};
      const Solution s = simulate(m, o);
      SCOPED_TRACE(std::string(name(engine)) + (rests ? ", rests" : ""));
      ASSERT_TRUE(s.ok()) << s.report.message;
      EXPECT_GT(s.event_log.n_events(EventKind::enter_sliding), 0U);
      if (rests) {
        EXPECT_EQ(s.final("on"), 0.0);
        EXPECT_NEAR(s.final("h"), 0.0, watch_error);
      } else {
        ASSERT_FALSE(s.report.warnings.empty());
        EXPECT_NE(s.report.warnings.front().find("brings 'h < 0' to rest on its surface"),
                  std::string::npos)
            << s.report.warnings.front();
      }
    }
  }
}

/// Each bounce ends a stick, and the block sticks again before the next one, so the limit of the bounces is never free of other
/// events. They are followed as low as they can be told, marginal ones then; the body does not fall.
TEST(SlidingWatch, BouncesThatEndStaysAreFollowed) {
  constexpr double g = 9.0, r = 0.5, limit = 1.4142135623730951;  // 3 sqrt(2 / g)
  for (const EngineKind engine :
       {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau, EngineKind::ida}) {
    Model m("bounces and sticks");
    const Expr h = m.state("h", 1.0), v = m.state("v", 0.0), u = m.state("u", 0.0);
    m.equation(der(h) == v);
    m.equation(der(v) == -g);
    m.equation(der(u) == -5.0 * sign(u));
    m.when("bounce", h < 0.0, {{v, -r * pre(v)}, {u, pre(u) - 0.3 * pre(v)}});
    const Solution s = simulate(m, watch_options(limit + 1e-4, engine));
    SCOPED_TRACE(name(engine));
    ASSERT_TRUE(s.ok() || s.report.outcome == Outcome::accumulation) << s.report.message;
    const auto hs = s.trajectory.column("h");
    EXPECT_GE(*std::min_element(hs.begin(), hs.end()), -watch_error);
    EXPECT_NEAR(s.final("h"), 0.0, watch_error);
    EXPECT_FALSE(s.report.all_transitions_smooth());
  }
}

/// Two relays that have nothing to do with each other, on unknowns with a derivative or on solved-for ones, beside a
/// constraint whose derivatives are differences: what these are off by is no motion that depends on a rule.
TEST(SlowSlidingWatch, RandomRelaysBesideAConstraintStaySilent) {
  std::mt19937 random(20261120);
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  int n_on_both = 0;
  for (int k = 0; k < 40; ++k) {
    Model m("beside a constraint");
    const Expr t = m.time(), p = m.state("p", 0.0), force = m.algebraic("force");
    const double a = between(0.1, 2), b = between(0.1, 2), w = between(0.5, 4);
    Expr pushed = Expr(0.0);
    for (const char* who : {"x", "y"}) {
      const Expr x = m.state(who, between(-0.5, 0.5));
      Expr read = x;
      if (between(0, 1) < 0.5) {
        read = m.algebraic(std::string("z_") + who, {.start = 0.0});
        m.equation(read + a * read * read * read == x);
      }
      m.equation(der(x) == sin(w * t + between(0, 3)) - x -
                               between(1.5, 2) * sign(read - 0.1 * sin(between(1, 3) * t)));
      pushed = pushed + 0.1 * x;
    }
    m.equation(der(p) == force - p + pushed);
    m.equation(p == b * sin(between(0.5, 2) * t));
    for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
      for (const double tolerance : {1e-4, 1e-6, 1e-9}) {
        RunOptions o = watch_options(3.0, engine);
        o.rtol = o.atol = tolerance;
        const Solution s = simulate(m, o);
        ASSERT_TRUE(s.ok()) << k << s.report.message;
        EXPECT_EQ(n_warnings_of_rule(s), 0U)
            << k << " " << name(engine) << " at " << tolerance << to_text(s.report);
        n_on_both += s.events().size() >= 2 ? 1 : 0;
      }
    }
  }
  EXPECT_GE(n_on_both, 200);  // of 240
}

}  // namespace
}  // namespace saltus
