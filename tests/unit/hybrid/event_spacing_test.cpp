// What the distance between events tells: accumulation, and the engine that suits it.
#include <cmath>

#include <gtest/gtest.h>

#include "hybrid/switch/accumulation.hpp"
#include "hybrid/core/stretch_lengths.hpp"

namespace saltus::detail {
namespace {

using Kind = AccumulationWatch::Kind;

/// Notes the event at t, whose function went `excursion` from its surface since the one before; 1 can be told from none.
AccumulationWatch::Verdict note(AccumulationWatch& watch, double t, double excursion) {
  return watch.note(0, {t, excursion, 1.0, 0.0, 1.0, 1e-16});
}

TEST(AccumulationWatch, V3LimitOfShrinkingIntervals) {
  // t_n = 2 - 0.8^n: intervals shrink by 0.8 towards t = 2, and are followed to excursions below 1.
  AccumulationWatch watch(1, 1e-2);
  AccumulationWatch::Verdict verdict;
  int n = 0;
  while (verdict.kind == Kind::none && n < 100) {
    verdict = note(watch, 2 - std::pow(0.8, n), n < 50 ? 2.0 : 0.5);
    ++n;
  }
  ASSERT_EQ(verdict.kind, Kind::accumulates);
  EXPECT_EQ(n, 52);  // twice below
  EXPECT_NEAR(verdict.prediction.ratio, 0.8, 1e-6);
  // The times are known to 2 ulp of 2; (V.3) multiplies by (t_n - t_a)/S_n, which is 3, twice.
  EXPECT_NEAR(verdict.prediction.t_limit, 2.0, 1e2 * 4.5e-16 + verdict.prediction.error);
  EXPECT_LE(verdict.prediction.error, 1e-13);
}

/// In turn with a series, and six times: what is a little slower misses one of its intervals, what is faster has two in one.
TEST(AccumulationWatch, WhatHasOneEventInEachIntervalSwitchesWithTheSeries) {
  const auto times = [](double t, double ratio, double interval, int n) {
    std::vector<double> found;
    for (int k = 0; k < n; ++k, t += interval, interval *= ratio) found.insert(found.begin(), t);
    return found;
  };
  const std::vector<double> series = times(0.0, 0.7, 1.0, 7);
  EXPECT_TRUE(switches_with(series, times(0.4, 0.7, 0.9, 7)));
  EXPECT_FALSE(switches_with(series, times(0.4, 0.7, 0.9, 5)));
  EXPECT_FALSE(switches_with(series, times(0.4, 1.0, 0.5, 7)));
  EXPECT_FALSE(switches_with(series, times(0.1, 0.9, 0.3, 7)));
  EXPECT_FALSE(switches_with(times(0.0, 0.7, 1.0, 6), times(0.4, 0.7, 0.9, 7)));
  // Backward in time
  std::vector<double> back = series, other = times(0.4, 0.7, 0.9, 7);
  for (double& t : back) t = -t;
  for (double& t : other) t = -t;
  EXPECT_TRUE(switches_with(back, other));
}

/// A ball that loses a bit of each hop besides what its restitution takes comes to rest early. Its rest is as long as its
/// interval, which goes with the root of its height.
class LosingBall {
 public:
  static constexpr double e = 0.8, weight = 9.0;
  AccumulationWatch watch{1, 1e-2};
  double t = 0.0, height = 1.0;

