// What a run of a model says of its events, from the relation to the files.
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <saltus/simulate.hpp>

namespace saltus {
namespace {

/// A tank: the pump is weaker above 2 m, a valve opens after 1 s, and a relation hidden behind another
/// one crosses at 1.5 m without consequences.
Solution run_tank(const RunOptions& options) {
  Model m("tank");
  Expr h = m.state("h", 0.0, {.unit = "m"});
  Expr q = m.algebraic("q", {.unit = "m/s"});
  m.equation("level", der(h) == q);
  const Expr pump = where(h < 2.0 || h < 1.5, 1.0, 0.5);
  m.equation("flow", q == pump - where(m.time() < 1.0, 0.0, 0.25));
  return simulate(m, options);
}

bool explains(const Solution& s, const Event& event, const std::string& part) {
  return s.explain(event).find(part) != std::string::npos;
}

const Event* event_named(const Solution& s, const std::string& name) {
  for (const Event& event : s.events())
    if (event.name == name) return &event;
  return nullptr;
}

// h = t to 1 s, 1 + 0.75 (t - 1) to h = 2, at t = 7/3; h = 1.5 at t = 5/3.
TEST(EventsExplained, ATankTellsWhatItsRelationsDid) {
  const Solution s = run_tank({.t_end = 4.0, .rtol = 1e-8, .atol = 1e-8});
  ASSERT_TRUE(s.ok()) << s.report.message;
  const std::string all = to_text(s.event_log);
  const Event* valve = event_named(s, "time < 1");
  const Event* hidden = event_named(s, "h < 1.5");
  const Event* weaker = event_named(s, "h < 2");
  ASSERT_TRUE(valve && hidden && weaker) << all;
  ASSERT_EQ(s.events().size(), 3U) << all;

  EXPECT_EQ(valve->kind, EventKind::scheduled);
  EXPECT_EQ(valve->t, 1.0);
  EXPECT_TRUE(explains(s, *valve, "At t = 1, 'time < 1' became false")) << s.explain(*valve);
  EXPECT_TRUE(explains(s, *valve, "'q' from 1 to 0.75")) << s.explain(*valve);

  EXPECT_EQ(hidden->kind, EventKind::lock);
  EXPECT_NEAR(hidden->t, 5.0 / 3.0, 100e-8);  // the step error is below 1e-8, the speed is 0.75
  EXPECT_TRUE(explains(s, *hidden, "It interrupted nothing")) << s.explain(*hidden);

  EXPECT_EQ(weaker->kind, EventKind::state);
  EXPECT_NEAR(weaker->t, 7.0 / 3.0, 100e-8);
  EXPECT_EQ(weaker->guarantee, Guarantee::proven);
  EXPECT_TRUE(explains(s, *weaker, "'h < 2' became false")) << s.explain(*weaker);
  EXPECT_TRUE(explains(s, *weaker, "Proven: ")) << s.explain(*weaker);
  EXPECT_TRUE(explains(s, *weaker, "The integration began anew")) << s.explain(*weaker);
  // The control: neither explanation fits the other event.
  EXPECT_FALSE(explains(s, *weaker, "It interrupted nothing"));
  EXPECT_FALSE(explains(s, *hidden, "The integration began anew"));
}

TEST(EventsExplained, TheReportSaysThatAllWasProven) {
  RunOptions options{.t_end = 4.0};
  const Solution proven = run_tank(options);
  EXPECT_TRUE(proven.report.all_transitions_smooth()) << to_text(proven.report);
  EXPECT_EQ(proven.report.events.counts.n_restarts, 2U);
  EXPECT_EQ(proven.report.events.counts.of(EventKind::lock), 1U);
  options.events.prove = false;
  const Solution sampled = run_tank(options);
  EXPECT_FALSE(sampled.report.all_transitions_smooth()) << to_text(sampled.report);
  options.events.handling = EventHandling::off;
  const Solution off = run_tank(options);
  EXPECT_FALSE(off.report.all_transitions_smooth());
  EXPECT_NE(to_text(off.report).find("Events were off"), std::string::npos);
}

TEST(EventsExplained, BothLimitsAreInTheLogTheTrajectoryAndTheRows) {
  const Solution s = run_tank({.t_end = 4.0});
  ASSERT_TRUE(s.ok()) << s.report.message;
  const std::uint32_t q = s.trajectory.index_of("q");
  int n_seen = 0;
  for (const EventInstant& instant : s.instants()) {
    if (!instant.restarted) continue;
    ++n_seen;
    ASSERT_EQ(instant.x_minus.size(), s.trajectory.variables().size());
    EXPECT_EQ(instant.x_minus[q], instant.t == 1.0 ? 1.0 : 0.75);
    EXPECT_EQ(instant.x_plus[q], instant.t == 1.0 ? 0.75 : 0.25);
    EXPECT_EQ(s.at("q", instant.t, Side::left), instant.x_minus[q]);
    EXPECT_EQ(s.at("q", instant.t, Side::right), instant.x_plus[q]);
    const auto times = s.trajectory.times();
    EXPECT_EQ(std::count(times.begin(), times.end(), instant.t), 2) << instant.t;
  }
  EXPECT_EQ(n_seen, 2);
}

TEST(EventsExplained, SwitchingFunctionsAreRecordedOnRequest) {
  RunOptions options{.t_end = 4.0};
  EXPECT_THROW(run_tank(options).switching("h < 2"), Error);
  options.output.switching = {"h < 2"};
  const Solution s = run_tank(options);
  ASSERT_TRUE(s.ok()) << s.report.message;
  const SwitchingView view = s.switching("h < 2");
  EXPECT_EQ(view.times.size(), s.trajectory.n_rows());
  const double t_event = s.event_times("h < 2").at(0);
  for (std::size_t k = 0; k < view.times.size(); ++k) {
    // g is h - 2, of either sign; h is recorded by itself.
    const auto row = s.trajectory.row(static_cast<std::uint32_t>(k));
    EXPECT_EQ(std::abs(view.g[k]), std::abs(row[s.trajectory.index_of("h")] - 2.0));
    if (view.times[k] < t_event) {
      EXPECT_EQ(view.next_event[k], t_event);
    }
  }
  EXPECT_FALSE(view.next_event.back());
  EXPECT_FALSE(s.trajectory.find("h < 1.5"));
  options.output.variables = {"q"};
  options.output.switching = {"all"};
  EXPECT_EQ(run_tank(options).trajectory.variables().size(), 4U);
  options.output.switching = {"h <2"};
  EXPECT_THROW(run_tank(options), OptionError);
}

TEST(EventsExplained, EventsThatAreNotKeptAreCounted) {
  RunOptions options{.t_end = 4.0};
  options.events.keep = false;
  const Solution s = run_tank(options);
  EXPECT_TRUE(s.events().empty());
  EXPECT_EQ(s.event_log.n_not_kept(), 3U);
  EXPECT_EQ(s.report.events.counts, run_tank({.t_end = 4.0}).report.events.counts);
  EXPECT_THROW(s.event_times("h < 2"), Error);
}

/// A relay that drives x to zero from both sides, and slides there unless something keeps it from switching.
Solution run_relay(double hysteresis, double dwell) {
  Model m("relay");
  Expr x = m.state("x", 0.3);
  m.equation(der(x) == where(x > 0.0, Expr(-1.0), Expr(1.0)));
  RunOptions o{.t_end = 1.0, .rtol = 1e-8, .atol = 1e-8};
  if (hysteresis > 0) o.events.hysteresis = {{"x > 0", hysteresis}};
  if (dwell > 0) o.events.dwell = {{"x > 0", dwell}};
  return simulate(m, o);
}

TEST(EventsExplained, ARelationWithAHysteresisSwitchesBesideZero) {
  const Solution s = run_relay(0.1, 0.0);
  ASSERT_TRUE(s.ok()) << s.report.message;
  ASSERT_GE(s.events().size(), 2U);
  EXPECT_EQ(s.events()[0].hysteresis, 0.1);
  EXPECT_TRUE(explains(s, s.events()[0],
                       "fell 0.1 below zero, the width of its hysteresis (events.hysteresis)"))
      << s.explain(s.events()[0]);
  EXPECT_TRUE(explains(s, s.events()[1], "rose 0.1 above zero")) << s.explain(s.events()[1]);
  for (const Event& e : s.events()) {
    EXPECT_FALSE(explains(s, e, "through zero")) << s.explain(e);
    EXPECT_FALSE(e.waited);
  }
}

TEST(EventsExplained, ARelationThatWaitedSaysForWhat) {
  for (const double hysteresis : {0.0, 0.1}) {
    const Solution s = run_relay(hysteresis, 0.25);
    ASSERT_TRUE(s.ok()) << s.report.message;
    ASSERT_GE(s.events().size(), 2U);
    // The first one switches as soon as it may; x turns back there, and is over again before 0.25 s have passed.
    EXPECT_FALSE(s.events()[0].waited);
    EXPECT_FALSE(explains(s, s.events()[0], "dwell")) << s.explain(s.events()[0]);
    EXPECT_TRUE(s.events()[1].waited);
    const std::string text = s.explain(s.events()[1]);
    EXPECT_NE(text.find(hysteresis > 0 ? "had risen 0.1 above zero" : "had risen through zero"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("before its dwell time (events.dwell) ended here"), std::string::npos);
    // When it was passed is not when it switched.
    EXPECT_EQ(text.find("located within"), std::string::npos) << text;
  }
}

TEST(EventsExplained, ADwellTimeThatIsOverBeforeIsNotTheReason) {
  // x is back at zero after 0.2 s (twice the hysteresis), and its dwell time of 0.15 s was over.
  const Solution s = run_relay(0.1, 0.15);
  ASSERT_TRUE(s.ok()) << s.report.message;
  ASSERT_GE(s.events().size(), 2U);
  for (const Event& e : s.events()) EXPECT_FALSE(e.waited) << s.explain(e);
}

TEST(EventsExplained, ABallTellsItsImpactsAndWhatFollowed) {
  Model m("ball");
  Expr y = m.state("y", 10.0, {.unit = "m"}), v = m.state("v", 0.0, {.unit = "m/s"});
  Expr n = m.discrete("n", 0.0);
  m.equation("y", der(y) == v);
  m.equation("v", der(v) == -9.81);
  m.when("bounce", y < 0.0, {{v, -0.8 * pre(v)}});
  m.when("count", v > 0.0 && y < 1.0, {{n, pre(n) + 1.0}});
  const Solution s = simulate(m, {.t_end = 4.0, .rtol = 1e-8, .atol = 1e-8});
  ASSERT_TRUE(s.ok()) << s.report.message;
  const double first = std::sqrt(2 * 10.0 / 9.81);
  const std::vector<double> times = s.event_times("bounce");
  ASSERT_EQ(times.size(), 2U) << to_text(s.event_log);
  EXPECT_NEAR(times[0], first, 100e-8);
  EXPECT_NEAR(times[1], 2.6 * first, 100e-8);

  const Event* impact = event_named(s, "y < 0");
  ASSERT_TRUE(impact);
  const std::string text = s.explain(*impact);
  EXPECT_NE(
      text.find("'y < 0' became true, and false again by what followed: its switching function "
                "fell through zero."),
      std::string::npos)
      << text;
  const std::size_t bounce = text.find(
      "Micro-step 1: the when-clause 'bounce' was carried out because 'y < 0' became true; it set "
      "'v' from -14.0071 to 11.2057");
  const std::size_t count = text.find(
      "Micro-step 2: the when-clause 'count' was carried out because 'v > 0 and y < 1' became "
      "true; "
      "it set 'n' from 0 to 1.");
  EXPECT_LT(bounce, count) << text;
  EXPECT_NE(count, std::string::npos) << text;
  const Event* counted = event_named(s, "count");
  ASSERT_TRUE(counted);
  EXPECT_TRUE(explains(s, *counted,
                       "It was micro-step 2 of the events that followed, without time passing, "
                       "from 'y < 0'"))
      << s.explain(*counted);
  EXPECT_FALSE(explains(s, *counted, "Micro-step"));
}

}  // namespace
}  // namespace saltus
