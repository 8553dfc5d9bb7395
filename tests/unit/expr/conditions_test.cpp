// Relations: which share a switch, what they say on the surface, how they combine.
#include <gtest/gtest.h>

#include "support/small_programs.hpp"

namespace saltus {
namespace {

using test::mentions;
using test::refusal;
using test::value_of;

struct ConditionModel {
  Graph g;
  Expr x = state(g, "x");
  Expr y = state(g, "y");
  Expr z = state(g, "z");
  Expr d = discrete(g, "d");
  Expr e = discrete(g, "e");
  double truth(const Cond& c, const test::SmallPoint& at) const {
    return value_of(g, where(c, 1.0, 0.0), at);
  }
};

TEST(SharedSwitches, AComparisonAndItsOppositeAreOne) {
  ConditionModel m;
  const Cond above = m.x > m.y;
  EXPECT_EQ((m.x <= m.y).literal(), negate(above.literal()));
  EXPECT_EQ(m.g.n_switches(), 1U);
  const Cond not_below = m.x >= m.y;
  EXPECT_EQ((m.x < m.y).literal(), negate(not_below.literal()));
  EXPECT_EQ(m.g.n_switches(), 2U);  // > and >= differ on the surface
}

TEST(SharedSwitches, AComparisonReadFromTheOtherSideIsOne) {
  for (int order = 0; order < 2; ++order) {
    ConditionModel m;
    const Cond first = order == 0 ? m.x > m.y : m.y < m.x;
    const Cond second = order == 0 ? m.y < m.x : m.x > m.y;
    EXPECT_EQ(first.literal(), second.literal());
    EXPECT_EQ((m.y >= m.x).literal(), negate(first.literal()));
    EXPECT_EQ(m.g.n_switches(), 1U);
    static_cast<void>(m.y > m.x);
    EXPECT_EQ(m.g.n_switches(), 2U);
  }
}

TEST(SharedSwitches, WithZeroWithNumbersAndWithSums) {
  ConditionModel m;
  EXPECT_EQ((m.x > 0).literal(), (0 < m.x).literal());
  EXPECT_EQ((m.x > 1).literal(), (1 < m.x).literal());
  EXPECT_EQ((m.x + m.y > 0).literal(), (0 < m.x + m.y).literal());
  EXPECT_EQ((sin(m.x) >= 0).literal(), (0 <= sin(m.x)).literal());
  EXPECT_EQ(m.g.n_switches(), 4U);
}

TEST(SharedSwitches, AMultipleReadFromTheOtherSideIsOne) {
  ConditionModel m;
  EXPECT_EQ((2.0 * m.x > 0).literal(), (0 < 2.0 * m.x).literal());
  EXPECT_EQ(m.g.n_switches(), 1U);
}

TEST(SharedSwitches, ANegativeSideReadFromTheOtherSideIsOne) {
  ConditionModel m;
  EXPECT_EQ((m.x > -m.y).literal(), (-m.y < m.x).literal());
  EXPECT_EQ(m.g.n_switches(), 1U);
}

TEST(OnTheSurface, EachComparisonSaysWhatItWouldOfNumbers) {
  for (double side : {-1.0, 0.0, 1.0}) {
    ConditionModel m;
    const test::SmallPoint at{.x = {3.0 + side, 3.0, 0.0}, .held = {0, 0}};
    EXPECT_EQ(m.truth(m.x > m.y, at), side > 0);
    EXPECT_EQ(m.truth(m.x >= m.y, at), side >= 0);
    EXPECT_EQ(m.truth(m.x < m.y, at), side < 0);
    EXPECT_EQ(m.truth(m.x <= m.y, at), side <= 0);
    EXPECT_EQ(m.truth(m.y < m.x, at), side > 0);
    EXPECT_EQ(m.truth(m.y <= m.x, at), side >= 0);
    EXPECT_EQ(m.truth(m.y > m.x, at), side < 0);
    EXPECT_EQ(m.truth(m.y >= m.x, at), side <= 0);
  }
}

TEST(OnTheSurface, SharingAfterEitherOrderChangesNoTruth) {
  for (double side : {-1.0, 0.0, 1.0}) {
    ConditionModel m;
    const test::SmallPoint at{.x = {3.0 + side, 3.0, 0.0}, .held = {0, 0}};
    EXPECT_EQ(m.truth(m.y >= m.x, at), side <= 0);
    EXPECT_EQ(m.truth(m.y < m.x, at), side > 0);
    EXPECT_EQ(m.truth(m.x <= m.y, at), side <= 0);
    EXPECT_EQ(m.truth(m.x > m.y, at), side > 0);
  }
}

TEST(OnTheSurface, AbsMinMaxSign) {
  ConditionModel m;
  const test::SmallPoint zero{.x = {0, 0, 0}, .held = {0, 0}};
  EXPECT_EQ(value_of(m.g, abs(m.x), zero), 0.0);
  EXPECT_EQ(value_of(m.g, sign(m.x), zero), -1.0);  // the surface belongs to x <= 0
  EXPECT_EQ(value_of(m.g, sign(m.d), zero), -1.0);
  EXPECT_EQ(value_of(m.g, sign(m.x, Tracking::untracked), zero), -1.0);
  EXPECT_EQ(sign(Expr(0.0)).number(), -1.0);
  EXPECT_EQ(value_of(m.g, max(m.x, m.y), zero), 0.0);
  EXPECT_EQ(value_of(m.g, sign(-m.x), zero), -1.0);
}

TEST(TruthTables, TwoValued) {
  ConditionModel m;
  const Cond p = m.x > 0;
  const Cond q = m.y > 0;
  for (bool a : {false, true})
    for (bool b : {false, true}) {
      const test::SmallPoint at{.x = {a ? 1.0 : -1.0, b ? 1.0 : -1.0, 0}, .held = {0, 0}};
      EXPECT_EQ(m.truth(p && q, at), a && b);
      EXPECT_EQ(m.truth(p || q, at), a || b);
      EXPECT_EQ(m.truth(!p, at), !a);
      EXPECT_EQ(m.truth(!(p && q) || (p && q), at), 1.0);
      EXPECT_EQ(m.truth((p || q) && !(p && q), at), a != b);
    }
  EXPECT_EQ(m.g.n_switches(), 2U);
}

TEST(TruthTables, TrivialOnesAreSimplified) {
  ConditionModel m;
  const Cond p = m.x > 0;
  EXPECT_EQ((p && p).literal(), p.literal());
  EXPECT_EQ((p && !p).literal(), literal_false);
  EXPECT_EQ((p || !p).literal(), literal_true);
  EXPECT_EQ((p && Cond::always(m.g)).literal(), p.literal());
  EXPECT_EQ((p && Cond::never(m.g)).literal(), literal_false);
  EXPECT_EQ((p && m.y > 0).literal(), (m.y > 0 && p).literal());
  EXPECT_EQ((!!p).literal(), p.literal());
}

/// Kleene's tables; the third value is "either".
TEST(TruthTables, ThreeValuedOverBoxes) {
  ConditionModel m;
  const Cond p = m.x > 0;
  const Cond q = m.y > 0;
  const std::vector<Expr> wanted{where(p && q, 1.0, 0.0), where(p || q, 1.0, 0.0),
                                 where(!p, 1.0, 0.0)};
  const auto ids = test::nodes_of(wanted);
  Evaluator<Interval> e(compile(m.g, outputs_in_order(m.g, ids), test::every_input(m.g),
                                {.locking = Locking::unlocked}));
  const Interval box[3] = {{-2.0, -1.0}, {-1.0, 1.0}, {1.0, 2.0}};  // false, either, true
  const Interval truth[3] = {{0.0, 0.0}, {0.0, 1.0}, {1.0, 1.0}};
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      e.input(2)[0] = box[a];
      e.input(2)[1] = box[b];
      e.run();
      const Interval expected[3] = {truth[std::min(a, b)], truth[std::max(a, b)], truth[2 - a]};
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(e.outputs()[k].lo(), expected[k].lo()) << a << b << " output " << k;
        EXPECT_EQ(e.outputs()[k].hi(), expected[k].hi()) << a << b << " output " << k;
      }
      const std::uint8_t locks[3] = {lock_false, lock_undecided, lock_true};
      EXPECT_EQ(e.locks()[0], locks[a]);
      EXPECT_EQ(e.locks()[1], locks[b]);
    }
}

