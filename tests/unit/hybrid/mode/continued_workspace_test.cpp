// Sides that end at their surface, beyond it.
#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include <saltus/system/function_system.hpp>

#include "hybrid/mode/continued_workspace.hpp"

namespace saltus::detail {
namespace {

using Values = std::vector<double>;
constexpr double eps = std::numeric_limits<double>::epsilon();

/// A relation g > 0 on (x, y), as written; every call of the field is counted.
struct Sides {
  Sides(SystemFunctions functions, bool above, BeyondPolicy policy = BeyondPolicy::continued,
        EventOptions options = {})
      : system(make_system(std::move(functions))),
        base(system->workspace()),
        board(*base, options, true),
        continued(*system, *base, board, policy) {
    board.set_truth(0, !above);  // setting what is set tells nobody
    board.set_truth(0, above);
  }
  Evaluation derivative(const Values& x, Values& xdot) {
    return continued.ability<ExplicitForm>()->derivative(0.0, x, xdot);
  }

  std::shared_ptr<const System> system;
  std::unique_ptr<Workspace> base;
  SwitchBoard board;
  ContinuedWorkspace continued;
};

SystemFunctions plane() {
  return {.unknowns = {{.name = "x"}, {.name = "y", .nominal = 2.0}},
          .switches = {{"g"}},
          .switching = [](double, auto x, auto g) { g[0] = x[0] + 3.0 * x[1]; }};
}

/// Exists where g > 0 only; the side below exists everywhere.
SystemFunctions ends_below(std::function<void(std::span<const double>, std::span<double>)> above,
                           int& n_calls) {
  SystemFunctions f = plane();
  f.locked_derivative = [above, &n_calls](double, auto x, auto side, auto xdot) {
    ++n_calls;
    if (side[0] != 0 && x[0] + 3.0 * x[1] < 0.0) throw std::domain_error("beyond");
    if (side[0] != 0) return above(x, xdot);
    xdot[0] = std::exp(x[0]);
    xdot[1] = -1.0;
  };
  return f;
}

void linear(std::span<const double> x, std::span<double> xdot) {
  xdot[0] = 2.0 * x[0] - x[1] + 5.0;
  xdot[1] = 0.5 * x[0] + 7.0 * x[1];
}
void curved(std::span<const double> x, std::span<double> xdot) {
  xdot[0] = std::sin(x[0] + x[1]);
  xdot[1] = std::exp(x[0] - x[1]);
}

TEST(ContinuedWorkspace, WhatExistsIsLeftAlone) {
  int n_calls = 0;
  const Values own{1.0, 0.2}, beyond{1.0, -0.5};
  for (const bool above : {true, false}) {
    Sides s(ends_below(curved, n_calls), above);
    Values by_base(2), by_continued(2);
    const Values& x = above ? own : beyond;
    ASSERT_TRUE(s.base->ability<ExplicitForm>()->derivative(0.0, x, by_base));
    n_calls = 0;
    ASSERT_TRUE(s.derivative(x, by_continued));
    EXPECT_EQ(by_base, by_continued);
    EXPECT_EQ(n_calls, 1);
    EXPECT_EQ(s.continued.n_continued(), 0u);
    EXPECT_EQ(s.continued.n_extra_evaluations(), 0u);
  }
}

TEST(ContinuedWorkspace, LinearSidesGoOnExactly) {
  int n_calls = 0;
  Sides s(ends_below(linear, n_calls), true);
  const Values x{1.0, -0.5};  // g = -0.5
  Values expected(2), found(2), at_surface(2);
  linear(x, expected);
  n_calls = 0;
  ASSERT_TRUE(s.derivative(x, found));
  // A dozen operations on numbers below 10, and a surface that is found to 1e-14.
  for (int i : {0, 1}) EXPECT_NEAR(found[i], expected[i], 100 * eps * 10.0);
  EXPECT_EQ(s.continued.n_continued(), 1u);
  // The point itself, the nearest one, the mirrored one.
  EXPECT_EQ(n_calls, 3);
  EXPECT_EQ(s.continued.n_extra_evaluations(), 2u);
  // It is tried again: to ask first would cost more at all the points that exist.
  ASSERT_TRUE(s.derivative(x, found));
  EXPECT_EQ(n_calls, 6);
  EXPECT_EQ(s.continued.n_extra_evaluations(), 4u);
  // The twin: the value on the surface, next to x in nominal units, is another one.
  const double way = 0.5 / (1.0 + 9.0 * 4.0);
  linear(Values{x[0] + way, x[1] + way * 3.0 * 4.0}, at_surface);
  EXPECT_GT(std::abs(at_surface[1] - expected[1]), 0.1);
}

TEST(ContinuedWorkspace, OutputsAreTakenOnTheirOwnSide) {
  int n_calls = 0;
  Sides s(ends_below(linear, n_calls), true);
  const auto root = [](std::span<const double> x) {
    return x[0] + 3.0 * x[1] >= 0.0 ? Evaluation::ok() : Evaluation::out_of_domain(0);
  };
  const Values xdot{0.0, 0.0}, beyond{3.0, -1.0 - 1e-15};
  Values found;
  const auto note = [&](std::span<const double> x) {
    found.assign(x.begin(), x.end());
    return root(x);
  };
  EXPECT_FALSE(root(beyond));
  EXPECT_TRUE(s.continued.on_own_side(0.0, beyond, xdot, note));
  // The terms of g are of size 8: 1e-14 of that inside.
  EXPECT_NEAR(found[0], beyond[0], 1e-13);
  EXPECT_NEAR(found[1], beyond[1], 1e-13);
  EXPECT_GT(found[0] + 3.0 * found[1], 0.0);
  // The twins: on its own side nothing is moved, and what exists nowhere is not found.
  EXPECT_FALSE(s.continued.on_own_side(0.0, Values{3.0, 1.0}, xdot, note));
  EXPECT_FALSE(s.continued.on_own_side(
      0.0, beyond, xdot, [](std::span<const double>) { return Evaluation::out_of_domain(0); }));
}

/// Error of the first component so far beyond the surface.
double error_beyond(double distance, bool mirrored) {
  int n_calls = 0;
  Sides s(ends_below(curved, n_calls), true);
  const Values on{0.3, -0.1}, x{0.3 - distance / 2, -0.1 - distance / 6};
  Values expected(2), found(2);
  curved(x, expected);
  if (mirrored) {
    EXPECT_TRUE(s.derivative(x, found));
  } else {
    curved(on, found);
  }
  return std::abs(found[1] - expected[1]);
}

TEST(ContinuedWorkspace, OtherSidesGoOnWithTheirSlope) {
  // Ten times as far, a hundred times the error: second order. The twin is the value on the surface: first.
  EXPECT_NEAR(std::log10(error_beyond(1e-2, true) / error_beyond(1e-3, true)), 2.0, 0.1);
  EXPECT_NEAR(std::log10(error_beyond(1e-2, false) / error_beyond(1e-3, false)), 1.0, 0.1);
  EXPECT_LT(error_beyond(1e-3, true), 1e-2 * error_beyond(1e-3, false));
}

TEST(ContinuedWorkspace, ASideThatEndsSaysNothingOfTheOtherOne) {
  int n_calls = 0;
  Sides s(ends_below(linear, n_calls), true);
  Values found(2);
  ASSERT_TRUE(s.derivative({1.0, -0.5}, found));
  s.board.set_truth(0, false);
  n_calls = 0;
  ASSERT_TRUE(s.derivative({1.0, 0.5}, found));
  EXPECT_EQ(n_calls, 1);
  EXPECT_EQ(found[0], std::exp(1.0));
  EXPECT_EQ(s.continued.n_continued(), 1u);
}

/// Looks for its side by itself.
SystemFunctions own_signs() {
  SystemFunctions f = plane();
  f.derivative = [](double, auto x, auto xdot) {
    if (x[0] + 3.0 * x[1] > 0.0) return linear(x, xdot);
    xdot[0] = -100.0;
    xdot[1] = 100.0;
  };
  return f;
}

TEST(ContinuedWorkspace, SystemsWithTheirOwnSignsStayOnOneSide) {
  Sides s(own_signs(), true);
  const Values x{1.0, -0.5};
  Values expected(2), found(2), other(2);
  linear(x, expected);
  ASSERT_TRUE(s.derivative(x, found));
  for (int i : {0, 1}) EXPECT_NEAR(found[i], expected[i], 100 * eps * 10.0);
  EXPECT_EQ(s.continued.n_extra_evaluations(), 1u);
  // The twin: what the system itself says there.
  ASSERT_TRUE(s.base->ability<ExplicitForm>()->derivative(0.0, x, other));
  EXPECT_EQ(other[0], -100.0);
  s.board.set_truth(0, false);
  ASSERT_TRUE(s.derivative({1.0, 0.5}, found));
  EXPECT_NEAR(found[0], -100.0, 1000 * eps);
}

TEST(ContinuedWorkspace, DifferencesDoNotReachTheOtherSide) {
  Sides s(own_signs(), true);
  const Values xdot(2, 0.0);
  Values dx(4), dxdot(4);
  for (const double g : {1e-9, 0.0, -1e-9, -0.1}) {
    ASSERT_TRUE(s.continued.jacobian(0.0, Values{1.0, (g - 1.0) / 3.0}, xdot, dx, dxdot));
    // Of x' - f: half of the digits.
    EXPECT_NEAR(dx[0], -2.0, 1e-6) << g;
    EXPECT_NEAR(dx[3], -7.0, 1e-6) << g;
  }
  // The twin: the system's own differences pass the jump.
  ASSERT_TRUE(s.base->jacobian(0.0, Values{1.0, -(1.0 + 1e-9) / 3.0}, xdot, dx, dxdot));
  EXPECT_GT(std::abs(dx[0]), 1e6);
}

TEST(ContinuedWorkspace, RefusesIfAskedTo) {
  int n_calls = 0;
  Values found(2);
  for (SystemFunctions f : {ends_below(linear, n_calls), own_signs()}) {
    Sides s(std::move(f), true, BeyondPolicy::refused);
    EXPECT_EQ(s.derivative({1.0, -0.5}, found).status(), Evaluation::Status::out_of_domain);
    EXPECT_TRUE(s.derivative({1.0, 0.5}, found));
    EXPECT_EQ(s.continued.n_continued(), 0u);
  }
}

// It would be there for long.
TEST(ContinuedWorkspace, ARelationInItsDwellTimeIsNotContinued) {
  EventOptions options;
  options.dwell = {{"g", 1.0}};
  Sides s(own_signs(), true, BeyondPolicy::continued, options);
  Values found(2);
  EXPECT_TRUE(s.derivative({1.0, -0.5}, found));
  s.board.note_switched(0, -0.5);
  EXPECT_EQ(s.derivative({1.0, -0.5}, found).status(), Evaluation::Status::out_of_domain);
}

TEST(ContinuedWorkspace, WithAHysteresisTheSideEndsLater) {
  EventOptions options;
  options.hysteresis = {{"g", 0.6}};
  Sides s(own_signs(), false, BeyondPolicy::continued, options);
  Values found(2);
  ASSERT_TRUE(s.derivative({1.0, -0.2}, found));  // g = 0.4: as the system says
  EXPECT_EQ(s.continued.n_continued(), 0u);
  ASSERT_TRUE(s.derivative({1.0, 0.0}, found));  // g = 1
  EXPECT_EQ(s.continued.n_continued(), 1u);
}

/// x' = 1, y' = -1000 sqrt(x) y where x > 0.
SystemFunctions root() {
  return {.unknowns = {{.name = "x"}, {.name = "y"}},
          .switches = {{"g"}},
          .switching = [](double, auto x, auto g) { g[0] = x[0]; },
          .locked_residual =
              [](double, auto x, auto xdot, auto side, auto f) {
                f[0] = xdot[0] - 1.0;
                f[1] = xdot[1] + (side[0] != 0 ? 1000.0 * std::sqrt(x[0]) * x[1] : 0.0);
              }};
}

TEST(ContinuedWorkspace, JacobiansThatAreInfiniteAtTheSurfaceAreThoseAhead) {
  Sides s(root(), true);
  const Values x{1e-16, 1.0}, xdot{1.0, 0.0};
  Values dx(4), dxdot(4), ahead(4);
  ASSERT_TRUE(s.base->jacobian(0.0, Values{0.3 * 0.01, 1.0}, xdot, ahead, dxdot));
  // The twin: where a step is not known to begin here.
  ASSERT_TRUE(s.continued.jacobian(0.0, x, xdot, dx, dxdot));
  EXPECT_GT(dx[1], 1e6);
  s.continued.begin(0.0, x, xdot, 0.01);
  ASSERT_TRUE(s.continued.jacobian(0.0, x, xdot, dx, dxdot));
  EXPECT_EQ(dx[1], ahead[1]);
  // Elsewhere it is what it is.
  ASSERT_TRUE(s.continued.jacobian(0.0, Values{0.003, 1.0}, xdot, dx, dxdot));
  EXPECT_EQ(dx[1], ahead[1]);
}

}  // namespace
}  // namespace saltus::detail
