#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <saltus/numerics/batch.hpp>
#include <saltus/numerics/taylor.hpp>

#include "unit/numerics/random_cases.hpp"
#include "unit/numerics/taylor_kernels.hpp"

namespace saltus::taylor_test {
namespace {

using numerics_test::all_kernels;
using numerics_test::Kernels;
using numerics_test::order;
using numerics_test::RandomCases;
using numerics_test::Series;

template <class T>
T epsilon() {
  if constexpr (std::is_same_v<T, Quad>) {
    return Quad::epsilon();
  } else {
    return std::numeric_limits<double>::epsilon();
  }
}

// A coefficient is a sum of at most K products of earlier ones (3 roundings each), through at most K
// generations: 3 K^2 roundings at the scale of the largest coefficient, and identities pass through
// up to three kernels. 10 (K + 1)^2 eps max|coefficient| covers them when, as here, the series of
// the operands decay and the functions are far from singular points.
template <class T>
double distance(const Series<T>& a, const Series<T>& b) {
  using std::abs;
  double largest = 1.0;
  double worst = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    largest = std::max({largest, double(abs(a[k])), double(abs(b[k]))});
    const double d = double(abs(a[k] - b[k]));
    worst = std::isnan(d) ? HUGE_VAL : std::max(worst, d);
  }
  return worst / (10.0 * static_cast<double>(a.size() * a.size()) * double(epsilon<T>()) * largest);
}

template <class T>
Series<T> variable(double at, int K) {
  Series<T> t(static_cast<std::size_t>(K) + 1, T(0.0));
  t[0] = T(at);
  if (K >= 1) t[1] = T(1.0);
  return t;
}

template <class T>
Series<T> constant(double c, int K) {
  Series<T> r(static_cast<std::size_t>(K) + 1);
  taylor::constant(r.data(), T(c), K);
  return r;
}

template <class T>
Series<T> random_series(RandomCases& random, double a0, int K) {
  Series<T> a(static_cast<std::size_t>(K) + 1);
  double decay = 1.0;
  for (std::size_t k = 0; k < a.size(); ++k, decay *= 0.4)
    a[k] = T(random.uniform(-0.5, 0.5) * decay);
  a[0] = T(a0);
  return a;
}

// From numerators and denominators, so that Quad gets all its digits.
template <class T>
Series<T> rational(const std::vector<std::pair<int, int>>& q) {
  Series<T> r;
  for (const auto& [p, d] : q) r.push_back(T(p) / T(d));
  return r;
}

template <class T>
class TaylorKernels : public ::testing::Test {};
using Scalars = ::testing::Types<double, Quad>;
TYPED_TEST_SUITE(TaylorKernels, Scalars);

TYPED_TEST(TaylorKernels, ClosedFormsAtZero) {
  using T = TypeParam;
  using F = Kernels<T>;
  const Series<T> t = variable<T>(0.0, 7);
  const Series<T> one_plus_t = variable<T>(1.0, 7);
  const Series<T> one = constant<T>(1.0, 7);
  const auto near = [](const Series<T>& a, const std::vector<std::pair<int, int>>& q) {
    return distance(a, rational<T>(q));
  };
  EXPECT_LE(
      near(F::exp(t), {{1, 1}, {1, 1}, {1, 2}, {1, 6}, {1, 24}, {1, 120}, {1, 720}, {1, 5040}}), 1);
  EXPECT_LE(near(F::div(one, F::sub(one, t)),
                 {{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}}),
            1);
  EXPECT_LE(
      near(F::log(one_plus_t), {{0, 1}, {1, 1}, {-1, 2}, {1, 3}, {-1, 4}, {1, 5}, {-1, 6}, {1, 7}}),
      1);
  EXPECT_LE(
      near(F::sin(t), {{0, 1}, {1, 1}, {0, 1}, {-1, 6}, {0, 1}, {1, 120}, {0, 1}, {-1, 5040}}), 1);
  EXPECT_LE(near(F::cos(t), {{1, 1}, {0, 1}, {-1, 2}, {0, 1}, {1, 24}, {0, 1}, {-1, 720}, {0, 1}}),
            1);
  EXPECT_LE(near(F::sinh(t), {{0, 1}, {1, 1}, {0, 1}, {1, 6}, {0, 1}, {1, 120}, {0, 1}, {1, 5040}}),
            1);
  EXPECT_LE(near(F::cosh(t), {{1, 1}, {0, 1}, {1, 2}, {0, 1}, {1, 24}, {0, 1}, {1, 720}, {0, 1}}),
            1);
  EXPECT_LE(near(F::tan(t), {{0, 1}, {1, 1}, {0, 1}, {1, 3}, {0, 1}, {2, 15}, {0, 1}, {17, 315}}),
            1);
  EXPECT_LE(
      near(F::tanh(t), {{0, 1}, {1, 1}, {0, 1}, {-1, 3}, {0, 1}, {2, 15}, {0, 1}, {-17, 315}}), 1);
  EXPECT_LE(near(F::atan(t), {{0, 1}, {1, 1}, {0, 1}, {-1, 3}, {0, 1}, {1, 5}, {0, 1}, {-1, 7}}),
            1);
  EXPECT_LE(near(F::asin(t), {{0, 1}, {1, 1}, {0, 1}, {1, 6}, {0, 1}, {3, 40}, {0, 1}, {5, 112}}),
            1);
  EXPECT_LE(near(F::sqrt(one_plus_t),
                 {{1, 1}, {1, 2}, {-1, 8}, {1, 16}, {-5, 128}, {7, 256}, {-21, 1024}, {33, 2048}}),
            1);
  EXPECT_LE(near(F::powi(one_plus_t, -2),
                 {{1, 1}, {-2, 1}, {3, 1}, {-4, 1}, {5, 1}, {-6, 1}, {7, 1}, {-8, 1}}),
            1);
  EXPECT_LE(
      near(F::atan2(t, one), {{0, 1}, {1, 1}, {0, 1}, {-1, 3}, {0, 1}, {1, 5}, {0, 1}, {-1, 7}}),
      1);
}

TYPED_TEST(TaylorKernels, KernelsAgreeWithEachOther) {
  using T = TypeParam;
  using F = Kernels<T>;
  constexpr std::uint64_t seed = 101;
  constexpr int K = 12;
  RandomCases random(seed);
  for (int k = 0; k < 100; ++k) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed << " case " << k);
    const Series<T> a = random_series<T>(random, random.uniform(0.6, 1.2), K);
    const Series<T> b = random_series<T>(random, random.uniform(0.8, 1.5), K);
    const Series<T> small = random_series<T>(random, random.uniform(-0.3, 0.3), K);
    const Series<T> one = constant<T>(1.0, K);
    EXPECT_LE(distance(F::exp(F::log(a)), a), 1);
    EXPECT_LE(distance(F::log(F::exp(a)), a), 1);
    EXPECT_LE(distance(F::add(F::sqr(F::sin(a)), F::sqr(F::cos(a))), one), 1);
    EXPECT_LE(distance(F::sub(F::sqr(F::cosh(a)), F::sqr(F::sinh(a))), one), 1);
    EXPECT_LE(distance(F::mul(F::tan(small), F::cos(small)), F::sin(small)), 1);
    EXPECT_LE(distance(F::mul(F::tanh(a), F::cosh(a)), F::sinh(a)), 1);
    EXPECT_LE(distance(F::sin(F::asin(small)), small), 1);
    EXPECT_LE(distance(F::cos(F::acos(small)), small), 1);
    EXPECT_LE(distance(F::tan(F::atan(small)), small), 1);
    EXPECT_LE(distance(F::sqr(F::sqrt(a)), a), 1);
    EXPECT_LE(distance(F::mul(F::div(a, b), b), a), 1);
    EXPECT_LE(distance(F::sqr(a), F::mul(a, a)), 1);
    EXPECT_LE(distance(F::powi(a, 3), F::mul(a, F::mul(a, a))), 1);
    EXPECT_LE(distance(F::mul(F::powi(a, 3), F::powi(a, -3)), one), 1);
    EXPECT_LE(distance(F::pow(a, constant<T>(0.5, K)), F::sqrt(a)), 1);
    EXPECT_LE(distance(F::pow(a, constant<T>(3.0, K)), F::powi(a, 3)), 1);
    EXPECT_LE(distance(F::pow(a, b), F::exp(F::mul(b, F::log(a)))), 1);
    EXPECT_LE(distance(F::atan2(small, b), F::atan(F::div(small, b))), 1);
    EXPECT_LE(
        distance(F::mul(F::sin(F::atan2(a, F::neg(b))), F::sqrt(F::add(F::sqr(a), F::sqr(b)))), a),
        1);
    EXPECT_LE(distance(F::add(F::neg(a), F::scale(a, T(3.0))), F::add(a, a)), 1);
  }
}