TEST(TruthTables, ABoxThatTouchesTheSurfaceIsDecidedWhereTheComparisonAllows) {
  ConditionModel m;
  const std::vector<Expr> wanted{where(m.x > 0, 1.0, 0.0), where(m.x >= 0, 1.0, 0.0)};
  const auto ids = test::nodes_of(wanted);
  Evaluator<Interval> e(compile(m.g, outputs_in_order(m.g, ids), test::every_input(m.g),
                                {.locking = Locking::unlocked}));
  e.input(2)[0] = Interval(0.0, 1.0);
  e.run();
  EXPECT_EQ(e.locks()[0], lock_undecided);  // > fails at the end of the box
  EXPECT_EQ(e.locks()[1], lock_true);
  e.input(2)[0] = Interval(-1.0, 0.0);
  e.run();
  EXPECT_EQ(e.locks()[0], lock_false);
  EXPECT_EQ(e.locks()[1], lock_undecided);
}

TEST(HeldRelations, HaveNoSwitchAndFollowTheirValue) {
  ConditionModel m;
  const Expr f = where(m.d > m.e, m.x, m.y) + where(m.d == 2.0, 10.0, 0.0) + max(m.d, m.e);
  EXPECT_EQ(m.g.n_switches(), 0U);
  auto e = test::evaluator_of(m.g, {f}, Locking::locked);
  test::load_point(e, {.x = {3, 5, 0}, .held = {2, 1}});
  e.run();
  EXPECT_EQ(e.outputs()[0], 3.0 + 10.0 + 2.0);
  e.input(1)[0] = 1.0;
  e.run();
  EXPECT_EQ(e.outputs()[0], 5.0 + 0.0 + 1.0);
}

