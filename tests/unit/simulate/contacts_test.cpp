// Bodies that touch, written as contacts.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <saltus/simulate.hpp>

#include "problems/brick_pile.hpp"
#include "problems/row_of_balls.hpp"
#include "problems/touching_bodies.hpp"

namespace saltus {
namespace {

constexpr double contact_tol = 1e-8;
// Between events the problems are polynomials, which Radau integrates exactly: what is left are times of events.
constexpr double contact_few = 10 * contact_tol;

RunOptions contact_run(double t_end) {
  RunOptions options;
  options.t_end = t_end;
  options.rtol = options.atol = contact_tol;
  options.engine = EngineKind::radau;
  return options;
}

bool contact_says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Falls from 1 m; from t = 5 on it is pulled up ever more strongly, by 10 (t - 5) per mass.
struct FallingBall {
  Model m{"ball"};
  Expr y = m.state("y", 1.0), v = m.state("v", 0.0);
  explicit FallingBall(double restitution, double sign = 1.0) {
    const Expr t = m.time();
    const Expr force = m.unilateral("floor", y, {.restitution = restitution});
    m.equation(der(y) == v);
    m.equation(2.0 * der(v) ==
               -2.0 * 9.81 + where(t > 5.0, 20.0 * (t - 5.0), Expr(0.0)) + sign * force);
  }
};

/// Leaves the floor at t = 5.981, then accelerates by 10 (t - 5.981).
double height_at_7() { return 10.0 / 6.0 * std::pow(7.0 - 5.981, 3); }

TEST(Contacts, APlasticImpactIsRestUntilTheForceVanishes) {
  FallingBall ball(0.0);
  const Solution s = simulate(ball.m, contact_run(7.0));
  ASSERT_TRUE(s.ok()) << s.report.message;
  ASSERT_EQ(s.event_times("floor touches").size(), 1U);
  EXPECT_NEAR(s.event_times("floor touches")[0], std::sqrt(2 / 9.81), contact_few);
  ASSERT_EQ(s.event_times("floor separates").size(), 1U);
  EXPECT_NEAR(s.event_times("floor separates")[0], 5.981, contact_few);
  EXPECT_NEAR(s.at("floor.force", 3.0), 2 * 9.81, contact_few);
  EXPECT_EQ(s.at("floor.closed", 3.0), 1.0);
  EXPECT_EQ(s.at("floor.closed", 6.5), 0.0);
  EXPECT_NEAR(s.final("y"), height_at_7(), contact_few);
}

TEST(Contacts, BouncesEndInRest) {
  FallingBall ball(0.5);
  const Solution s = simulate(ball.m, contact_run(7.0));
  ASSERT_TRUE(s.ok()) << s.report.message;
  ASSERT_EQ(s.event_times("floor comes to rest").size(), 1U);
  // sqrt(2 h / g) (1 + 2 (e + e^2 + ...))
  EXPECT_NEAR(s.event_times("floor comes to rest")[0], 3 * std::sqrt(2 / 9.81), 1e3 * contact_tol);
  EXPECT_GE(s.event_times("floor touches").size(), 5U);
  EXPECT_NEAR(s.at("y", 3.0), 0.0, contact_few);
  EXPECT_NEAR(s.at("v", 3.0), 0.0, contact_few);
  EXPECT_NEAR(s.final("y"), height_at_7(), contact_few);
}

/// While it rests its gap drifts by the error of the integration: it leaves from where it is, once.
TEST(Contacts, ABallLeavesAFallingFloorOnceOnAnyEngine) {
  const problems::TouchingBodies p = problems::ball_on_falling_floor();
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
      Model m(p.name);
      p.write(m);
      RunOptions options = contact_run(p.t_end);
      options.rtol = options.atol = tolerance;
      options.engine = engine;
      const Solution s = simulate(m, options);
      ASSERT_TRUE(s.ok()) << s.report.message;
      EXPECT_EQ(s.event_times("floor separates").size(), 1U);
      EXPECT_EQ(s.event_times("floor comes to rest").size(), 1U);
      EXPECT_NEAR(s.event_times("floor separates").at(0), 5.981, 300 * tolerance);
    }
  }
}

