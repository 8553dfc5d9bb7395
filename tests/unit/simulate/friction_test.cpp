// Friction whose normal force is an expression: stick is sliding, and static friction holds more than kinetic friction
// brakes.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <saltus/saltus.hpp>

namespace saltus {
namespace {

const double pi = std::acos(-1.0);

RunOptions friction_run(double t_end, double tolerance, EngineKind engine = EngineKind::radau) {
  RunOptions o;
  o.t_end = t_end;
  o.rtol = o.atol = tolerance;
  o.engine = engine;
  o.limits.max_events = 500;
  return o;
}

bool has_words(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

struct StickSlip {
  EventKind kind;  // enter_sliding: sticks; exit_sliding: slips
  double t;
};

std::vector<StickSlip> changes_of(const Solution& s) {
  std::vector<StickSlip> found;
  for (const Event& e : s.events()) {
    if (e.kind == EventKind::enter_sliding || e.kind == EventKind::exit_sliding)
      found.push_back({e.kind, e.t});
  }
  return found;
}

void expect_changes(const Solution& s, const std::vector<StickSlip>& expected, double error) {
  const std::vector<StickSlip> found = changes_of(s);
  ASSERT_EQ(found.size(), expected.size()) << to_text(s.event_log) << s.report.message;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].kind, expected[i].kind) << i;
    EXPECT_NEAR(found[i].t, expected[i].t, error) << i;
  }
}

/// A zero of f between a and b by bisection, to the last digit.
template <class F>
double zero_of(F&& f, double a, double b) {
  const bool rises = f(b) > 0;
  for (int i = 0; i < 200; ++i) {
    const double middle = a + (b - a) / 2;
    ((f(middle) > 0) == rises ? b : a) = middle;
  }
  return a;
}

const std::vector<EngineKind> one_step_engines = {EngineKind::radau, EngineKind::dopri5,
                                                  EngineKind::dop853};
const std::vector<double> friction_tolerances = {1e-4, 1e-6, 1e-8, 1e-10};

// ---- a block on a plane that oscillates ----------------------------------------------------------------

constexpr double kinetic = 1.0, peak = 2.0;  // mu_kinetic g, largest acceleration of the plane

/// The plane moves at 2 cos t; what is on it starts with it.
Solution on_oscillating_plane(std::optional<double> mu_static, const RunOptions& options) {
  Model m("plane");
  Expr v = m.state("v", peak), x = m.state("x", 0.0);
  FrictionOptions law{.mu_kinetic = 0.1 * kinetic};
  if (mu_static) law.mu_static = 0.1 * *mu_static;
  const Expr force = m.friction("pad", v - peak * cos(m.time()), 10.0, law);
  m.equation(der(v) == force);
  m.equation(der(x) == v);
  return simulate(m, options);
}

/// It slips where 2 sin t = mu_static g, and sticks where the plane has its speed again, though the plane is then faster
/// than kinetic friction could follow: 1 < 2 sin t < 1.4.
struct OscillatingPlane {
  double t_slip, t_stick;
  explicit OscillatingPlane(double static_limit) {
    t_slip = std::asin(static_limit / peak);
    t_stick = zero_of(
        [&](double t) {
          return peak * std::cos(t_slip) - kinetic * (t - t_slip) - peak * std::cos(t);
        },
        3.0, 4.0);
  }
};

std::vector<StickSlip> plane_changes(const OscillatingPlane& p) {
  std::vector<StickSlip> changes;
  for (int half = 0; half < 3; ++half) {
    changes.push_back({EventKind::exit_sliding, p.t_slip + half * pi});
    changes.push_back({EventKind::enter_sliding, p.t_stick + half * pi});
  }
  return changes;
}

constexpr double three_halves =
    10.2;  // between the third time it sticks and the fourth time it slips

