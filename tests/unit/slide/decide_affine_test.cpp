// Decisions by a complementarity problem, against the enumeration of all candidates.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <saltus/slide/decide.hpp>

#include "slide/decide/decide_affine.hpp"

namespace saltus {
namespace {

/// V = v + M u; `dominance` is taken from the diagonal: 0 in general not unique, 1 each surface attracts alone.
AffineVelocities random_affine(std::uint32_t m, double dominance, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  AffineVelocities out{
      .v = std::vector<double>(m), .m = Matrix(m, m), .negligible = std::vector<double>(m, 1e-12)};
  for (double& x : out.v) {
    x = uniform(random);
  }
  for (double& x : out.m.values) {
    x = uniform(random);
  }
  for (std::uint32_t k = 0; k < m; ++k) {
    out.m(k, k) -= dominance;
  }
  return out;
}

NormalVelocities vertices_of(const AffineVelocities& a) {
  const auto m = static_cast<std::uint32_t>(a.v.size());
  NormalVelocities out{.n_surfaces = m, .rate = {}, .negligible = a.negligible};
  for (std::uint32_t b = 0; b < out.n_vertices(); ++b) {
    for (std::uint32_t k = 0; k < m; ++k) {
      double rate = a.v[k];
      for (std::uint32_t j = 0; j < m; ++j) {
        rate += (b >> j & 1U) != 0 ? a.m(k, j) : -a.m(k, j);
      }
      out.rate.push_back(rate);
    }
  }
  return out;
}

TEST(AffineVelocities, AreRecognisedFromVertices) {
  std::mt19937_64 random(9201);
  for (std::uint32_t m = 1; m <= 6; ++m) {
    const AffineVelocities a = random_affine(m, 0.0, random);
    NormalVelocities v = vertices_of(a);
    const auto found = affine(v);
    ASSERT_TRUE(found.has_value());
    for (std::uint32_t k = 0; k < m; ++k) {
      // sums of m + 1 terms up to 1, halved m times
      EXPECT_NEAR(found->v[k], a.v[k], 8 * m * std::numeric_limits<double>::epsilon());
      for (std::uint32_t j = 0; j < m; ++j) {
        EXPECT_NEAR(found->m(k, j), a.m(k, j), 8 * m * std::numeric_limits<double>::epsilon());
      }
    }
    v.rate.back() += 1e-9;  // the twin: one vertex moved
    EXPECT_EQ(affine(v).has_value(), m == 1);
  }
}

TEST(DecideAffine, AgreesWithAllCandidates) {  // (S.8)
  std::mt19937_64 random(9202);
  int n_unique = 0;
  int n_several = 0;
  for (int i = 0; i < 10000; ++i) {
    const std::uint32_t m = 1 + static_cast<std::uint32_t>(i % 4);
    const AffineVelocities a = random_affine(m, 0.5 * (i % 5), random);
    const SurfaceDecision by_paths = decide(a);
    const SurfaceDecision by_all = decide(vertices_of(a));
    ASSERT_EQ(by_paths.kind, by_all.kind) << i;
    EXPECT_TRUE(by_paths.complete);
    if (by_all.kind == DecisionKind::unique) {
      ++n_unique;
      EXPECT_EQ(by_paths.taken().state, by_all.taken().state) << i;
    } else if (by_all.kind == DecisionKind::several) {
      ++n_several;
    }
  }
  EXPECT_GT(n_unique, 4000);
  EXPECT_GT(n_several, 1000);
}

TEST(DecideAffine, EveryPathEndsAtASolutionAndUniqueOnesAtTheSame) {
  // What the method rests on, without the enumeration that stands behind it.
  std::mt19937_64 random(9203);
  int n_unique_matrix = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::uint32_t m = 1 + static_cast<std::uint32_t>(i % 6);
    const AffineVelocities a = random_affine(m, 0.5 * (i % 5), random);
    const bool unique_matrix = detail::has_unique_solutions(a.m);
    n_unique_matrix += unique_matrix ? 1 : 0;
    std::vector<std::vector<std::int8_t>> found;
    for (std::uint32_t b = 0; b < (1U << m); ++b) {
      std::vector<std::int8_t> from(m);
      for (std::uint32_t k = 0; k < m; ++k) {
        from[k] = static_cast<std::int8_t>((b >> k & 1U) != 0 ? 1 : -1);
      }
      const auto state = detail::state_from(a, from);
      ASSERT_TRUE(state.has_value()) << i;
      if (std::find(found.begin(), found.end(), *state) == found.end()) {
        found.push_back(*state);
      }
    }
    if (unique_matrix) {
      EXPECT_EQ(found.size(), 1U) << i;
    }
  }
  EXPECT_GT(n_unique_matrix, 500);
  EXPECT_LT(n_unique_matrix, 1900);
}

TEST(DecideAffine, PathsAloneMaySeeOneSolutionOfSeveral) {
  // Why a unique end of two paths is no proof: without the enumeration some would be called unique.
  std::mt19937_64 random(9204);
  int n_several = 0;
  int n_missed = 0;
  for (int i = 0; i < 4000; ++i) {
    const AffineVelocities a = random_affine(3, 0.5, random);
    if (decide(a).kind != DecisionKind::several) {
      continue;
    }
    ++n_several;
    const auto low = detail::state_from(a, std::vector<std::int8_t>(3, -1));
    const auto high = detail::state_from(a, std::vector<std::int8_t>(3, 1));
    n_missed += low == high ? 1 : 0;
  }
  EXPECT_GT(n_missed, 0);
  EXPECT_LT(n_missed, n_several / 2);
  RecordProperty("several", n_several);
  RecordProperty("missed", n_missed);
}

TEST(DecideAffine, ASumOfMinorsIsNotEnough) {
  Matrix m(2, 2);
  m.values = {-1.0, 2.0, 2.0, -1.0};  // each surface attracts alone, the determinant is negative
  EXPECT_FALSE(detail::has_unique_solutions(m));
  m.values = {-1.0, 2.0, -2.0, -1.0};
  EXPECT_TRUE(detail::has_unique_solutions(m));
  m.values = {-1.0, 1.0, 1.0, -1.0};  // singular
  EXPECT_FALSE(detail::has_unique_solutions(m));
}

TEST(DecideAffine, DoesNotDependOnUnits) {
  std::mt19937_64 random(9205);
  for (int i = 0; i < 300; ++i) {
    AffineVelocities a = random_affine(4, 1.5, random);
    const SurfaceDecision plain = decide(a);
    for (std::uint32_t k = 0; k < 4; ++k) {
      const double unit = std::ldexp(1.0, 40 * static_cast<int>(k) - 60);
      a.v[k] *= unit;
      a.negligible[k] *= unit;
      for (std::uint32_t j = 0; j < 4; ++j) {
        a.m(k, j) *= unit;
      }
    }
    const SurfaceDecision other = decide(a);
    ASSERT_EQ(plain.kind, other.kind);
    EXPECT_EQ(plain.taken().state, other.taken().state);
    EXPECT_EQ(plain.taken().multiplier, other.taken().multiplier);
  }
}

TEST(DecideAffine, AFlippedSurfaceGivesTheMirroredDecisionBitByBit) {
  std::mt19937_64 random(9206);
  for (int i = 0; i < 500; ++i) {
    const std::uint32_t m = 2 + static_cast<std::uint32_t>(i % 5);
    const AffineVelocities a = random_affine(m, 2.0, random);
    AffineVelocities mirror = a;  // u_0 -> -u_0, V_0 -> -V_0
    mirror.v[0] = -mirror.v[0];
    for (std::uint32_t k = 1; k < m; ++k) {
      mirror.m(0, k) = -mirror.m(0, k);
      mirror.m(k, 0) = -mirror.m(k, 0);
    }
    const SurfaceDecision plain = decide(a);
    const SurfaceDecision other = decide(mirror);
    ASSERT_EQ(plain.kind, other.kind);
    if (plain.kind != DecisionKind::unique) {
      continue;
    }
    std::vector<double> multiplier = plain.taken().multiplier;
    multiplier[0] = -multiplier[0];
    EXPECT_EQ(other.taken().multiplier, multiplier);
  }
}

TEST(DecideAffine, AnExitIsDecidedByTheNextDerivative) {  // (S.7)
  // Twelve surfaces; the last one is at the end of its range, all others are kept in the middle.
  constexpr std::uint32_t m = 12;
  AffineVelocities a{.v = std::vector<double>(m, 0.0),
                     .m = Matrix(m, m),
                     .negligible = std::vector<double>(m, 1e-12)};
  for (std::uint32_t k = 0; k < m; ++k) {
    a.m(k, k) = -1.0;
  }
  a.v[m - 1] = 1.0;  // u = 1, V = 0
  for (const double second : {-1.0, 1.0}) {
    DecideOptions options;
    options.second_derivative = [&](const SurfaceCandidate& candidate, std::uint32_t k) {
      EXPECT_EQ(k, m - 1);
      EXPECT_EQ(candidate.state[k], 1);
      return std::optional<double>(second);
    };
    const SurfaceDecision decision = decide(a, options);
    ASSERT_EQ(decision.kind, DecisionKind::unique);
    EXPECT_EQ(decision.taken().state[m - 1], second > 0.0 ? 1 : 0);
    EXPECT_EQ(decision.taken().n_kept(), second > 0.0 ? m - 1 : m);
    EXPECT_TRUE(decision.taken().by_second_order);
  }
  EXPECT_EQ(decide(a).kind, DecisionKind::impossible);
}

TEST(DecideAffine, FortySurfacesTakeOnePath) {
  std::mt19937_64 random(9207);
  const AffineVelocities a = random_affine(40, 24.0, random);
  const SurfaceDecision decision = decide(a);
  ASSERT_EQ(decision.kind, DecisionKind::unique);
  EXPECT_TRUE(decision.complete);
  EXPECT_EQ(decision.candidates.size(), 1U);
}

TEST(DecideAffine, ManySurfacesWithoutASignOfUniquenessAreNotCalledComplete) {
  std::mt19937_64 random(9208);
  EXPECT_FALSE(decide(random_affine(12, 0.0, random)).complete);
}

TEST(DecideAffine, WhatIsNotFiniteIsRefused) {
  std::mt19937_64 random(9209);
  AffineVelocities a = random_affine(3, 2.0, random);
  a.v[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(decide(a).kind, DecisionKind::impossible);
  EXPECT_FALSE(decide(a).candidates.empty());
}

}  // namespace
}  // namespace saltus
