// When-clauses of compiled models.
#include <saltus/lower.hpp>

#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include <saltus/model.hpp>
#include <saltus/system.hpp>

namespace saltus {
namespace {

struct Acting {
  explicit Acting(const Model& m)
      : system(*compile_model(m.build())->system({})), workspace(system->workspace()) {
    actions = workspace->ability<EventActions>();
    functions = workspace->ability<SwitchingFunctions>();
    locks = workspace->ability<Locks>();
    held = workspace->ability<HeldValues>();
  }
  std::vector<int> triggers(const std::vector<double>& before_x,
                            const std::vector<double>& before_discrete) {
    std::vector<std::uint8_t> truth(actions->n_triggers());
    actions->triggers(before_x, before_discrete, truth);
    return {truth.begin(), truth.end()};
  }
  std::vector<double> values(std::uint32_t action, const std::vector<double>& x) {
    std::vector<double> out(actions->info(action).targets.size());
    EXPECT_TRUE(static_cast<bool>(
        actions->values(action, 2.0, x, std::vector<double>(x.size(), 0.5), out)));
    return out;
  }

  std::shared_ptr<const System> system;
  std::unique_ptr<Workspace> workspace;
  EventActions* actions = nullptr;
  SwitchingFunctions* functions = nullptr;
  Locks* locks = nullptr;
  HeldValues* held = nullptr;
};

struct Ball {
  Model m{"ball"};
  Expr n = m.discrete("n", 4.0);
  Expr h = m.state("h", 1.0), v = m.state("v", 0.0);
  Ball() {
    m.equation("height", der(h) == v);
    m.equation("speed", der(v) == -9.81);
  }
};

TEST(Actions, AModelWithoutWhenClausesHasNone) {
  Ball b;
  EXPECT_EQ(Acting(b.m).actions, nullptr);
}

TEST(Actions, SayWhatTheySet) {
  Ball b;
  b.m.when("bounce", b.h < 0.0, {reinit(b.v, -0.8 * pre(b.v)), {b.n, pre(b.n) + 1.0}},
           {.priority = 2});
  b.m.terminate_when("out", b.h > 9.0, "too high");
  Acting a(b.m);
  ASSERT_NE(a.actions, nullptr);
  ASSERT_EQ(a.actions->count(), 2u);
  const ActionInfo& bounce = a.actions->info(0);
  EXPECT_EQ(bounce.name, "bounce");
  EXPECT_EQ(bounce.targets, (std::vector<ActionTarget>{{true, 1}, {false, 0}}));
  EXPECT_EQ(bounce.target_names, (std::vector<std::string>{"v", "n"}));
  EXPECT_EQ(bounce.priority, 2);
  EXPECT_FALSE(bounce.terminal);
  EXPECT_TRUE(a.actions->info(1).terminal);
  EXPECT_EQ(a.actions->info(1).message, "too high");
  EXPECT_EQ(a.actions->trigger_text(0), "h < 0");
  EXPECT_EQ(a.actions->action_of(1), 1u);
}

TEST(Actions, AllValuesAreReadBeforeTheFirstIsSet) {
  Ball b;
  b.m.when("swap", b.h < 0.0, {{b.h, b.v}, {b.v, b.h + 0.0 * pre(b.n)}, {b.n, b.n + pre(b.v)}});
  Acting a(b.m);
  EXPECT_EQ(a.values(0, {3.0, 5.0}), (std::vector<double>{5.0, 3.0, 4.0 + 5.0}));
  a.held->discrete()[0] = 7.0;
  EXPECT_EQ(a.values(0, {3.0, 5.0}), (std::vector<double>{5.0, 3.0, 7.0 + 5.0}));
}

TEST(Actions, TriggersFollowTheLocks) {
  Ball b;
  const Cond any[] = {b.h < 0.0, b.v < -20.0 && b.h < 5.0};
  b.m.when_any("bounce", any, {reinit(b.v, 1.0)});
  b.m.when("up", !(b.v < -20.0), {{b.n, 1.0}});
  Acting a(b.m);
  const auto number = [&](const std::string& name) {
    std::uint32_t i = 0;
    while (a.functions->info(i).name != name) ++i;
    return i;
  };
  ASSERT_EQ(a.actions->n_triggers(), 3u);
  EXPECT_EQ(a.actions->action_of(1), 0u);
  EXPECT_EQ(a.actions->action_of(2), 1u);
  a.locks->set_lock(number("h < 0"), false);
  a.locks->set_lock(number("v < -20"), true);
  a.locks->set_lock(number("h < 5"), false);
  EXPECT_EQ(a.triggers({1.0, 0.0}, {4.0}), (std::vector<int>{0, 0, 0}));
  a.locks->set_lock(number("h < 5"), true);
  EXPECT_EQ(a.triggers({1.0, 0.0}, {4.0}), (std::vector<int>{0, 1, 0}));
  a.locks->set_lock(number("h < 0"), true);
  a.locks->set_lock(number("v < -20"), false);
  EXPECT_EQ(a.triggers({1.0, 0.0}, {4.0}), (std::vector<int>{1, 0, 1}));
  // Relations of triggers choose no equation.
  EXPECT_EQ(a.locks->n_branches(), 0u);
}

TEST(Actions, ChangeIsADifferenceFromBefore) {
  Ball b;
  b.m.when("count", b.h < 0.0, {{b.n, pre(b.n) + 1.0}});
  b.m.when("follow", change(b.n), {reinit(b.v, 0.0)});
  b.m.when("was high", pre(b.h) > 2.0, {{b.n, 0.0}});
  Acting a(b.m);
  EXPECT_EQ(a.triggers({1.0, 0.0}, {4.0})[1], 0);
  EXPECT_EQ(a.triggers({1.0, 0.0}, {3.0})[1], 1);
  a.held->discrete()[0] = 3.0;
  EXPECT_EQ(a.triggers({1.0, 0.0}, {3.0})[1], 0);
  EXPECT_EQ(a.triggers({1.0, 0.0}, {4.0})[1], 1);
  EXPECT_EQ(a.triggers({1.0, 0.0}, {3.0})[2], 0);
  EXPECT_EQ(a.triggers({3.0, 0.0}, {3.0})[2], 1);
}

TEST(Actions, WhatSetsUnknownsIsMarked) {
  Ball b;
  b.m.when("bounce", b.h < 0.0, {reinit(b.v, 1.0)});
  b.m.when("count", b.h < 3.0, {{b.n, 1.0}});
  Acting a(b.m);
  ASSERT_EQ(a.functions->count(), 2u);
  EXPECT_TRUE(a.functions->info(0).sets_unknowns);
  EXPECT_FALSE(a.functions->info(1).sets_unknowns);
}

TEST(Actions, RelationsInValuesOnlyAreNoEvents) {
  Ball b;
  b.m.when("bounce", b.h < 0.0,
           {reinit(b.v, where(b.h < 0.0, Expr(1.0), Expr(2.0)) +
                            where(b.v < -1.0, Expr(10.0), Expr(20.0)))});
  Acting a(b.m);
  ASSERT_EQ(a.functions->count(), 1u) << "v < -1 decides at the event only";
  // The one that is locked: by its lock. The other one: by its value.
  for (const bool low : {true, false}) {
    a.locks->set_lock(0, low);
    EXPECT_EQ(a.values(0, {-1.0, -2.0})[0], (low ? 1.0 : 2.0) + 10.0);
    EXPECT_EQ(a.values(0, {-1.0, 2.0})[0], (low ? 1.0 : 2.0) + 20.0);
  }
}

TEST(Actions, DerivativesThatAreUnknownsCanBeSet) {
  Model m("ball");
  Expr h = m.state("h", 1.0);
  m.equation(der(der(h)) == -9.81);
  m.when("bounce", h < 0.0, {reinit(der(h), -0.8 * der(h))});
  Acting a(m);
  EXPECT_EQ(a.actions->info(0).targets, (std::vector<ActionTarget>{{true, 1}}));
  EXPECT_EQ(a.actions->info(0).target_names[0], "der(h)");
  EXPECT_EQ(a.values(0, {0.0, -5.0})[0], 4.0);

  Model bad("ball");
  Expr x = bad.state("x", 1.0);
  bad.equation(der(x) == -1.0);
  bad.when("bounce", x < 0.0, {reinit(der(x), 1.0)});
  try {
    Acting refused(bad);
    FAIL() << "not refused";
  } catch (const ModelError& e) {
    EXPECT_NE(std::string(e.what()).find("'der(x)'"), std::string::npos) << e.what();
  }
}

TEST(Actions, AConditionThatNeverBecomesAnEventIsRefused) {
  Ball b;
  b.m.when("never", untracked(b.h, Comparison::less, 0.0), {{b.n, 1.0}});
  try {
    Acting refused(b.m);
    FAIL() << "not refused";
  } catch (const ModelError& e) {
    EXPECT_NE(std::string(e.what()).find("when-clause 'never'"), std::string::npos) << e.what();
  }
}

TEST(Actions, DiscreteVariablesAreColumnsOfTheResult) {
  Ball b;
  b.m.output("twice", 2.0 * b.n);
  static_cast<void>(b.m.every("clock", 0.0, 1.0));
  Acting a(b.m);
  const VariableMap& map = a.system->variable_map();
  ASSERT_EQ(map.variables().size(), 4u) << "h, v, n, twice; the counter of the clock is not shown";
  EXPECT_EQ(map.variables()[2].name, "n");
  EXPECT_EQ(map.unknown(2), std::nullopt);
  a.held->discrete()[0] = 6.0;
  std::vector<double> out(4);
  ASSERT_TRUE(static_cast<bool>(
      map.values(*a.workspace, 0.0, std::vector{1.0, 2.0}, std::vector{0.0, 0.0}, out)));
  EXPECT_EQ(out, (std::vector<double>{1.0, 2.0, 6.0, 12.0}));
  EXPECT_TRUE(check_system(*a.system).empty());
}

TEST(Actions, AClockTicksExactly) {
  Ball b;
  b.m.when("sample", b.m.every("clock", 0.0, 0.1), {{b.n, b.h}});
  Acting a(b.m);
  auto* scheduled = a.workspace->ability<ScheduledTimes>();
  scheduled->enter_stretch(0.0, 100.0);
  const std::uint32_t tick = 0;
  EXPECT_EQ(a.functions->info(tick).name, "clock");
  ASSERT_TRUE(a.functions->is_timed(tick));
  double t = 0.0, sum = 0.0;
  for (int k = 1; k <= 1000; ++k) {
    const double next = a.functions->next_time(t, 1e9);
    sum += 0.1;
    EXPECT_EQ(next, k / 10.0);  // as it would be written: 0.3, not 3 * 0.1
    EXPECT_TRUE(a.functions->is_due(tick, next));
    a.locks->set_lock(tick, true);
    EXPECT_EQ(a.triggers({1.0, 0.0}, {4.0, 0.0}), (std::vector<int>{1, 1}));
    std::vector<double> counter(1);
    ASSERT_TRUE(static_cast<bool>(
        a.actions->values(0, next, std::vector{1.0, 0.0}, std::vector{0.0, 0.0}, counter)));
    a.held->discrete()[a.actions->info(0).targets[0].index] = counter[0];
    a.locks->set_lock(tick, false);
    t = next;
  }
  EXPECT_NE(sum, 1000 * 0.1) << "the sum drifts";
}

TEST(Actions, AClockBeginsWithTheRun) {
  Ball b;
  static_cast<void>(b.m.every("clock", 0.0, 0.5));
  for (const double begin : {-3.0, 0.0, 0.2, 7.0, 7.1}) {
    Acting a(b.m);
    a.workspace->ability<ScheduledTimes>()->enter_stretch(begin, 100.0);
    const double first = a.functions->next_time(begin, 100.0);
    EXPECT_GT(first, begin);
    EXPECT_EQ(first, begin < 0 ? 0.0 : 0.5 * std::floor(begin / 0.5 + 1.0));
    // Later stretches begin wherever they do.
    a.workspace->ability<ScheduledTimes>()->enter_stretch(first, 100.0);
    EXPECT_TRUE(a.functions->next_time(begin, 100.0) == first);
  }
}

}  // namespace
}  // namespace saltus
