// Surfaces as a user sees them: what is refused and with which words, policies, and what may happen while
// the solution slides.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <saltus/saltus.hpp>

namespace saltus {
namespace {

using HybridRun = Run;

constexpr double surface_tolerance = 1e-8;
/// Global errors of these short runs.
constexpr double surface_error = 300 * surface_tolerance;

RunOptions surface_options(double t_end, EngineKind engine = EngineKind::automatic) {
  RunOptions o = {
      .t_end = t_end, .rtol = surface_tolerance, .atol = surface_tolerance, .engine = engine};
  o.limits.max_events = 500;
  return o;
}

bool surface_text_has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<double> times_of(const Solution& s, EventKind kind) {
  std::vector<double> times;
  for (const Event& e : s.events())
    if (e.kind == kind) times.push_back(e.t);
  return times;
}

void expect_times(const std::vector<double>& found, const std::vector<double>& expected,
                  const Solution& s) {
  ASSERT_EQ(found.size(), expected.size()) << to_text(s.event_log) << s.report.message;
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], surface_error);
}

/// x' = -1 or 1: from 1 to its surface x = 0 at t = 1.
void write_sign_relay(Model& m, double start = 1.0) {
  Expr x = m.state("x", start);
  m.equation(der(x) == where(x > 0.0, Expr(-1.0), Expr(1.0)));
}

// Whoever slides around a circle needs other coordinates after each quarter; the angle is that of the start plus t.
TEST(SlidingAroundACircle, ChangesOfCoordinatesEndNoRun) {
  for (const double tolerance : {3.86e-7, 1.74e-7, 1.17e-7, 7.88e-8, 2.21e-9}) {
    Model m("circle");
    Expr x = m.state("x", 1.2), y = m.state("y", 0.1);
    Expr r = where(x * x + y * y - 1.0 > 0.0, Expr(1.0), Expr(-1.0));
    m.equation(der(x) == -y - r * x);
    m.equation(der(y) == x - r * y);
    const Solution s = simulate(
        m, {.t_end = 20.0, .rtol = tolerance, .atol = tolerance, .engine = EngineKind::ida});
    ASSERT_TRUE(s.ok()) << tolerance << ": " << s.report.message;
    // As for all runs of ida with events.
    EXPECT_NEAR(s.at("x", 20.0), std::cos(std::atan2(0.1, 1.2) + 20.0), 5000 * tolerance);
  }
}

// ---- refusals ------------------------------------------------------------------------------------------

TEST(SlidingRefusals, AStartOnARepulsiveSurfaceShowsItsCandidates) {
  Model m("repulsive");
  Expr x = m.state("x", 0.0);
  m.equation(der(x) == where(x > 0.0, Expr(1.0), Expr(-2.0)));
  const Solution s = simulate(m, surface_options(1.0));
  EXPECT_EQ(s.report.outcome, Outcome::not_started);
  const std::string& text = s.report.message;
  EXPECT_TRUE(surface_text_has(text, "x > 0")) << text;
  EXPECT_TRUE(surface_text_has(text, "more than one way")) << text;
  // Both ways, and why not to stay.
  EXPECT_TRUE(surface_text_has(text, "x > 0 true: possible")) << text;
  EXPECT_TRUE(surface_text_has(text, "x > 0 false: possible")) << text;
  EXPECT_TRUE(surface_text_has(text, "sliding on")) << text;
}

TEST(SlidingRefusals, BesideTheSurfaceItStarts) {
  Model m("beside");
  Expr x = m.state("x", 1e-3);
  m.equation(der(x) == where(x > 0.0, Expr(1.0), Expr(-2.0)));
  const Solution s = simulate(m, surface_options(1.0));
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.final("x"), 1.001, surface_error);
}

TEST(SlidingRefusals, ACornerWithTwoWaysNamesBothRelations) {
  // Near the corner each relay acts on the other surface more than on its own: (+, -) and (-, +) go on alike.
  Model m("corner");
  Expr x = m.state("x", 1.0), y = m.state("y", 1.0);
  Expr sx = where(m.named("east", x > 0.0), Expr(1.0), Expr(-1.0));
  Expr sy = where(m.named("north", y > 0.0), Expr(1.0), Expr(-1.0));
  m.equation(der(x) == -0.2 * sx - sy);
  m.equation(der(y) == -sx - 0.2 * sy);
  const Solution s = simulate(m, surface_options(3.0));
  ASSERT_FALSE(s.ok());
  EXPECT_NEAR(s.report.t_reached, 1.0 / 1.2, surface_error);
  EXPECT_TRUE(surface_text_has(s.report.message, "east") &&
              surface_text_has(s.report.message, "north"))
      << s.report.message;
  EXPECT_TRUE(surface_text_has(s.report.message, "more than one way")) << s.report.message;
}

