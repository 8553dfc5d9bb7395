#include <saltus/simulate/analysis_json.hpp>

#include <gtest/gtest.h>

#include "unit/io/readers.hpp"

namespace saltus {
namespace {

using test::Json;
using test::JsonReader;

void write_json_pendulum(Model& m) {
  Expr x = m.state("x", 0.0, {.derivative_start = 0.0});
  Expr y = m.state("y", -1.0, {.derivative_start = 0.0});
  Expr force = m.algebraic("force", {.guess = 9.81});
  Expr push = m.input("push", callback([](double, int) { return 0.0; }, 3));
  m.equation("horizontal", der(der(x)) == -force * x + push);
  m.equation("vertical", der(der(y)) == -force * y - 9.81);
  m.equation("rod", x * x + y * y == 1.0);
  m.output("speed", der(x));
}

std::vector<std::string> texts_of(const Json& array) {
  std::vector<std::string> texts;
  for (const Json& element : array.elements) texts.push_back(element.text);
  return texts;
}

TEST(AnalysisJson, AnAnalysisReadsBack) {
  Model m("pendulum");
  write_json_pendulum(m);
  const ModelAnalysis analysis = analyze(m);
  const Json json = JsonReader::read(to_json(analysis));
  EXPECT_EQ(json["model"].text, "pendulum");
  const Json& mode = json["modes"][0];
  EXPECT_EQ(mode["mode"].text, "");
  const Json& structure = mode["structure"];
  EXPECT_FALSE(structure["singular"].truth);
  EXPECT_EQ(structure["index"].number, 3.0);
  EXPECT_EQ(structure["degrees_of_freedom"].number, 2.0);
  EXPECT_EQ(texts_of(structure["states"]), analysis.modes[0].states);
  EXPECT_EQ(texts_of(structure["equations"]), analysis.modes[0].structure.equations);
  EXPECT_EQ(structure["differentiated"][0]["equation"].text, "rod");
  EXPECT_EQ(structure["differentiated"][0]["times"].number, 2.0);
  EXPECT_EQ(structure["hidden_constraints"][0]["text"].text,
            analysis.modes[0].hidden_constraints[0].text);
  EXPECT_EQ(structure["inputs"][0]["name"].text, "push");
  EXPECT_EQ(structure["inputs"][0]["derivatives_available"].number, 3.0);
  EXPECT_TRUE(structure["check"]["regular"].truth);
  EXPECT_EQ(mode["values"]["mu"].number, 2.0);
  EXPECT_EQ(mode["values"]["a"].number, 3.0);
  EXPECT_EQ(mode["orders"]["second"].number, 1.0);
  EXPECT_EQ(mode["rank_decisions"].elements.size(), analysis.modes[0].decisions.size());
  EXPECT_TRUE(mode["agree"].truth);
}

TEST(AnalysisJson, WhatIsMissingIsNull) {
  Model m("over");
  Expr x = m.state("x", 1.0);
  m.equation("one", x == 1.0);
  m.equation("two", x == 2.0);
  m.allow_unequal_counts();
  const Json json = JsonReader::read(to_json(analyze(m, {.numbers = false})));
  const Json& mode = json["modes"][0];
  EXPECT_TRUE(mode["structure"]["singular"].truth);
  EXPECT_EQ(mode["structure"]["index"].kind, Json::Kind::null);
  EXPECT_EQ(mode["structure"]["check"].kind, Json::Kind::null);
  EXPECT_EQ(mode["values"].kind, Json::Kind::null);
  EXPECT_EQ(mode["agree"].kind, Json::Kind::null);
  EXPECT_EQ(texts_of(mode["structure"]["overdetermined"]["equations"]),
            (std::vector<std::string>{"one", "two"}));
}

TEST(AnalysisJson, ModesAndTransitionsReadBack) {
  Model m("hook \"A\"");
  Expr x = m.state("x", 1.0), v = m.state("v", 0.0), f = m.algebraic("f"), z = m.algebraic("z");
  m.equation("motion", der(x) == v);
  m.equation("balance", 2.0 * der(v) == f - 9.81);
  const ModeId falls = m.mode("falls"), hangs = m.mode("hangs"), lost = m.mode("lost");
  m.equation(falls, "no force", f == 0.0);
  m.equation(hangs, "hook", x == 0.5);
  m.equation(hangs, "load", z == 2.0 * f);
  m.equation(lost, "no force either", f == 0.0);
  m.transition("caught", falls, hangs, x <= 0.5, {.priority = 3});
  const ModelAnalysis analysis = analyze(m);
  const Json json = JsonReader::read(to_json(analysis));
  EXPECT_EQ(json["first_mode"].text, "falls");
  EXPECT_EQ(texts_of(json["mode_names"]), (std::vector<std::string>{"falls", "hangs", "lost"}));
  EXPECT_EQ(texts_of(json["unreachable"]), std::vector<std::string>{"lost"});
  EXPECT_TRUE(json["regular"].truth);
  EXPECT_EQ(json["largest_index"].number, 3.0);
  EXPECT_EQ(json["modes"][0]["classes"]["x"].text, "differential");
  EXPECT_EQ(json["modes"][1]["classes"]["x"].text, "algebraic");
  ASSERT_EQ(json["transitions"].elements.size(), 1u);
  const Json& t = json["transitions"][0];
  EXPECT_EQ(t["name"].text, "caught");
  EXPECT_EQ(t["to"].text, "hangs");
  EXPECT_EQ(t["guard"].text, "x <= 0.5");
  EXPECT_EQ(t["priority"].number, 3.0);
  EXPECT_TRUE(t["compared"].truth);
  EXPECT_EQ(t["change"]["d"].number, -2.0);
  EXPECT_EQ(t["change"]["a"].number, 3.0);
  EXPECT_EQ(t["change"]["u"].number, -1.0);
  EXPECT_EQ(t["change"]["case"].number, 8.0);
  EXPECT_TRUE(t["impulses_possible"].truth);
  EXPECT_FALSE(t["can_be_continuous"].truth);
  EXPECT_TRUE(t["unique"].truth);
  const TransitionAnalysis& original = analysis.transitions[0];
  ASSERT_EQ(t["unknowns"].elements.size(), original.unknowns.size());
  for (std::size_t i = 0; i < original.unknowns.size(); ++i) {
    EXPECT_EQ(t["unknowns"][i]["name"].text, original.unknowns[i].name);
    EXPECT_EQ(t["unknowns"][i]["before"].text, to_text(original.unknowns[i].before));
    EXPECT_EQ(t["unknowns"][i]["can_jump"].truth, original.unknowns[i].can_jump);
  }
  EXPECT_EQ(t["unknowns"][0]["start"].text, "held");
  EXPECT_EQ(t["unknowns"][3]["start"].text, "fresh");
}

TEST(AnalysisJson, TransitionsThatWaitForMoreThanTheirGuardSayForWhat) {
  Model m("belt");
  Expr v = m.state("v", 1.0), force = m.algebraic("force");
  const ModeId slips = m.mode("slips"), sticks = m.mode("sticks");
  m.equation(der(v) == force);
  m.equation(slips, force == -sign(v));
  m.equation(sticks, v == 0.0);
  m.transition("stick", slips, sticks, v > 0.0, {.at_sliding = true});
  m.transition("settle", slips, sticks, v > 0.0, {.at_accumulation = true});
  m.transition("slip", sticks, slips, abs(force) > 1.0);
  const Json json = JsonReader::read(to_json(analyze(m)));
  const bool at_sliding[] = {true, false, false}, at_accumulation[] = {false, true, false};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(json["transitions"][k]["at_sliding"].truth, at_sliding[k]) << k;
    EXPECT_EQ(json["transitions"][k]["at_accumulation"].truth, at_accumulation[k]) << k;
  }
}

TEST(AnalysisJson, ALinearisationReadsBack) {
  Model m("pendulum");
  write_json_pendulum(m);
  const auto found = linearize(m);
  ASSERT_TRUE(found) << found.failure().message;
  const Json json = JsonReader::read(to_json(*found));
  const std::size_t n = found->unknowns.size();
  ASSERT_EQ(json["E"].elements.size(), n);
  const std::pair<const char*, const Matrix*> matrices[] = {
      {"E", &found->matrices.e}, {"A", &found->matrices.a},         {"B", &found->matrices.b},
      {"C", &found->matrices.c}, {"C_dot", &found->matrices.c_dot}, {"D", &found->matrices.d}};
  for (const auto& [key, matrix] : matrices) {
    ASSERT_EQ(json[key].elements.size(), matrix->n_rows) << key;
    for (std::size_t i = 0; i < matrix->n_rows; ++i)
      for (std::size_t j = 0; j < matrix->n_cols; ++j)
        EXPECT_EQ(json[key][i][j].number, (*matrix)(i, j)) << key;
  }
  const Json& pencil = json["pencil"];
  EXPECT_TRUE(pencil["regular"].truth);
  EXPECT_EQ(pencil["index"].number, 3.0);
  ASSERT_EQ(pencil["modes"].elements.size(), 2u);
  EXPECT_EQ(pencil["modes"][0]["imaginary"].number, found->pencil.modes[0].value.imag());
  EXPECT_TRUE(pencil["modes"][0]["controllable"].truth);
  EXPECT_EQ(pencil["controllability"]["finite"].number, 2.0);
  EXPECT_EQ(pencil["structure"].text, "general");
}

}  // namespace
}  // namespace saltus
