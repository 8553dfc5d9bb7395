#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "../src/integrate/radau/tableau.hpp"

namespace saltus::radau_tableau_test {
namespace {

using detail::radau_tableau;
using detail::RadauMatrix;
using detail::RadauTableau;

constexpr double eps = std::numeric_limits<double>::epsilon();
// The largest sums have terms of size 100 and three to nine of them.
constexpr double rounding = 1000 * eps;

using Defect = std::function<double(const RadauTableau&)>;

RadauMatrix product(const RadauMatrix& a, const RadauMatrix& b) {
  RadauMatrix c{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 3; ++k) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}

double distance(const RadauMatrix& a, const RadauMatrix& b) {
  double d = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) d = std::max(d, std::abs(a[i][j] - b[i][j]));
  }
  return d;
}

constexpr RadauMatrix identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

// sum_j a_ij c_j^(k-1) = c_i^k / k for k = 1 (row sums), 2, 3. Hairer & Wanner II, section IV.5.
double simplifying_c(const RadauTableau& r) {
  double d = 0.0;
  for (int k = 1; k <= 3; ++k) {
    for (std::size_t i = 0; i < 3; ++i) {
      double sum = 0.0;
      for (std::size_t j = 0; j < 3; ++j) sum += r.a[i][j] * std::pow(r.c[j], k - 1);
      d = std::max(d, std::abs(sum - std::pow(r.c[i], k) / k));
    }
  }
  return d;
}

// With b_j = a_3j (stiff accuracy, c_3 = 1): sum_j b_j c_j^(k-1) = 1/k, k = 1 … 5.
double quadrature(const RadauTableau& r) {
  double d = std::abs(r.c[2] - 1.0);
  for (int k = 1; k <= 5; ++k) {
    double sum = 0.0;
    for (std::size_t j = 0; j < 3; ++j) sum += r.a[2][j] * std::pow(r.c[j], k - 1);
    d = std::max(d, std::abs(sum - 1.0 / k));
  }
  return d;
}

// sum_i b_i c_i^(k-1) a_ij = b_j (1 - c_j^k) / k, k = 1, 2. With the two above: order 5 (theorem
// IV.5.1, p = 5 <= eta + zeta + 1 with eta = 3, zeta = 2).
double simplifying_d(const RadauTableau& r) {
  double d = 0.0;
  for (int k = 1; k <= 2; ++k) {
    for (std::size_t j = 0; j < 3; ++j) {
      double sum = 0.0;
      for (std::size_t i = 0; i < 3; ++i) sum += r.a[2][i] * std::pow(r.c[i], k - 1) * r.a[i][j];
      d = std::max(d, std::abs(sum - r.a[2][j] * (1.0 - std::pow(r.c[j], k)) / k));
    }
  }
  return d;
}

double inverse(const RadauTableau& r) { return distance(product(r.a, r.a_inverse), identity); }

double inverse_of_t(const RadauTableau& r) {
  return std::max(distance(product(r.t, r.t_inverse), identity),
                  distance(product(r.t_inverse, r.t), identity));
}

double block_diagonal(const RadauTableau& r) {
  const RadauMatrix blocks = {{{r.gamma, 0, 0}, {0, r.alpha, -r.beta}, {0, r.beta, r.alpha}}};
  return distance(product(product(r.t_inverse, r.a_inverse), r.t), blocks);
}

// R(infinity) = 1 - b^T A^-1 1.
double damping_at_infinity(const RadauTableau& r) {
  double sum = 1.0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) sum -= r.a[2][i] * r.a_inverse[i][j];
  }
  return std::abs(sum);
}

// powers recovers q from Z_i = sum_k q_k c_i^k.
double interpolation(const RadauTableau& r) {
  RadauMatrix v{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) v[i][k] = std::pow(r.c[i], static_cast<double>(k + 1));
  }
  return distance(product(r.powers, v), identity);
}

