// Surfaces whose sides cannot be mixed: what is said, and what can be asked for instead.
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <saltus/saltus.hpp>

namespace saltus {
namespace {

constexpr double sides_tolerance = 1e-8;
/// Global errors of these short runs, as for other runs with events: 300 tolerances, 5000 on ida.
double sides_error(EngineKind engine) {
  return (engine == EngineKind::ida ? 5000 : 300) * sides_tolerance;
}
constexpr EngineKind engines_of_sides[] = {EngineKind::radau, EngineKind::ida};

RunOptions sides_options(double t_end, EngineKind engine,
                         SlidingField field = SlidingField::filippov) {
  RunOptions o = {
      .t_end = t_end, .rtol = sides_tolerance, .atol = sides_tolerance, .engine = engine};
  o.events.sliding_field = field;
  o.limits.max_events = 500;
  return o;
}

void expect_words(const Solution& s, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    EXPECT_NE(s.report.message.find(word), std::string::npos)
        << word << " is missing in: " << s.report.message;
  }
}

std::vector<double> instants_of(const Solution& s, EventKind kind) {
  std::vector<double> times;
  for (const Event& e : s.events())
    if (e.kind == kind) times.push_back(e.t);
  return times;
}

void expect_instants(const Solution& s, EventKind kind, const std::vector<double>& expected,
                     double error) {
  const std::vector<double> found = instants_of(s, kind);
  ASSERT_EQ(found.size(), expected.size()) << to_text(s.event_log) << s.report.message;
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], error);
}

/// z is 1 - t while it is positive; otherwise x is 3.5 - t, which takes another index.
///   until t = 1    z = 1 - t, x = t - t^2 / 2
///   until t = 3    z = 0 with both rows blended, (1 + u)/2 (z - 1 + t) + (1 - u)/2 (x - 3.5 + t) = 0: u = 2 - t
///   from then on   x = 3.5 - t: index 2
void write_index_change(Model& m) {
  Expr x = m.state("x", 0.0), z = m.algebraic("z", {.guess = 1.0}), t = m.time();
  m.equation("motion", der(x) == z);
  m.equation("row", where(z > 0.0, z - (1.0 - t), x - (3.5 - t)) == 0.0);
  m.output("u", where(z > 0.0, Expr(1.0), Expr(-1.0)));
}

/// z + sign(z) = x: z is x - 1 above x = 1, x + 1 below -1, and between both nothing but a mixture of both rows.
double threshold(double x) { return x > 1.0 ? x - 1.0 : x < -1.0 ? x + 1.0 : 0.0; }
void write_threshold(Model& m, Expr x) {
  Expr z = m.algebraic("z", {.guess = 1.0});
  Expr relay = where(z > 0.0, Expr(1.0), Expr(-1.0));
  m.equation("threshold", z + relay == x);
  m.output("relay", relay);
}

/// The constraint is another one on each side of g = 0, which both lead to.
void write_two_constraints(Model& m) {
  Expr x1 = m.state("x1", 1.0), x2 = m.state("x2", 1.0), x3 = m.state("x3", 0.0);
  Expr force = m.algebraic("force"), g = m.state("g", 1.0);
  m.equation(der(x1) == 1.0 + force);
  m.equation(der(x2) == 0.5 - force);
  m.equation(der(x3) == force + 0.1);
  m.equation(der(g) == where(g > 0.0, Expr(-1.0), Expr(1.0)));
  m.equation("constraint", where(g > 0.0, x1 - x2, x3) == 0.0);
}

// ---- refused by name -------------------------------------------------------------------------------------

TEST(SidesThatDiffer, AnotherIndexIsNamedOnBothSides) {
  for (const EngineKind engine : engines_of_sides) {
    Model m("index change");
    write_index_change(m);
    const Solution s = simulate(m, sides_options(2.5, engine));
    ASSERT_FALSE(s.ok()) << name(engine);
    EXPECT_NEAR(s.report.t_reached, 1.0, sides_error(engine));
    expect_words(s, {"on the surface of 'z > 0'", "a different index",
                     "where it is true they have index 1", "where it is false they have index 2",
                     "'x' jump", "opt in", "events.sliding_field = blended", ".at_sliding"});
  }
}

