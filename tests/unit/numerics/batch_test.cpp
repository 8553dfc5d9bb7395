#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include <saltus/numerics/batch.hpp>

#include "unit/numerics/random_cases.hpp"

namespace saltus::batch_test {
namespace {

using std::abs;
using std::acos;
using std::asin;
using std::atan;
using std::atan2;
using std::cos;
using std::cosh;
using std::exp;
using std::log;
using std::max;
using std::min;
using std::pow;
using std::sin;
using std::sinh;
using std::sqrt;
using std::tan;
using std::tanh;

// Not inlined: the scalar side runs as its own function, as it does in a scalar program.
template <class F>
[[gnu::noinline]] void expect_lanes_equal(const Batch& a, const Batch& b, F f, const char* what) {
  const Batch r = f(a, b);
  for (int i = 0; i < Batch::lanes; ++i) {
    const double expected = f(a[i], b[i]);
    // NaN payloads are not part of the promise.
    if (std::isnan(expected) && std::isnan(r[i])) continue;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(r[i]), std::bit_cast<std::uint64_t>(expected))
        << what << " lane " << i << std::hexfloat << ": " << a[i] << ", " << b[i];
  }
}

#define SALTUS_LANES(expression)         \
  expect_lanes_equal(                    \
      a, b,                              \
      [](const auto& x, const auto& y) { \
        (void)y;                         \
        return expression;               \
      },                                 \
      #expression)

TEST(Batch, EveryFunctionIsBitwiseTheScalarOne) {
  static_assert(sizeof(Batch) == 64 && alignof(Batch) == 64);
  constexpr std::uint64_t seed = 5;
  numerics_test::RandomCases random(seed);
  for (int k = 0; k < 400; ++k) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed << " case " << k);
    Batch a;
    Batch b;
    for (int i = 0; i < Batch::lanes; ++i) {
      a[i] = random.number();
      b[i] = random.number();
    }
    SALTUS_LANES(x + y);
    SALTUS_LANES(x - y);
    SALTUS_LANES(x * y);
    SALTUS_LANES(x / y);
    SALTUS_LANES(-x);
    SALTUS_LANES(sqr(x));
    SALTUS_LANES(sqrt(x));
    SALTUS_LANES(exp(x));
    SALTUS_LANES(log(x));
    SALTUS_LANES(sin(x));
    SALTUS_LANES(cos(x));
    SALTUS_LANES(tan(x));
    SALTUS_LANES(asin(x));
    SALTUS_LANES(acos(x));
    SALTUS_LANES(atan(x));
    SALTUS_LANES(sinh(x));
    SALTUS_LANES(cosh(x));
    SALTUS_LANES(tanh(x));
    SALTUS_LANES(abs(x));
    SALTUS_LANES(pow(x, y));
    SALTUS_LANES(atan2(x, y));
    SALTUS_LANES(min(x, y));
    SALTUS_LANES(max(x, y));
    SALTUS_LANES(powi(x, 7));
    SALTUS_LANES(powi(x, -3));
    SALTUS_LANES(x * 2.0 + 1.0 / y);
  }
}

TEST(Batch, CompoundAssignmentAndIntegers) {
  Batch x(3.0);
  x += Batch(1.0);
  x *= Batch(2.0);
  x -= Batch(6.0);
  x /= Batch(4.0);
  for (int i = 0; i < Batch::lanes; ++i) EXPECT_EQ(x[i], 0.5);
  EXPECT_EQ(exact_int(Batch(3.0)), 3);
  EXPECT_FALSE(exact_int(x).has_value());
  x = Batch(2.0);
  x[5] = 3.0;
  EXPECT_FALSE(exact_int(x).has_value());
}

}  // namespace
}  // namespace saltus::batch_test