TEST(Friction, ABlockOnAnOscillatingPlaneSticksAsStaticFrictionSays) {
  const OscillatingPlane closed(1.4);
  ASSERT_GT(-peak * std::sin(closed.t_stick), 1.1 * kinetic);  // kinetic friction could not hold it
  ASSERT_LT(-peak * std::sin(closed.t_stick), 1.3);
  ASSERT_LT(closed.t_stick + 2 * pi, three_halves);
  ASSERT_GT(closed.t_slip + 3 * pi, three_halves);
  for (const EngineKind engine : one_step_engines) {
    for (const double tolerance : friction_tolerances) {
      const Solution s = on_oscillating_plane(1.4, friction_run(three_halves, tolerance, engine));
      ASSERT_TRUE(s.ok()) << s.report.message;
      expect_changes(s, plane_changes(closed), 300 * tolerance);
      EXPECT_NEAR(s.final("v"), peak * std::cos(three_halves), 300 * tolerance);
    }
  }
}

TEST(Friction, WithoutStaticFrictionTheSameBlockDoesSomethingElse) {
  const Solution s = on_oscillating_plane(std::nullopt, friction_run(three_halves, 1e-8));
  ASSERT_TRUE(s.ok()) << s.report.message;
  const std::vector<StickSlip> found = changes_of(s);
  ASSERT_FALSE(found.empty());
  EXPECT_NEAR(found[0].t, std::asin(kinetic / peak), 300 * 1e-8);
  EXPECT_GT(std::abs(found[0].t - OscillatingPlane(1.4).t_slip), 0.1);
}

TEST(Friction, EqualCoefficientsAreThoseOfASign) {
  // Parameters, so that nobody can know beforehand that they are equal.
  const auto run = [](bool as_friction) {
    Model m("plane");
    Expr v = m.state("v", 1.2);
    Expr mu_k = m.parameter("mu_k", 0.1), mu_s = m.parameter("mu_s", 0.1);
    const Expr slip = v - 1.2 * cos(m.time());
    const Expr force = as_friction
                           ? m.friction("pad", slip, 10.0, {.mu_kinetic = mu_k, .mu_static = mu_s})
                           : -mu_k * 10.0 * sign(slip) + 0.0 * mu_s;
    m.equation(der(v) == force);
    return simulate(m, friction_run(12.0, 1e-8));
  };
  const Solution plain = run(false), written = run(true);
  ASSERT_TRUE(plain.ok() && written.ok()) << plain.report.message << written.report.message;
  ASSERT_GE(changes_of(plain).size(), 5U);
  // The exits are the same functions: the runs differ by rounding at most, far below what either is off by.
  expect_changes(written, changes_of(plain), 1e-10);
  EXPECT_NEAR(written.final("v"), plain.final("v"), 1e-10);
}

// ---- a block pulled by a spring ------------------------------------------------------------------------

struct Pulled {
  double stiffness = 4.0, pull = 0.5, normal = 10.0;  // mass 1
  double mu_kinetic = 0.3, mu_static = 0.4;

  /// Slips from rest until it rests again: x - pull t + mu_k N / k is a harmonic motion.
  double slip_time() const {
    const double w = std::sqrt(stiffness), offset = (mu_static - mu_kinetic) * normal / stiffness;
    return (2 * pi - 2 * std::atan(offset * w / pull)) / w;
  }
  double stick_time() const { return 2 * (mu_static - mu_kinetic) * normal / (stiffness * pull); }
  double first_slip() const { return mu_static * normal / (stiffness * pull); }

  std::vector<StickSlip> changes(double t_end) const {
    std::vector<StickSlip> all;
    for (double t = first_slip(); t < t_end; t += stick_time()) {
      all.push_back({EventKind::exit_sliding, t});
      t += slip_time();
      if (t < t_end) all.push_back({EventKind::enter_sliding, t});
    }
    return all;
  }
};

