// Programs: arguments, outputs, locks, the prologue, and depth.
#include <cmath>

#include <gtest/gtest.h>

#include "support/small_programs.hpp"

namespace saltus {
namespace {

using test::every_input;
using test::mentions;
using test::refusal;

/// Adds 1 to a counter and returns its argument.
class CountedIdentity : public ExternalFunction {
 public:
  explicit CountedIdentity(int& calls) : ExternalFunction("counted", 1, 1), calls_(calls) {}
  std::unique_ptr<Instance> instantiate() const override {
    struct Counting : Instance {
      explicit Counting(int& c) : calls(c) {}
      bool evaluate(std::span<const double> in, std::span<double> out) override {
        ++calls;
        out[0] = in[0];
        return true;
      }
      int& calls;
    };
    return std::make_unique<Counting>(calls_);
  }

 private:
  int& calls_;
};

struct ProgramModel {
  Graph g;
  Expr x = state(g, "x");
  Expr y = state(g, "y");
  Expr p = parameter(g, "p");
  int calls = 0;
  std::shared_ptr<const ExternalFunction> function = std::make_shared<CountedIdentity>(calls);
  Expr counted(const Expr& e) { return call(function, std::span(&e, 1))[0]; }
  Evaluator<double> evaluator(const std::vector<Output>& outputs,
                              const CompileOptions& options = {}) {
    return Evaluator<double>(compile(g, outputs, every_input(g), options));
  }
};

TEST(ProgramArguments, AMissingInputIsRefusedByName) {
  ProgramModel m;
  const Expr u = states(m.g, "u", 3);
  const Expr f = m.x + der(u[2]);
  const std::vector<Output> outputs{{.node = f.id()}};
  const std::vector<InputSegment> only_values{{{InputKind::state, 0, 5, 0}}};
  const std::string message = refusal([&] { compile(m.g, outputs, only_values); });
  EXPECT_TRUE(mentions(message, "'der(u[2])'")) << message;
  EXPECT_NO_THROW(compile(m.g, outputs, every_input(m.g)));
}

TEST(ProgramArguments, AnInputOfASwitchingFunctionIsMissedOnlyWhereItIsComputed) {
  ProgramModel m;
  const std::vector<Output> outputs{{.node = where(m.y > 0, m.x, 1.0).id()}};
  const std::vector<InputSegment> x_only{{{InputKind::state, 0, 1, 0}}};
  EXPECT_NO_THROW(compile(m.g, outputs, x_only));
  const std::string message =
      refusal([&] { compile(m.g, outputs, x_only, {.locking = Locking::unlocked}); });
  EXPECT_TRUE(mentions(message, "'y'")) << message;
}

TEST(ProgramArguments, BindReadsTheCallersMemory) {
  ProgramModel m;
  const std::vector<Output> outputs{{.node = (m.x * m.y + m.p).id()}};
  auto e = m.evaluator(outputs);
  std::vector<double> xy{2, 3};
  const std::vector<double> p{10};
  e.bind(2, xy);
  e.bind(1, p);
  e.run();
  EXPECT_EQ(e.outputs()[0], 16.0);
  xy[0] = 5;  // no call needed: it is the caller's own vector
  e.run();
  EXPECT_EQ(e.outputs()[0], 25.0);
  auto own = m.evaluator(outputs);
  test::load_point(own, {.x = {5, 3}, .held = {10}});
  own.run();
  EXPECT_EQ(own.outputs()[0], 25.0);
}

TEST(ProgramArguments, BoundHeldValuesAreReadAgainWhenTheyChange) {
  ProgramModel m;
  auto e = m.evaluator({{.node = (m.x + sin(m.p)).id()}});
  e.input(2)[0] = 1.0;
  std::vector<double> p{0.0};
  e.bind(1, p);
  e.run();
  EXPECT_EQ(e.outputs()[0], 1.0);
  p[0] = 0.5;
  e.run();
  EXPECT_EQ(e.outputs()[0], 1.0 + std::sin(0.5));
}

TEST(ProgramArguments, UnbindingReturnsToTheOwnStorage) {
  ProgramModel m;
  auto e = m.evaluator({{.node = (m.x + sin(m.p)).id()}});
  test::load_point(e, {.x = {1, 0}, .held = {0.5}});
  const std::vector<double> xy{7, 0};
  const std::vector<double> p{0.25};
  e.bind(2, xy);
  e.bind(1, p);
  e.run();
  EXPECT_EQ(e.outputs()[0], 7.0 + std::sin(0.25));
  e.bind(2, {});
  e.bind(1, {});
  e.run();
  EXPECT_EQ(e.outputs()[0], 1.0 + std::sin(0.5));
}

TEST(ProgramOutputs, AskedForTwiceInputsConstantsAndHeldValues) {
  ProgramModel m;
  const NodeId f = (m.x * m.y).id();
  const NodeId held = sin(m.p).id();
  const std::vector<Output> outputs{
      {.node = f, .first = 0},        {.node = f, .first = 1},
      {.node = m.x.id(), .first = 2}, {.node = m.g.constant(4.5), .first = 3},
      {.node = held, .first = 4},     {.node = held, .first = 5},
      {.node = m.p.id(), .first = 6}, {.node = m.x.id(), .first = 7}};
  for (Tier tier : {Tier::scalar, Tier::rolled}) {
    auto e = m.evaluator(outputs, {.tier = tier});
    for (double x : {2.0, 6.0}) {
      test::load_point(e, {.x = {x, 3}, .held = {0.5 * x}});
      const double s = std::sin(0.5 * x);
      const std::vector<double> expected{3 * x, 3 * x, x, 4.5, s, s, 0.5 * x, x};
      e.run();
      EXPECT_TRUE(std::ranges::equal(e.outputs(), expected));
      e.run();  // and again, with nothing written in between
      EXPECT_TRUE(std::ranges::equal(e.outputs(), expected));
    }
  }
}

TEST(ProgramOutputs, AScalarIsRepeatedOverItsLanes) {
  ProgramModel m;
  const std::vector<Output> outputs{{.node = (m.x * m.y).id(), .first = 1, .stride = 2, .lanes = 3},
                                    {.node = m.p.id(), .first = 0, .lanes = 2, .slots = {0, 4}},
                                    {.node = (m.x + 1.0).id(), .first = 2}};
  auto e = m.evaluator(outputs);
  test::load_point(e, {.x = {2, 3}, .held = {9}});
  e.run();
  EXPECT_TRUE(std::ranges::equal(e.outputs(), std::vector<double>{9, 6, 3, 6, 9, 6}));
}

TEST(ProgramOutputs, ArraysGoToStridesAndSlots) {
  Graph g;
  const Expr u = states(g, "u", 3);
  const Expr f = 2.0 * u;
  const std::vector<Output> strided{{.node = f.id(), .first = 1, .stride = 2, .lanes = 3}};
  const std::vector<Output> slotted{{.node = f.id(), .lanes = 3, .slots = {2, none, 0}}};
  const std::vector<InputSegment> arguments{{{InputKind::state, 0, 3, 0}}};
  Evaluator<double> a(compile(g, strided, arguments));
  Evaluator<double> b(compile(g, slotted, arguments));
  for (std::size_t i = 0; i < 3; ++i) a.input(0)[i] = b.input(0)[i] = 1.0 + static_cast<double>(i);
  a.run();
  b.run();
  EXPECT_TRUE(std::ranges::equal(a.outputs(), std::vector<double>{0, 2, 0, 4, 0, 6}));
  EXPECT_TRUE(std::ranges::equal(b.outputs(), std::vector<double>{6, 0, 2}));
}

TEST(ProgramOutputs, ADroppedScalarLeavesNoTrace) {
  ProgramModel m;
  const NodeId dropped = (m.x * m.y).id();
  const std::vector<Output> outputs{{.node = dropped, .lanes = 1, .slots = {none}},
                                    {.node = (m.x - m.y).id(), .first = 0}};
  const std::vector<InputSegment> arguments{{{InputKind::state, 0, 2, 0}}};
  Evaluator<double> e(compile(m.g, outputs, arguments));
  e.input(0)[0] = 5.0;
  e.input(0)[1] = 3.0;
  for (int run = 0; run < 3; ++run) {  // an argument written over shows from the second run on
    e.run();
    ASSERT_EQ(e.outputs().size(), 1U);
    EXPECT_EQ(e.outputs()[0], 2.0) << "run " << run;
  }
}

TEST(ProgramOutputs, OfAContextThatDoesNotHoldStayZeroAndUnevaluated) {
  ProgramModel m;
  const Cond c = m.x > 0;
  const std::vector<Output> outputs{
      {.node = sqrt(m.counted(m.x)).id(), .first = 0, .context = {c.literal()}},
      {.node = m.y.id(), .first = 1, .context = {negate(c.literal())}}};
  auto e = m.evaluator(outputs);
  test::load_point(e, {.x = {4, 3}});
  e.set_lock(0, lock_true);
  e.run();
  EXPECT_TRUE(std::ranges::equal(e.outputs(), std::vector<double>{2, 0}));
  EXPECT_EQ(m.calls, 1);
  e.input(2)[0] = -4.0;
  e.set_lock(0, lock_false);
  e.run();
  EXPECT_TRUE(std::ranges::equal(e.outputs(), std::vector<double>{0, 3}));
  EXPECT_EQ(m.calls, 1);
}

TEST(ProgramOutputs, OneValueUnderTwoContextsGoesOnlyWhereItsOwnHolds) {
  ProgramModel m;
  const Cond c = m.x > 0;
  const NodeId f = (m.x * m.y).id();
  const std::vector<Output> outputs{{.node = f, .first = 0, .context = {c.literal()}},
                                    {.node = f, .first = 1, .context = {negate(c.literal())}},
                                    {.node = f, .first = 2},
                                    {.node = m.p.id(), .first = 3, .context = {c.literal()}},
                                    {.node = m.p.id(), .first = 4}};
  auto e = m.evaluator(outputs);
  test::load_point(e, {.x = {2, 3}, .held = {9}});
  e.set_lock(0, lock_true);
  e.run();
  EXPECT_TRUE(std::ranges::equal(e.outputs(), std::vector<double>{6, 0, 6, 9, 9}));
  e.set_lock(0, lock_false);
  e.run();
  EXPECT_TRUE(std::ranges::equal(e.outputs(), std::vector<double>{0, 6, 6, 0, 9}));
}

TEST(ProgramOutputs, ContextsHoldInEveryTier) {
  ProgramModel m;
  const std::uint32_t n = 40;
  const Expr u = states(m.g, "u", n);
  const Cond c = m.x > 0;
  std::vector<Output> outputs;
  for (std::uint32_t i = 0; i < n; ++i)
    outputs.push_back({.node = (u[i] * u[i] + m.y).id(), .first = i, .context = {c.literal()}});
  for (Tier tier : {Tier::scalar, Tier::rolled}) {
    auto e = m.evaluator(outputs, {.tier = tier});
    e.input(2)[1] = 1.0;
    e.set_lock(0, lock_false);
    e.run();
    EXPECT_EQ(e.outputs()[5], 0.0) << (tier == Tier::rolled ? "rolled" : "scalar");
    e.set_lock(0, lock_true);
    e.run();
    EXPECT_EQ(e.outputs()[5], 1.0);
  }
}

TEST(ProgramLocks, ALockedProgramNeverComputesASwitchingFunction) {
  ProgramModel m;
  const Expr f = where(m.counted(m.x) > 0, m.x, m.y);
  auto locked = m.evaluator({{.node = f.id()}});
  auto unlocked = m.evaluator({{.node = f.id()}}, {.locking = Locking::unlocked});
  test::load_point(locked, {.x = {-1, 5}});
  test::load_point(unlocked, {.x = {-1, 5}});
  locked.set_lock(0, lock_true);
  locked.run();
  EXPECT_EQ(locked.outputs()[0], -1.0);
  EXPECT_EQ(m.calls, 0);
  EXPECT_EQ(locked.locks()[0], lock_true);  // as it was set
  unlocked.run();
  EXPECT_EQ(unlocked.outputs()[0], 5.0);
  EXPECT_EQ(m.calls, 1);
  EXPECT_LT(locked.program().statistics().n_instructions,
            unlocked.program().statistics().n_instructions);
}

TEST(ProgramLocks, AnUnlockedRunLeavesTheTruthAndMarksWhatWasNotReached) {
  ProgramModel m;
  const Cond outer = m.x > 0;
  const Cond inner = m.y > 0;
  const Expr f = where(outer, where(inner, 1.0, 2.0), 3.0);
  auto e = m.evaluator({{.node = f.id()}}, {.locking = Locking::unlocked});
  auto locks = [&](double x, double y) {
    test::load_point(e, {.x = {x, y}});
    e.run();
    return std::vector<std::uint8_t>(e.locks().begin(), e.locks().end());
  };
  using Locks = std::vector<std::uint8_t>;
  EXPECT_EQ(locks(1, 1), (Locks{lock_true, lock_true}));
  EXPECT_EQ(locks(1, -1), (Locks{lock_true, lock_false}));
  EXPECT_EQ(locks(-1, 1), (Locks{lock_false, lock_inactive}));
  EXPECT_EQ(locks(1, 1), (Locks{lock_true, lock_true}));
  auto locked = m.evaluator({{.node = f.id()}});
  locked.set_locks(locks(-1, 1));  // inactive is accepted: its branch is not taken
  locked.run();
  EXPECT_EQ(locked.outputs()[0], 3.0);
}

TEST(ProgramLocks, OneVectorFitsAllProgramsOfAGraph) {
  ProgramModel m;
  const Expr f = abs(m.x);
  const Expr h = abs(m.y);
  auto e = m.evaluator({{.node = h.id()}}, {.locking = Locking::unlocked});
  ASSERT_EQ(e.locks().size(), m.g.n_switches());
  test::load_point(e, {.x = {1, -1}});
  e.run();
  EXPECT_EQ(e.locks()[0], lock_inactive);  // not part of this program
  EXPECT_EQ(e.locks()[1], lock_false);
  EXPECT_THROW(e.set_locks(std::vector<std::uint8_t>(1)), ModelError);
  static_cast<void>(f);
}

TEST(ProgramPrologue, RunsOnlyWhenHeldInputsChange) {
  ProgramModel m;
  auto e = m.evaluator({{.node = (m.x + m.counted(m.p)).id()}});
  test::load_point(e, {.x = {1, 0}, .held = {10}});
  for (int i = 0; i < 5; ++i) {
    e.input(2)[0] = i;
    e.run();
    EXPECT_EQ(e.outputs()[0], 10.0 + i);
  }
  EXPECT_EQ(m.calls, 1);
  e.input(1)[0] = 20.0;
  e.run();
  EXPECT_EQ(e.outputs()[0], 24.0);
  EXPECT_EQ(m.calls, 2);
  e.input(1)[0] = 20.0;  // the same value again
  e.run();
  EXPECT_EQ(m.calls, 2);
}

TEST(ProgramPrologue, HoldsWhatDependsOnParametersOnly) {
  ProgramModel m;
  auto e = m.evaluator({{.node = (m.x * exp(sin(m.p))).id()}});
  EXPECT_EQ(e.program().statistics().n_held_instructions, 2U);
  EXPECT_EQ(e.program().statistics().n_instructions, 1U);
}

// ---- depth -------------------------------------------------------------------------------------

constexpr int chain_length = 100000;

struct ChainModel {
  Graph g;
  Expr x = state(g, "x");
  Expr y = state(g, "y");
  std::vector<InputRange> columns{{InputKind::state, 0, 2, 0}};

