// Initial equations as functions of the states, on systems small enough to solve by hand.
#include "initialize/initial_newton.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include <saltus/system/function_system.hpp>

#include "unit/initialize/written_initial_equations.hpp"

namespace saltus {
namespace {

using testing_support::Values;
using testing_support::WrittenEquation;
using testing_support::WrittenInitialEquations;

// Newton steps end below 1e-9 of the unknowns, which have size one, and the last step squares that. Jacobians by
// differences lose half of the digits of one step.
constexpr double found_by_states = 1e-12;

using Residual = std::function<void(double, Values, Values, std::span<double>)>;

std::optional<InitialStart> solved(std::vector<FunctionUnknown> unknowns, Residual residual,
                                   std::vector<WrittenEquation> equations,
                                   std::vector<std::uint8_t> given) {
  const auto system =
      make_system({.unknowns = std::move(unknowns), .residual = std::move(residual)});
  auto workspace = system->workspace();
  StartValues stated = system->start_values();
  stated.x_given = std::move(given);
  WrittenInitialEquations initial(system->size(), std::move(equations));
  const std::vector<std::uint8_t> open(initial.count(), 1);
  return detail::initial_start_by_states(*system, *workspace, 0.0, stated, initial, open, {});
}

/// z^3 + z = s, s' = -s, with the algebraic z as the first or the last unknown.
std::optional<InitialStart> cubic_start(bool z_first, const std::string& equation) {
  const std::uint32_t z = z_first ? 0 : 1, s = 1 - z;
  std::vector<FunctionUnknown> unknowns(2);
  unknowns[z] = {"z", 0.5, false};
  unknowns[s] = {"s", 1.0};
  const auto residual = [=](double, Values x, Values xdot, std::span<double> f) {
    f[0] = xdot[s] + x[s];
    f[1] = x[z] * x[z] * x[z] + x[z] - x[s];
  };
  const auto one = [](Values, Values) { return std::vector{1.0}; };
  WrittenEquation initial{equation, {}, {}, one};
  if (equation == "square of s") {
    initial.reads = {s};
    initial.residual = [=](Values x, Values) { return x[s] * x[s] - 4.0; };
    initial.slopes = [=](Values x, Values) { return std::vector{2.0 * x[s]}; };
  } else if (equation == "value of z") {
    initial.reads = {z};
    initial.residual = [=](Values x, Values) { return x[z] - 1.0; };
  } else if (equation == "rate of s") {
    initial.reads = {2 + s};
    initial.residual = [=](Values, Values xdot) { return xdot[s] + 2.0; };
  } else {
    initial.reads = {2 + z};
    initial.residual = [=](Values, Values xdot) { return xdot[z] + 0.5; };
  }
  return solved(unknowns, residual, {initial}, {0, 0});
}

TEST(InitialNewton, StatesAreFoundFromValuesAlgebraicUnknownsAndRates) {
  for (const bool z_first : {false, true}) {
    for (const char* equation : {"square of s", "value of z", "rate of s"}) {
      const auto start = cubic_start(z_first, equation);
      ASSERT_TRUE(start.has_value()) << equation << (z_first ? ", z first" : "");
      const std::size_t z = z_first ? 0 : 1;
      EXPECT_NEAR(start->x[1 - z], 2.0, 2 * found_by_states) << equation;
      EXPECT_NEAR(start->x[z], 1.0, found_by_states) << equation;
      EXPECT_NEAR(start->xdot[1 - z], -2.0, 2 * found_by_states) << equation;
      EXPECT_TRUE(start->kept_guesses.empty());
    }
  }
}

// (I.1) does not determine z', so this method cannot use an equation that reads it.
TEST(InitialNewton, RatesOfAlgebraicUnknownsAreRefused) {
  for (const bool z_first : {false, true}) {
    EXPECT_FALSE(cubic_start(z_first, "rate of z").has_value()) << (z_first ? "z first" : "");
  }
}

TEST(InitialNewton, StatedValuesStayAndSpareStatesKeepTheirGuesses) {
  // p' = -p, q' = -q, r' = -r and the initial equation p + q + 10 r = 34.
  const auto decays = [](double, Values x, Values xdot, std::span<double> f) {
    for (std::size_t i = 0; i < 3; ++i) f[i] = xdot[i] + x[i];
  };
  const WrittenEquation sum{"sum",
                            {0, 1, 2},
                            [](Values x, Values) { return x[0] + x[1] + 10.0 * x[2] - 34.0; },
                            [](Values, Values) {
                              return std::vector{1.0, 1.0, 10.0};
                            }};
  const std::vector<FunctionUnknown> unknowns = {{"p", 3.0}, {"q", 1.0}, {"r", 1.0}};
  // The state on which the equation depends most moves.
  const auto start = solved(unknowns, decays, {sum}, {1, 0, 0});
  ASSERT_TRUE(start.has_value());
  EXPECT_EQ(start->x[0], 3.0);
  EXPECT_EQ(start->x[1], 1.0);
  EXPECT_NEAR(start->x[2], 3.0, 3 * found_by_states);
  EXPECT_EQ(start->kept_guesses, std::vector<std::uint32_t>{1});
  // More equations than free states, and an equation that no free state changes.
  EXPECT_FALSE(solved(unknowns, decays, {sum, sum}, {1, 1, 0}).has_value());
  EXPECT_FALSE(solved(unknowns, decays, {sum}, {1, 1, 1}).has_value());
}

}  // namespace
}  // namespace saltus