TEST(SidesThatDiffer, OtherConstraintsOfTheSameIndexAreNamed) {
  for (const EngineKind engine : {EngineKind::dopri5, EngineKind::radau, EngineKind::ida}) {
    Model m("two constraints");
    write_two_constraints(m);
    const Solution s = simulate(m, sides_options(2.0, engine));
    ASSERT_FALSE(s.ok()) << name(engine);
    EXPECT_NEAR(s.report.t_reached, 1.0, sides_error(engine));
    expect_words(s, {"on the surface of 'g > 0'", "different constraints", "index 2", "'x3' jump",
                     "opt in", "events.sliding_field = blended"});
  }
}

TEST(SidesThatDiffer, ConstraintsThatAgreeWhereTheyMeetSlide) {
  // The same surface with the same constraint on both sides.
  for (const EngineKind engine : {EngineKind::dopri5, EngineKind::radau, EngineKind::ida}) {
    Model m("one constraint");
    Expr x1 = m.state("x1", 1.0), x2 = m.state("x2", 1.0), force = m.algebraic("force");
    Expr g = m.state("g", 1.0);
    m.equation(der(x1) == 1.0 + force);
    m.equation(der(x2) == 0.5 - force);
    m.equation(der(g) == where(g > 0.0, Expr(-1.0), Expr(1.0)));
    m.equation("constraint", where(g > 0.0, x1 - x2, 2.0 * (x1 - x2)) == 0.0);
    const Solution s = simulate(m, sides_options(2.0, engine));
    ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
    expect_instants(s, EventKind::enter_sliding, {1.0}, sides_error(engine));
    EXPECT_NEAR(s.final("x1"), 2.5, sides_error(engine)) << name(engine);
  }
}

TEST(SidesThatDiffer, AFunctionThatJumpsWithItsRelationIsNamed) {
  for (const EngineKind engine : engines_of_sides) {
    Model m("threshold");
    Expr x = m.state("x", 2.0);
    m.equation(der(x) == -1.0);
    write_threshold(m, x);
    const Solution s = simulate(m, sides_options(4.0, engine));
    ASSERT_FALSE(s.ok()) << name(engine);
    EXPECT_NEAR(s.report.t_reached, 1.0, sides_error(engine));
    expect_words(s, {"on the surface of 'z > 0'", "jump with it", "opt in",
                     "events.sliding_field = blended", "hysteresis wider than the jump"});
  }
}

TEST(SidesThatDiffer, ModesThatLeadBackToEachOtherAreToldWhatToWrite) {
  Model m("two modes");
  Expr x = m.state("x", 1.0);
  const ModeId above = m.mode("above"), below = m.mode("below");
  m.equation(above, der(x) == -1.0);
  m.equation(below, der(x) == 1.0);
  m.transition("down", above, below, x < 0.0);
  m.transition("up", below, above, x > 0.0);
  const Solution s = simulate(m, sides_options(2.0, EngineKind::radau));
  ASSERT_FALSE(s.ok());
  expect_words(s, {"'above'", "'below'", "sliding", "one mode, with where()", "third mode"});
}

// ---- reduced by ranks ------------------------------------------------------------------------------------

/// A bead on the line x = y under friction and a push: it comes to rest, and is held. Twice the same constraint
/// takes ranks.
void write_bead(Model& m, bool is_redundant) {
  Expr x = m.state("x", 0.0), y = m.state("y", 0.0), vx = m.state("vx", 1.0),
       vy = m.state("vy", 1.0);
  Expr force = m.algebraic("force");
  Expr second = is_redundant ? m.algebraic("second") : Expr(0.0);
  m.equation(der(x) == vx);
  m.equation(der(y) == vy);
  m.equation(der(vx) == force + second - 0.5 * sign(vx) + 0.4 * cos(m.time()));
  m.equation(der(vy) == -force - second);
  m.equation("line", x - y == 0.0);
  if (is_redundant) m.equation("line again", 2.0 * (x - y) == 0.0);
}

