#include <saltus/reduce/second_order.hpp>

#include <gtest/gtest.h>

#include "reduce/second_order_array.hpp"

#include "problems/known_values.hpp"

#include "analysed_models.hpp"

namespace saltus {
namespace {

using namespace testing_support;

std::string second_order_answer(const Model& m, double t, IndexOptions options = {}) {
  const auto system = compiled(m);
  auto workspace = system->workspace();
  const auto found = analyze_index(*system, *workspace, t, system->start_values(), options);
  if (!found) return answer(found);
  const auto second = analyze_second_order(*system, *workspace, t, *found);
  return second ? to_text(*second) : second.failure().message;
}

TEST(SecondOrder, ModelsOfKnownValues) {
  int n = 0;
  for (const KnownValues& model : models_of_known_values()) {
    if (!model.second_order) continue;
    Model m("m");
    model.write(m);
    EXPECT_EQ(second_order_answer(m, model.t), to_text(*model.second_order)) << model.name;
    ++n;
  }
  EXPECT_GE(n, 10);
}

// Twins: one term more or less, other counts.
TEST(SecondOrder, CountsChangeWithTheModel) {
  const auto with_mass = [](double mass, double damping) {
    Model m("m");
    Expr x = m.state("x", 0.8), y = m.state("y", 0.3);
    Expr p = m.parameter("p", mass), c = m.parameter("c", damping);
    m.equation(der(x, 2) + der(y) == -x);
    m.equation(p * der(y, 2) + c * der(y) == -y);
    return second_order_answer(m, 0.3);
  };
  EXPECT_EQ(with_mass(2.0, 1.0), "(0, 2, 0, 0, 0, 0)");
  EXPECT_EQ(with_mass(0.0, 1.0), "(0, 1, 1, 0, 0, 0)");
  EXPECT_EQ(with_mass(0.0, 0.0), "(0, 1, 0, 1, 0, 0)");
}

// A system without second derivatives has the values it has as one of first order.
TEST(SecondOrder, FirstOrderSystemsHaveNoSecondOrderEquations) {
  Model m("m");
  write_boost_converter(m, 3);
  EXPECT_EQ(second_order_answer(m, 0.3), "(1, 0, 1, 6, 0, 0)");
}

TEST(SecondOrder, UnitsDoNotMatter) {
  Model m("m");
  Expr x = m.state("x", 8e-7), y = m.state("y", -6e-7), f = m.algebraic("f", {.guess = 1e3});
  Expr unit = m.parameter("unit", 1e-6), time_unit = m.parameter("time_unit", 1e-3);
  m.equation(sqr(time_unit) * der(x, 2) == -f * x);
  m.equation(1e5 * (sqr(time_unit) * der(y, 2)) == -1e5 * (f * y + 9.81 * unit));
  m.equation(x * x + y * y == unit * unit);
  EXPECT_EQ(second_order_answer(m, 0.0), "(3, 0, 2, 1, 0, 0)");
}

TEST(SecondOrder, OnlyTheFirstOfTwoDerivativesIsALink) {
  Model m("m");
  Expr x = m.state("x", 0.8);
  m.equation(der(x, 3) == -x);
  // x'' = w, w' = -x.
  EXPECT_EQ(second_order_answer(m, 0.0), "(0, 1, 1, 0, 0, 0)");
}

// x' = 2 v does not say that v is the derivative of x.
TEST(SecondOrder, OnlyDerivativesAreLinks) {
  Model m("m");
  Expr x = m.state("x", 0.8), v = m.state("v", 0.1);
  m.equation(der(x) == 2.0 * v);
  m.equation(der(v) == -x);
  EXPECT_EQ(second_order_answer(m, 0.0), "(0, 0, 2, 0, 0, 0)");
  Model n("n");
  Expr y = n.state("y", 0.8), w = n.state("w", 0.1);
  n.equation(der(y) == w);
  n.equation(der(w) == -y - w);
  EXPECT_EQ(second_order_answer(n, 0.0), "(0, 1, 0, 0, 0, 0)");
}

TEST(SecondOrder, CountsThatDoNotFitTheFirstOrderOnesAreRefused) {
  Model m("m");
  write_second_order_pendulum(m);
  const auto system = compiled(m);
  auto workspace = system->workspace();
  auto found = analyze_index(*system, *workspace, 0.0, system->start_values());
  ASSERT_TRUE(found.has_value()) << answer(found);
  found->values.d = 3;
  const auto second = analyze_second_order(*system, *workspace, 0.0, *found);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.failure().code, FailureCode::not_certified);
  EXPECT_NE(second.failure().message.find("(3, 0, 2, 1, 0, 0)"), std::string::npos)
      << second.failure().message;
  EXPECT_NE(second.failure().message.find("(2, 3, 3, 0, 0)"), std::string::npos)
      << second.failure().message;
}

}  // namespace
}  // namespace saltus
