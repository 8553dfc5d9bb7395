// Two capacitors that are connected, C1 u' = i and 2 w' = 6 - i with u = w: reduced in three ways.
#include <gtest/gtest.h>

#include <algorithm>

#include "connected_capacitors.hpp"

namespace saltus::hybrid_test {
namespace {

using detail::Reducer;

std::vector<std::string> choice_names(const std::vector<DecisionRecord>& choices) {
  std::vector<std::string> names;
  for (const DecisionRecord& choice : choices) names.push_back(choice.name);
  return names;
}

using ChoiceNames = std::vector<std::string>;

TEST(Reducer, IsAskedForExpectedValuesOnlyIfThereAreSome) {
  ConnectedCapacitors c;
  EXPECT_TRUE(c.reducer().as_expected().has_value());
  EXPECT_EQ(c.made->found(), nullptr);
  IndexOptions index;
  index.expected = CharacteristicValues{1, 1, 2, 0, 0};
  EXPECT_TRUE(c.reducer(index).as_expected().has_value());
  ASSERT_NE(c.made->found(), nullptr);
  EXPECT_EQ(to_text(c.made->found()->values), "(1, 1, 2, 0, 0)");
  index.expected->d = 2;
  const auto refused = c.reducer(index).as_expected();
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.failure().code, FailureCode::not_certified);
  EXPECT_EQ(c.made->found(), nullptr);
}

TEST(Reducer, WhatIsKnownIsNotAnalysedAgain) {
  ConnectedCapacitors c;
  c.written.offers_derivatives = false;
  IndexOptions index;
  index.expected = CharacteristicValues{1, 1, 2, 0, 0};
  const auto refused = c.reducer(index).as_expected();
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.failure().message, "the system does not offer its derivatives");
  c.reducer(index).use({});
  EXPECT_TRUE(c.made->as_expected().has_value());
}

TEST(Reducer, TheStructureAsksForWhatItHas) {
  ConnectedCapacitors c;
  EXPECT_TRUE(c.reducer().structure_asks());
  c.is_differentiated = false;
  c.source.by_structure = std::shared_ptr<const DifferentiatedSystem>();
  EXPECT_FALSE(c.reducer().structure_asks());
  EXPECT_EQ(c.made->by_structure().failure().message,
            "the structure of the equations asks for no derivatives");
  c.source.by_structure = Failure{FailureCode::singular, "no structure is known"};
  EXPECT_FALSE(c.reducer().structure_asks());
  EXPECT_EQ(c.made->by_structure().failure().message, "no structure is known");
  EXPECT_EQ(c.made->as_ode().failure().message, "no structure is known");
}

/// From (3, 0) to (1, 1), which carries the same charge. Its tolerances are smaller.
TEST(Reducer, ByRanksItSaysWhatItFoundAndWhatItMoved) {
  ConnectedCapacitors c(3.0, 0.0);
  const auto reduced = c.reducer().by_ranks();
  ASSERT_TRUE(reduced.has_value()) << reduced.failure().message;
  EXPECT_EQ(reduced->system->size(), 3U);
  EXPECT_EQ(reduced->tolerance_factor, 0.2);
  EXPECT_TRUE(reduced->warnings.empty());
  EXPECT_EQ(
      choice_names(reduced->choices),
      (ChoiceNames{"characteristic values", "start value of u", "start value of w", "reduction"}));
  EXPECT_EQ(reduced->choices[0].used, "(1, 1, 2, 0, 0)");
  EXPECT_EQ(reduced->choices[1].given, "3");
  EXPECT_NEAR(std::stod(reduced->choices[1].used), 1.0, 1e-12);
  EXPECT_EQ(reduced->choices[1].reason, "hidden constraints at t = 0");
  EXPECT_EQ(reduced->choices[3].used, "by ranks");
  // What was consistent, or a guess as i is, is not said to have moved.
  ConnectedCapacitors consistent;
  EXPECT_EQ(choice_names(consistent.reducer().by_ranks()->choices),
            (ChoiceNames{"characteristic values", "reduction"}));
}