TEST(SlidingRefusals, ASurfaceThatCeasesToAttractEndsTheRunByName) {
  // Normal velocities x and -y: attracting where both x and y are negative, repelling where both are positive.
  // On the surface (x, y)' = (x, y) / (x + y): every motion reaches the fold of both sides, x = y = 0, after
  // |x + y| = 2 s, with a multiplier inside its range; from there on nothing is unique.
  for (const EngineKind engine :
       {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau, EngineKind::ida}) {
    Model m("two folds");
    Expr x = m.state("x", -1.2), y = m.state("y", -0.8), z = m.state("z", 0.0);
    m.equation(der(x) == where(z > 0.0, Expr(0.0), Expr(1.0)));
    m.equation(der(y) == where(z > 0.0, Expr(1.0), Expr(0.0)));
    m.equation(der(z) == where(z > 0.0, x, -y));
    const Solution s = simulate(m, surface_options(4.0, engine));
    EXPECT_FALSE(s.ok()) << name(engine) << "\n" << to_text(s.event_log);
    // Close to it the motion is singular: an error of the state is one of the time.
    EXPECT_NEAR(s.report.t_reached, 2.0, 1e-3) << name(engine) << s.report.message;
    EXPECT_TRUE(surface_text_has(s.report.message, "z > 0")) << name(engine) << s.report.message;
  }
}

// ---- policies ------------------------------------------------------------------------------------------

TEST(SurfacePolicies, SlideIsTheDefault) {
  for (const EngineKind engine :
       {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau, EngineKind::ida}) {
    Model m("relay");
    write_sign_relay(m);
    const Solution s = simulate(m, surface_options(3.0, engine));
    ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
    expect_times(times_of(s, EventKind::enter_sliding), {1.0}, s);
    EXPECT_EQ(s.event_log.n_instants(), 1U) << to_text(s.event_log);
    // g is linear: rounding is all that is left.
    EXPECT_NEAR(s.final("x"), 0.0, 1e-14) << name(engine);
    EXPECT_TRUE(surface_text_has(s.explain(s.events()[0]), "x > 0")) << s.explain(s.events()[0]);
  }
}

TEST(SurfacePolicies, CrossChattersAndIsNamed) {
  Model m("relay");
  write_sign_relay(m);
  RunOptions o = surface_options(3.0, EngineKind::dopri5);
  o.events.surface = SurfacePolicy::cross;
  const Solution s = simulate(m, o);
  EXPECT_FALSE(s.ok());
  EXPECT_TRUE(times_of(s, EventKind::enter_sliding).empty());
  EXPECT_TRUE(surface_text_has(s.report.message, "x > 0")) << s.report.message;
}

TEST(SurfacePolicies, OneRelationMayCrossWhileAnotherSlides) {
  Model m("two");
  Expr x = m.state("x", 1.0), y = m.state("y", 2.0);
  m.equation(der(x) == where(x > 0.0, Expr(-1.0), Expr(1.0)));
  m.equation(der(y) == where(y > 0.0, Expr(-1.0), Expr(1.0)));
  RunOptions o = surface_options(1.5, EngineKind::dopri5);
  o.events.surface_of = {{"y > 0", SurfacePolicy::cross}};
  const Solution s = simulate(m, o);
  ASSERT_TRUE(s.ok()) << s.report.message;
  expect_times(times_of(s, EventKind::enter_sliding), {1.0}, s);
  o.events.surface_of = {{"z > 0", SurfacePolicy::cross}};
  EXPECT_THROW((void)simulate(m, o), OptionError);
  EXPECT_THROW(set_option(o, "events.surface_of", "y > 0=corss"), OptionError);
}

