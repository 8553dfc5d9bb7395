// A user's own C++ through events: templates with plain conditions, functions with their own signs.
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <saltus/hybrid.hpp>
#include <saltus/system.hpp>

#include "problems/carver_circuit.hpp"
#include "problems/carver_template.hpp"
#include "problems/disode_p2_functions.hpp"
#include "problems/pounding.hpp"

namespace saltus {
namespace {

using OwnCodeRun = Run;
using problems::BeyondSurface;
using problems::SwitchedProblem;

Solution run_own(std::shared_ptr<const System> system, RunOptions options) {
  OwnCodeRun run("own code", std::make_shared<SingleConfiguration>(std::move(system)),
                 std::move(options));
  while (run.advance()) {
  }
  return run.finish();
}

/// Events at which the equations changed.
std::vector<Event> state_events(const Solution& solution) {
  std::vector<Event> found;
  for (const Event& event : solution.events()) {
    if (event.kind == EventKind::state) found.push_back(event);
  }
  return found;
}

std::string table_of(const Solution& solution) {
  std::string text = solution.report.message + "\n";
  for (const Event& event : solution.events()) {
    text += std::to_string(event.t) + " " + std::string(name(event.kind)) + " " + event.name + "\n";
  }
  return text;
}

void expect_events(const Solution& solution, const SwitchedProblem& problem, double allowed) {
  ASSERT_TRUE(solution.ok()) << table_of(solution);
  const std::vector<Event> found = state_events(solution);
  ASSERT_EQ(found.size(), problem.events.size()) << table_of(solution);
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_NEAR(found[k].t, problem.events[k].t, allowed) << found[k].name;
  }
}

TEST(OwnCode, CarversCircuitAsATemplateHasItsTenEvents) {
  const SwitchedProblem problem = problems::carver_circuit();
  for (const double tolerance : {1e-6, 1e-8}) {
    const Solution solution = run_own(problems::carver_template(), {.t_end = problem.t_end,
                                                                    .rtol = tolerance,
                                                                    .atol = tolerance,
                                                                    .engine = EngineKind::radau});
    expect_events(solution, problem, 300 * tolerance);
    const std::vector<Event> found = state_events(solution);
    ASSERT_EQ(found.size(), 10U);
    for (const Event& event : found) {
      EXPECT_TRUE(event.name.starts_with("carver_template.hpp:")) << event.name;
      EXPECT_EQ(event.guarantee, Guarantee::proven) << event.name;
    }
    EXPECT_TRUE(found[1].name.ends_with(": x1 > 0") || found[1].name.ends_with(": x1 < 0"))
        << found[1].name;
    EXPECT_NEAR(solution.final("x2"), 3.820718828433918220361001359, 300 * tolerance * 3.8);
  }
}

TEST(OwnCode, PoundingWithItsOwnSignsHasItsEighteenEvents) {
  const SwitchedProblem problem = problems::pounding();
  const double tolerance = 1e-8;
  for (const EngineKind engine : {EngineKind::dopri5, EngineKind::radau}) {
    const RunOptions options{
        .t_end = problem.t_end, .rtol = tolerance, .atol = tolerance, .engine = engine};
    expect_events(run_own(make_system(problems::disode_p2_functions()), options), problem,
                  300 * tolerance);
  }
}

TEST(OwnCode, PoundingThatIsUndefinedBeyondItsSurfaceHasItsEighteenEvents) {
  const SwitchedProblem problem = problems::pounding();
  const double tolerance = 1e-8;
  for (const BeyondSurface beyond : {BeyondSurface::gives_nan, BeyondSurface::throws}) {
    const RunOptions options{
        .t_end = problem.t_end, .rtol = tolerance, .atol = tolerance, .engine = EngineKind::dopri5};
    expect_events(run_own(make_system(problems::disode_p2_locked_functions(beyond)), options),
                  problem, 300 * tolerance);
  }
}

struct FallingBall {
  template <class T>
  void operator()(const T&, std::span<const T> x, std::span<T> xdot) const {
    xdot[0] = x[1];
    xdot[1] = -9.81;
  }
  template <class T>
  void switching(const T&, std::span<const T> x, std::span<T> g) const {
    g[0] = x[0];
  }
};

TEST(OwnCode, ABallWrittenAsATemplateBounces) {
  const auto system = make_template_system(
      {.unknowns = {{"height", 10.0}, {"speed", 0.0}},
       .switches = {"height > 0"},
       .actions = {{.name = "bounce",
                    .trigger = "height > 0",
                    .when = FunctionAction::When::falling,
                    .set = [](double, auto x, auto after) { after[1] = -0.8 * x[1]; },
                    .targets = {"speed"}}}},
      FallingBall{});
  const double tolerance = 1e-8;
  const Solution solution = run_own(
      system, {.t_end = 10.0, .rtol = tolerance, .atol = tolerance, .engine = EngineKind::dopri5});
  ASSERT_TRUE(solution.ok()) << table_of(solution);
  const double first = std::sqrt(2 * 10.0 / 9.81);
  double t = first;
  int n = 0;
  for (const Event& event : solution.events()) {
    if (event.kind != EventKind::action) continue;
    EXPECT_EQ(event.name, "bounce");
    EXPECT_NEAR(event.t, t, 300 * tolerance);
    t += 2 * first * std::pow(0.8, ++n);
  }
  EXPECT_EQ(n, 7);
}

/// Dry friction and a stop: abs, max and nested conditions in one right-hand side.
struct Slider {
  template <class T>
  void operator()(const T& t, std::span<const T> x, std::span<T> xdot) const {
    using std::abs, std::max, std::sin;
    const T push = 3 * sin(2 * t);
    const T wall = 200 * max(abs(x[0]) - 1, 0.0);
    xdot[0] = x[1];
    xdot[1] = push - 0.2 * x[1] - (x[0] > 0 ? wall : -wall);
  }
};

TEST(OwnCode, ATemplateAgreesWithItselfRunWithoutEvents) {
  const TemplateDescription description{.unknowns = {{"x", 0.5}, {"v", 0.0}}};
  const Solution solution =
      run_own(make_template_system(description, Slider{}),
              {.t_end = 8.0, .rtol = 1e-9, .atol = 1e-9, .engine = EngineKind::dop853});
  ASSERT_TRUE(solution.ok()) << table_of(solution);
  EXPECT_GE(state_events(solution).size(), 6U);
  // The same code with doubles, in steps so small that kinks do not matter much.
  std::vector<double> x{0.5, 0.0}, k(2), mid(2);
  constexpr int n = 400000;
  const double h = 8.0 / n;
  for (int i = 0; i < n; ++i) {
    Slider{}(i * h, std::span<const double>(x), std::span<double>(k));
    for (std::size_t j = 0; j < 2; ++j) mid[j] = x[j] + 0.5 * h * k[j];
    Slider{}((i + 0.5) * h, std::span<const double>(mid), std::span<double>(k));
    for (std::size_t j = 0; j < 2; ++j) x[j] += h * k[j];
  }
  // The midpoint rule's error is about h^2 times third derivatives (below 200^2 here): 1.6e-5.
  EXPECT_NEAR(solution.final("x"), x[0], 2e-5);
  EXPECT_NEAR(solution.final("v"), x[1], 2e-4);
}

struct Forgetful {
  std::shared_ptr<int> calls = std::make_shared<int>(0);
  template <class T>
  void operator()(const T&, std::span<const T> x, std::span<T> xdot) const {
    xdot[0] = 1;
    if (++*calls > 200 && x[0] > 0.5) xdot[0] = 2;
  }
};

TEST(OwnCode, CodeThatDecidesOnItsOwnCounterEndsTheRunByName) {
  RunOptions options{.t_end = 1000.0, .engine = EngineKind::dopri5};
  options.max_step = 1.0;
  const Solution solution =
      run_own(make_template_system({.unknowns = {{"x", 0.0}}}, Forgetful{}), options);
  EXPECT_EQ(solution.report.outcome, Outcome::failed);
  EXPECT_NE(solution.report.message.find("the comparison at own_code_test.cpp:"), std::string::npos)
      << solution.report.message;
}

}  // namespace
}  // namespace saltus
