// Modes of compiled models: systems, what leads out of them, which variables they have.
#include <saltus/lower.hpp>

#include <algorithm>
#include <memory>

#include <gtest/gtest.h>

#include <saltus/model.hpp>
#include <saltus/system.hpp>

namespace saltus {
namespace {

/// A ball that flies in x and y, and rests on the floor in x alone with the force it feels.
struct FlyingAndResting {
  Model m{"ball"};
  Expr g = m.parameter("g", 9.81);
  Expr n = m.discrete("n", 3.0);
  Expr x = m.state("x", 0.0), y = m.state("y", 1.0), v = m.state("v", 0.0);
  Expr force = m.algebraic("force", {.guess = 7.0});
  ModeId flies = m.mode("flies"), rests = m.mode("rests");
  FlyingAndResting() {
    m.equation("along", der(x) == 2.0);
    m.equation(flies, "height", der(y) == v);
    m.equation(flies, "speed", der(v) == -g);
    m.equation(rests, "support", force == g + m.time());
    m.output("energy", 0.5 * v * v + g * y);
    m.output("twice", 2.0 * x);
    m.output("load", 3.0 * force);
    m.when("far", x > 5.0, {{n, n + 1.0}});
    m.when("bounce", y < 0.0, {reinit(v, -0.5 * v)});
    m.transition("lands", flies, rests, y < -1.0, {.priority = 4});
    m.transition("lifts", rests, flies, force < 0.0,
                 {.maps = {{v, 0.25 * force}, {y, where(force > 0.0, 1.0, -1.0) * x}}});
    m.require(rests, force >= -1.0);
  }
};

std::vector<std::string> unknown_names(const System& s) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < s.size(); ++i) names.push_back(s.unknown_name(i));
  return names;
}

std::shared_ptr<const System> system_of(ConfigurationSource& source, std::uint32_t mode) {
  return *source.system({.mode = mode, .locks = {}, .sliding = {}});
}

using Names = std::vector<std::string>;

TEST(Modes, HaveTheUnknownsOfTheirEquations) {
  FlyingAndResting b;
  const auto source = compile_model(b.m.build());
  EXPECT_EQ(source->n_modes(), 2U);
  EXPECT_EQ(source->mode_name(1), "rests");
  EXPECT_EQ(source->initial().mode, 0U);
  EXPECT_EQ(unknown_names(*system_of(*source, 0)), (Names{"x", "y", "v"}));
  EXPECT_EQ(unknown_names(*system_of(*source, 1)), (Names{"x", "force"}));
}

TEST(Modes, ARunBeginsInTheOneThatIsNamed) {
  FlyingAndResting b;
  b.m.start_in(b.rests);
  EXPECT_EQ(compile_model(b.m.build())->initial().mode, 1U);
}

TEST(Modes, ListAllVariablesAndSayWhichTheyHave) {
  FlyingAndResting b;
  const auto source = compile_model(b.m.build());
  const auto system = system_of(*source, 1);
  const VariableMap& map = system->variable_map();
  Names names;
  std::vector<int> present;
  for (std::uint32_t i = 0; i < map.variables().size(); ++i) {
    names.push_back(map.variables()[i].name);
    present.push_back(map.present(i) ? 1 : 0);
  }
  EXPECT_EQ(names, (Names{"x", "y", "v", "force", "n", "energy", "twice", "load"}));
  EXPECT_EQ(present, (std::vector{1, 0, 0, 1, 1, 0, 1, 1}));
  EXPECT_EQ(map.unknown(0), 0U);
  EXPECT_EQ(map.unknown(1), std::nullopt);
  EXPECT_EQ(map.unknown(3), 1U);
  std::vector<double> out(8, -99.0);
  const auto workspace = system->workspace();
  const std::vector<double> x{0.5, 11.0}, xdot{2.0, 1.0};
  ASSERT_TRUE(static_cast<bool>(map.values(*workspace, 1.0, x, xdot, out)));
  EXPECT_EQ(out, (std::vector{0.5, -99.0, -99.0, 11.0, 3.0, -99.0, 1.0, 33.0}));
}

