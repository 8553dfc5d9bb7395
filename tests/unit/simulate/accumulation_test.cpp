// Events that come ever faster: what is concluded from them, what is not, and what is said. Limits and numbers of
// events are compared with closed forms.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include <saltus/saltus.hpp>

namespace saltus {
namespace {

constexpr EngineKind engines[] = {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau,
                                  EngineKind::ida};

RunOptions run_to(double t_end, EngineKind engine, double tolerance) {
  RunOptions o;
  o.t_end = t_end;
  o.rtol = o.atol = tolerance;
  o.engine = engine;
  o.limits.max_events = 20000;
  return o;
}

/// The limit that the run concluded; not a number if there was none.
double limit_of(const Solution& s) {
  for (const DecisionRecord& choice : s.report.choices)
    if (choice.name.starts_with("accumulation of")) return *read_double(choice.used);
  return std::nan("");
}

/// An excursion that every engine tells from none. Events are placed at a thousandth of the tolerance and told apart to
/// four times that (ida: to the tolerance itself), or to ten times where intervals fall by 0.99.
double told_apart(EngineKind engine, double tolerance) {
  return engine == EngineKind::ida ? 20 * tolerance : 20e-3 * tolerance;
}

/// A random series of events: its ratio, whether it goes on for ever, and after how many events it does not.
struct Series {
  EngineKind engine;
  double tolerance, ratio;
  bool ends;
  int n_last;
};

/// `first(ratio)`: the excursion of the first interval, in units of how the tolerance enters; it falls by `fall(ratio)`.
template <class First, class Fall>
Series random_series(std::mt19937_64& random, First first, Fall fall) {
  std::uniform_real_distribution<double> part(0.0, 1.0);
  Series s{};
  s.engine = engines[std::uniform_int_distribution<std::size_t>(0, 3)(random)];
  s.tolerance = std::pow(10.0, -4 - 7 * part(random));
  s.ratio = part(random) < 0.5 ? 0.1 + 0.8 * part(random) : 0.9 + 0.09 * part(random);
  s.ends = part(random) < 0.5;
  const double decades =
      std::log(told_apart(s.engine, s.tolerance) / first(s.ratio)) / std::log(fall(s.ratio));
  s.n_last = 1 + static_cast<int>(part(random) * std::max(0.0, decades - 1));
  return s;
}

std::string text_of(const Series& s) {
  return std::string(name(s.engine)) + ", tolerance " + to_text(s.tolerance) + ", ratio " +
         to_text(s.ratio) + (s.ends ? ", ends after " + std::to_string(s.n_last) : "");
}

/// x' = 1 passes 1 - r^k for k = 1, 2, …; if the series ends, the threshold after n_last is 1.5.
Solution run_thresholds(const Series& s) {
  Model m("thresholds");
  const Expr x = m.state("x", 0.0), k = m.discrete("k", 1.0);
  m.equation(der(x) == 1.0);
  const Expr next = 1.0 - pow(Expr(s.ratio), k);
  m.when("pass", x > (s.ends ? where(k < s.n_last + 0.5, next, Expr(1.5)) : next),
         {{k, pre(k) + 1.0}});
  return simulate(m, run_to(2.0, s.engine, s.tolerance));
}

TEST(Accumulation, ThresholdsThatAccumulateAndThoseThatDoNot) {
  std::mt19937_64 random(20260301);
  int n_ending = 0;
  for (int i = 0; i < 200; ++i) {
    // Half of an interval, and twice the tolerance, which is relative and absolute.
    const Series s = random_series(
        random, [](double r) { return 0.25 * (1 - r); }, [](double r) { return r; });
    SCOPED_TRACE(std::to_string(i) + ": " + text_of(s));
    const Solution run = run_thresholds(s);
    if (s.ends) {
      ++n_ending;
      ASSERT_TRUE(run.ok()) << run.report.message;
      EXPECT_EQ(run.final("k"), s.n_last + 2.0);
      continue;
    }
    ASSERT_EQ(run.report.outcome, Outcome::accumulation) << run.report.message;
    // Times are those of thresholds up to the tolerance, which one minus the ratio may enlarge.
    EXPECT_NEAR(limit_of(run), 1.0, 10 * s.tolerance / (1 - s.ratio)) << run.report.message;
  }
  EXPECT_GE(n_ending, 80);
}

constexpr double gravity = 9.81, speed_at_first = 4.42944691807002;  // sqrt(2 gravity)

/// A ball from 1 m that keeps a part r of its speed; if the series ends, all of it below a speed.
Solution run_ball(const Series& s, double t_end, double keeps_below) {
  Model m("ball");
  const Expr h = m.state("h", 1.0), v = m.state("v", 0.0), n = m.discrete("n", 0.0);
  m.equation(der(h) == v);
  m.equation(der(v) == -gravity);
  const Expr kept = where(abs(pre(v)) > keeps_below, Expr(s.ratio), Expr(1.0));
  m.when("bounce", h < 0.0, {{v, -kept * pre(v)}, {n, pre(n) + 1.0}});
  return simulate(m, run_to(t_end, s.engine, s.tolerance));
}

/// How far off the limit may be. The last four events that are followed are of bounces as high as their placement, a
/// thousandth of the tolerance (on ida: the tolerance), or of falls to three times that, where functions that returned
/// are watched again: 2.4 such bounces each. One minus the ratio enlarges what the last intervals are off. The arcs of ida
/// consist of its first steps, of low order: a few of them are off by a tolerance each, and three are allowed for.
double rest_error(const Series& s) {
  const bool is_ida = s.engine == EngineKind::ida;
  const double height = (is_ida ? 1.0 : 1e-3) * s.tolerance;
  const double bounces = 4 * 2.4 * std::sqrt(height / gravity);
  return (100 * s.tolerance + (is_ida ? 3 : 1) * bounces) / (1 - s.ratio);
}

TEST(Accumulation, BallsThatComeToRestAndThoseThatDoNot) {
  std::mt19937_64 random(20260302);
  const double first = speed_at_first / gravity;
  int n_predicted = 0, n_resting = 0;
  for (int i = 0; i < 200; ++i) {
    const Series s = random_series(
        random, [](double) { return 1.0; }, [](double r) { return r * r; });
    SCOPED_TRACE(std::to_string(i) + ": " + text_of(s));
    const double limit = first * (1 + s.ratio) / (1 - s.ratio);
    if (!s.ends) {
      ++n_resting;
      const Solution run = run_ball(s, limit + 1.0, 0.0);
      ASSERT_EQ(run.report.outcome, Outcome::accumulation) << run.report.message;
      if (run.report.message.find("This is a prediction") != std::string::npos) ++n_predicted;
      EXPECT_NEAR(limit_of(run), limit, rest_error(s)) << run.report.message;
      continue;
    }
    const double last = speed_at_first * std::pow(s.ratio, s.n_last + 1);
    const double t_last =
        first * (1 + s.ratio - 2 * std::pow(s.ratio, s.n_last + 1)) / (1 - s.ratio);
    const double interval = 2 * last / gravity;
    const double t_end = std::max(t_last, limit) + 30.5 * interval;
    const Solution run = run_ball(s, t_end, last / std::sqrt(s.ratio));
    ASSERT_TRUE(run.ok()) << run.report.message;
    const double n = s.n_last + 1 + std::floor((t_end - t_last) / interval);
    // Bounces of 20 tolerances are known to some percent on ida.
    EXPECT_NEAR(run.final("n"), n, s.engine == EngineKind::ida ? 2 + 0.2 * n : 1);
  }
  // Ratios near 0.1 and large tolerances have too few bounces for a prediction.
  EXPECT_GE(n_predicted, 0.8 * n_resting);
}

/// However little of its speed a ball keeps, it comes to rest where its bounces end. Bounces lower than the distance at
/// which events are placed went through the floor.
TEST(Accumulation, BallsThatHardlyBounceComeToRest) {
  std::mt19937_64 random(20260303);
  std::uniform_real_distribution<double> part(0.0, 1.0);
  for (int i = 0; i < 200; ++i) {
    Series s{};
    s.engine = engines[i % 4];
    s.tolerance = std::pow(10.0, -4 - 6 * part(random));
    s.ratio = i % 8 < 4 ? std::pow(10.0, -0.5 - 11.5 * part(random)) : i % 16 < 8 ? 0.0 : 1e-8;
    SCOPED_TRACE(std::to_string(i) + ": " + text_of(s));
    Model m("ball");
    const Expr h = m.state("h", 1.0), v = m.state("v", 0.0), on = m.discrete("on", 1.0);
    m.equation(der(h) == v * on);
    m.equation(der(v) == -gravity * on);
    m.when("bounce", h < 0.0, {{v, -s.ratio * pre(v)}});
    m.when("rest", Cond::never(m.graph()), {{h, 0.0}, {v, 0.0}, {on, 0.0}});
    RunOptions o = run_to(3.0, s.engine, s.tolerance);
    o.events.accumulation = {{"h < 0", "rest"}};
    const Solution run = simulate(m, o);
    ASSERT_TRUE(run.ok()) << run.report.message;
    EXPECT_EQ(run.final("on"), 0.0);
    EXPECT_EQ(run.final("h"), 0.0);
    const double limit = speed_at_first / gravity * (1 + s.ratio) / (1 - s.ratio);
    EXPECT_NEAR(limit_of(run), limit, rest_error(s));
    // A stop, to 1e-9 of the speed, is what the model says; the other limits are told as what they are.
    if (s.ratio == 0.0 || s.ratio > 1e-9) {
      EXPECT_EQ(run.report.warnings.empty(), s.ratio == 0.0) << run.report.choices.back().reason;
    }
  }
}

/// A stop is no rest if the motion turns back there.
TEST(Accumulation, AStopFromWhichTheMotionTurnsBackIsNoRest) {
  for (const EngineKind engine : engines) {
    Model m("ceiling");
    const Expr h = m.state("h", 0.0), v = m.state("v", 4.0), on = m.discrete("on", 1.0);
    m.equation(der(h) == v * on);
    m.equation(der(v) == -gravity * on);
    m.when("bump", h > 0.5, {{v, 0.0}});
    m.when("rest", Cond::never(m.graph()), {{v, 0.0}, {on, 0.0}});
    RunOptions o = run_to(0.6, engine, 1e-8);
    o.events.accumulation = {{"h > 0.5", "rest"}};
    const Solution run = simulate(m, o);
    ASSERT_TRUE(run.ok()) << run.report.message;
    EXPECT_EQ(run.final("on"), 1.0) << name(engine);
    const double t_bump = (4.0 - std::sqrt(16.0 - gravity)) / gravity, left = 0.6 - t_bump;
    EXPECT_NEAR(run.final("h"), 0.5 - gravity * left * left / 2, 1e-6) << name(engine);
  }
}

/// Bounces that lose nothing below 3 mm/s go on for ever, 2.4e-7 m high: no accumulation, whatever came before.
TEST(Accumulation, ABallThatKeepsItsSpeedInTheEndIsNotPutToRest) {
  for (const EngineKind engine : {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau}) {
    for (const double tolerance : {1e-6, 1e-10}) {
      Model m("lively ball");
      const Expr h = m.state("h", 1.0), v = m.state("v", 0.0), on = m.discrete("on", 1.0);
      m.equation(der(h) == v * on);
      m.equation(der(v) == -gravity * on);
      m.when("bounce", h < 0.0, {{v, -where(abs(pre(v)) > 3e-3, Expr(0.5), Expr(1.0)) * pre(v)}});
      m.when("rest", Cond::never(m.graph()), {{h, 0.0}, {v, 0.0}, {on, 0.0}});
      RunOptions o = run_to(1.5, engine, tolerance);
      o.events.accumulation = {{"h < 0", "rest"}};
      const Solution s = simulate(m, o);
      ASSERT_TRUE(s.ok()) << s.report.message;
      EXPECT_EQ(s.final("on"), 1.0) << name(engine);
      // Energy, within a tolerance of the height.
      const double speed = speed_at_first * std::pow(0.5, 11);
      EXPECT_NEAR(s.final("h") + s.final("v") * s.final("v") / (2 * gravity),
                  speed * speed / (2 * gravity), std::min(2 * tolerance, 1e-8));
      // Below the tolerance the bounces are not told as certain.
      EXPECT_EQ(s.report.all_transitions_smooth(), tolerance < 1e-7) << name(engine);
    }
  }
}

/// In the message if the run ends there, in a warning if it goes on.
TEST(Accumulation, IsToldAsAPrediction) {
  for (const bool goes_on : {false, true}) {
    Model m("ball");
    const Expr h = m.state("h", 1.0), v = m.state("v", 0.0), on = m.discrete("on", 1.0);
    m.equation(der(h) == v * on);
    m.equation(der(v) == -gravity * on);
    m.when("bounce", h < 0.0, {{v, -0.5 * pre(v)}});
    m.when("rest", Cond::never(m.graph()), {{h, 0.0}, {v, 0.0}, {on, 0.0}});
    RunOptions o = run_to(2.0, EngineKind::dopri5, 1e-8);
    if (goes_on) o.events.accumulation = {{"h < 0", "rest"}};
    const Solution run = simulate(m, o);
    ASSERT_EQ(run.report.warnings.size(), goes_on ? 1U : 0U);
    const std::string text = goes_on ? run.report.warnings.front() : run.report.message;
    EXPECT_NE(text.find("events of 'h < 0' accumulate at t = 1.35457092"), std::string::npos)
        << text;
    for (const char* part : {"This is a prediction", "ratio of 0.5", "events were followed",
                             "count as zero", "s are left"})
      EXPECT_NE(text.find(part), std::string::npos) << part << ": " << text;
    // Digits of the message: the limit is as good as the tolerance.
    EXPECT_NEAR(limit_of(run), 3 * speed_at_first / gravity, 1e-8);
  }
}

/// A ratio of 0.999 takes thousands of events, but ends at its limit.
TEST(Accumulation, OfRatiosNearOne) {
  for (const double ratio : {0.999, 0.9995}) {
    Series s{EngineKind::dopri5, 1e-6, ratio, false, 0};
    const double limit = speed_at_first / gravity * (1 + ratio) / (1 - ratio);
    const Solution run = run_ball(s, limit + 1.0, 0.0);
    ASSERT_EQ(run.report.outcome, Outcome::accumulation) << run.report.message;
    EXPECT_NEAR(limit_of(run), limit, 100 * s.tolerance / (1 - ratio)) << run.report.message;
  }
}

/// Super-twisting: x and w come to zero in finite time, by crossings whose intervals have two ratios in turn.
TEST(Accumulation, OfSuperTwistingEndsByName) {
  for (const EngineKind engine : engines) {
    for (const double tolerance : {1e-6, 1e-7, 1e-9}) {
      Model m("super-twisting");
      const Expr x = m.state("x", 1.0), w = m.state("w", 0.0);
      m.equation(der(x) == -1.5 * sqrt(abs(x)) * sign(x) + w);
      m.equation(der(w) == -1.1 * sign(x) + 0.5 * cos(m.time()));
      const Solution s = simulate(m, run_to(10.0, engine, tolerance));
      EXPECT_EQ(s.report.outcome, Outcome::accumulation) << name(engine) << s.report.message;
      EXPECT_LE(s.event_log.n_instants(), 40U) << name(engine);
      // Crossings at 1e-12 come to 1.45534. Intervals are off by sqrt(tolerance), as x is of their square, and some
      // tens of them pass before they are found out not to be told apart.
      EXPECT_NEAR(limit_of(s), 1.45534, 200 * std::sqrt(tolerance))
          << name(engine) << s.report.message;
    }
  }
}

/// What comes after an instant does not depend on whether something else slides: a ball is put to rest where its bounces end,
/// and a clause that only stops it is warned of.
TEST(Accumulation, OfABallBesideMotionOnASurface) {
  for (const EngineKind engine : engines) {
    for (const double tolerance : {1e-6, 1e-8}) {
      for (const double restitution : {0.5, 0.0}) {
        Model m("a ball beside a relay");
        const Expr x = m.state("x", 0.1), h = m.state("h", 1.0), v = m.state("v", 0.0);
        const Expr on = m.discrete("on", 1.0);
        m.equation(der(x) == sin(m.time()) - 2.0 * sign(x));
        m.equation(der(h) == v);
        m.equation(der(v) == -9.0 * on);
        m.when("bounce", h < 0.0, {{v, -restitution * pre(v)}});
        m.when("rest", Cond::never(m.graph()), {{h, 0.0}, {v, 0.0}, {on, 0.0}});
        SCOPED_TRACE(std::string(name(engine)) + " at " + to_text(tolerance) + ", restitution " +
                     to_text(restitution));
        RunOptions o = run_to(3.0, engine, tolerance);
        const Solution ends = simulate(m, o);
        const double first = std::sqrt(2.0 / 9.0);
        const double limit = first * (1 + restitution) / (1 - restitution);
        if (restitution > 0) {
          EXPECT_EQ(ends.report.outcome, Outcome::accumulation) << ends.report.message;
          // The last bounce is as high as the resolution: docs/design/0022, rule 2.
          const double lowest = (engine == EngineKind::ida ? 1.0 : 4e-3) * tolerance;
          const double errors = (engine == EngineKind::ida ? 5000 : 300) * tolerance;
          EXPECT_NEAR(limit_of(ends), limit, 2 * std::sqrt(8 * lowest / 9.0) + errors);
        } else {
          EXPECT_TRUE(std::ranges::any_of(ends.report.warnings, [](const std::string& w) {
            return w.find("brings 'h < 0' to rest on its surface") != std::string::npos;
          }));
        }
        o.events.accumulation = {{"h < 0", "rest"}};
        const Solution rests = simulate(m, o);
        ASSERT_TRUE(rests.ok()) << rests.report.message;
        EXPECT_EQ(rests.final("h"), 0.0);
        EXPECT_EQ(rests.final("on"), 0.0);
        EXPECT_EQ(rests.final("x"), 0.0);
      }
    }
  }
}

/// A relay with an actuator: intervals fall like exp(-t), and there is no limit. Placing each event beyond its surface
/// stops that: at 2 s there are 6,104, 8,560 and 15,172 events, and 15,895 at 1e-12 and 1e-13. The number is one of
/// tolerances.
TEST(Accumulation, ChatteringByTheToleranceIsNotProven) {
  for (const double tolerance : {1e-6, 1e-9, 1e-11}) {
    Model m("relay of degree two");
    const Expr e = m.state("e", 1.0), de = m.state("de", 0.0), u = m.state("u", 0.0);
    m.equation(der(e) == de);
    m.equation(der(de) == u);
    m.equation(der(u) == (-2.0 * sign(de + e) - u) / 0.05);
    const Solution s = simulate(m, run_to(2.0, EngineKind::dopri5, tolerance));
    SCOPED_TRACE(tolerance);
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_FALSE(s.report.all_transitions_smooth());
    ASSERT_FALSE(s.report.warnings.empty());
    EXPECT_NE(s.report.warnings.front().find("'e + de > 0' changed"), std::string::npos);
    EXPECT_NE(s.report.warnings.front().find("count as marginal"), std::string::npos);
    const auto& events = s.events();
    EXPECT_EQ(events.front().guarantee, Guarantee::proven);
    EXPECT_EQ(events.back().guarantee, Guarantee::marginal);
  }
}

/// As many events, far from each other.
TEST(Accumulation, ManyEventsThatAreFarApartStayProven) {
  Model m("to and fro");
  const Expr x = m.state("x", 0.5), way = m.discrete("way", 1.0);
  m.equation(der(x) == way);
  m.when("up", x < 0.0, {{way, 1.0}});
  m.when("down", x > 1.0, {{way, -1.0}});
  const Solution s = simulate(m, run_to(8000.0, EngineKind::dopri5, 1e-6));
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_EQ(s.event_log.n_instants(), 8000U);
  EXPECT_TRUE(s.report.warnings.empty()) << s.report.warnings.front();
  EXPECT_EQ(s.events().back().guarantee, Guarantee::proven);
}

/// A clock that ticks, and a relay that slides, while a ball comes to rest: an instant may find it hardly below its floor, where a crossing was less
/// than the error of a step. It bounces there as well, and is put to rest or ends the run; it never falls.
TEST(SlowAccumulation, NoInstantLetsABallFall) {
  std::mt19937 random(20261123);
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int k = 0; k < 5; ++k) {
    const double restitution = between(0.5, 0.8), height = between(0.5, 1.5);
    const double period = between(0.004, 0.012), drag = between(0, 0.2);
    const EngineKind engine = EngineKind::ida;
    const double tolerance = 1e-6;
    Model m("ball");
    const Expr y = m.state("y", height), v = m.state("v", 0.0), n = m.discrete("n", 0.0);
    const Expr floor = m.unilateral("floor", y, {.restitution = restitution});
    m.equation(der(y) == v);
    m.equation(der(v) == floor - 9.0 - drag * v);
    m.when("sampler", m.every("tick", period, period), {{n, pre(n) + y}});
    const Expr x = m.state("x", 0.5);
    m.equation(der(x) == 0.9 * sin(2.4 * m.time() + 2.8) - 2.0 * x -
                             1.9 * sign(x - 0.3 * sin(1.6 * m.time())));
    RunOptions options{.t_end = 4.0};
    options.engine = engine;
    options.rtol = options.atol = tolerance;
    const Solution s = simulate(m, options);
    ASSERT_TRUE(s.ok()) << k << s.report.message;
    const auto ys = s.trajectory.column("y");
    // The tolerance of a value of nominal size 1, and as much again for the excuse that it is given.
    EXPECT_GE(*std::min_element(ys.begin(), ys.end()), -4 * tolerance)
        << k << " " << name(engine) << " at " << tolerance;
    EXPECT_NEAR(s.final("y"), 0.0, 4 * tolerance) << k << " " << name(engine);
  }
}

/// A block that slips under a ball that comes to rest on it: from rest to rest the floor carries the weight on average, so that
/// u falls by mu g t whatever the bounces are. Those left out before the ball is put to rest are no exception.
TEST(Accumulation, BouncesLeftOutStillPress) {
  constexpr double g = 9.0, mu = 0.1, t_end = 4.0;
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
    for (const double restitution : {0.4, 0.6, 0.75}) {
      for (const double tolerance : {1e-6, 1e-8}) {
        Model m("block");
        const Expr y = m.state("y", 1.0), v = m.state("v", 0.0), u = m.state("u", 5.0);
        const Expr floor = m.unilateral("floor", y, {.restitution = restitution});
        m.equation(der(y) == v);
        m.equation(der(v) == floor - g);
        m.equation(der(u) == m.friction("rub", u, floor, {mu}));
        RunOptions options = run_to(t_end, engine, tolerance);
        const Solution s = simulate(m, options);
        ASSERT_TRUE(s.ok()) << s.report.message;
        // Exact as long as the ball falls on its tangent. A limit that comes too early leaves mu times the speed of a hop that is
        // not told from none.
        const double allowed =
            10 * tolerance + mu * std::sqrt(2 * g * told_apart(engine, tolerance)) / 10;
        EXPECT_NEAR(s.final("u"), 5.0 - mu * g * t_end, allowed)
            << name(engine) << " at " << tolerance << ", restitution " << restitution;
      }
    }
  }
}

