// Departures along single steps: what is found, where, and what is said about it.
#include <saltus/events.hpp>

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "support/expression_switching.hpp"

namespace saltus {
namespace {

using test::ExpressionSwitching;
using test::OwnedStep;

/// Functions of up to three unknowns along one step.
class Bench {
 public:
  using Write = std::function<std::vector<Expr>(Expr t, const std::vector<Expr>& x)>;

  Bench(OwnedStep step, const Write& write, const DetectionOptions& options = {},
        bool enclosed = true)
      : step_(std::move(step)) {
    const Expr t = time(graph_);
    std::vector<Expr> x;
    for (std::uint32_t i = 0; i < step_.n; ++i) x.push_back(state(graph_, "x" + std::to_string(i)));
    functions_ = std::make_unique<ExpressionSwitching>(graph_, step_.n, write(t, x));
    search_ = std::make_unique<DepartureSearch>(*functions_, enclosed ? functions_.get() : nullptr,
                                                options);
    side.assign(functions_->count(), 1);
  }

  std::vector<Departure> first(double s_from = 0.0) {
    const auto found =
        search_->first(step_.step(), s_from, {side, slack, uncertainty, reach, {}, leaves});
    return {found.begin(), found.end()};
  }
  double g(double t, std::uint32_t which = 0) {
    std::vector<double> x(step_.n), xdot(step_.n);
    step_.step().state_at(t, x);
    double value = 0.0;
    EXPECT_TRUE(functions_->evaluate_one(which, t, x, xdot, value));
    return value;
  }
  const DetectionCounts& counts(std::uint32_t which = 0) const { return search_->counts()[which]; }
  ExpressionSwitching& functions() { return *functions_; }

  std::vector<std::int8_t> side;
  std::vector<double> slack, uncertainty;
  double reach = 1.0;
  std::vector<std::uint8_t> leaves;
  std::span<const Approach> approaches() const { return search_->approaches(); }

