// The point at which a DAE of motion on surfaces is evaluated.
#include <gtest/gtest.h>

#include <saltus/system/function_system.hpp>

#include "slide/dae/mixed_point.hpp"

namespace saltus::detail {
namespace {

using Flags = std::vector<std::uint8_t>;
using Numbers = std::vector<double>;

/// x' = -+1, y' = -+1 and z = x + y; on x = 0 and, if there are two surfaces, on y = 0.
struct MixedPointCase {
  explicit MixedPointCase(SlidingForm form, std::uint32_t n_surfaces = 1, bool z_moves = false) {
    SystemFunctions f;
    f.unknowns = {{"x"}, {"y"}, {.name = "z", .differential = false}};
    f.locked_residual = [](double, auto x, auto xdot, auto locks, auto r) {
      r[0] = xdot[0] + (locks[0] ? 1 : -1);
      r[1] = xdot[1] + (locks[1] ? 1 : -1);
      r[2] = x[2] - x[0] - x[1];
    };
    f.switches = {{"x > 0"}, {"y > 0"}};
    f.switching = [](double, auto x, auto g) {
      g[0] = x[0];
      g[1] = x[1];
    };
    std::vector<Surface> surfaces{{{0}, {1}}};
    if (n_surfaces == 2) surfaces.push_back({{1}, {1}});
    base.emplace(SlidingBase{.system = make_system(std::move(f)),
                             .surfaces = std::move(surfaces),
                             .x = {0, 0, 0},
                             .xdot = {0, 0, 0},
                             .locks = {1, 1},
                             .held = {}});
    at.emplace(*base);
    MotionClosure closure;
    if (z_moves) closure = {{2}, {2}};
    layout.emplace(at->system, at->sides, form, closure, std::span<const std::uint32_t>());
  }
  MixedPoint point(const std::vector<std::uint32_t>& pivots) const {
    return {*layout, *at, pivots};
  }

