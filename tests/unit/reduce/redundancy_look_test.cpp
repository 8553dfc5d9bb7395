// Redundant equations of a reduced system: whether they still follow from the others.
#include <gtest/gtest.h>

#include "analysed_models.hpp"
#include "reduce/reduced/redundancy_look.hpp"

namespace saltus::detail {
namespace {

using testing_support::compiled;
using Answer = RedundancyLook::Answer;

enum class Second { same, square, without_unknowns };

/// "one": x = 1 + t, and "two" says the same, but for c, which is 0 until it is set. Tolerances are 1e-3 + 1e-3 |x|.
struct TwiceTheSame {
  explicit TwiceTheSame(Second second = Second::same,
                        RedundantEquations redundant = RedundantEquations::refuse) {
    Model m("twice");
    const Expr x = m.state("x", 1.0), v = m.algebraic("v", {.guess = 1.0}), w = m.algebraic("w");
    const Expr c = m.parameter("c", 0.0), s = 1.0 + m.time();
    m.equation("rate", der(x) == v + w);
    m.equation("one", x == s);
    if (second == Second::same) m.equation("two", x == s + c);
    if (second == Second::square) m.equation("two", x * x == s * s + c);
    if (second == Second::without_unknowns) {
      const Expr nothing = m.parameter("nothing", 0.0);
      m.equation("two", nothing * x == c);
    }
    raw = compiled(m);
    workspace = raw->workspace();
    const auto analysis = analyze_index(*raw, *workspace, 0.0, raw->start_values(), {});
    EXPECT_TRUE(analysis.has_value()) << analysis.failure().message;
    EXPECT_EQ(analysis->values.v, 1u);
    reduced =
        *reduce_index(raw, 0.0, *analysis, {.rtol = 1e-3, .atol = {1e-3}, .redundant = redundant});
    const auto& system = dynamic_cast<const ReducedSystem&>(*reduced);
    form = system.start_form();
    array.emplace(*raw, *workspace, system.analysis(), 0.0);
    higher.emplace(*array, system.ranks(), 0.0);
    constraints.emplace(*array, *higher, system.ranks());
    redundancy.emplace(system, *array, *higher, *constraints);
    EXPECT_TRUE(higher->renew(0.0, reduced->start_values().x));
  }
  /// As after a step. v + w = 1 is what they are.
  Answer look(double t, double x, double c) {
    workspace->ability<HeldValues>()->parameters()[0] = c;
    const std::vector<double> point{x, 0.5, 0.5};
    EXPECT_TRUE(higher->find(t, point, HigherDerivatives::Precision::exact));
    EXPECT_TRUE(array->linearize(t, point));
    return redundancy->look(t, point, form);
  }

  std::shared_ptr<const System> raw, reduced;
  std::unique_ptr<Workspace> workspace;
  FrozenForm form;
  std::optional<ArrayAtPoint> array;
  std::optional<HigherDerivatives> higher;
  std::optional<ConstraintCorrection> constraints;
  std::optional<RedundancyLook> redundancy;
};

// What is left of (0, c) outside of (1, 1) is c / 2 in each row. At x = 2 each row allows 3e-3.
TEST(RedundancyLook, WhatIsLeftIsMeasuredByWhatTolerancesAllow) {
  TwiceTheSame s;
  EXPECT_EQ(s.look(1.0, 2.0, 0.003), Answer::agree);
  EXPECT_NEAR(s.redundancy->largest().size, 0.5, 1e-9);
  EXPECT_EQ(s.look(1.0, 2.0, 0.00599), Answer::agree);
  EXPECT_TRUE(s.redundancy->largest().equations.empty());
  EXPECT_EQ(s.look(1.0, 2.0, 0.00602), Answer::contradict);
  EXPECT_EQ(s.look(1.0, 2.0, 0.012), Answer::contradict);
  // The least squares, from where it counts, are at x = 2.006.
  EXPECT_NEAR(s.redundancy->largest().size, 0.006 / 3.006e-3, 1e-9);
}

TEST(RedundancyLook, ToLeastSquaresAContradictionIsAnotherDirection) {
  TwiceTheSame s(Second::same, RedundantEquations::least_squares);
  EXPECT_EQ(s.look(1.0, 2.0, 0.003), Answer::agree);
  EXPECT_EQ(s.look(1.0, 2.0, 0.012), Answer::directions_outdated);
}

TEST(RedundancyLook, TheLargestContradictionIsKeptWithItsTime) {
  TwiceTheSame s;
  (void)s.look(1.0, 2.0, 0.012);
  (void)s.look(2.0, 3.0, 0.004);
  const auto& largest = s.redundancy->largest();
  EXPECT_NEAR(largest.size, 0.006 / 3.006e-3, 1e-9);
  EXPECT_EQ(largest.t, 1.0);
  std::vector<std::string> names = largest.equations;
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"'one'", "'two'"}));
}

// A step leaves x a little beside the constraints. The directions are those of x = 1: there (1, 2) is what both rows say,
// at x = 3 it is (1, 6).
TEST(RedundancyLook, WhatAnEngineLeavesOfConstraintsIsNoContradiction) {
  TwiceTheSame s(Second::square);
  const double beside = 0.5;
  EXPECT_EQ(s.look(2.0, 3.0 + beside, 0.0), Answer::agree);
  EXPECT_LT(s.redundancy->largest().size, 1e-6);
  // The array is where it was before, and the engine goes on with its own inverse.
  EXPECT_EQ(&s.higher->inverses(), &s.higher->of_engine());
  EXPECT_NEAR(s.array->xi()[0] * s.array->unit()[0], 3.0 + beside, 1e-12);
}

TEST(RedundancyLook, WhatIsLeftOnTheConstraintsCounts) {
  TwiceTheSame s(Second::square);
  EXPECT_EQ(s.look(2.0, 3.5, 0.5), Answer::contradict);
}

TEST(RedundancyLook, ARowWithoutUnknownsIsAMatterOfItsOwnSize) {
  TwiceTheSame s(Second::without_unknowns);
  EXPECT_EQ(s.look(1.0, 2.0, 0.5e-3), Answer::agree);
  EXPECT_EQ(s.look(1.0, 2.0, 2e-3), Answer::contradict);
  const std::string said = s.redundancy->failure().message;
  EXPECT_TRUE(said.starts_with("equation 'two' contradicts the others from t = 1 on: ")) << said;
}

TEST(RedundancyLook, TheFailureNamesEquationsAndTimes) {
  TwiceTheSame s;
  EXPECT_EQ(s.look(0.5, 1.5, 0.001), Answer::agree);
  EXPECT_EQ(s.look(1.0, 2.0, 0.012), Answer::contradict);
  const Failure said = s.redundancy->failure();
  EXPECT_EQ(said.code, FailureCode::not_converged);
  const std::size_t at = said.message.find(" contradict each other from t = 1 on: ");
  ASSERT_NE(at, std::string::npos) << said.message;
  EXPECT_NE(said.message.find("times the tolerance remains as their residual (up to t = 0.5 they "
                              "agreed); redundant = least_squares makes"),
            std::string::npos)
      << said.message;
}

TEST(RedundancyLook, BeforeAnyStepTheyAgreeUntilTheStart) {
  TwiceTheSame s;
  EXPECT_EQ(s.look(1.0, 2.0, 0.012), Answer::contradict);
  EXPECT_NE(s.redundancy->failure().message.find("(up to t = 0 they agreed)"), std::string::npos);
}

}  // namespace
}  // namespace saltus::detail