Solution pull_by_spring(const Pulled& p, const RunOptions& options, bool with_contact = false) {
  Model m("pulled");
  Expr x = m.state("x", 0.0), v = m.state("v", 0.0);
  const FrictionOptions law{.mu_kinetic = p.mu_kinetic, .mu_static = p.mu_static};
  const Expr spring = p.stiffness * (p.pull * m.time() - x);
  m.equation(der(x) == v);
  if (!with_contact) {
    m.equation(der(v) == spring + m.friction("pad", v, p.normal, law));
    return simulate(m, options);
  }
  Expr h = m.state("h", 0.0), u = m.state("u", 0.0);
  const Expr floor = m.unilateral("floor", h);
  m.equation(der(v) == spring + m.friction("pad", v, floor, law));
  m.equation(der(h) == u);
  m.equation(der(u) == floor - p.normal);
  return simulate(m, options);
}

constexpr double four_cycles = 18.0;

TEST(Friction, ABlockPulledByASpringSticksAndSlipsInACycle) {
  const Pulled p;
  ASSERT_GE(p.changes(four_cycles).size(), 8U);
  for (const EngineKind engine : one_step_engines) {
    for (const double tolerance : friction_tolerances) {
      const Solution s = pull_by_spring(p, friction_run(four_cycles, tolerance, engine));
      ASSERT_TRUE(s.ok()) << s.report.message;
      expect_changes(s, p.changes(four_cycles), 300 * tolerance);
    }
  }
}

TEST(Friction, ACycleWithAnotherStaticCoefficientIsNotTheSame) {
  Pulled other;
  other.mu_static = 0.41;
  const std::vector<StickSlip> found =
      changes_of(pull_by_spring(other, friction_run(four_cycles, 1e-8)));
  const std::vector<StickSlip> expected = Pulled{}.changes(four_cycles);
  ASSERT_GE(found.size(), 2U);
  EXPECT_GT(std::abs(found[0].t - expected[0].t), 100 * 300 * 1e-8);
  EXPECT_GT(std::abs(found[1].t - expected[1].t), 100 * 300 * 1e-8);
}

TEST(Friction, AContactWithTheSameForceDoesTheSame) {
  const Pulled p;
  constexpr double tolerance = 1e-8;
  const Solution by_sign = pull_by_spring(p, friction_run(four_cycles, tolerance));
  const Solution by_contact = pull_by_spring(p, friction_run(four_cycles, tolerance), true);
  ASSERT_TRUE(by_sign.ok() && by_contact.ok()) << by_contact.report.message;
  std::vector<double> sticks = by_contact.event_times("pad stops slipping");
  std::vector<StickSlip> expected = changes_of(by_sign);
  std::erase_if(expected, [](const StickSlip& c) { return c.kind != EventKind::enter_sliding; });
  ASSERT_EQ(sticks.size(), expected.size()) << to_text(by_contact.event_log);
  for (std::size_t i = 0; i < sticks.size(); ++i)
    EXPECT_NEAR(sticks[i], expected[i].t, 300 * tolerance);
  for (const double t : {1.0, 3.0, 7.5, 12.0, 16.0})
    EXPECT_NEAR(by_sign.at("x", t), by_contact.at("x", t), 300 * tolerance) << t;
}

// ---- laws that depend on the velocity ------------------------------------------------------------------

/// With mu_kinetic = 0.3 - slope |v| friction is a negative damping: x - pull t obeys y'' - c y' + k y = ..., c = slope N.
struct WeakeningCycle {
  double normal = 10.0, pull = 0.5, stiffness = 4.0, mu_static = 0.4, mu_rest = 0.3, slope = 0.04;
  double speed_after(double time) const {
    const double c = slope * normal, w = std::sqrt(stiffness - c * c / 4);
    // v'' - c v' + k v = k pull, v(0) = 0, v'(0) = (mu_static - mu_rest) N; w = v - pull.
    const double a = -pull, b = ((mu_static - mu_rest) * normal - c / 2 * a) / w;
    return pull + std::exp(c / 2 * time) * (a * std::cos(w * time) + b * std::sin(w * time));
  }
  double slip_time() const {
    return zero_of([&](double time) { return speed_after(time); }, 1.6, 3.2);
  }
};

