// What is decided, when, and what is said where nothing can be decided.
#include <gtest/gtest.h>

#include "support/evaluation.hpp"

namespace saltus {
namespace {

const std::vector<InputSegment> one_state{{{InputKind::state, 0, 1, 0}}};

Evaluator<double> evaluator_of_one(Graph& g, const Expr& f, Locking locking) {
  return Evaluator<double>(
      compile(g, outputs_in_order(g, std::vector{f.id()}), one_state, {.locking = locking}));
}

// A context decided by a sum is known one stage later than a scalar: the output has to wait for it.
TEST(Stages, AContextDecidedByASumIsThatOfThisRun) {
  for (const bool tracked : {true, false}) {
    Graph g;
    const Expr u = states(g, "u", 4);
    const Expr x = state(g, "x");
    const Cond outer = tracked ? sum(u) > 1.0 : untracked(sum(u), Comparison::greater, 1.0);
    const NodeId f = where(outer, where(x > 0.0, x, 2.0 * x), 3.0).id();
    const SwitchTable table(g, std::span(&f, 1));
    Evaluator<double> e(compile(g, table.functions(),
                                std::vector<InputSegment>{{{InputKind::state, 0, 5, 0}}},
                                {.locking = Locking::unlocked}));
    const std::size_t inner = table.size() - 1;
    e.input(0)[4] = 7.0;
    for (const double value : {1.0, 1.0, 0.0, 0.0, 1.0}) {
      std::fill_n(e.input(0).begin(), 4, value);
      e.run();
      EXPECT_EQ(e.outputs()[inner], value > 0 ? 7.0 : 0.0);
      if (tracked) {
        EXPECT_EQ(e.outputs()[0], 4 * value - 1);
      }
    }
  }
}

TEST(HeldInputs, ASpanKeptByTheCallerCountsAsWritten) {
  Graph g;
  const Expr x = state(g, "x"), p = parameter(g, "p");
  Evaluator<double> e(compile(
      g, outputs_in_order(g, std::vector{(p * p * x).id()}),
      std::vector<InputSegment>{{{InputKind::state, 0, 1, 0}}, {{InputKind::parameter, 0, 1, 0}}}));
  const auto xs = e.input(0);
  const auto ps = e.input(1);
  xs[0] = 1;
  ps[0] = 2;
  EXPECT_EQ(test::values(e)[0], 4);
  xs[0] = 2;
  ps[0] = 3;
  EXPECT_EQ(test::values(e)[0], 18);
}

TEST(HeldInputs, ASeriesOfAParameterIsRefused) {
  Graph g;
  const Expr x = state(g, "x"), p = parameter(g, "p");
  TaylorEvaluator<double> e(compile(g, outputs_in_order(g, std::vector{(p * x).id()}),
                                    std::vector<InputSegment>{{{InputKind::state, 0, 1, 0}},
                                                              {{InputKind::parameter, 0, 1, 0}}}),
                            1);
  e.input(1, 0)[0] = 2;
  EXPECT_NO_THROW(e.run());
  e.input(1, 0)[1] = 1;
  EXPECT_THROW(e.run(), ModelError);
}

TEST(NotANumber, IsNotSwallowedByMinMaxOrSign) {
  Graph g;
  const Expr x = state(g, "x");
  const auto untracked_kind = Tracking::untracked;
  for (const Expr& f : {max(log(x), 0.5, untracked_kind), min(log(x), 0.5, untracked_kind),
                        sign(log(x), untracked_kind), abs(log(x), untracked_kind)}) {
    for (const Tier tier : {Tier::scalar, Tier::rolled}) {
      Evaluator<double> e(compile(g, outputs_in_order(g, std::vector{f.id()}), one_state,
                                  {Locking::locked, tier, 1}));
      e.input(0)[0] = -1;
      EXPECT_TRUE(std::isnan(test::values(e)[0])) << to_text(g, f.id());
      e.input(0)[0] = 2;
      EXPECT_FALSE(std::isnan(test::values(e)[0]));
    }
  }
}

TEST(NotANumber, ARelationDecidedByItIsReported) {
  Graph g;
  const Expr x = state(g, "x");
  for (const Tier tier : {Tier::scalar, Tier::rolled}) {
    const NodeId f = where(log(x) + 1.0 > 0.0, x, 2.0 * x).id();
    Evaluator<double> e(
        compile(g, outputs_in_order(g, std::vector{f}), one_state, {Locking::unlocked, tier, 1}));
    e.input(0)[0] = -1;
    e.run();
    EXPECT_FALSE(e.all_decided());
    e.input(0)[0] = 1;
    e.run();
    EXPECT_TRUE(e.all_decided());
  }
}

TEST(OpenBranches, AJumpClaimsNothingOfHigherCoefficients) {
  Graph g;
  const Expr x = state(g, "x");
  for (const Expr& f : {sign(x), sign(x, Tracking::untracked), where(x > 0.0, Expr(1.0), -1.0)}) {
    TaylorEvaluator<Interval> e(compile(g, outputs_in_order(g, std::vector{f.id()}), one_state,
                                        {.locking = Locking::unlocked}),
                                2);
    e.input(0, 0)[0] = Interval(-1, 1);
    e.input(0, 0)[1] = Interval(1);
    e.run();
    EXPECT_EQ(e.output(0)[0], Interval(-1, 1));
    EXPECT_TRUE(e.output(0)[1].is_entire()) << to_text(g, f.id());
    EXPECT_FALSE(e.all_decided());
    e.input(0, 0)[0] = Interval(0.5, 1);
    e.run();
    EXPECT_EQ(e.output(0)[1], Interval(0.0));
    EXPECT_TRUE(e.all_decided());
  }
}

TEST(OpenBranches, ABoxThatTouchesAKinkIsOpen) {
  Graph g;
  const Expr x = state(g, "x");
  for (const Tracking kind : {Tracking::automatic, Tracking::untracked}) {
    TaylorEvaluator<Interval> e(compile(g, outputs_in_order(g, std::vector{abs(x, kind).id()}),
                                        one_state, {.locking = Locking::unlocked}),
                                1);
    e.input(0, 0)[0] = Interval(0, 1);
    e.input(0, 0)[1] = Interval(-1);
    e.run();
    EXPECT_EQ(e.output(0)[0], Interval(0, 1));
    EXPECT_TRUE(e.output(0)[1].contains(1.0));  // the slope just right of 0 when x falls
    EXPECT_TRUE(e.output(0)[1].contains(-1.0));
  }
}

// Locked, an undecided lock stands for either: the value under each must be enclosed.
TEST(OpenBranches, AnUndecidedLockEnclosesBothLocks) {
  Graph g;
  const Expr x = state(g, "x"), y = state(g, "y");
  const std::vector<InputSegment> two{{{InputKind::state, 0, 2, 0}}};
  for (const Expr& f : {abs(x), max(x, y), min(x, y)}) {
    const auto program = compile(g, outputs_in_order(g, std::vector{f.id()}), two);
    Evaluator<Interval> box(program);
    box.input(0)[0] = Interval(2);
    box.input(0)[1] = Interval(1);
    for (SwitchId s = 0; s < g.n_switches(); ++s) box.set_lock(s, lock_undecided);
    box.run();
    Evaluator<double> e(program);
    e.input(0)[0] = 2;
    e.input(0)[1] = 1;
    for (const std::uint8_t lock : {lock_true, lock_false}) {
      for (SwitchId s = 0; s < g.n_switches(); ++s) e.set_lock(s, lock);
      EXPECT_TRUE(box.outputs()[0].contains(test::values(e)[0])) << to_text(g, f.id());
    }
  }
}

// On the surface itself every form follows the same side, g <= 0.
TEST(OnTheSurface, SeriesAndDerivativesOfTrackedAndUntrackedFormsAgree) {
  for (const Tracking kind : {Tracking::automatic, Tracking::untracked}) {
    Graph g;
    const Expr x = state(g, "x");
    const NodeId f = abs(x, kind).id();
    TaylorEvaluator<double> series(
        compile(g, outputs_in_order(g, std::vector{f}), one_state, {.locking = Locking::unlocked}),
        1);
    series.input(0, 0)[1] = 1;
    series.run();
    EXPECT_EQ(series.output(0)[1], -1);
    const InputRange columns{InputKind::state, 0, 1, 0};
    const Jacobian j = jacobian(g, std::span(&f, 1), std::span(&columns, 1));
    Evaluator<double> slope(compile(g, j.entries, one_state, {.locking = Locking::unlocked}));
    EXPECT_EQ(test::values(slope)[0], -1);
  }
}

TEST(Powers, TheDerivativeByTheExponentVanishesAtAZeroBase) {
  Graph g;
  const Expr x = state(g, "x"), p = state(g, "p");
  const NodeId f = pow(x, p).id();
  const InputRange columns{InputKind::state, 0, 2, 0};
  const Jacobian j = jacobian(g, std::span(&f, 1), std::span(&columns, 1));
  Evaluator<double> e(compile(g, j.entries, std::vector<InputSegment>{{columns}}));
  e.input(0)[1] = 1.5;
  EXPECT_EQ(test::values(e), (std::vector<double>{0, 0}));
  e.input(0)[0] = -1;  // no real derivative: said, not invented
  EXPECT_TRUE(std::isnan(test::values(e)[1]));
}

TEST(BatchLocks, OneLockSetsAllInstancesAMaskEachItsOwn) {
  Graph g;
  const Expr x = state(g, "x");
  Evaluator<Batch> e(compile(g, outputs_in_order(g, std::vector{sign(x).id()}), one_state));
  e.set_lock(0, lock_true);
  e.run();
  for (int i = 0; i < Batch::lanes; ++i) EXPECT_EQ(e.outputs()[0][i], 1.0);
  e.set_lock_mask(0, 0x05);
  e.run();
  for (int i = 0; i < Batch::lanes; ++i)
    EXPECT_EQ(e.outputs()[0][i], i == 0 || i == 2 ? 1.0 : -1.0);
}

TEST(LockedPrograms, OfOneStateIgnoreTheValueOfTheSwitchingFunction) {
  Graph g;
  const Expr x = state(g, "x");
  Evaluator<double> e = evaluator_of_one(g, sign(x), Locking::locked);
  e.input(0)[0] = -5;
  e.set_lock(0, lock_true);
  EXPECT_EQ(test::values(e)[0], 1.0);
  Evaluator<double> free = evaluator_of_one(g, sign(x), Locking::unlocked);
  free.input(0)[0] = -5;
  EXPECT_EQ(test::values(free)[0], -1.0);
}

}  // namespace
}  // namespace saltus
