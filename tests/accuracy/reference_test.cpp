// The numbers in tests/problems are those of tests/reference.
#include <gtest/gtest.h>

#include "accuracy/reference_files.hpp"
#include "problems/smooth_problems.hpp"

namespace saltus::problems {
namespace {

std::vector<std::vector<double>> states_in_file(const SmoothProblem& problem) {
  const std::string text = test::reference_text(problem.file);
  auto states = test::arrays_of_numbers(text, "final_state");
  return states.empty() ? test::arrays_of_numbers(text, "state") : states;
}

/// Bit for bit: both are the double nearest to the certified decimal digits.
bool same_numbers(const SmoothProblem& problem, const std::vector<std::vector<double>>& states) {
  if (states.size() != problem.references.size()) return false;
  for (std::size_t k = 0; k < states.size(); ++k) {
    const auto& values = problem.references[k].values;
    if (values.size() != states[k].size()) return false;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i].value != states[k][i]) return false;
    }
  }
  return true;
}

TEST(References, HeadersHoldTheNumbersOfTheFiles) {
  for (const SmoothProblem& problem : smooth_problems()) {
    if (problem.file.empty()) continue;
    EXPECT_TRUE(same_numbers(problem, states_in_file(problem))) << problem.name;
  }
}

TEST(References, ALastBitIsNoticed) {
  const SmoothProblem problem = diode_rectifier();
  auto states = states_in_file(problem);
  ASSERT_FALSE(states.empty());
  states[0][1] = std::nextafter(states[0][1], 1.0);
  EXPECT_FALSE(same_numbers(problem, states));
}

// The published values of the transistor amplifier agree with ours as far as they claim to.
TEST(References, TransistorAmplifierAgreesWithThePublishedValues) {
  const std::string text = test::reference_text("transistor_amplifier.json");
  const auto published = test::arrays_of_numbers(text, "published_reference");
  ASSERT_EQ(published.size(), 1u);
  const auto values = transistor_amplifier().references[0].values;
  ASSERT_EQ(published[0].size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(published[0][i], values[i].value, 1e-15 + 4e-16 * std::abs(values[i].value)) << i;
  }
}

// Energy -1/2 and angular momentum sqrt(1 - e^2) of the closed orbit, to a few roundings.
TEST(References, KeplerIsOnItsOrbit) {
  const double e = kepler_eccentricity, eps = std::numeric_limits<double>::epsilon();
  for (const double t : {0.0, 1.0, 16.0}) {
    const auto v = kepler_at(t).values;
    const double x = v[0].value, y = v[1].value, vx = v[2].value, vy = v[3].value;
    EXPECT_NEAR(0.5 * (vx * vx + vy * vy) - 1.0 / std::hypot(x, y), -0.5, 16 * eps);
    EXPECT_NEAR(x * vy - y * vx, std::sqrt(1.0 - e * e), 16 * eps);
  }
}

}  // namespace
}  // namespace saltus::problems