TEST(HeldRelations, MixedConditionsKeepTheSwitchOfTheContinuousPart) {
  ConditionModel m;
  const Expr f = where(m.d != 2.0 && m.x > 0, 1.0, 0.0);
  EXPECT_EQ(m.g.n_switches(), 1U);
  auto e = test::evaluator_of(m.g, {f}, Locking::locked);
  test::load_point(e, {.x = {-1, 0, 0}, .held = {1, 0}});
  e.set_lock(0, lock_true);  // the lock counts, not x; the value of d counts at once
  e.run();
  EXPECT_EQ(e.outputs()[0], 1.0);
  e.input(1)[0] = 2.0;
  e.run();
  EXPECT_EQ(e.outputs()[0], 0.0);
}

TEST(UntrackedRelations, HaveNoSwitchAndFollowTheValueEvenInLockedPrograms) {
  ConditionModel m;
  const Expr f = where(untracked(m.x, Comparison::greater, 0.0), 1.0, 0.0) +
                 10.0 * where(untracked(m.x, Comparison::less_equal, 0.0), 1.0, 0.0) +
                 abs(m.y, Tracking::untracked);
  EXPECT_EQ(m.g.n_switches(), 0U);
  auto e = test::evaluator_of(m.g, {f}, Locking::locked);
  for (double x : {-1.0, 0.0, 1.0}) {
    test::load_point(e, {.x = {x, -4.0, 0}});
    e.run();
    EXPECT_EQ(e.outputs()[0], (x > 0 ? 1.0 : 10.0) + 4.0);
  }
}

TEST(UntrackedRelations, AreNotSharedWithTrackedOnes) {
  ConditionModel m;
  const Cond free = untracked(m.x, Comparison::greater, 0.0);
  EXPECT_NE(free.literal(), (m.x > 0).literal());
  EXPECT_EQ(m.g.n_switches(), 1U);
}

TEST(EqualityOfContinuousQuantities, IsRefusedWithAnAlternative) {
  ConditionModel m;
  for (const std::string& message :
       {refusal([&] { static_cast<void>(where(m.x == m.y, 1.0, 0.0)); }),
        refusal([&] { static_cast<void>(where(m.x == 1.0, 1.0, 0.0)); }),
        refusal([&] { static_cast<void>(m.x != m.y); }),
        refusal([&] { static_cast<void>(where(m.d == m.x, 1.0, 0.0)); })}) {
    EXPECT_TRUE(mentions(message, "equality")) << message;
    EXPECT_TRUE(mentions(message, "< or >")) << message;
  }
  EXPECT_NO_THROW(static_cast<void>(where(m.d == m.e, 1.0, 0.0)));
}

TEST(EqualityOfContinuousQuantities, TellsWhichQuantitiesWereCompared) {
  ConditionModel m;
  const std::string message = refusal([&] { static_cast<void>(where(m.x == m.y, 1.0, 0.0)); });
  EXPECT_TRUE(mentions(message, "x == y")) << message;
}