/// Of a clause written by hand the bounces that are left out change nothing, counts least of all: what happens at the limit is
/// what the action there says.
TEST(Accumulation, CountsAreNotContinuedToTheLimit) {
  for (const EngineKind engine : engines) {
    for (const double restitution : {0.5, 0.9}) {
      Model m("counted");
      const Expr h = m.state("h", 1.0), v = m.state("v", 0.0), on = m.discrete("on", 1.0);
      const Expr k = m.state("k", 0.0), lost = m.state("lost", 0.0);
      m.equation(der(h) == v * on);
      m.equation(der(v) == -gravity * on);
      m.equation(der(k) == 0.0);
      m.equation(der(lost) == 0.0);
      m.when("bounce", h < 0.0,
             {{v, -restitution * pre(v)}, {k, pre(k) + 1.0}, {lost, pre(lost) - pre(v)}});
      m.when("rest", Cond::never(m.graph()), {{h, 0.0}, {v, 0.0}, {on, 0.0}});
      const double first = speed_at_first / gravity;
      RunOptions o = run_to(first * (1 + restitution) / (1 - restitution) + 1, engine, 1e-8);
      o.events.accumulation = {{"h < 0", "rest"}};
      const Solution s = simulate(m, o);
      SCOPED_TRACE(std::string(name(engine)) + ", restitution " + to_text(restitution));
      ASSERT_TRUE(s.ok()) << s.report.message;
      EXPECT_EQ(s.final("on"), 0.0);
      EXPECT_GE(s.final("k"), 10.0);
      EXPECT_EQ(s.final("k"), std::round(s.final("k")));
      // Speeds of all impacts add up to that of the first over 1 - r. Those of the last ones are known to what is told apart.
      const double of_last = std::sqrt(2 * gravity * told_apart(engine, 1e-8));
      EXPECT_NEAR(s.final("lost"), speed_at_first / (1 - restitution), of_last / (1 - restitution));
    }
  }
}