/// x' = -x, and x + y + z = 1 twice: 1 and 1. x' = -x, and y = 2 x twice: 1 redundant, none undetermined.
TEST(Reducer, RedundantAndUndeterminedIsAWarning) {
  for (const bool has_z : {true, false}) {
    LinearParts parts{.unknowns = {{"x", 1.0}, {"y", 2.0, false, false}},
                      .e = {{1, 0}, {0, 0}, {0, 0}},
                      .a = {{1, 0}, {-2, 1}, {-4, 2}},
                      .b = {0, 0, 0}};
    if (has_z) {
      parts = {.unknowns = {{"x", 1.0}, {"y", 0.0, false, false}, {"z", 0.0, false, false}},
               .e = {{1, 0, 0}, {0, 0, 0}, {0, 0, 0}},
               .a = {{1, 0, 0}, {1, 1, 1}, {2, 2, 2}},
               .b = {0, 1, 2}};
    }
    StructureOf source;
    const Configuration configuration;
    Reducer reducer(source, configuration, linear_system(parts), {0.0, 1.0}, {}, {});
    const auto reduced = reducer.by_ranks();
    ASSERT_TRUE(reduced.has_value()) << reduced.failure().message;
    ASSERT_EQ(reduced->warnings.size(), 1U);
    const std::string& text = reduced->warnings[0];
    const char* open = "1 unknowns are not determined by the equations (nothing determines ";
    EXPECT_EQ(text.starts_with(open), has_z) << text;
    EXPECT_EQ(text.find("they change as little as possible") != text.npos, has_z) << text;
    EXPECT_TRUE(text.ends_with("; 1 equations are redundant")) << text;
  }
}

TEST(Reducer, AStartThatDoesNotKeepWhatIsConservedIsAWarning) {
  ConnectedCapacitors c;
  IndexAnalysis known;
  IndexOptions index;
  index.expected = CharacteristicValues{1, 1, 2, 0, 0};
  ASSERT_TRUE(c.reducer(index).as_expected().has_value());
  known = *c.made->found();
  for (const bool keeps : {true, false}) {
    known.keeps_content = keeps;
    c.reducer().use(known);
    const auto reduced = c.made->by_structure();
    ASSERT_TRUE(reduced.has_value()) << reduced.failure().message;
    ASSERT_EQ(reduced->warnings.size(), keeps ? 0U : 1U);
    if (keeps) continue;
    EXPECT_TRUE(
        reduced->warnings[0].starts_with("the start values at t = 0 are far from consistent"));
  }
}

/// One unknown more than those of the differentiated system: one tie is left out.
TEST(Reducer, ByStructureTheSeriesGivesAllDerivatives) {
  ConnectedCapacitors c(3.0, 0.0);
  const auto reduced = c.reducer().by_structure();
  ASSERT_TRUE(reduced.has_value()) << reduced.failure().message;
  EXPECT_EQ(reduced->tolerance_factor, 1.0);
  EXPECT_EQ(
      choice_names(reduced->choices),
      (ChoiceNames{"characteristic values", "start value of u", "start value of w", "reduction"}));
  EXPECT_EQ(reduced->choices[3].used, "by structure");
  EXPECT_EQ(reduced->choices[3].reason, "structural index 2, 1 degrees of freedom, 6 unknowns");
  const StartValues start = reduced->system->start_values();
  for (const std::size_t i : {0U, 1U}) {
    EXPECT_NEAR(start.x[i], 1.0, 1e-12);
    EXPECT_NEAR(start.xdot[i], 2.0, 1e-12);
  }
  for (const std::size_t i : {2U, 3U, 4U}) EXPECT_NEAR(start.x[i], 2.0, 1e-12);
  EXPECT_NEAR(start.xdot[3], 0.0, 1e-12);
}

TEST(Reducer, RanksRefuteTheStructureOfSmallSystems) {
  for (const std::size_t n_more : {0U, 37U, 38U}) {
    ConnectedCapacitors c(1.0, 1.0, n_more);
    c.d.degrees_of_freedom = 2;
    const auto refused = c.reducer().by_structure();
    EXPECT_EQ(c.made->found() != nullptr, 3 + n_more <= 40);
    EXPECT_EQ(refused.has_value(), 3 + n_more > 40);
    if (n_more > 0) continue;
    EXPECT_EQ(refused.failure().code, FailureCode::singular);
    EXPECT_EQ(refused.failure().message,
              "the structure of the equations shows 2 degrees of freedom, but their "
              "characteristic values are (1, 1, 2, 0, 0)");
  }
}

