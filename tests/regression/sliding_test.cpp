// Complaints: models whose solution stays on a switching surface. Others chatter, get stuck or lose the event
// that ends it.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <saltus/saltus.hpp>

#include "regression/naive.hpp"

namespace saltus {
namespace {

constexpr EngineKind sliding_engines[] = {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau,
                                          EngineKind::ida};
constexpr double sliding_tolerance = 1e-6;

/// Global errors on models of a few seconds: 300 tolerances on one-step engines, 5000 on ida.
double allowed_error(EngineKind engine) {
  return (engine == EngineKind::ida ? 5000 : 300) * sliding_tolerance;
}

RunOptions sliding_options(double t_end, EngineKind engine) {
  RunOptions o = {
      .t_end = t_end, .rtol = sliding_tolerance, .atol = sliding_tolerance, .engine = engine};
  o.limits.max_events = 1000;
  o.limits.max_steps = 20000;
  return o;
}

/// A loop that begins anew wherever it sees a change of sign, with the relation inside the right-hand side.
test::NaiveResult restart_naively(
    std::vector<double> x,
    std::function<void(double t, std::span<const double> x, std::span<double> xdot)> f,
    std::function<double(double t, std::span<const double> x)> g, double t_end) {
  return test::run_naively({.x = std::move(x),
                            .f = std::move(f),
                            .g = std::move(g),
                            .effect = [](double, auto) {},
                            .t_end = t_end,
                            .max_events = 2000});
}

// ---- OpenModelica#12190: a sliding model gets stuck --------------------------------------------------

TEST(ComplaintsOpenModelica12190, ASlidingModelArrives) {
  for (const EngineKind engine : sliding_engines) {
    Model m("test 1");
    Expr x = m.state("x", 1.5), y = m.state("y", 1.0);
    m.equation(der(x) == where(x > y, Expr(-2.0), Expr(2.0)));
    m.equation(der(y) == where(y > x, Expr(-3.0), Expr(1.5)));
    const Solution s = simulate(m, sliding_options(1.0, engine));
    ASSERT_TRUE(s.ok()) << name(engine) << ": " << s.report.message;
    // x - y = 0.5 - 3.5 t is zero at 1/7; there both sides lead back at 3.5 and 5, so x' = y' = -6/17.
    ASSERT_EQ(s.event_log.n_instants(), 1U) << to_text(s.event_log);
    EXPECT_EQ(s.events()[0].kind, EventKind::enter_sliding) << to_text(s.event_log);
    EXPECT_NEAR(s.instants()[0].t, 1.0 / 7.0, allowed_error(engine)) << name(engine);
    const double end = 1.5 - 2.0 / 7.0 - 6.0 / 17.0 * 6.0 / 7.0;
    EXPECT_NEAR(s.final("x"), end, allowed_error(engine)) << name(engine);
    EXPECT_NEAR(s.final("y"), end, allowed_error(engine)) << name(engine);
  }
}

TEST(ComplaintsOpenModelica12190, NaiveRestartsGetStuck) {
  const auto found = restart_naively(
      {1.5, 1.0},
      [](double, auto x, auto xdot) {
        xdot[0] = x[0] > x[1] ? -2.0 : 2.0;
        xdot[1] = x[1] > x[0] ? -3.0 : 1.5;
      },
      [](double, auto x) { return x[0] - x[1]; }, 1.0);
  EXPECT_TRUE(found.stuck) << found.times.size() << " events until " << found.t;
}

// ---- OrdinaryDiffEq.jl#3222: stick-slip, the event that begins or ends it is lost ---------------------

/// A valve's spool with friction, in mm, ms and N: driven by pressure at 250 Hz, it sticks at the start.
struct Spool {
  static constexpr double mass = 0.3361, spring = 1.4886, friction = 1.0;
  static double force(double t, double x) {
    return 0.606 + 1.3 * std::sin(std::numbers::pi / 2 * t) - spring * x;
  }
};

TEST(ComplaintsOrdinaryDiffEq3222, ASpoolSticksAndSlips) {
  // The oracle: steps of 1e-5 ms, friction chosen in each so that speed ends at zero if it can (implicit in the
  // sign, of first order, without events).
  double x = 0.0, v = 0.0;
  int n_stops = 0, n_at_rest = 100;
  constexpr double h = 1e-5, t_end = 20.0;
  for (int k = 0; k < static_cast<int>(t_end / h); ++k) {
    const double push = v + h * Spool::force(h * (k + 1), x) / Spool::mass;
    const double most = h * Spool::friction / Spool::mass;
    v = push > most ? push - most : push < -most ? push + most : 0.0;
    x += h * v;
    // At rest in one step only: it turns round.
    n_at_rest = v == 0.0 ? n_at_rest + 1 : 0;
    n_stops += n_at_rest == 100;
  }
  ASSERT_GE(n_stops, 3);
  for (const EngineKind engine : sliding_engines) {
    Model m("spool");
    Expr sx = m.state("x", 0.0), sv = m.state("v", 0.0);
    m.equation(der(sx) == sv);
    m.equation(Spool::mass * der(sv) == 0.606 + 1.3 * sin(std::numbers::pi / 2 * m.time()) -
                                            Spool::spring * sx - Spool::friction * sign(sv));
    const Solution s = simulate(m, sliding_options(t_end, engine));
    ASSERT_TRUE(s.ok()) << name(engine) << ": " << s.report.message;
    int n_enters = 0;
    for (const Event& e : s.events()) n_enters += e.kind == EventKind::enter_sliding && e.t > 0;
    EXPECT_EQ(n_enters, n_stops) << name(engine) << "\n" << to_text(s.event_log);
    // h times the sum of the speeds' changes, 2.6 / 0.34 per ms for 20 ms at most.
    EXPECT_NEAR(s.final("x"), x, 200 * h + allowed_error(engine)) << name(engine);
  }
}

TEST(ComplaintsOrdinaryDiffEq3222, NaiveStateMachineDoesNotNoticeThatItSticks) {
  // Slipping to the right until v passes zero, by hand. v starts at zero: its sign never changes, and
  // friction that should hold the spool drives it to the left.
  double direction = 1.0;
  const double first_slip = 2 / std::numbers::pi * std::asin((1 - 0.606) / 1.3);
  const auto found = test::run_naively(
      {.x = {0.0, 0.0},
       .f =
           [&](double t, auto x, auto xdot) {
             xdot[0] = x[1];
             xdot[1] = (Spool::force(t, x[0]) - direction * Spool::friction) / Spool::mass;
           },
       .g = [](double, auto x) { return x[1]; },
       .effect = [&](double, auto) { direction = -direction; },
       .t_end = first_slip});
  EXPECT_TRUE(found.times.empty());
  EXPECT_LT(found.x[1], -0.05);
}

// ---- OpenModelica#15718: a piecewise linear model of three equations dies in event iteration -----------

TEST(ComplaintsOpenModelica15718, AnImplicitPiecewiseLinearSystemSwitches) {
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
    Model m("piecewise linear");
    Expr x = m.algebraic("x"), y = m.algebraic("y"), z = m.algebraic("z");
    m.equation(x == sin(m.time()));
    m.equation(x + where(y > 0.0, 2.0 * y, y) - z == 0.0);
    m.equation(3.0 * x + y - 1.0 + z == 0.0);
    const Solution s = simulate(m, sliding_options(6.28, engine));
    ASSERT_TRUE(s.ok()) << name(engine) << ": " << s.report.message;
    // 4 x + (3 or 2) y = 1: y has the sign of 1 - 4 sin t.
    const auto times = s.event_times("y > 0");
    ASSERT_EQ(times.size(), 2U) << name(engine) << "\n" << to_text(s.event_log);
    EXPECT_NEAR(times[0], std::asin(0.25), allowed_error(engine));
    EXPECT_NEAR(times[1], std::numbers::pi - std::asin(0.25), allowed_error(engine));
    for (const double t : {0.1, 1.5, 4.0, 6.0}) {
      const double rest = 1.0 - 4.0 * std::sin(t);
      EXPECT_NEAR(s.at("y", t), rest > 0 ? rest / 3 : rest / 2, allowed_error(engine)) << t;
    }
  }
}

TEST(ComplaintsOpenModelica15718, NaiveIterationOnTheRelationDoesNotEnd) {
  // One equation after the other, with the relation as the last value says, until nothing changes.
  int n_given_up = 0;
  for (const double t : {0.1, 0.2526, 0.2527, 1.0}) {
    const double x = std::sin(t);
    double y = 0.1;
    bool ends = false;
    for (int k = 0; k < 20 && !ends; ++k) {
      const double z = x + (y > 0 ? 2 * y : y), next = 1 - 3 * x - z;
      ends = std::abs(next - y) < 1e-9;
      y = next;
    }
    n_given_up += !ends;
  }
  EXPECT_EQ(n_given_up, 4);
}

// ---- OpenModelica#15043: three orders of magnitude slower because of its events ------------------------

TEST(ComplaintsOpenModelica15043, ACurrentThatRestsAtZeroCostsFourEventsAPeriod) {
  constexpr double threshold = 4.0, voltage = 10.0;
  constexpr int n_periods = 20;
  for (const EngineKind engine : sliding_engines) {
    if (engine == EngineKind::dopri5 || engine == EngineKind::dop853)
      continue;  // algebraic unknowns
    Model m("two diodes");
    Expr i = m.state("i", 0.0), u = m.algebraic("u");
    m.equation("coil", 0.2 * der(i) == voltage * sin(m.time()) - i - u);
    m.equation("diodes", u == where(i > 0.0, Expr(threshold), Expr(-threshold)));
    const Solution s = simulate(m, sliding_options(2 * std::numbers::pi * n_periods, engine));
    ASSERT_TRUE(s.ok()) << name(engine) << ": " << s.report.message;
    // It conducts from |u| > threshold on, and rests again once a half-wave: two exits, two entries a period.
    int n_exits = 0;
    for (const Event& e : s.events()) {
      if (e.kind != EventKind::exit_sliding) continue;
      const double expected = std::asin(threshold / voltage) + std::numbers::pi * n_exits;
      EXPECT_NEAR(e.t, expected, allowed_error(engine)) << name(engine);
      ++n_exits;
    }
    EXPECT_EQ(n_exits, 2 * n_periods) << name(engine);
    EXPECT_LE(s.event_log.n_instants(), 4U * n_periods + 1) << name(engine);
    // At rest the diodes take what the source offers.
    EXPECT_NEAR(s.at("u", 2 * std::numbers::pi), 0.0, allowed_error(engine)) << name(engine);
    EXPECT_NEAR(s.at("u", 2 * std::numbers::pi + 0.2), voltage * std::sin(0.2),
                voltage * allowed_error(engine));
  }
}

TEST(ComplaintsOpenModelica15043, NaiveRestartsAreThousandsAPeriod) {
  const auto found = restart_naively(
      {0.0},
      [](double t, auto x, auto xdot) {
        xdot[0] = (10.0 * std::sin(t) - x[0] - (x[0] > 0 ? 4.0 : -4.0)) / 0.2;
      },
      [](double, auto x) { return x[0]; }, 2 * std::numbers::pi);
  EXPECT_TRUE(found.stuck);
}

// ---- FMPy#399: a tank that has run empty triggers thousands of events ----------------------------------

TEST(ComplaintsFMPy399, AnEmptyTankPassesOnWhatComesIn) {
  for (const EngineKind engine : sliding_engines) {
    Model m("tank");
    Expr level = m.state("level", 0.5);
    Expr drawn = where(level > 0.0, Expr(1.0), Expr(0.0));
    Expr inflow = 0.6 + 0.5 * sin(m.time());
    m.equation(der(level) == inflow - drawn);
    m.output("outflow", drawn);
    const Solution s = simulate(m, sliding_options(25.0, engine));
    ASSERT_TRUE(s.ok()) << name(engine) << ": " << s.report.message;
    // It fills again where 0.5 sin t passes 0.4 upwards.
    std::vector<double> fills;
    for (const Event& e : s.events())
      if (e.kind == EventKind::exit_sliding) fills.push_back(e.t);
    ASSERT_GE(fills.size(), 3U) << name(engine) << "\n" << to_text(s.event_log);
    for (const double t : fills) {
      const double turns = std::round((t - std::asin(0.8)) / (2 * std::numbers::pi));
      EXPECT_NEAR(t, std::asin(0.8) + 2 * std::numbers::pi * turns, allowed_error(engine));
    }
    EXPECT_LE(s.event_log.n_instants(), 10U) << name(engine);
    // Before the third filling it is empty, and its outflow is the inflow.
    const double t = fills[2] - 0.5;
    EXPECT_NEAR(s.at("level", t), 0.0, 1e-12);
    EXPECT_NEAR(s.at("outflow", t), 0.6 + 0.5 * std::sin(t), allowed_error(engine));
  }
}

TEST(ComplaintsFMPy399, NaiveRestartsAtAnEmptyTankAreAStorm) {
  const auto found = restart_naively(
      {0.5},
      [](double t, auto x, auto xdot) {
        xdot[0] = 0.6 + 0.5 * std::sin(t) - (x[0] > 0 ? 1.0 : 0.0);
      },
      [](double, auto x) { return x[0]; }, 25.0);
  EXPECT_TRUE(found.stuck);
}

// ---- sundials#947: noise at max(0, y) restarts the solver at high frequency ----------------------------

TEST(ComplaintsSundials947, AValueThatIsHeldAtZeroIsZero) {
  for (const EngineKind engine : sliding_engines) {
    Model m("held at zero");
    Expr y = m.state("y", 1.0), x = m.state("x", 0.0);
    m.equation(der(y) == -2.0 * sign(y) + sin(5.0 * m.time()));
    m.equation(der(x) == max(y, Expr(0.0)) - 0.5 * x);
    const Solution s = simulate(m, sliding_options(20.0, engine));
    ASSERT_TRUE(s.ok()) << name(engine) << ": " << s.report.message;
    EXPECT_EQ(s.event_log.counts().n_interruptions, 1U) << name(engine) << to_text(s.event_log);
    const double t = s.instants()[0].t;
    EXPECT_NEAR(s.final("y"), 0.0, 1e-12) << name(engine);
    // Nothing flows any more: x decays from what it was.
    EXPECT_NEAR(s.final("x"), s.at("x", t) * std::exp(-0.5 * (20.0 - t)), allowed_error(engine));
  }
}

TEST(ComplaintsSundials947, NaiveRestartsAtNoiseHaveNoEnd) {
  const auto found = restart_naively(
      {1.0, 0.0},
      [](double t, auto x, auto xdot) {
        xdot[0] = (x[0] > 0 ? -2.0 : 2.0) + std::sin(5.0 * t);
        xdot[1] = std::max(x[0], 0.0) - 0.5 * x[1];
      },
      [](double, auto x) { return x[0]; }, 20.0);
  EXPECT_TRUE(found.stuck);
}

}  // namespace
}  // namespace saltus