// f(a(t)) = sum_k f_k (a(t) - a_0)^k, with f_k from the kernel applied to a_0 + t alone.
TYPED_TEST(TaylorKernels, CompositionAgreesWithSubstitution) {
  using T = TypeParam;
  using F = Kernels<T>;
  constexpr std::uint64_t seed = 103;
  constexpr int K = 9;
  RandomCases random(seed);
  for (const auto& kernel : all_kernels<T>()) {
    const double a0 = random.uniform(0.4, 0.6);
    const Series<T> a = random_series<T>(random, a0, K);
    const Series<T> b = constant<T>(0.8, K);
    const Series<T> f = kernel.apply(variable<T>(a0, K), b);
    Series<T> shifted = a;
    shifted[0] = T(0.0);
    Series<T> sum = constant<T>(0.0, K);
    for (int k = 0; k <= K; ++k) {
      sum = F::add(sum, F::scale(F::powi(shifted, k), f[static_cast<std::size_t>(k)]));
    }
    EXPECT_LE(distance(kernel.apply(a, b), sum), 1) << kernel.name << " seed " << seed;
  }
}

TEST(Taylor, DoubleAgreesWithQuad) {
  RandomCases random(107);
  for (int k = 0; k < 20; ++k) {
    const Series<double> a = random_series<double>(random, random.uniform(0.4, 0.6), 15);
    const Series<double> b = random_series<double>(random, random.uniform(0.7, 0.9), 15);
    const auto in_double = all_kernels<double>();
    const auto in_quad = all_kernels<Quad>();
    for (std::size_t i = 0; i < in_double.size(); ++i) {
      const Series<Quad> q = in_quad[i].apply({a.begin(), a.end()}, {b.begin(), b.end()});
      Series<double> rounded;
      for (const Quad& x : q) rounded.push_back(double(x));
      EXPECT_LE(distance(in_double[i].apply(a, b), rounded), 1) << in_double[i].name;
    }
  }
}

