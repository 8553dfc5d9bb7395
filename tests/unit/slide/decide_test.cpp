// How a solution goes on from surfaces: tables of normal velocities and what is decided on them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <saltus/slide/decide.hpp>

namespace saltus {
namespace {

using State = std::vector<std::int8_t>;

/// One surface: its velocities on the - and on the + side.
NormalVelocities one_surface(double minus, double plus, double negligible = 1e-12) {
  return {.n_surfaces = 1, .rate = {minus, plus}, .negligible = {negligible}};
}

DecideOptions with_second_derivatives(double on_minus, double on_plus) {
  DecideOptions options;
  options.second_derivative = [=](const SurfaceCandidate& candidate, std::uint32_t k) {
    return std::optional<double>(candidate.state[k] > 0 ? on_plus : on_minus);
  };
  return options;
}

NormalVelocities random_table(std::uint32_t m, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  NormalVelocities v{.n_surfaces = m, .rate = {}, .negligible = std::vector<double>(m, 1e-12)};
  for (std::uint32_t i = 0; i < v.n_vertices() * m; ++i) {
    v.rate.push_back(uniform(random));
  }
  return v;
}

/// g_k -> -g_k: sides are exchanged, and the velocity of this surface changes its sign.
NormalVelocities flipped(const NormalVelocities& v, std::uint32_t k) {
  NormalVelocities out = v;
  for (std::uint32_t b = 0; b < v.n_vertices(); ++b) {
    for (std::uint32_t j = 0; j < v.n_surfaces; ++j) {
      out.rate[b * v.n_surfaces + j] = (j == k ? -1.0 : 1.0) * v(b ^ (1U << k), j);
    }
  }
  return out;
}

/// Surface k of the result is surface order[k] of v.
NormalVelocities permuted(const NormalVelocities& v, const std::vector<std::uint32_t>& order) {
  NormalVelocities out = v;
  for (std::uint32_t b = 0; b < v.n_vertices(); ++b) {
    std::uint32_t old = 0;
    for (std::uint32_t k = 0; k < v.n_surfaces; ++k) {
      old |= (b >> k & 1U) << order[k];
    }
    for (std::uint32_t k = 0; k < v.n_surfaces; ++k) {
      out.rate[b * v.n_surfaces + k] = v(old, order[k]);
    }
  }
  return out;
}

const SurfaceCandidate* candidate_of(const SurfaceDecision& decision, const State& state,
                                     std::size_t nth = 0) {
  for (const SurfaceCandidate& candidate : decision.candidates) {
    if (candidate.state == state && nth-- == 0) {
      return &candidate;
    }
  }
  return nullptr;
}

TEST(Decide, ACrossingLeavesToTheOtherSide) {
  const SurfaceDecision decision = decide(one_surface(0.5, 0.25));
  ASSERT_EQ(decision.kind, DecisionKind::unique);
  EXPECT_EQ(decision.taken().state, (State{1}));
  EXPECT_EQ(decision.taken().rate, (std::vector<double>{0.25}));
  EXPECT_EQ(decision.taken().verdict, "");
  EXPECT_FALSE(decision.taken().by_second_order);
  EXPECT_EQ(decision.candidates.size(), 3U);
  EXPECT_EQ(candidate_of(decision, {-1})->verdict,
            "surface 1 would be left to its - side, but moves at 0.5");
  EXPECT_EQ(candidate_of(decision, {0})->verdict,
            "surface 1 would be kept, but its multiplier 3 is not inside (-1, 1)");
}

TEST(Decide, TwoSidesThatLeadBackAreSlidOn) {
  const SurfaceDecision decision = decide(one_surface(3.0, -1.0));
  ASSERT_EQ(decision.kind, DecisionKind::unique);
  EXPECT_EQ(decision.taken().state, (State{0}));
  EXPECT_EQ(decision.taken().multiplier, (std::vector<double>{0.5}));
  EXPECT_EQ(decision.taken().rate, (std::vector<double>{0.0}));
  EXPECT_TRUE(decision.complete);
}

TEST(Decide, ASurfaceThatRepelsHasSeveralSolutions) {
  const SurfaceDecision decision = decide(one_surface(-1.0, 1.0));
  EXPECT_EQ(decision.kind, DecisionKind::several);
  EXPECT_TRUE(decision.candidates[0].consistent);
  EXPECT_TRUE(decision.candidates[1].consistent);
  EXPECT_EQ(
      candidate_of(decision, {0})->verdict,
      "surface 1 would be kept, but does not attract: its + side moves at 1, its - side at -1");
}

/// The same without a look at attraction: multipliers inside their range are enough.
int consistent_without_attraction(const SurfaceDecision& decision) {
  int n = 0;
  for (const SurfaceCandidate& candidate : decision.candidates) {
    bool fits = true;
    for (std::size_t k = 0; k < candidate.state.size(); ++k) {
      fits = fits && (candidate.state[k] == 0 ? std::fabs(candidate.multiplier[k]) < 1.0
                                              : candidate.state[k] * candidate.rate[k] > 0.0);
    }
    n += fits ? 1 : 0;
  }
  return n;
}

TEST(Decide, WithoutAttractionWrongCandidatesAreFound) {  // the twin
  EXPECT_EQ(consistent_without_attraction(decide(one_surface(-1.0, 1.0))), 3);
  // On two surfaces what is unique would become ambiguous.
  std::mt19937_64 random(9101);
  int n_spoilt = 0;
  for (int i = 0; i < 2000; ++i) {
    const SurfaceDecision decision = decide(random_table(2, random));
    n_spoilt +=
        decision.kind == DecisionKind::unique && consistent_without_attraction(decision) > 1;
  }
  EXPECT_GT(n_spoilt, 10);
}

TEST(Decide, AnExitIsDecidedByTheNextDerivative) {  // (S.7)
  // The + side moves along the surface, the - side towards it: u = 1.
  const NormalVelocities exit = one_surface(2.0, 0.0);
  const SurfaceDecision leaves = decide(exit, with_second_derivatives(0.0, 0.5));
  ASSERT_EQ(leaves.kind, DecisionKind::unique);
  EXPECT_EQ(leaves.taken().state, (State{1}));
  EXPECT_TRUE(leaves.taken().by_second_order);
  EXPECT_EQ(
      candidate_of(leaves, {0})->verdict,
      "surface 1 would be kept, but its + side moves along it and its second derivative is 0.5");

  const SurfaceDecision stays = decide(exit, with_second_derivatives(0.0, -0.5));
  ASSERT_EQ(stays.kind, DecisionKind::unique);
  EXPECT_EQ(stays.taken().state, (State{0}));
  EXPECT_EQ(stays.taken().multiplier, (std::vector<double>{1.0}));
  EXPECT_TRUE(stays.taken().by_second_order);
}

TEST(Decide, AVelocityThatIsNegligibleIsNoVelocity) {
  for (const double rounding : {-1e-13, 1e-13}) {
    for (const double second : {-0.5, 0.5}) {
      const SurfaceDecision decision =
          decide(one_surface(2.0, rounding), with_second_derivatives(0.0, second));
      ASSERT_EQ(decision.kind, DecisionKind::unique);
      EXPECT_EQ(decision.taken().state, (State{static_cast<std::int8_t>(second > 0.0 ? 1 : 0)}));
      EXPECT_LE(std::fabs(decision.taken().multiplier[0]), 1.0);
    }
  }
  // The twin: with a smaller limit the sign of the rounding error decides, second derivatives nothing.
  EXPECT_EQ(
      decide(one_surface(2.0, -1e-13, 1e-15), with_second_derivatives(0.0, 0.5)).taken().state,
      (State{0}));
}

TEST(Decide, ATangencyWithoutANextDerivativeIsRefused) {
  const SurfaceDecision decision = decide(one_surface(2.0, 0.0));
  EXPECT_EQ(decision.kind, DecisionKind::impossible);
  EXPECT_EQ(candidate_of(decision, {1})->verdict,
            "surface 1 would be left to its + side, but that side moves along it and the next "
            "derivative is not known");
  EXPECT_EQ(decide(one_surface(2.0, 0.0), with_second_derivatives(0.0, 0.0)).kind,
            DecisionKind::impossible);
}

TEST(Decide, DegenerateTablesAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const NormalVelocities& v : {one_surface(0.0, 0.0), one_surface(nan, -1.0),
                                    one_surface(1.0, nan), one_surface(nan, nan)}) {
    EXPECT_EQ(decide(v).kind, DecisionKind::impossible);
  }
  // both sides of both surfaces move along them
  const NormalVelocities still{
      .n_surfaces = 2, .rate = std::vector<double>(8, 0.0), .negligible = {0, 0}};
  EXPECT_EQ(decide(still).kind, DecisionKind::impossible);
  // (+, -) -> (-, 0): one side tangent, the other away; two ways to go on if the tangent one curves away
  EXPECT_EQ(decide(one_surface(-1.0, 0.0), with_second_derivatives(0.0, 1.0)).kind,
            DecisionKind::several);
  EXPECT_EQ(decide(one_surface(-1.0, 0.0), with_second_derivatives(0.0, -1.0)).taken().state,
            (State{-1}));
}

TEST(Decide, NextDerivativesAreAskedForOnlyWhereTheyDecide) {
  int n_asked = 0;
  DecideOptions options;
  options.second_derivative = [&](const SurfaceCandidate&, std::uint32_t) {
    ++n_asked;
    return std::optional<double>();
  };
  decide(one_surface(2.0, -1.0), options);
  EXPECT_EQ(n_asked, 0);
  decide(one_surface(2.0, 0.0), options);  // left to its + side, or kept
  EXPECT_EQ(n_asked, 2);
}

TEST(Decide, NoSurfaceIsNoQuestion) {
  const SurfaceDecision decision = decide(NormalVelocities{});
  EXPECT_EQ(decision.kind, DecisionKind::unique);
  EXPECT_TRUE(decision.taken().state.empty());
}

TEST(Decide, ConsistentCandidatesComeFirstThoseThatKeepFewerBefore) {
  std::mt19937_64 random(9102);
  int n_several = 0;
  for (int i = 0; i < 3000; ++i) {
    const SurfaceDecision decision = decide(random_table(2, random));
    std::size_t n_consistent = 0;
    for (std::size_t c = 0; c < decision.candidates.size(); ++c) {
      const SurfaceCandidate& candidate = decision.candidates[c];
      EXPECT_EQ(candidate.consistent, candidate.verdict.empty());
      n_consistent += candidate.consistent ? 1 : 0;
      if (c > 0 && candidate.consistent) {
        EXPECT_TRUE(decision.candidates[c - 1].consistent);
        EXPECT_LE(decision.candidates[c - 1].n_kept(), candidate.n_kept());
      }
    }
    EXPECT_EQ(decision.kind, n_consistent == 0   ? DecisionKind::impossible
                             : n_consistent == 1 ? DecisionKind::unique
                                                 : DecisionKind::several);
    n_several += n_consistent > 1 ? 1 : 0;
  }
  EXPECT_GT(n_several, 100);
}

/// What a candidate claims, by the definition: rates by sums over all vertices in double, attraction by
/// moving one multiplier.
bool holds_by_definition(const NormalVelocities& v, const SurfaceCandidate& candidate) {
  const auto rate = [&](const std::vector<double>& u, std::uint32_t k) {
    double sum = 0.0;
    for (std::uint32_t b = 0; b < v.n_vertices(); ++b) {
      double weight = 1.0;
      for (std::uint32_t j = 0; j < v.n_surfaces; ++j) {
        weight *= (b >> j & 1U) != 0 ? 0.5 * (1.0 + u[j]) : 0.5 * (1.0 - u[j]);
      }
      sum += weight * v(b, k);
    }
    return sum;
  };
  for (std::uint32_t k = 0; k < v.n_surfaces; ++k) {
    if (candidate.state[k] != 0) {
      if (!(candidate.state[k] * rate(candidate.multiplier, k) > 0.0)) {
        return false;
      }
      continue;
    }
    std::vector<double> u = candidate.multiplier;
    const double own = rate(u, k);
    u[k] = 1.0;
    const double plus = rate(u, k);
    u[k] = -1.0;
    const double minus = rate(u, k);
    // 16 vertices, each with a weight of up to 4 rounded factors
    if (!(std::fabs(own) <= 128 * std::numeric_limits<double>::epsilon()) || !(plus < 0.0) ||
        !(minus > 0.0)) {
      return false;
    }
  }
  return true;
}

TEST(Decide, ConsistentCandidatesHoldByDefinition) {  // (S.2)
  std::mt19937_64 random(9103);
  int n_checked = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::uint32_t m = 1 + static_cast<std::uint32_t>(i % 4);
    const NormalVelocities v = random_table(m, random);
    for (const SurfaceCandidate& candidate : decide(v).candidates) {
      if (candidate.consistent && !candidate.repels) {
        ++n_checked;
        EXPECT_TRUE(holds_by_definition(v, candidate)) << i;
        // The twin: backwards in time nothing of it is.
        NormalVelocities backwards = v;
        for (double& rate : backwards.rate) {
          rate = -rate;
        }
        EXPECT_FALSE(holds_by_definition(backwards, candidate)) << i;
      }
    }
  }
  EXPECT_GT(n_checked, 2000);
}

