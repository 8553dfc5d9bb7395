// Random DAEs: no answer may be wrong, few may be refused; ranks of the unscaled array in double
// precision show that the cases are not easy.
#include <cstdlib>

#include <gtest/gtest.h>

#include "problems/random_dae_study.hpp"

namespace saltus {
namespace {

using namespace problems;

std::uint64_t random_dae_cases(std::uint64_t otherwise) {
  const char* text = std::getenv("SALTUS_RANDOM_DAES");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

void expect_none_wrong(const RandomDaeStudy& study, double most_percent_refused) {
  testing::Test::RecordProperty("analysis", study.analysis.text());
  EXPECT_EQ(study.analysis.wrong, 0u) << study.analysis.text() << "\n" << study.complaints;
  EXPECT_LE(study.analysis.percent_refused(), most_percent_refused) << study.analysis.text() << "\n"
                                                                    << study.complaints;
  EXPECT_GT(study.least_wrong_of_control(), 0u) << "the cases are too easy";
}

TEST(SlowRandomDaes, LinearAndVaryingInTime) {
  expect_none_wrong(study_random_daes(1000, random_dae_cases(300), {}), 3.0);
}

TEST(RandomDaes, LinearAndVaryingInTime) {
  expect_none_wrong(study_random_daes(3000, 30, {}), 10.0);
}

TEST(SlowRandomDaes, FourDecades) {
  expect_none_wrong(
      study_random_daes(200000, random_dae_cases(100), {.unit_decades = 4.0, .block_decades = 4.0}),
      20.0);
}

// The search for a consistent point may fail from a random guess; ranks may not be wrong.
TEST(SlowRandomDaes, Nonlinear) {
  expect_none_wrong(
      study_random_daes(500000, random_dae_cases(100), {.block_decades = 1.0, .nonlinear = true}),
      10.0);
}

// To the last digit these are other systems, with coefficients of 1e-16 that make chains regular.
TEST(SlowRandomDaes, DataRoundedToDoublePrecision) {
  expect_none_wrong(study_random_daes(900000, random_dae_cases(100), {.rounded = true}), 25.0);
}

// Without the scaling that hides them the same systems are easy: the generator is right, and so is
// the control.
TEST(RandomDaes, UnscaledTwinsAreEasy) {
  const RandomDaeStudy study =
      study_random_daes(700000, 60, {.unit_decades = 0.0, .block_decades = 0.0});
  EXPECT_EQ(study.analysis.right, study.analysis.total()) << study.complaints;
  for (const Tally& control : study.control) {
    EXPECT_EQ(control.right, control.total()) << control.text();
  }
}

// Products of time constants were taken for zero (the first two), rounding of data for a differential
// equation.
TEST(RandomDaes, CasesThatWereOnceWrong) {
  const RandomDaeOptions four_decades = {.unit_decades = 4.0, .block_decades = 4.0};
  const RandomDaeOptions rounded = {.rounded = true};
  for (const std::uint64_t seed : {20000004u, 50501357u}) {
    const RandomDaeStudy study = study_random_daes(seed, 1, four_decades);
    EXPECT_EQ(study.analysis.wrong, 0u) << study.complaints;
  }
  const RandomDaeStudy study = study_random_daes(40003764, 1, rounded);
  EXPECT_EQ(study.analysis.wrong, 0u) << study.complaints;
}

// In the unit of time that the coefficients suggest, no consistent point is found for this one.
TEST(RandomDaes, FastSolutionsAreFoundInShorterUnitsOfTime) {
  const RandomDaeStudy study =
      study_random_daes(30000307, 1, {.block_decades = 1.0, .nonlinear = true});
  EXPECT_EQ(study.analysis.right, 1u) << study.complaints;
}

TEST(RandomDaes, ThreadsDoNotChangeTheOutcome) {
  const RandomDaeStudy one = study_random_daes(4000, 12, {}, 1);
  const RandomDaeStudy two = study_random_daes(4000, 12, {}, 2);
  EXPECT_EQ(one.analysis.text(), two.analysis.text());
  EXPECT_EQ(one.control[0].text(), two.control[0].text());
  EXPECT_EQ(one.complaints, two.complaints);
}

}  // namespace
}  // namespace saltus
