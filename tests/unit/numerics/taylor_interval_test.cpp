// Interval Taylor coefficients contain those of every member series, computed in Quad. No
// tolerance, for the reason given in interval_property_test.cpp.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "unit/numerics/random_cases.hpp"
#include "unit/numerics/taylor_kernels.hpp"

namespace saltus::taylor_interval_test {
namespace {

using numerics_test::all_kernels;
using numerics_test::Kernels;
using numerics_test::property_cases;
using numerics_test::RandomCases;
using numerics_test::Series;

constexpr int K = 8;

// Points, or boxes of relative width 2^-20 .. 2^-4.
Series<Interval> random_series(RandomCases& random, double a0, bool points) {
  Series<Interval> a;
  double decay = 1.0;
  for (int k = 0; k <= K; ++k, decay *= 0.4) {
    const double x = k == 0 ? a0 : random.uniform(-0.5, 0.5) * decay;
    const double width = points ? 0.0 : decay * std::ldexp(1.0, random.integer(-20, -4));
    a.emplace_back(x, x + width);
  }
  return a;
}

Series<Quad> member(RandomCases& random, const Series<Interval>& a) {
  Series<Quad> m;
  for (const Interval& x : a) m.emplace_back(random.element(x));
  return m;
}

bool contains(const Series<Interval>& box, const Series<Quad>& x) {
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (!(Quad(box[k].lo()) <= x[k] && x[k] <= Quad(box[k].hi()))) return false;
  }
  return true;
}

TEST(TaylorInterval, EveryKernelContainsItsMembers) {
  constexpr std::uint64_t seed = 211;
  const auto boxes = all_kernels<Interval>();
  const auto exact = all_kernels<Quad>();
  RandomCases random(seed);
  // A sampled series costs about as much as forty sampled values.
  const long rounds = property_cases() / 40 / static_cast<long>(boxes.size()) + 1;
  for (long round = 0; round < rounds; ++round) {
    const bool points = round % 2 == 0;
    const Series<Interval> a = random_series(random, random.uniform(0.4, 0.6), points);
    const Series<Interval> b = random_series(random, random.uniform(0.7, 0.9), points);
    const Series<Quad> qa = member(random, a);
    const Series<Quad> qb = member(random, b);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const Series<Interval> r = boxes[i].apply(a, b);
      ASSERT_TRUE(contains(r, exact[i].apply(qa, qb)))
          << boxes[i].name << " seed " << seed << " round " << round;
      for (const Interval& x : r) ASSERT_TRUE(x.is_bounded()) << boxes[i].name;
      // Rounding alone stays small: a few hundred operations of one ulp, coefficients below 1e4.
      if (points) {
        ASSERT_LE(r[K].width(), 1e3 * 0x1p-52 * 1e4) << boxes[i].name;
      }
    }
  }
}

// Rounded to nearest instead of outward, the same comparison fails.
TEST(TaylorInterval, TheCheckSeesMissingRounding) {
  RandomCases random(223);
  const auto plain = all_kernels<double>();
  const auto exact = all_kernels<Quad>();
  int missed = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const Series<Interval> a = random_series(random, 0.5, true);
    const Series<Interval> b = random_series(random, 0.8, true);
    Series<double> da, db;
    for (const Interval& x : a) da.push_back(x.lo());
    for (const Interval& x : b) db.push_back(x.lo());
    Series<Interval> box;
    for (const double x : plain[i].apply(da, db)) box.emplace_back(x);
    if (!contains(box, exact[i].apply(member(random, a), member(random, b)))) ++missed;
  }
  EXPECT_GE(missed, 20);  // all but neg, abs, min, max and, by luck, few others
}

TEST(TaylorInterval, SingularPointsAreEntireNotNaN) {
  using F = Kernels<Interval>;
  const Series<Interval> zero_inside = {Interval(-0.1, 0.1), 1.0, 0.0};
  const Series<Interval> one = {1.0, 0.0, 0.0};
  for (const Series<Interval>& r :
       {F::div(one, zero_inside), F::sqrt(zero_inside), F::log(zero_inside),
        F::atan2(zero_inside, zero_inside), F::powi(zero_inside, -2)}) {
    EXPECT_TRUE(r[1].is_entire());
    EXPECT_TRUE(r[2].is_entire());
  }
  EXPECT_TRUE(F::powi(zero_inside, 2)[2].contains(1.0));
  EXPECT_TRUE(F::powi(zero_inside, 2)[0].certainly_nonnegative());
}

TEST(TaylorInterval, AcrossAKinkOnlyTheSlopeIsKnown) {
  using F = Kernels<Interval>;
  const Series<Interval> a = {Interval(-0.1, 0.1), 1.0, 2.0};
  const Series<Interval> b = {Interval(0.0, 0.2), 3.0, 2.0};
  const Series<Interval> r = F::abs(a);
  EXPECT_EQ(r[0], Interval(0.0, 0.1));
  EXPECT_EQ(r[1], Interval(-1.0, 1.0));
  EXPECT_TRUE(r[2].is_entire());
  EXPECT_EQ(F::min(a, b)[1], Interval(1.0, 3.0));
  EXPECT_TRUE(F::max(a, b)[2].is_entire());
  const Series<Interval> certain = {Interval(-0.3, -0.2), 1.0, 2.0};
  EXPECT_EQ(F::abs(certain)[2], Interval(-2.0));
  EXPECT_EQ(F::min(certain, b), certain);
  EXPECT_EQ(F::max(certain, b), b);
}

}  // namespace
}  // namespace saltus::taylor_interval_test
