// Random linear systems with known jumps and impulses: none may be wrong, few may be refused.
#include <cstdlib>

#include <gtest/gtest.h>

#include "problems/random_pencil_study.hpp"

namespace saltus {
namespace {

using namespace problems;

std::uint64_t pencil_cases(std::uint64_t otherwise) {
  const char* text = std::getenv("SALTUS_RANDOM_RESTARTS");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

RestartOptions by(RestartPolicy policy) {
  RestartOptions o;
  o.policy = policy;
  return o;
}

constexpr double most_percent_refused = 3.0;

// The fourth order differences of residual_of_solution() leave h^4 = 1e-16 times fifth derivatives, and
// eps / h = 2e-12 of rounding, times conditions.
TEST(RandomPencil, ItsSolutionSolvesItsEquations) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    RandomPencil pencil(seed);
    const double t = pencil.t0 + 0.7;
    EXPECT_LE(pencil.residual_of_solution(t), 1e-8) << seed;
    // After the start it is at the jump.
    const double off = (pencil.solution(pencil.t0) - pencil.jump()).cwiseAbs().maxCoeff();
    EXPECT_LE(off, 1e-14 * (1 + pencil.jump().cwiseAbs().maxCoeff())) << seed;
    // The twin: one coefficient changed.
    pencil.A(0, 0) += 0.1 * pencil.A.row(0).cwiseAbs().maxCoeff();
    EXPECT_GT(pencil.residual_of_solution(t), 1e-6) << seed;
  }
}

TEST(RandomPencil, ImpulsesEndWithTheIndex) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const RandomPencil pencil(seed);
    EXPECT_EQ(pencil.impulse(pencil.index - 1).cwiseAbs().maxCoeff(), 0.0) << seed;
    // A left limit that is consistent has none.
    const RandomPencil::Vector x = pencil.jump();
    EXPECT_LE(pencil.impulse(0, pencil.t0, x).cwiseAbs().maxCoeff(),
              1e-11 * (1 + x.cwiseAbs().maxCoeff()))
        << seed;
  }
}

TEST(RandomRestarts, JumpsAndImpulsesAreTheExactOnes) {
  const RestartStudy study = study_random_pencils(1, pencil_cases(200), {},
                                                  by(RestartPolicy::impulse), false, restart_error);
  testing::Test::RecordProperty("restarts", study.summary());
  EXPECT_EQ(study.wrong, 0u) << study.summary() << "\n" << study.complaints;
  EXPECT_LE(study.percent_refused(), most_percent_refused) << study.complaints;
}

TEST(RandomRestarts, AHistoryMakesKeepConserve) {
  const RestartStudy study = study_random_pencils(20001, pencil_cases(100), {},
                                                  by(RestartPolicy::keep), true, restart_error);
  testing::Test::RecordProperty("restarts", study.summary());
  EXPECT_EQ(study.wrong, 0u) << study.summary() << "\n" << study.complaints;
  EXPECT_LE(study.percent_refused(), most_percent_refused) << study.complaints;
}

// The controls: without a history keep conserves nothing in general, the nearest point still less, and an
// impulse that is off by 1e-5 is seen.
TEST(RandomRestarts, ControlsAreWrong) {
  constexpr std::uint64_t n_cases = 60;
  const auto keep =
      study_random_pencils(1, n_cases, {}, by(RestartPolicy::keep), false, restart_error);
  const auto nearest =
      study_random_pencils(1, n_cases, {}, by(RestartPolicy::least_squares), false, restart_error);
  EXPECT_GT(keep.wrong, n_cases / 2) << keep.summary();
  EXPECT_GT(nearest.wrong, n_cases / 2) << nearest.summary();
  const auto changed =
      study_random_pencils(1, n_cases, {}, by(RestartPolicy::impulse), false,
                           [](const RandomPencil& pencil, Restart found) {
                             if (found.impulses.empty()) return restart_error(pencil, found);
                             const auto largest = std::max_element(
                                 found.impulses.begin(), found.impulses.end(),
                                 [](const Impulse& one, const Impulse& two) {
                                   return std::abs(one.strength) < std::abs(two.strength);
                                 });
                             largest->strength *= 1.00001;
                             return restart_error(pencil, found);
                           });
  EXPECT_GT(changed.wrong, n_cases / 2) << changed.summary();
}

}  // namespace
}  // namespace saltus
