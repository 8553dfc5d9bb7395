#include "reduce/array/rank_memory.hpp"

#include <gtest/gtest.h>

#include "analysed_models.hpp"

namespace saltus {
namespace {

using namespace testing_support;

/// Coefficients of level 2 at a path of one value everywhere.
struct ArrayAt {
  std::shared_ptr<const System> system;
  std::unique_ptr<Workspace> workspace;
  std::unique_ptr<detail::ScaledArray<Quad>> array;
  ArrayScaling scaling;

  explicit ArrayAt(const Model& m) : system(compiled(m)), workspace(system->workspace()) {
    array = std::make_unique<detail::ScaledArray<Quad>>(*system, *workspace, 0.3);
    scaling = detail::unit_scaling(*system);
  }
  detail::ArrayCoefficients<Quad> coefficients(double value, int level = 2) const {
    detail::ArrayCoefficients<Quad> c;
    const std::vector<Quad> path(array->n_columns(level), Quad(value));
    EXPECT_TRUE(static_cast<bool>(array->coefficients(path, level, scaling, c)));
    return c;
  }
};

std::size_t computed_at_two_points(const Model& m) {
  const ArrayAt a(m);
  detail::RankMemory memory;
  for (const double value : {0.5, 0.7}) {
    const detail::Reading r =
        memory.levels(*a.array, a.coefficients(value), 3, a.scaling, detail::fine_rank_tolerance);
    EXPECT_EQ(r.levels.size(), 3u);
    EXPECT_EQ(r.levels[2].level, 2);
  }
  return memory.n_computed();
}

TEST(RankMemory, LinearModelsAreReadOnce) {
  Model linear("linear");
  write_sticking_bodies(linear);
  EXPECT_EQ(computed_at_two_points(linear), 3u);
  Model nonlinear("nonlinear");
  write_pendulum(nonlinear);
  EXPECT_EQ(computed_at_two_points(nonlinear), 6u);
}

TEST(RankMemory, LowerLevelsAreKnownFromBefore) {
  Model m("m");
  write_sticking_bodies(m);
  const ArrayAt a(m);
  detail::RankMemory memory;
  const double tolerance = detail::fine_rank_tolerance;
  (void)memory.levels(*a.array, a.coefficients(0.5, 1), 2, a.scaling, tolerance);
  EXPECT_EQ(memory.n_computed(), 2u);
  (void)memory.levels(*a.array, a.coefficients(0.5, 2), 3, a.scaling, tolerance);
  EXPECT_EQ(memory.n_computed(), 3u);
  // Another unit of time is another matter.
  ArrayScaling other = a.scaling;
  other.time_exponent = 3;
  (void)memory.levels(*a.array, a.coefficients(0.5, 2), 3, other, tolerance);
  EXPECT_EQ(memory.n_computed(), 6u);
}

TEST(RankMemory, ATighterToleranceAnswersForALooserOneIfNothingIsBetween) {
  const auto computed_with = [](double small) {
    Model m("m");
    Expr x = m.state("x", 1.0), y = m.state("y", 1.0), e = m.parameter("e", small);
    m.equation(der(x) == -x);
    m.equation(e * der(y) == -x);
    const ArrayAt a(m);
    detail::RankMemory memory;
    const auto c = a.coefficients(0.5, 0);
    const auto fine = memory.ranks(*a.array, c, 0, a.scaling, detail::fine_rank_tolerance);
    const auto coarse = memory.ranks(*a.array, c, 0, a.scaling, detail::coarse_rank_tolerance);
    EXPECT_EQ(fine.m.rank, 2u);
    return std::pair(coarse.m.rank, memory.n_computed());
  };
  EXPECT_EQ(computed_with(1e-3), std::pair(2u, std::size_t{1}));
  EXPECT_EQ(computed_with(1e-15), std::pair(1u, std::size_t{2}));
}

}  // namespace
}  // namespace saltus
