// Systems with selected states: what is chosen, that the choice does not matter, and projection.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <saltus/lower.hpp>
#include <saltus/model.hpp>
#include <saltus/reduce.hpp>
#include <saltus/system.hpp>

#include "reduce/system/state_selection.hpp"

namespace saltus {
namespace {

constexpr double selection_eps = std::numeric_limits<double>::epsilon();

std::shared_ptr<const DifferentiatedSystem> differentiated_of(const Model& m) {
  return *compile_model(m.build())->differentiated({});
}

void write_guessed_pendulum(Model& m, double x0, double y0, bool x_given, bool y_given) {
  Expr x = x_given ? m.state("x", x0) : m.state("x", Attributes{.guess = x0});
  Expr y = y_given ? m.state("y", y0) : m.state("y", Attributes{.guess = y0});
  Expr f = m.algebraic("f");
  m.equation("horizontal", der(der(x)) == -f * x);
  m.equation("vertical", der(der(y)) == -f * y - 9.81);
  m.equation("rod", x * x + y * y == 1.0);
}

/// Names of the unknowns that are integrated.
std::string states_of(const System& system, Workspace& workspace) {
  std::string names;
  const auto chosen = workspace.ability<ChosenStates>()->chosen();
  for (std::uint32_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i]) names += (names.empty() ? "" : " ") + system.unknown_name(i);
  }
  return names;
}

std::string first_states(double x0, double y0, bool x_given, bool y_given) {
  Model m("pendulum");
  write_guessed_pendulum(m, x0, y0, x_given, y_given);
  const auto d = differentiated_of(m);
  const auto selected = select_states(d, 0.0, d->system->start_values());
  if (!selected) return selected.failure().message;
  auto w = (*selected)->workspace();
  return states_of(**selected, *w);
}

TEST(SelectedStates, TheBestConditionedAreIntegrated) {
  EXPECT_EQ(first_states(1.0, 0.1, false, false), "y der(y)");
  EXPECT_EQ(first_states(0.1, 1.0, false, false), "x der(x)");
}

TEST(SelectedStates, AGivenStartIsKeptWhereThereIsAChoice) {
  EXPECT_EQ(first_states(0.8, 0.6, true, false), "x der(x)");
  EXPECT_EQ(first_states(0.6, 0.8, false, true), "y der(y)");
  // Where there is none, y follows from the rod whether it was given or not.
  EXPECT_EQ(first_states(1e-14, 1.0, false, true), "x der(x)");
}

/// The pendulum whose rod is an unknown with an equation of its own, or one that another equation shares.
std::string states_with_length(double x0, double y0, bool alone) {
  Model m("pendulum");
  Expr x = m.state("x", x0), y = m.state("y", y0), l = m.state("l", std::hypot(x0, y0));
  Expr f = m.algebraic("f");
  m.equation("horizontal", der(der(x)) == -f * x);
  m.equation("vertical", der(der(y)) == -f * y - 9.81);
  m.equation("rod", x * x + y * y == l * l);
  m.equation("length", alone ? der(l) == 0.0 : der(l) == 1e-3 * der(y));
  const auto d = differentiated_of(m);
  const auto selected = select_states(d, 0.0, d->system->start_values());
  if (!selected) return selected.failure().message;
  auto w = (*selected)->workspace();
  return states_of(**selected, *w);
}

TEST(SelectedStates, WhatHasAnEquationOfItsOwnIsIntegrated) {
  // The rod's largest entry is that of its length.
  EXPECT_EQ(states_with_length(0.8, -0.6, true), "y l der(y)");
  EXPECT_EQ(states_with_length(0.6, -0.8, true), "x l der(x)");
  EXPECT_EQ(states_with_length(0.8, -0.6, false).find('l'), std::string::npos)
      << "otherwise the largest is left out";
}

TEST(SelectedStates, ADependentConstraintIsNamed) {
  EXPECT_NE(first_states(0.0, 0.0, false, false).find("'rod'"), std::string::npos);
}

TEST(SelectedStates, KeepsTheContractOfSystems) {
  Model m("pendulum");
  write_guessed_pendulum(m, 0.8, 0.6, true, false);
  const auto d = differentiated_of(m);
  const auto selected = select_states(d, 0.0, d->system->start_values());
  ASSERT_TRUE(static_cast<bool>(selected));
  EXPECT_EQ((*selected)->size(), (*selected)->n_equations());
  for (const std::string& finding : check_system(**selected)) ADD_FAILURE() << finding;
}

TEST(SelectedStates, DerivativesThatAreUnknownsAreKnown) {
  Model m("pendulum");
  write_guessed_pendulum(m, 0.8, 0.6, true, false);
  const auto d = differentiated_of(m);
  const auto selected = select_states(d, 0.0, d->system->start_values());
  ASSERT_TRUE(static_cast<bool>(selected));
  const System& system = **selected;
  const auto w = system.workspace();
  auto* derivatives = w->ability<DerivativeUnknowns>();
  ASSERT_NE(derivatives, nullptr);
  const auto next = derivatives->derivative_unknown();
  ASSERT_EQ(next.size(), system.size());
  int n_pairs = 0;
  for (std::uint32_t i = 0; i < next.size(); ++i) {
    if (next[i] == DerivativeUnknowns::none) continue;
    ++n_pairs;
    EXPECT_EQ(system.unknown_name(next[i]), "der(" + system.unknown_name(i) + ")");
  }
  // x, der(x), y, der(y); neither the force nor what stands for a tie.
  EXPECT_EQ(n_pairs, 4);
}