TEST(SwitchCarriers, ShareTheSwitchOfTheEqualRelation) {
  ConditionModel m;
  static_cast<void>(m.x > 0);
  static_cast<void>(m.x > m.y);
  ASSERT_EQ(m.g.n_switches(), 2U);
  const Expr all = abs(m.x) + sign(m.x) + min(m.x, m.y) + max(m.x, m.y) + abs(-m.x);
  EXPECT_EQ(m.g.n_switches(), 2U);
  EXPECT_EQ(value_of(m.g, all, {.x = {-3, 2, 0}}), 3.0 - 1.0 - 3.0 + 2.0 + 3.0);
  static_cast<void>(abs(m.y));
  EXPECT_EQ(m.g.n_switches(), 3U);
}

TEST(SwitchCarriers, ShareAMirroredRelation) {
  for (double x : {-2.0, 0.0, 3.0}) {
    ConditionModel m;
    static_cast<void>(-m.x >= 0);   // the negation of x > 0
    static_cast<void>(m.y >= m.x);  // the negation of x > y
    ASSERT_EQ(m.g.n_switches(), 2U);
    const Expr magnitude = abs(m.x);
    const Expr direction = sign(m.x);
    const Expr larger = max(m.x, m.y);
    const Expr smaller = min(m.x, m.y);
    EXPECT_EQ(m.g.n_switches(), 2U);
    const test::SmallPoint at{.x = {x, 1.0, 0}};
    EXPECT_EQ(value_of(m.g, magnitude, at), std::abs(x));
    EXPECT_EQ(value_of(m.g, direction, at), x > 0 ? 1.0 : -1.0);
    EXPECT_EQ(value_of(m.g, larger, at), std::max(x, 1.0));
    EXPECT_EQ(value_of(m.g, smaller, at), std::min(x, 1.0));
  }
}

TEST(SwitchCarriers, FollowTheirLockNotTheValue) {
  ConditionModel m;
  auto e = test::evaluator_of(m.g, {abs(m.x), sign(m.x), max(m.x, Expr(0.0)), min(m.x, Expr(0.0))},
                              Locking::locked);
  ASSERT_EQ(m.g.n_switches(), 1U);
  test::load_point(e, {.x = {-3, 0, 0}});
  e.set_lock(0, lock_true);
  e.run();
  EXPECT_EQ(e.outputs()[0], -3.0);  // the smooth branch is continued beyond its surface
  EXPECT_EQ(e.outputs()[1], 1.0);
  EXPECT_EQ(e.outputs()[2], -3.0);
  EXPECT_EQ(e.outputs()[3], 0.0);
  e.set_lock(0, lock_false);
  e.run();
  EXPECT_EQ(e.outputs()[0], 3.0);
  EXPECT_EQ(e.outputs()[1], -1.0);
  EXPECT_EQ(e.outputs()[2], 0.0);
  EXPECT_EQ(e.outputs()[3], -3.0);
}

/// Parity of n relations: a small graph in which every condition is used twice.
struct ParityModel {
  static constexpr std::uint32_t n = 64;
  Graph g;
  Expr x = states(g, "x", n);
  Cond odd = x[0] > 0;
  Expr f;
  ParityModel() {
    for (std::uint32_t i = 1; i < n; ++i) {
      const Cond p = x[i] > 0;
      odd = (odd && !p) || (!odd && p);
    }
    f = where(odd, x[1], 0.0);
  }
};

TEST(SharedConditions, AreEvaluatedOnceNotOncePerPath) {
  ParityModel m;
  test::SmallPoint at{.x = std::vector<double>(ParityModel::n, 1.0)};
  EXPECT_EQ(value_of(m.g, m.f, at), 0.0);
  at.x[17] = -1.0;
  EXPECT_EQ(value_of(m.g, m.f, at), 1.0);
}

TEST(SharedConditions, AreEnteredInTheTableOncePerRelation) {
  ParityModel m;
  const NodeId id = m.f.id();
  EXPECT_EQ(SwitchTable(m.g, std::span(&id, 1)).size(), ParityModel::n);
}

TEST(SharedConditions, AreDecidedFromLocksOnceNotOncePerPath) {
  ParityModel m;
  const NodeId id = m.f.id();
  std::vector<std::uint8_t> locks(ParityModel::n, lock_true);
  EXPECT_EQ(incidence(m.g, std::span(&id, 1), locks).row(0).size(), 0U);
  locks[0] = lock_false;
  EXPECT_EQ(incidence(m.g, std::span(&id, 1), locks).row(0).size(), 1U);
}

TEST(SharedConditions, HaveATextThatIsCut) {
  ParityModel m;
  EXPECT_LE(condition_text(m.g, m.odd.literal()).size(), 203U);
}

}  // namespace
}  // namespace saltus
