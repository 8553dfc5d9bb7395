// Parts of graphs as graphs of their own: the same values to the last bit, the same relations in order.
#include <saltus/expr/transplant.hpp>

#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "support/evaluation.hpp"
#include "support/random_arrays.hpp"
#include "support/random_expressions.hpp"

namespace saltus::test {
namespace {

bool keep_all(InputKind, std::uint32_t) { return true; }

Transplant moved_alone(const Graph& g, NodeId root) {
  Reach reach(g);
  reach.add_value(root);
  return transplant(reach, keep_all);
}

std::vector<double> decided_values(const Graph& g, NodeId root,
                                   const std::vector<InputSegment>& segments,
                                   const std::vector<std::vector<double>>& arguments) {
  Evaluator<double> e(compile(g, outputs_in_order(g, std::span(&root, 1)), segments,
                              {.locking = Locking::unlocked}));
  load(e, arguments);
  return values(e);
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

std::vector<std::string> relation_texts(const Graph& g, NodeId root) {
  std::vector<std::string> texts;
  const SwitchTable table(g, std::span(&root, 1));
  for (const SwitchEntry& e : table)
    for (SwitchId id = e.first; id < e.first + e.count; ++id) texts.push_back(table.text(id));
  return texts;
}

struct TransplantCounts {
  int cases = 0;
  int other_bits = 0;
  int other_relations = 0;
};

/// Every root alone, against the root `shift` further on in the graph it comes from.
TransplantCounts compare_arrays(std::uint64_t seed, std::size_t shift) {
  TransplantCounts c;
  for (std::uint64_t k = 0; k < 40; ++k) {
    RandomArrays random(seed + k, 5);
    std::vector<NodeId> roots;
    for (int i = 0; i < 4; ++i) {
      roots.push_back(random.array(4).in(random.graph()));
      roots.push_back(random.scalar(4).in(random.graph()));
    }
    const auto point = random.point();
    for (std::size_t i = 0; i < roots.size(); ++i) {
      const Transplant moved = moved_alone(random.graph(), roots[i]);
      const NodeId here = moved.nodes[roots[i]];
      const NodeId there = roots[(i + shift) % roots.size()];
      ++c.cases;
      const auto mine = decided_values(*moved.graph, here, random.segments(), point);
      const auto old = decided_values(random.graph(), there, random.segments(), point);
      if (!same_bits(mine, old)) ++c.other_bits;
      if (relation_texts(*moved.graph, here) != relation_texts(random.graph(), there))
        ++c.other_relations;
      EXPECT_EQ(to_text(*moved.graph, here), to_text(random.graph(), roots[i]));
    }
  }
  return c;
}

TEST(TransplantedGraphs, RandomArraysKeepTheirValuesAndRelations) {
  const TransplantCounts c = compare_arrays(7, 0);
  EXPECT_EQ(c.other_bits, 0) << "of " << c.cases;
  EXPECT_EQ(c.other_relations, 0) << "of " << c.cases;
}

TEST(TransplantedGraphs, TheComparisonNoticesAnotherExpression) {
  const TransplantCounts c = compare_arrays(7, 2);
  EXPECT_GT(c.other_bits, c.cases / 2);
  EXPECT_GT(c.other_relations, c.cases / 2);
}

TEST(TransplantedGraphs, DerivativesOfRandomExpressionsStayTheSame) {
  int n_compared = 0;
  for (std::uint64_t k = 0; k < 120; ++k) {
    RandomExpressions random(900 + k);
    static_cast<void>(random.expression(5));  // left behind
    const NodeId root = random.expression(5).in(random.graph());
    static_cast<void>(random.expression(5));
    Transplant moved = moved_alone(random.graph(), root);
    const NodeId here = moved.nodes[root];
    const InputRange columns[] = {{InputKind::state, 0, RandomExpressions::n_states, 0}};
    const Jacobian old = jacobian(random.graph(), std::span(&root, 1), columns);
    const Jacobian mine = jacobian(*moved.graph, std::span(&here, 1), columns);
    ASSERT_EQ(mine.pattern.row, old.pattern.row);
    ASSERT_EQ(mine.entries.size(), old.entries.size());
    for (std::size_t i = 0; i < old.entries.size(); ++i) {
      EXPECT_EQ(to_text(*moved.graph, mine.entries[i].node),
                to_text(random.graph(), old.entries[i].node));
      ++n_compared;
    }
  }
  EXPECT_GT(n_compared, 100);
}

TEST(TransplantedGraphs, OnlyWhatIsReachedGoesAlong) {
  Graph g;
  const Expr x = state(g, "x"), y = state(g, "y"), z = states(g, "z", 3), p = parameter(g, "p");
  static_cast<void>(exp(x) * 3.0);
  const Expr kept = where(y > p, pre(y) + z[1], der(y));
  static_cast<void>(sin(z));
  Reach reach(g);
  reach.add_value(kept.id());
  const Transplant moved = transplant(reach, [&](InputKind kind, std::uint32_t first) {
    return kind != InputKind::state || first > 0;
  });
  EXPECT_LT(moved.graph->size(), g.size());
  EXPECT_EQ(moved.nodes[x.id()], none);
  EXPECT_EQ(moved.graph->count(InputKind::state), 4U);
  EXPECT_EQ(moved.input({InputKind::state, 1, 1}), (Input{InputKind::state, 0, 1}));
  EXPECT_EQ(moved.input({InputKind::state, 4, 0}), (Input{InputKind::state, 3, 0}));
  EXPECT_EQ(to_text(*moved.graph, moved.nodes[kept.id()]), to_text(g, kept.id()));
  EXPECT_EQ(moved.graph->previous_variable(0), (Input{InputKind::state, 0, 0}));
}

TEST(TransplantedGraphs, RelationsKeepTheirOrderAndAreFoundAgain) {
  Graph g;
  const Expr x = state(g, "x"), y = state(g, "y");
  const Cond first = x > 1.0, second = y > 2.0;
  // Met in the other order, and one of them by nothing but a condition.
  const Expr value = where(second, x, y);
  Reach reach(g);
  reach.add_value(value.id());
  reach.add_condition(condition_of(first.literal()));
  Transplant moved = transplant(reach, keep_all);
  EXPECT_EQ(moved.graph->n_switches(), 2U);
  EXPECT_EQ(relation_text(*moved.graph, moved.relations[0]), "x > 1");
  EXPECT_EQ(moved.graph->relation(0).first_switch, 0U);
  EXPECT_EQ(moved.graph->owner(1).relation, moved.relations[1]);
  Graph& here = *moved.graph;
  const Literal again =
      here.relation(here.input(InputKind::state, 1), Comparison::less_equal, here.constant(2.0));
  EXPECT_EQ(again, negate(moved.literal(second.literal())));
  EXPECT_EQ(here.n_switches(), 2U);
}

TEST(TransplantedGraphs, LanesOfARelationLeftBehindHaveSwitchesOfTheirOwn) {
  Graph g;
  const Expr u = states(g, "u", 4);
  const Expr whole = where(u > 0.5, u, -u);
  const Expr last = whole[3], second = whole[1];  // written in this order
  const Expr value = last + 2.0 * second;
  const Transplant moved = moved_alone(g, value.id());
  EXPECT_EQ(moved.graph->n_switches(), 2U);
  EXPECT_EQ(relation_texts(*moved.graph, moved.nodes[value.id()]), relation_texts(g, value.id()));
  EXPECT_EQ(relation_texts(g, value.id()), (std::vector<std::string>{"u[1] > 0.5", "u[3] > 0.5"}));
  // With the array they share its switches, as before.
  Reach both(g);
  both.add_value(whole.id());
  both.add_value(value.id());
  EXPECT_EQ(transplant(both, keep_all).graph->n_switches(), 4U);
}

TEST(TransplantedGraphs, ARelationWrittenAgainLaterKeepsTheTextOfTheUser) {
  Graph g;
  const Expr x = state(g, "x"), y = state(g, "y");
  const Expr size = abs(x + y);  // implies x + y > 0
  static_cast<void>(x + y > 0.0);
  const Transplant moved = moved_alone(g, size.id());
  EXPECT_EQ(relation_texts(*moved.graph, moved.nodes[size.id()]), relation_texts(g, size.id()));
}

TEST(TransplantedGraphs, AReachIsForgottenAndUsedAgain) {
  Graph g;
  const Expr x = state(g, "x"), y = state(g, "y");
  const Expr a = where(x > 0.0, x, 1.0), b = sin(y);
  Reach reach(g);
  reach.add_value(a.id());
  EXPECT_TRUE(reach.has_value(x.id()));
  reach.clear();
  reach.add_value(b.id());
  EXPECT_FALSE(reach.has_value(x.id()));
  ASSERT_EQ(reach.inputs().size(), 1U);
  EXPECT_EQ(g.input(reach.inputs()[0]), (Input{InputKind::state, 1, 0}));
  EXPECT_FALSE(reach.has_condition(1));
}

}  // namespace
}  // namespace saltus::test
