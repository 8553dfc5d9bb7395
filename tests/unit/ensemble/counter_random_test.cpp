// Random numbers as functions: known answers, orders without a table.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include <saltus/ensemble/counter_random.hpp>

namespace saltus {
namespace {

using Four = std::array<std::uint32_t, 4>;

// kat_vectors of Random123 1.14, philox4x32-10
TEST(Philox, GivesTheKnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Four{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t all = 0xffffffff;
  EXPECT_EQ(philox({all, all, all, all}, {all, all}),
            (Four{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Four{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
  EXPECT_NE(philox({1, 0, 0, 0}, {0, 0}), philox({0, 0, 0, 0}, {0, 0}));
}

// Mean 1/2 and variance 1/12 of n numbers, within five standard errors.
TEST(CounterRandom, IsUniform) {
  const CounterRandom random(7);
  constexpr int n = 100000;
  double sum = 0.0, squares = 0.0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const double u = random.uniform(3, i);
    ASSERT_GT(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u - 0.5;
    squares += (u - 0.5) * (u - 0.5);
  }
  EXPECT_LT(std::abs(sum / n), 5 * std::sqrt(1.0 / 12 / n));
  EXPECT_LT(std::abs(squares / n - 1.0 / 12), 5 * std::sqrt(1.0 / 180 / n));
}

TEST(CounterRandom, DependsOnSeedStreamAndPositionAlone) {
  const CounterRandom a(1), again(1), other(2);
  EXPECT_EQ(a.bits(5, 1ull << 40), again.bits(5, 1ull << 40));
  EXPECT_NE(a.bits(5, 1ull << 40), other.bits(5, 1ull << 40));
  EXPECT_NE(a.bits(5, 1ull << 40), a.bits(6, 1ull << 40));
  EXPECT_NE(a.bits(5, 1ull << 40), a.bits(5, 0));
}

TEST(CounterRandom, PutsNumbersIntoAnOrder) {
  const CounterRandom random(11);
  for (const std::uint64_t n : {1, 2, 3, 5, 16, 17, 1000, 4096, 4097}) {
    std::set<std::uint64_t> seen;
    std::uint64_t in_place = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      const std::uint64_t to = random.shuffled(0, i, n);
      EXPECT_LT(to, n);
      seen.insert(to);
      in_place += to == i;
    }
    EXPECT_EQ(seen.size(), n);
    // of a random order one number on average stays where it is
    if (n > 100) {
      EXPECT_LT(in_place, 8u);
    }
  }
  EXPECT_NE(random.shuffled(0, 5, 1000), random.shuffled(1, 5, 1000));
}

}  // namespace
}  // namespace saltus
