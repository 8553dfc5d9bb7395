// Surfaces that hold more than their sides say: static friction, (S.9).
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include <saltus/slide/decide.hpp>
#include <saltus/system/contract.hpp>

#include "sliding_cases.hpp"

namespace saltus::sliding_test {
namespace {

using HeldState = std::vector<std::int8_t>;

/// Velocity c - u: the - side moves at c + 1, the + side at c - 1.
SurfaceDecision decide_loaded(double c, double hold) {
  DecideOptions options;
  options.hold = {hold};
  return decide(NormalVelocities{.n_surfaces = 1, .rate = {c + 1, c - 1}, .negligible = {1e-12}},
                options);
}

TEST(Hold, ASurfaceIsKeptAsFarAsItHolds) {
  for (const double c : {-1.4, -1.1, -0.5, 0.0, 0.5, 1.1, 1.4}) {
    const SurfaceDecision decision = decide_loaded(c, 1.5);
    ASSERT_EQ(decision.kind, DecisionKind::unique) << c;
    EXPECT_EQ(decision.taken().state, (HeldState{0})) << c;
    EXPECT_NEAR(decision.taken().multiplier[0], c, 1e-15) << c;
  }
  for (const double c : {-1.6, -2.5, 1.6, 2.5}) {
    const SurfaceDecision decision = decide_loaded(c, 1.5);
    ASSERT_EQ(decision.kind, DecisionKind::unique) << c;
    EXPECT_EQ(decision.taken().state, (HeldState{static_cast<std::int8_t>(c > 0 ? 1 : -1)})) << c;
    // It moves as its side does, not as what held it would let it.
    EXPECT_EQ(decision.taken().rate[0], c > 0 ? c - 1 : c + 1) << c;
  }
}

TEST(Hold, WithoutItTheSameLoadCrosses) {  // the twin
  EXPECT_EQ(decide_loaded(1.1, 1.0).taken().state, (HeldState{1}));
  EXPECT_EQ(decide_loaded(-1.4, 1.0).taken().state, (HeldState{-1}));
}

TEST(Hold, TheVerdictsSayWhatHolds) {
  const SurfaceDecision held = decide_loaded(1.25, 1.5), left = decide_loaded(1.75, 1.5);
  bool said = false;
  for (const SurfaceCandidate& c : held.candidates)
    said = said || c.verdict ==
                       "surface 1 would be left to its + side, but is held by up to 1.5 times what "
                       "acts beside it";
  EXPECT_TRUE(said);
  said = false;
  for (const SurfaceCandidate& c : left.candidates)
    said = said || c.verdict ==
                       "surface 1 would be kept, but its multiplier 1.75 is not inside (-1.5, 1.5)";
  EXPECT_TRUE(said);
}

/// Blocks that act on each other a little: the table and the affine search look at the same candidates.
TEST(Hold, TablesAndAffineSearchesAgree) {
  std::mt19937_64 random(9201);
  std::uniform_real_distribution<double> load(-2.0, 2.0), coupling(-0.2, 0.2), more(1.0, 1.8);
  int n_held_beyond = 0;
  for (int i = 0; i < 300; ++i) {
    constexpr std::uint32_t m = 3;
    AffineVelocities affine{std::vector<double>(m), Matrix(m, m), std::vector<double>(m, 1e-12)};
    DecideOptions options;
    for (std::uint32_t k = 0; k < m; ++k) {
      affine.v[k] = load(random);
      for (std::uint32_t j = 0; j < m; ++j) affine.m(k, j) = j == k ? -1.0 : coupling(random);
      options.hold.push_back(more(random));
    }
    NormalVelocities table{.n_surfaces = m, .rate = {}, .negligible = affine.negligible};
    for (std::uint32_t b = 0; b < table.n_vertices(); ++b) {
      for (std::uint32_t k = 0; k < m; ++k) {
        double rate = affine.v[k];
        for (std::uint32_t j = 0; j < m; ++j)
          rate += affine.m(k, j) * ((b >> j & 1U) != 0 ? 1.0 : -1.0);
        table.rate.push_back(rate);
      }
    }
    const SurfaceDecision one = decide(table, options), other = decide(affine, options);
    ASSERT_EQ(one.kind, other.kind) << i;
    if (one.kind != DecisionKind::unique) continue;
    EXPECT_EQ(one.taken().state, other.taken().state) << i;
    for (std::uint32_t k = 0; k < m; ++k) {
      EXPECT_NEAR(one.taken().multiplier[k], other.taken().multiplier[k], 1e-12) << i;
      if (one.taken().state[k] == 0) {
        EXPECT_LE(std::abs(one.taken().multiplier[k]), options.hold[k]);
        n_held_beyond += std::abs(one.taken().multiplier[k]) > 1.0 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(n_held_beyond, 30);
}

/// Sticks at v = 0 under a load of y; static friction grows with y as well.
std::shared_ptr<const System> loaded_pad() {
  Model m("pad");
  Expr v = m.state("v", 0.0), y = m.state("y", 0.3);
  m.equation(der(v) == y + m.friction("pad", v, 2.0, {.mu_kinetic = 0.5, .mu_static = 0.75 + y}));
  m.equation(der(y) == 1.0);
  return compiled(m);
}

TEST(Hold, ExitsAreWhereStaticFrictionEnds) {
  for (const SlidingForm form :
       {SlidingForm::eliminated, SlidingForm::mixed, SlidingForm::copies}) {
    SlidingOptions options;
    options.form = form;
    Slider s(loaded_pad(), {0.0, 0.3}, options);
    ASSERT_NE(s.functions, nullptr);
    const StartValues start = s.sliding->start_values();
    std::vector<double> g(s.functions->count());
    ASSERT_TRUE(static_cast<bool>(s.functions->evaluate(0.0, start.x, start.xdot, g)));
    // u = y = 0.3, h = 0.5 / 1.05
    const std::size_t n = g.size();
    EXPECT_NEAR(g[n - 2], 1.0 - 0.3 * 0.5 / 1.05, 1e-12);
    EXPECT_NEAR(g[n - 1], 1.0 + 0.3 * 0.5 / 1.05, 1e-12);
    std::vector<double> gdot(n);
    ASSERT_TRUE(static_cast<bool>(s.functions->rates(0.0, start.x, start.xdot, g, gdot)));
    if (form == SlidingForm::eliminated) continue;  // start.xdot is a guess there
    // d/dt (y / (1.5 + 2 y)) = 1.5 / (1.5 + 2 y)^2; by a difference of first order over eps^(1/3)
    EXPECT_NEAR(gdot[n - 2], -1.5 / (2.1 * 2.1), 1e-4);
  }
}

}  // namespace
}  // namespace saltus::sliding_test