TEST(Modes, WhatLeadsOutOfThemFollowsTheirWhenClauses) {
  FlyingAndResting b;
  const auto source = compile_model(b.m.build());
  const auto flying = system_of(*source, 0)->workspace();
  auto* actions = flying->ability<EventActions>();
  ASSERT_EQ(actions->count(), 3U);
  EXPECT_EQ(actions->info(0).name, "far");
  EXPECT_EQ(actions->info(1).name, "bounce");
  EXPECT_EQ(actions->info(2).name, "lands");
  EXPECT_EQ(actions->info(2).kind, ActionKind::transition);
  EXPECT_EQ(actions->info(2).transition, 0U);
  EXPECT_EQ(actions->info(2).priority, 4);
  EXPECT_EQ(actions->trigger_text(2), "y < -1");

  const auto resting = system_of(*source, 1)->workspace();
  actions = resting->ability<EventActions>();
  ASSERT_EQ(actions->count(), 3U);
  EXPECT_EQ(actions->info(0).name, "far");
  EXPECT_EQ(actions->info(1).transition, 1U);
  EXPECT_EQ(actions->info(2).kind, ActionKind::requirement);
  EXPECT_EQ(actions->info(2).name, "force >= -1");
  EXPECT_EQ(actions->trigger_text(2), "force < -1");

  auto* locks = resting->ability<Locks>();
  std::vector<std::uint8_t> truth(3);
  const auto triggers_at = [&](double force) {
    const std::vector<double> x{0.0, force}, xdot{0.0, 0.0}, n{3.0};
    EXPECT_TRUE(static_cast<bool>(locks->decide(0.0, x, xdot)));
    actions->triggers(x, n, truth);
    return std::vector<int>(truth.begin(), truth.end());
  };
  EXPECT_EQ(triggers_at(1.0), (std::vector{0, 0, 0}));
  EXPECT_EQ(triggers_at(-0.5), (std::vector{0, 1, 0}));
  EXPECT_EQ(triggers_at(-2.0), (std::vector{0, 1, 1}));
}

TEST(Modes, CrossingsThatMapUnknownsSaySo) {
  FlyingAndResting b;
  const auto source = compile_model(b.m.build());
  const auto sets = [&](std::uint32_t mode, const std::string& name) {
    const auto workspace = system_of(*source, mode)->workspace();
    auto* functions = workspace->ability<SwitchingFunctions>();
    for (std::uint32_t i = 0; i < functions->count(); ++i) {
      if (functions->info(i).name == name) return functions->info(i).sets_unknowns;
    }
    ADD_FAILURE() << name;
    return false;
  };
  EXPECT_TRUE(sets(1, "force < 0"));
  EXPECT_FALSE(sets(1, "force >= -1"));
  EXPECT_FALSE(sets(0, "y < -1"));
  EXPECT_TRUE(sets(0, "y < 0"));
}