/// On a table that moves by 0.1 sin(12 t): thrown off once in each period, where its acceleration is -g.
TEST(Contacts, ABallHopsOnATableOnceInEachPeriod) {
  constexpr double omega = 12.0, g = 9.81, t_end = 9.6;
  const double period = 2 * std::acos(-1.0) / omega, phase = std::asin(g / (0.1 * omega * omega));
  const double left = phase / omega + period * std::floor(t_end / period - phase / omega / period);
  const double since = t_end - left;  // still in the air
  const double height =
      0.1 * std::sin(phase) + 0.1 * omega * std::cos(phase) * since - 0.5 * g * since * since;
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
    Model m("table");
    const Expr y = m.state("y", 0.5), v = m.state("v", 0.0);
    const Expr force = m.unilateral("table", y - 0.1 * sin(omega * m.time()));
    m.equation(der(y) == v);
    m.equation(der(v) == force - g);
    RunOptions options = contact_run(t_end);
    options.engine = engine;
    const Solution s = simulate(m, options);
    ASSERT_TRUE(s.ok()) << s.report.message;
    // The first hop is the fall from 0.5; it leaves first in the second period.
    EXPECT_EQ(s.event_times("table separates").size(),
              static_cast<std::size_t>(std::lround((left - phase / omega) / period)));
    EXPECT_NEAR(s.event_times("table separates").back(), left, 300 * contact_tol);
    EXPECT_NEAR(s.final("y"), height, 300 * contact_tol);
  }
}

TEST(Contacts, AForceThatActsTheWrongWayIsNamed) {
  FallingBall ball(0.0, -1.0);
  const Solution s = simulate(ball.m, contact_run(7.0));
  EXPECT_FALSE(s.ok());
  EXPECT_TRUE(contact_says(s.report.message, "contact 'floor' acts the wrong way"))
      << s.report.message;
}

/// A block of 1 kg on one of 3 kg that is pulled along the floor by a growing force.
Solution pulled_blocks(double mu_kinetic) {
  Model m("blocks");
  const Expr v = m.state("v", 0.0), h = m.state("h", 0.0), u = m.state("u", 0.0);
  const Expr v2 = m.state("v2", 0.0), h2 = m.state("h2", 0.0), u2 = m.state("u2", 0.0);
  const Expr below = m.unilateral("floor", h), above = m.unilateral("block", h2 - h);
  const Expr rubs = m.friction("floor rubs", v, below, {.mu_kinetic = 0.1, .mu_static = 0.2});
  const Expr carries =
      m.friction("block rubs", v2 - v, above, {.mu_kinetic = mu_kinetic, .mu_static = 0.6});
  m.equation(der(h) == u);
  m.equation(der(h2) == u2);
  m.equation(3.0 * der(v) == 4.0 * 9.81 * m.time() + rubs - carries);
  m.equation(3.0 * der(u) == -3.0 * 9.81 + below - above);
  m.equation(der(v2) == carries);
  m.equation(der(u2) == -9.81 + above);
  return simulate(m, contact_run(0.25));
}

TEST(Contacts, AChoiceOfWhoBeginsToSlipIsAWarning) {
  // The floor gives way at t = 0.2, and both go on with 0.1 g: the upper block could also stay behind if its
  // mu_kinetic is less than 0.1, and cannot otherwise.
  for (const double mu_kinetic : {0.05, 0.3}) {
    const Solution s = pulled_blocks(mu_kinetic);
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_EQ(s.final("block rubs.sticks"), 1.0);
    int n_told = 0;
    for (const std::string& warning : s.report.warnings)
      n_told += contact_says(warning, "mu_static and mu_kinetic allow several motions") ? 1 : 0;
    EXPECT_EQ(n_told, mu_kinetic < 0.1 ? 1 : 0);
  }
}

