// Clocks tick at the times they were written with: where those of two clocks are equal, so are the numbers.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include <saltus/model/definition.hpp>

namespace saltus {
namespace {

TEST(Clocks, AreReadAsFractions) {
  const Clock hundredths = clock_of("c", 0.01, 0.07);
  EXPECT_EQ(hundredths.first, 1.0);
  EXPECT_EQ(hundredths.step, 7.0);
  EXPECT_EQ(hundredths.parts, 100.0);
  const Clock thirds = clock_of("c", 0.5, 1.0 / 3.0);
  EXPECT_EQ(thirds.first, 3.0);
  EXPECT_EQ(thirds.step, 2.0);
  EXPECT_EQ(thirds.parts, 6.0);
  const Clock before = clock_of("c", -0.25, 2.0);
  EXPECT_EQ(before.tick(0.0), -0.25);
  EXPECT_EQ(before.tick(3.0), 5.75);
}

TEST(Clocks, AnyNumbersGiveTicksThatAreTheirs) {
  std::mt19937_64 random(7);
  for (int k = 0; k < 1000; ++k) {
    const double start = std::uniform_real_distribution<>(-10.0, 10.0)(random);
    const double interval = std::exp(std::uniform_real_distribution<>(-20.0, 10.0)(random));
    const Clock clock = clock_of("c", start, interval);
    EXPECT_EQ(clock.tick(0.0), start);
    for (const double n : {1.0, 17.0, 12345.0}) {
      const double sum = start + n * interval;
      EXPECT_NEAR(clock.tick(n), sum, 4e-16 * (std::abs(start) + n * interval))
          << start << " " << interval;
    }
  }
}

/// Number of decimals, as it would be written.
double decimal(std::int64_t number, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%llde-%d", static_cast<long long>(number), decimals);
  return std::strtod(text, nullptr);
}

TEST(Clocks, OfCommensurateIntervalsMeetExactly) {
  std::mt19937_64 random(20261118);
  std::uint64_t n_meetings = 0;
  for (int k = 0; k < 1000; ++k) {
    const int decimals = static_cast<int>(random() % 5);
    const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(1 + random() % n); };
    const std::int64_t one = below(2000), other = below(2000);
    const Clock a = clock_of("a", decimal(one, decimals), decimal(one, decimals));
    const Clock b = clock_of("b", decimal(other, decimals), decimal(other, decimals));
    const std::int64_t both = std::lcm(one, other);
    for (std::int64_t t = both; t / one <= 10000 && t / other <= 10000; t += both) {
      ++n_meetings;
      ASSERT_EQ(a.tick(static_cast<double>(t / one - 1)),
                b.tick(static_cast<double>(t / other - 1)))
          << one << " " << other << " e-" << decimals;
      ASSERT_EQ(a.tick(static_cast<double>(t / one - 1)), decimal(t, decimals));
    }
  }
  EXPECT_GT(n_meetings, 10000U);
}

}  // namespace
}  // namespace saltus