/// Two balls that have nothing to do with each other. One comes to rest while the other bounces on: that one rests at its own limit, and moves until
/// then as it would alone.
TEST(SlowAccumulation, EachBallRestsAtItsOwnTime) {
  std::mt19937 random(20261119);
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int k = 0; k < 60; ++k) {
    const double restitution = between(0.7, 0.8), height = between(0.8, 1.0);
    const double first = std::sqrt(2 * gravity * height) / gravity;
    const double limit = first * (1 + restitution) / (1 - restitution);
    // The second one rests a little later: a few of its hops are still to come.
    const double later = limit * (1 + std::pow(10.0, between(-3.5, -1.5)));
    const double other = later * gravity * (1 - restitution) / (1 + restitution);
    Model m("two balls");
    for (const auto& [which, from] :
         {std::pair<std::string, double>("a", height), {"b", other * other / (2 * gravity)}}) {
      const Expr y = m.state("y_" + which, from), v = m.state("v_" + which, 0.0);
      const Expr floor = m.unilateral(which, y, {.restitution = restitution});
      m.equation(der(y) == v);
      m.equation(der(v) == floor - gravity);
    }
    const double tolerance = k % 2 == 0 ? 1e-6 : 1e-8;
    const EngineKind engine = k % 4 < 2 ? EngineKind::radau : EngineKind::ida;
    const Solution s = simulate(m, run_to(later + 0.5, engine, tolerance));
    SCOPED_TRACE(std::string(name(engine)) + " at " + to_text(tolerance) + ", limits at " +
                 to_text(limit) + " and " + to_text(later));
    ASSERT_TRUE(s.ok()) << s.report.message;
    double rest_of_b = 0.0;
    for (const Event& e : s.events())
      if (e.name == "b comes to rest") rest_of_b = e.t;
    // Hops below what is told apart are left out.
    const double hop = 2 * std::sqrt(2 * told_apart(engine, tolerance) / gravity);
    EXPECT_NEAR(rest_of_b, later, 2 * hop / (1 - restitution));
    for (const char* y : {"y_a", "y_b"}) {
      const auto ys = s.trajectory.column(y);
      EXPECT_GE(*std::min_element(ys.begin(), ys.end()), -4 * tolerance) << y;
      EXPECT_NEAR(s.final(y), 0.0, 4 * tolerance) << y;
    }
  }
}

