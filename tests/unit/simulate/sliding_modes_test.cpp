// A mode of the user's that stands for motion on a surface: what is told where it is entered and left.
#include <cmath>

#include <gtest/gtest.h>

#include <saltus/model/model.hpp>
#include <saltus/simulate/simulate.hpp>

namespace saltus {
namespace {

constexpr double named_mode_tolerance = 1e-8;
// A hundred tolerances: what a step and the location of its event leave.
constexpr double named_mode_error = 100 * named_mode_tolerance;
constexpr double lets_go = 0.3;  // below the 0.5 at which the surface would let go by itself

/// A block that is pushed by t / 10 with friction of 0.5, which sticks until it takes `lets_go` to hold it.
/// Two bodies that a constraint ties together make it index 2, so that explicit engines can take it as well.
Solution block(EngineKind engine, bool is_tied, double held_up_to = lets_go) {
  Model m("block");
  Expr v = m.state("v", 0.2), push = 0.1 * m.time(), force = m.algebraic("force");
  if (is_tied) {
    Expr w = m.state("w", 0.2), rod = m.algebraic("rod");
    m.equation("motion", der(v) == push + force - rod);
    m.equation("other", der(w) == rod);
    m.equation("tie", v == w);
  } else {
    m.equation("motion", der(v) == push + force);
  }
  const ModeId slips = m.mode("slips"), sticks = m.mode("sticks");
  m.equation(slips, force == -0.5 * sign(v));
  m.equation(sticks, v == 0.0);
  m.transition("stop", slips, sticks, v > 0.0, {.at_sliding = true});
  m.transition("go", sticks, slips, force < -held_up_to);
  RunOptions o{.t_end = 7.0, .rtol = named_mode_tolerance, .atol = named_mode_tolerance};
  o.engine = engine;
  return simulate(m, o);
}

struct NamedModeCase {
  EngineKind engine;
  bool is_tied;
};
const NamedModeCase named_mode_cases[] = {{EngineKind::radau, false}, {EngineKind::ida, false},
                                          {EngineKind::radau, true},  {EngineKind::ida, true},
                                          {EngineKind::dopri5, true}, {EngineKind::dop853, true}};

const EventInstant* instant_with(const Solution& s, const std::string& event) {
  for (const Event& e : s.events()) {
    if (e.name == event) return &s.event_log.instant_of(e);
  }
  return nullptr;
}

const Jump* jump_at(const EventInstant& instant, const std::string& variable) {
  for (const Jump& j : instant.jumps) {
    if (j.variable == variable) return &j;
  }
  return nullptr;
}

double limit_of(const Solution& s, const std::vector<double>& limits, const std::string& variable) {
  const auto names = s.event_log.variables();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == variable) return limits[i];
  }
  return std::nan("");
}

TEST(NamedSlidingModes, BothLimitsAreThoseOfTheRun) {
  for (const auto& [engine, is_tied] : named_mode_cases) {
    const Solution s = block(engine, is_tied);
    ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
    const EventInstant* stop = instant_with(s, "stop");
    ASSERT_NE(stop, nullptr) << name(engine);
    const Jump* jump = jump_at(*stop, "force");
    ASSERT_NE(jump, nullptr) << name(engine);
    // The block came with friction against its motion; what holds it is what pushes it.
    EXPECT_EQ(jump->before, -0.5) << name(engine);
    EXPECT_EQ(limit_of(s, stop->x_minus, "force"), -0.5) << name(engine);
    EXPECT_NEAR(jump->after, -0.1 * stop->t, named_mode_error) << name(engine);
    EXPECT_NEAR(limit_of(s, stop->x_plus, "force"), -0.1 * stop->t, named_mode_error);
    // And why: the surface would hold it.
    const std::string why = s.explain(s.event_log.events_of(*stop).back());
    EXPECT_NE(why.find("would slide on the surface of 'v > 0', and this mode is the motion there"),
              std::string::npos)
        << why;
    EXPECT_EQ(stop->surface_candidates.size(), 3U) << name(engine);
  }
}

