// What the analysis keeps, what it refuses, and in which words.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <saltus/system/function_system.hpp>

#include "analysed_models.hpp"

namespace saltus {
namespace {

using namespace testing_support;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// F_0 … F_{mu+1} at the path of an analysis: the largest.
double largest_residual(const Model& m, double t, const IndexAnalysis& analysis,
                        std::span<const double> path) {
  const auto system = compiled(m);
  auto workspace = system->workspace();
  const int level = analysis.values.mu + 1;
  std::vector<double> f((static_cast<std::size_t>(level) + 1) * system->n_equations());
  EXPECT_TRUE(static_cast<bool>(
      workspace->ability<DerivativeLevels<double>>()->residuals(t, path, level, f)));
  double largest = 0.0;
  for (const double v : f) largest = std::max(largest, std::abs(v));
  return largest;
}

TEST(IndexPath, DerivativesOfAllEquationsVanish) {
  Model m("m");
  write_pendulum(m);
  const auto found = analysed(m);
  ASSERT_TRUE(found.has_value()) << answer(found);
  ASSERT_EQ(found->path.size(), 5u * 5u);
  // Coefficients are at most about 100; each equation has a few products of them.
  EXPECT_LE(largest_residual(m, 0.3, *found, found->path), 64 * eps * 100);
  // Twin: an error of 1e-10 in one coefficient is seen.
  std::vector<double> wrong = found->path;
  wrong[7] += 1e-10;
  EXPECT_GT(largest_residual(m, 0.3, *found, wrong), 1e-11);
}

TEST(IndexPath, PositionsAndVelocitiesThatAreConsistentStay) {
  Model m("m");
  write_pendulum(m);  // only the multiplier is stale
  const auto found = analysed(m);
  ASSERT_TRUE(found.has_value()) << answer(found);
  const std::vector<double> given = {0.8, -0.6, 0.3, 0.4};
  for (std::size_t i = 0; i < given.size(); ++i) EXPECT_NEAR(found->path[i], given[i], 16 * eps);
  // lambda = u^2 + v^2 - g y
  EXPECT_NEAR(found->path[4], 0.09 + 0.16 + gravity * 0.6, 64 * eps * gravity);
}

TEST(IndexPath, DifferentialContentOfTheGuessIsKept) {
  for (const int mode : {1, 3}) {
    Model m("m");
    write_boost_converter(m, mode);
    const auto found = analysed(m);
    ASSERT_TRUE(found.has_value()) << answer(found);
    // The capacitor keeps its charge; a current that is interrupted does not. What is kept is found from
    // rows as they are written, whose sizes lie four decades apart.
    constexpr double rounding_of_rows = 1e4 * eps * 10.0;
    EXPECT_NEAR(found->path[0], 10.0, rounding_of_rows) << "mode " << mode;
    EXPECT_NEAR(found->path[1], mode == 1 ? 10.0 : 0.0, rounding_of_rows) << "mode " << mode;
  }
}

TEST(IndexPath, FixedUnknownsDoNotMove) {
  Model m("m");
  Expr x = m.state("x", 0.6), y = m.state("y", 0.7);
  m.equation(der(x) == y);
  m.equation("circle", x * x + y * y == 1.0);
  const auto free = analysed(m);
  ASSERT_TRUE(free.has_value()) << answer(free);
  EXPECT_NEAR(free->path[1], 0.8, 16 * eps);  // x is the content
  const auto fixed = analysed(m, 0.0, {.fixed = {0, 1}});
  ASSERT_TRUE(fixed.has_value()) << answer(fixed);
  EXPECT_EQ(fixed->path[1], 0.7);
  EXPECT_NEAR(fixed->path[0], std::sqrt(1.0 - 0.49), 16 * eps);
}

TEST(IndexAnalysis, DecisionsNameMatricesAndRanks) {
  Model m("m");
  write_pendulum(m);
  const auto found = analysed(m);
  ASSERT_TRUE(found.has_value()) << answer(found);
  // Levels 0 … 3; M_2 has 15 rows, of which three combinations vanish.
  ASSERT_EQ(found->decisions.size(), 12u);
  EXPECT_EQ(found->decisions[6].matrix, "M_2");
  EXPECT_EQ(found->decisions[6].rank, 12u);
  EXPECT_EQ(found->decisions[7].matrix, "J_2");
  EXPECT_EQ(found->decisions[7].rank, 15u);
  EXPECT_EQ(found->decisions[8].rank, 17u);
  for (const RankDecision& d : found->decisions) {
    EXPECT_GE(d.gap, 1e3) << d.matrix;
    EXPECT_EQ(d.note, "");
  }
}

// 3 * 0.1 differs from 0.3 by one rounding: the second length is the first up to 1e-16.
TEST(IndexAnalysis, EquationsRedundantUpToRoundingAreRedundantWithANote) {
  Model m("m");
  Expr x = m.state("x", 0.8), y = m.state("y", -0.6), u = m.state("u", 0.3), v = m.state("v", 0.4);
  Expr l1 = m.algebraic("lambda_1", {.guess = 1.0}), l2 = m.algebraic("lambda_2");
  m.equation(der(x) == u);
  m.equation(der(y) == v);
  m.equation(der(u) == -(l1 + l2) * x);
  m.equation(der(v) == -(l1 + l2) * y - gravity);
  m.equation(0.3 * (x * x) + 0.3 * (y * y) == 0.3);
  m.equation((0.1 + 0.2) * (x * x) + 0.3 * (y * y) == 0.3);
  const auto found = analysed(m);
  ASSERT_EQ(answer(found), "(2, 2, 3, 1, 1)");
  EXPECT_TRUE(contains(found->decisions.back().note, "rounding")) << found->decisions.back().note;
}

TEST(IndexRefusals, ExpectedAndFoundAreBothNamed) {
  Model m("m");
  write_pendulum(m);
  const auto found = analysed(m, 0.3, {.expected = CharacteristicValues{1, 3, 2, 0, 0}});
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.failure().code, FailureCode::not_certified);
  EXPECT_TRUE(contains(found.failure().message, "(1, 3, 2, 0, 0) expected")) << answer(found);
  EXPECT_TRUE(contains(found.failure().message, "(2, 2, 3, 0, 0) found")) << answer(found);
  EXPECT_TRUE(analysed(m, 0.3, {.expected = CharacteristicValues{2, 2, 3, 0, 0}}).has_value());
}

TEST(IndexRefusals, AnIndexAboveTheLimitIsRefusedWithTheCountsOfEachLevel) {
  Model m("m");
  write_chain(m);
  const auto found = analysed(m, 0.3, {.max_level = 3});
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.failure().code, FailureCode::limit_reached);
  EXPECT_TRUE(contains(found.failure().message, "max_level")) << answer(found);
  EXPECT_TRUE(contains(found.failure().message, "5, 1, 0; 4, 2, 0; 3, 3, 0; 2, 4, 0"))
      << answer(found);
  EXPECT_TRUE(analysed(m, 0.3, {.max_level = 4}).has_value());
}