/// The same written as a model without modes gives the same numbers, to the last bit.
TEST(Modes, EvaluateAsIfTheyWereModelsOfTheirOwn) {
  Model m("two"), alone("one");
  const auto write = [](Model& to, bool with_modes) {
    ModeId second = none;
    if (with_modes) {
      const ModeId first = to.mode("first");
      second = to.mode("second");
      to.equation(first, der(to.state("other", 1.0)) == 2.0);
    }
    const Expr k = to.parameter("k", 0.3);
    const Expr u = to.states("u", std::vector{0.1, 0.7, -0.4}), y = to.algebraic("y", {.max = 5.0});
    const auto equation = [&](const Equality& sides) {
      with_modes ? to.equation(second, sides) : to.equation(sides);
    };
    equation(der(u) == where(u > 0.2, sin(k * u) + y, -exp(u) / (1.0 + sqr(y))));
    equation(y * abs(y - u[1]) == sum(u) + to.time());
  };
  write(m, true);
  write(alone, false);
  const auto source = compile_model(m.build());
  const auto mine = system_of(*source, 1), other = *compile_model(alone.build())->system({});
  ASSERT_EQ(mine->size(), other->size());
  ASSERT_EQ(mine->pattern().row, other->pattern().row);
  const auto a = mine->workspace(), b = other->workspace();
  const std::vector<double> x{0.15, 0.9, -0.7, 0.35}, xdot{0.1, 0.2, 0.3, 0.4};
  auto* locks = a->ability<Locks>();
  ASSERT_TRUE(static_cast<bool>(locks->decide(0.7, x, xdot)));
  auto* locks_alone = b->ability<Locks>();
  ASSERT_TRUE(static_cast<bool>(locks_alone->decide(0.7, x, xdot)));
  EXPECT_TRUE(std::ranges::equal(locks->locks(), locks_alone->locks()));
  EXPECT_TRUE(std::ranges::count(locks->locks(), 1) > 0);
  std::vector<double> f(4), f_alone(4);
  ASSERT_TRUE(static_cast<bool>(a->residual(0.7, x, xdot, f)));
  ASSERT_TRUE(static_cast<bool>(b->residual(0.7, x, xdot, f_alone)));
  EXPECT_EQ(f, f_alone);
  const auto nnz = static_cast<std::size_t>(mine->pattern().nnz());
  std::vector<double> j(nnz), j_dot(nnz), k(nnz), k_dot(nnz);
  ASSERT_TRUE(static_cast<bool>(a->jacobian(0.7, x, xdot, j, j_dot)));
  ASSERT_TRUE(static_cast<bool>(b->jacobian(0.7, x, xdot, k, k_dot)));
  EXPECT_EQ(j, k);
  EXPECT_EQ(j_dot, k_dot);
  auto* functions = a->ability<SwitchingFunctions>();
  auto* functions_alone = b->ability<SwitchingFunctions>();
  ASSERT_EQ(functions->count(), functions_alone->count());
  for (std::uint32_t i = 0; i < functions->count(); ++i)
    EXPECT_EQ(functions->info(i).name, functions_alone->info(i).name);
}

TEST(Modes, AnAccumulationIsWaitedForByTheNamesOfItsRelations) {
  FlyingAndResting b;
  const Cond touches = b.m.named("touches", b.y < -3.0);
  b.m.transition("settles", b.flies, b.rests, touches && b.v > -9.0 && b.n > 1.0,
                 {.at_accumulation = true});
  const auto source = compile_model(b.m.build());
  const auto workspace = system_of(*source, 0)->workspace();
  auto* actions = workspace->ability<EventActions>();
  ASSERT_EQ(actions->count(), 4U);
  EXPECT_EQ(actions->n_triggers(), 3U);
  EXPECT_EQ(actions->info(3).kind, ActionKind::transition);
  EXPECT_EQ(actions->info(3).transition, 2U);
  EXPECT_EQ(actions->info(3).at_accumulation_of, (Names{"touches", "v > -9"}));
  auto* functions = workspace->ability<SwitchingFunctions>();
  Names watched;
  for (std::uint32_t i = 0; i < functions->count(); ++i) watched.push_back(functions->info(i).name);
  for (const std::string& name : actions->info(3).at_accumulation_of)
    EXPECT_TRUE(std::ranges::count(watched, name) == 1) << name;
}

TEST(Modes, ASurfaceToSlideOnIsKnownByTheNamesOfItsRelations) {
  FlyingAndResting b;
  const Cond touches = b.m.named("touches", b.y < -3.0);
  b.m.transition("settles", b.flies, b.rests, touches && b.v > -9.0 && b.n > 1.0,
                 {.maps = {{b.x, 0.0}}, .at_sliding = true});
  const auto source = compile_model(b.m.build());
  const auto workspace = system_of(*source, 0)->workspace();
  auto* actions = workspace->ability<EventActions>();
  ASSERT_EQ(actions->count(), 4U);
  // No trigger: that the guard becomes true does not matter.
  EXPECT_EQ(actions->n_triggers(), 3U);
  for (std::uint32_t k = 0; k < actions->n_triggers(); ++k) EXPECT_NE(actions->action_of(k), 3U);
  EXPECT_EQ(actions->info(3).kind, ActionKind::transition);
  EXPECT_EQ(actions->info(3).at_sliding_of, (Names{"touches", "v > -9"}));
  EXPECT_TRUE(actions->info(3).at_accumulation_of.empty());
  auto* functions = workspace->ability<SwitchingFunctions>();
  for (std::uint32_t i = 0; i < functions->count(); ++i) {
    if (functions->info(i).name == "touches") {
      EXPECT_FALSE(functions->info(i).sets_unknowns);
    }
  }
}

