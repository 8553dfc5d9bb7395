// Expressions with something else in place of some inputs.
#include <cmath>

#include <gtest/gtest.h>

#include "support/small_programs.hpp"

namespace saltus {
namespace {

struct SubstitutionModel {
  Graph g;
  Expr x = state(g, "x");
  Expr y = state(g, "y");
  Expr u = states(g, "u", 3);

  /// With y in place of x + ..., as text.
  NodeId with_y_for_x(const Expr& e) {
    const NodeId node = e.id();
    return substitute(g, std::span(&node, 1), [&](Graph& graph, InputId id) {
      return graph.node(x.id()).a == id ? y.id() : none;
    })[0];
  }
};

TEST(Substitute, ReplacesAnInputWhereverItStands) {
  SubstitutionModel m;
  const Expr e = sin(m.x) * pow(m.x, 3.0) / (1.0 + sqr(m.x)) - atan2(m.x, m.y) + pow(m.y, m.x);
  const Expr same = sin(m.y) * pow(m.y, 3.0) / (1.0 + sqr(m.y)) - atan2(m.y, m.y) + pow(m.y, m.y);
  EXPECT_EQ(m.with_y_for_x(e), same.id());
  EXPECT_NE(m.with_y_for_x(e), e.id());
  // What does not contain it is the same node.
  const Expr other = cos(m.y);
  EXPECT_EQ(m.with_y_for_x(other), other.id());
}

TEST(Substitute, ArraysToo) {
  SubstitutionModel m;
  const Expr e = sum(concat({m.x, m.u, m.x}) * 2.0);
  EXPECT_EQ(m.with_y_for_x(e), sum(concat({m.y, m.u, m.y}) * 2.0).id());
}

TEST(Substitute, LeavesDecisionsToTheSameLocks) {
  SubstitutionModel m;
  const Expr e = abs(m.x) + 10.0 * sign(m.x) + 100.0 * min(m.x, m.u[0]) +
                 1000.0 * max(m.x, m.u[0]) + 1e4 * where(m.x > 2.0, m.x, -m.x);
  const std::size_t n = m.g.n_switches();
  const NodeId replaced = m.with_y_for_x(e);
  EXPECT_EQ(m.g.n_switches(), n) << "no switch of its own";
  const auto value = [&](NodeId node, const std::vector<std::uint8_t>& locks) {
    const std::vector<InputSegment> arguments = {{{InputKind::state, 0, 5, 0}}};
    Evaluator<double> f(compile(m.g, outputs_in_order(m.g, std::span(&node, 1)), arguments));
    // x and y are the same number: whatever the locks, so are the two expressions.
    const std::vector<double> at = {3.0, 3.0, 0.5, 0.0, 0.0};
    std::copy(at.begin(), at.end(), f.input(0).begin());
    f.set_locks(locks);
    f.run();
    return f.outputs()[0];
  };
  for (unsigned bits = 0; bits < (1U << n); ++bits) {
    std::vector<std::uint8_t> locks(n);
    for (std::size_t k = 0; k < n; ++k) locks[k] = (bits >> k) & 1U;
    EXPECT_EQ(value(replaced, locks), value(e.id(), locks)) << bits;
  }
  // The twin: other locks, another value.
  EXPECT_NE(value(replaced, std::vector<std::uint8_t>(n, 0)),
            value(e.id(), std::vector<std::uint8_t>(n, 1)));
}

TEST(Substitute, ByValueStaysByValue) {
  SubstitutionModel m;
  const Expr e = abs(m.x, Tracking::untracked);
  EXPECT_EQ(m.with_y_for_x(e), abs(m.y, Tracking::untracked).id());
  EXPECT_EQ(m.g.n_switches(), 0u);
}

TEST(BranchConditions, AreThoseThatChooseAValue) {
  SubstitutionModel m;
  const Expr inner = where(m.y > 0.0, m.x, m.y);
  const Expr e = where(abs(m.x) > 1.0, inner, m.y);
  const NodeId nodes[] = {e.id()};
  const std::vector<BranchCondition> found = branch_conditions(m.g, nodes);
  // abs decides what is tested, not what the value is.
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(SwitchTable(m.g, nodes).size(), 3u);
  const bool inner_first = found[0].context.empty() ? false : true;
  EXPECT_EQ(found[inner_first ? 0 : 1].context.size(), 1u);
  EXPECT_TRUE(found[inner_first ? 1 : 0].context.empty());
}

TEST(BranchConditions, OfArraysStandInBranchesLaneByLane) {
  SubstitutionModel m;
  const Cond outer = m.u > 0.0;
  const Expr inner = where(m.u > 1.0, m.u, -m.u);
  const auto lanes_of_inner = [&](const Expr& e) {
    const NodeId nodes[] = {e.id()};
    for (const BranchCondition& b : branch_conditions(m.g, nodes)) {
      if (condition_text(m.g, literal_of(b.condition)) == "u[0] > 1") return b.lane_context.size();
    }
    ADD_FAILURE() << "not found";
    return std::size_t{0};
  };
  EXPECT_EQ(lanes_of_inner(where(outer, inner, 2.0 * m.u)), 1u);
  // Twins: used outside as well, summed up, or taken by other lanes, every lane matters.
  EXPECT_EQ(lanes_of_inner(where(outer, inner, 2.0 * m.u) + inner), 0u);
  EXPECT_EQ(lanes_of_inner(where(outer, sum(inner) * m.u, 2.0 * m.u)), 0u);
  const NodeId shifted = m.g.take(inner.id(), {1, 2, 0});
  EXPECT_EQ(lanes_of_inner(where(outer, Expr(m.g, shifted), 2.0 * m.u)), 0u);
}

}  // namespace
}  // namespace saltus
