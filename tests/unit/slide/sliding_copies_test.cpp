// Copies of the unknowns per side: Filippov's motion where mixed equations are something else.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <saltus/initialize.hpp>
#include <saltus/system/contract.hpp>

#include "sliding_cases.hpp"

namespace saltus::sliding_test {
namespace {

constexpr SlidingOptions with_copies{.form = SlidingForm::copies};
constexpr SlidingOptions with_mixed{.form = SlidingForm::mixed};

/// On x = 0:
///   side +: y = 2, x' = 1 - y = -1, z' = y^2 = 4;  side -: y = 0, x' = 1 - y = 1, z' = 0.
/// Copies: weights 1/2, z' = 2. Mixed: y = 1, z' = 1.
std::shared_ptr<const System> squared_force() {
  Model m("squared force");
  Expr x = m.state("x", 0.0), z = m.state("z", 0.0);
  Expr y = m.algebraic("y");
  m.equation("force", y == where(x > 0, Expr(2.0), Expr(0.0)));
  m.equation("move", der(x) == 1 - y);
  m.equation("work", der(z) == y * y);
  return compiled(m);
}

class SlidingCopiesEngines : public testing::TestWithParam<EngineKind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, SlidingCopiesEngines,
                         testing::Values(EngineKind::radau, EngineKind::ida),
                         [](const auto& kind) { return std::string(name(kind.param)); });

TEST_P(SlidingCopiesEngines, TheMeanOfSquaresIsNotTheSquareOfTheMean) {
  const EngineOptions options{.rtol = 1e-8, .atol = {1e-8}};
  Slider copies(squared_force(), {0, 0, 0}, with_copies);
  ASSERT_NE(copies.sliding, nullptr);
  const auto x = integrate(*copies.sliding, *copies.workspace, GetParam(), options, 0.0, 1.0);
  EXPECT_NEAR(x[0], 0.0, 1e-8);
  EXPECT_NEAR(x[1], 2.0, 1e-6);
  EXPECT_NEAR(x[2], 1.0, 1e-6);  // the mixture of both forces
  EXPECT_NEAR(x[3], 0.0, 1e-6);
  Slider mixed(squared_force(), {0, 0, 0}, with_mixed);
  const auto y = integrate(*mixed.sliding, *mixed.workspace, GetParam(), options, 0.0, 1.0);
  EXPECT_NEAR(y[1], 1.0, 1e-6);
  EXPECT_NEAR(y[2], 1.0, 1e-6);
}

TEST_P(SlidingCopiesEngines, AffineSidesGiveTheSameInAllForms) {
  const double t_end = 0.9, tol = 1e-9;
  Slider s(two_bodies(), {1, 1, 0, 0}, with_copies);
  const auto x =
      integrate(*s.sliding, *s.workspace, GetParam(), {.rtol = tol, .atol = {tol}}, 0.0, t_end);
  const double allowed = (GetParam() == EngineKind::ida ? 500 : 20) * tol;
  EXPECT_NEAR(x[0], 1 + (t_end - std::sin(t_end)) / 2, allowed);
  EXPECT_NEAR(x[2], (1 - std::cos(t_end)) / 2, allowed);
  EXPECT_NEAR(x[4], (1 - std::cos(t_end)) / 0.8, allowed);
}

TEST_P(SlidingCopiesEngines, ThePivotFollowsACurvedSurface) {
  const double t_end = 5.0, tol = 1e-8;
  Slider s(on_circle(), {1, 0, 1}, with_copies);
  const auto x =
      integrate(*s.sliding, *s.workspace, GetParam(), {.rtol = tol, .atol = {tol}}, 0.0, t_end);
  // Four changes of the state that is determined, each a restart of a multistep engine.
  const double allowed = (GetParam() == EngineKind::ida ? 2500 : 100) * tol;
  EXPECT_NEAR(x[0], std::cos(angle_on_circle(t_end)), allowed);
  EXPECT_NEAR(x[1], std::sin(angle_on_circle(t_end)), allowed);
}

/// x' and y at the vertices, found by the search for a consistent start.
std::vector<std::vector<double>> vertices_of(const System& base, Workspace& workspace,
                                             const std::vector<double>& x,
                                             std::vector<std::vector<double>>& xdot) {
  std::vector<std::vector<double>> found;
  StartValues guess = base.start_values();
  guess.x = x;
  for (const bool truth : {false, true}) {
    workspace.ability<Locks>()->set_lock(0, truth);
    const auto start =
        find_consistent_start(base, workspace, 0.0, guess, std::vector<double>(x.size(), 1e6));
    EXPECT_TRUE(start) << start.failure().message;
    found.push_back(start->x);
    xdot.push_back(start->xdot);
  }
  return found;
}

SlidingForm form_at(const std::shared_ptr<const System>& base, const std::vector<double>& x) {
  const auto workspace = base->workspace();
  std::vector<std::vector<double>> xdot;
  const auto at = vertices_of(*base, *workspace, x, xdot);
  const std::vector<SlidingPoint> points = {{0.0, at[0], xdot[0]}, {0.0, at[1], xdot[1]}};
  return form_for(*base, *workspace, std::vector<Surface>{{{0}, {1}}}, points);
}

/// The force is nonlinear in what does not jump.
std::shared_ptr<const System> smooth_square() {
  Model m("smooth square");
  Expr x = m.state("x", 0.0), z = m.state("z", 0.5);
  Expr y = m.algebraic("y"), force = m.algebraic("force");
  m.equation("force", force == where(x > 0, Expr(2.0), Expr(0.0)));
  m.equation("square", y * y * y == z);
  m.equation("move", der(x) == 1 - force);
  m.equation("work", der(z) == y * y + force);
  return compiled(m);
}

/// Slopes of a cube are the same at 1 and -1.
std::shared_ptr<const System> cubed_force() {
  Model m("cubed force");
  Expr x = m.state("x", 0.0);
  Expr s = m.algebraic("s"), force = m.algebraic("force");
  m.equation("side", s == where(x > 0, Expr(1.0), Expr(-1.0)));
  m.equation("force", force == s * s * s);
  m.equation("move", der(x) == 0.25 - force);
  return compiled(m);
}

TEST(SlidingForms, MixedIsChosenWhereItIsFilippovsMotion) {
  EXPECT_EQ(form_at(two_bodies(), {1, 1, 0, 0}), SlidingForm::mixed);
  EXPECT_EQ(form_at(squared_force(), {0, 0, 0}), SlidingForm::copies);
  EXPECT_EQ(form_at(cubed_force(), {0, 1, 1}), SlidingForm::copies);
  EXPECT_EQ(form_at(smooth_square(), {0, 0.5, 0.8, 1.0}), SlidingForm::mixed);
}

TEST(SlidingForms, CopiesKeepTheContract) {
  const auto check = [](const Slider& s, const char* name) {
    for (const auto& finding : check_system(*s.sliding)) ADD_FAILURE() << name << ": " << finding;
  };
  check(Slider(squared_force(), {0, 0, 0}, with_copies), "squared force");
  check(Slider(on_circle(), {1, 0, 1}, with_copies), "circle");
  check(Slider(two_relays(), {0, 0, 0.3}, with_copies, {{{0}, {1}}, {{1}, {1}}}), "two relays");
}

TEST(SlidingForms, NamesOfCopiesTellTheirSide) {
  Slider s(squared_force(), {0, 0, 0}, with_copies);
  const std::uint32_t block = s.sliding->size() - 6;
  EXPECT_EQ(s.sliding->unknown_name(block + 2), "y of the side of 'x > 0' being false");
  EXPECT_EQ(s.sliding->unknown_name(block + 5), "y of the side of 'x > 0' being true");
  EXPECT_EQ(s.sliding->equation_name(2), "mixture of 'y'");
}

}  // namespace
}  // namespace saltus::sliding_test