/// A point of the circle at angle a and rate w, with the acceleration that follows.
std::vector<double> on_circle(double a, double w, std::size_t size) {
  std::vector<double> x(size, 0.0);
  const double tangential = -9.81 * std::cos(a);  // a'' = -g cos a
  x[0] = std::cos(a);
  x[1] = std::sin(a);
  x[2] = w * w - 9.81 * std::sin(a);
  x[3] = -w * std::sin(a);
  x[4] = -w * w * std::cos(a) - tangential * std::sin(a);
  x[5] = w * std::cos(a);
  x[6] = -w * w * std::sin(a) + tangential * std::cos(a);
  return x;
}

TEST(SelectedStates, TheChoiceFollowsTheSolutionAndTheSolutionDoesNotFollowTheChoice) {
  Model m("pendulum");
  write_guessed_pendulum(m, 1.0, 0.0, false, false);
  const auto d = differentiated_of(m);
  const auto selected = select_states(d, 0.0, d->system->start_values());
  ASSERT_TRUE(static_cast<bool>(selected));
  const System& system = **selected;
  auto w = system.workspace();
  auto* refresh = w->ability<StepRefresh>();
  std::string seen = states_of(system, *w);
  int changes = 0;
  std::vector<double> f(system.size());
  for (double angle = 0.0; angle < 6.3; angle += 0.05) {
    const std::vector<double> x = on_circle(angle, 2.0, system.size());
    std::vector<double> xdot(system.size(), 0.0);
    for (std::uint32_t u = 0; u < d->derivative_unknown.size(); ++u) {
      if (d->derivative_unknown[u] != DifferentiatedSystem::none) {
        xdot[u] = x[d->derivative_unknown[u]];
      }
    }
    const auto answer = refresh->step_accepted(0.0, x, xdot);
    const std::string now = states_of(system, *w);
    if (now != seen) {
      EXPECT_EQ(answer, StepRefresh::Answer::new_jacobian);
      ++changes;
    }
    seen = now;
    // Whatever is chosen, the exact motion solves the equations: terms are of size 10, 2 and 20.
    ASSERT_TRUE(static_cast<bool>(w->residual(0.0, x, xdot, f)));
    for (const double r : f) EXPECT_NEAR(r, 0.0, 100 * selection_eps);
  }
  // Once per quarter turn, at 31 degrees past the diagonal: hysteresis.
  EXPECT_EQ(changes, 4);
}

TEST(SelectedStates, ProjectionMovesWhatFollowsAndLeavesStatesAlone) {
  Model m("pendulum");
  write_guessed_pendulum(m, 0.8, 0.6, false, false);
  const auto d = differentiated_of(m);
  const auto selected = select_states(d, 0.0, d->system->start_values());
  ASSERT_TRUE(static_cast<bool>(selected));
  const System& system = **selected;
  auto w = system.workspace();
  const auto chosen = w->ability<ChosenStates>()->chosen();
  const std::vector<double> exact = on_circle(0.6435, 2.0, system.size());
  std::vector<double> x = exact, xdot(system.size(), 0.0);
  for (std::size_t i = 0; i < 7; ++i) x[i] += 1e-6 * std::cos(3.0 * static_cast<double>(i));
  const std::vector<double> before = x;
  EXPECT_GT(std::abs(x[0] * x[0] + x[1] * x[1] - 1.0), 1e-7);  // the twin
  double moved = 0.0;
  ASSERT_TRUE(static_cast<bool>(w->ability<OutputProjection>()->project(0.0, x, xdot, moved)));
  EXPECT_GT(moved, 1e-7);
  EXPECT_LT(moved, 1e-4);
  EXPECT_NEAR(x[0] * x[0] + x[1] * x[1], 1.0, 4 * selection_eps);
  EXPECT_NEAR(x[0] * x[3] + x[1] * x[5], 0.0, 16 * selection_eps);
  for (std::size_t i = 0; i < 7; ++i) {
    if (chosen[i]) {
      EXPECT_EQ(x[i], before[i]);
    }
  }
  EXPECT_EQ(xdot[0], x[3]);
}

TEST(StateSelection, PivotsMayFillInAndAreMatchedByOccurrence) {
  // Two constraints: a + b = 0 and a + 2 c = 0 with c small: eliminating a leaves b in the second.
  Model m("filled in");
  Expr a = m.state("a", 0.0), b = m.state("b", 0.0), c = m.state("c", 0.0), d = m.state("d", 0.0);
  Expr f = m.algebraic("f"), g = m.algebraic("g");
  m.equation("a", der(a) == f + g);
  m.equation("b", der(b) == f - d);
  m.equation("c", der(c) == g);
  m.equation("d", der(d) == a - d);
  m.equation("first", 2.0 * a + b == 0.0);
  m.equation("second", a + 1e-3 * c + 1e-3 * d == 0.0);
  const auto system = differentiated_of(m);
  ASSERT_TRUE(system);
  const auto selected = select_states(system, 0.0, system->system->start_values());
  ASSERT_TRUE(static_cast<bool>(selected)) << selected.failure().message;
  for (const std::string& finding : check_system(**selected)) ADD_FAILURE() << finding;
}

}  // namespace
}  // namespace saltus
