// Starts of systems without derivatives of their own: initial equations that state a value are solved one by one.
#include <saltus/initialize/initial_start.hpp>

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <saltus/system/function_system.hpp>

#include "unit/initialize/written_initial_equations.hpp"

namespace saltus {
namespace {

using testing_support::Values;
using testing_support::WrittenEquation;
using testing_support::WrittenInitialEquations;

// Newton steps end within four roundings of the value.
constexpr double newton_rounding = 4 * std::numeric_limits<double>::epsilon();

/// a' = -a, b' = -b, c' = -c, d = a + b, all at the guess 1.
std::shared_ptr<const System> three_decays() {
  return make_system({.unknowns = {{"a", 1.0}, {"b", 1.0}, {"c", 1.0}, {"d", 1.0, false}},
                      .residual = [](double, Values x, Values xdot, std::span<double> f) {
                        for (std::size_t i = 0; i < 3; ++i) f[i] = xdot[i] + x[i];
                        f[3] = x[3] - x[0] - x[1];
                      }});
}

Result<InitialStart> started(std::vector<WrittenEquation> equations) {
  const auto system = three_decays();
  auto workspace = system->workspace();
  StartValues guess = system->start_values();
  guess.x_given.assign(system->size(), 0);
  WrittenInitialEquations initial(system->size(), std::move(equations));
  return find_initial_start(*system, *workspace, 0.0, guess, initial);
}

const WrittenEquation a_is_three{"a",
                                 {0},
                                 [](Values x, Values) { return x[0] - 3.0; },
                                 [](Values, Values) { return std::vector{1.0}; }};
const WrittenEquation square_of_b_is_three_a{
    "b",
    {0, 1},
    [](Values x, Values) { return x[1] * x[1] - 3.0 * x[0]; },
    [](Values x, Values) {
      return std::vector{-3.0, 2.0 * x[1]};
    }};
const WrittenEquation c_is_a_plus_b{"c",
                                    {0, 1, 2},
                                    [](Values x, Values) { return x[2] - x[0] - x[1]; },
                                    [](Values, Values) {
                                      return std::vector{-1.0, -1.0, 1.0};
                                    }};

TEST(InitialStart, EquationsThatStateValuesAreSolvedInTheOrderTheyNeed) {
  const auto start = started({c_is_a_plus_b, square_of_b_is_three_a, a_is_three});
  ASSERT_TRUE(start.has_value()) << start.failure().message;
  EXPECT_NEAR(start->x[0], 3.0, 3 * newton_rounding);
  EXPECT_NEAR(start->x[1], 3.0, 3 * newton_rounding);
  EXPECT_NEAR(start->x[2], 6.0, 6 * newton_rounding);
  EXPECT_NEAR(start->x[3], 6.0, 6 * newton_rounding);
  EXPECT_NEAR(start->xdot[2], -6.0, 6 * newton_rounding);
  EXPECT_TRUE(start->kept_guesses.empty());
  EXPECT_FALSE(start->is_nearest);
}

TEST(InitialStart, StatesThatNoEquationMentionsKeepTheirGuesses) {
  const auto start = started({square_of_b_is_three_a, a_is_three});
  ASSERT_TRUE(start.has_value()) << start.failure().message;
  EXPECT_EQ(start->x[2], 1.0);
  EXPECT_EQ(start->kept_guesses, std::vector<std::uint32_t>{2});
}

// An equation with two unknown values, one that reads a derivative, and one whose unknown has no derivative.
TEST(InitialStart, EquationsThatStateNoValueNeedTheDerivativesOfTheSystem) {
  const auto one = [](Values, Values) { return std::vector{1.0}; };
  const WrittenEquation rate{"rate", {4}, [](Values, Values xdot) { return xdot[0] + 3.0; }, one};
  const WrittenEquation algebraic{"sum", {3}, [](Values x, Values) { return x[3] - 5.0; }, one};
  for (const WrittenEquation& equation : {square_of_b_is_three_a, rate, algebraic}) {
    const auto start = started({equation});
    ASSERT_FALSE(start.has_value()) << equation.name;
    EXPECT_EQ(start.failure().code, FailureCode::singular);
    EXPECT_NE(start.failure().message.find("does not offer its derivatives"), std::string::npos)
        << start.failure().message;
  }
}

}  // namespace
}  // namespace saltus
