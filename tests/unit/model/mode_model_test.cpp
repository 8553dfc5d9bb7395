// A mode taken out of its model.
#include <saltus/model.hpp>

#include <algorithm>

#include <gtest/gtest.h>

namespace saltus {
namespace {

struct Plant {
  Model m{"plant"};
  Expr k = m.parameter("k", 2.0);
  Expr u = m.states("u", std::vector{1.0, 2.0, 3.0}, {.max = 9.0});
  Expr x = m.state("x", 4.0, {.min = -1.0});
  Expr d = m.discrete("d", 0.0);
  Expr w = m.input(
      "w", table(std::vector<double>{0, 1}, std::vector<double>{0, 2}, Interpolation::linear));
  Expr y = m.algebraic("y"), z = m.algebraic("z");
  ModeId row = m.mode("row"), point = m.mode("point");
  Plant() {
    m.equation(row, "flow", der(u) == -k * u);
    m.equation(row, "total", y == sum(u));
    m.equation(point, "motion", der(x) == where(x > 1.0, -k, w));
    m.equation(point, "load", z == abs(x) + d);
    m.output("shown", y + 1.0);
    m.output("seen", z + x);
    m.output("clock", m.time() + k);
    const Cond tick = m.every("beat", 0.0, 0.5);
    m.when("count", tick, {{d, pre(d) + 1.0}});
    m.when("kick", m.named("far", x > 5.0), {reinit(x, pre(x) - 1.0)});
    m.transition("leaves", row, point, m.named("empty", y < 0.1) && m.time() > 1.0,
                 {.maps = {{x, sum(u)}}});
    m.transition("ends", row, point, u[1] < 0.0, {.priority = 5, .at_accumulation = true});
    m.transition("returns", point, row, z < 0.0);
    m.transition("stays", point, row, x > 1.0, {.at_sliding = true});
    m.require(row, y < 100.0);
  }
};

std::vector<std::string> names_of_variables(const ModelDefinition& m) {
  std::vector<std::string> names;
  for (const Variable& v : m.variables()) names.push_back(v.name);
  return names;
}

using Words = std::vector<std::string>;

TEST(TakenModes, HaveTheirOwnUnknownsAndEverythingThatIsHeld) {
  Plant plant;
  const ModeModel row = take_mode(*plant.m.build(), plant.row);
  const ModeModel point = take_mode(*plant.m.build(), plant.point);
  EXPECT_EQ(row.model->name(), "plant, mode row");
  EXPECT_TRUE(row.model->modes().empty());
  EXPECT_EQ(names_of_variables(*row.model), (Words{"k", "u", "d", "w", "y", "beat.ticks"}));
  EXPECT_EQ(names_of_variables(*point.model), (Words{"k", "x", "d", "w", "z", "beat.ticks"}));
  EXPECT_EQ(point.model->find("x")->first, 0U);
  EXPECT_EQ(point.model->n_unknowns(), 2U);
  EXPECT_EQ(point.states, (std::vector<std::uint32_t>{none, none, none, 0}));
  EXPECT_EQ(point.whole_states, std::vector<std::uint32_t>{3});
  EXPECT_EQ(point.in_mode({InputKind::algebraic, 1, 0}), (Input{InputKind::algebraic, 0, 0}));
  EXPECT_EQ(point.in_mode({InputKind::algebraic, 0, 0}).index, none);
  EXPECT_EQ(point.in_whole({InputKind::state, 0, 1}), (Input{InputKind::state, 3, 1}));
  EXPECT_EQ(point.in_mode({InputKind::discrete, 1, 0}), (Input{InputKind::discrete, 1, 0}));
  EXPECT_EQ(point.model->signal(0).value(0.5, 0), 1.0);
  EXPECT_EQ(point.model->initial_values(InputKind::parameter), std::vector{2.0});
}

TEST(TakenModes, HaveWhatMentionsNoOtherUnknown) {
  Plant plant;
  const ModeModel row = take_mode(*plant.m.build(), plant.row);
  const ModeModel point = take_mode(*plant.m.build(), plant.point);
  EXPECT_EQ(row.outputs, (std::vector<std::uint32_t>{0, none, 1}));
  EXPECT_EQ(point.outputs, (std::vector<std::uint32_t>{none, 0, 1}));
  const auto clauses = [](const ModeModel& mode) {
    Words names;
    for (const WhenClause& w : mode.model->when_clauses()) names.push_back(w.name);
    return names;
  };
  EXPECT_EQ(clauses(row), (Words{"beat.tick", "count"}));
  EXPECT_EQ(clauses(point), (Words{"beat.tick", "count", "kick"}));
  EXPECT_EQ(point.model->clocks().size(), 1U);
  ASSERT_EQ(row.model->equations().size(), 2U);
  EXPECT_EQ(row.model->equations()[1].name, "total");
  EXPECT_EQ(row.model->equations()[1].mode, none);
  const Graph& g = point.model->graph();
  EXPECT_EQ(to_text(g, point.model->equations()[0].right), "where(x > 1, -k, w)");
}

/// der(x) can be set where it is an unknown; der(der(x)) is known where it occurs.
TEST(TakenModes, LackWhatTheyHaveNoDerivativeFor) {
  Model m("mass");
  const Expr x = m.state("x", 1.0);
  const ModeId heavy = m.mode("heavy"), light = m.mode("light");
  m.equation(heavy, der(x, 2) == -x);
  m.equation(light, der(x) == -x);
  m.output("speed", der(x));
  m.output("acceleration", der(x, 2));
  m.when("bounce", x < 0.0, {reinit(der(x), -1.0)});
  m.when("late", der(x, 2) > 1.0, {reinit(x, 0.0)});
  const auto whole = m.build();
  EXPECT_EQ(take_mode(*whole, heavy).outputs, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(take_mode(*whole, light).outputs, (std::vector<std::uint32_t>{0, none}));
  EXPECT_EQ(take_mode(*whole, heavy).model->when_clauses().size(), 2U);
  // What cannot be watched is gone; what cannot be carried out says why and does nothing.
  const ModeModel taken = take_mode(*whole, light);
  ASSERT_EQ(taken.model->when_clauses().size(), 1U);
  const WhenClause& bounce = taken.model->when_clauses().front();
  EXPECT_EQ(bounce.name, "bounce");
  EXPECT_TRUE(bounce.assignments.empty());
  EXPECT_EQ(bounce.lacks, "it sets 'der(x)', which mode 'light' does not have");
}

TEST(TakenModes, KnowHowTheyEnd) {
  Plant plant;
  const auto whole = plant.m.build();
  const auto row = model_of_mode(*whole, plant.row);
  ASSERT_EQ(row->exits().size(), 3U);
  EXPECT_EQ(row->exits()[0].name, "leaves");
  EXPECT_EQ(row->exits()[0].transition, 0U);
  EXPECT_TRUE(row->exits()[0].sets_unknowns);
  EXPECT_EQ(condition_text(row->graph(), row->exits()[0].condition),
            condition_text(whole->graph(), whole->transitions()[0].guard));
  EXPECT_TRUE(row->exits()[0].is_triggered());
  EXPECT_TRUE(row->exits()[1].at_accumulation);
  EXPECT_FALSE(row->exits()[1].at_sliding);
  EXPECT_FALSE(row->exits()[1].is_triggered());
  EXPECT_FALSE(row->exits()[1].sets_unknowns);
  EXPECT_EQ(row->exits()[1].priority, 5);
  EXPECT_EQ(row->exits()[2].transition, none);
  EXPECT_EQ(row->exits()[2].name, "y < 100");
  EXPECT_EQ(condition_text(row->graph(), row->exits()[2].condition), "y >= 100");
  const auto point = model_of_mode(*whole, plant.point);
  ASSERT_EQ(point->exits().size(), 2U);
  EXPECT_EQ(point->exits()[0].transition, 2U);
  EXPECT_TRUE(point->exits()[0].is_triggered());
  EXPECT_TRUE(point->exits()[1].at_sliding);
  EXPECT_FALSE(point->exits()[1].at_accumulation);
  EXPECT_FALSE(point->exits()[1].is_triggered());
  EXPECT_TRUE(whole->exits().empty());
}

TEST(TakenModes, KeepTheNamesOfTheirRelations) {
  Plant plant;
  const auto whole = plant.m.build();
  const auto names = [](const ModelDefinition& m) {
    Words all;
    for (std::uint32_t r = 0; r < m.graph().n_relations(); ++r)
      if (const std::string name = m.relation_name(r); !name.empty()) all.push_back(name);
    return all;
  };
  EXPECT_EQ(names(*whole), (Words{"beat", "far", "empty"}));
  EXPECT_EQ(names(*model_of_mode(*whole, plant.row)), (Words{"beat", "empty"}));
  EXPECT_EQ(names(*model_of_mode(*whole, plant.point)), (Words{"beat", "far"}));
}

TEST(TakenModes, AModelWithoutModesIsItsOwn) {
  Model m("plain");
  const Expr x = m.state("x", 1.0);
  m.equation(der(x) == -x);
  const auto model = m.build();
  const ModeModel same = whole_as_mode(model);
  EXPECT_EQ(same.model, model);
  EXPECT_EQ(same.in_mode({InputKind::state, 0, 1}), (Input{InputKind::state, 0, 1}));
  EXPECT_THROW(take_mode(*model, 0), ModelError);
}

}  // namespace
}  // namespace saltus
