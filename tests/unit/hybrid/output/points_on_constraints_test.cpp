// Points of a solution on the constraints of its model, found when they are asked for.
#include "hybrid/output/points_on_constraints.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include <saltus/core/error.hpp>
#include <saltus/slide/sliding_system.hpp>
#include <saltus/system/function_system.hpp>
#include <saltus/system/switching.hpp>

namespace saltus::detail {
namespace {

using CircleValues = std::vector<double>;

/// What its workspaces have been asked, and what they answer.
struct CircleLog {
  struct Begun {
    double t;
    CircleValues x, xdot, from;
  };
  std::vector<Begun> begun;
  std::vector<std::pair<double, double>> stretches;
  std::uint32_t n_workspaces = 0;
  bool can_begin = true, can_project = true;
};

/// (x, y) lies on a circle, whose radius is a parameter plus a discrete variable, and 10 more with the lock.
struct CircleWorkspace : Workspace, OutputProjection, HeldValues, Locks, ScheduledTimes {
  explicit CircleWorkspace(CircleLog& the_log, bool has_constraint = true) : log(the_log) {
    if (has_constraint) offer<OutputProjection>(*this);
    offer<HeldValues>(*this);
    offer<Locks>(*this);
    offer<ScheduledTimes>(*this);
  }
  using In = std::span<const double>;
  Evaluation residual(double, In, In, std::span<double>) override { return Evaluation::ok(); }
  Evaluation jacobian(double, In, In, std::span<double>, std::span<double>) override {
    return Evaluation::ok();
  }
  Evaluation project(double, std::span<double> x, std::span<double>, double&) override {
    if (!log.can_project) return Evaluation::out_of_domain(0);
    const double radius = parameter[0] + number[0] + (lock[0] != 0 ? 10.0 : 0.0);
    const double factor = radius / std::hypot(x[0], x[1]);
    for (double& value : x) value *= factor;
    return Evaluation::ok();
  }
  std::vector<double> search_start() const override { return from; }
  bool begin_step(double t, In x, In xdot, In start) override {
    log.begun.push_back(
        {t, {x.begin(), x.end()}, {xdot.begin(), xdot.end()}, {start.begin(), start.end()}});
    return log.can_begin;
  }
  std::span<double> parameters() override { return parameter; }
  std::span<double> discrete() override { return number; }
  std::span<const std::uint8_t> locks() const override { return lock; }
  void set_lock(std::uint32_t which, bool truth) override { lock[which] = truth ? 1 : 0; }
  Evaluation decide(double, In, In) override { return Evaluation::ok(); }
  std::uint32_t n_equation_branches() const override { return 0; }
  std::uint32_t n_branches() const override { return 0; }
  void branches(std::span<std::uint8_t>) const override {}
  double next(double t, double t_end) const override { return std::min(t + 100.0, t_end); }
  void enter_stretch(double t, double t_to) override { log.stretches.emplace_back(t, t_to); }

  CircleLog& log;
  CircleValues parameter{1.0}, number{0.0}, from;
  std::vector<std::uint8_t> lock{0};
};

/// x, y, their sum, which has no value where x < 0, and a variable of another mode.
struct CircleMap final : VariableMap {
  std::vector<VariableInfo> infos{{"x", "", ""}, {"y", "", ""}, {"sum", "", ""}, {"gone", "", ""}};
  std::span<const VariableInfo> variables() const override { return infos; }
  bool present(std::uint32_t v) const override { return v != 3; }
  std::optional<std::uint32_t> unknown(std::uint32_t v) const override {
    return v < 2 ? std::optional(v) : std::nullopt;
  }
  Evaluation values(Workspace&, double, std::span<const double> x, std::span<const double>,
                    std::span<double> out) const override {
    if (x[0] < 0.0) return Evaluation::out_of_domain(2);
    out[2] = x[0] + x[1];
    return Evaluation::ok();
  }
};

struct CircleSystem final : System {
  explicit CircleSystem(CircleLog& the_log) : log(the_log) {}
  std::uint32_t size() const override { return 2; }
  const CscPattern& pattern() const override { return none; }
  std::span<const std::uint8_t> carries_derivative() const override { return flags; }
  std::string unknown_name(std::uint32_t i) const override { return i == 0 ? "x" : "y"; }
  std::string equation_name(std::uint32_t) const override { return ""; }
  double nominal(std::uint32_t) const override { return 1.0; }
  StartValues start_values() const override { return {}; }
  const VariableMap& variable_map() const override { return map; }
  std::unique_ptr<Workspace> workspace() const override {
    ++log.n_workspaces;
    return std::make_unique<CircleWorkspace>(log);
  }
  CircleLog& log;
  CscPattern none;
  CircleMap map;
  std::vector<std::uint8_t> flags{1, 1};
};

/// A run to t = 1000, of which x, y, sum, gone and the function of a relation are recorded.
struct CirclePoints {
  enum : std::uint32_t { sum, x, gone, relation, y };

