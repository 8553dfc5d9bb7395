// Higher derivatives at a point: where their search begins, when it inverts anew, and what a failure leaves.
#include <cmath>

#include "analysed_models.hpp"
#include "reduce/reduced/higher_derivatives.hpp"

#include <gtest/gtest.h>

namespace saltus::detail {
namespace {

using testing_support::compiled;
using Precision = HigherDerivatives::Precision;

/// A search on the array of a model at t = 0, from a path in Taylor coefficients, without scaling but of time.
struct HigherSearch {
  HigherSearch(const Model& m, int level, std::vector<double> path, Eigen::Index rank,
               int time_exponent = 0)
      : raw(compiled(m)), workspace(raw->workspace()) {
    analysis.values.mu = level;
    analysis.scaling = unit_scaling(*raw);
    analysis.scaling.time_exponent = time_exponent;
    analysis.path = std::move(path);
    array.emplace(*raw, *workspace, analysis, 0.0);
    higher.emplace(*array, ProjectorRanks{.m = rank, .a = 0, .d = 1}, 0.0);
    const std::vector<double> x(analysis.path.begin(), analysis.path.begin() + raw->size());
    EXPECT_TRUE(higher->renew(0.0, x));
  }
  HigherSearch(const HigherSearch&) = delete;
  bool find(double t, std::vector<double> x, Precision precision = Precision::converged) {
    return static_cast<bool>(higher->find(t, x, precision));
  }
  double y(Eigen::Index i = 0) { return array->y()[i]; }

