// Where the unknowns of a mode start: held, mapped, free, fresh; equations between both limits.
#include <saltus/lower.hpp>

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

}  // namespace
}  // namespace saltus
