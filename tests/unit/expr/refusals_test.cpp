// Mistakes a caller can make are refused by name, with the numbers that do not fit.
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "support/evaluation.hpp"

namespace saltus {
namespace {

std::string message_of(const std::function<void()>& mistake) {
  try {
    mistake();
  } catch (const ModelError& e) {
    return e.what();
  }
  return "accepted";
}

void expect_said(const std::function<void()>& mistake, const std::string& words) {
  const std::string message = message_of(mistake);
  EXPECT_NE(message.find(words), std::string::npos) << message;
}

const std::vector<InputSegment> two_states{{{InputKind::state, 0, 2, 0}}};

struct Ball {
  Graph g;
  Expr h = state(g, "h");
  Expr v = state(g, "v");
  NodeId force = where(h < 0.0, -100.0 * h, v).id();
  std::shared_ptr<const Program> locked =
      compile(g, outputs_in_order(g, std::vector{force}), two_states);
};

// A lock is the truth of the relation as its text says, whichever way it was written.
TEST(Locks, AreTheTruthOfTheTextAsWritten) {
  Ball m;
  const SwitchTable table(m.g, std::span(&m.force, 1));
  EXPECT_EQ(table.text(0), "h < 0");
  Evaluator<double> e(m.locked);
  e.input(0)[0] = -2;
  e.input(0)[1] = 7;
  e.set_lock(0, lock_true);
  EXPECT_EQ(test::values(e)[0], 200);
  e.set_lock(0, lock_false);
  EXPECT_EQ(test::values(e)[0], 7);
  Evaluator<double> free(compile(m.g, outputs_in_order(m.g, std::vector{m.force}), two_states,
                                 {.locking = Locking::unlocked}));
  free.input(0)[0] = -2;
  free.run();
  EXPECT_EQ(free.locks()[0], lock_true);
}

// abs implies v - belt > 0; the comparison the user writes says the same in his own words.
TEST(Locks, HaveTheTextOfTheUserEvenIfAnAbsCameFirst) {
  Graph g;
  const Expr v = state(g, "v"), belt = parameter(g, "belt");
  const Expr magnitude = abs(v - belt);
  const NodeId f = (magnitude * where(v > belt, 1.0, 2.0)).id();
  EXPECT_EQ(SwitchTable(g, std::span(&f, 1)).text(0), "v > belt");
  const NodeId alone = abs(v - 3.0).id();
  EXPECT_EQ(SwitchTable(g, std::span(&alone, 1)).text(1), "v - 3 > 0");
}

TEST(Locks, MustBeSetBeforeALockedProgramRuns) {
  Ball m;
  Evaluator<double> e(m.locked);
  expect_said([&] { e.run(); }, "whose lock was never set");
  e.set_lock(0, lock_true);
  EXPECT_NO_THROW(e.run());
  // A program that reads no lock needs none, even if its graph has switches.
  Evaluator<double> smooth(compile(m.g, outputs_in_order(m.g, nodes_of(m.g, {m.v})), two_states));
  EXPECT_NO_THROW(smooth.run());
}

TEST(Refusals, OfEvaluatorsNameBothNumbers) {
  Ball m;
  Evaluator<double> e(m.locked);
  expect_said([&] { e.set_lock(5, lock_true); }, "1 switches has no switch 5");
  expect_said([&] { e.set_locks(std::vector<std::uint8_t>(3)); }, "was given 3 locks");
  expect_said([&] { static_cast<void>(e.input(9)); }, "has no argument 9");
  const std::vector<double> three(3);
  expect_said([&] { e.bind(0, three); }, "has 2 values, 3 were bound");
  expect_said([] { Evaluator<double> none_given(nullptr); }, "needs a program");
  TaylorEvaluator<double> series(m.locked, 2);
  expect_said([&] { static_cast<void>(series.input(0, 2)); }, "number 2 was asked for");
}

TEST(Refusals, OfNodesThatAreNoneOfTheGraph) {
  Ball m;
  const Expr number = 3.0;
  const std::vector<NodeId> rows{number.id()};
  const InputRange columns{InputKind::state, 0, 2, 0};
  expect_said([&] { outputs_in_order(m.g, rows); }, "does not belong to this graph");
  expect_said([&] { jacobian(m.g, rows, std::span(&columns, 1)); }, "does not belong");
  expect_said([&] { SwitchTable table(m.g, rows); }, "does not belong");
  expect_said([&] { incidence(m.g, rows); }, "does not belong");
  expect_said([&] { total_derivative(m.g, rows); }, "does not belong");
  EXPECT_EQ(m.g.constant_value(nodes_of(m.g, {number})[0]), 3.0);
  Graph other;
  const Expr x = state(other, "x");
  expect_said([&] { nodes_of(m.g, {x}); }, "two different models");
}

TEST(Refusals, OfRangesBeyondWhatIsDeclaredAndOfInputsGivenTwice) {
  Ball m;
  const auto outputs = outputs_in_order(m.g, std::vector{m.force});
  const InputRange too_many{InputKind::state, 0, 99, 0};
  expect_said([&] { compile(m.g, outputs, std::vector<InputSegment>{{too_many}}); },
              "only 2 are declared");
  expect_said([&] { jacobian(m.g, std::span(&m.force, 1), std::span(&too_many, 1)); },
              "only 2 are declared");
  expect_said(
      [&] {
        compile(m.g, outputs, std::vector<InputSegment>{two_states[0], two_states[0]});
      },
      "is in two arguments");
}

TEST(Refusals, OfNamesAndConstants) {
  Graph g;
  const Expr x = state(g, "x");
  expect_said([&] { state(g, "x"); }, "'x' is declared twice");
  expect_said([&] { parameters(g, "x", 3); }, "'x' is declared twice");
  expect_said([&] { state(g, ""); }, "has no name");
  expect_said([&] { static_cast<void>(x + pow(Expr(-2.0), Expr(0.5))); }, "not a number");
  EXPECT_NO_THROW(pre(x));  // named after its variable, and that is no second declaration
}

TEST(Refusals, OfSizesSpeakOfTheOperationThatWasWritten) {
  Graph g;
  const Expr u = states(g, "u", 3), w = states(g, "w", 4);
  expect_said([&] { max(u, w); }, "the operands of 'max' have 3 and 4 elements");
}

TEST(Thaw, AFrozenGraphCanGrowAgainAndSharesWhatItHas) {
  Graph g;
  const Expr x = state(g, "x");
  const NodeId f = (2.0 * sin(x) + concat({x, 1.0})[0]).id();
  const auto frozen = std::move(g).freeze();
  const auto grown = frozen->thaw();
  const std::size_t before = grown->size();
  EXPECT_EQ(grown->mul(grown->constant(2.0),
                       grown->elementary(Op::sin, grown->input(InputKind::state, 0))),
            frozen->node(f).op == Op::add ? frozen->node(f).b : none);
  EXPECT_EQ(grown->size(), before);
  const InputRange columns{InputKind::state, 0, 1, 0};
  EXPECT_EQ(jacobian(*grown, std::span(&f, 1), std::span(&columns, 1)).pattern.nnz(), 1);
  EXPECT_GT(grown->size(), before);
  EXPECT_EQ(frozen->size(), before);
}

}  // namespace
}  // namespace saltus
