// What the equations on both sides of a surface are.
#include <gtest/gtest.h>

#include <saltus/system/configuration.hpp>

#include "hybrid/surface/surface_sides.hpp"

#include "sided_system.hpp"

namespace saltus::hybrid_test {
namespace {

using detail::SurfaceSides;

/// Where "x > t" is true, x' = y and y = 1; elsewhere x' = y and what is given.
struct OtherSides : SidedMode {
  static SidedFunctions sided(std::vector<double> a, double c, double d, bool reads_y) {
    SidedFunctions sided;
    sided.functions.unknowns = {{"x", 0.5}, {.name = "y", .start = 1.0, .differential = false}};
    sided.functions.switches = {{"x > t"}};
    sided.functions.switching = [reads_y](double t, auto x, auto g) {
      g[0] = reads_y ? x[1] - 0.5 : x[0] - t;
    };
    sided.linear = [a, c, d](auto truth) {
      LinearSide e{{1, 0, 0, 0}, {0, -1, 0, 1}, {0, -1}, {0, 0}};
      if (truth[0] != 0) return e;
      std::copy(a.begin(), a.end(), e.a.begin() + 2);
      e.c[1] = c;
      e.d[1] = d;
      return e;
    };
    return sided;
  }
  static RunOptions options_of() {
    RunOptions options;
    options.engine = EngineKind::radau;
    options.rtol = options.atol = 1e-6;
    return options;
  }
  OtherSides(std::vector<double> a, double c, double d, bool reads_y = false)
      : SidedMode(sided(std::move(a), c, d, reads_y), options_of()) {}
  SurfaceSides sides(double t, double x, double margin = 1e-6) {
    const std::vector<std::uint32_t> crossed{0};
    return detail::sides_of(mode, at(t, {x, 1.0}, {1.0, 0.0}), crossed, margin);
  }
};

TEST(SurfaceSides, SidesMayHaveAnotherIndex) {
  OtherSides s({1, 0}, 0, -1);  // x = t
  const SurfaceSides sides = s.sides(1.0, 1.0);
  EXPECT_EQ(sides.relation, "x > t");
  EXPECT_EQ(sides.margin, 1e-6);
  EXPECT_TRUE(sides.here.truth);
  EXPECT_FALSE(sides.beyond.truth);
  ASSERT_TRUE(sides.here.values && sides.beyond.values);
  EXPECT_EQ(*sides.here.values, (CharacteristicValues{0, 1, 1, 0, 0}));
  EXPECT_EQ(*sides.beyond.values, (CharacteristicValues{1, 0, 2, 0, 0}));
  EXPECT_TRUE(sides.has_other_index());
  EXPECT_FALSE(sides.are_alike());
  EXPECT_EQ(sides.text(),
            "the equations on its two sides have a different index: where it is true they have "
            "index 1 (characteristic values (0, 1, 1, 0, 0)), where it is false they have index 2 "
            "(characteristic values (1, 0, 2, 0, 0))");
}

// 100 times (1e-6 x + 1e-6) is 2e-4 at x = 1.
TEST(SurfaceSides, StatesMoveIfTheyMoveByMoreThanIntegrationLeaves) {
  OtherSides s({1, 0}, 0, -1);
  EXPECT_TRUE(s.sides(1.0, 1.00019).beyond.moved.empty());
  EXPECT_EQ(s.sides(1.0, 1.00021).beyond.moved, std::vector<std::string>{"x"});
  EXPECT_TRUE(s.sides(1.0, 1.5).here.moved.empty());
  EXPECT_TRUE(s.sides(1.0, 1.5).text().ends_with(" and would make 'x' jump"));
}

TEST(SurfaceSides, EquationsWithoutASolutionAreNoneThatCouldBeMixed) {
  OtherSides s({0, 0}, 1, 0);  // 1 = 0
  const SurfaceSides sides = s.sides(1.0, 1.0);
  EXPECT_FALSE(sides.beyond.values.has_value());
  EXPECT_FALSE(sides.has_other_index());
  EXPECT_TRUE(sides.has_other_constraints());
  EXPECT_TRUE(sides.text().ends_with("where it is false they have no solution near this point"))
      << sides.text();
}

TEST(SurfaceSides, AFunctionOfWhatJumpsIsNeverOnItsSurface) {
  OtherSides s({0, 1}, -2, 0, true);  // y = 2, and the relation is y > 1/2
  const SurfaceSides sides = s.sides(1.0, 1.0);
  ASSERT_TRUE(sides.beyond.g.has_value());
  EXPECT_NEAR(*sides.beyond.g, 1.5, 1e-14);
  EXPECT_NEAR(*sides.here.g, 0.5, 1e-14);
  EXPECT_TRUE(sides.only_jumps());
  EXPECT_FALSE(sides.are_alike());
  EXPECT_TRUE(
      sides.text().starts_with("its function reads unknowns that jump with it: it is true here, "
                               "but where it is false its function is 1."))
      << sides.text();
}

TEST(SurfaceSides, WithinItsMarginAFunctionIsOnItsSurface) {
  OtherSides s({0, 1}, -2, 0, true);
  EXPECT_FALSE(s.sides(1.0, 1.0, 1.51).jumps());
  EXPECT_TRUE(s.sides(1.0, 1.0, 1.51).are_alike());
  EXPECT_TRUE(s.sides(1.0, 1.0, 1.49).jumps());
}

TEST(SurfaceSides, NothingIsChangedByALook) {
  OtherSides s({1, 0}, 0, -1);
  const auto before = s.mode.visit.n_analyses;
  (void)s.sides(1.0, 1.5);
  EXPECT_EQ(s.mode.visit.n_analyses, before + 2);
  EXPECT_TRUE(s.mode.kit->board.truth(0));
  EXPECT_EQ(s.mode.original_workspace->ability<Locks>()->locks()[0], 1);
}

TEST(SurfaceSides, WithoutDerivativesOfEquationsNothingIsKnown) {
  SidedFunctions sided = OtherSides::sided({1, 0}, 0, -1, false);
  sided.functions.locked_residual = [](double, auto x, auto xdot, auto locks, auto f) {
    f[0] = xdot[0] - x[1];
    f[1] = locks[0] ? x[1] - 1 : x[0];
  };
  sided.linear = {};
  SidedMode s(std::move(sided), OtherSides::options_of());
  s.mode.kit->board.set_truth(0, false);
  const std::vector<std::uint32_t> crossed{0};
  const SurfaceSides sides =
      detail::sides_of(s.mode, SidedMode::at(1.0, {1.0, 1.0}, {1.0, 0.0}), crossed, 0.0);
  EXPECT_TRUE(sides.are_alike());
  EXPECT_FALSE(sides.here.truth);
  EXPECT_TRUE(sides.beyond.truth);
}

TEST(SurfaceSides, InWordsTheTrueSideComesFirst) {
  SurfaceSides sides;
  sides.here = {
      .truth = false, .values = CharacteristicValues{0, 2, 0, 0, 0}, .moved = {}, .g = {}};
  sides.beyond = {
      .truth = true, .values = CharacteristicValues{0, 2, 0, 0, 0}, .moved = {"p", "q"}, .g = {}};
  EXPECT_FALSE(sides.has_other_index());
  EXPECT_TRUE(sides.has_other_constraints());
  EXPECT_EQ(
      sides.text(),
      "the equations on its two sides have different constraints: where it is true they have "
      "index 0 (characteristic values (0, 2, 0, 0, 0)) and would make 'p', 'q' jump, where it "
      "is false they have index 0 (characteristic values (0, 2, 0, 0, 0))");
  sides.here.moved = sides.beyond.moved;
  EXPECT_TRUE(sides.are_alike());
}

}  // namespace
}  // namespace saltus::hybrid_test