TEST(Decide, AFlippedSurfaceGivesTheMirroredDecisionBitByBit) {
  std::mt19937_64 random(9104);
  for (int i = 0; i < 1500; ++i) {
    const std::uint32_t m = 1 + static_cast<std::uint32_t>(i % 3);
    const NormalVelocities v = random_table(m, random);
    const std::uint32_t k = static_cast<std::uint32_t>(i / 3) % m;
    const SurfaceDecision plain = decide(v);
    const SurfaceDecision mirrored = decide(flipped(v, k));
    ASSERT_EQ(plain.kind, mirrored.kind) << i;
    EXPECT_EQ(plain.candidates.size(), mirrored.candidates.size());
    for (const SurfaceCandidate& candidate : plain.candidates) {
      if (!candidate.consistent) {
        continue;
      }
      State state = candidate.state;
      state[k] = static_cast<std::int8_t>(-state[k]);
      std::vector<double> multiplier = candidate.multiplier;
      multiplier[k] = -multiplier[k];
      std::vector<double> rate = candidate.rate;
      rate[k] = -rate[k];
      EXPECT_TRUE(std::any_of(mirrored.candidates.begin(), mirrored.candidates.end(),
                              [&](const SurfaceCandidate& other) {
                                return other.consistent && other.state == state &&
                                       other.multiplier == multiplier && other.rate == rate;
                              }))
          << i;
    }
  }
}

