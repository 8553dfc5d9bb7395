#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include <saltus/core/error.hpp>
#include <saltus/model.hpp>

namespace saltus {
namespace {

std::string refusal_of(const std::function<void()>& mistake) {
  try {
    mistake();
  } catch (const ModelError& e) {
    return e.what();
  }
  return "accepted";
}

struct Belt {
  Model m{"belt"};
  Expr x = m.state("x", 0.0, {.unit = "m"});
  Expr v = m.state("v", 1.0);
  Expr k = m.parameter("k", 3.0);
  Expr belt = m.parameter("v_belt", 0.2);
  void equations() {
    m.equation(der(x) == v);
    m.equation("motion", der(v) == -k * x - sign(v - belt) / (1.0 + 3.0 * abs(v - belt)));
  }
};

TEST(Model, IsBuiltFromWhatWasWritten) {
  Belt b;
  b.equations();
  const auto d = b.m.build();
  EXPECT_EQ(d->name(), "belt");
  EXPECT_EQ(d->n_unknowns(), 2U);
  ASSERT_EQ(d->equations().size(), 2U);
  EXPECT_EQ(d->equations()[0].name, "der(x) == v");
  EXPECT_EQ(d->equations()[1].name, "motion");
  EXPECT_EQ(d->initial_values(InputKind::parameter), (std::vector<double>{3.0, 0.2}));
  EXPECT_EQ(d->initial_values(InputKind::state), (std::vector<double>{0.0, 1.0}));
  ASSERT_NE(d->find("x"), nullptr);
  EXPECT_EQ(d->find("x")->attributes.unit, "m");
  EXPECT_EQ(d->find("y"), nullptr);
  EXPECT_EQ(d->graph().n_switches(), 1U);
}

TEST(Model, CanGoOnGrowingAfterItWasBuilt) {
  Belt b;
  b.equations();
  const auto first = b.m.build();
  const Expr f = b.m.algebraic("f");
  b.m.equation(f == b.k * b.x);
  const auto second = b.m.build();
  EXPECT_EQ(first->n_unknowns(), 2U);
  EXPECT_EQ(second->n_unknowns(), 3U);
}

TEST(Model, ItsResidualIsTheDifferenceOfTheSides) {
  Belt b;
  b.equations();
  const auto d = b.m.build();
  Evaluator<double> e(compile(
      d->graph(), outputs_in_order(d->graph(), std::vector{d->equations()[0].residual}),
      std::vector<InputSegment>{{{InputKind::state, 0, 2, 0}}, {{InputKind::state, 0, 2, 1}}}));
  e.input(0)[1] = 7;
  e.input(1)[0] = 10;
  e.run();
  EXPECT_EQ(e.outputs()[0], 3);
}

TEST(Model, AFamilyOfEquationsCountsLaneByLane) {
  Model m("heat");
  const Expr u = m.states("u", std::vector<double>{1, 2, 3, 4});
  m.equation("interior", der(u.slice(1, 2)) == u.slice(0, 2) - 2.0 * u.slice(1, 2) + u.slice(2, 2));
  m.equation("left", u[0] == 0.0);
  EXPECT_EQ(refusal_of([&] { m.build(); }),
            "model 'heat' has 4 unknowns but 3 equations: 1 equation missing");
  m.equation("right", u[3] == 0.0);
  const auto d = m.build();
  EXPECT_EQ(d->equations()[0].count, 2U);
  EXPECT_EQ(d->initial_values(InputKind::state), (std::vector<double>{1, 2, 3, 4}));
}

TEST(ModelRefusals, NameTheMissingEquation) {
  Belt b;
  b.m.equation(der(b.x) == b.v);
  EXPECT_EQ(refusal_of([&] { b.m.build(); }),
            "model 'belt' has 2 unknowns but 1 equation: 1 equation missing");
  const Expr lonely = b.m.algebraic("lonely");
  static_cast<void>(lonely);
  EXPECT_EQ(refusal_of([&] { b.m.build(); }), "model 'belt': 'lonely' occurs in no equation");
}

TEST(ModelRefusals, NameTheEquationThatDeterminesNothing) {
  Belt b;
  b.equations();
  b.m.equation("balance", b.k == 2.0 * b.belt);
  EXPECT_EQ(refusal_of([&] { b.m.build(); }),
            "model 'belt': equation 'balance' contains no unknown");
}

TEST(ModelRefusals, OfEquationsAndNamesGivenTwice) {
  Belt b;
  b.equations();
  EXPECT_EQ(refusal_of([&] { b.m.equation(der(b.x) == b.v); }),
            "equation 'der(x) == v' is written twice");
  EXPECT_EQ(refusal_of([&] { b.m.state("k", 1.0); }), "the name 'k' is declared twice");
}

TEST(ModelRefusals, OfAttributesNameTheVariable) {
  Model m("a");
  EXPECT_EQ(refusal_of([&] { m.state("x", NAN); }), "'x': start value nan is not finite");
  EXPECT_EQ(refusal_of([&] { m.state("x", 2.0, {.max = 1.0}); }),
            "'x': start value 2 is outside [-inf, 1]");
  EXPECT_EQ(refusal_of([&] { m.parameter("p", 1.0, {.nominal = 0.0}); }),
            "'p': nominal 0 must be positive and finite");
  EXPECT_EQ(refusal_of([&] { m.algebraic("y", {.min = 2.0, .max = 1.0}); }),
            "'y': min 2 is above max 1");
  // Refused names were not taken.
  EXPECT_NO_THROW(m.state("x", 1.0));
}

TEST(Model, LinearSystemsAreWrittenByTheirMatrices) {
  Model m("circuit");
  const std::vector<Expr> x{m.state("u", 1.0), m.algebraic("i")};
  const std::vector<Expr> f{Expr(0.0), sin(m.time())};
  m.linear(x, {{2, 0}, {0, 0}}, {{0, 1}, {1, 5}}, f);
  const auto d = m.build();
  ASSERT_EQ(d->equations().size(), 2U);
  EXPECT_EQ(d->equations()[0].name, "2*der(u) == i");
  EXPECT_EQ(d->equations()[1].name, "0 == u + sin(time) + 5*i");
  EXPECT_EQ(refusal_of([&] {
              m.linear(x, {{1, 0}}, {{1, 0}, {0, 1}}, f);
            }),
            "linear: E has 1 rows, A 2 and f 2");
}

TEST(Model, InputsKeepTheirSignal) {
  Model m("driven");
  const Expr x = m.state("x", 0.0);
  const Expr u = m.input(
      "u", table(std::vector<double>{0, 1}, std::vector<double>{0, 2}, Interpolation::linear));
  m.equation(der(x) == u + der(u));
  const auto d = m.build();
  EXPECT_EQ(d->signal(0).value(0.5, 0), 1);
  EXPECT_EQ(d->signal(0).value(0.5, 1), 2);
}

TEST(Model, WhenClausesAndTransitionsAreKept) {
  Model m("ball");
  const Expr h = m.state("h", 1.0), v = m.state("v", 0.0);
  const Expr n = m.discrete("bounces", 0.0);
  m.equation(der(h) == v);
  m.equation(der(v) == -9.81);
  m.when("bounce", h < 0.0, {{v, -0.8 * pre(v)}, {n, pre(n) + 1.0}});
  const auto d = m.build();
  ASSERT_EQ(d->when_clauses().size(), 1U);
  EXPECT_EQ(d->when_clauses()[0].assignments.size(), 2U);
  EXPECT_EQ(refusal_of([&] {
              m.when("bad", h < 0.0, {{m.parameter("p", 1.0), 2.0}});
            }),
            "when-clause 'bad' sets the parameter 'p': only discrete variables and states can be "
            "set at an event");
  EXPECT_EQ(refusal_of([&] {
              m.when("bad", h < 0.0, {{h * h, 2.0}});
            }),
            "when-clause 'bad' sets something that is not a variable of this model");
}

TEST(Model, EachModeHasItsOwnCount) {
  Model m("rope");
  const Expr x = m.state("x", 1.0), force = m.algebraic("force");
  const ModeId taut = m.mode("taut");
  const ModeId slack = m.mode("slack");
  m.equation(taut, x == 1.0);
  m.equation(taut, der(x, 2) == -force);
  m.equation(slack, der(x, 2) == -9.81);  // here the force does not exist
  m.transition("cut", taut, slack, m.time() > 2.0, {.priority = 1});
  const auto d = m.build();
  EXPECT_EQ(d->modes().size(), 2U);
  EXPECT_EQ(d->transitions()[0].candidates, std::vector<ModeId>{slack});
  m.equation(slack, x == 0.5);
  EXPECT_EQ(refusal_of([&] { m.build(); }),
            "model 'rope', mode 'slack' has 1 unknown but 2 equations: 1 equation too many");
  EXPECT_EQ(refusal_of([&] { m.mode("taut"); }), "mode 'taut' is declared twice");
}

}  // namespace
}  // namespace saltus
