// Diodes, switches and thyristors: which modes they become, and what is refused.
#include <gtest/gtest.h>

#include <saltus/core/error.hpp>
#include <saltus/model.hpp>

#include "model/linear_forms.hpp"

namespace saltus {
namespace {

std::string pair_refusal(const std::function<void()>& write) {
  try {
    write();
  } catch (const ModelError& e) {
    return e.what();
  }
  return "";
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<std::string> names_of_modes(const ModelDefinition& model) {
  std::vector<std::string> names;
  for (const Mode& mode : model.modes()) names.push_back(mode.name);
  return names;
}

std::vector<std::string> equations_of_mode(const ModelDefinition& model, const std::string& mode) {
  std::vector<std::string> texts;
  for (const Equation& q : model.equations())
    if (q.mode != none && model.modes()[q.mode].name == mode)
      texts.push_back(q.name + ": " + to_text(model.graph(), q.left));
  return texts;
}

std::vector<std::string> requirements_of_mode(const ModelDefinition& model,
                                              const std::string& mode) {
  std::vector<std::string> texts;
  for (const Mode& m : model.modes())
    if (m.name == mode)
      for (const Literal l : m.requirements) texts.push_back(condition_text(model.graph(), l));
  return texts;
}

/// A source, a resistor of 1 Ohm, and whatever is put in series: `v` across it, `i` through it.
struct OneLoop {
  Model m{"loop"};
  Expr v = m.algebraic("v"), i = m.algebraic("i");
  OneLoop() { m.equation("loop", sin(m.time()) == i + v); }
};

using Names = std::vector<std::string>;

TEST(Pairs, ADiodeIsTwoModes) {
  OneLoop c;
  c.m.diode("D", c.v, c.i);
  const auto model = c.m.build();
  EXPECT_EQ(names_of_modes(*model), (Names{"D blocks", "D conducts"}));
  EXPECT_EQ(equations_of_mode(*model, "D blocks"), Names{"D: i"});
  EXPECT_EQ(equations_of_mode(*model, "D conducts"), Names{"D: v"});
  EXPECT_EQ(requirements_of_mode(*model, "D blocks"), Names{"v <= 0"});
  EXPECT_EQ(requirements_of_mode(*model, "D conducts"), Names{"i >= 0"});
  ASSERT_EQ(model->transitions().size(), 2u);
  EXPECT_EQ(model->transitions()[0].name, "D begins to conduct");
  EXPECT_EQ(condition_text(model->graph(), model->transitions()[0].guard), "v > 0");
  EXPECT_EQ(model->transitions()[0].candidates, std::vector<ModeId>{1});
  EXPECT_EQ(model->transitions()[1].name, "D ceases to conduct");
  EXPECT_EQ(condition_text(model->graph(), model->transitions()[1].guard), "i < 0");
  EXPECT_EQ(model->first_modes().size(), 2u);
}

TEST(Pairs, TheModelCanGoOnGrowing) {
  OneLoop c;
  c.m.diode("D", c.v, c.i);
  (void)c.m.build();
  Expr w = c.m.state("w", 0.0);
  c.m.equation(der(w) == c.i);
  EXPECT_EQ(c.m.build()->modes().size(), 2u);
}

TEST(Pairs, TheStateIsAnOutput) {
  OneLoop c;
  c.m.diode("D", c.v, c.i);
  const auto model = c.m.build();
  ASSERT_EQ(model->outputs().size(), 1u);
  EXPECT_EQ(model->outputs()[0].name, "D.conducts");
  for (const ModeId mode : {0U, 1U}) {
    const auto part = model_of_mode(*model, mode);
    ASSERT_EQ(part->outputs().size(), 1u);
    EXPECT_TRUE(part->graph().is_constant(part->outputs()[0].node, mode)) << mode;
  }
}

TEST(Pairs, ASwitchFollowsItsCondition) {
  OneLoop c;
  c.m.ideal_switch("S", c.v, c.i, c.m.time() > 1.0);
  const auto model = c.m.build();
  EXPECT_EQ(names_of_modes(*model), (Names{"S open", "S closed"}));
  EXPECT_EQ(requirements_of_mode(*model, "S open"), Names{"time <= 1"});
  EXPECT_EQ(requirements_of_mode(*model, "S closed"), Names{"time > 1"});
}

TEST(Pairs, AThyristorIsFiredByItsGateOnly) {
  OneLoop c;
  c.m.thyristor("T", c.v, c.i, c.m.time() > 1.0);
  const auto model = c.m.build();
  EXPECT_EQ(names_of_modes(*model), (Names{"T blocks", "T gated", "T conducts"}));
  for (const Transition& t : model->transitions()) {
    const std::vector<ModeId> to[] = {{1}, {2, 0}, {0}};
    EXPECT_EQ(t.candidates, to[t.from]) << t.name;
    // It is turned off only if it cannot conduct, at whatever price.
    if (t.from == 1) {
      EXPECT_EQ(t.group_ends, (std::vector<std::uint32_t>{1, 1, 2}));
    }
  }
  EXPECT_EQ(model->first_modes().size(), 2u);  // it cannot have been fired before
}

TEST(Pairs, FewChangesAreTriedFirst) {
  Model m("three diodes");
  std::vector<Expr> v, i;
  for (const char* k : {"1", "2", "3"}) {
    v.push_back(m.algebraic(std::string("v") + k));
    i.push_back(m.algebraic(std::string("i") + k));
    m.equation(sin(m.time()) == i.back() + v.back());
    m.diode(std::string("D") + k, v.back(), i.back());
  }
  const auto model = m.build();
  ASSERT_EQ(model->modes().size(), 8u);
  for (const Transition& t : model->transitions()) {
    EXPECT_EQ(t.candidates.size(), 7u);
    // Its own change alone, with one of the others, with both; then the others without it.
    EXPECT_EQ(t.group_ends, (std::vector<std::uint32_t>{1, 3, 4, 6, 7}));
  }
}

TEST(Pairs, ModesOfTheUserAreKeptBesideThem) {
  OneLoop c;
  Expr x = c.m.state("x", 0.0);
  const ModeId slow = c.m.mode("slow"), fast = c.m.mode("fast");
  c.m.equation(slow, der(x) == c.i);
  c.m.equation(fast, der(x) == 10.0 * c.i);
  c.m.require(slow, x <= 1.0);
  c.m.transition("accelerates", slow, fast, x > 0.5);
  c.m.start_in(fast);
  c.m.diode("D", c.v, c.i);
  const auto model = c.m.build();
  EXPECT_EQ(names_of_modes(*model),
            (Names{"slow, D blocks", "slow, D conducts", "fast, D blocks", "fast, D conducts"}));
  EXPECT_EQ(requirements_of_mode(*model, "slow, D blocks"), (Names{"x <= 1", "v <= 0"}));
  EXPECT_EQ(std::vector<ModeId>(model->first_modes().begin(), model->first_modes().end()),
            (std::vector<ModeId>{2, 3}));
  std::size_t n = 0;
  for (const Transition& t : model->transitions()) {
    if (t.name != "accelerates") continue;
    ++n;
    EXPECT_EQ(t.candidates,
              t.from == 0 ? (std::vector<ModeId>{2, 3}) : (std::vector<ModeId>{3, 2}));
    EXPECT_GT(t.priority, model->transitions().back().priority);
  }
  EXPECT_EQ(n, 2u);
}

// ---- dependent equations ---------------------------------------------------------------------------

TEST(Pairs, PartsThatFloatLeakAlike) {
  // Two diodes in series, the same way round.
  OneLoop c;
  Expr between = c.m.algebraic("between");
  Expr i2 = c.m.algebraic("i2");
  c.m.equation("node", c.i == i2);
  c.m.diode("D1", c.v - between, c.i);
  c.m.diode("D2", between, i2);
  const auto model = c.m.build();
  EXPECT_EQ(equations_of_mode(*model, "D1 blocks, D2 blocks"),
            (Names{"D1: i", "D1, D2 leak alike: 2*between - v"}));
  EXPECT_EQ(equations_of_mode(*model, "D1 conducts, D2 blocks"),
            (Names{"D1: v - between", "D2: i2"}));
  // What leaks through the first is told by the voltage of the second.
  EXPECT_EQ(requirements_of_mode(*model, "D1 conducts, D2 blocks"),
            (Names{"between >= 0", "between <= 0"}));
  // Both conduct: none depends on the other.
  EXPECT_EQ(requirements_of_mode(*model, "D1 conducts, D2 conducts"), (Names{"i >= 0", "i2 >= 0"}));
}

TEST(Pairs, DiodesInParallelShareAlike) {
  OneLoop c;
  Expr i1 = c.m.algebraic("i1"), i2 = c.m.algebraic("i2");
  c.m.equation("node", c.i == i1 + i2);
  c.m.diode("D1", c.v, i1);
  c.m.diode("D2", 2.0 * c.v / 2.0, i2);
  const auto model = c.m.build();
  EXPECT_EQ(equations_of_mode(*model, "D1 conducts, D2 conducts"),
            (Names{"D1: v", "D1, D2 resist alike: i2 - i1"}));
  EXPECT_EQ(requirements_of_mode(*model, "D1 conducts, D2 blocks"), (Names{"i1 >= 0", "i1 <= 0"}));
}

TEST(Pairs, StatesThatContradictASourceAreNoModes) {
  Model m("a source alone");
  Expr i = m.algebraic("i"), v = m.algebraic("v");
  m.equation("source", v == sin(m.time()));
  m.diode("D1", v, i);
  EXPECT_EQ(names_of_modes(*m.build()), Names{"D1 blocks"});
  Model always("a source of current and of voltage");
  Expr j = always.algebraic("j"), w = always.algebraic("w");
  always.equation("source", w + j == sin(always.time()));
  always.diode("D1", w + j, 2.0 * (w + j));
  const std::string text = pair_refusal([&] { (void)always.build(); });
  EXPECT_TRUE(says(text, "'D1 blocks' contradicts")) << text;
  EXPECT_TRUE(says(text, "'D1 conducts' contradicts")) << text;
}

TEST(LinearForms, PutEqualTermsTogether) {
  Model m("sums");
  Expr x = m.state("x", 0.0), y = m.state("y", 0.0);
  const Expr sum = 2.0 * (x - y) - (x + sin(y)) / 4.0 + 3.0;
  const auto form = detail::linear_form(m.graph(), sum.in(m.graph()));
  EXPECT_EQ(form.at(x.id()), 1.75);
  EXPECT_EQ(form.at(y.id()), -2.0);
  EXPECT_EQ(form.at(sin(y).id()), -0.25);
  EXPECT_EQ(form.at(none), 3.0);
  EXPECT_EQ(form.size(), 4u);
}

TEST(LinearForms, TermsThatAreNotTheSameDoNotCancel) {
  Model m("rows");
  Expr x = m.state("x", 0.0), y = m.state("y", 0.0), p = m.parameter("p", 2.0);
  Graph& g = m.graph();
  const auto form = [&](const Expr& e) { return detail::linear_form(g, e.in(g)); };
  using Kind = detail::RowSpace::Kind;
  detail::RowSpace rows(g);
  EXPECT_EQ(rows.add(form(x + p * y), 0).kind, Kind::independent);
  EXPECT_EQ(rows.add(form(2.0 * x + 2.0 * (p * y)), 1).kind, Kind::dependent);
  EXPECT_EQ(rows.add(form(x + p * y + p), 2).kind, Kind::contradictory);
  EXPECT_EQ(rows.add(form(x + 2.0 * y), 3).kind, Kind::independent);  // though p is 2
}

// ---- refused ---------------------------------------------------------------------------------------

TEST(Pairs, RefusesByName) {
  OneLoop c;
  Model other("other");
  Expr foreign = other.state("x", 0.0);
  Expr p = c.m.parameter("p", 1.0);
  const auto with = [&](const Expr& v, const Expr& i) {
    return pair_refusal([&] { c.m.diode("D7", v, i); });
  };
  EXPECT_TRUE(says(with(foreign, c.i), "diode 'D7': its voltage")) << with(foreign, c.i);
  EXPECT_TRUE(says(with(foreign, c.i), "another model"));
  EXPECT_TRUE(says(with(c.v, foreign), "diode 'D7': its current"));
  EXPECT_TRUE(says(with(1.0, c.i), "its voltage, '1', contains no unknown")) << with(1.0, c.i);
  EXPECT_TRUE(says(with(c.v, p), "its current, 'p', contains no unknown"));
  EXPECT_TRUE(says(with(c.v, c.v), "are both 'v'"));
  EXPECT_TRUE(says(pair_refusal([&] { c.m.diode("", c.v, c.i); }), "needs a name"));
  EXPECT_TRUE(says(pair_refusal([&] { c.m.ideal_switch("S", c.v, c.i, foreign > 0.0); }),
                   "switch 'S' has a condition of another model"));
  c.m.diode("D", c.v, c.i);
  EXPECT_TRUE(says(pair_refusal([&] { c.m.thyristor("D", c.v, c.i, c.m.time() > 0.0); }),
                   "thyristor 'D' is declared twice"));
}

TEST(Pairs, RefusesElementsAndTakenNames) {
  Model m("arrays");
  Expr v = m.algebraics("v", 2), i = m.algebraics("i", 2);
  EXPECT_TRUE(says(pair_refusal([&] { m.diode("D", v, i); }), "one declaration per element"));
  m.output("D.conducts", v[0]);
  EXPECT_TRUE(says(pair_refusal([&] { m.diode("D", v[0], i[0]); }), "D.conducts"));
}

TEST(Pairs, CountsOneEquationEach) {
  OneLoop c;
  c.m.diode("D1", c.v, c.i);
  c.m.diode("D2", c.v, 2.0 * c.i + c.v);
  const std::string text = pair_refusal([&] { (void)c.m.build(); });
  EXPECT_TRUE(says(text, "1 equation too many")) << text;
  EXPECT_TRUE(says(text, "2 unknowns but 3 equations")) << text;
  EXPECT_TRUE(says(text, "each diode")) << text;
}

TEST(Pairs, RefusesMoreCombinationsThanCanBeTried) {
  Model m("many");
  for (int k = 0; k < 13; ++k) {
    const std::string number = std::to_string(k);
    Expr v = m.algebraic("v" + number), i = m.algebraic("i" + number);
    m.equation(v + i == sin(m.time()));
    m.diode("D" + number, v, i);
    if (k == 10) {
      const std::string text = pair_refusal([&] { (void)m.build(); });
      EXPECT_TRUE(says(text, "more than 1024 possible combinations")) << text;
      EXPECT_TRUE(says(text, "'D0' to 'D10'")) << text;
    }
  }
  const std::string text = pair_refusal([&] { (void)m.build(); });
  EXPECT_TRUE(says(text, "at most 12")) << text;
  EXPECT_TRUE(says(text, "13 diodes")) << text;
}

}  // namespace
}  // namespace saltus