TEST(Decide, TheOrderOfSurfacesDoesNotMatter) {
  std::mt19937_64 random(9105);
  for (int i = 0; i < 500; ++i) {
    const NormalVelocities v = random_table(3, random);
    std::vector<std::uint32_t> order{0, 1, 2};
    std::shuffle(order.begin(), order.end(), random);
    const SurfaceDecision plain = decide(v);
    const SurfaceDecision other = decide(permuted(v, order));
    ASSERT_EQ(plain.kind, other.kind) << i;
    if (plain.kind != DecisionKind::unique) {
      continue;
    }
    for (std::uint32_t k = 0; k < 3; ++k) {
      EXPECT_EQ(other.taken().state[k], plain.taken().state[order[k]]) << i;
    }
  }
}

/// Nodal attraction: all four vertices move towards both surfaces.
NormalVelocities attractive_pair(double mixed) {
  return {.n_surfaces = 2,
          .rate = {1.0 + mixed, 1.0, -1.0 - mixed, 1.0, 1.0 - mixed, -1.0, -1.0 + mixed, -0.5},
          .negligible = {1e-12, 1e-12}};
}

TEST(Decide, AMotionOnTwoSurfacesThatDependsOnTheRuleSaysSo) {
  NormalVelocities additive = attractive_pair(0.0);
  additive.rate[7] = -1.0;  // V = -(u_1, u_2)
  EXPECT_EQ(decide(additive).kind, DecisionKind::unique);
  EXPECT_FALSE(decide(additive).depends_on_rule);
  EXPECT_EQ(decide(additive, {.rule = SlidingRule::reject, .second_derivative = {}}).kind,
            DecisionKind::unique);

  const SurfaceDecision decision = decide(attractive_pair(0.25));
  ASSERT_EQ(decision.kind, DecisionKind::unique);
  EXPECT_EQ(decision.taken().n_kept(), 2U);
  EXPECT_TRUE(decision.depends_on_rule);
  const SurfaceDecision refused =
      decide(attractive_pair(0.25), {.rule = SlidingRule::reject, .second_derivative = {}});
  EXPECT_EQ(refused.kind, DecisionKind::impossible);
  EXPECT_EQ(refused.candidates.front().state, (State{0, 0}));
  EXPECT_NE(refused.candidates.front().verdict, "");
}

