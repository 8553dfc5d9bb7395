// Orders in which everything comes after what it needs.
#include <gtest/gtest.h>

#include <algorithm>

#include "modelica/ordering.hpp"

namespace saltus::modelica {
namespace {

using Needs = std::vector<std::vector<std::uint32_t>>;

Ordering order_of(const Needs& needs) {
  return in_order(static_cast<std::uint32_t>(needs.size()),
                  [&](std::uint32_t k) { return needs[k]; });
}

TEST(TextOrdering, EachComesAfterWhatItNeeds) {
  const Needs needs = {{2, 3}, {}, {1}, {2, 1}};
  const Ordering found = order_of(needs);
  ASSERT_TRUE(found.circle.empty());
  ASSERT_EQ(found.order.size(), needs.size());
  const auto position = [&](std::uint32_t k) {
    return std::find(found.order.begin(), found.order.end(), k) - found.order.begin();
  };
  for (std::uint32_t k = 0; k < needs.size(); ++k)
    for (const std::uint32_t needed : needs[k]) EXPECT_LT(position(needed), position(k));
}

TEST(TextOrdering, CirclesAreTold) {
  const Ordering found = order_of({{1}, {2}, {3}, {1}});
  EXPECT_EQ(found.circle, (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_TRUE(found.order.empty());
  EXPECT_EQ(order_of({{0}}).circle, std::vector<std::uint32_t>{0});
}

TEST(TextOrdering, LongChainsAreNotDeep) {
  Needs needs(200'000);
  for (std::uint32_t k = 0; k + 1 < needs.size(); ++k) needs[k] = {k + 1};
  EXPECT_EQ(order_of(needs).order.front(), 199'999U);
}

}  // namespace
}  // namespace saltus::modelica