TEST(Friction, AForceThatWeakensWithTheVelocityBeginsWithItsValueAtRest) {
  const WeakeningCycle c;
  const double t_slip = c.mu_static * c.normal / (c.stiffness * c.pull);
  ASSERT_GT(c.speed_after(1.6), 0.1);
  for (const EngineKind engine : one_step_engines) {
    for (const double tolerance : friction_tolerances) {
      Model m("weakening");
      Expr x = m.state("x", 0.0), v = m.state("v", 0.0);
      const Expr mu = c.mu_rest - c.slope * abs(v);
      m.equation(der(x) == v);
      m.equation(der(v) ==
                 c.stiffness * (c.pull * m.time() - x) +
                     m.friction("pad", v, c.normal, {.mu_kinetic = mu, .mu_static = c.mu_static}));
      const Solution s = simulate(m, friction_run(t_slip + 3.2, tolerance, engine));
      ASSERT_TRUE(s.ok()) << s.report.message;
      expect_changes(
          s,
          {{EventKind::exit_sliding, t_slip}, {EventKind::enter_sliding, t_slip + c.slip_time()}},
          300 * tolerance);
    }
  }
}

/// The same by hand: rest is a mode of its own, left where the spring is stronger than static friction.
std::vector<double> stribeck_by_modes(double mu_static, const RunOptions& options) {
  Model m("by hand");
  Expr x = m.state("x", 0.0), v = m.state("v", 0.0);
  const Expr spring = 4.0 * (0.5 * m.time() - x);
  const Expr mu = 0.2 + 0.2 * exp(-v / 0.1);
  const ModeId rests = m.mode("rests"), slips = m.mode("slips");
  m.equation(der(x) == v);
  m.equation(rests, der(v) == 0.0);
  m.equation(slips, der(v) == spring - 10.0 * mu);
  m.transition("lets go", rests, slips, spring > 10.0 * mu_static);
  m.transition("stops", slips, rests, v < 0.0, {.maps = {{v, 0.0}}});
  const Solution s = simulate(m, options);
  std::vector<double> times;
  for (const Event& e : s.events())
    if (e.kind == EventKind::structural) times.push_back(e.t);
  return times;
}

TEST(Friction, StribeckFrictionIsThatOfAHandWrittenMode) {
  constexpr double mu_static = 0.45, tolerance = 1e-8;
  const std::vector<double> by_hand = stribeck_by_modes(mu_static, friction_run(12.0, 1e-11));
  Model m("stribeck");
  Expr x = m.state("x", 0.0), v = m.state("v", 0.0);
  const Expr mu = 0.2 + 0.2 * exp(-abs(v) / 0.1);
  m.equation(der(x) == v);
  m.equation(der(v) == 4.0 * (0.5 * m.time() - x) +
                           m.friction("pad", v, 10.0, {.mu_kinetic = mu, .mu_static = mu_static}));
  const Solution s = simulate(m, friction_run(12.0, tolerance));
  ASSERT_TRUE(s.ok()) << s.report.message;
  const std::vector<StickSlip> found = changes_of(s);
  ASSERT_GE(by_hand.size(), 4U);
  ASSERT_EQ(found.size(), by_hand.size()) << to_text(s.event_log);
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i].t, by_hand[i], 300 * tolerance) << i;
}

// ---- normal forces that change -------------------------------------------------------------------------

/// Pushed by 0.05 along a wire that presses on it with 1 - t: it slips where that is 1/3, passes the instant without any
/// force, and is caught by the other side of the wire.
struct Wire {
  double t_slip = 2.0 / 3.0, v_free = 1.0 / 90.0;
  double t_stick = 1.0 + (1.0 + std::sqrt(1.0 + 4.0 * v_free / 0.05)) / 2.0;
  std::vector<StickSlip> changes() const {
    return {{EventKind::exit_sliding, t_slip}, {EventKind::enter_sliding, t_stick}};
  }
};
const FrictionOptions wire_law = {.mu_kinetic = 0.1, .mu_static = 0.15};

