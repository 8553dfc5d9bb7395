#include <cmath>

#include <gtest/gtest.h>

#include <saltus/lower.hpp>
#include <saltus/model.hpp>
#include <saltus/system/abilities.hpp>

namespace saltus {
namespace {

/// Dense, row by row.
std::vector<std::vector<double>> dense(const CscPattern& p, const std::vector<double>& values) {
  std::vector<std::vector<double>> m(static_cast<std::size_t>(p.n_rows),
                                     std::vector<double>(static_cast<std::size_t>(p.n_cols), 0.0));
  for (std::size_t j = 0; j < static_cast<std::size_t>(p.n_cols); ++j)
    for (auto s = static_cast<std::size_t>(p.column_start[j]);
         s < static_cast<std::size_t>(p.column_start[j + 1]); ++s)
      m[static_cast<std::size_t>(p.row[s])][j] = values[s];
  return m;
}

struct Driven {
  Model m{"driven"};
  std::shared_ptr<const System> system;
  std::unique_ptr<Workspace> workspace;
  // x = 2, y = 3, der(x) = 5; derivatives 5, 0, 7; u(t) = t^2, at t = 0.5.
  std::vector<double> x{2.0, 3.0, 5.0}, xdot{5.0, 0.0, 7.0};

  Driven() {
    Expr p = m.state("x", 1.0), q = m.algebraic("y"), k = m.parameter("k", 4.0);
    Expr u =
        m.input("u", callback(
                         [](double t, int order) {
                           return order == 0 ? t * t : order == 1 ? 2 * t : order == 2 ? 2.0 : 0.0;
                         },
                         3));
    m.equation("motion", der(der(p)) == -k * p * u + der(u) * q);
    m.equation("rest", q == sin(p) + u * u);
    m.output("power", der(p) * u + q * der(der(p)));
    m.output("y2", 2.0 * q);
    system = *compile_model(m.build())->system({});
    workspace = system->workspace();
  }
};

TEST(PortDerivatives, OfEquationsByInputs) {
  Driven d;
  auto* by_inputs = d.workspace->ability<InputDerivatives>();
  ASSERT_NE(by_inputs, nullptr);
  const auto names = by_inputs->inputs();
  ASSERT_EQ(names.size(), 2u);
  const CscPattern& p = by_inputs->pattern();
  EXPECT_EQ(p.n_rows, 3);  // motion, rest, definition of der(x)
  EXPECT_EQ(p.n_cols, 2);
  std::vector<double> values(p.row.size());
  ASSERT_TRUE(by_inputs->evaluate(0.5, d.x, d.xdot, values));
  const auto m = dense(p, values);
  const std::size_t u = names[0] == "u" ? 0 : 1;
  EXPECT_EQ(names[u], "u");
  EXPECT_EQ(names[1 - u], "der(u)");
  EXPECT_EQ(m[0][u], 4.0 * 2.0);
  EXPECT_EQ(m[0][1 - u], -3.0);
  EXPECT_EQ(m[1][u], -2 * 0.25);
  EXPECT_EQ(m[1][1 - u], 0.0);
  EXPECT_EQ(m[2][u], 0.0);
  // They follow the parameters of the workspace.
  d.workspace->ability<HeldValues>()->parameters()[0] = 5.0;
  ASSERT_TRUE(by_inputs->evaluate(0.5, d.x, d.xdot, values));
  EXPECT_EQ(dense(p, values)[0][u], 5.0 * 2.0);
}

TEST(PortDerivatives, OfOutputs) {
  Driven d;
  auto* of_outputs = d.workspace->ability<OutputDerivatives>();
  ASSERT_NE(of_outputs, nullptr);
  ASSERT_EQ(of_outputs->outputs().size(), 2u);
  EXPECT_EQ(of_outputs->outputs()[1], "y2");
  const CscPattern& p = of_outputs->pattern();
  EXPECT_EQ(p.n_rows, 2);
  EXPECT_EQ(p.n_cols, 3 + 3 + 2);
  std::vector<double> values(p.row.size());
  ASSERT_TRUE(of_outputs->evaluate(0.5, d.x, d.xdot, values));
  const auto m = dense(p, values);
  EXPECT_EQ(m[0][1], 7.0);      // by y: der(der(x))
  EXPECT_EQ(m[0][2], 0.25);     // by der(x): u
  EXPECT_EQ(m[0][3 + 2], 3.0);  // by der(der(x)): y
  EXPECT_EQ(m[0][6] + m[0][7], 5.0);
  EXPECT_EQ(m[1][1], 2.0);
  EXPECT_EQ(m[1][0], 0.0);
}

TEST(PortDerivatives, AModelWithoutInputsAndOutputsHasNone) {
  Model m("decay");
  Expr x = m.state("x", 1.0);
  m.equation(der(x) == -x);
  const auto system = *compile_model(m.build())->system({});
  const auto workspace = system->workspace();
  EXPECT_TRUE(workspace->ability<InputDerivatives>()->inputs().empty());
  EXPECT_EQ(workspace->ability<InputDerivatives>()->pattern().nnz(), 0);
  EXPECT_TRUE(workspace->ability<OutputDerivatives>()->outputs().empty());
  EXPECT_EQ(workspace->ability<OutputDerivatives>()->pattern().nnz(), 0);
}

TEST(PortDerivatives, WhatIsNotFiniteIsRefused) {
  Model m("root");
  Expr x = m.state("x", 1.0), u = m.input("u", callback([](double t) { return t; }));
  m.equation(der(x) == sqrt(u));
  const auto system = *compile_model(m.build())->system({});
  const auto workspace = system->workspace();
  auto* by_inputs = workspace->ability<InputDerivatives>();
  const std::vector<double> one{1.0};
  std::vector<double> values(by_inputs->pattern().row.size());
  EXPECT_TRUE(by_inputs->evaluate(1.0, one, one, values));
  EXPECT_FALSE(by_inputs->evaluate(0.0, one, one, values));
}

}  // namespace
}  // namespace saltus
