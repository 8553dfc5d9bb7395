// Black boxes: outputs, derivatives, what is missing told by name, calls only where reached.
#include <cmath>

#include <gtest/gtest.h>

#include "support/small_programs.hpp"

namespace saltus {
namespace {

using test::every_input;
using test::mentions;
using test::refusal;

struct BoxCounters {
  int calls = 0;
  int instances = 0;
};

/// (x, y) -> (x*y, x - y*y, sqrt(x)); undefined for x < 0. Its Jacobian is another box.
class BlackBox : public ExternalFunction {
 public:
  enum class Kind { values, jacobian };
  BlackBox(Kind kind, BoxCounters& counters, bool encloses, bool differentiable)
      : ExternalFunction(kind == Kind::values ? "spring" : "spring_jacobian", 2,
                         kind == Kind::values ? 3 : 6),
        kind_(kind),
        counters_(counters),
        encloses_(encloses),
        differentiable_(differentiable) {}

  std::unique_ptr<Instance> instantiate() const override {
    ++counters_.instances;
    return std::make_unique<Box>(*this);
  }
  std::shared_ptr<const ExternalFunction> jacobian() const override {
    if (kind_ == Kind::jacobian || !differentiable_) return nullptr;
    return std::make_shared<BlackBox>(Kind::jacobian, counters_, encloses_, false);
  }
  bool encloses() const override { return encloses_; }