/// What only compiling finds: a run that is under way fails where it would enter the mode.
TEST(Modes, AreRefusedWhenARunBeginsAndFailWhenItIsUnderWay) {
  FlyingAndResting b;
  b.m.when("never", untracked(b.force, Comparison::less, -7.0), {{b.n, 0.0}});
  const auto source = compile_model(b.m.build());
  const Configuration resting{.mode = b.rests, .locks = {}, .sliding = {}};
  const auto late = source->system(resting);
  ASSERT_FALSE(static_cast<bool>(late));
  EXPECT_EQ(late.failure().message,
            "when-clause 'never': waits for 'force < -7', which is untracked and never becomes an "
            "event: write it without untracked()");
  EXPECT_FALSE(static_cast<bool>(source->transition_map(0, b.rests)));
  b.m.start_in(b.rests);
  EXPECT_THROW(static_cast<void>(compile_model(b.m.build())->system(resting)), ModelError);
}

TEST(Modes, OfHigherIndexAreDifferentiatedAlone) {
  Model m("rope");
  const Expr x = m.state("x", 0.6), y = m.state("y", -0.8), f = m.algebraic("force");
  const ModeId taut = m.mode("taut"), slack = m.mode("slack");
  m.equation(taut, der(x, 2) == -f * x);
  m.equation(taut, der(y, 2) == -f * y - 9.81);
  m.equation(taut, x * x + y * y == 1.0);
  m.equation(slack, der(x, 2) == 0.0);
  m.equation(slack, der(y, 2) == -9.81);
  const auto source = compile_model(m.build());
  const auto at = [&](std::uint32_t mode) {
    return *source->differentiated({.mode = mode, .locks = {}, .sliding = {}});
  };
  ASSERT_NE(at(taut), nullptr);
  EXPECT_EQ(at(taut)->index, 3U);
  EXPECT_EQ(at(slack), nullptr);
  // The list of variables is that of the whole model here, too.
  EXPECT_EQ(at(taut)->system->variable_map().variables().size(), 3U);
  EXPECT_FALSE(system_of(*source, slack)->variable_map().present(2));
}

TEST(Modes, AreBuiltWhenTheyAreEntered) {
  constexpr std::uint32_t n_all = 1000;
  constexpr std::uint32_t n_visited = 20;
  Model m("many");
  const Expr x = m.state("x", 0.0);
  std::vector<ModeId> modes;
  for (std::uint32_t k = 0; k < n_all; ++k) {
    modes.push_back(m.mode("m" + std::to_string(k)));
    const Expr own = m.algebraic("a" + std::to_string(k));
    m.equation(modes[k], own == x + k);
    m.equation(modes[k], der(x) == 1.0 + own);
  }
  for (std::uint32_t k = 0; k < n_all; ++k)
    m.transition("next", modes[k], modes[(k + 1) % n_all], x > 1.0 * k);
  const auto source = compile_model(m.build());
  EXPECT_EQ(compilation_counts(*source).modes, 0U);
  EXPECT_EQ(source->transitions().size(), n_all);
  for (int again = 0; again < 2; ++again) {
    for (std::uint32_t k = 0; k < n_visited; ++k) {
      const Configuration here{.mode = 3 * k, .locks = {}, .sliding = {}};
      EXPECT_EQ((*source->system(here))->size(), 2U);
      EXPECT_EQ(*source->differentiated(here), nullptr);
    }
  }
  EXPECT_EQ(compilation_counts(*source).modes, n_visited);
  EXPECT_EQ(compilation_counts(*source).differentiated, n_visited);
}

TEST(Modes, AModelWithoutModesHasOneNamedAfterIt) {
  Model m("plain");
  const Expr x = m.state("x", 1.0);
  m.equation(der(x) == -x);
  const auto source = compile_model(m.build());
  EXPECT_EQ(source->n_modes(), 1U);
  EXPECT_EQ(source->mode_name(0), "plain");
  EXPECT_TRUE(source->transitions().empty());
}

}  // namespace
}  // namespace saltus
