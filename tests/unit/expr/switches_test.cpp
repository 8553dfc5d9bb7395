// The table of switches: what each tests, where it matters, and its functions under locks.
#include <cmath>

#include <gtest/gtest.h>

#include "support/small_programs.hpp"

namespace saltus {
namespace {

struct SwitchModel {
  Graph g;
  Expr x = state(g, "x");
  Expr y = state(g, "y");
  Expr z = state(g, "z");
  Expr d = discrete(g, "d");
  SwitchTable table(const std::vector<Expr>& expressions) const {
    const auto ids = test::nodes_of(expressions);
    return {g, ids};
  }
  std::vector<double> functions(const SwitchTable& t, const std::vector<std::uint8_t>& locks,
                                const test::SmallPoint& at) const {
    Evaluator<double> e(compile(g, t.functions(), test::every_input(g)));
    test::load_point(e, at);
    e.set_locks(locks);
    e.run();
    return {e.outputs().begin(), e.outputs().end()};
  }
};

TEST(SwitchEntries, AreInOrderWithTheTextOfTheUser) {
  SwitchModel m;
  const Cond above = m.x > m.y;
  const Cond below = m.z <= 0.5;
  const Expr f = where(below, m.x, where(above, m.y, m.z)) + abs(m.y);
  const SwitchTable t = m.table({f});
  ASSERT_EQ(t.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(t[i].first, i);
    EXPECT_EQ(t[i].count, 1U);
    EXPECT_EQ(t.find(static_cast<SwitchId>(i)), &t[i]);
  }
  EXPECT_EQ(t.find(3), nullptr);
  EXPECT_EQ(t.text(0), "x > y");
  EXPECT_EQ(t.text(1), "z <= 0.5");
  EXPECT_EQ(t.text(2), "y > 0");
  EXPECT_EQ(t[0].test, saltus::Test::positive);
  EXPECT_EQ(t[0].g, (m.x - m.y).id());
}

TEST(SwitchEntries, AreThoseOfTheExpressionsAskedFor) {
  SwitchModel m;
  const Expr f = abs(m.x);
  const Expr h = abs(m.y);
  EXPECT_EQ(m.table({f, h}).size(), 2U);
  const SwitchTable t = m.table({h});
  ASSERT_EQ(t.size(), 1U);
  EXPECT_EQ(t.text(1), "y > 0");
  EXPECT_EQ(t.find(0), nullptr);
  EXPECT_EQ(m.table({m.x * m.y}).size(), 0U);
  EXPECT_EQ(m.table({where(m.d > 1, m.x, m.y), abs(m.z, Tracking::untracked)}).size(), 0U);
}

TEST(SwitchEntries, ASwitchInsideASwitchingFunctionCounts) {
  SwitchModel m;
  const Expr f = where(abs(m.x) > 1, m.y, m.z);
  EXPECT_EQ(m.table({f}).size(), 2U);
}

TEST(SwitchContexts, OfANestedRelationIsTheOuterBranch) {
  SwitchModel m;
  const Cond outer = m.x > 0;
  const Cond inner = m.y > 0;
  const SwitchTable then = m.table({where(outer, where(inner, m.y, m.z), m.z)});
  ASSERT_EQ(then.size(), 2U);
  EXPECT_TRUE(then[0].context.empty());
  EXPECT_EQ(then[1].context, std::vector<Literal>{outer.literal()});
  const SwitchTable otherwise = m.table({where(outer, m.z, where(inner, m.y, m.z))});
  EXPECT_EQ(otherwise[1].context, std::vector<Literal>{negate(outer.literal())});
}

TEST(SwitchContexts, OfARelationInTwoBranchesIsWhatTheyHaveInCommon) {
  SwitchModel m;
  const Cond first = m.x > 0;
  const Cond second = m.x > 1;
  const Cond shared = m.y > 0;
  const Expr a = where(shared, m.y, m.z);
  const Expr b = where(shared, m.z, 2.0);
  const SwitchTable both = m.table({where(first, a, b)});
  EXPECT_TRUE(both.find(2)->context.empty());
  const SwitchTable common = m.table({where(first, where(second, a, b), m.z)});
  EXPECT_EQ(common.find(2)->context, std::vector<Literal>{first.literal()});
  const SwitchTable twice = m.table({where(first, a, m.z), a});
  EXPECT_TRUE(twice.find(2)->context.empty());
}

TEST(SwitchContexts, TellWhichEntriesAreActive) {
  SwitchModel m;
  const Expr guarded = where(m.x > 0, abs(m.y), m.z);
  const Expr held = where(m.d > 0, max(m.z, Expr(0.0)), 0.0);
  const SwitchTable t = m.table({guarded, held});
  ASSERT_EQ(t.size(), 3U);
  const SwitchEntry* outer = nullptr;
  const SwitchEntry* inner = nullptr;
  const SwitchEntry* other = nullptr;
  for (const SwitchEntry& e : t)
    (t.text(e.first) == "x > 0" ? outer : t.text(e.first) == "y > 0" ? inner : other) = &e;
  std::vector<std::uint8_t> locks(3, lock_false);
  EXPECT_TRUE(t.is_active(*outer, locks));
  EXPECT_FALSE(t.is_active(*inner, locks));
  EXPECT_TRUE(t.is_active(*other, locks));  // a held condition is not known from locks
  locks[outer->first] = lock_true;
  EXPECT_TRUE(t.is_active(*inner, locks));
}

TEST(SwitchConditions, AreThoseTheRelationTakesPartIn) {
  SwitchModel m;
  const Cond p = m.x > 0;
  const Cond q = m.y > 0;
  const Cond both = p && q;
  const SwitchTable t = m.table({where(both, m.x, m.y), where(q, m.z, 1.0)});
  ASSERT_EQ(t.size(), 2U);
  EXPECT_EQ(t[0].conditions, std::vector<ConditionId>{condition_of(both.literal())});
  std::vector<ConditionId> of_q = t[1].conditions;
  std::sort(of_q.begin(), of_q.end());
  EXPECT_EQ(of_q,
            (std::vector<ConditionId>{condition_of(q.literal()), condition_of(both.literal())}));
}

TEST(SwitchFunctions, AreTheDifferencesInOrder) {
  SwitchModel m;
  const Expr first = where(m.x > m.y, 1.0, 2.0);
  const SwitchTable t = m.table({first, where(m.z <= 2.0, m.x, m.y)});
  EXPECT_EQ(m.functions(t, {0, 0}, {.x = {5, 3, 9}}), (std::vector<double>{2, 7}));
}

TEST(SwitchFunctions, AreNeverEvaluatedWhereInactive) {
  SwitchModel m;
  const Cond outer = m.x > 0;
  const Expr f = where(outer, where(sqrt(m.x) > m.y, m.y, m.z), m.z);
  const SwitchTable t = m.table({f});
  ASSERT_EQ(t.size(), 2U);
  const auto off = m.functions(t, {0, 0}, {.x = {-4, 3, 0}});
  EXPECT_EQ(off, (std::vector<double>{-4, 0}));
  const auto on = m.functions(t, {1, 0}, {.x = {4, 3, 0}});
  EXPECT_EQ(on, (std::vector<double>{4, -1}));
  // The twin: where the branch is taken the domain error shows.
  EXPECT_TRUE(std::isnan(m.functions(t, {1, 0}, {.x = {-4, 3, 0}})[1]));
}

TEST(SwitchFunctions, ThatComeBackToZeroAfterTheirBranchIsLeft) {
  SwitchModel m;
  const Cond outer = m.x > 0;
  const Expr f = where(outer, where(sqrt(m.x) > m.y, m.y, m.z), m.z);
  const SwitchTable t = m.table({f});
  Evaluator<double> e(compile(m.g, t.functions(), test::every_input(m.g)));
  test::load_point(e, {.x = {4, 3, 0}});
  e.set_lock(0, lock_true);
  e.run();
  EXPECT_EQ(e.outputs()[1], -1.0);
  e.set_lock(0, lock_false);
  e.run();
  EXPECT_EQ(e.outputs()[1], 0.0);
}

TEST(SwitchFunctions, OfOneSurfaceInsideAndOutsideABranchKeepTheirOwnContexts) {
  SwitchModel m;
  const Expr everywhere = where(m.x > 0, m.y, m.z);
  const Cond outer = m.z > 0;
  const Expr f = everywhere + where(outer, where(m.x >= 0, m.y, 3.0), 1.0);
  const SwitchTable t = m.table({f});
  ASSERT_EQ(t.size(), 3U);
  const SwitchEntry& inner = t[2];
  ASSERT_EQ(inner.test, saltus::Test::non_negative);
  ASSERT_EQ(inner.context.size(), 1U);
  EXPECT_EQ(m.functions(t, {0, 1, 0}, {.x = {5, 0, 7}}), (std::vector<double>{5, 7, 5}));
  EXPECT_EQ(m.functions(t, {0, 0, 0}, {.x = {5, 0, 7}}), (std::vector<double>{5, 7, 0}));
}

TEST(SwitchFunctions, AreSkippedInLongElseIfChainsToo) {
  // Alternative k tests sqrt(y) > k; in the first alternative y may be negative.
  SwitchModel m;
  const int n = 14;
  Expr f = 0.0 * m.x;
  for (int k = n; k-- > 0;) {
    const Expr inside = where(sqrt(m.y - k) > 1.0, m.y, m.z);
    f = where(m.x > static_cast<double>(k), inside, f + 0.5);
  }
  const SwitchTable t = m.table({f});
  ASSERT_EQ(t.size(), static_cast<std::size_t>(2 * n));
  // With y = k the roots of all later alternatives are undefined.
  for (int taken = 0; taken < n; ++taken) {
    std::vector<std::uint8_t> locks(m.g.n_switches(), lock_false);
    for (const SwitchEntry& e : t)
      if (t.text(e.first) == "x > " + std::to_string(taken)) locks[e.first] = lock_true;
    const auto g = m.functions(t, locks, {.x = {0.0, static_cast<double>(taken), 0.0}});
    for (std::size_t i = 0; i < g.size(); ++i)
      EXPECT_FALSE(std::isnan(g[i])) << t.text(t[i].first) << " while " << taken << " is taken";
  }
}

TEST(SwitchFunctions, OfAnArrayInsideAScalarBranchStayZeroOutsideIt) {
  SwitchModel m;
  const Expr u = states(m.g, "u", 3);
  const Expr f = where(m.x > 0, sum(where(sqrt(u) > 1.0, u, 0.0)), m.z);
  const SwitchTable t = m.table({f});
  ASSERT_EQ(t.size(), 2U);
  const SwitchEntry& array = t[0].count == 3 ? t[0] : t[1];
  ASSERT_EQ(array.count, 3U);
  EXPECT_EQ(array.context.size(), 1U);
  const auto g =
      m.functions(t, std::vector<std::uint8_t>(4, lock_false), {.x = {-1, 0, 0, -4, -4, -4}});
  for (double value : g) EXPECT_FALSE(std::isnan(value));
}

TEST(SwitchFunctions, HaveTheGradientOfTheirExpressions) {
  SwitchModel m;
  const SwitchTable t = m.table({where(m.x * m.y > 2.0, m.z, 1.0)});
  const NodeId g = t[0].g;
  const std::vector<InputRange> columns{{InputKind::state, 0, 3, 0}};
  const Jacobian j = jacobian(m.g, std::span(&g, 1), columns);
  EXPECT_EQ(j.pattern.nnz(), 2);  // z decides nothing
  Evaluator<double> e(compile(m.g, j.entries, test::every_input(m.g)));
  test::load_point(e, {.x = {3, 5, 7}});
  e.run();
  EXPECT_EQ(e.outputs()[0], 5.0);
  EXPECT_EQ(e.outputs()[1], 3.0);
}

TEST(ArraySwitches, AreOneEntryWithATextPerLane) {
  Graph g;
  const Expr x = state(g, "x");
  const Expr u = states(g, "u", 4);
  const Expr f = where(u > 0.5, u, x);
  const Expr h = abs(x);
  const std::vector<NodeId> ids{f.id(), h.id()};
  const SwitchTable t(g, ids);
  ASSERT_EQ(t.size(), 2U);
  EXPECT_EQ(t[0].count, 4U);
  EXPECT_EQ(t.text(3), "u[3] > 0.5");
  EXPECT_EQ(t.text(4), "x > 0");
  EXPECT_EQ(t.find(3), &t[0]);
  EXPECT_EQ(t.functions()[1].first, 4U);
}

TEST(ArraySwitches, AreFoundEvenIfOneLaneIsUsedOnItsOwn) {
  Graph g;
  const Expr u = states(g, "u", 4);
  const Expr f = where(u > 0.5, u, 0.0);
  const Expr one = f[1];
  const std::vector<NodeId> ids{f.id(), one.id()};
  const SwitchTable t(g, ids);
  for (SwitchId s = 0; s < 4; ++s) {
    ASSERT_NE(t.find(s), nullptr) << s;
    EXPECT_EQ(t.text(s), "u[" + std::to_string(s) + "] > 0.5");
  }
}

}  // namespace
}  // namespace saltus
