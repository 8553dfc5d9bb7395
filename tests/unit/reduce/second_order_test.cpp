#include <saltus/reduce/second_order.hpp>

#include <gtest/gtest.h>

#include "reduce/array/second_order_array.hpp"

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

// (C.5)
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

// v_j = (j + 1) x_{j+1}: moving x_j moves v_{j-1} by j as much.
TEST(SecondOrderArray, JacobianIsThatOfTheResiduals) {
  Model m("m");
  write_second_order_pendulum(m);  // x, y, force, der(x), der(y)
  const auto system = compiled(m);
  auto workspace = system->workspace();
  detail::ScaledArray<Quad> array(*system, *workspace, 0.3);
  const ArrayScaling none = detail::unit_scaling(*system);
  constexpr int level = 2;
  constexpr std::size_t n = 5, n_second = 3, n_orders = level + 3;
  const auto path_of = [&](const std::vector<Quad>& x) {  // x_j of x, y, force, one after the other
    std::vector<Quad> path((level + 2) * n);
    for (std::size_t j = 0; j + 1 < n_orders; ++j) {
      for (std::size_t i = 0; i < n_second; ++i) path[j * n + i] = x[j * n_second + i];
      for (std::size_t i = 0; i < 2; ++i) {
        path[j * n + n_second + i] = Quad(static_cast<double>(j + 1)) * x[(j + 1) * n_second + i];
      }
    }
    return path;
  };
  std::vector<Quad> x(n_orders * n_second);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = Quad(std::cos(static_cast<double>(k)));
  detail::ArrayCoefficients<Quad> coefficients;
  ASSERT_TRUE(static_cast<bool>(array.coefficients(path_of(x), level, none, coefficients)));
  const auto links = detail::derivative_links(system->pattern(), coefficients);
  ASSERT_EQ(links.size(), 2u);
  const detail::SecondOrderArray second(system->pattern(), coefficients);
  ASSERT_EQ(second.n_equations(), 3u);
  ASSERT_EQ(second.n_unknowns(), 3u);
  const ArrayScaling none_second{{0, 0, 0}, {0, 0, 0}, 0};
  const detail::DenseMatrix<Quad> jacobian = second.jacobian(level, none_second);
  // Which rows are left, in order.
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < n; ++i) {
    if (i != links[0].row && i != links[1].row) rows.push_back(i);
  }
  const Quad h(1e-10);
  std::vector<Quad> up, down;
  for (std::size_t c = 0; c < jacobian.n_cols(); ++c) {
    std::vector<Quad> moved = x;
    moved[c] += h;
    ASSERT_TRUE(static_cast<bool>(array.residuals(path_of(moved), level, none, up)));
    moved[c] -= h + h;
    ASSERT_TRUE(static_cast<bool>(array.residuals(path_of(moved), level, none, down)));
    for (std::size_t r = 0; r < jacobian.n_rows(); ++r) {
      const std::size_t full = r / 3 * n + rows[r % 3];
      const double difference = static_cast<double>((up[full] - down[full]) / (h + h));
      // Error h^2 = 1e-20 times third derivatives; eps in the conversion of entries up to 12.
      EXPECT_NEAR(static_cast<double>(jacobian(r, c)), difference, 64 * eps) << r << ", " << c;
    }
  }
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

// (C.6)
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