/// Pushed up a slope with 2 m/s; sticks or slips back.
Solution on_slope(double angle, double mu_kinetic, double mu_static) {
  Model m("slope");
  Expr s = m.state("s", 0.0), v = m.state("v", 2.0), h = m.state("h", 0.0), u = m.state("u", 0.0);
  const Expr normal = m.unilateral("slope", h);
  const Expr force =
      m.friction("rubbing", v, normal, {.mu_kinetic = mu_kinetic, .mu_static = mu_static});
  m.equation(der(s) == v);
  m.equation(der(h) == u);
  m.equation(2.0 * der(v) == -2.0 * 9.81 * std::sin(angle) + force);
  m.equation(2.0 * der(u) == -2.0 * 9.81 * std::cos(angle) + normal);
  return simulate(m, contact_run(3.0));
}

TEST(Contacts, ABlockOnASlopeSticksOrSlipsBack) {
  for (const double angle : {0.4, 0.6}) {  // tan: 0.42, 0.68
    const Solution s = on_slope(angle, 0.3, 0.5);
    ASSERT_TRUE(s.ok()) << s.report.message;
    const double up = 9.81 * (std::sin(angle) + 0.3 * std::cos(angle));
    const double t_stop = 2 / up, s_stop = 2 / up;
    ASSERT_EQ(s.event_times("rubbing stops slipping").size(), 1U);
    EXPECT_NEAR(s.event_times("rubbing stops slipping")[0], t_stop, contact_few);
    const bool sticks = std::tan(angle) < 0.5;
    const double down = sticks ? 0.0 : 9.81 * (std::sin(angle) - 0.3 * std::cos(angle));
    EXPECT_NEAR(s.final("s"), s_stop - 0.5 * down * std::pow(3 - t_stop, 2), 100 * contact_few);
    EXPECT_EQ(s.final("rubbing.sticks"), sticks ? 1.0 : 0.0);
    // What holds it is what is needed, not the most that friction can give.
    if (sticks) {
      EXPECT_NEAR(s.final("rubbing.force"), 2 * 9.81 * std::sin(angle), contact_few);
    }
  }
}

TEST(Contacts, StaticFrictionHoldsWhereKineticDoesNot) {
  const Solution holds = on_slope(0.4, 0.3, 0.5), slips = on_slope(0.4, 0.3, 0.3);
  ASSERT_TRUE(holds.ok() && slips.ok());
  EXPECT_EQ(holds.final("rubbing.sticks"), 1.0);
  EXPECT_EQ(slips.final("rubbing.sticks"), 0.0);
}

/// A block on a plane that moves to and fro with velocity cos(5 t): friction is exhausted slowly, and mu_static is
/// mu_kinetic, so that nothing but the force itself tells when it gives way.
Solution on_moving_plane(double tolerance, bool as_contact) {
  Model m("moving plane");
  const Expr s = m.state("s", 0.0), v = m.state("v", 0.0), slip = v - cos(5.0 * m.time());
  m.equation(der(s) == v);
  Expr force = -0.3 * 9.81 * sign(slip);
  if (as_contact) {
    const Expr h = m.state("h", 0.0), u = m.state("u", 0.0);
    const Expr normal = m.unilateral("plane", h);
    force = m.friction("rubbing", slip, normal, {.mu_kinetic = 0.3});
    m.equation(der(h) == u);
    m.equation(der(u) == -9.81 + normal);
  }
  m.equation(der(v) == force);
  RunOptions options = contact_run(5.0);
  options.rtol = options.atol = tolerance;
  return simulate(m, options);
}

TEST(Contacts, FrictionThatIsExhaustedSlowlyGivesWayOnce) {
  const Solution by_sign = on_moving_plane(1e-10, false);
  ASSERT_TRUE(by_sign.ok());
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    const Solution s = on_moving_plane(tolerance, true);
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_EQ(s.event_times("rubbing gives way forward").size(), 3U);
    EXPECT_EQ(s.event_times("rubbing gives way backward").size(), 4U);
    EXPECT_EQ(s.event_times("rubbing stops slipping").size(), 8U);
    EXPECT_NEAR(s.final("s"), by_sign.final("s"), 300 * tolerance);
  }
}