 private:
  struct Box : Instance {
    explicit Box(const BlackBox& b) : box(b) {}
    bool evaluate(std::span<const double> in, std::span<double> out) override {
      ++box.counters_.calls;
      const double x = in[0];
      const double y = in[1];
      if (x < 0) return false;
      const double root = std::sqrt(x);
      const std::vector<double> r = box.kind_ == Kind::values
                                        ? std::vector<double>{x * y, x - y * y, root}
                                        : std::vector<double>{y, x, 1, -2 * y, 0.5 / root, 0};
      std::copy(r.begin(), r.end(), out.begin());
      return true;
    }
    bool enclose(std::span<const Interval> in, std::span<Interval> out) override {
      if (in[0].lo() < 0) return false;
      out[0] = in[0] * in[1];
      out[1] = in[0] - sqr(in[1]);
      out[2] = sqrt(in[0]);
      return true;
    }
    const BlackBox& box;
  };
  Kind kind_;
  BoxCounters& counters_;
  bool encloses_;
  bool differentiable_;
};

struct BoxModel {
  explicit BoxModel(bool encloses = false, bool differentiable = true)
      : box(std::make_shared<BlackBox>(BlackBox::Kind::values, counters, encloses,
                                       differentiable)) {
    const Expr arguments[2] = {x, y};
    r = call(box, arguments);
  }
  BoxCounters counters;
  Graph g;
  Expr x = state(g, "x");
  Expr y = state(g, "y");
  Expr p = parameter(g, "p");
  std::shared_ptr<const BlackBox> box;
  std::vector<Expr> r;
};

TEST(ExternalCalls, GiveAllOutputsByOneCall) {
  BoxModel m;
  auto e = test::evaluator_of(m.g, {m.r[2], m.r[0], m.r[1], m.r[0] + m.r[2]});
  test::load_point(e, {.x = {4, 3}});
  e.run();
  EXPECT_TRUE(std::ranges::equal(e.outputs(), std::vector<double>{2, 12, -5, 14}));
  EXPECT_EQ(m.counters.calls, 1);
}

TEST(ExternalCalls, EqualOnesAreOneOthersAreNot) {
  BoxModel m;
  const Expr same[2] = {m.x, m.y};
  EXPECT_EQ(call(m.box, same)[1].id(), m.r[1].id());
  const Expr exchanged[2] = {m.y, m.x};
  EXPECT_NE(call(m.box, exchanged)[1].id(), m.r[1].id());
  EXPECT_EQ(m.g.n_calls(), 2U);
}

TEST(ExternalCalls, TakeExpressionsNumbersAndEachOther) {
  BoxModel m;
  const Expr inner[2] = {m.r[0] + 4.0, 2.0};
  const Expr outer = call(m.box, inner)[2];
  EXPECT_EQ(test::value_of(m.g, outer, {.x = {4, 3}}), 4.0);
}

TEST(ExternalCalls, AreRefusedWithTheWrongArguments) {
  BoxModel m;
  const Expr one[1] = {m.x};
  const std::string count = refusal([&] { call(m.box, one); });
  EXPECT_TRUE(mentions(count, "'spring'") && mentions(count, "2") && mentions(count, "1")) << count;
  const Expr array[2] = {m.x, states(m.g, "u", 3)};
  EXPECT_TRUE(mentions(refusal([&] { call(m.box, array); }), "'spring'"));
  const Expr numbers[2] = {1.0, 2.0};
  EXPECT_TRUE(mentions(refusal([&] { call(m.box, numbers); }), "'spring'"));
  Graph other;
  const Expr mixed[2] = {m.x, state(other, "x")};
  EXPECT_TRUE(mentions(refusal([&] { call(m.box, mixed); }), "two different models"));
}

TEST(ExternalCalls, HaveATextWithTheirName) {
  BoxModel m;
  EXPECT_EQ(to_text(m.g, m.r[1].id()), "spring(x, y)[1]");
}

TEST(ExternalDerivatives, GoThroughItsJacobian) {
  BoxModel m;
  const NodeId rows[2] = {sin(m.r[0]).id(), (m.r[1] * m.r[2]).id()};
  const std::vector<InputRange> columns{{InputKind::state, 0, 2, 0}};
  const double x = 4;
  const double y = 3;
  const double expected[4] = {std::cos(x * y) * y, 1 * 2.0 + (x - y * y) * 0.25,
                              std::cos(x * y) * x, -2 * y * 2.0};
  for (Sweep sweep : {Sweep::automatic, Sweep::forward, Sweep::reverse}) {
    const Jacobian j = jacobian(m.g, rows, columns, {.sweep = sweep});
    Evaluator<double> e(compile(m.g, j.entries, every_input(m.g)));
    test::load_point(e, {.x = {x, y}});
    e.run();
    ASSERT_EQ(e.outputs().size(), 4U);
    // One product and one sum: two roundings of numbers up to 12.
    for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(e.outputs()[k], expected[k], 2 * 12 * 2.3e-16);
  }
}

TEST(ExternalDerivatives, CallTheJacobianOnceEvenIfItsDefinitionIsMadeAnewWhenAskedFor) {
  BoxModel m;
  const auto rows = test::nodes_of(m.r);
  const std::vector<InputRange> columns{{InputKind::state, 0, 2, 0}};
  const Jacobian j = jacobian(m.g, rows, columns);
  Evaluator<double> e(compile(m.g, j.entries, every_input(m.g)));
  test::load_point(e, {.x = {4, 3}});
  e.run();
  EXPECT_EQ(m.counters.calls, 1);
}

TEST(ExternalDerivatives, AreRefusedByNameWhereMissing) {
  const std::vector<InputRange> columns{{InputKind::state, 0, 2, 0}};
  BoxModel without(false, false);
  const NodeId row = without.r[0].id();
  const std::string first = refusal([&] { jacobian(without.g, std::span(&row, 1), columns); });
  EXPECT_TRUE(mentions(first, "'spring'") && mentions(first, "jacobian")) << first;

  BoxModel once;
  const std::vector<NodeId> rate{once.r[0].id()};
  const NodeId derivative = total_derivative(once.g, rate)[0];
  const std::string second = refusal([&] { jacobian(once.g, std::span(&derivative, 1), columns); });
  EXPECT_TRUE(mentions(second, "'spring_jacobian'")) << second;
}

TEST(ExternalDerivatives, AreNotMissedWhereNoneIsNeeded) {
  BoxModel m(false, false);
  const std::vector<InputRange> only_p{{InputKind::parameter, 0, 1, 0}};
  const NodeId row = (m.p * m.r[0]).id();
  EXPECT_NO_THROW(jacobian(m.g, std::span(&row, 1), only_p));
}

TEST(ExternalAbilities, WhatIsMissingIsToldByNameAtConstruction) {
  BoxModel m;
  const std::vector<Output> outputs{{.node = m.r[0].id()}};
  const auto program = compile(m.g, outputs, every_input(m.g));
  const std::string enclosures = refusal([&] { Evaluator<Interval> e(program); });
  EXPECT_TRUE(mentions(enclosures, "'spring'") && mentions(enclosures, "enclosures")) << enclosures;
  const std::string series = refusal([&] { TaylorEvaluator<double> e(program, 2); });
  EXPECT_TRUE(mentions(series, "'spring'") && mentions(series, "Taylor")) << series;
  const std::string digits = refusal([&] { Evaluator<Quad> e(program); });
  EXPECT_TRUE(mentions(digits, "'spring'") && mentions(digits, "precision")) << digits;
  EXPECT_NO_THROW(Evaluator<double>{program});
  EXPECT_NO_THROW(Evaluator<Batch>{program});
}

TEST(ExternalAbilities, EnclosuresAreUsedWhereOffered) {
  BoxModel m(true);
  const std::vector<Output> outputs{{.node = m.r[0].id()}, {.node = m.r[2].id(), .first = 1}};
  Evaluator<Interval> e(compile(m.g, outputs, every_input(m.g)));
  e.input(2)[0] = Interval(1.0, 4.0);
  e.input(2)[1] = Interval(-1.0, 2.0);
  e.run();
  EXPECT_LE(e.outputs()[0].lo(), -4.0);
  EXPECT_GE(e.outputs()[0].hi(), 8.0);
  EXPECT_GT(e.outputs()[0].lo(), -4.001);  // and it is one, not the whole line
  EXPECT_TRUE(e.outputs()[1].contains(2.0));
  e.input(2)[0] = Interval(-1.0, 4.0);  // refused by the box: nothing is known
  e.run();
  EXPECT_TRUE(e.outputs()[1].contains(1e300) && e.outputs()[1].contains(-1e300));
}

TEST(ExternalDomains, AnErrorGivesNoNumberOnlyWhereReached) {
  BoxModel m;
  auto e = test::evaluator_of(m.g, {m.r[0], m.y * 2.0, where(m.x > 0, m.r[2], 7.0)});
  test::load_point(e, {.x = {-4, 3}});
  e.run();
  EXPECT_TRUE(std::isnan(e.outputs()[0]));
  EXPECT_EQ(e.outputs()[1], 6.0);
  EXPECT_EQ(e.outputs()[2], 7.0);
  e.input(2)[0] = 4.0;
  e.run();
  EXPECT_TRUE(std::ranges::equal(e.outputs(), std::vector<double>{12, 6, 2}));
}

TEST(ExternalDomains, OfOneInstanceOfABatchDoNotTouchTheOthers) {
  BoxModel m;
  const std::vector<Output> outputs{{.node = m.r[2].id()}};
  Evaluator<Batch> e(compile(m.g, outputs, every_input(m.g)));
  for (int lane = 0; lane < Batch::lanes; ++lane) e.input(2)[0][lane] = lane == 3 ? -1.0 : 4.0;
  e.run();
  for (int lane = 0; lane < Batch::lanes; ++lane) {
    if (lane == 3) {
      EXPECT_TRUE(std::isnan(e.outputs()[0][lane]));
    } else {
      EXPECT_EQ(e.outputs()[0][lane], 2.0);
    }
  }
}

TEST(ExternalGuards, ABranchNotTakenMakesNoCall) {
  BoxModel m;
  const Expr f = where(m.x > 0, m.r[0], m.y);
  auto e = test::evaluator_of(m.g, {f});
  test::load_point(e, {.x = {-4, 3}});
  e.run();
  EXPECT_EQ(e.outputs()[0], 3.0);
  EXPECT_EQ(m.counters.calls, 0);
  e.input(2)[0] = 4.0;
  e.run();
  EXPECT_EQ(e.outputs()[0], 12.0);
  EXPECT_EQ(m.counters.calls, 1);
}

TEST(ExternalGuards, HoldForDerivativesToo) {
  BoxModel m;
  const NodeId f = where(m.x > 0, sqr(m.r[2]), m.y).id();
  const std::vector<InputRange> columns{{InputKind::state, 0, 2, 0}};
  const Jacobian j = jacobian(m.g, std::span(&f, 1), columns);
  Evaluator<double> e(compile(m.g, j.entries, every_input(m.g)));
  test::load_point(e, {.x = {-4, 3}});
  e.set_lock(0, lock_false);
  e.run();
  EXPECT_EQ(m.counters.calls, 0);
  EXPECT_EQ(e.outputs()[0], 0.0);
  EXPECT_EQ(e.outputs()[1], 1.0);
}

TEST(ExternalGuards, HoldInLateAlternatives) {
  // Twelve alternatives; the last one calls, the others do not.
  BoxModel m;
  Expr f = m.r[0];
  for (int k = 12; k-- > 0;) f = where(m.y > static_cast<double>(k), 1.0 * k, f + 0.0);
  auto e = test::evaluator_of(m.g, {f});
  for (int taken = 0; taken < 12; ++taken) {
    test::load_point(e, {.x = {4.0, taken + 0.5}});
    e.run();
    EXPECT_EQ(m.counters.calls, 0) << "while y = " << taken + 0.5;
  }
  test::load_point(e, {.x = {4.0, -1.0}});
  e.run();
  EXPECT_EQ(m.counters.calls, 1);
  EXPECT_EQ(e.outputs()[0], -4.0);
}

TEST(ExternalGuards, HoldWhereTheLastOfManyNestedConditionsFails) {
  BoxModel m;
  Expr f = m.r[0];
  for (int k = 12; k-- > 0;) f = where(m.y > static_cast<double>(k), f, -1.0 * k - 1.0);
  auto e = test::evaluator_of(m.g, {f});
  test::load_point(e, {.x = {4.0, 10.5}});  // all hold but y > 11
  e.run();
  EXPECT_EQ(e.outputs()[0], -12.0);
  EXPECT_EQ(m.counters.calls, 0);
  test::load_point(e, {.x = {4.0, 11.5}});
  e.run();
  EXPECT_EQ(e.outputs()[0], 46.0);
  EXPECT_EQ(m.counters.calls, 1);
}

TEST(ExternalGuards, ACallWithHeldArgumentsIsNotMadeWhileItsHeldBranchIsNotTaken) {
  BoxModel m;
  const Expr d = discrete(m.g, "d");
  const Expr arguments[2] = {m.p, 1.0};
  const Expr f = m.x + where(d > 0, call(m.box, arguments)[2], 0.0);
  auto e = test::evaluator_of(m.g, {f});
  test::load_point(e, {.x = {1, 0}, .held = {-4.0, 0.0}});
  e.run();
  EXPECT_EQ(e.outputs()[0], 1.0);
  EXPECT_EQ(m.counters.calls, 0);
}

TEST(ExternalInstances, AreOnePerEvaluatorAndNeverShared) {
  BoxModel m;
  const std::vector<Output> outputs{{.node = (m.r[0] + m.r[1]).id()}};
  const auto program = compile(m.g, outputs, every_input(m.g));
  EXPECT_EQ(m.counters.instances, 0);
  Evaluator<double> a(program);
  EXPECT_EQ(m.counters.instances, 1);
  Evaluator<double> b(program);
  EXPECT_EQ(m.counters.instances, 2);
  a.run();
  b.run();
  EXPECT_EQ(m.counters.instances, 2);
}

}  // namespace
}  // namespace saltus