// The recurrence of exp with one weight wrong (j - 1 instead of j at j = 5): what the checks above
// compare with must see it.
TEST(Taylor, TheChecksSeeOneWrongWeight) {
  const auto wrong_exp = [](const Series<double>& a) {
    Series<double> r(a.size());
    r[0] = std::exp(a[0]);
    for (std::size_t k = 1; k < a.size(); ++k) {
      double sum = 0;
      for (std::size_t j = 1; j <= k; ++j) {
        const double weight = static_cast<double>(j == 5 ? j - 1 : j);
        sum += weight * a[j] * r[k - j];
      }
      r[k] = sum / static_cast<double>(k);
    }
    return r;
  };
  RandomCases random(109);
  const Series<double> a = random_series<double>(random, 0.7, 12);
  EXPECT_LE(distance(Kernels<double>::log(Kernels<double>::exp(a)), a), 1);
  EXPECT_GT(distance(Kernels<double>::log(wrong_exp(a)), a), 100);
  EXPECT_GT(distance(wrong_exp(a), Kernels<double>::exp(a)), 100);
}

TEST(Taylor, OrderZeroHasTheBitsOfPlainEvaluation) {
  using F = Kernels<double>;
  RandomCases random(113);
  for (int k = 0; k < 200; ++k) {
    const double x = random.uniform(0.1, 0.9);
    const double y = random.uniform(0.1, 0.9);
    for (const int K : {0, 4}) {
      const Series<double> a = random_series<double>(random, x, K);
      const Series<double> b = random_series<double>(random, y, K);
      ASSERT_EQ(F::mul(a, b)[0], x * y);
      ASSERT_EQ(F::div(a, b)[0], x / y);
      ASSERT_EQ(F::sqr(a)[0], x * x);
      ASSERT_EQ(F::sqrt(a)[0], std::sqrt(x));
      ASSERT_EQ(F::exp(a)[0], std::exp(x));
      ASSERT_EQ(F::log(a)[0], std::log(x));
      ASSERT_EQ(F::sin(a)[0], std::sin(x));
      ASSERT_EQ(F::cos(a)[0], std::cos(x));
      ASSERT_EQ(F::tan(a)[0], std::tan(x));
      ASSERT_EQ(F::asin(a)[0], std::asin(x));
      ASSERT_EQ(F::acos(a)[0], std::acos(x));
      ASSERT_EQ(F::atan(a)[0], std::atan(x));
      ASSERT_EQ(F::sinh(a)[0], std::sinh(x));
      ASSERT_EQ(F::cosh(a)[0], std::cosh(x));
      ASSERT_EQ(F::tanh(a)[0], std::tanh(x));
      ASSERT_EQ(F::atan2(a, b)[0], std::atan2(x, y));
      ASSERT_EQ(F::pow(a, b)[0], std::pow(x, y));
      ASSERT_EQ(F::pow(a, constant<double>(3.0, K))[0], std::pow(x, 3.0));
      for (const int n : {-5, -1, 0, 1, 2, 7, 12}) ASSERT_EQ(F::powi(a, n)[0], powi(x, n));
    }
  }
}

