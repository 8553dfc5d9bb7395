// What the distance between events tells: accumulation, and the engine that suits it.
#include <cmath>

#include <gtest/gtest.h>

#include "hybrid/accumulation.hpp"
#include "hybrid/stretch_lengths.hpp"

namespace saltus::detail {
namespace {

TEST(AccumulationWatch, V3LimitOfShrinkingIntervals) {
  // t_n = 2 - 0.8^n: intervals shrink by 0.8 towards t = 2.
  AccumulationWatch watch(1, 1e-3);
  AccumulationWatch::Verdict verdict;
  int n = 0;
  while (verdict.kind == AccumulationWatch::Kind::none && n < 100) {
    verdict = watch.note(0, 2 - std::pow(0.8, n++));
  }
  ASSERT_EQ(verdict.kind, AccumulationWatch::Kind::accumulates);
  // The last interval is at least 1e-4 with an error of 2 ulp of t = 2; (V.3) multiplies it by r/(1-r) = 4,
  // and the error of the ratio by interval/(1-r)^2 = 25 intervals over an interval.
  EXPECT_NEAR(verdict.t_limit, 2.0, 1e3 * 2.3e-16);
}

TEST(AccumulationWatch, EventsAtEqualDistancesDoNotAccumulate) {
  AccumulationWatch watch(1, 1e-3);
  for (int n = 0; n < 100; ++n)
    EXPECT_EQ(watch.note(0, 0.1 * n).kind, AccumulationWatch::Kind::none) << n;
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