// The slope at the left end is the embedded formula of Hairer & Wanner II, section IV.8:
// e = (-13 - 7 sqrt 6, -13 + 7 sqrt 6, -1) / 3 = -(first row of powers).
double embedded_formula(const RadauTableau& r) {
  const double s6 = std::sqrt(6.0);
  const double e[] = {-(13 + 7 * s6) / 3, (-13 + 7 * s6) / 3, -1.0 / 3};
  double d = 0.0;
  for (std::size_t i = 0; i < 3; ++i) d = std::max(d, std::abs(e[i] + r.powers[0][i]));
  return d;
}

// gamma^3 - 9 gamma^2 + 36 gamma - 60 = 0: the denominator of the stability function.
double real_eigenvalue(const RadauTableau& r) {
  const double g = r.gamma;
  return std::abs(((g - 9) * g + 36) * g - 60) / 60;
}

void expect_and_twin(const Defect& defect, const std::function<void(RadauTableau&)>& spoil) {
  EXPECT_LE(defect(radau_tableau), rounding);
  RadauTableau twin = radau_tableau;
  spoil(twin);
  EXPECT_GT(defect(twin), rounding);
}

constexpr double small = 1e-9;

TEST(RadauTableau, RowSumsAndStageOrderThree) {
  expect_and_twin(simplifying_c, [](RadauTableau& r) { r.a[0][1] += small; });
  expect_and_twin(simplifying_c, [](RadauTableau& r) { r.c[1] += small; });
}

TEST(RadauTableau, StifflyAccurateQuadratureOfOrderFive) {
  expect_and_twin(quadrature, [](RadauTableau& r) { r.a[2][0] += small; });
  expect_and_twin(quadrature, [](RadauTableau& r) { r.c[2] += small; });
}

TEST(RadauTableau, OrderFive) {
  expect_and_twin(simplifying_d, [](RadauTableau& r) { r.a[1][2] += small; });
}

TEST(RadauTableau, InverseOfA) {
  expect_and_twin(inverse, [](RadauTableau& r) { r.a_inverse[0][2] += small; });
}

TEST(RadauTableau, TransformationToBlocks) {
  expect_and_twin(inverse_of_t, [](RadauTableau& r) { r.t_inverse[2][1] += small; });
  expect_and_twin(block_diagonal, [](RadauTableau& r) { r.t[1][2] += small; });
  expect_and_twin(block_diagonal, [](RadauTableau& r) { r.beta += small; });
  expect_and_twin(block_diagonal, [](RadauTableau& r) { r.alpha += small; });
  expect_and_twin(real_eigenvalue, [](RadauTableau& r) { r.gamma += small; });
}

TEST(RadauTableau, StiffComponentsVanish) {
  expect_and_twin(damping_at_infinity, [](RadauTableau& r) { r.a_inverse[1][1] += small; });
}

TEST(RadauTableau, CubicThroughTheStagesAndItsSlope) {
  expect_and_twin(interpolation, [](RadauTableau& r) { r.powers[1][0] += small; });
  expect_and_twin(embedded_formula, [](RadauTableau& r) { r.powers[0][1] += small; });
}

TEST(RadauTableau, EveryCoefficientIsUnderSomeCheck) {
  const Defect all[] = {simplifying_c,       quadrature,     simplifying_d, inverse,
                        inverse_of_t,        block_diagonal, interpolation, embedded_formula,
                        damping_at_infinity, real_eigenvalue};
  const auto noticed = [&](const RadauTableau& r) {
    return std::any_of(std::begin(all), std::end(all),
                       [&](const Defect& defect) { return defect(r) > rounding; });
  };
  EXPECT_FALSE(noticed(radau_tableau));
  for (std::size_t i = 0; i < 3; ++i) {
    RadauTableau r = radau_tableau;
    r.c[i] += small;
    EXPECT_TRUE(noticed(r)) << "c " << i;
    for (std::size_t j = 0; j < 3; ++j) {
      for (const auto member : {&RadauTableau::a, &RadauTableau::a_inverse, &RadauTableau::t,
                                &RadauTableau::t_inverse, &RadauTableau::powers}) {
        r = radau_tableau;
        (r.*member)[i][j] += small;
        EXPECT_TRUE(noticed(r)) << i << ' ' << j;
      }
    }
  }
}

}  // namespace
}  // namespace saltus::radau_tableau_test