TEST(Taylor, PowersOfAZeroBaseAreExact) {
  using F = Kernels<double>;
  const Series<double> t = variable<double>(0.0, 6);
  EXPECT_EQ(F::powi(t, 3), (Series<double>{0, 0, 0, 1, 0, 0, 0}));
  EXPECT_EQ(F::pow(t, constant<double>(4.0, 6)), (Series<double>{0, 0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(F::powi(t, 0), constant<double>(1.0, 6));
  EXPECT_EQ(F::powi(Series<double>{0, 2, 1, 0}, 2), (Series<double>{0, 0, 4, 4}));
}

TEST(Taylor, IntegerPowersOfANegativeBase) {
  using F = Kernels<double>;
  const Series<double> a = {-2, 1, 0, 0};
  EXPECT_EQ(F::powi(a, 3), (Series<double>{-8, 12, -6, 1}));
  EXPECT_EQ(F::pow(a, constant<double>(3.0, 3)), (Series<double>{-8, 12, -6, 1}));
  EXPECT_TRUE(std::isnan(F::pow(a, constant<double>(0.5, 3))[0]));
}

TEST(Taylor, KinksFollowTheBranchToTheRight) {
  using F = Kernels<double>;
  using S = Series<double>;
  EXPECT_EQ(F::abs(S{-1, 2, 3}), (S{1, -2, -3}));
  EXPECT_EQ(F::abs(S{0, -2, 3}), (S{0, 2, -3}));
  EXPECT_EQ(F::abs(S{0, 0, 0}), (S{0, 0, 0}));
  EXPECT_EQ(F::min(S{1, 2, 0}, S{1, 1, 5}), (S{1, 1, 5}));
  EXPECT_EQ(F::max(S{1, 2, 0}, S{1, 1, 5}), (S{1, 2, 0}));
  EXPECT_EQ(F::min(S{1, 2, 0}, S{3, 1, 5}), (S{1, 2, 0}));
}

TEST(Taylor, SquareRootAtZeroIsNotFinite) {
  const Series<double> r = Kernels<double>::sqrt(variable<double>(0.0, 2));
  EXPECT_EQ(r[0], 0.0);
  EXPECT_FALSE(std::isfinite(r[1]));
}

TEST(Taylor, BatchLanesEqualScalarSeries) {
  constexpr int K = 6;
  RandomCases random(127);
  std::vector<Batch> a(K + 1), b(K + 1), r(K + 1);
  for (int i = 0; i < Batch::lanes; ++i) {
    const Series<double> ai = random_series<double>(random, 0.5, K);
    const Series<double> bi = random_series<double>(random, 0.8, K);
    for (int k = 0; k <= K; ++k) {
      a[static_cast<std::size_t>(k)][i] = ai[static_cast<std::size_t>(k)];
      b[static_cast<std::size_t>(k)][i] = bi[static_cast<std::size_t>(k)];
    }
  }
  std::vector<Batch> w(static_cast<std::size_t>(taylor::scratch_size(K)));
  taylor::pow(r.data(), a.data(), b.data(), K, w.data());
  for (int i = 0; i < Batch::lanes; ++i) {
    Series<double> ai, bi;
    for (std::size_t k = 0; k <= K; ++k) {
      ai.push_back(a[k][i]);
      bi.push_back(b[k][i]);
    }
    const Series<double> expected = Kernels<double>::pow(ai, bi);
    for (std::size_t k = 0; k <= K; ++k) ASSERT_EQ(r[k][i], expected[k]);
  }
}

}  // namespace
}  // namespace saltus::taylor_test
