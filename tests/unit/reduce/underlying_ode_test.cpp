// Systems of higher index as x' = f(t, x) with constraints.
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <saltus/simulate.hpp>

#include <saltus/lower.hpp>
#include <saltus/reduce.hpp>
#include <saltus/system.hpp>

namespace saltus {
namespace {

constexpr double rounding_unit = std::numeric_limits<double>::epsilon();

/// Hanging, at an angle of 0.6435 from the horizontal, at rate 2.
void write_tilted_pendulum(Model& m) {
  const double a = 0.6435;
  Expr x = m.state("x", std::cos(a), {.derivative_start = -2.0 * std::sin(a)});
  Expr y = m.state("y", std::sin(a), {.derivative_start = 2.0 * std::cos(a)});
  Expr f = m.algebraic("f");
  m.equation("horizontal", der(der(x)) == -f * x);
  m.equation("vertical", der(der(y)) == -f * y - 9.81);
  m.equation("rod", x * x + y * y == 1.0);
  m.output("pull", 2.0 * f);
}

std::shared_ptr<const System> ode_of_pendulum() {
  Model m("pendulum");
  write_tilted_pendulum(m);
  const auto d = *compile_model(m.build())->differentiated({});
  return underlying_ode(d, d->system->start_values());
}

TEST(UnderlyingOde, KeepsTheContractOfSystems) {
  const auto ode = ode_of_pendulum();
  EXPECT_EQ(ode->size(), 4u);
  for (const std::string& finding : check_system(*ode)) ADD_FAILURE() << finding;
}

TEST(UnderlyingOde, AccelerationsAndMultipliersFollowAtEveryPoint) {
  const auto ode = ode_of_pendulum();
  auto w = ode->workspace();
  const StartValues start = ode->start_values();
  std::vector<double> rate(4);
  ASSERT_TRUE(static_cast<bool>(w->ability<ExplicitForm>()->derivative(0.0, start.x, rate)));
  const double a = 0.6435, tangential = -9.81 * std::cos(a);
  // x, y, der(x), der(y)
  EXPECT_EQ(rate[0], start.x[2]);
  EXPECT_NEAR(rate[2], -4 * std::cos(a) - tangential * std::sin(a), 64 * rounding_unit);
  EXPECT_NEAR(rate[3], -4 * std::sin(a) + tangential * std::cos(a), 64 * rounding_unit);
  std::vector<double> out(ode->variable_map().variables().size());
  ASSERT_TRUE(static_cast<bool>(ode->variable_map().values(*w, 0.0, start.x, rate, out)));
  EXPECT_NEAR(out[2], 4 - 9.81 * std::sin(a), 64 * rounding_unit);
  EXPECT_NEAR(out[3], 2 * out[2], 64 * rounding_unit);
}

TEST(UnderlyingOde, ProjectionIsTheSmallestChange) {
  const auto ode = ode_of_pendulum();
  auto w = ode->workspace();
  std::vector<double> x = ode->start_values().x;
  const std::vector<double> exact = x;
  // Along the normal, at both levels: what is added is taken away again, to second order.
  x[0] *= 1.0 + 1e-6;
  x[1] *= 1.0 + 1e-6;
  EXPECT_GT(std::abs(x[0] * x[0] + x[1] * x[1] - 1), 1e-6);  // the twin
  ASSERT_TRUE(static_cast<bool>(w->ability<StepProjection>()->project(0.0, x)));
  EXPECT_NEAR(x[0] * x[0] + x[1] * x[1], 1.0, 4 * rounding_unit);
  EXPECT_NEAR(x[0] * x[2] + x[1] * x[3], 0.0, 8 * rounding_unit);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(x[i], exact[i], 1e-11);
}

TEST(UnderlyingOde, ExplicitEnginesRunModelsOfIndexThree) {
  Model m("pendulum");
  Expr x = m.state("x", 1.0), y = m.state("y", 0.0), u = m.state("u", 0.0), v = m.state("v", 0.0);
  Expr f = m.algebraic("f");
  m.equation(der(x) == u);
  m.equation(der(y) == v);
  m.equation(der(u) == -f * x);
  m.equation(der(v) == -f * y - 9.81);
  m.equation("rod", x * x + y * y == 1.0);
  // tests/reference/pendulum_index3.json
  constexpr double end = 0.2750874625761168600543914493;
  for (const EngineKind engine : {EngineKind::dopri5, EngineKind::dop853}) {
    double last = 1.0;
    for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
      const Solution s =
          simulate(m, {.t_end = 10.0, .rtol = tolerance, .atol = tolerance, .engine = engine});
      ASSERT_TRUE(s.ok()) << s.report.message;
      const double error = std::abs(s.final("x") - end);
      EXPECT_LT(error, last / 10) << name(engine) << " " << tolerance;
      last = error;
      for (std::uint32_t r = 0; r < s.trajectory.n_rows(); ++r) {
        const auto row = s.trajectory.row(r);
        EXPECT_NEAR(row[0] * row[0] + row[1] * row[1], 1.0, 8 * rounding_unit);
      }
    }
    EXPECT_LT(last, 1e-7);
  }
}

}  // namespace
}  // namespace saltus