TEST(IndexRefusals, EquationsThatContradictEachOtherAreNamed) {
  Model m("m");
  Expr x = m.state("x", 1.0), y = m.state("y", 1.0);
  m.equation("growth", der(y) == x);
  m.equation("one", x == 1.0);
  m.equation("two", x == 2.0);
  m.allow_unequal_counts();
  const auto found = analysed(m);
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.failure().code, FailureCode::not_converged);
  EXPECT_TRUE(contains(found.failure().message, "'one'")) << answer(found);
  EXPECT_TRUE(contains(found.failure().message, "'two'")) << answer(found);
  EXPECT_FALSE(contains(found.failure().message, "'growth'")) << answer(found);
}

TEST(IndexRefusals, AnArrayThatIsTooLargeIsRefusedInWords) {
  Model m("m");
  Expr u = m.states("u", std::vector<double>(301, 1.0));
  m.equation(der(u) == -1.0 * u);
  const auto found = analysed(m);
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.failure().code, FailureCode::limit_reached);
  EXPECT_TRUE(contains(found.failure().message, "301 unknowns")) << answer(found);
}

// Three times 0.1 is not 0.3: to the last digit this has two differential equations.
TEST(IndexAnalysis, RoundingThatWouldMakeAnEquationDifferentialIsNoted) {
  Model m("m");
  Expr x = m.state("x", 1.0), y = m.state("y", 1.0);
  Expr p = m.parameter("p", 0.1), q = m.parameter("q", 0.3);
  m.equation((p + p + p) * der(x) + der(y) == -x - y);
  m.equation(q * der(x) + der(y) == -x + y);
  const auto found = analysed(m);
  ASSERT_EQ(answer(found), "(0, 1, 1, 0, 0)");
  EXPECT_TRUE(contains(found->decisions.back().note, "pivots below 1e-13 taken as zero"))
      << found->decisions.back().note;
}