TEST(SidesReducedByRanks, AreRefusedByNameWhereTheyWouldSlide) {
  for (const EngineKind engine : engines_of_sides) {
    Model m("bead");
    write_bead(m, true);
    const Solution s = simulate(m, sides_options(6.0, engine));
    ASSERT_FALSE(s.ok()) << name(engine);
    expect_words(s, {"on the surface of 'vx > 0'", "both sides lead to it", "reduced by ranks",
                     "redundant equations", ".at_sliding", "events.hysteresis"});
    Model plain("bead");
    write_bead(plain, false);
    RunOptions o = sides_options(6.0, engine);
    o.reduction = ReductionKind::ranks;
    const Solution asked = simulate(plain, o);
    ASSERT_FALSE(asked.ok()) << name(engine);
    EXPECT_NEAR(asked.report.t_reached, s.report.t_reached, sides_error(engine));
    expect_words(asked, {"reduced by ranks (option reduction = ranks)", "reduction = automatic"});
  }
}

TEST(SidesReducedByRanks, SlideIfStructureReducesThem) {
  // v' = (0.4 cos t - 0.5) / 2 until it rests: 2 + 0.4 sin t = 0.5 t.
  double stop = 3.6;
  for (int i = 0; i < 20; ++i)
    stop -= (2 + 0.4 * std::sin(stop) - 0.5 * stop) / (0.4 * std::cos(stop) - 0.5);
  for (const EngineKind engine : {EngineKind::dopri5, EngineKind::radau, EngineKind::ida}) {
    Model m("bead");
    write_bead(m, false);
    const Solution s = simulate(m, sides_options(6.0, engine));
    ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
    expect_instants(s, EventKind::enter_sliding, {stop}, sides_error(engine));
  }
}

// ---- blended on request ----------------------------------------------------------------------------------

TEST(BlendedConstraints, FollowAThresholdThroughItsDeadBand) {
  using std::numbers::pi;
  for (const EngineKind engine : engines_of_sides) {
    Model m("threshold");
    Expr x = m.state("x", 2.0), y = m.state("y", 0.0);
    m.equation(der(x) == y);
    m.equation(der(y) == -x);
    write_threshold(m, x);
    const Solution s = simulate(m, sides_options(6.0, engine, SlidingField::blended));
    ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
    expect_instants(s, EventKind::enter_sliding, {pi / 3, 4 * pi / 3}, sides_error(engine));
    expect_instants(s, EventKind::exit_sliding, {2 * pi / 3, 5 * pi / 3}, sides_error(engine));
    for (double t = 0.05; t < 6.0; t += 0.1) {
      EXPECT_NEAR(s.at("z", t), threshold(2 * std::cos(t)), sides_error(engine))
          << name(engine) << " at " << t;
      // The relay itself is what it takes: x in the band.
      if (std::abs(2 * std::cos(t)) < 0.9) {
        EXPECT_NEAR(s.at("relay", t), 2 * std::cos(t), sides_error(engine)) << name(engine);
      }
    }
    EXPECT_NE(to_text(s.report).find("constraints of both sides are blended"), std::string::npos)
        << to_text(s.report);
  }
}

TEST(BlendedConstraints, MixRowsOfAnotherIndex) {
  for (const EngineKind engine : engines_of_sides) {
    Model m("index change");
    write_index_change(m);
    const Solution s = simulate(m, sides_options(2.75, engine, SlidingField::blended));
    ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
    expect_instants(s, EventKind::enter_sliding, {1.0}, sides_error(engine));
    for (const double t : {1.25, 1.5, 2.0, 2.5}) {
      EXPECT_NEAR(s.at("x", t), 0.5, sides_error(engine)) << name(engine) << " at " << t;
      EXPECT_NEAR(s.at("u", t), 2.0 - t, sides_error(engine)) << name(engine) << " at " << t;
    }
  }
}