TEST(SurfacePolicies, StopReturnsAtTheDecision) {
  Model m("relay");
  write_sign_relay(m);
  RunOptions o = surface_options(3.0);
  o.events.surface = SurfacePolicy::stop;
  HybridRun run = start_run(m, o);
  while (run.advance()) {
  }
  ASSERT_FALSE(run.decision().empty()) << run.report().message;
  EXPECT_FALSE(run.ended());
  EXPECT_NEAR(run.t(), 1.0, surface_error);
  std::size_t kept = run.decision().size(), impossible = kept;
  for (std::size_t i = 0; i < run.decision().size(); ++i) {
    if (run.decision()[i].consistent) kept = i;
    if (!run.decision()[i].consistent) impossible = i;
  }
  ASSERT_LT(kept, run.decision().size());
  ASSERT_LT(impossible, run.decision().size());
  EXPECT_TRUE(surface_text_has(run.decision()[kept].text, "sliding on"))
      << run.decision()[kept].text;
  EXPECT_THROW(run.choose(impossible), Error);
  run.choose(kept);
  EXPECT_TRUE(run.decision().empty());
  while (run.advance()) {
  }
  const Solution s = run.finish();
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.final("x"), 0.0, 1e-14);
  expect_times(times_of(s, EventKind::enter_sliding), {1.0}, s);
}

TEST(SurfacePolicies, ARunThatNobodyDecidesSaysSo) {
  Model m("relay");
  write_sign_relay(m);
  RunOptions o = surface_options(3.0);
  o.events.surface = SurfacePolicy::stop;
  const Solution s = simulate(m, o);
  EXPECT_EQ(s.report.outcome, Outcome::undecided);
  EXPECT_NEAR(s.report.t_reached, 1.0, surface_error);
  EXPECT_TRUE(surface_text_has(s.report.message, "x > 0")) << s.report.message;
}

TEST(SurfacePolicies, AHysteresisSwitchesAtItsWidth) {
  Model m("relay");
  write_sign_relay(m);
  RunOptions o = surface_options(5.0);
  o.events.hysteresis = {{"x > 0", 0.1}};
  const Solution s = simulate(m, o);
  ASSERT_TRUE(s.ok()) << s.report.message;
  // Between -0.1 and 0.1 with speed 1: at 1.1, then every 0.2.
  const std::vector<double> times = times_of(s, EventKind::state);
  ASSERT_EQ(times.size(), 20U) << to_text(s.event_log);
  for (std::size_t k = 0; k < times.size(); ++k)
    EXPECT_NEAR(times[k], 1.1 + 0.2 * static_cast<double>(k), surface_error);
  EXPECT_TRUE(times_of(s, EventKind::enter_sliding).empty());
}

TEST(SurfacePolicies, ADwellKeepsSwitchesApart) {
  Model m("relay");
  write_sign_relay(m);
  RunOptions o = surface_options(4.0);
  o.events.dwell = {{"x > 0", 0.25}};
  const Solution s = simulate(m, o);
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_TRUE(times_of(s, EventKind::enter_sliding).empty()) << to_text(s.event_log);
  const std::vector<double> times = times_of(s, EventKind::state);
  ASSERT_GE(times.size(), 4U) << to_text(s.event_log);
  for (std::size_t k = 1; k < times.size(); ++k) EXPECT_GE(times[k] - times[k - 1], 0.25 - 1e-9);
}

// ---- a mode of the user's ------------------------------------------------------------------------------

/// A block that is pushed by t / 10: friction is 0.5 while it slips, up to 0.8 while it sticks.
TEST(SlidingModes, StaticFrictionHoldsLongerThanKineticFriction) {
  const auto run = [](bool static_friction) {
    Model m("block");
    Expr v = m.state("v", 0.2), push = 0.1 * m.time();
    Expr force = m.algebraic("force");
    m.equation("motion", der(v) == push + force);
    const ModeId slips = m.mode("slips"), sticks = m.mode("sticks");
    m.equation(slips, force == -0.5 * sign(v));
    m.equation(sticks, v == 0.0);
    if (static_friction) m.transition("stop", slips, sticks, v > 0.0, {.at_sliding = true});
    m.transition("go", sticks, slips, force < -0.8);
    return simulate(m, surface_options(10.0, EngineKind::radau));
  };
  const Solution held = run(true), plain = run(false);
  ASSERT_TRUE(held.ok()) << held.report.message;
  ASSERT_TRUE(plain.ok()) << plain.report.message;
  // v = 0.2 - 0.5 t + 0.05 t^2 = 0 at 5 - sqrt(21).
  const double stop = 5.0 - std::sqrt(21.0);
  expect_times(times_of(held, EventKind::structural), {stop, 8.0}, held);
  EXPECT_TRUE(times_of(held, EventKind::enter_sliding).empty());
  expect_times(times_of(plain, EventKind::enter_sliding), {stop}, plain);
  expect_times(times_of(plain, EventKind::exit_sliding), {5.0}, plain);
  // What holds it is the push, between both frictions.
  EXPECT_NEAR(held.at("force", 6.0), -0.6, surface_error);
  EXPECT_NEAR(plain.at("force", 4.0), -0.4, surface_error);
}