  /// Everything that walks an expression, on one of great depth.
  void read(const Expr& f) {
    const NodeId id = f.id();
    EXPECT_LE(to_text(g, id).size(), 203U);
    EXPECT_GE(incidence(g, std::span(&id, 1)).row(0).size(), 1U);
    const SwitchTable table(g, std::span(&id, 1));
    const std::vector<std::uint8_t> locks(g.n_switches(), lock_true);
    for (const SwitchEntry& e : table) EXPECT_NO_THROW(table.is_active(e, locks));
    EXPECT_GE(incidence(g, std::span(&id, 1), locks).n_rows(), 1U);
    static_cast<void>(test::value_of(g, f, {.x = {0.5, 0.25}}));
  }
  void differentiate(const Expr& f) {
    const NodeId id = f.id();
    const Jacobian j = jacobian(g, std::span(&id, 1), columns);
    Evaluator<double> e(compile(g, j.entries, every_input(g)));
    e.set_locks(std::vector<std::uint8_t>(e.locks().size(), lock_true));
    e.run();
    const NodeId rate = total_derivative(g, std::span(&id, 1))[0];
    static_cast<void>(test::value_of(g, {g, rate}, {.x = {0.5, 0.25}}));
  }
  void use(const Expr& f) {
    read(f);
    differentiate(f);
  }
};

TEST(DeepChains, OfFunctions) {
  ChainModel m;
  Expr f = m.x;
  for (int i = 0; i < chain_length; ++i) f = sin(f);
  m.use(f);
}

TEST(DeepChains, OfDifferences) {  // the left operand is written first
  ChainModel m;
  Expr f = m.x;
  for (int i = 0; i < chain_length; ++i) f = f - m.y;
  m.use(f);
}

TEST(DeepChains, OfQuotientsAndPowers) {
  ChainModel m;
  Expr f = m.x;
  for (int i = 0; i < chain_length; ++i) f = i % 2 == 0 ? f / m.y : pow(f, 3);
  m.use(f);
}

TEST(DeepChains, OfConditionals) {
  ChainModel m;
  Expr f = m.x;
  // The context of the last alternative is all others: a table has n^2/2 literals.
  for (int i = 0; i < 3000; ++i) f = where(m.x > 0.5 + i, m.y, f * m.y);
  m.read(f);
}

TEST(DeepChains, OfConditionalsHaveDerivativesThatGrowWithTheirLength) {
  auto nodes = [](int n) {
    ChainModel m;
    Expr f = m.x;
    for (int i = 0; i < n; ++i) f = where(m.x > 0.5 + i, m.y, f * m.y);
    const NodeId id = f.id();
    static_cast<void>(jacobian(m.g, std::span(&id, 1), m.columns));
    return static_cast<double>(m.g.size() + m.g.n_conditions());
  };
  // Twice the length, twice the nodes; four times would be one copy of the chain per alternative.
  EXPECT_LT(nodes(400), 2.5 * nodes(200));
}

TEST(DeepChains, OfConditionalsWithAZeroArm) {
  ChainModel m;
  Expr f = m.x;
  for (int i = 0; i < 3000; ++i) f = where(m.x > 0.5 + i, f, 0.0);  // contexts: n^2/2 literals
  m.use(m.y * f);
}

TEST(DeepChains, OfConditions) {
  ChainModel m;
  Cond all = m.x > 0;
  for (int i = 1; i < chain_length; ++i) all = all && m.x > 0.5 + i;
  m.use(where(all, m.x, m.y));
  EXPECT_LE(condition_text(m.g, all.literal()).size(), 203U);
}

TEST(DeepChains, OfSwitchingFunctionsInsideSwitchingFunctions) {
  ChainModel m;
  Expr f = m.x;
  for (int i = 0; i < 10000; ++i) f = m.y + abs(f - m.y);
  m.use(f);
}

TEST(DeepChains, OfArrays) {
  Graph g;
  const Expr u = states(g, "u", 2);
  Expr f = u;
  for (int i = 0; i < chain_length; ++i) f = sin(f) - u;
  EXPECT_LE(to_text(g, f.id()).size(), 203U);
  const Expr one = f[1];
  const NodeId ids[2] = {f.id(), one.id()};
  EXPECT_EQ(incidence(g, ids).n_rows(), 3U);
  auto e = test::evaluator_of(g, {f, one});
  test::load_point(e, {.x = {0.5, 0.25}});
  e.run();
  EXPECT_EQ(e.outputs()[1], e.outputs()[2]);
}

}  // namespace
}  // namespace saltus