TEST(BlendedConstraints, EndByNameWhereTheyLeadToAnotherIndex) {
  for (const EngineKind engine : engines_of_sides) {
    Model m("index change");
    write_index_change(m);
    const Solution s = simulate(m, sides_options(4.0, engine, SlidingField::blended));
    ASSERT_FALSE(s.ok()) << name(engine);
    EXPECT_NEAR(s.report.t_reached, 3.0, sides_error(engine)) << s.report.message;
    expect_words(s, {"on the surface of 'z > 0'", "leaves the surface", "index 1", "index 2",
                     "two modes with transitions"});
  }
}

TEST(BlendedConstraints, AreRefusedWhereASurfaceReadsNothingTheyDetermine) {
  for (const EngineKind engine : {EngineKind::dopri5, EngineKind::radau, EngineKind::ida}) {
    Model m("two constraints");
    write_two_constraints(m);
    const Solution s = simulate(m, sides_options(2.0, engine, SlidingField::blended));
    ASSERT_FALSE(s.ok()) << name(engine);
    expect_words(s, {"'g > 0'", "cannot be blended", "reads nothing that they determine"});
  }
}

TEST(BlendedConstraints, AreRefusedBeyondTheirRange) {
  // As above with x beyond 3.5 - t: u = (d + |a|) / (d - |a|) > 1, d = x - 3.5 + t, a = 1 - t.
  for (const EngineKind engine : engines_of_sides) {
    Model m("index change");
    Expr x = m.state("x", 3.0), z = m.algebraic("z", {.guess = 1.0}), t = m.time();
    m.equation("motion", der(x) == z);
    m.equation("row", where(z > 0.0, z - (1.0 - t), x - (1.5 - t)) == 0.0);
    const Solution s = simulate(m, sides_options(2.5, engine, SlidingField::blended));
    ASSERT_FALSE(s.ok()) << name(engine);
    expect_words(s, {"'z > 0'", "cannot be blended", "outside of -1 to 1"});
  }
}

TEST(BlendedConstraints, GoOnThroughOtherEvents) {
  for (const EngineKind engine : engines_of_sides) {
    Model m("threshold");
    Expr x = m.state("x", 2.0), speed = m.discrete("speed", 1.0);
    m.equation(der(x) == -speed);
    m.when("slower", m.time() > 1.5, {{speed, 0.5}});
    write_threshold(m, x);
    const Solution s = simulate(m, sides_options(6.0, engine, SlidingField::blended));
    ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
    expect_instants(s, EventKind::enter_sliding, {1.0}, sides_error(engine));
    // x = 0.5 at 1.5, then -1 three seconds later.
    expect_instants(s, EventKind::exit_sliding, {4.5}, sides_error(engine));
    EXPECT_NEAR(s.final("z"), -0.75, sides_error(engine));
  }
}

TEST(BlendedConstraints, ChangeNothingWhereSidesHaveTheSameConstraints) {
  for (const SlidingField field : {SlidingField::filippov, SlidingField::blended}) {
    for (const EngineKind engine : {EngineKind::dopri5, EngineKind::radau, EngineKind::ida}) {
      Model m("block");
      Expr v = m.state("v", 0.2);
      m.equation(der(v) == 0.1 * m.time() - 0.5 * sign(v));
      const Solution s = simulate(m, sides_options(8.0, engine, field));
      ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
      expect_instants(s, EventKind::enter_sliding, {5.0 - std::sqrt(21.0)}, sides_error(engine));
      expect_instants(s, EventKind::exit_sliding, {5.0}, sides_error(engine));
    }
  }
}

// ---- instead ---------------------------------------------------------------------------------------------

TEST(SidesThatDiffer, AModeOfOnesOwnIsTheMotionThere) {
  for (const EngineKind engine : engines_of_sides) {
    Model m("threshold");
    Expr x = m.state("x", 2.0), z = m.algebraic("z", {.guess = 1.0});
    m.equation(der(x) == -1.0);
    const ModeId outside = m.mode("outside"), rests = m.mode("rests");
    m.equation(outside, z + where(z > 0.0, Expr(1.0), Expr(-1.0)) == x);
    m.equation(rests, z == 0.0);
    m.transition("rest", outside, rests, z > 0.0, {.at_sliding = true});
    m.transition("go", rests, outside, x < -1.0);
    const Solution s = simulate(m, sides_options(4.0, engine));
    ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
    expect_instants(s, EventKind::structural, {1.0, 3.0}, sides_error(engine));
    EXPECT_NEAR(s.final("z"), -1.0, sides_error(engine)) << name(engine);
  }
}

