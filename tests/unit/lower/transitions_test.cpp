// Where the unknowns of a mode start: held, mapped, free, fresh; equations between both limits.
#include <saltus/lower.hpp>

#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include <saltus/model.hpp>
#include <saltus/system.hpp>

namespace saltus {
namespace {

using Start = UnknownStart;

/// Two bodies that fly on their own and stick together; names and numbers of unknowns differ.
struct Bodies {
  Model m{"bodies"};
  Expr mass = m.parameter("mass", 2.0);
  Expr d = m.discrete("d", 0.5);
  Expr p = m.state("p", 0.0, {.derivative_start = 3.0}), q = m.state("q", 1.0);
  Expr v = m.state("v", 3.0), w = m.state("w", -1.0);
  Expr u = m.state("u", 8.0);
  ModeId apart = m.mode("apart"), together = m.mode("together");
  Bodies() {
    m.equation(apart, der(p) == v);
    m.equation(apart, der(q) == w);
    m.equation(apart, der(v) == -v);
    m.equation(apart, der(w) == 0.0);
    m.equation(together, der(p) == u);
    m.equation(together, der(u) == -u);
    m.equation(together, q == p);
  }
  std::unique_ptr<TransitionMap> map(const std::shared_ptr<ConfigurationSource>& source) {
    return std::move(*source->transition_map(0, together));
  }
};

TEST(Transitions, SayWhatTheyAre) {
  Bodies b;
  b.m.output("momentum", b.p);
  b.m.transition("joins", b.apart, {b.together, b.apart}, b.p > b.q,
                 {.conserved = {"momentum"}, .priority = 2, .restart = RestartPolicy::check});
  const auto source = compile_model(b.m.build());
  ASSERT_EQ(source->transitions().size(), 1U);
  const TransitionInfo& t = source->transitions()[0];
  EXPECT_EQ(t.name, "joins");
  EXPECT_EQ(t.from, b.apart);
  EXPECT_EQ(t.candidates, (std::vector<std::uint32_t>{b.together, b.apart}));
  EXPECT_EQ(t.priority, 2);
  EXPECT_EQ(t.restart, RestartPolicy::check);
  EXPECT_EQ(t.conserved, std::vector<std::string>{"momentum"});
}

TEST(Transitions, HoldMapFreeOrBeginAfresh) {
  Bodies b;
  b.m.transition("joins", b.apart, b.together, b.p > b.q,
                 {.maps = {{b.p, where(b.v > 2.0, 10.0, 20.0) + pre(b.w) + b.d + b.m.time()}}});
  const auto source = compile_model(b.m.build());
  const auto map = b.map(source);
  // Of the new mode: p, q, u. Of the old one: p, q, v, w.
  EXPECT_EQ(std::vector<Start>(map->starts().begin(), map->starts().end()),
            (std::vector{Start::mapped, Start::held, Start::fresh}));
  EXPECT_EQ(std::vector<std::uint32_t>(map->same_before().begin(), map->same_before().end()),
            (std::vector<std::uint32_t>{0, 1, none}));
  EXPECT_EQ(map->equations(), nullptr);
  const std::vector<double> parameters{2.0}, discrete{0.25};
  StartValues start;
  map->set_left(100.0, std::vector{1.0, 2.0, 3.0, 4.0}, std::vector{5.0, 6.0, 7.0, 8.0}, parameters,
                discrete);
  ASSERT_TRUE(static_cast<bool>(map->wish(start)));
  EXPECT_EQ(start.x, (std::vector{114.25, 2.0, 8.0}));
  EXPECT_EQ(start.xdot, (std::vector{5.0, 6.0, 0.0}));
  // q follows from p there, and u has a start value.
  EXPECT_EQ(start.x_given, (std::vector<std::uint8_t>{1, 0, 1}));
  map->set_left(100.0, std::vector{1.0, 2.0, 1.0, 4.0}, std::vector{5.0, 6.0, 7.0, 8.0}, parameters,
                discrete);
  ASSERT_TRUE(static_cast<bool>(map->wish(start)));
  EXPECT_EQ(start.x[0], 124.25);
}

TEST(Transitions, EquationsJoinBothLimits) {
  Bodies b;
  b.m.transition("joins", b.apart, b.together, b.p > b.q,
                 {.free = {b.u, b.q},
                  .equations = {(1.0 + b.mass) * b.u * b.q == pre(b.v) + b.mass * pre(b.w),
                                b.u + b.d * sqr(b.q) == pre(b.p) * b.m.time()}});
  const auto source = compile_model(b.m.build());
  const auto map = b.map(source);
  EXPECT_EQ(std::vector<Start>(map->starts().begin(), map->starts().end()),
            (std::vector{Start::held, Start::free, Start::free}));
  map->set_left(2.0, std::vector{1.0, 2.0, 3.0, 4.0}, std::vector{5.0, 6.0, 7.0, 8.0},
                std::vector{2.0}, std::vector{0.25});
  StartValues start;
  ASSERT_TRUE(static_cast<bool>(map->wish(start)));
  EXPECT_EQ(start.x, (std::vector{1.0, 2.0, 8.0}));
  EXPECT_EQ(start.x_given, (std::vector<std::uint8_t>{1, 0, 0}));
  LimitEquations* equations = map->equations();
  ASSERT_NE(equations, nullptr);
  ASSERT_EQ(equations->count(), 2U);
  const std::vector<double> plus{10.0, 4.0, 0.5};
  std::vector<double> r(2), dr(6);
  ASSERT_TRUE(static_cast<bool>(equations->residual(plus, r)));
  EXPECT_EQ(r, (std::vector{3.0 * 0.5 * 4.0 - (3.0 + 8.0), 0.5 + 0.25 * 16.0 - 2.0}));
  ASSERT_TRUE(static_cast<bool>(equations->jacobian(plus, dr)));
  EXPECT_EQ(dr, (std::vector{0.0, 3.0 * 0.5, 3.0 * 4.0, 0.0, 0.25 * 2.0 * 4.0, 1.0}));
}

/// A body with a mass of its own or carried along: der(x) is an unknown in one mode only.
TEST(Transitions, ADerivativeStartsFromThatOfTheModeBefore) {
  Model m("carried");
  const Expr x = m.state("x", 0.0, {.derivative_guess = 6.0}), y = m.state("y", 0.0),
             z = m.state("z", 0.0, {.derivative_start = 7.0});
  const ModeId carried = m.mode("carried"), alone = m.mode("alone");
  m.equation(carried, der(x) == 3.0);
  m.equation(carried, y == x);
  m.equation(alone, der(x, 2) == -1.0);
  m.equation(alone, der(y, 2) == -1.0);
  m.equation(alone, der(z, 2) == -1.0);
  m.transition("lets go", carried, alone, x > 1.0);
  m.transition("caught", alone, carried, x < 1.0);
  const auto source = compile_model(m.build());
  auto map = std::move(*source->transition_map(0, alone));
  // x, y, z, der(x), der(y), der(z).
  EXPECT_EQ(std::vector<Start>(map->starts().begin(), map->starts().end()),
            (std::vector{Start::held, Start::held, Start::fresh, Start::held, Start::free,
                         Start::fresh}));
  map->set_left(0.0, std::vector{1.0, 2.0}, std::vector{3.0, 4.0}, {}, {});
  StartValues start;
  ASSERT_TRUE(static_cast<bool>(map->wish(start)));
  EXPECT_EQ(start.x, (std::vector{1.0, 2.0, 0.0, 3.0, 4.0, 7.0}));
  EXPECT_EQ(start.xdot, (std::vector{3.0, 4.0, 7.0, 0.0, 0.0, 0.0}));
  EXPECT_EQ(start.x_given, (std::vector<std::uint8_t>{1, 1, 1, 1, 0, 1}));

  map = std::move(*source->transition_map(1, carried));
  map->set_left(0.0, std::vector{1.0, 2.0, 3.0, 4.0, 5.0, 6.0},
                std::vector{4.0, 5.0, 6.0, -1.0, -1.0, -1.0}, {}, {});
  ASSERT_TRUE(static_cast<bool>(map->wish(start)));
  EXPECT_EQ(start.x, (std::vector{1.0, 2.0}));
  EXPECT_EQ(start.xdot, (std::vector{4.0, 5.0}));
}

/// Largest |J - difference quotient| of limit equations; central differences of width h have an error of
/// h^2/6 |r'''| and a rounding of eps |r|/h: below 1e-8 for h = 1e-5 and functions of size 10.
double distance_from_differences(LimitEquations& equations, const std::vector<double>& x,
                                 double planted) {
  constexpr double h = 1e-5;
  const std::size_t n = x.size(), m = equations.count();
  std::vector<double> dr(m * n), above(m), below(m);
  EXPECT_TRUE(static_cast<bool>(equations.jacobian(x, dr)));
  dr[n + 1] += planted;
  double worst = 0.0;
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<double> moved = x;
    moved[j] = x[j] + h;
    EXPECT_TRUE(static_cast<bool>(equations.residual(moved, above)));
    moved[j] = x[j] - h;
    EXPECT_TRUE(static_cast<bool>(equations.residual(moved, below)));
    for (std::size_t i = 0; i < m; ++i)
      worst = std::max(worst, std::abs(dr[i * n + j] - (above[i] - below[i]) / (2 * h)));
  }
  return worst;
}

TEST(Transitions, JacobiansOfEquationsAgreeWithDifferences) {
  Bodies b;
  const Expr friction = where(b.u > pre(b.v), exp(b.q) * b.u, abs(b.q - 3.0) * pre(b.w));
  b.m.transition("joins", b.apart, b.together, b.p > b.q,
                 {.free = {b.u, b.q, b.p},
                  .equations = {friction + sqr(b.u) == sin(b.m.time() * b.p),
                                b.q * b.u / (2.0 + sqr(b.p)) == min(b.p, pre(b.q)),
                                max(b.u, b.q) == b.mass * b.p}});
  const auto source = compile_model(b.m.build());
  const auto map = b.map(source);
  for (const double v_before : {-1.0, 4.0}) {
    map->set_left(0.3, std::vector{1.0, 2.0, v_before, 0.5}, std::vector<double>(4, 0.0),
                  std::vector{2.0}, std::vector{0.25});
    const std::vector<double> plus{0.7, 1.1, 1.6};
    EXPECT_LT(distance_from_differences(*map->equations(), plus, 0.0), 1e-8);
    EXPECT_GT(distance_from_differences(*map->equations(), plus, 1e-6), 1e-7);
  }
}

/// An input that jumps at the instant has its left value in maps and its right one in equations.
TEST(Transitions, InputsHaveTheSideOfTheLimit) {
  Model m("driven");
  const Expr x = m.state("x", 0.0), y = m.state("y", 0.0);
  const Expr u = m.input(
      "u", table(std::vector<double>{0, 1, 2}, std::vector<double>{3, 5, 5}, Interpolation::step));
  const ModeId only = m.mode("only");
  m.equation(der(x) == u);
  m.equation(der(y) == u);
  m.transition("reset", only, only, x > 1.0,
               {.maps = {{x, 10.0 * u}}, .free = {y}, .equations = {y == u}});
  const auto source = compile_model(m.build());
  const auto map = std::move(*source->transition_map(0, only));
  map->set_left(1.0, std::vector{1.0, 0.0}, std::vector{3.0, 3.0}, {}, {});
  StartValues start;
  ASSERT_TRUE(static_cast<bool>(map->wish(start)));
  EXPECT_EQ(start.x[0], 30.0);
  std::vector<double> r(1);
  ASSERT_TRUE(static_cast<bool>(map->equations()->residual(std::vector{0.0, 7.0}, r)));
  EXPECT_EQ(r[0], 2.0);
}

TEST(Transitions, AMapWithoutAValueNamesItsUnknown) {
  Bodies b;
  b.m.transition("joins", b.apart, b.together, b.p > b.q, {.maps = {{b.u, log(b.v)}}});
  const auto source = compile_model(b.m.build());
  const auto map = b.map(source);
  const auto wish_at = [&](double v) {
    map->set_left(0.0, std::vector{1.0, 2.0, v, 4.0}, std::vector<double>(4, 0.0), std::vector{2.0},
                  std::vector{0.25});
    StartValues start;
    return map->wish(start);
  };
  EXPECT_TRUE(static_cast<bool>(wish_at(1.0)));
  const Evaluation failed = wish_at(-1.0);
  EXPECT_EQ(failed.status(), Evaluation::Status::out_of_domain);
  EXPECT_EQ(failed.row(), 2U);
}

TEST(Transitions, AreCompiledOnceHoweverManyMapsThereAre) {
  Bodies b;
  b.m.transition("joins", b.apart, b.together, b.p > b.q, {.maps = {{b.u, b.v}}});
  const auto source = compile_model(b.m.build());
  const auto first = b.map(source), second = b.map(source);
  EXPECT_EQ(compilation_counts(*source).transitions, 1U);
  EXPECT_EQ(compilation_counts(*source).modes, 2U);
  // Each has its own left limit.
  const std::vector<double> zeros(4, 0.0), parameters{2.0}, discrete{0.25};
  first->set_left(0.0, std::vector{1.0, 2.0, 3.0, 4.0}, zeros, parameters, discrete);
  second->set_left(0.0, std::vector{1.0, 2.0, 5.0, 4.0}, zeros, parameters, discrete);
  StartValues a, c;
  ASSERT_TRUE(static_cast<bool>(first->wish(a)));
  ASSERT_TRUE(static_cast<bool>(second->wish(c)));
  EXPECT_EQ(a.x[2], 3.0);
  EXPECT_EQ(c.x[2], 5.0);
}

}  // namespace
}  // namespace saltus
