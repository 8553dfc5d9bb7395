// How far candidates that come in groups are tried.
#include "hybrid/core/candidate_groups.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace saltus::detail {
namespace {

/// How many of six are tried if one is possible, with or without a price.
std::uint32_t n_tried(const std::vector<std::uint32_t>& ends, std::uint32_t possible, bool free) {
  CandidateGroups groups(ends);
  bool any = false;
  for (std::uint32_t i = 0; i < 6; ++i) {
    if (!groups.goes_on(i, any, any && free)) return i;
    any = any || i == possible;
  }
  return 6;
}

TEST(CandidateGroups, WithoutGroupsAllAreTried) { EXPECT_EQ(n_tried({}, 0, true), 6u); }

TEST(CandidateGroups, TheGroupOfTheFirstPossibleOneIsTheLast) {
  const std::vector<std::uint32_t> ends = {1, 3, 6};
  EXPECT_EQ(n_tried(ends, 0, true), 1u);
  EXPECT_EQ(n_tried(ends, 1, true), 3u);
  EXPECT_EQ(n_tried(ends, 2, true), 3u);
  EXPECT_EQ(n_tried(ends, 3, true), 6u);
}

TEST(CandidateGroups, OneThatHasItsPriceDoesNotEndTheSearchBeforeAnEmptyGroup) {
  EXPECT_EQ(n_tried({1, 3, 6}, 0, false), 6u);
  EXPECT_EQ(n_tried({1, 3, 3, 6}, 0, false), 3u);
  EXPECT_EQ(n_tried({1, 3, 3, 6}, 3, false), 6u);
}

}  // namespace
}  // namespace saltus::detail