TEST(EquivalentControl, AveragesTheRelayAndNotTheMotion) {
  // x' = 0.5 - s, y' = s^2 with s = 1 or -1: Filippov's mixture has y' = 1, the averaged relay s = 0.5 and y' = 0.25.
  for (const EngineKind engine : engines_of_sides) {
    for (const SlidingField field : {SlidingField::filippov, SlidingField::equivalent_control}) {
      Model m("relay");
      Expr x = m.state("x", 0.5), y = m.state("y", 0.0), relay = m.algebraic("relay");
      m.equation(relay == where(x > 0.0, Expr(1.0), Expr(-1.0)));
      m.equation(der(x) == 0.5 - relay);
      m.equation(der(y) == relay * relay);
      const Solution s = simulate(m, sides_options(3.0, engine, field));
      ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
      expect_instants(s, EventKind::enter_sliding, {1.0}, sides_error(engine));
      const double slope = field == SlidingField::filippov ? 1.0 : 0.25;
      EXPECT_NEAR(s.final("y"), 1.0 + 2.0 * slope, sides_error(engine)) << name(engine);
      EXPECT_NEAR(s.at("relay", 2.0), 0.5, sides_error(engine)) << name(engine);
    }
  }
}

TEST(EquivalentControl, IsRefusedWhereOnlyMotionsAreLeftToMix) {
  // As above with y held to a second state: index 2, which explicit engines get as x' = f(t, x).
  const auto run = [](EngineKind engine, SlidingField field) {
    Model m("relay");
    Expr x = m.state("x", 0.5), y = m.state("y", 0.0), same = m.state("same", 0.0);
    Expr relay = m.algebraic("relay"), force = m.algebraic("force");
    m.equation(relay == where(x > 0.0, Expr(1.0), Expr(-1.0)));
    m.equation(der(x) == 0.5 - relay);
    m.equation(der(y) == relay * relay + force);
    m.equation(der(same) == -force);
    m.equation("held", y == same);
    return simulate(m, sides_options(3.0, engine, field));
  };
  const Solution refused = run(EngineKind::dopri5, SlidingField::equivalent_control);
  ASSERT_FALSE(refused.ok());
  expect_words(refused, {"'x > 0'", "equivalent_control", "radau or ida", "filippov"});
  const Solution mixed = run(EngineKind::dopri5, SlidingField::filippov);
  ASSERT_TRUE(mixed.ok()) << mixed.report.message;
  EXPECT_NEAR(mixed.final("y"), 0.5 * (1.0 + 2.0), sides_error(EngineKind::dopri5));
  const Solution averaged = run(EngineKind::radau, SlidingField::equivalent_control);
  ASSERT_TRUE(averaged.ok()) << averaged.report.message;
  EXPECT_NEAR(averaged.final("y"), 0.5 * (1.0 + 2.0 * 0.25), sides_error(EngineKind::radau));
}

/// x' = 0.5 - u from x = 0.5, u = 1 or -1 chosen in the equations themselves, which slides from t = 1 with u = 0.5;
/// `y` is what y' or factor * y' is.
Solution run_inlined(EngineKind engine, const std::function<Expr(const Expr&)>& y,
                     const std::function<Expr(const Expr&)>& factor = nullptr) {
  Model m("relay");
  Expr x = m.state("x", 0.5), moved = m.state("y", 0.0);
  const Expr u = where(x > 0.0, Expr(1.0), Expr(-1.0));
  m.equation("motion", der(x) == 0.5 - u);
  m.equation("other", (factor ? factor(u) : Expr(1.0)) * der(moved) == y(u));
  return simulate(m, sides_options(3.0, engine, SlidingField::equivalent_control));
}