TEST(Decide, ByMomentsMultipliersAreMeanSides) {
  const NormalVelocities v = attractive_pair(0.25);
  const SurfaceDecision decision =
      decide(v, {.rule = SlidingRule::moments, .second_derivative = {}});
  ASSERT_EQ(decision.kind, DecisionKind::unique);
  std::vector<double> w(4);
  ASSERT_TRUE(moment_weights(v, w));
  std::vector<double> u(2);
  mean_sides(w, u);
  EXPECT_EQ(decision.taken().multiplier, u);
  EXPECT_NE(decision.taken().multiplier, decide(v).taken().multiplier);
}

TEST(Decide, TwoMotionsOnTheSamePairOfSurfacesAreBothListed) {
  // (S.5) has two zeros in the box, (1/8, 3/4) and (3/8, 1/4).
  const auto rate = [](double u0, double u1) {
    return std::array<double, 2>{u0 * u1 - 0.09375, u0 + 0.5 * u1 - 0.5};
  };
  NormalVelocities v{.n_surfaces = 2, .rate = {}, .negligible = {0.0, 0.0}};
  for (const auto& [u0, u1] : {std::pair{-1.0, -1.0}, {1.0, -1.0}, {-1.0, 1.0}, {1.0, 1.0}}) {
    v.rate.insert(v.rate.end(), {rate(u0, u1)[0], rate(u0, u1)[1]});
  }
  const SurfaceDecision decision = decide(v);
  EXPECT_NE(candidate_of(decision, {0, 0}, 0), nullptr);
  EXPECT_NE(candidate_of(decision, {0, 0}, 1), nullptr);
  EXPECT_EQ(decision.candidates.size(), 10U);
}

