// Where events come ever faster, or closer to each other than a run can tell.
#include "hybrid/instant/event_series.hpp"

#include <cmath>

#include "../scene.hpp"

namespace saltus::hybrid_test {
namespace {

using detail::Crossing;
using detail::Ending;
using detail::EventSeries;
using detail::SeriesEnd;

/// Relations on h, v and w; h > 0 sets off an action where h falls. Those of v and w choose equations if asked to.
SystemFunctions hops(bool v_and_w_choose = false) {
  SystemFunctions f;
  f.unknowns = {{"h", 1.0}, {"v", 0.5}, {"w", 1.0}};
  f.locked_derivative = [](double, auto, auto locks, auto xdot) {
    for (std::size_t i = 0; i < 3; ++i) xdot[i] = i < locks.size() && locks[i] ? -1.0 : 1.0;
  };
  f.switches = {{"h > 0", true}, {"v > 0", v_and_w_choose}, {"w > 0", v_and_w_choose}};
  f.switching = [](double, auto x, auto g) { std::ranges::copy(x, g.begin()); };
  f.actions.push_back({.name = "bounce",
                       .trigger = "h > 0",
                       .when = FunctionAction::When::falling,
                       .set = [](double, auto, auto after) { after[1] = 0.5; },
                       .targets = {"v"}});
  return f;
}

/// It stands at t = 0, and events are told.
struct SeriesScene : Scene {
  explicit SeriesScene(RunOptions options = Scene::in_one_second(), bool v_and_w_choose = false)
      : Scene(hops(v_and_w_choose), options) {}
  EventSeries::Found look(std::uint32_t which, double t, double excursion,
                          double resolution = 1e-6) {
    Crossing c{which, -1};
    c.excursion = excursion;
    c.resolution = resolution;
    c.error = 1e-6;
    return at.series.look(t, std::vector{c});
  }
  /// Intervals that fall by a half each, up to a limit, with excursions like their squares.
  EventSeries::Found halve(std::uint32_t which, double t_limit, int n = 30, double from = 0.25) {
    EventSeries::Found found;
    for (; n > 0 && std::holds_alternative<std::monostate>(found); --n, from /= 2)
      found = look(which, t_limit - from, from * from);
    return found;
  }
  EventSeries& series() { return at.series; }
};

TEST(EventSeries, EventsThatHalveTheirIntervalsEndAtALimit) {
  SeriesScene s;
  const auto found = s.halve(0, 0.5);
  const auto* end = std::get_if<SeriesEnd>(&found);
  ASSERT_NE(end, nullptr);
  EXPECT_EQ(end->which, 0U);
  EXPECT_NEAR(end->t_limit, 0.5, 1e-9);
  for (const char* part :
       {"events of 'h > 0' accumulate at t = 0.5", ". This is a prediction: ",
        " intervals fell by a ratio of 0.5 each, and its error is at most about ",
        " events were followed, until t = 0; before the last one the function went ",
        " from its surface, and distances below 1e-06 count as zero (its tolerance is 1e-06)",
        "; 0.5 s are left"})
    EXPECT_NE(end->text.find(part), std::string::npos) << part << "\n" << end->text;
}

TEST(EventSeries, ALimitBeyondTheEndOfTheRunIsNone) {
  RunOptions shorter = Scene::in_one_second();
  shorter.t_end = 0.49;
  SeriesScene s(shorter);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(s.halve(0, 0.5)));
}

TEST(EventSeries, EventsThatCannotBeToldApartAreLostWhereTheySetSomething) {
  SeriesScene s;
  s.step_only();
  ASSERT_GT(s.here().t(), 0.0);
  EventSeries::Found of_h, of_v;
  for (int n = 1; n < 7; ++n) {
    if (std::holds_alternative<std::monostate>(of_h)) of_h = s.look(0, 0.01 * n, 0.5e-6);
    if (std::holds_alternative<std::monostate>(of_v)) of_v = s.look(1, 0.01 * n, 0.5e-6);
  }
  const auto* end = std::get_if<SeriesEnd>(&of_h);
  ASSERT_NE(end, nullptr);
  EXPECT_EQ(end->t_limit, s.here().t());
  for (const char* part :
       {"events of 'h > 0' come too close together to be told apart, from t = ",
        " on. It is not known whether they come to an end: 4 events were followed"})
    EXPECT_NE(end->text.find(part), std::string::npos) << end->text;
  EXPECT_TRUE(std::holds_alternative<std::monostate>(of_v));
}

TEST(EventSeries, IntervalsOfAFewDigitsChatter) {
  SeriesScene s;
  EventSeries::Found found;
  double t = 0.5;
  for (int n = 0; n < 11; ++n, t = std::nextafter(t, 1.0)) {
    EXPECT_TRUE(std::holds_alternative<std::monostate>(found)) << n;
    found = s.look(0, t, 1.0);
  }
  const auto* ending = std::get_if<Ending>(&found);
  ASSERT_NE(ending, nullptr);
  EXPECT_EQ(ending->outcome, Outcome::failed);
  EXPECT_EQ(ending->failure, FailureCode::not_certified);
  EXPECT_EQ(ending->message.find("at t = 0.5"), 0U);
  EXPECT_NE(ending->message.find("'h > 0' switches again and again within a few digits of the time "
                                 "(11 events so far): it chatters"),
            std::string::npos)
      << ending->message;
}

TEST(EventSeries, WhatIsToCrossIsFollowedForAHundredEvents) {
  for (const bool crosses : {true, false}) {
    RunOptions options = Scene::in_one_second();
    if (crosses) options.events.surface_of = {{"v > 0", SurfacePolicy::cross}};
    SeriesScene s(options);
    EventSeries::Found found;
    for (int n = 1; n <= 100; ++n) {
      EXPECT_TRUE(std::holds_alternative<std::monostate>(found)) << n;
      found = s.look(1, 1e-3 * n, 0.9e-6, 0.0);
    }
    const auto* ending = std::get_if<Ending>(&found);
    ASSERT_EQ(ending != nullptr, crosses);
    if (!ending) continue;
    EXPECT_NE(ending->message.find("within the error of its function (100 events so far)"),
              std::string::npos);
  }
}

TEST(EventSeries, WhatIsToCrossBeyondItsErrorIsFollowedOn) {
  RunOptions options = Scene::in_one_second();
  options.events.surface_of = {{"v > 0", SurfacePolicy::cross}};
  SeriesScene s(options);
  for (int n = 1; n <= 120; ++n)
    EXPECT_TRUE(std::holds_alternative<std::monostate>(s.look(1, 1e-3 * n, 1.1e-6, 0.0))) << n;
}

TEST(EventSeries, WhatOnlyGoesAlongBelongsToTheOther) {
  SeriesScene alone, along;
  EXPECT_TRUE(std::holds_alternative<SeriesEnd>(alone.halve(1, 0.5)));
  // v has one event between any two of h.
  EventSeries::Found of_v;
  for (double left = 0.25; left > 1e-6; left /= 2) {
    (void)along.look(0, 0.5 - left, 1.0);
    of_v = along.look(1, 0.5 - 0.75 * left, left * left);
    ASSERT_TRUE(std::holds_alternative<std::monostate>(of_v)) << left;
  }
}

TEST(EventSeries, ASeriesEndsWithThoseThatSetOffNothing) {
  SeriesScene s;
  (void)s.halve(0, 0.5, 6);
  (void)s.halve(1, 0.5, 6);
  (void)s.halve(2, 0.9, 6);
  using All = std::vector<std::uint32_t>;
  EXPECT_EQ(s.series().ending_with(0, 0.5), (All{0, 1}));
  EXPECT_EQ(s.series().ending_with(1, 0.5), All{1});       // that of h sets off its action
  EXPECT_EQ(s.series().ending_with(2, 0.9), (All{2, 1}));  // 0.4 is less than half of what is left
}

TEST(EventSeries, ACornerTakesTwoThatChooseEquations) {
  SeriesScene s(Scene::in_one_second(), true), only_h;
  for (SeriesScene* both : {&s, &only_h}) {
    (void)both->halve(0, 0.5, 6);
    (void)both->halve(1, 0.4, 6);
    (void)both->halve(2, 0.45, 6);
  }
  EXPECT_EQ(s.series().corner_partner(0, 0.5), std::optional(2U));  // the nearer one
  EXPECT_EQ(s.series().corner_partner(0, 0.95), std::nullopt);
  EXPECT_EQ(only_h.series().corner_partner(0, 0.5), std::nullopt);
  EXPECT_EQ(only_h.series().corner_partner(1, 0.4), std::nullopt);
}

TEST(EventSeries, TheActionAtTheEndIsThatOfTheOptions) {
  EXPECT_EQ(SeriesScene().series().action_at_end(0), std::nullopt);
  RunOptions options = Scene::in_one_second();
  options.events.accumulation = {{"v > 0", "bounce"}};
  SeriesScene s(options);
  EXPECT_EQ(s.series().action_at_end(1), std::optional(0U));
  EXPECT_EQ(s.series().action_at_end(0), std::nullopt);
}

TEST(EventSeries, WhatARunCannotGoOnFromIsTheLimitIfEventsWereClose) {
  SeriesScene s;
  (void)s.halve(0, 0.5, 9);
  const Failure failure{FailureCode::singular, "no way"};
  Crossing c{0, -1};
  Ending plain = s.series().ending_of(*s.here(), failure, std::vector{c});
  EXPECT_EQ(plain.outcome, Outcome::failed);
  EXPECT_EQ(plain.message, "no way");
  EXPECT_EQ(plain.failure, FailureCode::singular);
  c.is_close = true;
  for (const std::uint32_t which : {0U, 2U}) {
    c.which = which;
    const Ending ending = s.series().ending_of(*s.here(), failure, std::vector{c});
    EXPECT_EQ(ending.outcome, Outcome::accumulation);
    EXPECT_NE(ending.message.find(which == 0 ? "'h > 0' accumulate at t = 0.5"
                                             : "'w > 0' come too close together"),
              std::string::npos)
        << ending.message;
    EXPECT_NE(ending.message.find(which == 0 ? " 10 events were followed" : " 1 events were"),
              std::string::npos)
        << ending.message;
    EXPECT_NE(ending.message.find(". The run cannot go on from there: no way"), std::string::npos);
    EXPECT_EQ(s.ground.ledger.choices().back().name,
              which == 0 ? "accumulation of 'h > 0'" : "accumulation of 'w > 0'");
    EXPECT_EQ(s.ground.ledger.choices().back().reason, "the run ends");
  }
}

/// h passes zero so long after its event at t = 0, with a speed of 3, placed at 5e-9.
Crossing measured(SeriesScene& s, double t) {
  const detail::EventPoint point{t, {5e-9, 0.5, 1.0}, {-3.0, 0.0, 0.0}};
  std::vector<Crossing> crossings{{0, -1}};
  s.at.series.measure(point, crossings);
  return crossings[0];
}

TEST(EventSeries, WhatAnEventIsMeasuredBy) {
  SeriesScene s;
  EXPECT_TRUE(std::isinf(measured(s, 0.2).excursion));  // the first one
  (void)s.look(0, 0.0, 1.0);
  const Crossing far = measured(s, 0.2);
  EXPECT_NEAR(far.excursion, 0.15, 1e-9);  // a parabola: 3 * 0.2 / 4
  EXPECT_NEAR(far.error, 1e-6, 1e-12);
  EXPECT_NEAR(far.distance, 5e-9, 1e-14);
  EXPECT_NEAR(far.time_error, 5e-9 / 3, 1e-14);
  EXPECT_EQ(far.lost, 0.0);
  EXPECT_EQ(far.resolution, far.distance);
  // Less than a hundred errors: more is looked at.
  const Crossing near = measured(s, 1e-5);
  EXPECT_NEAR(near.excursion, 7.5e-6, 1e-12);
  EXPECT_NEAR(near.resolution, 4 * 5e-9, 1e-13);
  // Less than ten errors, twice in turn.
  EXPECT_FALSE(near.is_close);
  const Crossing again = measured(s, 1e-5);
  EXPECT_TRUE(again.is_close);
  EXPECT_EQ(again.guarantee, Guarantee::marginal);
}

TEST(EventSeries, AMultistepEngineLosesWhatItsToleranceAllows) {
  RunOptions options = Scene::in_one_second();
  options.engine = EngineKind::ida;
  SeriesScene s(options);
  (void)s.look(0, 0.0, 1.0);
  EXPECT_NEAR(measured(s, 0.2).lost, 1e-6, 1e-12);
  EXPECT_NEAR(measured(s, 1e-5).resolution, 1e-6, 1e-12);
}

TEST(EventSeries, ARelationHasTurnedBackIfItIsWhatItWas) {
  SeriesScene s;
  for (const bool truth : {true, false}) {
    s.board().set_truth(0, truth);
    for (const bool forward : {true, false}) {
      // Downwards it comes from h > 0, backward in time from h < 0.
      EXPECT_EQ(detail::is_turned_back(s.board(), {0, -1}, forward), truth == forward);
      EXPECT_EQ(detail::is_turned_back(s.board(), {0, 1}, forward), truth != forward);
    }
  }
}

}  // namespace
}  // namespace saltus::hybrid_test