TEST(EquivalentControl, OfChoicesInsideEquationsIsTheAverageOrRefused) {
  // y' as a function of u: linear ones at u = 0.5 have the same motion whatever is averaged.
  const struct {
    const char* text;
    std::function<Expr(const Expr&)> y;
    double before, after;  // slopes; only where it is linear
  } linear[] = {{"3 u - 1", [](const Expr& u) { return 3.0 * u - 1.0; }, 2.0, 0.5},
                {"-(u + u) / 4", [](const Expr& u) { return -(u + u) / 4.0; }, -0.5, -0.25},
                {"exp(2) u", [](const Expr& u) { return exp(Expr(2.0)) * u; }, std::exp(2.0),
                 std::exp(2.0) / 2}};
  const std::function<Expr(const Expr&)> others[] = {
      [](const Expr& u) { return u * u; },         [](const Expr& u) { return pow(u, 3); },
      [](const Expr& u) { return sin(u); },        [](const Expr& u) { return 1.0 / (2.0 + u); },
      [](const Expr& u) { return u * (u + 1.0); }, [](const Expr& u) { return exp(u) - u; }};
  for (const EngineKind engine : {EngineKind::dopri5, EngineKind::radau, EngineKind::ida}) {
    for (const auto& [text, y, before, after] : linear) {
      const Solution s = run_inlined(engine, y);
      ASSERT_TRUE(s.ok()) << text << ": " << s.report.message;
      // Slopes are up to exp(2), and so are errors of the time at which it begins to slide.
      EXPECT_NEAR(s.final("y"), before + 2.0 * after, 10.0 * sides_error(engine)) << text;
    }
    for (const auto& y : others) {
      const Solution s = run_inlined(engine, y);
      ASSERT_FALSE(s.ok()) << name(engine) << ": y is " << s.final("y");
      expect_words(s, {"equivalent_control", "'x > 0'", "'other'", "unknown of its own"});
    }
  }
}

TEST(EquivalentControl, OfFactorsOfDerivativesTakesImplicitEngines) {
  // (2 + u) y' = u: y' is 1/3 before, and 0.5 / 2.5 with the averaged u, not the average of 1/3 and -1.
  const auto run = [](EngineKind engine) {
    return run_inlined(
        engine, [](const Expr& u) { return u; }, [](const Expr& u) { return 2.0 + u; });
  };
  const Solution refused = run(EngineKind::dopri5);
  ASSERT_FALSE(refused.ok()) << refused.final("y");
  expect_words(refused, {"equivalent_control", "radau or ida", "'other'", "'x > 0'"});
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
    const Solution s = run(engine);
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_NEAR(s.final("y"), 1.0 / 3.0 + 2.0 * 0.2, sides_error(engine));
  }
}

// ---- rules on two surfaces -------------------------------------------------------------------------------

/// Both relays hold; w moves with their product, which the two surfaces do not determine. `adds_up`: with their sum.
void write_two_relays(Model& m, bool adds_up = false, bool is_implicit = false) {
  Expr x = m.state("x", 0.3), y = m.state("y", 0.1), w = m.state("w", 0.0);
  Expr sx = where(x > 0.0, Expr(1.0), Expr(-1.0)), sy = where(y > 0.0, Expr(1.0), Expr(-1.0));
  m.equation(der(x) == 0.4 - sx);
  m.equation(der(y) == -0.5 - sy);
  m.equation(der(w) == (adds_up ? sx + sy : sx * sy));
  if (is_implicit) m.equation(m.algebraic("z") == 2.0 * w);
}

Solution run_two_relays(SlidingRule rule, EngineKind engine, bool adds_up = false,
                        bool is_implicit = false) {
  Model m("two relays");
  write_two_relays(m, adds_up, is_implicit);
  RunOptions o = sides_options(3.0, engine);
  o.events.sliding_rule = rule;
  return simulate(m, o);
}

