// Jumps and impulses without steps, beside those of steps and beside closed forms.
#include <algorithm>
#include <cmath>
#include <optional>

#include <gtest/gtest.h>

#include "initialize/impulse_map.hpp"
#include "problems/random_pencil_study.hpp"
#include "unit/initialize/started_models.hpp"

namespace saltus {
namespace {

using namespace testing_support;
using problems::RandomPencil;

struct BothWays {
  explicit BothWays(Started& s, double t = 0.0) {
    const auto analysis = analyze_index(*s.system, *s.workspace, t, s.start);
    if (!analysis) return;
    blocks = jump_of_blocks(*s.system, *s.workspace, t, s.start.x, *analysis, n_evaluations);
    auto limit = detail::jump_of_steps(*s.system, *s.workspace, t, s.start.x, *analysis);
    if (limit) steps = std::move(*limit);
  }
  std::optional<ImpulsiveJump> blocks, steps;
  std::uint64_t n_evaluations = 0;
};

/// The largest difference of values and of impulses, each over the largest of its kind.
double jumps_differ_by(const ImpulsiveJump& one, const ImpulsiveJump& two) {
  const auto differ = [](const std::vector<double>& a, const std::vector<double>& b) {
    double size = 1.0, off = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      size = std::max(size, std::abs(a[i]));
      off = std::max(off, std::abs(a[i] - b[i]));
    }
    return off / size;
  };
  return std::max(differ(one.x, two.x), differ(one.strength, two.strength));
}

// (I.6): C1 (v1+ - 10) = i, C2 (v2+ - 2) = -i, v1+ = v2+. One step, one that shows it, and what is inside.
TEST(ImpulseBlocks, I6_ParallelCapacitorsNeedNoSteps) {
  Model m("capacitors");
  write_parallel_capacitors(m);
  Started s(m);
  const BothWays found(s);
  ASSERT_TRUE(found.blocks && found.steps);
  EXPECT_EQ(found.n_evaluations, 5u);
  EXPECT_EQ(found.blocks->x[s.index_of("v1")], 4.0);
  EXPECT_EQ(found.blocks->x[s.index_of("v2")], 4.0);
  EXPECT_EQ(found.blocks->strength[s.index_of("i")], -6.0);
  EXPECT_LE(jumps_differ_by(*found.blocks, *found.steps), 1e-12);
}

// Steps are known to 1e-9 at best, and to 1e-7 where they are accepted at all.
TEST(SlowImpulseBlocks, I3_I4_I6_StepsAndBlocksAgreeOnRandomPencils) {
  constexpr std::uint64_t n_cases = 150;
  std::uint64_t n_blocks = 0, n_steps = 0, n_close = 0, n_twins_seen = 0;
  for (std::uint64_t seed = 40001; seed <= 40000 + n_cases; ++seed) {
    RandomPencil pencil(seed);
    Model m("pencil");
    pencil.write(m);
    Started s(m);
    const BothWays found(s, pencil.t0);
    n_blocks += found.blocks.has_value();
    n_steps += found.steps.has_value();
    if (!found.blocks || !found.steps) continue;
    const double off = jumps_differ_by(*found.blocks, *found.steps);
    EXPECT_LE(off, 1e-7) << seed << ": " << pencil.text;
    n_close += off <= 1e-9;
    // The twin: the same left limit, one coefficient changed.
    pencil.f(0, 0) += 1e-3 * (1.0 + std::abs(pencil.f(0, 0)));
    Model changed("changed");
    pencil.write(changed);
    Started other(changed);
    const BothWays of_twin(other, pencil.t0);
    n_twins_seen += !of_twin.steps || jumps_differ_by(*found.blocks, *of_twin.steps) > 1e-7;
  }
  EXPECT_EQ(n_blocks, n_cases);
  EXPECT_GE(n_steps, n_cases * 97 / 100);
  EXPECT_GE(n_close, n_steps * 9 / 10);
  // Those of pencils whose differential equations alone have changed do not jump by it.
  EXPECT_GE(n_twins_seen, n_steps / 2);
}

// q stays, v and lambda do not: what meets them is the same on both sides, whatever else turns with v.
TEST(ImpulseBlocks, AMassCaughtByARodIsNotLinearAndNeedsNoSteps) {
  Model m("caught");
  Expr x = m.state("x", 0.6), y = m.state("y", -0.8), u = m.state("u", 1.0), v = m.state("v", 0.5);
  Expr tension = m.algebraic("tension");
  m.equation(der(x) == u);
  m.equation(der(y) == v);
  m.equation(der(u) == -tension * x);
  m.equation(der(v) == -tension * y - 9.81);
  m.equation("rod", x * x + y * y == 1.0);
  Started s(m);
  const BothWays found(s);
  ASSERT_TRUE(found.blocks && found.steps);
  // (u, v) loses its part along (x, y): 0.6 - 0.4.
  EXPECT_NEAR(found.blocks->x[s.index_of("u")], 1.0 - 0.6 * 0.2, 1e-14);
  EXPECT_NEAR(found.blocks->x[s.index_of("v")], 0.5 + 0.8 * 0.2, 1e-14);
  EXPECT_NEAR(found.blocks->strength[s.index_of("tension")], 0.2, 1e-14);
  EXPECT_LE(found.n_evaluations, 9u);
  for (const char* name : {"x", "y", "u", "v"}) {
    const std::size_t i = s.index_of(name);
    EXPECT_NEAR(found.blocks->x[i], found.steps->x[i], 1e-9) << name;
  }
  // Caught too late: the position jumps, and the rod turns while it pulls.
  s.set({{"y", -0.81}});
  EXPECT_FALSE(BothWays(s).blocks.has_value());
}

// A position that is off by e, at rest: the tension on the way back is e delta', to first order in e.
TEST(ImpulseBlocks, SmallErrorsAreMappedToFirstOrder) {
  constexpr double e = 1e-4;
  Model m("hanging");
  Expr x = m.state("x", 0.0), y = m.state("y", -1.0 - e), u = m.state("u", 0.0);
  Expr v = m.state("v", 0.0), tension = m.algebraic("tension");
  m.equation(der(x) == u);
  m.equation(der(y) == v);
  m.equation(der(u) == -tension * x);
  m.equation(der(v) == -tension * y - 9.81);
  m.equation("rod", x * x + y * y == 1.0);
  Started s(m);
  const auto analysis = analyze_index(*s.system, *s.workspace, 0.0, s.start);
  ASSERT_TRUE(analysis.has_value());
  std::uint64_t n_evaluations = 0;
  const auto of = [&](BlockJumps wanted) {
    return jump_of_blocks(*s.system, *s.workspace, 0.0, s.start.x, *analysis, n_evaluations,
                          wanted);
  };
  EXPECT_FALSE(of(BlockJumps::exact).has_value());
  const auto found = of(BlockJumps::first_order);
  ASSERT_TRUE(found.has_value());
  EXPECT_FALSE(found->of_constant_coefficients);
  EXPECT_NEAR(found->strength[s.system->size() + s.index_of("tension")], e, 2 * e * e);
  EXPECT_NEAR(found->strength[s.index_of("v")], e, 2 * e * e);
}

// A current i delta moves an energy i v1 while v1 jumps: what that product is depends on the path, and steps take one.
TEST(ImpulseBlocks, CoefficientsThatJumpAreLeftToSteps) {
  Model m("lost energy");
  Expr v1 = m.state("v1", 10.0), v2 = m.state("v2", 2.0), i = m.algebraic("i");
  Expr energy = m.state("energy", 0.0);
  m.equation(der(v1) == i);
  m.equation(3.0 * der(v2) == -i);
  m.equation(v1 == v2);
  m.equation(der(energy) == i * v1);
  Started s(m);
  const BothWays found(s);
  EXPECT_FALSE(found.blocks.has_value());
  EXPECT_TRUE(found.steps.has_value());
}

// A force that is the same on both sides and another one under an impulse: |lambda| of both signs.
TEST(ImpulseBlocks, WhatAnImpulseMeetsInsideTheInstantCounts) {
  for (const bool is_bent : {false, true}) {
    Model m("bent");
    Expr v = m.state("v", 1.0), w = m.state("w", 0.0), lambda = m.algebraic("lambda");
    m.equation(der(v) == -lambda);
    m.equation(der(w) == (is_bent ? sqrt(lambda * lambda + 1.0) : lambda));
    m.equation("stop", v == 0.0);
    Started s(m);
    EXPECT_EQ(BothWays(s).blocks.has_value(), !is_bent);
  }
}

}  // namespace
}  // namespace saltus