// ---- what outputs show ---------------------------------------------------------------------------------

TEST(SlidingOutputs, FrictionIsWhatItTakesToStay) {
  for (const EngineKind engine :
       {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau, EngineKind::ida}) {
    Model m("block");
    Expr v = m.state("v", 0.0);
    Expr friction = -0.5 * sign(v);
    m.equation(der(v) == 0.45 * sin(2.0 * m.time()) + friction);
    m.output("friction", friction, "N");
    const Solution s = simulate(m, surface_options(4.0, engine));
    ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
    EXPECT_TRUE(times_of(s, EventKind::exit_sliding).empty()) << to_text(s.event_log);
    for (double t = 0.0; t <= 4.0; t += 0.25) {
      EXPECT_NEAR(s.at("friction", t), -0.45 * std::sin(2.0 * t),
                  (engine == EngineKind::ida ? 5000 : 300) * surface_tolerance)
          << name(engine) << " at " << t;
    }
    ASSERT_FALSE(s.trajectory.segments().empty());
    EXPECT_FALSE(s.trajectory.segments()[0].sliding.empty());
  }
}

// ---- things that happen meanwhile ----------------------------------------------------------------------

TEST(WhileItSlides, AWhenClauseOfItsRelationFiresOnce) {
  Model m("relay");
  Expr x = m.state("x", 1.0), n = m.discrete("n", 0.0);
  m.equation(der(x) == where(x > 0.0, Expr(-1.0), Expr(1.0)));
  m.when("arrived", x <= 0.0, {{n, pre(n) + 1.0}});
  const Solution s = simulate(m, surface_options(3.0));
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_LE(s.final("n"), 1.0) << to_text(s.event_log);
  EXPECT_NEAR(s.final("x"), 0.0, 1e-14);
}

TEST(WhileItSlides, AWhenClauseMayThrowItOffTheSurface) {
  for (const EngineKind engine : {EngineKind::dopri5, EngineKind::radau, EngineKind::ida}) {
    Model m("relay");
    Expr x = m.state("x", 1.0);
    m.equation(der(x) == where(x > 0.0, Expr(-1.0), Expr(1.0)));
    m.when("kick", m.time() > 2.0, {{x, 0.5}});
    const Solution s = simulate(m, surface_options(4.0, engine));
    ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
    expect_times(times_of(s, EventKind::enter_sliding), {1.0, 2.5}, s);
    EXPECT_NEAR(s.at("x", 2.25), 0.25, surface_error) << name(engine);
    EXPECT_NEAR(s.final("x"), 0.0, 1e-14) << name(engine);
  }
}

TEST(WhileItSlides, ADiscreteVariableMayEndIt) {
  for (const EngineKind engine : {EngineKind::dopri5, EngineKind::radau, EngineKind::ida}) {
    Model m("relay");
    Expr x = m.state("x", 1.0), push = m.discrete("push", 0.0);
    m.equation(der(x) == where(x > 0.0, Expr(-1.0), Expr(1.0)) + push);
    m.when("push", m.time() > 2.0, {{push, 3.0}});
    m.when("less", m.time() > 3.0, {{push, -0.5}});
    const Solution s = simulate(m, surface_options(6.0, engine));
    ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
    // x' = 2 for a second, then -1.5 until zero again at 3 + 4/3.
    expect_times(times_of(s, EventKind::enter_sliding), {1.0, 3.0 + 4.0 / 3.0}, s);
    EXPECT_NEAR(s.at("x", 3.0), 2.0, surface_error) << name(engine);
    EXPECT_NEAR(s.final("x"), 0.0, 1e-14) << name(engine);
    bool left = false;
    for (const EventInstant& i : s.instants())
      left = left || (i.t == 2.0 && !i.sliding_before.empty() && i.sliding_after.empty());
    EXPECT_TRUE(left) << to_text(s.event_log);
  }
}