/// The mean of sx sy. Weights are those of independent relays, (1 + b u)/2 (1 + c v)/2 with u = 0.4, v = -0.5, plus
/// k b c: what both normal velocities leave open. Moments: the sum of b c |V| w vanishes.
double mean_product(SlidingRule rule) {
  double product = 0.4 * -0.5, above = 0.0, below = 0.0;
  if (rule == SlidingRule::bilinear) return product;
  for (const double b : {-1.0, 1.0}) {
    for (const double c : {-1.0, 1.0}) {
      const double size = std::hypot(0.4 - b, -0.5 - c);
      above += b * c * size * (1 + 0.4 * b) / 2 * (1 - 0.5 * c) / 2;
      below += size;
    }
  }
  return product - 4 * above / below;
}

TEST(SlidingRules, ChooseTheMotionThatSurfacesLeaveOpen) {
  // The choice matters here.
  ASSERT_GT(std::abs(mean_product(SlidingRule::moments) - mean_product(SlidingRule::bilinear)),
            0.01);
  for (const SlidingRule rule : {SlidingRule::bilinear, SlidingRule::moments}) {
    for (const EngineKind engine :
         {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau, EngineKind::ida}) {
      const bool is_implicit = engine == EngineKind::radau || engine == EngineKind::ida;
      if (rule == SlidingRule::moments && is_implicit) continue;
      const Solution s = run_two_relays(rule, engine);
      ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
      ASSERT_EQ(instants_of(s, EventKind::enter_sliding).size(), 2U) << to_text(s.event_log);
      EXPECT_NEAR(s.at("w", 3.0) - s.at("w", 1.0), 2 * mean_product(rule), sides_error(engine))
          << name(engine);
      EXPECT_NE(to_text(s.report).find("depends on how their sides are mixed"), std::string::npos)
          << to_text(s.report);
    }
  }
}

TEST(SlidingRules, MomentsAreRefusedOnImplicitEngines) {
  for (const EngineKind engine : engines_of_sides) {
    try {
      (void)run_two_relays(SlidingRule::moments, engine);
      ADD_FAILURE() << name(engine);
    } catch (const OptionError& refused) {
      const std::string text = refused.what();
      for (const char* word : {"events.sliding_rule", "moments", "dopri5", "bilinear"})
        EXPECT_NE(text.find(word), std::string::npos) << text;
    }
  }
}

// A DAE takes an implicit one in any case, which is known before the run.
TEST(SlidingRules, MomentsAreRefusedBeforeARunOfADae) {
  for (const bool adds_up : {false, true}) {
    try {
      (void)run_two_relays(SlidingRule::moments, EngineKind::automatic, adds_up, true);
      ADD_FAILURE() << adds_up;
    } catch (const OptionError& refused) {
      const std::string text = refused.what();
      for (const char* word : {"events.sliding_rule", "moments", "dopri5", "bilinear"})
        EXPECT_NE(text.find(word), std::string::npos) << text;
    }
  }
  const Solution plain = run_two_relays(SlidingRule::bilinear, EngineKind::automatic, true, true);
  ASSERT_TRUE(plain.ok()) << plain.report.message;
  EXPECT_NEAR(plain.at("w", 3.0) - plain.at("w", 1.0), -0.2, sides_error(EngineKind::ida));
  // One surface needs no rule.
  Model m("one relay");
  Expr x = m.state("x", 0.3), z = m.algebraic("z");
  m.equation(der(x) == where(x > 0.0, Expr(-1.0), Expr(1.0)));
  m.equation(z == 2.0 * x);
  RunOptions o = sides_options(1.0, EngineKind::automatic);
  o.events.sliding_rule = SlidingRule::moments;
  EXPECT_TRUE(simulate(m, o).ok());
}

