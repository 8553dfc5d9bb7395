#include <saltus/core/text.hpp>

#include <gtest/gtest.h>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace {

using saltus::edit_distance;
using saltus::nearest_name;
using saltus::quote;
using saltus::read_double;
using saltus::to_text;

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// Six digits, as iostreams print by default: must fail the round trip.
std::string six_digits(double x) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%g", x);
  return buffer;
}

TEST(Text, NumbersAreShort) {
  EXPECT_EQ(to_text(0.1), "0.1");
  EXPECT_EQ(to_text(1e-8), "1e-08");
  EXPECT_EQ(to_text(-0.0), "-0");
  EXPECT_EQ(to_text(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(to_text(-std::nan("")), "nan");
  EXPECT_EQ(to_text(42), "42");
  EXPECT_EQ(to_text(true), "true");
}

TEST(Text, NumbersReadBackToTheSameBits) {
  constexpr std::uint64_t seed = 20260101;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  int lost_by_six_digits = 0;
  for (int i = 0; i < 20000; ++i) {
    const double x = std::bit_cast<double>(random());
    if (!std::isfinite(x)) continue;
    ASSERT_TRUE(same_bits(read_double(to_text(x)).value(), x)) << to_text(x);
    const auto rough = read_double(six_digits(x));
    if (!rough || !same_bits(*rough, x)) ++lost_by_six_digits;
  }
  EXPECT_GT(lost_by_six_digits, 19000);
}

TEST(Text, ReadingWantsTheWholeText) {
  EXPECT_EQ(saltus::read_int("12"), 12);
  EXPECT_FALSE(saltus::read_int("12.5"));
  EXPECT_FALSE(saltus::read_int("99999999999"));
  EXPECT_FALSE(saltus::read_int(""));
  EXPECT_FALSE(read_double("1.5 s"));
  EXPECT_FALSE(read_double("1,5"));
  EXPECT_EQ(saltus::read_bool("true"), true);
  EXPECT_FALSE(saltus::read_bool("yes"));
}

TEST(Text, QuoteEscapesWhatWouldMislead) {
  EXPECT_EQ(quote("x"), "'x'");
  EXPECT_EQ(quote("it's"), "'it\\'s'");
  EXPECT_EQ(quote("a\nb\x01"), "'a\\nb\\x01'");
  EXPECT_EQ(quote("\xc3\xa4"), "'\xc3\xa4'");
}

TEST(Text, Join) {
  EXPECT_EQ(saltus::join(std::vector<std::string>{"a", "b", "c"}, ", "), "a, b, c");
  EXPECT_EQ(saltus::join(std::vector<std::string_view>{}, ", "), "");
}

TEST(Text, EditDistanceCountsSlips) {
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("rtol", "rtlo"), 1u);  // exchanged neighbours are one slip
  EXPECT_EQ(edit_distance("RTOL", "rtol"), 0u);
}

TEST(Text, NearestNameOffersTheLikelyOne) {
  const std::vector<std::string> names{"rtol", "atol", "max_steps", "t_end"};
  EXPECT_EQ(nearest_name("rtoll", names), "rtol");
  EXPECT_EQ(nearest_name("maxsteps", names), "max_steps");
  EXPECT_EQ(nearest_name("tend", names), "t_end");
  const std::vector<std::string_view> views(names.begin(), names.end());
  EXPECT_EQ(nearest_name("atoll", views), "atol");
}

TEST(Text, NearestNameIsSilentWhenNothingIsNear) {
  const std::vector<std::string> names{"rtol", "atol", "max_steps"};
  EXPECT_EQ(nearest_name("colour", names), std::nullopt);
  EXPECT_EQ(nearest_name("x", std::vector<std::string>{"y"}), std::nullopt);
  EXPECT_EQ(nearest_name("rtol", std::vector<std::string>{}), std::nullopt);
}

}  // namespace