/// Nothing is analysed: start values are those of the system, with its x' as values of der(u) and der(w).
TEST(Reducer, StartValuesThatWereMovedAreTakenOver) {
  ConnectedCapacitors c;
  c.written.offers_derivatives = false;
  const auto plain = c.reducer().by_structure();
  ASSERT_TRUE(plain.has_value()) << plain.failure().message;
  EXPECT_EQ(choice_names(plain->choices), ChoiceNames{"reduction"});
  EXPECT_EQ(plain->system->start_values().x[3], 0.0);
  c.moved = StartValues{{5.0, 5.0, 2.0}, {3.0, 4.0, 0.0}, {1, 1, 0}};
  const auto reduced = c.reducer().by_structure();
  ASSERT_TRUE(reduced.has_value()) << reduced.failure().message;
  const StartValues start = reduced->system->start_values();
  EXPECT_EQ(std::vector<double>(start.x.begin(), start.x.begin() + 5),
            (std::vector<double>{5.0, 5.0, 2.0, 3.0, 4.0}));
  EXPECT_EQ(start.xdot[1], 4.0);
}

TEST(Reducer, AsAnOdeItHasTheUnknownsWithDerivatives) {
  ConnectedCapacitors c;
  const auto reduced = c.reducer().as_ode();
  ASSERT_TRUE(reduced.has_value()) << reduced.failure().message;
  EXPECT_EQ(reduced->choices.back().name, "form");
  EXPECT_EQ(reduced->choices.back().used, "x' = f(t, x) with constraints");
  EXPECT_EQ(reduced->choices.back().reason, "2 unknowns, steps projected");
  const auto workspace = reduced->system->workspace();
  auto* form = workspace->ability<ExplicitForm>();
  ASSERT_NE(form, nullptr);
  std::vector<double> xdot(2);
  ASSERT_TRUE(form->derivative(0.0, std::vector{1.0, 1.0}, xdot));
  EXPECT_NEAR(xdot[0], 2.0, 1e-9);
  EXPECT_NEAR(xdot[1], 2.0, 1e-9);
}

/// Without an analysis the first search finds the point. One of u and w stays.
TEST(Reducer, AsAnOdeItSaysWhatHadToChange) {
  ConnectedCapacitors c(3.0, 1.0);
  c.written.offers_derivatives = false;
  const auto reduced = c.reducer().as_ode();
  ASSERT_TRUE(reduced.has_value()) << reduced.failure().message;
  const StartValues start = reduced->system->start_values();
  EXPECT_NEAR(start.x[0], start.x[1], 1e-12);
  const auto moved = std::ranges::find_if(reduced->choices, [](const DecisionRecord& choice) {
    return choice.name == "start value of u" || choice.name == "start value of w";
  });
  ASSERT_NE(moved, reduced->choices.end());
  EXPECT_NEAR(start.x[0], moved->name.back() == 'u' ? 1.0 : 3.0, 1e-12);
  EXPECT_EQ(moved->reason, "consistency at t = 0");
}

/// Its own discrete variable is 0; that of the run is 3, so that der(u) - i = 3.
TEST(Reducer, HeldValuesAreThoseOfTheRun) {
  ConnectedCapacitors c;
  c.written.offers_derivatives = false;
  c.twice.discrete = 0.0;
  c.reducer().hold({{}, {3.0}});
  const auto reduced = c.made->as_ode();
  ASSERT_TRUE(reduced.has_value()) << reduced.failure().message;
  const auto workspace = reduced->system->workspace();
  std::vector<double> xdot(2);
  ASSERT_TRUE(workspace->ability<ExplicitForm>()->derivative(0.0, std::vector{1.0, 1.0}, xdot));
  EXPECT_NEAR(xdot[0], 3.0, 1e-9);  // 3 u' = 6 + 3
}

}  // namespace
}  // namespace saltus::hybrid_test
