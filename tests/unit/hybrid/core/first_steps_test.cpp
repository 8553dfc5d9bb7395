// Steps with which stays begin: those that suited the same branches before.
#include "hybrid/core/first_steps.hpp"

#include <gtest/gtest.h>

namespace saltus {
namespace {

TEST(FirstSteps, BelongToTheBranchesTheyWereTakenUnder) {
  detail::FirstSteps steps;
  const std::vector<std::uint8_t> flight = {0, 1}, contact = {1, 1};
  EXPECT_EQ(steps.length(flight), 0.0);
  steps.note(flight, 0.5);
  steps.note(contact, 1e-3);
  EXPECT_EQ(steps.length(flight), 0.5);
  EXPECT_EQ(steps.length(contact), 1e-3);
  steps.note(contact, 2e-3);
  EXPECT_EQ(steps.length(contact), 2e-3);
  EXPECT_EQ(steps.length(std::vector<std::uint8_t>{0, 0}), 0.0);
}

}  // namespace
}  // namespace saltus