TEST(Contacts, BallsWithGapsHitEachOtherInOrder) {
  Model m("cradle");
  problems::write_row_of_balls(m, 1e-6);
  const Solution s = simulate(m, contact_run(1.0));
  ASSERT_TRUE(s.ok()) << s.report.message;
  double before = 0.0;
  for (int i = 1; i < 5; ++i) {
    const auto times = s.event_times(problems::pair_of_balls(i) + " touches");
    ASSERT_EQ(times.size(), 1U);
    EXPECT_GT(times[0], before);
    before = times[0];
  }
  for (int i = 1; i < 5; ++i) EXPECT_NEAR(s.final("v" + std::to_string(i)), 0.0, 1e-12);
  EXPECT_NEAR(s.final("v5"), 1.0, 1e-12);
}

TEST(Contacts, WhatTouchingBallsDoIsNotChosenSilently) {
  Model m("touching balls");
  problems::write_row_of_balls(m, 0.0);
  const Solution s = simulate(m, contact_run(1.0));
  EXPECT_FALSE(s.ok());
  EXPECT_TRUE(contact_says(s.report.message, "have no unique outcome")) << s.report.message;
  EXPECT_TRUE(contact_says(s.report.message, "'balls 4 and 5'")) << s.report.message;
  m.simultaneous_impacts(ImpactLaw::one_by_one);
  const Solution chosen = simulate(m, contact_run(1.0));
  ASSERT_TRUE(chosen.ok()) << chosen.report.message;
  EXPECT_NEAR(chosen.final("v5"), 1.0, 1e-12);
}

/// A beam of mass 1 on three supports in a row, resting from the start: one too many.
TEST(Contacts, RedundantSupportsShareTheLoad) {
  Model m("beam");
  const Expr y = m.state("y", 0.0), v = m.state("v", 0.0);
  const Expr a = m.state("a", 0.0), w = m.state("w", 0.0);
  Expr sum = 0.0, moment = 0.0;
  for (const double place : {-1.0, 0.0, 1.0}) {
    const Expr force = m.unilateral("support at " + std::to_string(place), y + place * sin(a));
    sum += force;
    moment += place * cos(a) * force;
  }
  m.equation(der(y) == v);
  m.equation(der(a) == w);
  m.equation(der(v) == -9.81 + sum);
  m.equation(der(w) == moment);
  const Solution s = simulate(m, contact_run(1.0));
  ASSERT_TRUE(s.ok()) << s.report.message;
  for (const double place : {-1.0, 0.0, 1.0})
    EXPECT_NEAR(s.final("support at " + std::to_string(place) + ".force"), 9.81 / 3, contact_few);
  EXPECT_NEAR(s.final("y"), 0.0, contact_few);
}

/// A pendulum of length 1 that hits a wall at x = 1/2: its rod takes part in the impact.
TEST(Contacts, AJointPushesAndPulls) {
  Model m("pendulum");
  const Expr x = m.state("x", 1.0), y = m.state("y", 0.0);
  const Expr u = m.state("u", 0.0), v = m.state("v", 0.0);
  const Expr force = m.joint("rod", sqrt(x * x + y * y) - 1.0);
  const Expr length = sqrt(x * x + y * y);
  const Expr wall = m.unilateral("wall", x - 0.5, {.restitution = 0.5});
  m.equation(der(x) == u);
  m.equation(der(y) == v);
  m.equation(der(u) == force * x / length + wall);
  m.equation(der(v) == force * y / length - 9.81);
  m.output("energy", 0.5 * (u * u + v * v) + 9.81 * y);
  const Solution s = simulate(m, contact_run(0.8));
  ASSERT_TRUE(s.ok()) << s.report.message;
  ASSERT_EQ(s.event_times("wall touches").size(), 1U);
  EXPECT_NEAR(s.at("energy", 0.4), 0.0, 300 * contact_tol);
  // Its speed was sqrt(sqrt(3) g) and is half of that.
  const double lost = 0.75 * 0.5 * std::sqrt(3) * 9.81;
  EXPECT_NEAR(s.final("energy"), -lost, 300 * contact_tol);
  EXPECT_NEAR(std::hypot(s.final("x"), s.final("y")), 1.0, 300 * contact_tol);
  // -v^2 + g y, with v^2 = 2 (E - g y).
  EXPECT_NEAR(s.final("rod.force"), 2 * lost + 3 * 9.81 * s.final("y"), 1e4 * contact_tol);
}