TEST(WhileItSlides, AnInputMayHaveBreakpoints) {
  for (const EngineKind engine : {EngineKind::dopri5, EngineKind::radau, EngineKind::ida}) {
    Model m("relay");
    Expr x = m.state("x", 1.0);
    // 0 until 2, a jump to 0.5, then rising by 0.5 per second: 1 is passed at 4.
    const double times[] = {0.0, 2.0, 3.0, 6.0}, values[] = {0.0, 0.0, 0.5, 2.0};
    Expr push = m.input("push", table(times, values, Interpolation::linear));
    Expr relay = where(x > 0.0, Expr(-1.0), Expr(1.0));
    m.equation(der(x) == relay + push);
    m.output("relay", relay);
    const Solution s = simulate(m, surface_options(5.0, engine));
    ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
    expect_times(times_of(s, EventKind::enter_sliding), {1.0}, s);
    expect_times(times_of(s, EventKind::exit_sliding), {4.0}, s);
    EXPECT_NEAR(s.at("relay", 2.5), -0.25, surface_error) << name(engine);
    EXPECT_NEAR(s.final("x"), 0.25, surface_error) << name(engine);  // (t - 4)^2 / 4
  }
}

// ---- two at once ---------------------------------------------------------------------------------------

Solution run_two_sliders(double x, double y, EngineKind engine) {
  Model m("two sliders");
  Expr a = m.state("x", x), b = m.state("y", y);
  m.equation(der(a) == where(a > 0.0, Expr(-1.0), Expr(1.0)) + 0.1 * sin(m.time()));
  m.equation(der(b) == where(b > 0.0, Expr(-1.0), Expr(1.0)) + 0.1 * sin(m.time()));
  return simulate(m, surface_options(4.0, engine));
}

TEST(TwoSliders, EnterAtDifferentTimes) {
  for (const EngineKind engine :
       {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau, EngineKind::ida}) {
    const Solution s = run_two_sliders(1.0, 2.0, engine);
    ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
    ASSERT_EQ(times_of(s, EventKind::enter_sliding).size(), 2U) << to_text(s.event_log);
    EXPECT_EQ(s.instants()[0].sliding_after.size(), 1U);
    EXPECT_EQ(s.instants()[1].sliding_after.size(), 2U);
    EXPECT_NEAR(s.final("x"), 0.0, 1e-13) << name(engine);
    EXPECT_NEAR(s.final("y"), 0.0, 1e-13) << name(engine);
  }
}

TEST(TwoSliders, EnterAtTheSameTime) {
  for (const EngineKind engine :
       {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau, EngineKind::ida}) {
    const Solution s = run_two_sliders(1.0, 1.0, engine);
    ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
    ASSERT_EQ(times_of(s, EventKind::enter_sliding).size(), 2U) << to_text(s.event_log);
    EXPECT_EQ(s.instants().back().sliding_after.size(), 2U);
    EXPECT_NEAR(s.final("x"), 0.0, 1e-13) << name(engine);
    EXPECT_NEAR(s.final("y"), 0.0, 1e-13) << name(engine);
  }
}

TEST(TwoSliders, ASpiralIntoTheCornerDoesNotChatterThere) {
  // From an axis at distance r it takes r / 1.5 s to the next one, where it is at r / 3: 1 s in all.
  for (const EngineKind engine :
       {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau, EngineKind::ida}) {
    Model m("spiral");
    Expr x = m.state("x", 1.0), y = m.state("y", 0.0);
    Expr sx = where(x > 0.0, Expr(1.0), Expr(-1.0)), sy = where(y > 0.0, Expr(1.0), Expr(-1.0));
    m.equation(der(x) == -0.5 * sx - sy);
    m.equation(der(y) == sx - 0.5 * sy);
    const Solution s = simulate(m, surface_options(2.0, engine));
    // On both surfaces from 1 s on, or ended there as an accumulation with its name.
    if (s.ok()) {
      EXPECT_NEAR(s.final("x"), 0.0, surface_error) << name(engine);
      EXPECT_NEAR(s.final("y"), 0.0, surface_error) << name(engine);
    } else {
      EXPECT_EQ(s.report.outcome, Outcome::accumulation) << name(engine) << s.report.message;
      EXPECT_NEAR(s.report.t_reached, 1.0, 1e-3) << name(engine) << s.report.message;
      EXPECT_TRUE(surface_text_has(s.report.message, " > 0'")) << s.report.message;
    }
    // Distances fall to a third at each crossing: 1e-16 is reached after 34.
    EXPECT_LE(s.event_log.n_instants(), 50U) << name(engine);
  }
}

}  // namespace
}  // namespace saltus
