// Equations with the derivatives their structure asks for.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <saltus/lower.hpp>
#include <saltus/model.hpp>
#include <saltus/system.hpp>

namespace saltus {
namespace {

constexpr std::uint32_t nothing = DifferentiatedSystem::none;

Result<std::shared_ptr<const DifferentiatedSystem>> differentiated(const Model& m) {
  return compile_model(m.build())->differentiated({});
}

void write_pendulum(Model& m) {
  Expr x = m.state("x", 1.0), y = m.state("y", 0.0), f = m.algebraic("f");
  m.equation("horizontal", der(der(x)) == -f * x);
  m.equation("vertical", der(der(y)) == -f * y - 9.81);
  m.equation("rod", x * x + y * y == 1.0);
}

TEST(Differentiated, ThePendulumsRodIsDifferentiatedTwice) {
  Model m("pendulum");
  write_pendulum(m);
  const auto found = differentiated(m);
  ASSERT_TRUE(found && *found);
  const DifferentiatedSystem& d = **found;
  EXPECT_EQ(d.index, 3u);
  EXPECT_EQ(d.degrees_of_freedom, 2u);
  // x, y, f, then der(x), der(der(x)), der(y), der(der(y)): multipliers get no derivative.
  ASSERT_EQ(d.system->size(), 7u);
  EXPECT_EQ(d.system->unknown_name(4), "der(der(x))");
  EXPECT_EQ(d.derivative_unknown,
            (std::vector<std::uint32_t>{3, 5, nothing, 4, nothing, 6, nothing}));
  EXPECT_EQ(d.derivative_row, (std::vector<std::uint32_t>{nothing, nothing, 3, 4, nothing}));
  EXPECT_EQ(d.system->equation_name(4), "derivative 2 of rod");
  EXPECT_EQ(d.system->n_equations(), 9u);  // 5 rows, 4 ties

  // 2 (x'^2 + x x'' + y'^2 + y y''), and ties.
  const std::vector<double> x = {0.6, 0.8, 2.0, 0.3, -0.7, 0.9, 1.1};
  const std::vector<double> xdot = {0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  std::vector<double> f(9);
  ASSERT_TRUE(static_cast<bool>(d.system->workspace()->residual(0.0, x, xdot, f)));
  EXPECT_NEAR(f[3], 2 * (0.6 * 0.3 + 0.8 * 0.9), 4e-16);
  EXPECT_NEAR(f[4], 2 * (0.3 * 0.3 - 0.6 * 0.7 + 0.9 * 0.9 + 0.8 * 1.1), 8e-16);
  EXPECT_EQ(f[d.tie_row[0]], 0.5 - 0.3);
}

TEST(Differentiated, AModelThatNeedsNoDerivativesHasNone) {
  Model m("tank");
  Expr h = m.state("h", 1.0), q = m.algebraic("q");
  m.equation("balance", der(h) == -q);
  m.equation("law", q == h * h);
  const auto found = differentiated(m);
  ASSERT_TRUE(static_cast<bool>(found));
  EXPECT_EQ(*found, nullptr);
}

TEST(Differentiated, ASingularStructureIsRefusedByName) {
  Model m("twice");
  Expr x = m.state("x", 1.0), y = m.algebraic("y"), z = m.algebraic("z");
  m.equation("first", der(x) == y + z);
  m.equation("known", x == 1.0);
  m.equation("known again", 2.0 * x == 2.0);
  const auto found = differentiated(m);
  ASSERT_FALSE(static_cast<bool>(found));
  EXPECT_EQ(found.failure().code, FailureCode::singular);
  EXPECT_NE(found.failure().message.find("known"), std::string::npos) << found.failure().message;
}

/// Three pendulums, the second of which hangs on nothing but a spring.
TEST(Differentiated, LanesOfAFamilyMayBeDifferentiatedDifferently) {
  const auto residual_at = [](const DifferentiatedSystem& d) {
    const std::size_t n = d.system->size();
    std::vector<double> x(n), xdot(n, 0.0), f(d.system->n_equations());
    for (std::size_t i = 0; i < n; ++i) x[i] = std::sin(1.0 + static_cast<double>(i));
    EXPECT_TRUE(static_cast<bool>(d.system->workspace()->residual(0.3, x, xdot, f)));
    return f;
  };
  Model scalar("scalar");
  {
    std::vector<Expr> x, f;
    for (int i = 0; i < 3; ++i) x.push_back(scalar.state("x" + std::to_string(i), 0.0));
    for (int i = 0; i < 3; ++i) f.push_back(scalar.algebraic("f" + std::to_string(i)));
    for (std::size_t i = 0; i < 3; ++i) scalar.equation(der(der(x[i])) == f[i]);
    for (std::size_t i = 0; i < 3; ++i) {
      scalar.equation((i == 1 ? f[i] + x[i] : x[i] * x[i]) - sin(scalar.time()) == 0.0);
    }
  }
  const auto one_by_one = differentiated(scalar);
  ASSERT_TRUE(one_by_one && *one_by_one);

  Model family("family");
  {
    Expr x = family.states("x", 3, {}), f = family.algebraics("f", 3);
    family.equation(der(der(x)) == f);
    const Expr s = sin(family.time());
    family.equation(concat({x[0] * x[0] - s, f[1] + x[1] - s, x[2] * x[2] - s}) == 0.0);
  }
  const auto together = differentiated(family);
  ASSERT_TRUE(together && *together);
  EXPECT_EQ((*together)->derivative_row, (*one_by_one)->derivative_row);
  EXPECT_EQ(residual_at(**together), residual_at(**one_by_one));
}

}  // namespace
}  // namespace saltus