/// A force against the motion that turns with the velocity: at the top of each hop its relation has an event, too. It belongs to the
/// bounces and does not keep them from their end. Rises take (g + c), falls (g - c), so that speeds fall by
/// q = e sqrt((g - c) / (g + c)).
TEST(SlowAccumulation, ARelationThatTakesTurnsWithTheBouncesEndsWithThem) {
  std::mt19937 random(20261120);
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int k = 0; k < 60; ++k) {
    const double e = between(0.05, 0.8), c = between(0.2, 4.0), height = between(0.2, 1.5);
    const double rise = gravity + c, fall = gravity - c;
    Model m("ball");
    const Expr y = m.state("y", height), v = m.state("v", 0.0);
    const Expr floor = m.unilateral("floor", y, {.restitution = e});
    m.equation(der(y) == v);
    m.equation(der(v) == floor - gravity - c * sign(v));
    const double first = std::sqrt(2 * height / fall), up = e * fall * first;
    const double q = e * std::sqrt(fall / rise);
    const double limit = first + up * (1 / rise + 1 / std::sqrt(rise * fall)) / (1 - q);
    const double tolerance = k % 2 == 0 ? 1e-6 : 1e-8;
    const EngineKind engine = k % 4 < 2 ? EngineKind::radau : EngineKind::ida;
    RunOptions options = run_to(limit + 0.5, engine, tolerance);
    options.limits.max_events = 1000;
    const Solution s = simulate(m, options);
    SCOPED_TRACE(std::string(name(engine)) + " at " + to_text(tolerance) + ", e " + to_text(e) +
                 ", c " + to_text(c));
    ASSERT_TRUE(s.ok()) << s.report.message;
    double rest = 0.0;
    for (const Event& event : s.events())
      if (event.name == "floor comes to rest") rest = event.t;
    const double hop = 2 * std::sqrt(2 * told_apart(engine, tolerance) / fall);
    EXPECT_NEAR(rest, limit, 2 * hop / (1 - q));
    EXPECT_NEAR(s.final("y"), 0.0, 4 * tolerance);
    EXPECT_NEAR(s.final("v"), 0.0, 4 * tolerance);
  }
}

