#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include <saltus/numerics.hpp>

namespace saltus {
namespace {

using Two = Dual<2>;

constexpr double dual_eps = std::numeric_limits<double>::epsilon();

/// A function of two numbers with its partial derivatives.
struct DualCase {
  std::string name;
  std::function<Two(const Two&, const Two&)> dual;
  std::function<double(double, double)> plain;
};

template <class F>
DualCase case_of(std::string name, F f) {
  return {std::move(name), f, f};
}

std::vector<DualCase> dual_cases() {
  using std::acos, std::asin, std::atan, std::atan2, std::cos, std::cosh, std::exp, std::log;
  using std::pow, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;
  return {
      case_of("sum", [](auto a, auto b) { return a + b - 3.0 * a; }),
      case_of("product", [](auto a, auto b) { return a * b * b; }),
      case_of("quotient", [](auto a, auto b) { return a / (b + 2.0 * a); }),
      case_of("negative", [](auto a, auto b) { return -a + b; }),
      case_of("sqr", [](auto a, auto b) { return sqr(a) * b; }),
      case_of("sqrt", [](auto a, auto b) { return sqrt(a + 2.0 * b); }),
      case_of("exp", [](auto a, auto b) { return exp(a * b); }),
      case_of("log", [](auto a, auto b) { return log(a * b); }),
      case_of("sin", [](auto a, auto b) { return sin(a) * cos(b); }),
      case_of("tan", [](auto a, auto b) { return tan(a * b); }),
      case_of("asin", [](auto a, auto b) { return asin(a * b) + acos(a); }),
      case_of("atan", [](auto a, auto b) { return atan(a) + atan2(a, b); }),
      case_of("sinh", [](auto a, auto b) { return sinh(a) * cosh(b) + tanh(a); }),
      case_of("pow", [](auto a, auto b) { return pow(a, b); }),
  };
}

TEST(Dual, ValuesArePlainAndSlopesAreDerivatives) {
  const double a = 0.4, b = 0.7;
  Two da(a), db(b);
  da.slope = {1.0, 0.0};
  db.slope = {0.0, 1.0};
  for (const DualCase& c : dual_cases()) {
    const Two result = c.dual(da, db);
    EXPECT_EQ(result.value, c.plain(a, b)) << c.name;
    // Central differences of functions whose values and third derivatives are below 100.
    const double h = std::cbrt(dual_eps);
    const double by_a = (c.plain(a + h, b) - c.plain(a - h, b)) / (2 * h);
    const double by_b = (c.plain(a, b + h) - c.plain(a, b - h)) / (2 * h);
    EXPECT_NEAR(result.slope[0], by_a, 100 * h * h) << c.name;
    EXPECT_NEAR(result.slope[1], by_b, 100 * h * h) << c.name;
    // The twin: the slope of the other direction is not it.
    if (c.name != "negative" && c.name != "sum") {
      EXPECT_GT(std::fabs(result.slope[0] - by_b), 1e3 * h * h) << c.name;
    }
  }
}

TEST(Dual, WhatDoesNotMoveHasNoSlope) {
  const Two root = sqrt(Two(0.0));
  EXPECT_EQ(root.slope[0], 0.0);
  Two negative(-2.0);
  negative.slope[0] = 1.0;
  const Two cube = pow(negative, Two(3.0));
  EXPECT_EQ(cube.value, -8.0);
  EXPECT_EQ(cube.slope[0], 12.0);
  EXPECT_EQ(pow(negative, Two(0.0)).slope[0], 0.0);
  Two moving(0.0);
  moving.slope[0] = 1.0;
  EXPECT_FALSE(std::isfinite(sqrt(moving).slope[0]));
}

}  // namespace
}  // namespace saltus