  double rest() const { return std::sqrt(8 * height / weight) / (1 - e); }
  AccumulationWatch::Verdict hop(double loses, double told) {
    t += std::sqrt(8 * height / weight);
    const auto verdict = watch.note(0, {t, height, told, 0.0, told, 1e-16, told});
    height = e * e * height - loses;
    return verdict;
  }
};

TEST(AccumulationWatch, ThePredictionIsOffByWhatExcursionsLose) {
  constexpr double told = 1e-6;
  LosingBall ball;
  ball.watch.note(0, {0.0, 1.0, told, 0.0, told, 1e-16, told});
  const double truth = ball.rest();
  AccumulationWatch::Verdict verdict;
  while (verdict.kind == Kind::none) {
    verdict = ball.hop(told / 10, told);
    ASSERT_GT(ball.height, 0.0);
  }
  ASSERT_EQ(verdict.kind, Kind::accumulates);
  const double missed = std::abs(verdict.prediction.t_limit - truth);
  EXPECT_GT(missed, 10 * told);
  EXPECT_LE(missed, verdict.prediction.error);
  EXPECT_GE(missed, 0.02 * verdict.prediction.error);
}

/// What was before the ball was thrown up again has no part in the error.
TEST(AccumulationWatch, ASeriesThatBeginsAgainHasNoErrorsOfTheOneBefore) {
  constexpr double told = 1e-9;
  double errors[2] = {0.0, 0.0};
  for (const int n_throws : {0, 20}) {
    LosingBall ball;
    ball.watch.note(0, {0.0, 1.0, told, 0.0, told, 1e-16, told});
    for (int k = 0; k < n_throws; ++k) {
      while (ball.height > 1e3 * told) ball.hop(0.0, told);
      ball.height = 1.0;
    }
    AccumulationWatch::Verdict verdict;
    while (verdict.kind == Kind::none) verdict = ball.hop(0.0, told);
    ASSERT_EQ(verdict.kind, Kind::accumulates);
    errors[n_throws > 0] = verdict.prediction.error;
    EXPECT_NEAR(verdict.prediction.t_limit, ball.t + ball.rest(), verdict.prediction.error);
  }
  EXPECT_LE(errors[1], 1.1 * errors[0]);
}

/// A ball that bounces less once it is slow ends earlier than its first hops say. No event contradicts these: later
/// predictions do.
TEST(AccumulationWatch, ALaterPredictionThatExcludesTheFirstOneCounts) {
  constexpr double told = 1e-12, weight = 9.0;
  AccumulationWatch watch(1, 1e-1);
  AccumulationWatch::Verdict verdict;
  double t = 0.0, interval = 1.0, truth = 0.0;
  watch.note(0, {t, 1.0, told, 0.0, told, 1e-16, 0.0});
  for (int n = 0; verdict.kind == Kind::none; ++n) {
    ASSERT_LT(n, 200);
    t += interval;
    verdict = watch.note(0, {t, weight * interval * interval / 8, told, 0.0, told, 1e-16, 0.0});
    if (n == 20) truth = t + interval * 0.5 / (1 - 0.5);
    interval *= n < 20 ? 0.8 : 0.5;
  }
  ASSERT_EQ(verdict.kind, Kind::accumulates);
  EXPECT_NEAR(verdict.prediction.t_limit, truth, 1e-9);
}

TEST(AccumulationWatch, V3IntervalsOfTwoKindsInTurn) {
  // d, 3 d, d/4, 3 d/4, …: 4 d (1 + 1/4 + …) = 16/3 d.
  AccumulationWatch watch(1, 1e-2);
  double t = 0.0, d = 1.0;
  AccumulationWatch::Verdict verdict = note(watch, t, 2.0);
  for (int n = 0; n < 40 && verdict.kind == Kind::none; ++n) {
    t += n % 2 == 0 ? d : 3 * d;
    if (n % 2 == 1) d /= 4;
    verdict = note(watch, t, n < 20 ? 2.0 : 0.5);
  }
  ASSERT_EQ(verdict.kind, Kind::accumulates);
  EXPECT_NEAR(verdict.prediction.t_limit, 16.0 / 3, 1e-12);
  EXPECT_NEAR(verdict.prediction.ratio, 0.5, 0.1);  // on average
}

TEST(AccumulationWatch, EventsThatCanBeToldApartAreFollowed) {
  // Twenty intervals that shrink by 0.5, then equal ones: nothing is concluded, and the prediction is dropped.
  AccumulationWatch watch(1, 1e-2);
  double t = 0.0, d = 1.0;
  for (int n = 0; n < 200; ++n) {
    EXPECT_EQ(note(watch, t, 2.0).kind, Kind::none) << n;
    t += d;
    if (n < 20) d /= 2;
  }
  // Below the error there is no prediction any more that could stand.
  EXPECT_EQ(note(watch, t + d, 0.5).kind, Kind::none);
  EXPECT_EQ(note(watch, t + 2 * d, 0.5).kind, Kind::none);
  EXPECT_EQ(note(watch, t + 3 * d, 0.5).kind, Kind::lost);
}

TEST(AccumulationWatch, ARelationThatCannotTurnBackHasNoFurtherEvent) {
  // Excursions fall by 1/8, to 1.95, after which 0.24 would be next; or to 195.
  for (const bool is_near : {false, true}) {
    AccumulationWatch watch(1, 1e-1);
    double t = 0.0, d = 1.0, excursion = is_near ? 8e3 : 8e5;
    for (int n = 0; n < 4; ++n) {
      EXPECT_EQ(note(watch, t, excursion).kind, Kind::none) << n;
      t += d;
      d /= 8;
      excursion /= 8;
    }
    AccumulationWatch::Sighting last{t, excursion, 1.0, 0.0, 1.0, 1e-16};
    last.turned_back = false;
    const auto verdict = watch.note(0, last);
    EXPECT_EQ(verdict.is_stuck, is_near);
    EXPECT_EQ(verdict.kind, is_near ? Kind::accumulates : Kind::none);
  }
}

TEST(AccumulationWatch, EventsAreCloseIfTheirPlacesMayHaveMadeThem) {
  // Each is placed off by 0.01; an excursion of 40 is forty errors, and ten times 1 + 300 * 0.01 after 300 events.
  AccumulationWatch watch(1, 1e-2);
  int first_close = 0;
  for (int n = 0; n < 1000 && first_close == 0; ++n)
    if (watch.note_close(0, 40.0, 1.0, 0.01)) first_close = n;
  EXPECT_NEAR(first_close, 301, 2);  // sums of 0.01 are rounded, and two in a row are asked for
  EXPECT_EQ(watch.n_close(0), 1U);
  EXPECT_FALSE(watch.note_close(0, 50.0, 1.0, 0.01));
}

TEST(AccumulationWatch, EventsAtEqualDistancesDoNotAccumulate) {
  AccumulationWatch watch(1, 1e-2);
  for (int n = 0; n < 100; ++n) EXPECT_EQ(note(watch, 0.1 * n, 2.0).kind, Kind::none) << n;
}

TEST(AccumulationWatch, IntervalsThatFallForEverHaveNoLimit) {
  // Events at log(n): intervals fall like exp(-t), and events go on for ever.
  AccumulationWatch watch(1, 0.5);
  for (int n = 1; n < 10000; ++n) {
    const auto verdict = note(watch, std::log(n), n < 9000 ? 2.0 : 0.5);
    EXPECT_NE(verdict.kind, Kind::accumulates) << n;
  }
}

TEST(StretchLengths, ShortStretchesAskForRadauAndLongOnesForIda) {
  StretchLengths stretches;
  for (int k = 0; k < 4; ++k) EXPECT_FALSE(stretches.ended(EngineKind::ida, 10));
  EXPECT_EQ(stretches.ended(EngineKind::ida, 10), EngineKind::radau);
  for (int k = 0; k < 4; ++k) EXPECT_FALSE(stretches.ended(EngineKind::radau, 100));
  EXPECT_EQ(stretches.ended(EngineKind::radau, 100), EngineKind::ida);
}

TEST(StretchLengths, NothingChangesBetweenTheLimits) {
  StretchLengths stretches, explicit_stretches;
  for (int k = 0; k < 20; ++k) {
    EXPECT_FALSE(stretches.ended(EngineKind::ida, 40));
    EXPECT_FALSE(stretches.ended(EngineKind::radau, 40));
    EXPECT_FALSE(explicit_stretches.ended(EngineKind::dopri5, 1));
  }
}

}  // namespace
}  // namespace saltus::detail