/// Beside such a ball another one bounces: none of its impacts is left out with the tops of the first one's hops.
TEST(SlowAccumulation, WhatTakesTurnsHidesNoOtherImpact) {
  std::mt19937 random(20261122);
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int k = 0; k < 100; ++k) {
    const double e = between(0.4, 0.8), c = between(0.2, 2.0), height = between(0.3, 1.0);
    const double rise = gravity + c, fall = gravity - c;
    const double first = std::sqrt(2 * height / fall), up = e * fall * first;
    const double q = e * std::sqrt(fall / rise);
    const double limit = first + up * (1 / rise + 1 / std::sqrt(rise * fall)) / (1 - q);
    const double other = between(0.4, 0.8), later = limit * (1 + std::pow(10.0, between(-4, -1.5)));
    const double fallen = later * gravity * (1 - other) / (1 + other);
    Model m("two balls");
    const Expr a = m.state("a", height), va = m.state("va", 0.0);
    const Expr b = m.state("b", fallen * fallen / (2 * gravity)), vb = m.state("vb", 0.0);
    m.equation(der(a) == va);
    m.equation(der(va) == m.unilateral("floor a", a, {.restitution = e}) - gravity - c * sign(va));
    m.equation(der(b) == vb);
    m.equation(der(vb) == m.unilateral("floor b", b, {.restitution = other}) - gravity);
    const double tolerance = k % 2 == 0 ? 1e-6 : 1e-8;
    const EngineKind engine = k % 4 < 2 ? EngineKind::radau : EngineKind::ida;
    RunOptions options = run_to(later + 0.5, engine, tolerance);
    options.limits.max_events = 2000;
    const Solution s = simulate(m, options);
    SCOPED_TRACE(std::string(name(engine)) + " at " + to_text(tolerance) + ", model " +
                 std::to_string(k));
    ASSERT_TRUE(s.ok()) << s.report.message;
    for (const char* y : {"a", "b"}) {
      const auto ys = s.trajectory.column(y);
      EXPECT_GE(*std::min_element(ys.begin(), ys.end()), -4 * tolerance) << y;
      EXPECT_NEAR(s.final(y), 0.0, 4 * tolerance) << y;
    }
  }
}