TEST(Friction, ANormalForceThatVanishesLetsGoAndHoldsAgain) {
  for (const EngineKind engine : one_step_engines) {
    for (const double tolerance : friction_tolerances) {
      Model m("wire");
      Expr v = m.state("v", 0.0);
      const Expr pressed = m.state("pressed", 1.0);
      m.equation(der(pressed) == -1.0);
      m.equation(der(v) == 0.05 + m.friction("wire", v, abs(pressed), wire_law));
      const Solution s = simulate(m, friction_run(3.0, tolerance, engine));
      ASSERT_TRUE(s.ok()) << s.report.message;
      expect_changes(s, Wire{}.changes(), 300 * tolerance);
      EXPECT_NEAR(s.at("v", 1.0), Wire{}.v_free, 300 * tolerance);
    }
  }
}

TEST(Friction, AMultiplierOfAConstraintIsANormalForce) {
  for (const double tolerance : {1e-6, 1e-8}) {
    Model m("wire");
    Expr v = m.state("v", 0.0), y = m.state("y", 0.0), w = m.state("w", 0.0);
    Expr lambda = m.algebraic("lambda");
    m.equation(der(v) == 0.05 + m.friction("wire", v, abs(lambda), wire_law));
    m.equation(der(y) == w);
    m.equation(der(w) == m.time() - 1.0 + lambda);
    m.equation(y == 0.0);
    const Solution s = simulate(m, friction_run(3.0, tolerance));
    ASSERT_TRUE(s.ok()) << s.report.message;
    expect_changes(s, Wire{}.changes(), 300 * tolerance);
    EXPECT_NEAR(s.at("v", 1.0), Wire{}.v_free, 300 * tolerance);
    EXPECT_NEAR(s.final("v"), 0.0, 300 * tolerance);
  }
}

TEST(Friction, ANormalForceMayReadAnAcceleration) {
  // In a lift that accelerates ever faster downward: w' = -t, and the floor pushes with 1 + w'.
  Model m("lift");
  Expr v = m.state("v", 0.0), w = m.state("w", 0.0);
  m.equation(der(w) == -m.time());
  m.equation(der(v) == 0.05 + m.friction("wire", v, abs(1.0 + der(w)), wire_law));
  const Solution s = simulate(m, friction_run(3.0, 1e-8));
  ASSERT_TRUE(s.ok()) << s.report.message;
  expect_changes(s, Wire{}.changes(), 300 * 1e-8);
}

TEST(Friction, AfterTheLossOfContactThereIsNone) {
  constexpr double tolerance = 1e-8;
  Model m("lifted");
  Expr v = m.state("v", 0.0);
  m.equation(der(v) == 0.05 + m.friction("pad", v, max(1.0 - m.time(), 0.0), wire_law));
  const Solution s = simulate(m, friction_run(3.0, tolerance));
  ASSERT_TRUE(s.ok()) << s.report.message;
  expect_changes(s, {{EventKind::exit_sliding, 2.0 / 3.0}}, 300 * tolerance);
  EXPECT_NEAR(s.final("v"), Wire{}.v_free + 0.05 * 2.0, 300 * tolerance);
}

TEST(Friction, ThatActsAlongTheMotionIsNamed) {
  // Slows down under a normal force that has become negative by the time it would come to rest.
  Model m("pulled up");
  Expr v = m.state("v", 1.0);
  m.equation(der(v) == -0.5 + m.friction("pad", v, 1.0 - m.time(), wire_law));
  const Solution s = simulate(m, friction_run(5.0, 1e-8));
  EXPECT_FALSE(s.ok());
  EXPECT_TRUE(has_words(s.report.message, "normal force of pad is -")) << s.report.message;
}