  explicit CirclePoints(std::vector<std::uint8_t> non_negative = {}) { begin(non_negative); }
  void begin(const std::vector<std::uint8_t>& non_negative = {}) {
    points.begin_stretch(system, workspace, 1000.0, non_negative);
  }
  /// A straight step of one second, for one step of the trajectory or several.
  void add(CircleValues from, CircleValues to, std::uint32_t n = 1) {
    const CircleValues c{from[0], from[1], to[0] - from[0], to[1] - from[1]};
    points.add_step({t_end, t_end + 1.0, 1, 2, c}, workspace, n_steps, n_steps + n);
    n_steps += n;
    t_end += 1.0;
  }

  CircleLog log;
  std::shared_ptr<const System> system = std::make_shared<CircleSystem>(log);
  CircleWorkspace workspace{log};
  PointsOnConstraints points{{2, 0, 3, 4, 1}};
  double t_end = 0.0;
  std::uint32_t n_steps = 0;
};

TEST(PointsOnConstraints, APointOfAStepIsMovedOntoThem) {
  CirclePoints c;
  c.add({3.0, 0.0}, {0.0, 4.0});
  // (3, 0) + 0.5 (-3, 4) = (1.5, 2), of length 2.5.
  EXPECT_DOUBLE_EQ(c.points.at(0, 0.5, CirclePoints::x).value(), 0.6);
  EXPECT_DOUBLE_EQ(c.points.at(0, 0.5, CirclePoints::y).value(), 0.8);
  EXPECT_DOUBLE_EQ(c.points.at(0, 0.5, CirclePoints::sum).value(), 1.4);
  EXPECT_EQ(c.points.at(0, 0.5, CirclePoints::gone), std::nullopt);
  EXPECT_EQ(c.points.at(0, 0.5, CirclePoints::relation), std::nullopt);
}

TEST(PointsOnConstraints, WhatCannotBeEvaluatedThereIsLeftToTheTrajectory) {
  CirclePoints c;
  c.add({-3.0, 4.0}, {-3.0, 4.0});
  EXPECT_DOUBLE_EQ(c.points.at(0, 0.5, CirclePoints::x).value(), -0.6);
  EXPECT_EQ(c.points.at(0, 0.5, CirclePoints::sum), std::nullopt);
}

TEST(PointsOnConstraints, OneStepStandsForSeveralOfTheTrajectory) {
  CirclePoints c;
  c.add({2.0, 0.0}, {2.0, 0.0}, 2);
  c.n_steps = 4;  // 2 and 3 are of another stretch
  c.add({0.0, 2.0}, {0.0, 2.0});
  for (const std::uint32_t k : {0U, 1U}) EXPECT_EQ(c.points.at(k, 0.5, CirclePoints::x), 1.0);
  for (const std::uint32_t k : {2U, 3U, 5U})
    EXPECT_EQ(c.points.at(k, 0.5, CirclePoints::x), std::nullopt);
  EXPECT_EQ(c.points.at(4, 1.5, CirclePoints::x), 0.0);
}

TEST(PointsOnConstraints, NothingIsKeptWithoutConstraintsOrOnSurfaces) {
  struct OnSurface final : CircleWorkspace, Sliding {
    explicit OnSurface(CircleLog& the_log) : CircleWorkspace(the_log) { offer<Sliding>(*this); }
    std::uint32_t n_surfaces() const override { return 1; }
    std::span<const double> multipliers(In, In) override { return {}; }
    Workspace& base() override { return *this; }
    std::uint64_t n_side_evaluations() const override { return 0; }
    void set_exit_slopes(bool) override {}
  };
  CirclePoints c;
  CircleWorkspace without(c.log, false);
  OnSurface sliding(c.log);
  for (CircleWorkspace* workspace : {&without, static_cast<CircleWorkspace*>(&sliding)}) {
    c.points.begin_stretch(c.system, *workspace, 1000.0, {});
    c.add({2.0, 0.0}, {2.0, 0.0});
  }
  c.begin();
  c.add({2.0, 0.0}, {2.0, 0.0});
  EXPECT_EQ(c.points.at(0, 0.5, CirclePoints::x), std::nullopt);
  EXPECT_EQ(c.points.at(1, 1.5, CirclePoints::x), std::nullopt);
  EXPECT_EQ(c.points.at(2, 2.5, CirclePoints::x), 1.0);
}

TEST(PointsOnConstraints, EveryStepHasItsOwnLocksAndHeldValues) {
  CirclePoints c;
  const CircleValues at{1.0, 0.0};
  c.add(at, at);
  c.workspace.number[0] = 2.0;  // an event within the stretch
  c.add(at, at);
  c.workspace.lock[0] = 1;
  c.add(at, at);
  c.workspace.parameter[0] = 4.0;
  c.begin();
  c.add(at, at);
  const double radius[] = {1.0, 3.0, 13.0, 16.0};
  for (const std::uint32_t k : {3U, 0U, 2U, 1U, 0U, 3U})
    EXPECT_EQ(c.points.at(k, k + 0.5, CirclePoints::x), radius[k]) << k;
  EXPECT_EQ(c.log.n_workspaces, 1U);
}

TEST(PointsOnConstraints, AStepIsBegunOnceAtItsEndFromWhereItsSearchStarted) {
  CirclePoints c;
  c.workspace.from = {7.0, 8.0};
  c.add({1.0, 0.0}, {3.0, 4.0});
  c.workspace.from = {9.0};
  c.add({3.0, 4.0}, {3.0, 4.0});
  for (const double t : {0.25, 0.5, 0.25}) (void)c.points.at(0, t, CirclePoints::x);
  ASSERT_EQ(c.log.begun.size(), 1U);
  EXPECT_EQ(c.log.begun[0].t, 1.0);
  EXPECT_EQ(c.log.begun[0].x, (CircleValues{3.0, 4.0}));
  EXPECT_EQ(c.log.begun[0].xdot, (CircleValues{2.0, 4.0}));
  EXPECT_EQ(c.log.begun[0].from, (CircleValues{7.0, 8.0}));
  (void)c.points.at(1, 1.5, CirclePoints::x);
  (void)c.points.at(0, 0.75, CirclePoints::x);
  ASSERT_EQ(c.log.begun.size(), 3U);
  EXPECT_EQ(c.log.begun[1].from, CircleValues{9.0});
  EXPECT_EQ(c.log.begun[2].from, (CircleValues{7.0, 8.0}));
  // Equations are those after t_left, up to their next known time.
  EXPECT_EQ(c.log.stretches[1], (std::pair{1.0, 101.0}));
}

TEST(PointsOnConstraints, UnknownsThatMustNotBeNegativeAreZero) {
  CirclePoints c({0, 1});
  c.add({-3.0, -4.0}, {-3.0, -4.0});
  EXPECT_EQ(c.points.at(0, 0.5, CirclePoints::x), -1.0);
  EXPECT_EQ(c.points.at(0, 0.5, CirclePoints::y), 0.0);
}

TEST(PointsOnConstraints, APointThatCannotBeFoundIsRefusedAndAnotherOneIsFound) {
  for (const bool at_begin : {true, false}) {
    CirclePoints c;
    c.add({2.0, 0.0}, {2.0, 0.0});
    bool& can = at_begin ? c.log.can_begin : c.log.can_project;
    can = false;
    for (int k = 0; k < 2; ++k) {
      try {
        (void)c.points.at(0, 0.25, CirclePoints::x);
        ADD_FAILURE() << "found";
      } catch (const Error& e) {
        EXPECT_STREQ(e.what(),
                     "at t = 0.25: the solution cannot be moved onto the constraints of the model; "
                     "ask at another time");
      }
    }
    can = true;
    EXPECT_EQ(c.points.at(0, 0.25, CirclePoints::x), 1.0);
  }
}

TEST(PointsOnConstraints, WhatIsCutOffIsForgotten) {
  CirclePoints c;
  c.add({2.0, 0.0}, {2.0, 0.0}, 2);
  c.add({0.0, 2.0}, {0.0, 2.0}, 2);
  c.add({-2.0, 0.0}, {-2.0, 0.0});
  EXPECT_EQ(c.points.at(4, 2.5, CirclePoints::x), -1.0);
  c.points.cut_back_to(3);
  EXPECT_EQ(c.points.at(4, 2.5, CirclePoints::x), std::nullopt);
  EXPECT_EQ(c.points.at(3, 1.5, CirclePoints::x), std::nullopt);
  EXPECT_EQ(c.points.at(2, 1.5, CirclePoints::y), 1.0);
  c.points.cut_back_to(2);
  EXPECT_EQ(c.points.at(2, 1.5, CirclePoints::y), std::nullopt);
  // Another step in its place.
  c.t_end = 1.0, c.n_steps = 2;
  c.add({3.0, 4.0}, {3.0, 4.0});
  EXPECT_DOUBLE_EQ(c.points.at(2, 1.5, CirclePoints::y).value(), 0.8);
  EXPECT_EQ(c.log.begun.back().x, (CircleValues{3.0, 4.0}));
}

TEST(PointsOnConstraints, StretchesWithTheSameParametersKeepThemOnce) {
  constexpr std::size_t n = 10000;
  const auto memory = [](bool changes) {
    CirclePoints c;
    c.workspace.parameter.assign(n, 1.0);
    for (int k = 0; k < 10; ++k) {
      if (changes) c.workspace.parameter[0] += 1.0;
      c.begin();
    }
    return c.points.memory();
  };
  EXPECT_GT(memory(false), n * sizeof(double));
  EXPECT_LT(memory(false), 2 * n * sizeof(double));
  EXPECT_GT(memory(true), 10 * n * sizeof(double));
}

}  // namespace
}  // namespace saltus::detail