// Coefficients of 1e-12 are neither rounding nor clearly meant.
TEST(IndexRefusals, DecisionsThatDependOnTheUnitOfTimeNameAllCandidates) {
  const auto with_coefficient = [](double small) {
    Model m("m");
    Expr x = m.state("x", 1.0), y = m.state("y", 1.0), r = m.parameter("r", small);
    m.equation(der(x) + der(y) == -x - y);
    m.equation(der(x) + (1.0 + r) * der(y) == -x + y);
    return analysed(m);
  };
  const auto depends = with_coefficient(3e-12);
  ASSERT_FALSE(depends.has_value()) << answer(depends);
  EXPECT_EQ(depends.failure().code, FailureCode::not_certified);
  EXPECT_TRUE(contains(depends.failure().message, "(0, 2, 0, 0, 0) at time scale 1,"))
      << answer(depends);
  EXPECT_TRUE(contains(depends.failure().message, "none at time scale 8")) << answer(depends);
  const auto contradicts = with_coefficient(1e-12);
  ASSERT_FALSE(contradicts.has_value()) << answer(contradicts);
  EXPECT_EQ(contradicts.failure().code, FailureCode::not_certified);
  EXPECT_TRUE(contains(contradicts.failure().message, "2, 0, 0; 1, 1, 0")) << answer(contradicts);
  // Twins on either side.
  EXPECT_EQ(answer(with_coefficient(1e-11)), "(0, 2, 0, 0, 0)");
  EXPECT_EQ(answer(with_coefficient(1e-13)), "(0, 1, 1, 0, 0)");
}

TEST(IndexRefusals, StartValuesThatAreNotFiniteAreNamed) {
  Model m("m");
  write_pendulum(m);
  const auto system = compiled(m);
  auto workspace = system->workspace();
  StartValues guess = system->start_values();
  guess.x[1] = std::numeric_limits<double>::quiet_NaN();
  const auto found = analyze_index(*system, *workspace, 0.0, guess);
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.failure().code, FailureCode::not_finite);
  EXPECT_TRUE(contains(found.failure().message, "'y'")) << answer(found);
}

TEST(IndexRefusals, APointOutsideTheDomainNamesTheEquation) {
  Model m("m");
  Expr x = m.state("x", -1.0);
  m.equation("root", der(x) == sqrt(x));
  const auto found = analysed(m);
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.failure().code, FailureCode::out_of_domain);
  EXPECT_TRUE(contains(found.failure().message, "'root'")) << answer(found);
}

TEST(IndexRefusals, ASystemWithoutDerivativesIsAMistake) {
  const auto system = make_system(
      {.unknowns = {{"x", 1.0}}, .derivative = [](double, auto x, auto xdot) { xdot[0] = -x[0]; }});
  auto workspace = system->workspace();
  EXPECT_THROW((void)analyze_index(*system, *workspace, 0.0, system->start_values()), ModelError);
}

TEST(IndexRefusals, FlagsForOtherUnknownsAreAMistake) {
  Model m("m");
  write_pendulum(m);
  EXPECT_THROW((void)analysed(m, 0.3, {.fixed = {1}}), OptionError);
}

}  // namespace
}  // namespace saltus