TEST(Contacts, APileOfBricksComesToRestTheSameEachTime) {
  Model m("pile");
  const problems::PileWriter pile(m, {});
  RunOptions options = contact_run(3.0);
  options.rtol = options.atol = 1e-6;
  const Solution s = simulate(m, options), again = simulate(m, options);
  ASSERT_TRUE(s.ok()) << s.report.message;
  ASSERT_EQ(pile.gaps.size(), 20U);
  double before = s.at("energy", 0.0);
  for (int i = 1; i <= 300; ++i) {
    const double now = s.at("energy", 0.01 * i);
    EXPECT_LE(now, before + 300 * 1e-6);
    before = now;
  }
  // What a touching foot may be off by is the error of the integration.
  for (const std::string& gap : pile.gaps) EXPECT_NEAR(s.final(gap), 0.0, 300 * 1e-6) << gap;
  for (const std::string& v : pile.velocities) {
    EXPECT_NEAR(s.final(v), 0.0, 1e-6) << v;
    EXPECT_EQ(s.final(v), again.final(v)) << v;
  }
  EXPECT_EQ(s.final("energy"), again.final("energy"));
}

TEST(Contacts, WhatCannotBeAContactIsRefusedByName) {
  const auto refused = [](auto&& write) {
    Model m("refused");
    const Expr x = m.state("x", 1.0), z = m.algebraic("z");
    try {
      write(m, x, z);
      m.equation(x * x == z);
      (void)m.build();
    } catch (const ModelError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_TRUE(contact_says(refused([](Model& m, const Expr&, const Expr& z) {
                             m.equation(der(m.state("y", 0.0)) == m.unilateral("wall", z));
                           }),
                           "'z', which is not a state"));
  EXPECT_TRUE(contact_says(refused([](Model& m, const Expr& x, const Expr&) {
                             m.equation(der(x) == m.unilateral("wall", x));
                           }),
                           "whose velocity is not known"));
  EXPECT_TRUE(contact_says(refused([](Model& m, const Expr& x, const Expr&) {
                             (void)m.unilateral("wall", x, {.restitution = 1.5});
                           }),
                           "between 0 and 1"));
  EXPECT_TRUE(contact_says(refused([](Model& m, const Expr& x, const Expr&) {
                             m.equation(der(x) == m.joint("rod", x));
                           }),
                           "write its constraint as an equation"));
  EXPECT_TRUE(contact_says(refused([](Model& m, const Expr& x, const Expr&) {
                             (void)m.friction("wall", x, x, {.mu_kinetic = -0.5});
                           }),
                           "friction 'wall'"));
}

/// A rod of length 2 whose lower tip slides on the floor to the left, under its centre: chalk that is pushed.
Model& write_pushed_rod(Model& m, double mu, double slip) {
  const double angle = 1.1;
  const Expr x = m.state("x", 0.0), y = m.state("y", std::sin(angle));
  const Expr phi = m.state("phi", angle);
  const Expr vx = m.state("vx", slip), vy = m.state("vy", 0.0), omega = m.state("omega", 0.0);
  const Expr normal = m.unilateral("tip", y - sin(phi));
  const Expr slip_of_tip = vx + sin(phi) * omega;
  const Expr friction =
      m.friction("chalk", slip_of_tip, normal, {.mu_kinetic = mu, .mu_static = mu});
  m.equation(der(x) == vx);
  m.equation(der(y) == vy);
  m.equation(der(phi) == omega);
  m.equation(der(vx) == friction);
  m.equation(der(vy) == normal - 9.81);
  m.equation(der(omega) / 3.0 == sin(phi) * friction - cos(phi) * normal);
  m.output("slip", slip_of_tip);
  return m;
}

TEST(Contacts, WhatFrictionJamsStopsByAnImpulseThatIsTold) {
  Model m("chalk");
  const Solution s = simulate(write_pushed_rod(m, 2.0, -1.0), contact_run(0.1));
  ASSERT_TRUE(s.ok()) << s.report.message;
  ASSERT_EQ(s.report.warnings.size(), 1U);
  EXPECT_TRUE(contact_says(s.report.warnings[0], "Painleve")) << s.report.warnings[0];
  EXPECT_TRUE(contact_says(s.report.warnings[0], "an impulse without a collision at 'tip'"));
  // W P = (0, 1), and 3 (sin P_T - cos P_N) turns it.
  const double c = std::cos(1.1), sn = std::sin(1.1);
  const double nn = 1 + 3 * c * c, nt = -3 * sn * c, tt = 1 + 3 * sn * sn;
  const double det = nn * tt - nt * nt, p_n = -nt / det, p_t = nn / det;
  EXPECT_NEAR(s.at("omega", 0.0, Side::right), 3 * (sn * p_t - c * p_n), contact_few);
  EXPECT_NEAR(s.at("slip", 0.05), 0.0, contact_few);
}

TEST(Contacts, WhatFrictionDoesNotJamSlidesOn) {
  // The twin: below 4/3 no rod is jammed.
  Model m("chalk");
  const Solution s = simulate(write_pushed_rod(m, 1.0, -1.0), contact_run(0.01));
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_TRUE(s.report.warnings.empty());
  EXPECT_LT(s.at("slip", 0.005), -0.1);
}

TEST(Contacts, StaticFrictionBelowTheKineticOneIsRefused) {
  const auto write = [](Model& m, const Expr& kinetic, const Expr& held) {
    const Expr v = m.state("v", 0.0), y = m.state("y", 0.0), u = m.state("u", 0.0);
    const Expr normal = m.unilateral("floor", y);
    const Expr force = m.friction("pad", v, normal, {.mu_kinetic = kinetic, .mu_static = held});
    m.equation(der(y) == u);
    m.equation(der(v) == force);
    m.equation(der(u) == -9.81 + normal);
  };
  Model numbers("numbers");
  EXPECT_THROW(write(numbers, 0.3, 0.2), ModelError);
  for (const double held : {0.2, 0.3}) {
    Model m("parameters");
    write(m, m.parameter("mu", 0.3), m.parameter("mu_static", held));
    const Solution s = simulate(m, contact_run(1.0));
    EXPECT_EQ(s.ok(), held == 0.3);
    EXPECT_EQ(contact_says(s.report.message, "friction 'pad' has a mu_static of 0.2 at rest"),
              held == 0.2)
        << s.report.message;
  }
}

TEST(Contacts, AnEventIsExplainedWithTheNamesOfTheModel) {
  Model m("thrown");
  const Expr y = m.state("y", 1.0), v = m.state("v", 0.0), u = m.state("u", 1.0);
  const Expr normal = m.unilateral("floor", y);
  const Expr rub = m.friction("rubber", u, normal, {.mu_kinetic = 0.3});
  m.equation(der(y) == v);
  m.equation(der(v) == normal - 9.81);
  m.equation(der(u) == rub);
  const Solution s = simulate(m, contact_run(2.0));
  ASSERT_TRUE(s.ok()) << s.report.message;
  ASSERT_EQ(s.events().size(), 2U);
  EXPECT_EQ(s.events()[1].name, "contacts");
  EXPECT_EQ(s.events()[1].cause, "floor touches");
  EXPECT_EQ(s.events()[1].note, "floor.closed from 0 to 1, rubber.sticks from 0 to 1");
  const std::string said = s.explain(s.events()[1]);
  for (const char* part : {"'floor touches'", "'floor.closed' from 0 to 1", "'v' from -4.4"})
    EXPECT_TRUE(contact_says(said, part)) << said;
  for (const char* machinery :
       {"contacts.on", "contacts.share", ".slack", ".direction", "as it was"})
    EXPECT_FALSE(contact_says(said, machinery)) << said;
}

TEST(Contacts, WhatSeparatesAtAJumpIsNamed) {
  // Both are thrown up at once: contacts that part without an event of their own.
  Model m("kicked");
  const Expr y = m.state("y", 0.0), v = m.state("v", 0.0), z = m.state("z", 1.0),
             w = m.state("w", 0.0);
  const Expr table = m.unilateral("table", y), between = m.unilateral("between", z - y - 1.0);
  m.equation(der(y) == v);
  m.equation(der(v) == table - between - 9.81);
  m.equation(der(z) == w);
  m.equation(der(w) == between - 9.81);
  m.when("kick", m.every("kicks", 1.0, 100.0), {{v, 1.0}, {w, 2.0}});
  const Solution s = simulate(m, contact_run(1.1));
  ASSERT_TRUE(s.ok()) << s.report.message;
  const Event& decision = s.events().back();
  EXPECT_EQ(decision.name, "contacts");
  EXPECT_TRUE(contact_says(decision.note, "table.closed from 1 to 0, between.closed from 1 to 0"))
      << decision.note;
}

TEST(Contacts, TheFirstRowHasTheForcesOfTheStart) {
  Model m("at rest");
  const Expr y = m.state("y", 0.0), v = m.state("v", 0.0);
  const Expr force = m.unilateral("floor", y);
  m.equation(der(y) == v);
  m.equation(2.0 * der(v) == force - 2.0 * 9.81);
  RunOptions options = contact_run(1.0);
  options.output.points = OutputPoints::steps;
  const Solution s = simulate(m, options);
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_EQ(s.trajectory.times()[0], 0.0);
  EXPECT_GT(s.trajectory.times()[1], 0.0);
  EXPECT_NEAR(s.trajectory.row(0)[s.trajectory.index_of("floor.force")], 2 * 9.81, contact_few);
  EXPECT_EQ(s.trajectory.row(0)[s.trajectory.index_of("floor.closed")], 1.0);
}

TEST(Contacts, ActionsWithoutEndAreNamedWithWhatSetThemOff) {
  // What contacts do is an action as well; these two hand over to each other.
  Model m("no end");
  const Expr x = m.state("x", 0.0), d = m.discrete("d", 0.0), e = m.discrete("e", 0.0);
  m.equation(der(x) == 1.0);
  m.when("start", x > 0.5, {{d, 1.0}});
  m.when("one", d > 0.5, {{d, 0.0}, {e, 1.0}});
  m.when("other", e > 0.5, {{d, 1.0}, {e, 0.0}});
  const Solution s = simulate(m, contact_run(1.0));
  EXPECT_FALSE(s.ok());
  for (const char* part : {"'one' (by 'd > 0.5')", "'other' (by 'e > 0.5')", "without end"})
    EXPECT_TRUE(contact_says(s.report.message, part)) << s.report.message;
}

/// The cradle in any unit of length: gaps of 1e-6 diameters.
Solution cradle_in(double unit, double nominal) {
  Model m("cradle");
  const Attributes sized{.nominal = nominal};
  std::vector<Expr> x, v, force;
  for (int i = 0; i < 5; ++i) {
    const std::string ball = std::to_string(i + 1);
    x.push_back(m.state("x" + ball, unit * (i == 0 ? -0.5 : i * (1.0 + 1e-6)), sized));
    v.push_back(m.state("v" + ball, i == 0 ? unit : 0.0, sized));
    if (i > 0)
      force.push_back(m.unilateral(ball, x.back() - x[x.size() - 2] - unit, {.restitution = 1.0}));
  }
  for (std::size_t i = 0; i < 5; ++i) {
    m.equation(der(x[i]) == v[i]);
    m.equation(der(v[i]) == (i > 0 ? force[i - 1] : Expr(0.0)) - (i < 4 ? force[i] : Expr(0.0)));
  }
  return simulate(m, contact_run(1.0));
}

TEST(Contacts, GapsAreSmallComparedWithNominalValues) {
  for (const double unit : {1e-6, 1e-3, 1.0, 1e3, 1e6}) {
    const Solution s = cradle_in(unit, unit);
    ASSERT_TRUE(s.ok()) << unit << ": " << s.report.message;
    EXPECT_NEAR(s.final("v5"), unit, 1e-6 * unit) << unit;
  }
  // The twin: in millimetres whose nominal value is a metre the gaps are closed.
  EXPECT_FALSE(cradle_in(1e-3, 1.0).ok());
}

}  // namespace
}  // namespace saltus