// An ODE that would be called stiff gets an engine that offers the rule, and the report says why.
TEST(SlidingRules, MomentsChooseAnEngineThatOffersThem) {
  const auto run = [](SlidingRule rule) {
    Model m("two relays");
    write_two_relays(m);
    Expr fast = m.state("fast", 1.0);
    m.equation(der(fast) == -1e5 * (fast - cos(m.time())));
    RunOptions o = sides_options(3.0, EngineKind::automatic);
    o.t_end = 1.0;
    o.events.sliding_rule = rule;
    return simulate(m, o);
  };
  const auto engine_of = [](const Solution& s) {
    for (const DecisionRecord& choice : s.report.choices) {
      if (choice.name == "engine") return choice;
    }
    return DecisionRecord{};
  };
  const Solution plain = run(SlidingRule::bilinear), asked = run(SlidingRule::moments);
  ASSERT_TRUE(plain.ok()) << plain.report.message;
  ASSERT_NE(engine_of(plain).used, "dopri5") << engine_of(plain).reason;
  ASSERT_TRUE(asked.ok()) << asked.report.message;
  EXPECT_EQ(engine_of(asked).used, "dopri5");
  EXPECT_NE(engine_of(asked).reason.find("events.sliding_rule = moments"), std::string::npos)
      << engine_of(asked).reason;
}

TEST(SlidingRules, RejectEndsWhereTheChoiceMattersAndOnlyThere) {
  for (const EngineKind engine :
       {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau, EngineKind::ida}) {
    const Solution s = run_two_relays(SlidingRule::reject, engine);
    ASSERT_FALSE(s.ok()) << name(engine);
    expect_words(s, {"'x > 0'", "'y > 0'", "depends on how their sides are mixed",
                     "events.sliding_rule = reject"});
    const Solution plain = run_two_relays(SlidingRule::reject, engine, true);
    ASSERT_TRUE(plain.ok()) << name(engine) << plain.report.message;
    EXPECT_NEAR(plain.at("w", 3.0) - plain.at("w", 1.0), -0.2, sides_error(engine));
    EXPECT_EQ(to_text(plain.report).find("depends on how"), std::string::npos);
  }
}

/// x is set to zero, from where sign(x) leads away on both sides: where it came from says nothing.
TEST(SlidingRefusals, AResetOntoASurfaceThatBothSidesLeaveEndsTheRunByName) {
  for (const double start : {1.0, -1.0}) {
    for (const EngineKind engine : {EngineKind::automatic, EngineKind::radau}) {
      const auto run_to = [&](double target) {
        Model m("pushed away");
        Expr x = m.state("x", start);
        m.equation(der(x) == sign(x));
        m.when("put there", m.time() > 0.5, {{x, Expr(target)}});
        return simulate(m, sides_options(1.0, engine));
      };
      const Solution s = run_to(0.0);
      EXPECT_FALSE(s.ok());
      expect_words(s, {"x > 0", "t = 0.5", "more than one way"});
      const Solution beside = run_to(0.25);
      ASSERT_TRUE(beside.ok()) << beside.report.message;
      EXPECT_NEAR(beside.final("x"), 0.75, 1e-9);
    }
  }
}

/// With a hysteresis a relation is near where it switches, not near zero.
TEST(SlidingRefusals, AHysteresisIsNoUncertainty) {
  for (const double width : {0.01, 0.05}) {
    Model m("belt");
    Expr x = m.state("x", 0.0), v = m.state("v", 0.0);
    m.equation(der(x) == v);
    m.equation(2.0 * der(v) == -5.0 * x - 3.0 * sign(v - 0.3));
    RunOptions o = sides_options(3.0, EngineKind::automatic);
    o.events.hysteresis = {{"v - 0.3 > 0", width}};
    const Solution s = simulate(m, o);
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_TRUE(s.report.marginal.empty()) << to_text(s.report);
  }
}

TEST(SlidingRefusals, WorkOnASurfaceStandsInItsRow) {
  Model m("relay");
  Expr x = m.state("x", 0.5);
  m.equation(der(x) == -sign(x));
  const Solution s = simulate(m, sides_options(1.0, EngineKind::radau));
  ASSERT_TRUE(s.ok()) << s.report.message;
  ASSERT_EQ(s.report.work.size(), 2u);
  ASSERT_EQ(s.report.modes.size(), 2u);
  for (const ModeWork& w : s.report.work) {
    EXPECT_EQ(w.mode, s.report.modes[0].mode);
    EXPECT_GT(w.work.n_steps, 0u);
  }
  EXPECT_NE(s.report.work[0].sliding, s.report.work[1].sliding);
}

}  // namespace
}  // namespace saltus
