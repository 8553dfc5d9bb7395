// Tables of hard steps, a slice of what benchmarks/events/detection.cpp runs.
#include <gtest/gtest.h>

#include "problems/detection_study.hpp"

namespace saltus {
namespace {

using problems::DetectionStudy;
using problems::DetectionTally;

void expect_right(const DetectionTally& t, std::uint64_t n, const std::string& what) {
  EXPECT_EQ(t.n_steps, n) << what;
  EXPECT_EQ(t.n_missed, 0U) << what;
  EXPECT_EQ(t.n_false, 0U) << what;
  EXPECT_EQ(t.n_unproven, 0U) << what;
}

void expect_right_tables(std::uint64_t seed, std::uint64_t n) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  DetectionStudy study(seed);
  std::uint64_t n_hidden = 0;
  for (int decade = 1; decade <= 6; ++decade) {
    const std::string what = "pairs 1e-" + std::to_string(decade);
    const DetectionTally t = study.close_pairs(n, std::pow(10.0, -decade));
    expect_right(t, n, what);
    EXPECT_EQ(t.n_departures, n) << what;
    n_hidden += t.n_control_missed;
  }
  // The control: signs at the ends miss every pair that does not happen to enclose an end.
  EXPECT_GE(n_hidden, 5 * n);
  for (int decade = 2; decade <= 14; ++decade) {
    const std::string what = "near misses 1e-" + std::to_string(decade);
    const DetectionTally t = study.near_misses(n, std::pow(10.0, -decade));
    expect_right(t, n, what);
    EXPECT_EQ(t.n_departures, 0U) << what;
    EXPECT_EQ(t.n_touches, t.n_hidden) << what;
    if (decade <= 13) {
      EXPECT_EQ(t.n_hidden, 0U) << what;
    }
  }
  // An offset in double is zero only up to its own rounding: a few touches are none, and known not to be.
  const DetectionTally touches = study.near_misses(n, 0.0);
  expect_right(touches, n, "touches");
  EXPECT_GE(touches.n_touches, n - n / 20);
}

TEST(Adversarial, PairsNearMissesAndTouches) { expect_right_tables(1, 40); }
TEST(SlowAdversarial, PairsNearMissesAndTouches) { expect_right_tables(2, 300); }

void expect_right_curves(std::uint64_t seed, std::uint64_t n) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  DetectionStudy study(seed);
  expect_right(study.steps(n, 0.2), n, "ordinary");
  std::uint64_t n_hidden = 0;
  for (const double decay : {0.9, 2.0}) {
    const DetectionTally t = study.steps(n, decay);
    expect_right(t, n, "wild");
    n_hidden += t.n_control_missed;
  }
  EXPECT_GE(n_hidden, n / 10);
  for (int depth = 1; depth <= 5; ++depth) {
    expect_right(study.grammar(n, depth), n, "grammar of depth " + std::to_string(depth));
  }
}

TEST(Adversarial, WildCurvesAndRandomFunctions) { expect_right_curves(3, 40); }
TEST(SlowAdversarial, WildCurvesAndRandomFunctions) { expect_right_curves(4, 500); }

}  // namespace
}  // namespace saltus