  std::optional<SlidingBase> base;
  std::optional<BaseAtSides> at;
  std::optional<MixedLayout> layout;
};

template <class T>
std::vector<T> all_of_point(std::span<const T> values) {
  return {values.begin(), values.end()};
}

TEST(MixedPoint, WhatASurfaceDeterminesIsNotIntegrated) {
  MixedPointCase c(SlidingForm::mixed, 1, true);
  const MixedPoint point = c.point({0});
  EXPECT_EQ(all_of_point(point.is_state()), (Flags{1, 1, 0}));
  // x y z, U and P, and the motion of z
  EXPECT_EQ(all_of_point(point.chosen()), (Flags{0, 1, 0, 1, 1, 0}));
  EXPECT_EQ(point.surface_of(0), 0u);
  EXPECT_EQ(point.surface_of(1), MixedPoint::no_surface);
  EXPECT_EQ(point.surface_of(2), MixedPoint::no_surface);
}

TEST(MixedPoint, BlendedMultipliersAreNotIntegrated) {
  MixedPointCase c(SlidingForm::blended);
  const MixedPoint point = c.point({});
  EXPECT_EQ(all_of_point(point.chosen()), (Flags{1, 1, 0, 0}));
  EXPECT_EQ(point.surface_of(0), MixedPoint::no_surface);
}

TEST(MixedPoint, APointIsTakenApart) {
  MixedPointCase c(SlidingForm::mixed, 1, true);
  MixedPoint point = c.point({0});
  //             x  y  z  U  P  z'
  const Numbers x{1, 2, 3, 4, 5, 6}, xdot{10, 20, 30, 0.5, 50, 60};
  point.load(x, xdot);
  EXPECT_EQ(all_of_point(point.xdot()), (Numbers{50, 20, 30}));     // that of the pivot is P'
  EXPECT_EQ(all_of_point(point.velocity()), (Numbers{50, 20, 6}));  // that of z is an unknown
  EXPECT_EQ(all_of_point(point.u()), Numbers{0.5});                 // U'
  EXPECT_EQ(all_of_point(point.weights()), (Numbers{0.25, 0.75}));
  EXPECT_EQ(point.multipliers(x, xdot)[0], 0.5);
}

TEST(MixedPoint, WithoutItsOwnMotionAnUnknownMovesAsXdotSays) {
  MixedPointCase c(SlidingForm::mixed);
  MixedPoint point = c.point({1});
  point.load(Numbers{1, 2, 3, 4, 5}, Numbers{10, 20, 30, -1, 50});
  EXPECT_EQ(all_of_point(point.xdot()), (Numbers{10, 50, 30}));
  EXPECT_EQ(all_of_point(point.velocity()), (Numbers{10, 50, 30}));
  EXPECT_EQ(all_of_point(point.weights()), (Numbers{1, 0}));  // on the - side
}

TEST(MixedPoint, BlendedMultipliersAreUnknownsThemselves) {
  MixedPointCase c(SlidingForm::blended);
  MixedPoint point = c.point({});
  point.load(Numbers{1, 2, 3, -0.5}, Numbers{10, 20, 30, 99});
  EXPECT_EQ(all_of_point(point.u()), Numbers{-0.5});
  EXPECT_EQ(all_of_point(point.weights()), (Numbers{0.75, 0.25}));
  EXPECT_EQ(all_of_point(point.xdot()), (Numbers{10, 20, 30}));
}

TEST(MixedPoint, TwoSurfacesHaveWeightsOfFourVertices) {
  MixedPointCase c(SlidingForm::mixed, 2);
  MixedPoint point = c.point({0, 1});
  //                x  y  z  U1   U2   P1  P2
  point.load(Numbers(7, 0.0), Numbers{1, 2, 3, 0.5, -0.5, 8, 9});
  EXPECT_EQ(all_of_point(point.xdot()), (Numbers{8, 9, 3}));
  // Of (-, -), (+, -), (-, +), (+, +): products of 1/4, 3/4 and of 3/4, 1/4.
  EXPECT_EQ(all_of_point(point.weights()), (Numbers{0.1875, 0.5625, 0.0625, 0.1875}));
  EXPECT_EQ(point.surface_of(1), 1u);
}

TEST(MixedPoint, ANewPivotKeepsItsDerivative) {
  MixedPointCase c(SlidingForm::mixed);
  MixedPoint point = c.point({0});
  Numbers x(5, 0.0), xdot{10, 20, 30, 0, 50};
  EXPECT_EQ(point.rate(0, xdot), 50);
  point.take_pivots(std::vector<std::uint32_t>{1}, Numbers{20}, xdot);
  EXPECT_EQ(all_of_point(point.pivots()), std::vector<std::uint32_t>{1});
  EXPECT_EQ(point.surface_of(0), MixedPoint::no_surface);
  EXPECT_EQ(point.surface_of(1), 0u);
  EXPECT_EQ(all_of_point(point.chosen()), (Flags{1, 0, 0, 1, 1}));
  // P' is what it was, and stands for another derivative.
  EXPECT_EQ(point.rate(0, xdot), 20);
  point.load(x, xdot);
  EXPECT_EQ(all_of_point(point.xdot()), (Numbers{10, 20, 30}));
  xdot[4] = 53;
  point.load(x, xdot);
  EXPECT_EQ(all_of_point(point.xdot()), (Numbers{10, 23, 30}));
  // And again: offsets do not add up.
  point.take_pivots(std::vector<std::uint32_t>{0}, Numbers{11}, xdot);
  EXPECT_EQ(point.rate(0, xdot), 11);
}

TEST(MixedPoint, AChoiceOfStatesIsFollowedWhenItIsAsked) {
  MixedPointCase c(SlidingForm::mixed);
  MixedPoint point = c.point({0});
  point.set_states(Flags{1, 0, 1});
  EXPECT_EQ(all_of_point(point.is_state()), (Flags{1, 0, 1}));
  EXPECT_EQ(all_of_point(point.chosen()), (Flags{0, 1, 0, 1, 1}));
  point.follow_choice();
  EXPECT_EQ(all_of_point(point.is_state()), (Flags{1, 1, 0}));
}

}  // namespace
}  // namespace saltus::detail
