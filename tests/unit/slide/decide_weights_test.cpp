// Weights of vertices and the multipliers of sliding motions.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include <saltus/slide/decide.hpp>

#include "support/allocation_counter.hpp"

namespace saltus {
namespace {

constexpr double weights_eps = std::numeric_limits<double>::epsilon();

NormalVelocities random_velocities(std::uint32_t m, std::mt19937_64& random) {
  NormalVelocities v{.n_surfaces = m, .rate = {}, .negligible = std::vector<double>(m, 0.0)};
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (std::uint32_t i = 0; i < v.n_vertices() * m; ++i) {
    v.rate.push_back(uniform(random));
  }
  return v;
}

/// The largest normal velocity of the mixture with these weights.
double mixture_rate(const NormalVelocities& v, std::span<const double> w) {
  double largest = 0.0;
  for (std::uint32_t k = 0; k < v.n_surfaces; ++k) {
    double rate = 0.0;
    for (std::uint32_t b = 0; b < v.n_vertices(); ++b) {
      rate += w[b] * v(b, k);
    }
    largest = std::fmax(largest, std::fabs(rate));
  }
  return largest;
}

TEST(VertexWeights, AreProductsOfSides) {  // (S.2)
  const std::vector<double> u{0.5, -0.25};
  std::vector<double> w(4);
  vertex_weights(u, w);
  EXPECT_EQ(w, (std::vector<double>{0.25 * 0.625, 0.75 * 0.625, 0.25 * 0.375, 0.75 * 0.375}));
  std::vector<double> sides(2);
  mean_sides(w, sides);
  EXPECT_EQ(sides, u);  // dyadic numbers: exact
}

TEST(VertexWeights, OfOneVertexAreOne) {
  std::vector<double> w(8);
  vertex_weights(std::vector<double>{1.0, -1.0, 1.0}, w);
  EXPECT_EQ(w, (std::vector<double>{0, 0, 0, 0, 0, 1, 0, 0}));
}

TEST(Multipliers, OfOneSurfaceAreFilippovsFormula) {  // (S.4)
  const NormalVelocities v{.n_surfaces = 1, .rate = {3.0, -1.0}, .negligible = {0.0}};
  std::vector<double> u{0.0};
  ASSERT_TRUE(solve_multipliers(v, u));
  EXPECT_EQ(u[0], 0.5);  // (V- + V+) / (V- - V+)
  const NormalVelocities parallel{.n_surfaces = 1, .rate = {1.0, 1.0}, .negligible = {0.0}};
  EXPECT_FALSE(solve_multipliers(parallel, u));
}

TEST(Multipliers, OfTwoSurfacesSolveTheirEquations) {  // (S.5)
  std::mt19937_64 random(7301);
  int n_solved = 0;
  for (int i = 0; i < 10000; ++i) {
    const NormalVelocities v = random_velocities(2, random);
    std::vector<double> u{0.0, 0.0};
    if (!solve_multipliers(v, u)) {
      continue;
    }
    ++n_solved;
    std::vector<double> w(4);
    vertex_weights(u, w);
    const double reach = (1.0 + std::fabs(u[0])) * (1.0 + std::fabs(u[1]));
    // u itself is rounded, and velocities change with it by up to |V| reach.
    EXPECT_LE(mixture_rate(v, w), 16 * weights_eps * reach) << i;
    // The twin: other multipliers do not.
    u[0] += 0x1p-20 * reach;
    u[1] += 0x1p-21 * reach;
    vertex_weights(u, w);
    EXPECT_GT(mixture_rate(v, w), 16 * weights_eps * reach) << i;
  }
  EXPECT_GT(n_solved, 5000);
}

TEST(Multipliers, OfTwoSolutionsAreTheNearer) {
  // V = (u0 u1 - 3/32, u0 + u1/2 - 1/2) vanishes at (1/8, 3/4) and (3/8, 1/4).
  const auto rate = [](double u0, double u1) {
    return std::array<double, 2>{u0 * u1 - 0.09375, u0 + 0.5 * u1 - 0.5};
  };
  NormalVelocities v{.n_surfaces = 2, .rate = {}, .negligible = {0.0, 0.0}};
  for (const auto& [u0, u1] : {std::pair{-1.0, -1.0}, {1.0, -1.0}, {-1.0, 1.0}, {1.0, 1.0}}) {
    v.rate.insert(v.rate.end(), {rate(u0, u1)[0], rate(u0, u1)[1]});
  }
  std::vector<double> u{0.0, 1.0};
  ASSERT_TRUE(solve_multipliers(v, u));
  EXPECT_NEAR(u[0], 0.125, 8 * weights_eps);
  EXPECT_NEAR(u[1], 0.75, 8 * weights_eps);
  u = {1.0, 0.0};
  ASSERT_TRUE(solve_multipliers(v, u));
  EXPECT_NEAR(u[0], 0.375, 8 * weights_eps);
  EXPECT_NEAR(u[1], 0.25, 8 * weights_eps);
}

TEST(Multipliers, OfAffineVelocitiesTakeOneLinearSolve) {
  std::mt19937_64 random(7302);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int i = 0; i < 200; ++i) {
    const std::uint32_t m = 3 + static_cast<std::uint32_t>(i % 6);
    // V = M (u - u*), with a diagonal that dominates
    std::vector<double> matrix(m * m);
    std::vector<double> solution(m);
    for (std::uint32_t k = 0; k < m; ++k) {
      solution[k] = uniform(random);
      for (std::uint32_t j = 0; j < m; ++j) {
        matrix[k * m + j] = k == j ? -1.0 - m : uniform(random);
      }
    }
    NormalVelocities v{.n_surfaces = m, .rate = {}, .negligible = std::vector<double>(m, 0.0)};
    for (std::uint32_t b = 0; b < v.n_vertices(); ++b) {
      for (std::uint32_t k = 0; k < m; ++k) {
        double rate = 0.0;
        for (std::uint32_t j = 0; j < m; ++j) {
          rate += matrix[k * m + j] * ((b >> j & 1U) != 0 ? 1.0 - solution[j] : -1.0 - solution[j]);
        }
        v.rate.push_back(rate);
      }
    }
    std::vector<double> u(m, 0.0);
    ASSERT_TRUE(solve_multipliers(v, u));
    for (std::uint32_t k = 0; k < m; ++k) {
      // errors of the 2m-term sums, over a diagonal that is as large as they are
      EXPECT_NEAR(u[k], solution[k], 16 * m * weights_eps) << m;
    }
  }
}

TEST(Multipliers, OfThreeSurfacesThatAreNotAffineAreFoundOrDenied) {
  std::mt19937_64 random(7303);
  int n_solved = 0;
  for (int i = 0; i < 2000; ++i) {
    const NormalVelocities v = random_velocities(3, random);
    std::vector<double> u(3, 0.0);
    if (!solve_multipliers(v, u)) {
      continue;
    }
    ++n_solved;
    std::vector<double> w(8);
    vertex_weights(u, w);
    double reach = 1.0;
    for (const double x : u) {
      reach *= 1.0 + std::fabs(x);
    }
    EXPECT_LE(mixture_rate(v, w), 64 * weights_eps * reach) << i;
  }
  EXPECT_GT(n_solved, 1000);
}

TEST(Multipliers, AreFoundWithoutAnAllocation) {
  std::mt19937_64 random(7304);
  for (const std::uint32_t m : {1U, 2U, 3U}) {
    const NormalVelocities v = random_velocities(m, random);
    std::vector<double> u(m, 0.0);
    std::vector<double> w(v.n_vertices());
    const long before = test::allocations();
    const bool solved = solve_multipliers(v, u);
    vertex_weights(u, w);
    EXPECT_EQ(test::allocations(), before) << solved;
  }
}

TEST(MomentWeights, SolveTheirFourEquations) {  // (S.6)
  std::mt19937_64 random(7305);
  for (int i = 0; i < 1000; ++i) {
    NormalVelocities v = random_velocities(2, random);
    // attractive from all four vertices: the case of the theory, with positive weights
    for (std::uint32_t b = 0; b < 4; ++b) {
      for (std::uint32_t k = 0; k < 2; ++k) {
        double& rate = v.rate[2 * b + k];
        rate = (b >> k & 1U) != 0 ? -std::fabs(rate) - 0.1 : std::fabs(rate) + 0.1;
      }
    }
    std::vector<double> w(4);
    ASSERT_TRUE(moment_weights(v, w));
    double sum = 0.0;
    double moment = 0.0;
    for (std::uint32_t b = 0; b < 4; ++b) {
      EXPECT_GT(w[b], 0.0);
      sum += w[b];
      moment += (b == 0 || b == 3 ? 1.0 : -1.0) * w[b] * std::hypot(v(b, 0), v(b, 1));
    }
    // A backward stable solve of rows of size 2 and weights up to 1.
    EXPECT_NEAR(sum, 1.0, 32 * weights_eps);
    EXPECT_LE(mixture_rate(v, w), 32 * weights_eps);
    EXPECT_NEAR(moment, 0.0, 32 * weights_eps);
  }
}

TEST(MomentWeights, DifferFromProductsOfMultipliers) {
  const NormalVelocities v{.n_surfaces = 2,
                           .rate = {1.0, 2.0, -3.0, 1.0, 1.0, -1.0, -1.0, -2.5},
                           .negligible = {0.0, 0.0}};
  std::vector<double> moments(4);
  ASSERT_TRUE(moment_weights(v, moments));
  std::vector<double> u{0.0, 0.0};
  ASSERT_TRUE(solve_multipliers(v, u));
  std::vector<double> products(4);
  vertex_weights(u, products);
  EXPECT_GT(std::fabs(moments[0] - products[0]), 1e-3);
}

}  // namespace
}  // namespace saltus
