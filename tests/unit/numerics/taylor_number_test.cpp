#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <saltus/numerics.hpp>

namespace saltus {
namespace {

using Series = TaylorNumber<double>;

/// 0.4 + 0.5 t - 0.25 t^2 + …
Series series_argument() {
  Series a;
  for (std::size_t k = 0; k <= static_cast<std::size_t>(SeriesOrder::current()); ++k) {
    a.c[k] = std::array{0.4, 0.5, -0.25, 0.125, 0.0, 0.0625}[k % 6];
  }
  return a;
}

double sum_at(const Series& s, double t) {
  double sum = 0.0;
  for (int k = SeriesOrder::current(); k >= 0; --k) {
    sum = sum * t + s.c[static_cast<std::size_t>(k)];
  }
  return sum;
}

template <class F>
void expect_composed(const std::string& name, F f) {
  const Series result = f(series_argument());
  // What is left out is t^13 times a coefficient below 1e6; a few roundings.
  const double t = 0.03;
  EXPECT_NEAR(sum_at(result, t), f(sum_at(series_argument(), t)), 1e-13) << name;
  // The twin: a series that ends too early is told apart.
  Series cut = result;
  cut.c[1] = 0.0;
  EXPECT_GT(std::fabs(sum_at(cut, t) - f(sum_at(series_argument(), t))), 1e-4) << name;
}

TEST(TaylorNumber, OperatorsAreThoseOfTheFunctionsAlongTheSeries) {
  using std::acos, std::asin, std::atan, std::atan2, std::cos, std::cosh, std::exp, std::log;
  using std::pow, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;
  const SeriesOrder order(12);
  expect_composed("arithmetic", [](auto a) { return (2.0 - a * a) / (1.0 + a) - -a; });
  expect_composed("sqr", [](auto a) { return sqr(a); });
  expect_composed("sqrt", [](auto a) { return sqrt(a); });
  expect_composed("exp", [](auto a) { return exp(a); });
  expect_composed("log", [](auto a) { return log(a); });
  expect_composed("sin", [](auto a) { return sin(a); });
  expect_composed("cos", [](auto a) { return cos(2.0 * a); });
  expect_composed("tan", [](auto a) { return tan(a); });
  expect_composed("asin", [](auto a) { return asin(a); });
  expect_composed("acos", [](auto a) { return acos(a); });
  expect_composed("atan", [](auto a) { return atan(a); });
  expect_composed("sinh", [](auto a) { return sinh(a); });
  expect_composed("cosh", [](auto a) { return cosh(2.0 * a); });
  expect_composed("tanh", [](auto a) { return tanh(a); });
  expect_composed("atan2", [](auto a) { return atan2(a, 1.0 + a * a); });
  expect_composed("pow", [](auto a) { return pow(a, 1.0 + a); });
}

TEST(TaylorNumber, TheOrderIsPutBack) {
  const int before = SeriesOrder::current();
  {
    const SeriesOrder outer(7);
    {
      const SeriesOrder inner(3);
      EXPECT_EQ(SeriesOrder::current(), 3);
    }
    EXPECT_EQ(SeriesOrder::current(), 7);
    EXPECT_EQ(Series(2.0).c[7], 0.0);
  }
  EXPECT_EQ(SeriesOrder::current(), before);
}

TEST(TaylorNumber, OrdersThatDoNotFitAreOurMistake) {
  EXPECT_THROW(SeriesOrder(SeriesOrder::max + 1), InternalError);
}

}  // namespace
}  // namespace saltus