/// A rod that is pushed along the floor leans on it the more the more friction it has.
Solution leaning_rod(std::optional<double> mu_static) {
  Model m("rod");
  Expr v = m.state("v", 1.0);
  Expr normal = m.algebraic("normal");
  FrictionOptions law{.mu_kinetic = 0.3};
  if (mu_static) law.mu_static = *mu_static;
  const Expr force = m.friction("foot", v, normal, law);
  m.equation(der(v) == -1.0 + force);
  m.equation(normal == 10.0 - 0.5 * force);
  return simulate(m, friction_run(3.0, 1e-8));
}

TEST(Friction, ThatDependsOnItselfIsNamedIfStaticFrictionIsLarger) {
  const Solution s = leaning_rod(0.4), plain = leaning_rod(std::nullopt);
  EXPECT_FALSE(s.ok());
  EXPECT_TRUE(has_words(s.report.message, "normal force of foot depends on friction itself"))
      << s.report.message;
  EXPECT_TRUE(plain.ok()) << plain.report.message;
  // v' = -1 - 0.3 N, N = 10 / (1 - 0.15)
  EXPECT_NEAR(changes_of(plain).at(0).t, 1.0 / (1.0 + 3.0 / 0.85), 300 * 1e-8);
}

// ---- where it starts, what is refused ------------------------------------------------------------------

TEST(Friction, ARunMayStartAtRestUnderMoreThanKineticFrictionHolds) {
  for (const double load : {1.2, -1.2, 1.5, -1.5}) {
    Model m("start");
    Expr v = m.state("v", 0.0);
    m.equation(der(v) == load + m.friction("pad", v, 10.0, {.mu_kinetic = 0.1, .mu_static = 0.14}));
    const Solution s = simulate(m, friction_run(2.0, 1e-8));
    ASSERT_TRUE(s.ok()) << s.report.message;
    const double slips = std::abs(load) > 1.4 ? (load > 0 ? 1.0 : -1.0) : 0.0;
    EXPECT_NEAR(s.final("v"), 2.0 * (load - slips) * std::abs(slips), 300 * 1e-8) << load;
  }
}

TEST(Friction, AtTheLimitItselfTheNextInstantDecides) {
  for (const double change : {0.5, -0.5}) {
    Model m("limit");
    Expr v = m.state("v", 0.0);
    m.equation(der(v) == 1.5 + change * m.time() +
                             m.friction("pad", v, 10.0, {.mu_kinetic = 0.125, .mu_static = 0.15}));
    const Solution s = simulate(m, friction_run(1.0, 1e-8));
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_NEAR(s.final("v"), change > 0 ? 0.25 + 0.25 : 0.0, 300 * 1e-8) << change;
  }
}

TEST(Friction, ItHoldsInEveryModeOfAModel) {
  Model m("modes");
  Expr v = m.state("v", 0.0);
  const ModeId light = m.mode("light"), heavy = m.mode("heavy");
  const FrictionOptions law = {.mu_kinetic = 0.1, .mu_static = 0.14};
  const Expr force = m.friction("pad", v, 10.0, law);
  m.equation(light, der(v) == 1.2 + force);
  m.equation(heavy, der(v) == 1.5 + force);
  m.transition("gains", light, heavy, m.time() > 1.0);
  const Solution s = simulate(m, friction_run(2.0, 1e-8));
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.at("v", 1.0), 0.0, 300 * 1e-8);
  EXPECT_NEAR(s.final("v"), 0.5, 300 * 1e-8);
}

TEST(Friction, IdaSticksAndSlipsAsWell) {
  // As for all runs of ida with events.
  const Pulled p;
  const Solution s = pull_by_spring(p, friction_run(four_cycles, 1e-8, EngineKind::ida));
  ASSERT_TRUE(s.ok()) << s.report.message;
  expect_changes(s, p.changes(four_cycles), 5000 * 1e-8);
}

