// Which variable occurs in which row: orders, branches, arrays.
#include <gtest/gtest.h>

#include "support/small_programs.hpp"

namespace saltus {
namespace {

struct IncidenceModel {
  Graph g;
  Expr x = state(g, "x");
  Expr y = state(g, "y");
  Expr z = algebraic(g, "z");
  Expr p = parameter(g, "p");
  Expr d = discrete(g, "d");

  /// Names of the inputs of each row, e.g. "x der(x)".
  static std::string names(const Graph& g, const Incidence& found, std::size_t row = 0) {
    std::string text;
    for (const Input& in : found.row(row)) {
      if (!text.empty()) text += " ";
      text += g.input_name(g.node(g.find_input(in.kind, in.index, in.order)).a);
    }
    return text;
  }
  std::string of(const Expr& e) const {
    const NodeId id = e.id();
    return names(g, incidence(g, std::span(&id, 1)));
  }
  std::string of(const Expr& e, const std::vector<std::uint8_t>& locks) const {
    const NodeId id = e.id();
    return names(g, incidence(g, std::span(&id, 1), locks));
  }
};

TEST(IncidenceOfRows, ListsEachInputOnceWithItsOrder) {
  IncidenceModel m;
  EXPECT_EQ(m.of(der(m.x) + m.x * m.x * sin(m.x)), "x der(x)");
  EXPECT_EQ(m.of(der(m.x, 2) - m.z + m.p), "der(x, 2) z p");
  EXPECT_EQ(m.of(time(m.g) * m.y + pre(m.d)), "time y pre(d)");
  EXPECT_EQ(m.of(m.x - m.x + m.y), "y");
}

TEST(IncidenceOfRows, HasARowPerExpressionAlsoForConstants) {
  IncidenceModel m;
  const NodeId rows[3] = {m.x.id(), m.g.constant(3.0), (m.x + m.y).id()};
  const Incidence found = incidence(m.g, rows);
  ASSERT_EQ(found.n_rows(), 3U);
  EXPECT_EQ(found.row(0).size(), 1U);
  EXPECT_EQ(found.row(1).size(), 0U);
  EXPECT_EQ(found.row(2).size(), 2U);  // x again: rows do not hide each other's inputs
}

TEST(IncidenceOfBranches, IsTheUnionWithoutLocksAndTheBranchWithThem) {
  IncidenceModel m;
  const Expr f = where(m.x > 0, m.y, m.z);
  EXPECT_EQ(m.of(f), "y z");  // x decides which equation holds, not what it says
  EXPECT_EQ(m.of(f, {lock_true}), "y");
  EXPECT_EQ(m.of(f, {lock_false}), "z");
  EXPECT_EQ(m.of(f, {lock_undecided}), "y z");
  EXPECT_EQ(m.of(f, {lock_inactive}), "y z");
}

TEST(IncidenceOfBranches, FollowsConjunctionsAsFarAsLocksDecide) {
  IncidenceModel m;
  const Cond first = m.x > 0;
  const Cond second = m.y > 0;
  const Expr f = where(first && second, der(m.x), m.z);
  EXPECT_EQ(m.of(f, {lock_true, lock_true}), "der(x)");
  EXPECT_EQ(m.of(f, {lock_true, lock_false}), "z");
  EXPECT_EQ(m.of(f, {lock_false, lock_inactive}), "z");
  EXPECT_EQ(m.of(f, {lock_true, lock_inactive}), "der(x) z");
  const Expr h = where(first || second, der(m.x), m.z);
  EXPECT_EQ(m.of(h, {lock_true, lock_inactive}), "der(x)");
}

TEST(IncidenceOfBranches, CountsBothWaysWithoutALock) {
  IncidenceModel m;
  const Expr held = where(m.d > 0, m.x, m.y);
  EXPECT_EQ(m.of(held, {}), "x y");
  const Expr free = where(untracked(m.z, Comparison::greater, 0.0), m.x, m.y);
  EXPECT_EQ(m.of(free, {}), "x y");
}

TEST(IncidenceOfBranches, OfMinMaxAbsAndSign) {
  IncidenceModel m;
  const Expr larger = max(m.x, m.y);
  const Expr smaller = min(m.x, m.y);
  EXPECT_EQ(m.g.n_switches(), 1U);
  EXPECT_EQ(m.of(larger), "x y");
  EXPECT_EQ(m.of(larger, {lock_true}), "x");
  EXPECT_EQ(m.of(larger, {lock_false}), "y");
  EXPECT_EQ(m.of(smaller, {lock_true}), "y");
  EXPECT_EQ(m.of(smaller, {lock_false}), "x");
  EXPECT_EQ(m.of(abs(m.z)), "z");
  EXPECT_EQ(m.of(sign(m.z) + m.x), "x");  // locked, it is a number
}

TEST(IncidenceOfBranches, ReadsNestedLocks) {
  IncidenceModel m;
  const Cond outer = m.x > 0;
  const Cond inner = m.y > 0;
  const Expr f = where(outer, where(inner, m.z, m.p), der(m.y));
  EXPECT_EQ(m.of(f), "der(y) z p");
  EXPECT_EQ(m.of(f, {lock_true, lock_false}), "p");
  EXPECT_EQ(m.of(f, {lock_false, lock_true}), "der(y)");
}

TEST(IncidenceOfArrays, HasARowPerLane) {
  Graph g;
  const Expr u = states(g, "u", 4);
  const Expr k = parameter(g, "k");
  const Expr f = der(u) - k * (concat({u.slice(1, 3), 0.0}) - u);
  const NodeId id = f.id();
  const Incidence found = incidence(g, std::span(&id, 1));
  ASSERT_EQ(found.n_rows(), 4U);
  EXPECT_EQ(IncidenceModel::names(g, found, 0), "u[0] der(u[0]) u[1] k");
  EXPECT_EQ(IncidenceModel::names(g, found, 3), "u[3] der(u[3]) k");
}

TEST(IncidenceOfArrays, FollowsTheLockOfEachLane) {
  Graph g;
  const Expr u = states(g, "u", 3);
  const Expr v = states(g, "v", 3);
  const Expr f = where(u > 0, v, der(u));
  const NodeId id = f.id();
  const std::vector<std::uint8_t> locks{lock_true, lock_false, lock_undecided};
  const Incidence found = incidence(g, std::span(&id, 1), locks);
  EXPECT_EQ(IncidenceModel::names(g, found, 0), "v[0]");
  EXPECT_EQ(IncidenceModel::names(g, found, 1), "der(u[1])");
  EXPECT_EQ(IncidenceModel::names(g, found, 2), "der(u[2]) v[2]");
}

TEST(IncidenceOfArrays, OfSumsTakesAllLanesOfPicksOnlyTheirs) {
  Graph g;
  const Expr u = states(g, "u", 4);
  const NodeId rows[3] = {sum(sqr(u)).id(), sum(u.slice(0, 2, 3)).id(), sqr(u)[2].id()};
  const Incidence found = incidence(g, rows);
  EXPECT_EQ(IncidenceModel::names(g, found, 0), "u[0] u[1] u[2] u[3]");
  EXPECT_EQ(IncidenceModel::names(g, found, 1), "u[0] u[3]");
  EXPECT_EQ(IncidenceModel::names(g, found, 2), "u[2]");
}

TEST(IncidenceOfArrays, AgreesWithThePatternOfTheJacobian) {
  Graph g;
  const Expr u = states(g, "u", 5);
  const Expr f = where(u > 0, u * concat({u.slice(1, 4), 1.0}), sum(u) + 0.0 * u);
  const NodeId id = f.id();
  const std::vector<InputRange> columns{{InputKind::state, 0, 5, 0}};
  const Jacobian j = jacobian(g, std::span(&id, 1), columns);
  const Incidence found = incidence(g, std::span(&id, 1));
  EXPECT_EQ(static_cast<std::size_t>(j.pattern.nnz()), found.inputs.size());
}

}  // namespace
}  // namespace saltus
