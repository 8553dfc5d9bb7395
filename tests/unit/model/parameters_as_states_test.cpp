// Parameters as states that keep their value: what the model consists of then.
#include <saltus/model.hpp>

#include <functional>

#include <gtest/gtest.h>

#include <saltus/core/error.hpp>

namespace saltus {
namespace {

using ParameterNames = std::vector<std::string>;

ParametersAsStates turned(const Model& m, const ParameterNames& names) {
  return with_parameters_as_states(m.build(), names);
}

std::string states_of(const ModelDefinition& m) {
  std::string text;
  for (std::uint32_t i = 0; i < m.graph().count(InputKind::state); ++i)
    text += (i > 0 ? " " : "") + m.graph().variable_name(InputKind::state, i);
  return text;
}

std::string text_of_equation(const ModelDefinition& m, const std::string& name) {
  for (const Equation& q : m.equations())
    if (q.name == name) return to_text(m.graph(), q.left) + " == " + to_text(m.graph(), q.right);
  return "none";
}

std::string refusal_of_turning(const Model& m, const ParameterNames& names) {
  try {
    (void)turned(m, names);
  } catch (const ModelError& e) {
    return e.what();
  }
  return "";
}

/// All kinds of things that refer to nodes and numbers.
struct Stove {
  Model m{"stove"};
  Expr gain = m.parameter("gain", 4.0, {.min = 4.0, .unit = "K/s", .description = "of the plate"});
  Expr loss = m.parameters("loss", std::vector{0.5, 0.0, 2.0});
  Expr limit = m.parameter("limit", 10.0, {.nominal = 3.0});
  Expr idle = m.parameter("idle", 0.0);
  Expr T = m.state("T", 1.0), U = m.state("U", 2.0);
  Expr count = m.discrete("count", 0.0), stored = m.discrete("stored", 1.0);
  Expr twice = m.discrete("twice", 2.0), level = m.discrete("level", 0.0);
  Expr side = m.discrete("side", 1.0);
  Expr flow = m.algebraic("flow");
  ModeId on = m.mode("on"), off = m.mode("off");
  Stove() {
    m.equation("flow", flow == loss[0] * T + loss[2] * stored);
    m.equation(on, "on", der(T) == where(limit > 5.0, gain, 2.0 * gain) - flow);
    m.equation(off, "off", der(T) == -flow);
    m.equation("U", der(U) == sum(loss) - twice + level);
    m.output("spare", limit - T);
    const Cond tick = m.every("beat", 0.0, 0.5);
    m.when("count", tick, {{count, pre(count) + 1.0}, {side, where(U > 0.0, 1.0, sign(T))}});
    m.when("store", m.named("hot", T > 8.0), {{stored, pre(T)}, {level, pre(level) + 1.0}});
    m.when("double", stored != pre(stored), {{twice, 2.0 * stored}});
    m.transition("too hot", on, off, T > limit, {.maps = {{T, limit - 1.0}}});
    m.transition("too cold", off, on, T < 0.5 * limit,
                 {.free = {U}, .equations = {U == pre(U) + gain}});
    m.require(on, T < 2.0 * limit);
  }
};

TEST(ParametersAsStates, AreStatesThatKeepTheirValueInEveryMode) {
  Stove stove;
  const ParametersAsStates made = turned(stove.m, {"limit", "gain"});
  const ModelDefinition& m = *made.model;
  EXPECT_EQ(states_of(m), "T U gain limit stored twice");
  EXPECT_EQ(made.parameters, (std::vector<std::uint32_t>{3, 2}));
  EXPECT_EQ(made.discretes, (std::vector<std::uint32_t>{4, 5}));
  EXPECT_EQ(m.find("gain")->kind, InputKind::state);
  EXPECT_EQ(m.find("gain")->attributes.start, 4.0);
  EXPECT_EQ(m.find("gain")->attributes.unit, "K/s");
  EXPECT_EQ(m.find("gain")->attributes.nominal, 4.0) << "the value, since none was given";
  EXPECT_EQ(m.find("limit")->attributes.nominal, 3.0);
  EXPECT_LT(m.find("gain")->attributes.min, -1e300) << "a bound would be a surface it stays on";
  EXPECT_EQ(text_of_equation(m, "gain is constant"), "der(gain) == 0");
  EXPECT_EQ(text_of_equation(m, "stored is constant"), "der(stored) == 0");
  for (const ModeId mode : {stove.on, stove.off})
    EXPECT_EQ(model_of_mode(m, mode)->n_unknowns(), 7U) << mode;
  EXPECT_EQ(m.n_unknowns(), stove.m.build()->n_unknowns() + 4);
}

TEST(ParametersAsStates, AllElseReadsTheSame) {
  Stove stove;
  const auto old = stove.m.build();
  const auto made = turned(stove.m, {"gain", "limit", "loss"});
  const ModelDefinition& m = *made.model;
  ASSERT_EQ(m.equations().size(), old->equations().size() + 5);
  for (std::size_t k = 0; k < old->equations().size(); ++k) {
    const Equation &a = old->equations()[k], &b = m.equations()[k];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.mode, b.mode);
    EXPECT_EQ(to_text(old->graph(), a.residual), to_text(m.graph(), b.residual));
  }
  EXPECT_EQ(to_text(m.graph(), m.outputs()[0].node), "limit - T");
  for (std::size_t k = 0; k < old->when_clauses().size(); ++k) {
    const WhenClause &a = old->when_clauses()[k], &b = m.when_clauses()[k];
    EXPECT_EQ(condition_text(old->graph(), a.conditions[0]),
              condition_text(m.graph(), b.conditions[0]));
    for (std::size_t i = 0; i < a.assignments.size(); ++i) {
      const Input &x = a.assignments[i].target, &y = b.assignments[i].target;
      EXPECT_EQ(old->graph().variable_name(x.kind, x.index),
                m.graph().variable_name(y.kind, y.index));
      EXPECT_EQ(to_text(old->graph(), a.assignments[i].value),
                to_text(m.graph(), b.assignments[i].value));
    }
  }
  for (std::size_t k = 0; k < old->transitions().size(); ++k)
    EXPECT_EQ(condition_text(old->graph(), old->transitions()[k].guard),
              condition_text(m.graph(), m.transitions()[k].guard));
  EXPECT_EQ(to_text(m.graph(), m.transitions()[0].maps[0].value), "limit - 1");
  EXPECT_EQ(m.transitions()[1].free[0], (Input{InputKind::state, 1, 0}));
  EXPECT_EQ(to_text(m.graph(), m.transitions()[1].equations[0].right), "gain + pre(U)");
  EXPECT_EQ(condition_text(m.graph(), m.modes()[0].requirements[0]), "T < 2*limit");
  const auto hot = condition_of(m.when_clauses()[2].conditions[0]);
  EXPECT_EQ(m.relation_name(m.graph().condition(hot).a), "hot");
  EXPECT_EQ(m.graph().variable_name(InputKind::discrete, m.clocks()[0].counter), "beat.ticks");
}

TEST(ParametersAsStates, ComparisonsBetweenHeldValuesAreNoEvents) {
  Stove stove;
  const auto old = stove.m.build();
  const auto made = turned(stove.m, {"limit"});
  const ModelDefinition& m = *made.model;
  EXPECT_EQ(m.graph().n_switches(), old->graph().n_switches());
  ASSERT_NE(m.find("limit, as compared"), nullptr);
  EXPECT_EQ(m.find("limit, as compared")->kind, InputKind::parameter);
  EXPECT_EQ(m.find("limit, as compared")->attributes.start, 10.0);
  EXPECT_TRUE(m.find("limit, as compared")->hidden);
  // stored != pre(stored): set along with the state, to the same value.
  const WhenClause& store = m.when_clauses()[2];
  ASSERT_EQ(store.name, "store");
  ASSERT_EQ(store.assignments.size(), 3U);
  const Input shadow = store.assignments[2].target;
  EXPECT_EQ(m.graph().variable_name(shadow.kind, shadow.index), "stored, as compared");
  EXPECT_EQ(store.assignments[2].value, store.assignments[0].value);
  EXPECT_EQ(m.find("gain, as compared"), nullptr);
}

TEST(ParametersAsStates, DiscretesAreTurnedIfTheirValuesVary) {
  // Each of them is set to what is given; "b" to 2 a.
  const auto turned_by = [](const std::function<Expr(Model&, Expr x, Expr p, Expr q)>& value) {
    Model m("set");
    Expr x = m.state("x", 0.0), p = m.parameter("p", 1.0), q = m.parameter("q", 2.0);
    Expr a = m.discrete("a", 0.0), b = m.discrete("b", 0.0);
    m.equation(der(x) == p * q + a + b);
    m.when("one", x > 1.0, {{a, value(m, x, p, q)}});
    m.when("two", x > 2.0, {{b, 2.0 * pre(a)}});
    return states_of(*turned(m, {"p"}).model);
  };
  EXPECT_EQ(turned_by([](Model&, Expr x, Expr, Expr) { return x; }), "x p a b");
  EXPECT_EQ(turned_by([](Model&, Expr x, Expr, Expr) { return pre(x); }), "x p a b");
  EXPECT_EQ(turned_by([](Model& m, Expr, Expr, Expr) { return m.time(); }), "x p a b");
  EXPECT_EQ(turned_by([](Model&, Expr, Expr p, Expr) { return 3.0 * p; }), "x p a b");
  EXPECT_EQ(turned_by([](Model&, Expr, Expr, Expr q) { return 3.0 * q; }), "x p");
  EXPECT_EQ(turned_by([](Model&, Expr x, Expr, Expr q) { return where(x > 3.0, 1.0, q); }), "x p");
  EXPECT_EQ(turned_by([](Model&, Expr x, Expr, Expr) { return sign(x); }), "x p");
  EXPECT_EQ(turned_by([](Model&, Expr x, Expr, Expr) { return abs(x); }), "x p a b");
}

TEST(ParametersAsStates, OneElementOfAnArrayIsTurnedAlone) {
  Stove stove;
  const auto whole = turned(stove.m, {"loss"});
  EXPECT_EQ(states_of(*whole.model), "T U loss[0] loss[1] loss[2] stored twice");
  EXPECT_EQ(whole.parameters, (std::vector<std::uint32_t>{2, 3, 4}));
  EXPECT_TRUE(whole.model->find("loss")->is_array);
  EXPECT_EQ(whole.model->find("loss")->start_of(2), 2.0);
  EXPECT_EQ(whole.model->find("loss")->attributes.nominal, 0.5) << "the smallest but zero";

  const auto one = turned(stove.m, {"loss[2]"});
  const ModelDefinition& m = *one.model;
  EXPECT_EQ(states_of(m), "T U loss[2] stored twice");
  EXPECT_EQ(m.find("loss"), nullptr);
  EXPECT_EQ(m.find("loss[2]")->kind, InputKind::state);
  EXPECT_EQ(m.find("loss[2]")->attributes.start, 2.0);
  EXPECT_EQ(m.find("loss[0]")->kind, InputKind::parameter);
  EXPECT_EQ(m.find("loss[0]")->attributes.start, 0.5);
  EXPECT_EQ(m.initial_values(InputKind::parameter), (std::vector{4.0, 0.5, 0.0, 10.0, 0.0}));
  EXPECT_EQ(text_of_equation(m, "loss[2] is constant"), "der(loss[2]) == 0");
}

TEST(ParametersAsStates, WhatOccursNowhereIsAStateAllTheSame) {
  Stove stove;
  const auto made = turned(stove.m, {"idle"});
  EXPECT_EQ(states_of(*made.model), "T U idle stored twice");
  EXPECT_EQ(made.model->find("idle")->attributes.nominal, 1.0);
}

TEST(ParametersAsStates, WithoutAnythingToTurnTheModelIsTheSame) {
  Model m("decay");
  Expr x = m.state("x", 1.0), k = m.parameter("k", 1.0);
  m.equation(der(x) == -k * x);
  const auto definition = m.build();
  EXPECT_EQ(with_parameters_as_states(definition, {}).model, definition);
  EXPECT_NE(with_parameters_as_states(definition, ParameterNames{"k"}).model, definition);
}

TEST(ParametersAsStates, OtherNamesAreRefused) {
  Stove stove;
  EXPECT_EQ(refusal_of_turning(stove.m, {"gain", "limits"}),
            "model 'stove': 'limits' is not a parameter; the nearest is 'limit'");
  EXPECT_EQ(refusal_of_turning(stove.m, {"T"}),
            "model 'stove': 'T' is not a parameter but a state");
  EXPECT_EQ(refusal_of_turning(stove.m, {"count"}),
            "model 'stove': 'count' is not a parameter but a discrete variable");
  EXPECT_EQ(refusal_of_turning(stove.m, {"loss[3]"}),
            "model 'stove': 'loss[3]' is not a parameter: the elements of 'loss' are 'loss[0]' to "
            "'loss[2]'");
}

TEST(ParametersAsStates, APreviousValueInAnEquationIsRefused) {
  Model m("held");
  Expr x = m.state("x", 0.0), z = m.discrete("z", 0.0);
  (void)m.parameter("p", 1.0);
  m.equation("motion", der(x) == 1.0 + pre(z));
  m.when("store", x > 1.0, {{z, x}});
  const std::string said = refusal_of_turning(m, {"p"});
  EXPECT_NE(said.find("equation 'motion' reads pre(z)"), std::string::npos) << said;
}

TEST(ParametersAsStates, AnOutputOfTheSameNameIsTheColumn) {
  Model m("shown");
  Expr x = m.state("x", 1.0), k = m.parameter("k", 2.0);
  m.equation(der(x) == -k * x);
  EXPECT_FALSE(turned(m, {"k"}).model->find("k")->hidden);
  m.output("k", 1000.0 * k);
  EXPECT_TRUE(turned(m, {"k"}).model->find("k")->hidden);
}

}  // namespace
}  // namespace saltus
