// Properties on random expressions: a slice here, the full size by tools/show ground.
#include <cstdlib>

#include <gtest/gtest.h>

#include "support/expression_checks.hpp"
#include "support/planted_errors.hpp"

namespace saltus::test {
namespace {

constexpr std::uint64_t seed = 20240501;

long cases(long slice) {
  const char* text = std::getenv("SALTUS_PROPERTY_CASES");
  return text != nullptr ? std::atol(text) : slice;
}

TEST(RandomExpressions, DerivativesAgreeWithDifferencesAndBothSweeps) {
  const CheckCounts c = check_derivatives(cases(300), seed);
  EXPECT_EQ(c.violations, 0) << c.first;
  EXPECT_EQ(c.not_finite, 0) << c.first;
  EXPECT_LT(c.unresolved, c.cases / 20);
}

TEST(RandomExpressions, APlantedWrongRuleIsNoticed) {
  EXPECT_GT(check_derivatives(cases(300), seed, &wrong_elementary_rule).violations, 0);
}

TEST(RandomExpressions, TaylorSweepAgreesWithRepeatedDifferentiation) {
  const CheckCounts c = check_taylor(cases(150), seed);
  EXPECT_EQ(c.violations, 0) << c.first;
  EXPECT_EQ(c.not_finite, 0) << c.first;
}

TEST(RandomExpressions, RangesContainSamples) {
  const CheckCounts c = check_enclosures(100 * cases(300), seed);
  EXPECT_EQ(c.violations, 0) << c.first;
  EXPECT_EQ(c.not_finite, 0) << c.first;
  EXPECT_EQ(c.unresolved, 0);
}

TEST(RandomExpressions, APlantedOneSidedRoundingIsNoticed) {
  EXPECT_GT(check_enclosures(100 * cases(300), seed, &enclose_one_sided).violations, 0);
}

TEST(RandomExpressions, UnreachedBranchesLeaveNoTraceAndTiersAgreeToTheLastBit) {
  const CheckCounts c = check_branches(cases(300), seed);
  EXPECT_EQ(c.violations, 0) << c.first;
}

}  // namespace
}  // namespace saltus::test