/// Up to the limit everything goes straight on. What bends on the way, as an oscillator does, is named if that matters.
TEST(SlowAccumulation, WhatBendsBesideASeriesIsNamed) {
  int n_named = 0, n_silent = 0;
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
    for (const double rate : {0.1, 1.0, 10.0, 100.0, 1000.0}) {
      Model m("oscillator beside a ball");
      const Expr y = m.state("y", 1.0), w = m.state("w", 0.0);
      const Expr x = m.state("x", 0.0), v = m.state("v", 1.0);
      m.equation(der(y) == w);
      m.equation(der(w) == m.unilateral("floor", y, {.restitution = 0.7}) - gravity);
      m.equation(der(x) == rate * v);
      m.equation(der(v) == -rate * x);
      constexpr double tolerance = 1e-6;
      const Solution s = simulate(m, run_to(4.0, engine, tolerance));
      SCOPED_TRACE(std::string(name(engine)) + ", rate " + to_text(rate));
      ASSERT_TRUE(s.ok()) << s.report.message;
      double touched = 0.0, rests = 0.0;
      for (const Event& e : s.events()) {
        if (e.name == "floor touches") touched = e.t;
        if (e.name == "floor comes to rest") rests = e.t;
      }
      ASSERT_GT(rests, touched);
      const auto amplitude = [&](double t) {
        return std::hypot(*s.trajectory.at(2, t, Side::right), *s.trajectory.at(3, t, Side::right));
      };
      const double change = std::abs(amplitude(rests) - amplitude(touched)) / tolerance;
      const bool is_named = std::ranges::any_of(s.report.warnings, [](const std::string& text) {
        return text.starts_with("'x' may be off by") || text.starts_with("'v' may be off by");
      });
      // The radius grows by the square of the angle: no more than both together.
      EXPECT_TRUE(is_named || change <= 200) << change;
      (is_named ? n_named : n_silent) += 1;
    }
  }
  EXPECT_GE(n_named, 2);
  EXPECT_GE(n_silent, 3);
}