TEST(Friction, ABlowSetsFreeWhatRests) {
  // The load jumps from below the limit to beyond it, and back when the block slips: it goes on and stops.
  Model m("blow");
  Expr v = m.state("v", 0.0);
  const Expr t = m.time();
  const Expr load = where(t > 1.0, where(t > 2.0, Expr(0.5), Expr(2.0)), Expr(1.2));
  m.equation(der(v) == load + m.friction("pad", v, 10.0, {.mu_kinetic = 0.1, .mu_static = 0.14}));
  const Solution s = simulate(m, friction_run(5.0, 1e-8));
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.at("v", 1.0), 0.0, 300 * 1e-8);
  EXPECT_NEAR(s.at("v", 2.0), 1.0, 300 * 1e-8);
  EXPECT_NEAR(s.at("v", 3.0), 0.5, 300 * 1e-8);
  EXPECT_NEAR(s.final("v"), 0.0, 300 * 1e-8);
  const std::vector<StickSlip> found = changes_of(s);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.back().kind, EventKind::enter_sliding);
  EXPECT_NEAR(found.back().t, 4.0, 300 * 1e-8);
}

TEST(Friction, TwoBlocksStickAndSlipEachAsItShould) {
  // Coupled by nothing but the instant: both come to rest together, one is held, the other goes on backward.
  Model m("two");
  Expr a = m.state("a", 1.0), b = m.state("b", 1.0);
  const FrictionOptions law = {.mu_kinetic = 0.1, .mu_static = 0.14};
  m.equation(der(a) == -1.2 + m.friction("first", a, 10.0, law));
  m.equation(der(b) == -1.2 + m.friction("second", b, 10.0, {.mu_kinetic = 0.1}));
  const Solution s = simulate(m, friction_run(2.0, 1e-8));
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.final("a"), 0.0, 300 * 1e-8);
  EXPECT_NEAR(s.final("b"), -0.2 * (2.0 - 1.0 / 2.2), 300 * 1e-8);
}

/// A block on a block on the floor; the upper one is pulled to and fro.
Solution stacked_blocks(bool with_contacts, double pull, const RunOptions& options) {
  Model m("stack");
  Expr upper = m.state("upper", 0.0), lower = m.state("lower", 0.0);
  Expr n_upper = 10.0, n_lower = 30.0;
  if (with_contacts) {
    Expr h1 = m.state("h1", 0.0), w1 = m.state("w1", 0.0);
    Expr h2 = m.state("h2", 0.0), w2 = m.state("w2", 0.0);
    n_upper = m.unilateral("between", h1 - h2);
    n_lower = m.unilateral("floor", h2);
    m.equation(der(h1) == w1);
    m.equation(der(h2) == w2);
    m.equation(der(w1) == -10.0 + n_upper);
    m.equation(2.0 * der(w2) == -20.0 - n_upper + n_lower);
  }
  const Expr between =
      m.friction("upper pad", upper - lower, n_upper, {.mu_kinetic = 0.2, .mu_static = 0.3});
  const Expr below =
      m.friction("lower pad", lower, n_lower, {.mu_kinetic = 0.05, .mu_static = 0.08});
  m.equation(der(upper) == pull * sin(m.time()) + between);
  m.equation(2.0 * der(lower) == below - between);
  return simulate(m, options);
}

TEST(Friction, BlocksOnBlocksMoveAsContactsDo) {
  constexpr double tolerance = 1e-8, t_end = 12.0;
  std::size_t n_changes = 0;
  for (const double pull : {2.5, 2.8, 3.2, 3.5}) {
    const Solution by_contact = stacked_blocks(true, pull, friction_run(t_end, tolerance));
    ASSERT_TRUE(by_contact.ok()) << by_contact.report.message;
    for (const EngineKind engine : one_step_engines) {
      const Solution by_sign = stacked_blocks(false, pull, friction_run(t_end, tolerance, engine));
      ASSERT_TRUE(by_sign.ok()) << by_sign.report.message;
      n_changes += changes_of(by_sign).size();
      // Both are off by their own error.
      for (double t = 0.25; t < t_end; t += 0.25) {
        for (const char* speed : {"upper", "lower"})
          EXPECT_NEAR(by_sign.at(speed, t), by_contact.at(speed, t), 2 * 300 * tolerance)
              << speed << " at " << t << " by " << pull;
      }
    }
  }
  EXPECT_GE(n_changes, 3U * 4U);  // or little would have been compared
}