 private:
  OwnedStep step_;
  Graph graph_;
  std::unique_ptr<ExpressionSwitching> functions_;
  std::unique_ptr<DepartureSearch> search_;
};

double ulps(double a, double b) {
  const double size = std::max(std::abs(a), std::abs(b));
  return std::abs(a - b) / (std::nextafter(size, INFINITY) - size);
}

const Bench::Write only_x = [](Expr, const std::vector<Expr>& x) { return std::vector{x[0]}; };

/// As x > 0 and x <= 0 have: the second is not looked at, and what is said of it is the same.
TEST(Departure, FunctionsWithTheSameValuesAreLookedAtOnce) {
  const auto twice = [](Expr, const std::vector<Expr>& x) { return std::vector{x[0], x[0]}; };
  Bench b({0.0, 1.0, {{0.5, -1.0}}}, twice);
  b.functions().set_same(1, 0);
  const auto both = b.first();
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[1].which, 1U);
  EXPECT_EQ(both[0].t_after, both[1].t_after);
  EXPECT_EQ(both[0].s_before, both[1].s_before);
  EXPECT_EQ(b.counts(1).n_proven, 1U);
  EXPECT_EQ(b.counts(1).n_evaluations, 0U);
  // From the other side, or with another tolerance, it is another question.
  b.side = {1, -1};
  EXPECT_EQ(b.first().size(), 1U);
  EXPECT_GT(b.counts(1).n_evaluations, 0U);
  b.side = {1, 1};
  b.slack = {0.0, 0.25};
  const auto different = b.first();
  ASSERT_EQ(different.size(), 1U);
  EXPECT_EQ(different[0].which, 0U);
  // Control: without a word of it both are searched.
  Bench unaware({0.0, 1.0, {{0.5, -1.0}}}, twice);
  ASSERT_EQ(unaware.first().size(), 2U);
  EXPECT_GT(unaware.counts(1).n_evaluations, 0U);
}

/// A blocked current: constant, nearer to its surface than the tolerance tells.
TEST(Departure, WhatRestsBesideItsSurfaceIsSettledByItsRange) {
  Bench b({0.0, 1.0, {{1e-9}}}, only_x);
  b.uncertainty = {1e-6};
  EXPECT_TRUE(b.first().empty());
  EXPECT_EQ(b.counts().n_marginal, 1U);
  ASSERT_EQ(b.approaches().size(), 1U);
  EXPECT_NEAR(b.approaches()[0].distance, 1e-9, 1e-20);
  const auto settled = b.counts().n_evaluations;
  // Control: one that moves has to be searched.
  Bench moving({0.0, 1.0, {{1e-9, 1e-7, -1e-7}}}, only_x);
  moving.uncertainty = {1e-6};
  EXPECT_TRUE(moving.first().empty());
  EXPECT_GT(moving.counts().n_evaluations, settled);
}

/// 0.5 - s, side +1.
TEST(Departure, ASimpleZeroIsBracketedToFourUlp) {
  Bench b({2.0, 3.0, {{0.5, -1.0}}}, only_x);
  const auto d = b.first();
  ASSERT_EQ(d.size(), 1U);
  EXPECT_EQ(d[0].guarantee, Guarantee::proven);
  EXPECT_LE(ulps(d[0].t_before, d[0].t_after), 4.0);
  EXPECT_LE(d[0].t_before, 2.5);
  EXPECT_GT(d[0].t_after, 2.5);
  EXPECT_GE(b.g(d[0].t_before), 0.0);
  EXPECT_LT(b.g(d[0].t_after), 0.0);
  EXPECT_EQ(b.counts().n_proven, 1U);
  // Control: from the other side there is nothing to leave.
  b.side = {-1};
  const auto at_once = b.first();
  ASSERT_EQ(at_once.size(), 1U);
  EXPECT_EQ(at_once[0].s_after, 0.0);
  EXPECT_TRUE(b.first(0.75).empty());
}

/// The same in units of the time itself, wherever it is in the step; a dozen evaluations do.
TEST(Departure, BracketsAreAsNarrowAsTheTimeIsFine) {
  const auto curve = [](Expr, const auto& x) { return std::vector{0.3 - sin(x[0])}; };
  for (const double t_left : {0.0, 1.0, -0.25, 1e3}) {
    for (const double slope : {0.5, 3.0, 100.0}) {
      Bench b({t_left, t_left + 1.0, {{0.0, slope}}}, curve);
      const auto d = b.first();
      ASSERT_EQ(d.size(), 1U);
      // A step that begins elsewhere knows its position only as far as t - t_left.
      const double unit = std::max(std::abs(d[0].t_after), d[0].t_after - t_left);
      EXPECT_LE(ulps(unit + d[0].t_after - d[0].t_before, unit), 4.0) << t_left << ' ' << slope;
      EXPECT_LT(b.g(d[0].t_after), 0.0);
      EXPECT_GE(b.g(d[0].t_before), 0.0);
      EXPECT_LE(b.functions().n_single_evaluations, 20U + 2U) << t_left << ' ' << slope;
    }
  }
}

TEST(Departure, BackwardInTime) {
  Bench b({3.0, 2.0, {{0.25, -1.0}}}, only_x);
  const auto d = b.first();
  ASSERT_EQ(d.size(), 1U);
  EXPECT_NEAR(d[0].t_after, 2.75, 4 * 0x1p-52 * 3);
  EXPECT_LT(b.g(d[0].t_after), 0.0);
  EXPECT_LT(d[0].t_after, d[0].t_before);
}

/// OrdinaryDiffEq.jl, issue 3222: zero at the begin of a step is not an event of the past if the function
/// goes on to the wrong side.
TEST(Departure, ZeroAtTheBeginAndThenTheWrongSideDepartsAtOnce) {
  Bench b({0.0, 1.0, {{0.0, -1.0, 0.25}}}, only_x);
  const auto d = b.first();
  ASSERT_EQ(d.size(), 1U);
  EXPECT_EQ(d[0].s_before, 0.0);
  EXPECT_LE(ulps(d[0].t_after + 1.0, 1.0), 4.0);
  EXPECT_LT(b.g(d[0].t_after), 0.0);
  EXPECT_EQ(d[0].guarantee, Guarantee::proven);
  // Its mirror image goes to its own side.
  Bench own({0.0, 1.0, {{0.0, 1.0, -0.25}}}, only_x);
  EXPECT_TRUE(own.first().empty());
  EXPECT_EQ(own.counts().n_proven, 1U);
}

TEST(Departure, ATouchIsNoneAndCountsAsMarginal) {
  for (const double at : {0.5, 0.3, 0.7071}) {
    Bench b({0.0, 1.0, {{at * at, -2 * at, 1.0}}}, only_x);
    EXPECT_TRUE(b.first().empty()) << at;
    EXPECT_EQ(b.counts().n_marginal, 1U) << at;
  }
  // Seen from the other side it has departed from the start.
  Bench other({0.0, 1.0, {{0.09, -0.6, 1.0}}}, only_x);
  other.side = {-1};
  ASSERT_EQ(other.first().size(), 1U);
}

TEST(Departure, AClosePairIsFound) {
  for (const double half : {1e-1, 1e-3, 1e-5, 1e-6}) {
    const double at = 0.4321;
    Bench b({0.0, 1.0, {{at * at - half * half, -2 * at, 1.0}}}, only_x);
    const auto d = b.first();
    ASSERT_EQ(d.size(), 1U) << half;
    // Rounding of the coefficients, 2^-53, moves the zero by that over the slope 2 half.
    EXPECT_NEAR(d[0].s_after, at - half, 0x1p-53 / half) << half;
    // The control, signs at the ends, is blind to it.
    Bench blind({0.0, 1.0, {{at * at - half * half, -2 * at, 1.0}}}, only_x, {.enclosures = false});
    EXPECT_TRUE(blind.first().empty());
  }
}

/// sundials, issue 881: a function that is zero over a whole step must neither fire nor cost much.
TEST(Departure, IdenticallyZeroIsCheapAndOnNoSide) {
  Bench exact({0.0, 1.0, {{0.0, 0.0}}}, only_x);
  EXPECT_TRUE(exact.first().empty());
  EXPECT_EQ(exact.counts().n_marginal, 1U);
  EXPECT_EQ(exact.functions().n_series, 0U);
  Bench rounded({0.0, 1.0, {{0.1, 0.3, 0.7}, {0.3, 0.9, 2.1}}},
                [](Expr, const auto& x) { return std::vector{3.0 * x[0] - x[1]}; });
  EXPECT_TRUE(rounded.first().empty());
  EXPECT_EQ(rounded.counts().n_marginal, 1U);
  EXPECT_LE(rounded.functions().n_series, 3U);
}

/// An odd zero of high order: only rounding separates it from a cluster, but the sign changes.
TEST(Departure, AFlatZeroAfterWhichTheSignIsWrongIsMarginal) {
  Bench b({0.0, 1.0, {{0.125, -0.75, 1.5, -1.0}}}, only_x);  // (0.5 - s)^3
  const auto d = b.first();
  ASSERT_EQ(d.size(), 1U);
  EXPECT_EQ(d[0].guarantee, Guarantee::marginal);
  EXPECT_NEAR(d[0].s_after, 0.5, std::cbrt(16 * 0x1p-53));
  EXPECT_LT(b.g(d[0].t_after), 0.0);
}

/// Beyond its domain a function cannot be enclosed: what comes before is proven all the same.
TEST(Departure, ADomainThatEndsInTheStepDoesNotHideWhatIsBefore) {
  const auto root = [](double offset) {
    return [offset](Expr, const std::vector<Expr>& x) {
      return std::vector{sqrt(0.7 - x[0]) - offset};
    };
  };
  Bench b({0.0, 1.0, {{0.0, 1.0}}}, root(0.5));
  const auto d = b.first();
  ASSERT_EQ(d.size(), 1U);
  EXPECT_EQ(d[0].guarantee, Guarantee::proven);
  EXPECT_NEAR(d[0].s_after, 0.45, 4 * 0x1p-53);
  Bench none({0.0, 1.0, {{0.0, 1.0}}}, root(-0.5));
  EXPECT_TRUE(none.first().empty());
  EXPECT_EQ(none.counts().n_heuristic, 1U);
}

TEST(Departure, SlackShiftsTheSurface) {
  Bench b({0.0, 1.0, {{0.5, -1.0}}}, only_x);
  b.slack = {0.25};
  const auto d = b.first();
  ASSERT_EQ(d.size(), 1U);
  EXPECT_NEAR(d[0].s_after, 0.75, 4 * 0x1p-52);
  b.slack = {0.6};
  EXPECT_TRUE(b.first().empty());
}

TEST(Departure, AnExtremumWithinItsUncertaintyIsMarginal) {
  Bench b({0.0, 1.0, {{0.16 + 1e-7, -0.8, 1.0}}}, only_x);  // 1e-7 above zero at 0.4
  EXPECT_TRUE(b.first().empty());
  EXPECT_EQ(b.counts().n_proven, 1U);
  b.uncertainty = {1e-6};
  EXPECT_TRUE(b.first().empty());
  EXPECT_EQ(b.counts().n_marginal, 1U);
  b.uncertainty = {1e-8};
  EXPECT_TRUE(b.first().empty());
  EXPECT_EQ(b.counts().n_marginal, 1U);
}

/// It dips by 1e-8 at 1e-4 of the step, as what leaves a surface along a tangent does by the error of its place.
TEST(Departure, WhatLeavesItsSurfaceIsNotNearItAgain) {
  const std::vector<double> dips = {0.0, -2e-4, 1.0};
  const auto n_marginal = [](const std::vector<double>& path, bool leaves) {
    Bench b({0.0, 1.0, {path}}, only_x);
    b.slack = b.uncertainty = {1e-6};
    b.leaves = {static_cast<std::uint8_t>(leaves)};
    EXPECT_TRUE(b.first().empty());
    EXPECT_EQ(b.approaches().size(), b.counts().n_marginal);
    return b.counts().n_marginal;
  };
  EXPECT_EQ(n_marginal(dips, true), 0U);
  EXPECT_EQ(n_marginal(dips, false), 1U);
  // A step so short that all of it is near the surface.
  EXPECT_EQ(n_marginal({0.0, -2e-9, 1e-7}, true), 0U);
  // Controls: one that rises and falls beside its surface, and one that comes back, (s^2 + 1e-7)(s - 0.5)^2.
  EXPECT_EQ(n_marginal({0.0, 1e-9, -2e-9}, true), 1U);
  EXPECT_EQ(n_marginal({0.25e-7, -1e-7, 0.25 + 1e-7, -1.0, 1.0}, true), 1U);
}

TEST(Departure, AnExtremumWithinReachIsToldOf) {
  Bench b({0.0, 1.0, {{0.16 + 1e-7, -0.8, 1.0}}}, only_x);  // 1e-7 above zero at 0.4
  b.uncertainty = {1e-8};
  EXPECT_TRUE(b.first().empty());
  EXPECT_TRUE(b.approaches().empty());
  b.reach = 20.0;
  EXPECT_TRUE(b.first().empty());
  ASSERT_EQ(b.approaches().size(), 1U);
  EXPECT_EQ(b.counts().n_marginal, 0U);
  EXPECT_FALSE(b.approaches()[0].is_marginal);
  // Resolved to a quarter of its distance: (s - 0.4)^2 <= 0.25e-7 over the piece.
  EXPECT_NEAR(b.approaches()[0].s, 0.4, 2e-4);
  EXPECT_NEAR(b.approaches()[0].distance, 1e-7, 0.3e-7);
  b.reach = 5.0;
  EXPECT_TRUE(b.first().empty());
  EXPECT_TRUE(b.approaches().empty());
  b.uncertainty = {1e-6};
  EXPECT_TRUE(b.first().empty());
  ASSERT_EQ(b.approaches().size(), 1U);
  EXPECT_TRUE(b.approaches()[0].is_marginal);
  EXPECT_NEAR(b.approaches()[0].s, 0.4, 1e-3);
}

/// A curve that one model does not represent: 1e-3 above zero at its lowest.
TEST(Departure, RemaindersOfModelsAreNotMistakenForUncertainty) {
  Bench b({0.0, 1.0, {{0.0, 6.0}}},
          [](Expr, const auto& x) { return std::vector{1.001 + sin(x[0])}; });
  b.uncertainty = {1e-6};
  EXPECT_TRUE(b.first().empty());
  EXPECT_EQ(b.counts().n_proven, 1U);
  b.uncertainty = {2e-3};
  EXPECT_TRUE(b.first().empty());
  EXPECT_EQ(b.counts().n_marginal, 1U);
}

TEST(Departure, TheEarliestOfSeveralAndThoseAtTheSameTime) {
  const OwnedStep step(0.0, 1.0, {{1.0, -2.0}, {0.3, -1.0}, {0.6, -2.0}});
  const auto write = [](Expr, const std::vector<Expr>& x) {
    return std::vector{x[0], x[1], x[2], x[1] * (x[0] + 3.0)};
  };
  Bench b(step, write);
  const auto d = b.first();
  ASSERT_EQ(d.size(), 3U);
  for (const Departure& one : d) {
    EXPECT_NE(one.which, 0U);
    EXPECT_NEAR(one.s_after, 0.3, 8 * 0x1p-52);
  }
  // After it only the first function is left.
  b.side = {1, -1, -1, -1};
  const auto later = b.first(d.back().s_after + 1e-3);
  ASSERT_EQ(later.size(), 1U);
  EXPECT_EQ(later[0].which, 0U);
  EXPECT_NEAR(later[0].s_after, 0.5, 8 * 0x1p-52);
}

TEST(Departure, WithoutEnclosuresSamplesAreUsedAndItIsSaid) {
  const OwnedStep step(0.0, 1.0, {{0.25 - 0.01, -1.0, 1.0}});  // zeros at 0.4 and 0.6
  Bench b(step, only_x, {}, false);
  const auto d = b.first();
  ASSERT_EQ(d.size(), 1U);
  EXPECT_EQ(d[0].guarantee, Guarantee::heuristic);
  EXPECT_NEAR(d[0].s_after, 0.4, 16 * 0x1p-52);
  EXPECT_EQ(b.counts().n_heuristic, 1U);
}

TEST(Departure, FunctionsThatAreNotWatchedAreLeftAlone) {
  Bench b({0.0, 1.0, {{0.5, -1.0}}}, only_x);
  b.side = {0};
  EXPECT_TRUE(b.first().empty());
  EXPECT_EQ(b.counts().n_steps, 0U);
  EXPECT_EQ(b.functions().n_hulls, 0U);
}

}  // namespace
}  // namespace saltus
