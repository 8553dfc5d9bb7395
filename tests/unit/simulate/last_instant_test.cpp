// The last instant of a run. An event may fall on the end that was asked for, whatever the run does there; what begins
// at the end is a point; of several reasons to end the first one counts.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <saltus/saltus.hpp>

namespace saltus {
namespace {

/// What happens at t = 1, where the run ends.
enum class Last { tick, relation, kick, terminate, at_end };

/// x' = -sign(x) from 0.5: on its surface from t = 0.5 on. y follows beside it, by an equation where `dae`.
Solution slide_to_the_end(Last last, EngineKind engine, bool dae, int n_ticks = 1) {
  Model m("last");
  const Expr x = m.state("x", 0.5), k = m.discrete("k", 0.0);
  m.equation(der(x) == -sign(x));
  if (dae) m.equation(m.algebraic("y") == 2.0 * x + k);
  const double interval = 1.0 / n_ticks;
  switch (last) {
    case Last::tick:
      m.when("tick", m.every("tick", interval, interval), {{k, pre(k) + 1.0}});
      break;
    case Last::relation:
      m.when("late", m.time() >= 1.0, {{k, pre(k) + 1.0}});
      break;
    case Last::kick:
      m.when("kick", m.time() >= 1.0, {{k, pre(k) + 1.0}, {x, pre(x) + 0.25}});
      break;
    case Last::terminate:
      m.terminate_when("over", m.time() >= 1.0);
      break;
    case Last::at_end:
      m.at_end("last", {{k, pre(k) + 1.0}});
      break;
  }
  RunOptions o;
  o.t_end = 1.0;
  o.engine = engine;
  return simulate(m, o);
}

TEST(LastInstant, AnEventOnTheEndWhileTheSolutionSlides) {
  for (const EngineKind engine :
       {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau, EngineKind::ida}) {
    for (const Last last :
         {Last::tick, Last::relation, Last::kick, Last::terminate, Last::at_end}) {
      for (const bool dae : {false, true}) {
        const bool is_implicit = engine == EngineKind::radau || engine == EngineKind::ida;
        if (dae && !is_implicit) continue;
        const Solution s = slide_to_the_end(last, engine, dae);
        const std::string who = std::string(name(engine)) + " " + std::to_string(int(last));
        EXPECT_EQ(s.report.outcome,
                  last == Last::terminate ? Outcome::terminal_event : Outcome::finished)
            << who << s.report.message;
        EXPECT_EQ(s.report.t_reached, 1.0) << who;
        EXPECT_NEAR(s.final("x"), last == Last::kick ? 0.25 : 0.0, 1e-6) << who;
        EXPECT_EQ(s.final("k"), last == Last::terminate ? 0.0 : 1.0) << who;
        if (!dae) continue;
        EXPECT_NEAR(s.final("y"), 2.0 * s.final("x") + s.final("k"), 1e-6) << who;
      }
    }
  }
}

TEST(LastInstant, TimeOnSurfacesIsCountedThroughEventsThere) {
  const Solution s = slide_to_the_end(Last::tick, EngineKind::dopri5, false, 8);
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_EQ(s.final("k"), 8.0);
  double all = 0.0;
  for (const ModeVisit& visit : s.report.modes) all += visit.duration;
  EXPECT_NEAR(all, 1.0, 1e-12);
  for (const ModeVisit& visit : s.report.modes)
    EXPECT_NEAR(visit.duration, 0.5, 1e-6) << visit.sliding.size();
}

TEST(LastInstant, ModesThatAreEnteredFromThemselvesKeepTheirTime) {
  Model m("again");
  const Expr x = m.state("x", 0.0);
  const ModeId one = m.mode("one"), two = m.mode("two");
  m.equation(one, der(x) == 1.0);
  m.equation(two, der(x) == 2.0);
  m.transition("again", one, one, x > 0.3, {.maps = {{x, pre(x) - 0.3}}});
  m.transition("on", one, two, m.time() > 5.0);
  RunOptions o;
  o.t_end = 1.0;
  const Solution s = simulate(m, o);
  ASSERT_TRUE(s.ok()) << s.report.message;
  ASSERT_FALSE(s.report.modes.empty());
  EXPECT_NEAR(s.report.modes.front().duration, 1.0, 1e-12);
}

// The transition leads out of a range, which ends the run, and uses up the last event that was allowed, too.
TEST(LastInstant, TheFirstReasonToEndCounts) {
  Model m("two reasons");
  const Expr x = m.state("x", 0.0, {.max = 4.0});
  const ModeId one = m.mode("one"), two = m.mode("two");
  m.equation(der(x) == 1e-9);
  m.equation(one, m.algebraic("y") == x);
  m.equation(two, m.algebraic("z") == x);
  m.transition("up", one, two, m.time() > 1.0, {.maps = {{x, 5.0}}});
  RunOptions o;
  o.t_end = 2.0;
  o.events.range = RangePolicy::stop;
  o.limits.max_events = 1;
  const Solution s = simulate(m, o);
  EXPECT_EQ(s.report.outcome, Outcome::terminal_event) << s.report.message;
  for (std::size_t i = 0; i < s.report.warnings.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(s.report.warnings[i], s.report.warnings[j]);
  }
}

}  // namespace
}  // namespace saltus