TEST(Friction, WhichOfTwoBlocksLetsGoIsToldWhereItIsAChoice) {
  // At 4.3 s the lower one comes to rest: at rest both are pulled by too much, but if the upper one slips on the lower
  // one, that is held.
  const Solution s = stacked_blocks(false, 4.5, friction_run(5.0, 1e-8));
  ASSERT_TRUE(s.ok()) << s.report.message;
  bool is_told = false;
  for (const std::string& w : s.report.warnings)
    is_told = is_told || has_words(w, "those that can stick are taken to stick");
  EXPECT_TRUE(is_told);
  EXPECT_NEAR(s.final("lower"), 0.0, 300 * 1e-8);
  const Solution clear = stacked_blocks(false, 3.5, friction_run(5.0, 1e-8));
  EXPECT_TRUE(clear.report.warnings.empty());
}

TEST(Friction, CoefficientsThatMakeNoSenseAreRefused) {
  const auto refusal = [](FrictionOptions law, double normal = 10.0) -> std::string {
    Model m("refused");
    Expr v = m.state("v", 0.0);
    try {
      (void)m.friction("pad", v, normal, law);
    } catch (const ModelError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_TRUE(
      has_words(refusal({.mu_kinetic = -0.1}), "friction 'pad' has a negative coefficient"));
  EXPECT_TRUE(has_words(refusal({.mu_kinetic = 0.3, .mu_static = 0.2}), "below its mu_kinetic"));
  EXPECT_TRUE(has_words(refusal({.mu_static = 0.2}), "mu_kinetic is not given"));
  EXPECT_TRUE(has_words(refusal({}), "friction 'pad': mu_kinetic is not given"));
  EXPECT_TRUE(has_words(refusal({.mu_kinetic = 0.1}, -1.0), "negative normal force"));
  EXPECT_EQ(refusal({.mu_kinetic = 0.3, .mu_static = 0.3}), "");

  Model m("twice");
  Expr v = m.state("v", 0.0);
  (void)m.friction("one", v, 10.0, {.mu_kinetic = 0.1, .mu_static = 0.2});
  EXPECT_THROW((void)m.friction("other", v, 10.0, {.mu_kinetic = 0.1, .mu_static = 0.2}),
               ModelError);
  EXPECT_THROW((void)m.friction("still", m.parameter("p", 1.0), 10.0, {.mu_kinetic = 0.1}),
               ModelError);
}

TEST(Friction, AForceThatSpeedsTheSlipUpIsNamed) {
  Model m("sign");
  Expr v = m.state("v", 1.0);
  const Expr force = m.friction("pad", v, 10.0, {.mu_kinetic = 0.1, .mu_static = 0.2});
  m.equation(der(v) == -force - 10.0 * m.time());
  const Solution s = simulate(m, friction_run(3.0, 1e-8));
  EXPECT_FALSE(s.ok());
  EXPECT_TRUE(has_words(s.report.message, "the force of friction 'pad' speeds its slip up"))
      << s.report.message;
}

TEST(Friction, ParametersThatMakeNoSenseEndTheRunWithTheirName) {
  Model m("parameters");
  Expr v = m.state("v", 1.0);
  Expr mu_s = m.parameter("mu_s", 0.05);
  m.equation(der(v) == m.friction("pad", v, 10.0, {.mu_kinetic = 0.1, .mu_static = mu_s}));
  const Solution s = simulate(m, friction_run(3.0, 1e-8));
  EXPECT_FALSE(s.ok());
  EXPECT_TRUE(has_words(s.report.message, "mu_kinetic / mu_static of pad is 2"))
      << s.report.message;
}

}  // namespace
}  // namespace saltus
