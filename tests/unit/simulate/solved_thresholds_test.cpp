// Clauses on unknowns that are solved for, not integrated. The rule: an event is located on consistent values, so that
// what is located, what the equations make of it and the truth of the relation agree, and the clause is carried out
// once for every time its condition becomes true.
#include <gtest/gtest.h>

#include "problems/solved_thresholds.hpp"

namespace saltus {
namespace {

TEST(SolvedThresholds, ArePassedOnce) {
  std::mt19937_64 random(20261118);
  for (const problems::SolvedFor on : problems::all_solved_for) {
    for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
      for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
        constexpr int n = 25;
        for (int k = 0; k < n; ++k) {
          const problems::SolvedThreshold threshold = problems::random_threshold(on, random);
          const auto count = problems::passes_of(threshold, engine, tolerance);
          ASSERT_TRUE(count) << count.failure().message;
          EXPECT_EQ(*count, 1.0) << static_cast<int>(on) << ", level " << threshold.level << ", "
                                 << name(engine) << " " << tolerance;
        }
      }
    }
  }
}

}  // namespace
}  // namespace saltus