TEST(NamedSlidingModes, LeftWhileTheSurfaceAttractsTheyLeadToAnEntry) {
  for (const auto& [engine, is_tied] : named_mode_cases) {
    const Solution s = block(engine, is_tied);
    ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
    const std::vector<double> entries = s.event_times("v > 0", EventKind::enter_sliding);
    ASSERT_EQ(entries.size(), 1U) << name(engine) << to_text(s.event_log);
    EXPECT_NEAR(entries[0], 3.0, named_mode_error) << name(engine);
    const EventInstant* go = instant_with(s, "go");
    ASSERT_NE(go, nullptr);
    EXPECT_TRUE(go->sliding_before.empty());
    EXPECT_EQ(go->sliding_after, std::vector<std::string>{"v > 0"}) << name(engine);
    // The force that holds is the same on the surface: nothing jumps.
    for (const auto* limits : {&go->x_minus, &go->x_plus})
      EXPECT_NEAR(limit_of(s, *limits, "force"), -lets_go, named_mode_error) << name(engine);
    if (const Jump* jump = jump_at(*go, "force")) {
      EXPECT_NEAR(jump->after, -lets_go, named_mode_error) << name(engine);
    }
    const Event& entry = s.event_log.events_of(*go).back();
    EXPECT_EQ(entry.cause, "go");
    const std::string why = s.explain(entry);
    EXPECT_NE(why.find("the solution began on the surface of 'v > 0' in mode 'slips' and stays"),
              std::string::npos)
        << why;
    EXPECT_NE(why.find("both sides lead to the surface"), std::string::npos) << why;
    const std::vector<double> exits = s.event_times("v > 0", EventKind::exit_sliding);
    ASSERT_EQ(exits.size(), 1U) << name(engine);
    EXPECT_NEAR(exits[0], 5.0, named_mode_error) << name(engine);
  }
}

TEST(NamedSlidingModes, LeftWhereTheSurfaceLetsGoThereIsNoEntry) {
  for (const auto& [engine, is_tied] : named_mode_cases) {
    const Solution s = block(engine, is_tied, 0.6);
    ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
    EXPECT_TRUE(s.event_times("v > 0", EventKind::enter_sliding).empty()) << to_text(s.event_log);
    const EventInstant* go = instant_with(s, "go");
    ASSERT_NE(go, nullptr);
    EXPECT_NEAR(go->t, 6.0, named_mode_error) << name(engine);
    EXPECT_EQ(limit_of(s, go->x_plus, "force"), -0.5) << name(engine);
    EXPECT_NEAR(limit_of(s, go->x_minus, "force"), -0.6, named_mode_error) << name(engine);
  }
}

/// A relay that holds x at zero until it is switched off at 2 s, or replaced by another one.
TEST(NamedSlidingModes, ATransitionOffASurfaceIsAnExit) {
  for (const EngineKind engine :
       {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau, EngineKind::ida}) {
    for (const bool is_replaced : {false, true}) {
      Model m("relay");
      Expr x = m.state("x", 1.0);
      const ModeId strong = m.mode("strong"), other = m.mode("other");
      m.equation(strong, der(x) == where(x > 0.0, Expr(-1.0), Expr(1.0)));
      if (is_replaced) {
        m.equation(other, der(x) == where(x > 0.0, Expr(-0.5), Expr(2.0)));
      } else {
        m.equation(other, der(x) == 0.25);
      }
      m.transition("change", strong, other, m.time() > 2.0);
      RunOptions o{.t_end = 3.0, .rtol = named_mode_tolerance, .atol = named_mode_tolerance};
      o.engine = engine;
      const Solution s = simulate(m, o);
      ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
      EXPECT_EQ(s.event_times("x > 0", EventKind::enter_sliding).size(), 1U)
          << to_text(s.event_log);
      const std::vector<double> exits = s.event_times("x > 0", EventKind::exit_sliding);
      const EventInstant* change = instant_with(s, "change");
      ASSERT_NE(change, nullptr);
      const std::vector<std::string> held = {"x > 0"};
      EXPECT_EQ(change->sliding_before, held);
      // The same surface holds it in the other mode as well: nothing is left.
      EXPECT_EQ(change->sliding_after, is_replaced ? held : std::vector<std::string>());
      ASSERT_EQ(exits.size(), is_replaced ? 0U : 1U) << name(engine) << to_text(s.event_log);
      if (!is_replaced) {
        EXPECT_NEAR(exits[0], 2.0, named_mode_error) << name(engine);
      }
      EXPECT_NEAR(s.final("x"), is_replaced ? 0.0 : 0.25, named_mode_error) << name(engine);
    }
  }
}

}  // namespace
}  // namespace saltus