  std::shared_ptr<const System> raw;
  std::unique_ptr<Workspace> workspace;
  IndexAnalysis analysis;
  std::optional<ArrayAtPoint> array;
  std::optional<HigherDerivatives> higher;
};

/// x' = t^2 + 1, which is known only where x' > t^2.
HigherSearch along_a_cubic(int time_exponent) {
  Model m("cubic");
  const Expr x = m.state("x", 0.0), t = m.time();
  m.equation(der(x) + sqrt(der(x) - t * t) == t * t + 2.0);
  // x = t + t^3 / 3
  return {m, 2, {0, 1, 0, 1.0 / 3}, 3, time_exponent};
}

/// x' + x'^3 = sqrt x: x' is 1 at x = 4, and M is 1 + 3 x'^2.
HigherSearch with_a_cube() {
  Model m("cube");
  const Expr x = m.state("x", 4.0);
  m.equation(der(x) + der(x) * der(x) * der(x) == sqrt(x));
  return {m, 0, {4, 1}, 1};
}

TEST(HigherDerivatives, ASearchBeginsFartherAlongTheSeriesOfTheLast) {
  for (const int exponent : {0, 3}) {
    HigherSearch s = along_a_cubic(exponent);
    // At t = 2 what was found at t = 0 is out of the domain: 1 < 4.
    ASSERT_TRUE(s.find(2.0, {2.0 + 8.0 / 3}));
    EXPECT_FALSE(s.higher->was_slow());
    const double unit = std::ldexp(1.0, exponent);
    EXPECT_NEAR(s.y(0), 5.0 * unit, 1e-12 * unit);
    EXPECT_NEAR(s.y(1), 2.0 * unit * unit, 1e-12 * unit * unit);
    EXPECT_NEAR(s.y(2), unit * unit * unit / 3, 1e-12 * unit * unit * unit);
  }
}

TEST(HigherDerivatives, ASearchMayGoBackInTime) {
  HigherSearch s = along_a_cubic(0);
  ASSERT_TRUE(s.find(2.0, {2.0 + 8.0 / 3}));
  ASSERT_TRUE(s.find(-1.0, {-4.0 / 3}));
  EXPECT_FALSE(s.higher->was_slow());
  EXPECT_NEAR(s.y(0), 2.0, 1e-12);
  EXPECT_NEAR(s.y(1), -1.0, 1e-12);
}

TEST(HigherDerivatives, WhatMDoesNotSeeIsTakenOut) {
  Model m("unseen");
  const Expr x = m.state("x", 0.0), z = m.algebraic("z", {.guess = 1.0});
  m.equation(der(x) == z);
  m.equation(x == sin(m.time()));
  // x' = z and x' = cos t, and x'' = z': neither z' nor z'' by itself.
  HigherSearch s(m, 1, {0, 1, 1, 0, 0, 0}, 2);
  s.array->y() << 7.0, 2.0, 3.0, 5.0;
  ASSERT_TRUE(s.find(0.0, {0.0, 1.0}));
  EXPECT_NEAR(s.y(0), 1.0, 1e-13);
  for (const int i : {1, 2, 3}) EXPECT_NEAR(s.y(i), 0.0, 1e-13) << i;
}

/// Where x' is this.
std::vector<double> cube_at(double slope) {
  const double root = slope + slope * slope * slope;
  return {root * root};
}

TEST(HigherDerivatives, NearbyTheInverseStaysAsItIs) {
  HigherSearch s = with_a_cube();
  EXPECT_NEAR(s.higher->m()(0, 0), 4.0, 1e-14);
  ASSERT_TRUE(s.find(0.0, cube_at(1.01)));
  EXPECT_NEAR(s.y(), 1.01, 1e-12);
  EXPECT_FALSE(s.higher->was_slow());
  EXPECT_NEAR(s.higher->m()(0, 0), 4.0, 1e-14);
}

// Each step leaves 1 - 6.07 / 4 of the error.
TEST(HigherDerivatives, WhereItIsSlowTheInverseIsThatOfTheNewPoint) {
  HigherSearch s = with_a_cube();
  ASSERT_TRUE(s.find(0.0, cube_at(1.3)));
  EXPECT_NEAR(s.y(), 1.3, 1e-12);
  EXPECT_TRUE(s.higher->was_slow());
  EXPECT_GT(s.higher->m()(0, 0), 5.0);
  s.higher->set_slow(false);
  EXPECT_FALSE(s.higher->was_slow());
  ASSERT_TRUE(s.higher->renew(0.0, cube_at(1.3)));
  EXPECT_NEAR(s.higher->m()(0, 0), 6.07, 1e-10);
  EXPECT_NEAR(s.higher->inverses().m.inverse()(0, 0), 1.0 / 6.07, 1e-12);
}

TEST(HigherDerivatives, ExactValuesAreThoseOfWhatWasFound) {
  HigherSearch s = with_a_cube();
  ASSERT_TRUE(s.find(0.0, {4.2}, Precision::exact));
  const double y = s.y();
  EXPECT_EQ(s.array->phi()[0], y + y * y * y - std::sqrt(4.2));
}

TEST(HigherDerivatives, AFailureLeavesWhatWasAcceptedLast) {
  HigherSearch s = with_a_cube();
  ASSERT_TRUE(s.find(0.0, cube_at(1.3)));
  const std::vector<double> outside{-1.0};
  const Evaluation failed = s.higher->find(0.0, outside, Precision::converged);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.row(), 1u);  // the first constraint comes behind d rows
  EXPECT_EQ(s.y(), 1.0);
  ASSERT_TRUE(s.find(0.0, cube_at(1.3)));
  s.higher->accept();
  ASSERT_TRUE(s.find(0.0, {4.0}));
  EXPECT_FALSE(s.find(0.0, outside));
  EXPECT_NEAR(s.y(), 1.3, 1e-12);
  EXPECT_NEAR(s.higher->accepted().y[0], 1.3, 1e-12);
}

TEST(HigherDerivatives, WhatWasAcceptedBelongsToItsTime) {
  HigherSearch s = along_a_cubic(0);
  ASSERT_TRUE(s.find(2.0, {2.0 + 8.0 / 3}));
  s.higher->accept();
  EXPECT_EQ(s.higher->accepted().t, 2.0);
  // From t = 2 along the series back to 0, there is no other way into the domain at t = 3.
  s.array->y()[0] = -50.0;
  ASSERT_TRUE(s.find(3.0, {3.0 + 9.0}));
  EXPECT_NEAR(s.y(0), 10.0, 1e-12);
}

TEST(HigherDerivatives, SearchesForOthersLeaveNoTrace) {
  HigherSearch s = with_a_cube();
  s.higher->keep();
  s.higher->use_local();
  EXPECT_NE(&s.higher->inverses(), &s.higher->of_engine());
  s.array->y()[0] = 2.0;
  ASSERT_TRUE(s.higher->renew(0.0, cube_at(2.0)));
  ASSERT_TRUE(s.find(0.0, cube_at(2.0)));
  EXPECT_NEAR(s.higher->inverses().m.inverse()(0, 0), 1.0 / 13, 1e-12);
  s.higher->return_to_kept();
  EXPECT_EQ(s.y(), 1.0);
  EXPECT_EQ(&s.higher->inverses(), &s.higher->of_engine());
  EXPECT_NEAR(s.higher->of_engine().m.inverse()(0, 0), 0.25, 1e-14);
}

TEST(HigherDerivatives, WhatIsKeptIsKeptWithItsTime) {
  HigherSearch s = along_a_cubic(0);
  ASSERT_TRUE(s.find(2.0, {2.0 + 8.0 / 3}));
  s.higher->keep();
  ASSERT_TRUE(s.find(1.0, {1.0 + 1.0 / 3}));
  s.higher->return_to_kept();
  EXPECT_NEAR(s.y(0), 5.0, 1e-12);
  ASSERT_TRUE(s.find(4.0, {4.0 + 64.0 / 3}));
  EXPECT_FALSE(s.higher->was_slow());
  EXPECT_NEAR(s.y(0), 17.0, 1e-11);
}

TEST(HigherDerivatives, AnotherBeginningIsAcceptedAtOnce) {
  HigherSearch s = with_a_cube();
  s.higher->use_local();
  s.higher->begin_again({Eigen::VectorXd::Constant(1, 2.0), 5.0});
  EXPECT_EQ(s.y(), 2.0);
  EXPECT_EQ(s.higher->accepted().y[0], 2.0);
  EXPECT_EQ(s.higher->accepted().t, 5.0);
  EXPECT_EQ(&s.higher->inverses(), &s.higher->of_engine());
  EXPECT_FALSE(s.find(5.0, {-1.0}));
  EXPECT_EQ(s.y(), 2.0);
}

TEST(HigherDerivatives, ANewInverseHasNoCorrectionOfConstraintsYet) {
  HigherSearch s = with_a_cube();
  s.higher->inverses().has_correction = true;
  s.higher->invert_here();
  EXPECT_FALSE(s.higher->inverses().has_correction);
}

}  // namespace
}  // namespace saltus::detail
