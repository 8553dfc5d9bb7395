// What a watch knows of the events of one relation; whole series are followed in event_spacing_test.
#include "hybrid/switch/accumulation.hpp"

#include <gtest/gtest.h>

namespace saltus::detail {
namespace {

using WatchKind = AccumulationWatch::Kind;

/// Events at 2 - 2^(1-n), in both directions of time: 0, 1, 1.5, 1.75, 1.875, …
struct HalvingSeries {
  explicit HalvingSeries(double window = 0.07, double way = 1.0)
      : watch(1, window), direction(way) {}
  AccumulationWatch::Verdict at(double t, double excursion = 2.0) {
    seen.t = direction * t;
    seen.excursion = excursion;
    return watch.note(0, seen);
  }
  void first(int n) {
    double left = 2.0;
    for (int k = 0; k < n; ++k, left /= 2) at(2.0 - left);
  }
  AccumulationWatch watch;
  double direction;
  AccumulationWatch::Sighting seen{.resolution = 1.0, .error = 1.0};
};

TEST(SeriesOfEvents, V3NeedsAPairTwiceAsLong) {
  for (const double way : {1.0, -1.0}) {
    HalvingSeries s(0.07, way);
    s.first(3);
    EXPECT_FALSE(s.watch.limit_of(0).has_value());
    s.at(1.75);  // S = 3/4 after 3/2: 1.75 + 0.25 0.75 / 0.75
    ASSERT_TRUE(s.watch.limit_of(0).has_value());
    EXPECT_EQ(*s.watch.limit_of(0), 2.0 * way);
    EXPECT_FALSE(s.watch.prediction_of(0).has_value()) << "one limit alone predicts nothing";
  }
}

TEST(SeriesOfEvents, APredictionHasTheErrorsOfTimesAndOfWhatIsLost) {
  HalvingSeries s;
  s.seen.time_error = 1e-3;
  s.seen.lost = 0.1;
  s.first(5);
  const auto& found = s.watch.prediction_of(0);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->t_limit, 2.0);
  EXPECT_NEAR(found->ratio, 0.5, 1e-15);
  EXPECT_EQ(found->n_intervals, 4U);
  // t_n - t_a = 1/8 and S = 3/8; 0.1 of each excursion of 2 is lost, and 1/8 is left.
  EXPECT_NEAR(found->error, 4e-3 * (1 + 1.0 / 3) + 0.05 * 0.125 / (1 - 0.5), 1e-15);
}

TEST(SeriesOfEvents, ALimitFurtherAwayThanTheWindowIsNotPredicted) {
  // 1/8 is left of 15/8 in which intervals have shrunk.
  HalvingSeries narrow(0.99 / 15), wide(1.01 / 15);
  narrow.first(5);
  wide.first(5);
  EXPECT_FALSE(narrow.watch.prediction_of(0).has_value());
  EXPECT_TRUE(wide.watch.prediction_of(0).has_value());
}

TEST(SeriesOfEvents, SlowSeriesEndWhereDistancesOfEventsHideWhatIsLeft) {
  HalvingSeries s;
  s.seen.distance = 100.0;
  s.first(5);
  // A tenth of 100 / (1 - 1/2), once the ratio is known.
  const auto verdict = s.at(1.9375, 19.0);
  EXPECT_NEAR(verdict.resolution, 20.0, 1e-12);
  EXPECT_EQ(verdict.kind, WatchKind::none);
  EXPECT_EQ(s.at(1.96875, 19.0).kind, WatchKind::accumulates);
}

TEST(SeriesOfEvents, WhatLedPastTheLimitMovesIt) {
  HalvingSeries s;
  s.first(6);
  EXPECT_EQ(s.at(2.125, 0.5).kind, WatchKind::none);
  const auto verdict = s.at(2.25, 0.5);
  ASSERT_EQ(verdict.kind, WatchKind::accumulates);
  // S = 5/16 after 3/4 at 1.75.
  const double moved = 2.25 + 0.5 * 0.3125 / 0.4375;
  EXPECT_NEAR(verdict.prediction.t_limit, moved, 1e-14);
  EXPECT_NEAR(verdict.prediction.error, moved - 2.0, 1e-14);
}

TEST(SeriesOfEvents, ClearEventsBeyondTheLimitContradictIt) {
  HalvingSeries clear, unclear;
  clear.first(6);
  clear.at(3.0, 4.0);
  EXPECT_TRUE(clear.watch.prediction_of(0).has_value());
  clear.at(4.0, 4.0);
  EXPECT_FALSE(clear.watch.prediction_of(0).has_value());

  unclear.first(6);
  for (int k = 0; k < 7; ++k) unclear.at(3.0 + k, 3.9);
  EXPECT_TRUE(unclear.watch.prediction_of(0).has_value());
  unclear.at(10.0, 3.9);
  EXPECT_FALSE(unclear.watch.prediction_of(0).has_value()) << "eight do";
}

TEST(SeriesOfEvents, ThreeOfFourThatCannotBeToldApartAreLost) {
  HalvingSeries s;
  EXPECT_EQ(s.at(1.0, 0.5).kind, WatchKind::none);  // the first event has no excursion
  EXPECT_EQ(s.at(2.0, 0.5).kind, WatchKind::none);
  EXPECT_EQ(s.at(3.0, 1.0).kind, WatchKind::none);
  EXPECT_EQ(s.at(4.0, 0.5).kind, WatchKind::none);
  EXPECT_EQ(s.at(5.0, 1.0).kind, WatchKind::none);
  EXPECT_EQ(s.at(6.0, 0.5).kind, WatchKind::none) << "two of the last four";
  EXPECT_EQ(s.at(7.0, 0.5).kind, WatchKind::lost);
}

TEST(SeriesOfEvents, TwoExcursionsInTurnAreBelowTheError) {
  HalvingSeries s;
  s.seen.resolution = 0.0;
  s.at(0.0, 0.5);
  for (const double excursion : {0.5, 1.0, 0.5}) EXPECT_FALSE(s.at(1.0, excursion).below_error);
  EXPECT_TRUE(s.at(2.0, 0.5).below_error);
}

TEST(SeriesOfEvents, TenIntervalsOfAFewDigitsChatter) {
  constexpr double is_short = 0x1p-46, is_long = 0x1p-45;  // 64 and 128 ulp of 1
  for (const double interval : {is_short, is_long}) {
    HalvingSeries s;
    double t = 1.0;
    for (int k = 0; k < 10; ++k, t += interval) EXPECT_EQ(s.at(t).kind, WatchKind::none) << k;
    EXPECT_EQ(s.at(t).kind, interval == is_short ? WatchKind::chatters : WatchKind::none);
    EXPECT_EQ(s.at(t + 1e-9).kind, WatchKind::none);
  }
}

TEST(SeriesOfEvents, TheLastSevenTimesAreKept) {
  HalvingSeries s;
  EXPECT_FALSE(s.watch.interval_to(0, 1.0).has_value());
  s.at(1.0);
  s.at(3.0);
  EXPECT_EQ(s.watch.interval_to(0, 2.5), 0.5);
  EXPECT_EQ(s.watch.last_interval(0), 2.0);
  EXPECT_EQ(s.watch.last_times(0).size(), 2U);
  for (int k = 4; k < 11; ++k) s.at(k);
  ASSERT_EQ(s.watch.last_times(0).size(), 7U);
  EXPECT_EQ(s.watch.last_times(0).front(), 10.0);
  EXPECT_EQ(s.watch.last_times(0).back(), 4.0);
  EXPECT_EQ(s.watch.n_events(0), 9U);
}

TEST(SeriesOfEvents, AfterTheLimitOnlyCloseEventsAreStillCounted) {
  HalvingSeries s;
  s.first(6);
  EXPECT_FALSE(s.watch.note_close(0, 9.9, 1.0, 0.0));
  EXPECT_TRUE(s.watch.note_close(0, 9.9, 1.0, 0.0));
  EXPECT_FALSE(s.watch.note_close(0, 10.0, 1.0, 0.0));
  s.watch.forget(0);
  EXPECT_EQ(s.watch.n_close(0), 1U);
  EXPECT_EQ(s.watch.n_events(0), 0U);
  EXPECT_FALSE(s.watch.limit_of(0) || s.watch.prediction_of(0) || s.watch.interval_to(0, 0.0));
}

TEST(SeriesOfEvents, DistancesOfEarlierEventsAddToWhatIsNotKnown) {
  HalvingSeries s;
  EXPECT_FALSE(s.watch.note_close(0, 9.0, 1.0, 0.25));
  EXPECT_TRUE(s.watch.note_close(0, 12.4, 1.0, 0.25)) << "below ten times 1.25";
  EXPECT_TRUE(s.watch.note_close(0, 14.9, 1.0, 0.25));
  EXPECT_FALSE(s.watch.note_close(0, 17.6, 1.0, 0.25)) << "not below ten times 1.75";
}

TEST(SwitchesWith, AnIntervalContainsItsEndButNotItsBegin) {
  const std::vector<double> series{6, 5, 4, 3, 2, 1, 0};
  const std::vector<double> without_end{5, 4, 3, 2, 1, 0}, without_begin{6, 5, 4, 3, 2, 1};
  EXPECT_TRUE(switches_with(series, series));
  EXPECT_TRUE(switches_with(series, without_begin));
  EXPECT_FALSE(switches_with(series, without_end));
}

}  // namespace
}  // namespace saltus::detail
