// The events in tests/problems are those of tests/reference.
#include <gtest/gtest.h>

#include "accuracy/reference_files.hpp"
#include "problems/switched_problems.hpp"

namespace saltus::problems {
namespace {

/// Every quoted number after the key, from a place of the text on.
std::vector<double> quoted_numbers(const std::string& text, const std::string& key,
                                   std::size_t from, std::size_t to) {
  std::vector<double> numbers;
  const std::string quoted = "\"" + key + "\": \"";
  for (std::size_t at = text.find(quoted, from); at < to; at = text.find(quoted, at + 1)) {
    numbers.push_back(std::strtod(text.c_str() + at + quoted.size(), nullptr));
  }
  return numbers;
}

std::vector<double> times_in_file(const std::string& text, const std::string& list) {
  const std::size_t from = text.find("\"" + list + "\"");
  return quoted_numbers(text, "t", from, text.find(']', from));
}

/// As many as both have; nearest doubles of the same digits, or computed here to the last few digits.
double largest_difference(const SwitchedProblem& problem, const std::vector<double>& times) {
  double worst = times.empty() ? 1.0 : 0.0;
  for (std::size_t k = 0; k < std::min(times.size(), problem.events.size()); ++k) {
    worst = std::max(worst, std::abs(times[k] - problem.events[k].t) / times[k]);
  }
  return worst;
}

TEST(SwitchedReferences, HeadersHoldTheTimesOfTheFiles) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  for (const SwitchedProblem& p : {pounding(), bouncing_ball(), carver_circuit(), small_hybrid(),
                                   marble_jar_2(), marble_jar_4()}) {
    const auto times = times_in_file(test::reference_text(p.file), "events");
    EXPECT_GE(times.size(), p.events.size()) << p.name;
    EXPECT_LE(largest_difference(p, times), eps) << p.name;
  }
}

TEST(SwitchedReferences, AMovedEventIsNoticed) {
  SwitchedProblem p = pounding();
  p.events[4].t *= 1.0 + 4 * std::numeric_limits<double>::epsilon();
  EXPECT_GT(largest_difference(p, times_in_file(test::reference_text(p.file), "events")),
            std::numeric_limits<double>::epsilon());
}

TEST(SwitchedReferences, FinalValuesAreThoseOfTheFiles) {
  for (const SwitchedProblem& p : {pounding(), small_hybrid()}) {
    const auto states = test::arrays_of_numbers(test::reference_text(p.file), "final_state");
    ASSERT_EQ(states.size(), 1u);
    ASSERT_EQ(states[0].size(), p.final_values.size());
    for (std::size_t i = 0; i < states[0].size(); ++i)
      EXPECT_EQ(states[0][i], p.final_values[i].value) << p.name;
  }
}

// The closed solution of the first and the last ball, against digits computed elsewhere.
TEST(SwitchedReferences, SpringBallsPassAtTheTimesOfTheFile) {
  const SwitchedProblem p = spring_balls();
  const std::string text = test::reference_text(p.file);
  ASSERT_EQ(p.events.size(), 1200u);
  for (const std::size_t ball : {std::size_t{0}, std::size_t{99}}) {
    const auto times = times_in_file(text, "events_ball" + std::to_string(ball));
    const auto passages = BouncingBalls::spring_passages(ball);
    ASSERT_EQ(times.size(), passages.size());
    for (std::size_t k = 0; k < times.size(); ++k) {
      // 1 + 99e-9 is rounded to a double, which moves the ball by up to half an ulp of 1.
      EXPECT_NEAR(times[k], static_cast<double>(passages[k].t), 4e-16 * times[k]) << ball << k;
    }
    const auto end = test::arrays_of_numbers(text, "final_state_ball" + std::to_string(ball));
    ASSERT_EQ(end.size(), 1u);
    EXPECT_NEAR(end[0][0], p.final_values[2 * ball].value, 1e-14);
    EXPECT_NEAR(end[0][1], p.final_values[2 * ball + 1].value, 1e-14);
  }
}

// Every relation that a reference names occurs in its model, under a text of its own.
TEST(SwitchedReferences, KeysAreRelationsOfTheModels) {
  auto all = switched_problems();
  for (const auto& p : {spring_balls(), impact_balls(), marble_jar_2(), marble_jar_4()})
    all.push_back(p);
  for (const SwitchedProblem& p : all) {
    const WrittenModel written = write_model(p);
    for (const ReferenceEvent& e : p.events) {
      ASSERT_TRUE(written.texts.contains(e.key)) << p.name << ": " << e.key;
      EXPECT_NE(e.direction, 0);
    }
    EXPECT_FALSE(p.events.empty());
  }
}

}  // namespace
}  // namespace saltus::problems