TEST(Decide, TheOnlyMotionThereIsIsTakenThoughASurfaceRepelsByItself) {
  // V_1 = -0.002 + 0.13 u_1 + 0.82 u_2, V_2 = -0.005 - 0.415 u_1 - 0.766 u_2: surface 1 repels by itself, but
  // sliding on surface 2 leads back to it from both of its sides, as the determinant is positive.
  NormalVelocities v{.n_surfaces = 2, .rate = {}, .negligible = {1e-12, 1e-12}};
  for (const auto& [u0, u1] : {std::pair{-1.0, -1.0}, {1.0, -1.0}, {-1.0, 1.0}, {1.0, 1.0}}) {
    v.rate.push_back(-0.002 + 0.13 * u0 + 0.82 * u1);
    v.rate.push_back(-0.005 - 0.415 * u0 - 0.766 * u1);
  }
  const SurfaceDecision decision = decide(v);
  ASSERT_EQ(decision.kind, DecisionKind::unique);
  EXPECT_EQ(decision.taken().state, (State{0, 0}));
  EXPECT_TRUE(decision.taken().repels);
  EXPECT_EQ(decision.taken().verdict, "");
  // The twin: where there are other motions, one that repels is none of them.
  const SurfaceDecision apart = decide(one_surface(-1.0, 1.0));
  EXPECT_TRUE(candidate_of(apart, {0})->repels);
  EXPECT_FALSE(candidate_of(apart, {0})->consistent);
}

TEST(Decide, AffineTablesAreAlwaysDecidedOrAmbiguous) {
  // A solution exists (Filippov): `impossible` needs a degenerate table, or one that is not affine.
  std::mt19937_64 random(9107);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  int n_repelling = 0;
  for (int i = 0; i < 5000; ++i) {
    NormalVelocities v{
        .n_surfaces = 2, .rate = std::vector<double>(8), .negligible = {1e-12, 1e-12}};
    for (std::uint32_t k = 0; k < 2; ++k) {
      const double c0 = uniform(random);
      const double c1 = uniform(random);
      const double c2 = uniform(random);
      for (std::uint32_t b = 0; b < 4; ++b) {
        v.rate[2 * b + k] = c0 + ((b & 1U) != 0 ? c1 : -c1) + ((b & 2U) != 0 ? c2 : -c2);
      }
    }
    const SurfaceDecision decision = decide(v);
    EXPECT_NE(decision.kind, DecisionKind::impossible) << i;
    n_repelling += decision.kind == DecisionKind::unique && decision.taken().repels ? 1 : 0;
  }
  EXPECT_GT(n_repelling, 0);
  EXPECT_LT(n_repelling, 250);
}

TEST(Decide, FiveSurfacesThatAreNotAffineAreRefused) {
  std::mt19937_64 random(9106);
  const SurfaceDecision decision = decide(random_table(5, random));
  EXPECT_EQ(decision.kind, DecisionKind::impossible);
  EXPECT_FALSE(decision.complete);
  EXPECT_EQ(decision.candidates.front().verdict,
            "more than 4 surfaces at once, and velocities are not affine in their multipliers");
}

}  // namespace
}  // namespace saltus