/// A ball on a moving floor, with a force that depends on a relay that slides: steps are far longer than its last hops, and their
/// polynomials too coarse for them. A hop must not gain height by where its impacts are placed.
TEST(Accumulation, LowHopsBesideARelayThatSlidesGainNoHeight) {
  Model m("low hops");
  const Expr t = m.time(), x = m.state("x", -0.226), z = m.algebraic("z");
  m.equation(z + 0.454 * z * z * z == 0.219 * sin(2.321 * t + 1.738) - 0.513 * x);
  const Expr y = m.state("y", 0.921), v = m.state("v", 0.0);
  const Expr floor =
      m.unilateral("floor", y - 0.117 * sin(3.999 * t + 0.954), {.restitution = 0.567});
  m.equation(der(y) == v);
  m.equation(der(v) == floor - 9.0 - 0.1 * v + 0.72 * x);
  m.equation(der(x) == 1.254 * sin(1.331 * t + 1.371) - 1.697 * x + 0.137 * y -
                           1.091 * sign(z - (0.184 * sin(3.7 * t + 2.713) - 0.187)));
  for (const double tolerance : {1e-6, 1e-8}) {
    const Solution s = simulate(m, run_to(2.0, EngineKind::radau, tolerance));
    ASSERT_TRUE(s.ok()) << s.report.message;
    const auto touches =
        std::ranges::count_if(s.events(), [](const Event& e) { return e.name == "floor touches"; });
    // Speeds fall by 0.567 from 3.5 m/s to that of a hop that is a thousandth of the tolerance high.
    const double last = std::sqrt(2 * gravity * 1e-3 * tolerance);
    EXPECT_GE(touches, 8) << tolerance;
    EXPECT_LE(touches, 3 + std::log(last / 3.5) / std::log(0.567)) << tolerance;
  }
}

}  // namespace
}  // namespace saltus
