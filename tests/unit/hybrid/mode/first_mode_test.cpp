// The mode a run begins in, where it is one of several candidates.
#include "hybrid/mode/first_mode.hpp"

#include "begun.hpp"
#include "linear_system.hpp"

namespace saltus::hybrid_test {
namespace {

using detail::FirstMode;

double rate_zero(double) { return 0.0; }

/// A mode that keeps x where it is stated, which is below zero or not.
std::shared_ptr<const System> standing(double x) { return guarded({rate_zero, x}); }

/// u and w are stated, with the charge u + 2 w; connected they are equal.
std::shared_ptr<const System> charged(double u, double w) {
  return std::make_shared<LinearSystem>(two_capacitors(u, w));
}

struct FirstOf {
  explicit FirstOf(std::vector<std::shared_ptr<const System>> modes) : source(std::move(modes)) {}
  FirstMode find() {
    const auto found = detail::find_first_mode(source, options);
    EXPECT_TRUE(found.has_value()) << found.failure().message;
    return found ? *found : FirstMode{};
  }
  std::uint32_t mode() { return find().mode; }
  SeveralModes source;
  RunOptions options;
};

TEST(FirstMode, WithoutCandidatesItIsTheOneOfTheSource) {
  FirstOf s({standing(1.0), standing(1.0)});
  s.source.begins_in = 1;
  s.source.first.clear();
  const FirstMode found = s.find();
  EXPECT_EQ(found.mode, 1U);
  EXPECT_EQ(found.reason, "");
  EXPECT_FALSE(found.jump.has_value());
}

TEST(FirstMode, TheOneThatIsNamedIsTakenAlsoIfItIsNotPossible) {
  FirstOf s({standing(1.0), standing(-1.0)});
  s.options.mode = "b";
  const FirstMode found = s.find();
  EXPECT_EQ(found.mode, 1U);
  EXPECT_EQ(found.reason, "");
  EXPECT_TRUE(found.warnings.empty());
}

TEST(FirstMode, WhatRequiresSomethingThatDoesNotHoldIsPassedOver) {
  FirstOf s({nullptr, standing(-1.0), standing(1.0)});
  const FirstMode found = s.find();
  EXPECT_EQ(found.mode, 2U);
  EXPECT_EQ(found.reason, "it is possible with the start values as they are stated");
  EXPECT_TRUE(found.warnings.empty());
}

TEST(FirstMode, WithoutEventsNothingIsRequired) {
  FirstOf s({standing(-1.0), standing(1.0)});
  s.options.events.handling = EventHandling::off;
  EXPECT_EQ(s.mode(), 0U);
}

TEST(FirstMode, WhereNoneIsPossibleEachReasonIsTold) {
  FirstOf s({nullptr, standing(-1.0)});
  const auto found = detail::find_first_mode(s.source, s.options);
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.failure().code, FailureCode::not_certified);
  EXPECT_EQ(found.failure().message,
            "at the start no mode is possible: 'a': it cannot be built; 'b': it requires x >= 0, "
            "which does not hold. Give start values that one of them allows, or name the mode "
            "(option 'mode')");
}

TEST(FirstMode, OfSeveralTheFirstIsTakenAndTheOthersAreTold) {
  FirstOf s({standing(1.0), standing(-1.0), standing(2.0), standing(3.0)});
  const FirstMode found = s.find();
  EXPECT_EQ(found.mode, 0U);
  EXPECT_EQ(found.warnings,
            (std::vector<std::string>{
                "at the start modes 'a' and 'c' are both possible; 'a' was taken",
                "at the start modes 'a' and 'd' are both possible; 'a' was taken"}));
}

/// Both begin at zero and at rest; t_end makes the moment 1e-3.
TEST(FirstMode, OfSeveralTheOneThatStaysPossibleIsTaken) {
  FirstOf s({guarded({[](double t) { return -2.0 * t; }}), guarded({[](double t) { return t; }})});
  s.options.t_end = 100.0;
  const FirstMode found = s.find();
  EXPECT_EQ(found.mode, 1U);
  EXPECT_TRUE(found.warnings.empty());
}

/// The charge 3 + 2 * 0 goes to both: u = w = 1, by a current whose impulse is the change of u.
TEST(FirstMode, ValuesThatNoModeKeepsJump) {
  FirstOf s({standing(-1.0), charged(3.0, 0.0), charged(6.0, 0.0)});
  for (const StartPolicy policy : {StartPolicy::keep, StartPolicy::impulse}) {
    s.options.start = policy;
    const FirstMode found = s.find();
    EXPECT_EQ(found.mode, 1U);
    EXPECT_EQ(found.reason.find("no mode keeps all start values; it would change the start value "
                                "of 'u' from 3 to "),
              0U)
        << found.reason;
    EXPECT_TRUE(found.warnings.empty());
    ASSERT_TRUE(found.jump.has_value());
    EXPECT_NEAR(found.jump->x[0], 1.0, 1e-9);
    EXPECT_NEAR(found.jump->x[1], 1.0, 1e-9);
    ASSERT_EQ(found.jump->impulses.size(), 1U);
    EXPECT_EQ(found.jump->impulses[0].name, "i");
    EXPECT_NEAR(found.jump->impulses[0].strength, -2.0, 1e-9);
  }
}

TEST(FirstMode, OneThatKeepsTheValuesComesBeforeOneThatDoesNot) {
  FirstOf s({charged(3.0, 0.0), charged(2.0, 2.0)});
  const FirstMode found = s.find();
  EXPECT_EQ(found.mode, 1U);
  EXPECT_EQ(found.reason, "it is possible with the start values as they are stated");
  EXPECT_FALSE(found.jump.has_value());
}

/// rtol |u| + atol is 2e-6 at u = 1.
TEST(FirstMode, AChangeWithinTheToleranceIsNone) {
  FirstOf s({charged(1.0 + 1e-6, 1.0), charged(1.0, 1.0)});
  EXPECT_EQ(s.mode(), 0U);
  s.source.systems[0] = charged(1.0 + 1e-4, 1.0);
  EXPECT_EQ(s.mode(), 1U);
}

/// Without candidates the run finds the jump itself.
TEST(FirstMode, ANamedModeJumpsAsWell) {
  FirstOf s({standing(1.0), charged(3.0, 0.0)});
  s.options.mode = "b";
  const FirstMode found = s.find();
  EXPECT_EQ(found.mode, 1U);
  ASSERT_TRUE(found.jump.has_value());
  EXPECT_NEAR(found.jump->x[0], 1.0, 1e-9);
  s.source.first.clear();
  EXPECT_FALSE(s.find().jump.has_value());
}

/// A later group is tried if the first one has its price, and not after an empty group.
TEST(FirstMode, LaterGroupsAreTriedOnlyIfTheyAreNeeded) {
  FirstOf s({standing(1.0), standing(2.0)});
  s.source.group_ends = {1, 2};
  EXPECT_TRUE(s.find().warnings.empty());
  s.source.systems[0] = charged(3.0, 0.0);
  EXPECT_EQ(s.mode(), 1U);
  s.source.group_ends = {1, 1, 2};
  EXPECT_EQ(s.mode(), 0U);
  s.source.systems[0] = standing(-1.0);
  EXPECT_EQ(s.mode(), 1U);
}

}  // namespace
}  // namespace saltus::hybrid_test
