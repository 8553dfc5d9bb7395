// Derivatives: the formulas of docs/theory/expressions.md, and the shapes they were made for.
#include <gtest/gtest.h>

#include "support/evaluation.hpp"

namespace saltus {
namespace {

InputRange all_states(const Graph& g) {
  return {InputKind::state, 0, g.count(InputKind::state), 0};
}

std::size_t nodes_for_jacobian(Graph& g, const std::vector<NodeId>& rows, Sweep sweep) {
  const std::size_t before = g.size();
  const InputRange columns = all_states(g);
  jacobian(g, rows, std::span(&columns, 1), {.sweep = sweep});
  return g.size() - before;
}

/// rows[i] = y_i f(z), f a chain of `depth` operations.
std::vector<NodeId> rows_sharing_a_chain(Graph& g, std::uint32_t depth, std::uint32_t n_rows) {
  Expr s = state(g, "s");
  const Expr z = state(g, "z");
  for (std::uint32_t i = 0; i < depth; ++i) s = sin(s) * z;
  const Expr y = states(g, "y", n_rows);
  std::vector<NodeId> rows;
  for (std::uint32_t i = 0; i < n_rows; ++i) rows.push_back((y[i] * s).id());
  return rows;
}

// (E.2): a long chain shared by many rows gets a gradient of its own ...
TEST(Cuts, ASharedChainIsDifferentiatedOnce) {
  Graph automatic, reverse;
  const auto rows = rows_sharing_a_chain(automatic, 50, 40);
  const std::size_t found = nodes_for_jacobian(automatic, rows, Sweep::automatic);
  const auto again = rows_sharing_a_chain(reverse, 50, 40);
  const std::size_t row_by_row = nodes_for_jacobian(reverse, again, Sweep::reverse);
  // Below the bound of (E.2): a few nodes per operation of the chain and per row, not their product.
  EXPECT_LT(found, 8U * (2 * 50 + 40));
  EXPECT_GT(row_by_row, 50U * 40U);
}

// ... and one that has more variables below than operations does not.
TEST(Cuts, ADenseValueSharedByTwoRowsIsSweptTwice) {
  auto rows_of = [](Graph& g) {
    const Expr x = states(g, "x", 300);
    Expr s = x[0];
    Expr weighted = 0.0;
    for (std::uint32_t i = 1; i < 300; ++i) {
      s = s * cos(x[i]);
      weighted = weighted + static_cast<double>(i) * s;  // every partial product is shared
    }
    return std::vector<NodeId>{s.id(), weighted.id()};
  };
  Graph a, f;
  const std::size_t automatic = nodes_for_jacobian(a, rows_of(a), Sweep::automatic);
  const std::size_t forward = nodes_for_jacobian(f, rows_of(f), Sweep::forward);
  EXPECT_LT(automatic, 300U * 20U);
  EXPECT_GT(forward, 300U * 300U / 2U);
}

// (E.3), (E.4): sqrt is used in two branches, both possibly not taken, and once under an abs.
TEST(Branches, ZeroTimesInfinityNeverArises) {
  Graph g;
  const Expr x = state(g, "x"), a = state(g, "a"), b = state(g, "b");
  const Expr root = sqrt(x);
  const Expr f =
      where(a > 0.0, root, a) * where(b > 0.0, 3.0 * root, b) + where(a > 0.0, abs(root), 1.0);
  const NodeId row = f.id();
  const InputRange columns = all_states(g);
  for (Sweep sweep : {Sweep::automatic, Sweep::forward, Sweep::reverse}) {
    const Jacobian j = jacobian(g, std::span(&row, 1), std::span(&columns, 1), {.sweep = sweep});
    for (Tier tier : {Tier::scalar, Tier::rolled}) {
      Evaluator<double> e(compile(g, j.entries, std::vector<InputSegment>{{columns}},
                                  {Locking::unlocked, tier, 1}));
      auto gradient = [&](double xv, double av, double bv) {
        e.input(0)[0] = xv;
        e.input(0)[1] = av;
        e.input(0)[2] = bv;
        return test::values(e);
      };
      EXPECT_EQ(gradient(-1, -2, -3), (std::vector<double>{0, -3, -2}));  // f = a b + 1
      EXPECT_EQ(gradient(0, -2, -3), (std::vector<double>{0, -3, -2}));
      EXPECT_EQ(gradient(4, 1, 1)[0], 3 + 0.25);       // f = 3 x + sqrt(x)
      EXPECT_EQ(gradient(4, 1, -1)[0], -0.25 + 0.25);  // f = -sqrt(x) + sqrt(x)
      EXPECT_EQ(gradient(4, -1, 1)[0], -0.75);         // f = -3 sqrt(x) + 1
    }
  }
}

TEST(TotalDerivative, FollowsTimeAndAllOrders) {
  Graph g;
  const Expr t = time(g), x = state(g, "x"), p = parameter(g, "p");
  const NodeId f = (p * t * sqr(x)).id();
  const NodeId first = total_derivative(g, std::span(&f, 1))[0];
  const NodeId second = total_derivative(g, std::span(&first, 1))[0];
  std::vector<InputSegment> segments{{{InputKind::time, 0, 1, 0}, {InputKind::parameter, 0, 1, 0}}};
  for (std::uint32_t q = 0; q < 3; ++q) segments.push_back({{InputKind::state, 0, 1, q}});
  Evaluator<double> e(compile(g, outputs_in_order(g, std::vector{first, second}), segments));
  test::load(e, {{2.0, 3.0}, {5.0}, {7.0}, {11.0}});
  // d/dt (p t x^2) = p x^2 + 2 p t x x';  again: 4 p x x' + 2 p t (x'^2 + x x'')
  EXPECT_EQ(test::values(e), (std::vector<double>{3 * 25 + 2 * 3 * 2 * 5 * 7,
                                                  4 * 3 * 5 * 7 + 2 * 3 * 2 * (49 + 55)}));
}

TEST(Tangent, IsTheJacobianTimesItsSeed) {
  Graph g;
  const Expr x = state(g, "x"), y = state(g, "y");
  const NodeId f = (x * y + exp(x)).id();
  const NodeId d = tangent(g, std::span(&f, 1), [](Graph& graph, InputId id) {
    return graph.constant(graph.input(id).index == 0 ? 2.0 : 5.0);
  })[0];
  Evaluator<double> e(compile(g, outputs_in_order(g, std::vector{d}),
                              std::vector<InputSegment>{{{InputKind::state, 0, 2, 0}}}));
  test::load(e, {{0.0, 3.0}});
  EXPECT_EQ(test::values(e)[0], 2 * (3 + 1) + 5 * 0);
}

}  // namespace
}  // namespace saltus
