// Events whose true times agree within what the tolerances allow: one instant, or it is said that their order is not
// known.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include <saltus/simulate.hpp>

namespace saltus {
namespace {

constexpr double order_tol = 1e-6;

/// x = t and y = 2 t + gap, up to rounding and tolerances: y > 2 comes gap/2 before x > 1.
struct TwoRamps {
  Model m{"two ramps"};
  Expr x = m.state("x", 0.0), y, n = m.discrete("n", 2.0), k = m.discrete("k", 0.0);
  explicit TwoRamps(double gap) : y(m.state("y", gap)) {
    m.equation(der(x) == 1.0 + 0.0 * n + 0.0 * k);
    m.equation(der(y) == 2.0);
  }
};

Solution run_ramps(Model& m, double tolerance = order_tol, double concurrency = 0.0) {
  RunOptions options;
  options.t_end = 2.0;
  options.rtol = options.atol = tolerance;
  options.events.concurrency = concurrency;
  return simulate(m, options);
}

std::size_t n_marginal(const Solution& s) {
  return static_cast<std::size_t>(std::ranges::count_if(
      s.events(), [](const Event& e) { return e.guarantee == Guarantee::marginal; }));
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// 6 if x comes first, 5 if y does.
Solution doubled_and_raised(double gap, double tolerance = order_tol, double concurrency = 0.0) {
  TwoRamps r(gap);
  r.m.when("raise", r.x > 1.0, {{r.n, r.n + 1.0}});
  r.m.when("double", r.y > 2.0, {{r.n, 2.0 * r.n}});
  return run_ramps(r.m, tolerance, concurrency);
}

/// Whether the order matters depends on values: nothing is concluded from the first time.
TEST(OrderOfEvents, IsLookedAtEachTime) {
  Model m("count and total");
  const Expr x = m.state("x", 0.0), y = m.state("y", 1e-8);
  const Expr count = m.discrete("count", 0.0), total = m.discrete("total", 0.0);
  m.equation(der(x) == 1.0);
  m.equation(der(y) == 1.0);
  m.when("clear", x > 1.0, {{count, Expr(0.0)}});
  m.when("add", y > 1.0, {{total, pre(total) + pre(count)}});
  m.when("again", m.every("tick", 1.5, 10.0),
         {{x, pre(x) - 1.5}, {y, pre(y) - 1.5}, {count, Expr(3.0)}});
  RunOptions options;
  options.t_end = 3.0;
  options.rtol = options.atol = order_tol;
  const Solution s = simulate(m, options);
  ASSERT_TRUE(s.ok()) << s.report.message;
  ASSERT_EQ(s.report.warnings.size(), 1U);
  EXPECT_TRUE(says(s.report.warnings[0], "at t = 2.4999")) << s.report.warnings[0];
  EXPECT_EQ(n_marginal(s), 1U);
}

/// What is tried is taken back: the pendulum's wall throws it back as it does by itself, whatever else is about to happen.
TEST(OrderOfEvents, TrialsLeaveNothingBehind) {
  const auto run = [](EngineKind engine, bool with_floor) {
    Model m("pendulum between walls");
    const Expr x = m.state("x", 0.8), y = m.state("y", -0.6), u = m.state("u", 0.0),
               v = m.state("v", 0.0);
    const Expr force = m.algebraic("force");
    m.equation(der(x) == u);
    m.equation(der(y) == v);
    m.equation(der(u) == -force * x);
    m.equation(der(v) == -force * y - 9.81);
    m.equation(x * x + y * y == 1.0);
    // At (0.6, -0.8) both are met, one of them a little later.
    m.when("wall", x < 0.6 + 2e-8, {reinit(u, -0.5 * pre(u))});
    if (with_floor) m.when("floor", y < -0.8, {reinit(v, -0.5 * pre(v))});
    return simulate(m, {.t_end = 0.4, .rtol = order_tol, .atol = order_tol, .engine = engine});
  };
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
    const Solution alone = run(engine, false), both = run(engine, true);
    ASSERT_TRUE(alone.ok() && both.ok()) << alone.report.message << both.report.message;
    ASSERT_FALSE(both.instants().empty());
    EXPECT_NEAR(both.final("x"), alone.final("x"), 100 * order_tol)
        << name(engine) << to_text(both.report);
  }
}

TEST(OrderOfEvents, ClausesThatTheTolerancesDoNotPutInOrderAreSaidAndMarginal) {
  for (const double gap : {2e-8, -2e-8, 2e-7, -2e-7}) {
    const Solution s = doubled_and_raised(gap);
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_EQ(s.final("n"), gap > 0 ? 5.0 : 6.0);
    ASSERT_EQ(s.report.warnings.size(), 1U) << gap;
    for (const char* part : {"t = ", "'raise'", "'double'", "x > 1", "y > 2", "is not known"})
      EXPECT_TRUE(says(s.report.warnings[0], part)) << s.report.warnings[0];
    EXPECT_EQ(n_marginal(s), 1U);
    const auto marginal = std::ranges::find_if(
        s.events(), [](const Event& e) { return e.guarantee == Guarantee::marginal; });
    EXPECT_EQ(marginal->name, gap > 0 ? "x > 1" : "y > 2");  // the second one
  }
}

/// The twins: what the tolerances tell apart is known, and smaller tolerances tell more.
TEST(OrderOfEvents, WhatIsFurtherApartIsInOrder) {
  for (const double gap : {2e-4, -2e-4}) {
    const Solution s = doubled_and_raised(gap);
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_TRUE(s.report.warnings.empty()) << s.report.warnings[0];
    EXPECT_EQ(n_marginal(s), 0U);
  }
  const Solution sharper = doubled_and_raised(2e-7, 1e-10);
  ASSERT_TRUE(sharper.ok()) << sharper.report.message;
  EXPECT_TRUE(sharper.report.warnings.empty()) << sharper.report.warnings[0];
}

/// A region of concurrency does not move clauses that fire, so it is no remedy.
TEST(OrderOfEvents, ARegionOfConcurrencyDoesNotHideIt) {
  const Solution s = doubled_and_raised(2e-7, order_tol, 1e-5);
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_EQ(s.report.warnings.size(), 1U);
}

TEST(OrderOfEvents, ActionsThatCommuteAreNotWarnedOf) {
  const auto run = [](const std::function<void(TwoRamps&)>& add) {
    TwoRamps r(1e-7);
    add(r);
    const Solution s = run_ramps(r.m);
    EXPECT_TRUE(s.ok()) << s.report.message;
    EXPECT_EQ(n_marginal(s), 0U);
    return s.report.warnings.size();
  };
  // Different variables, of which neither reads the other.
  EXPECT_EQ(run([](TwoRamps& r) {
              r.m.when("one", r.x > 1.0, {{r.n, 2.0 * r.n}});
              r.m.when("two", r.y > 2.0, {{r.k, r.k + 1.0}});
            }),
            0U);
  // Both count.
  EXPECT_EQ(run([](TwoRamps& r) {
              r.m.when("one", r.x > 1.0, {{r.n, r.n + 1.0}});
              r.m.when("two", r.y > 2.0, {{r.n, r.n + 1.0}});
            }),
            0U);
  // Unknowns of their own, which their own functions read.
  EXPECT_EQ(run([](TwoRamps& r) {
              r.m.when("one", r.x > 1.0, {{r.x, 0.5}});
              r.m.when("two", r.y > 2.0, {{r.y, 0.5}});
            }),
            0U);
  // One that the other sets off is a consequence.
  EXPECT_EQ(run([](TwoRamps& r) {
              r.m.when("one", r.x > 1.0, {{r.k, 1.0}});
              r.m.when("two", r.k > 0.5, {{r.n, 2.0 * r.n}});
            }),
            0U);
}

/// The one that comes first keeps the other from happening.
TEST(OrderOfEvents, AnActionThatPreventsTheOtherIsSaid) {
  TwoRamps r(1e-7);
  r.m.when("back", r.y > 2.0, {{r.x, 0.0}});
  r.m.when("count", r.x > 1.0, {{r.k, r.k + 1.0}});
  const Solution s = run_ramps(r.m);
  ASSERT_TRUE(s.ok()) << s.report.message;
  ASSERT_EQ(s.report.warnings.size(), 1U);
  EXPECT_TRUE(says(s.report.warnings[0], "'count'")) << s.report.warnings[0];
  EXPECT_GE(n_marginal(s), 1U);
}

Solution two_ways_out(double gap, bool to_one) {
  TwoRamps r(gap);
  Expr z = r.m.state("z", 0.0);
  const ModeId begin = r.m.mode("begin"), left = r.m.mode("left"), right = r.m.mode("right");
  r.m.equation(begin, der(z) == 0.0);
  r.m.equation(left, der(z) == -1.0);
  r.m.equation(right, der(z) == 1.0);
  r.m.transition("to the left", begin, left, r.x > 1.0);
  r.m.transition("to the right", begin, to_one ? left : right, r.y > 2.0, {.priority = 1});
  return run_ramps(r.m);
}

TEST(OrderOfEvents, TransitionsThatRoundingWouldChooseAmongAreSaid) {
  for (const double gap : {1e-7, -1e-7}) {
    const Solution s = two_ways_out(gap, false);
    ASSERT_TRUE(s.ok()) << s.report.message;
    ASSERT_EQ(s.report.warnings.size(), 1U);
    for (const char* part : {"'to the left'", "'to the right'"})
      EXPECT_TRUE(says(s.report.warnings[0], part)) << s.report.warnings[0];
    EXPECT_GE(n_marginal(s), 1U);
    EXPECT_TRUE(two_ways_out(gap, true).report.warnings.empty());
  }
  EXPECT_TRUE(two_ways_out(1e-4, false).report.warnings.empty());
}

/// A tick is exact, the other is not.
TEST(OrderOfEvents, AClockBesideAConditionOfTheState) {
  for (const double gap : {1e-7, -1e-7}) {
    TwoRamps r(gap);
    r.m.when("tick", r.m.every("clock", 1.0, 5.0), {{r.n, r.n + 1.0}});
    r.m.when("double", r.y > 2.0, {{r.n, 2.0 * r.n}});
    const Solution s = run_ramps(r.m);
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_EQ(s.report.warnings.size(), 1U) << gap;
  }
}

/// Twice in every period: said once.
TEST(OrderOfEvents, APairIsSaidOnce) {
  Model m("swings");
  Expr x = m.state("x", 1.0), v = m.state("v", 0.0), n = m.discrete("n", 1.0);
  m.equation(der(x) == v);
  m.equation(der(v) == -x + 0.0 * n);
  m.when("raise", x < 0.0, {{n, n + 1.0}});
  m.when("double", x < 1e-8 * v, {{n, 0.5 * n}});
  RunOptions options;
  options.t_end = 30.0;
  options.rtol = options.atol = order_tol;
  const Solution s = simulate(m, options);
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_EQ(s.report.warnings.size(), 1U);
  EXPECT_EQ(n_marginal(s), 5U);
}

/// Contacts of a ball in a corner, and bounces that accumulate, are in order as far as it matters.
TEST(OrderOfEvents, BouncesAreNotWarnedOf) {
  Model m("corner");
  Expr h = m.state("h", 1.0), v = m.state("v", 0.0);
  Expr g = m.state("g", 1.0), w = m.state("w", 0.0);
  m.equation(der(h) == v);
  m.equation(der(v) == -9.81);
  m.equation(der(g) == w);
  m.equation(der(w) == -9.81);
  m.when("floor", h < 0.0, {{v, -0.5 * v}});
  m.when("wall", g < 1e-10, {{w, -0.5 * w}});
  m.terminate_when("over", m.time() > 1.3);
  const Solution s = run_ramps(m);
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_TRUE(s.report.warnings.empty()) << s.report.warnings[0];
}

}  // namespace
}  // namespace saltus
