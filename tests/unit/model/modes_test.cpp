// Modes and transitions as they are written: what is kept, what is refused, and by which name.
#include <saltus/model.hpp>

#include <gtest/gtest.h>

namespace saltus {
namespace {

template <class Write>
std::string mode_refusal(Write&& write) {
  try {
    write();
  } catch (const ModelError& e) {
    return e.what();
  }
  return "not refused";
}

/// Two modes: a and x in one, b and x in the other.
struct TwoFaces {
  Model m{"faces"};
  Expr d = m.discrete("d", 0.0), p = m.parameter("p", 1.0);
  Expr x = m.state("x", 0.0), a = m.state("a", 0.0), b = m.algebraic("b");
  ModeId front = m.mode("front"), back = m.mode("back");
  Cond guard = x > 1.0;
  TwoFaces() {
    m.equation("motion", der(x) == 1.0);
    m.equation(front, der(a) == x);
    m.equation(back, b == x);
  }
  void turn(TransitionOptions options = {}) {
    m.transition("turn", front, back, guard, std::move(options));
  }
  std::string refused_turn(TransitionOptions options) {
    return mode_refusal([&] { turn(std::move(options)); });
  }
  std::string refused_build() {
    return mode_refusal([&] { m.build(); });
  }
  std::string refused_build(TransitionOptions options) {
    turn(std::move(options));
    return refused_build();
  }
};

const std::string of_turn = "model 'faces', transition 'turn' out of mode 'front'";

TEST(WrittenModes, KeepWhatTransitionsSay) {
  TwoFaces f;
  f.turn({.free = {f.b},
          .equations = {f.b + pre(f.a) == f.x},
          .conserved = {"x"},
          .priority = 3,
          .restart = RestartPolicy::impulse});
  f.m.transition("stay", f.back, f.back, f.x > 2.0, {.maps = {{f.x, pre(f.x) - 2.0}}});
  const auto d = f.m.build();
  const Transition& turn = d->transitions()[0];
  ASSERT_EQ(turn.equations.size(), 1U);
  EXPECT_EQ(turn.equations[0].name, "b + pre(a) == x");
  EXPECT_EQ(turn.free, (std::vector<Input>{{InputKind::algebraic, 0, 0}}));
  EXPECT_EQ(turn.priority, 3);
  EXPECT_EQ(turn.restart, RestartPolicy::impulse);
  EXPECT_EQ(d->transitions()[1].maps.size(), 1U);
}

TEST(WrittenModes, TransitionsHaveNamesAndLeadSomewhere) {
  TwoFaces f;
  EXPECT_EQ(mode_refusal([&] { f.m.transition("", f.front, f.back, f.guard); }),
            "a transition needs a name");
  f.turn();
  EXPECT_EQ(f.refused_turn({}), "transition 'turn' out of mode 'front' is written twice");
  EXPECT_NO_THROW(f.m.transition("turn", f.back, f.front, f.guard));
  EXPECT_EQ(mode_refusal([&] { f.m.transition("lost", f.front, std::vector<ModeId>{}, f.guard); }),
            "transition 'lost' leads to no mode");
  EXPECT_EQ(mode_refusal([&] {
              f.m.transition("echo", f.front, {f.back, f.front, f.back}, f.guard);
            }),
            "transition 'echo' leads to mode 'back' twice");
  EXPECT_EQ(mode_refusal([&] { f.m.transition("out", f.front, 7, f.guard); }),
            "there is no mode 7");
}

TEST(WrittenModes, ConditionsAreScalarsOfThisModel) {
  TwoFaces f;
  Model other("other");
  const Cond foreign = other.state("x", 0.0) > 0.0;
  EXPECT_EQ(mode_refusal([&] { f.m.transition("t", f.front, f.back, foreign); }),
            "transition 't' has a condition of another model");
  EXPECT_EQ(mode_refusal([&] { f.m.require(f.front, foreign); }),
            "a requirement of mode 'front' has a condition of another model");
  const Cond many = f.m.states("u", 3, {}) > 0.0;
  EXPECT_EQ(mode_refusal([&] { f.m.transition("t", f.front, f.back, many); }),
            "transition 't' has a condition with elements: write one per element");
  EXPECT_EQ(mode_refusal([&] { f.m.require(f.back, many); }),
            "a requirement of mode 'back' has a condition with elements: write one per element");
}

TEST(WrittenModes, ConditionsBecomeEvents) {
  TwoFaces f;
  const Cond silent = f.x > 0.0 || untracked(f.x, Comparison::less, -7.0);
  EXPECT_EQ(mode_refusal([&] { f.m.transition("t", f.front, f.back, silent); }),
            "transition 't' waits for 'x < -7', which is untracked and never becomes an event: "
            "write it without untracked()");
  EXPECT_EQ(
      mode_refusal([&] { f.m.require(f.front, silent); }),
      "a requirement of mode 'front' waits for 'x < -7', which is untracked and never becomes "
      "an event: write it without untracked()");
  EXPECT_NO_THROW(f.m.transition("t", f.front, f.back, f.d > 1.0));
}

TEST(WrittenModes, AnAccumulationIsOneOfEvents) {
  TwoFaces f;
  EXPECT_EQ(mode_refusal([&] {
              f.m.transition("rest", f.front, f.back, f.d > 1.0, {.at_accumulation = true});
            }),
            "transition 'rest' waits for events that accumulate, but its guard has no relation");
  EXPECT_NO_THROW(
      f.m.transition("rest", f.front, f.back, f.d > 1.0 && f.x > 0.0, {.at_accumulation = true}));
}

TEST(WrittenModes, ASurfaceToSlideOnIsOneOfARelation) {
  TwoFaces f;
  EXPECT_EQ(mode_refusal(
                [&] { f.m.transition("stick", f.front, f.back, f.d > 1.0, {.at_sliding = true}); }),
            "transition 'stick' waits for a surface to slide on, but its guard has no relation");
  EXPECT_EQ(mode_refusal([&] {
              f.m.transition("stick", f.front, f.back, f.x > 0.0,
                             {.at_accumulation = true, .at_sliding = true});
            }),
            "transition 'stick' cannot be taken both at_accumulation and at_sliding: write two "
            "transitions");
  EXPECT_NO_THROW(
      f.m.transition("stick", f.front, f.back, f.d > 1.0 && f.x > 0.0, {.at_sliding = true}));
}

TEST(WrittenModes, OnlyUnknownsStartAnewAndInOneWay) {
  TwoFaces f;
  EXPECT_EQ(f.refused_turn({.maps = {{f.d, 1.0}}}),
            "transition 'turn' sets the discrete 'd': only unknowns start anew in a mode; a "
            "when-clause sets discrete variables");
  EXPECT_EQ(f.refused_turn({.free = {f.p}}),
            "transition 'turn' sets the parameter 'p': only unknowns start anew in a mode; a "
            "when-clause sets discrete variables");
  EXPECT_EQ(f.refused_turn({.maps = {{f.x + 1.0, 1.0}}}),
            "transition 'turn' sets something that is not a variable of this model");
  EXPECT_EQ(f.refused_turn({.maps = {{f.x, 1.0}, {f.x, 2.0}}}), "transition 'turn' sets 'x' twice");
  EXPECT_EQ(f.refused_turn({.maps = {{f.x, 1.0}}, .free = {f.b, f.x}}),
            "transition 'turn' sets 'x' twice");
  EXPECT_EQ(f.refused_turn({.free = {der(f.x), der(f.x)}}),
            "transition 'turn' sets 'der(x)' twice");
  const Expr u = f.m.parameters("u", std::vector{1.0, 2.0});
  EXPECT_EQ(f.refused_turn({.maps = {{f.x, u}}}), "transition 'turn' sets 'x' to an array");
}

TEST(WrittenModes, ArraysStartElementByElement) {
  Model m("row");
  const Expr u = m.states("u", std::vector{1.0, 2.0});
  const ModeId one = m.mode("one"), two = m.mode("two");
  m.equation(der(u) == -u);
  m.transition("t", one, two, u[0] < 0.5, {.maps = {{u, 2.0 * u}}});
  m.transition("back", two, one, u[0] < 0.5, {.free = {u}, .equations = {u == pre(u)}});
  EXPECT_EQ(m.build()->transitions()[0].maps.size(), 2U);
  EXPECT_EQ(m.build()->transitions()[1].free.size(), 2U);
  const Expr w = m.parameters("w", std::vector{1.0, 2.0, 3.0});
  EXPECT_EQ(mode_refusal([&] {
              m.transition("bad", one, two, u[0] < 0.5, {.maps = {{u, w}}});
            }),
            "transition 'bad' sets 2 elements to 3");
}

TEST(WrittenModes, EquationsBetweenLimitsFindFreeUnknowns) {
  TwoFaces f;
  EXPECT_EQ(f.refused_turn({.free = {f.b}, .equations = {f.b == pre(f.x), f.x == pre(f.a)}}),
            "transition 'turn' has 2 equations between limits but 1 free unknown: free one for "
            "each equation");
  EXPECT_EQ(f.refused_build({.free = {f.b}, .equations = {f.x == pre(f.a)}}),
            of_turn + ", equation 'x == pre(a)' contains none of the free unknowns");
}

TEST(WrittenModes, WhatTheModeLeftDoesNotHaveIsNotRead) {
  const std::string no_b = "reads 'b', which occurs in no equation of mode 'front'";
  TwoFaces guard;
  guard.guard = guard.b > 0.0;
  EXPECT_EQ(guard.refused_build({}), of_turn + ": its guard " + no_b);
  TwoFaces map;
  EXPECT_EQ(map.refused_build({.maps = {{map.x, 2.0 * map.b}}}),
            of_turn + ": the value of 'x' " + no_b);
  TwoFaces before;
  EXPECT_EQ(before.refused_build({.maps = {{before.x, pre(before.b)}}}),
            of_turn + ": the value of 'x' " + no_b);
  TwoFaces derivative;
  EXPECT_EQ(derivative.refused_build({.maps = {{derivative.x, der(derivative.x, 2)}}}),
            of_turn +
                ": the value of 'x' reads 'der(der(x))', which occurs in no equation of mode "
                "'front'");
  TwoFaces limit;
  EXPECT_EQ(
      limit.refused_build({.free = {limit.b}, .equations = {limit.b == pre(limit.b)}}),
      of_turn + ", equation 'b == pre(b)' reads pre(b), but mode 'front' has no such unknown");
}

TEST(WrittenModes, WhatACandidateDoesNotHaveIsNotSet) {
  TwoFaces map;
  EXPECT_EQ(map.refused_build({.maps = {{map.a, 1.0}}}),
            of_turn + " maps 'a', which is not an unknown of mode 'back'");
  TwoFaces derivative;
  EXPECT_EQ(derivative.refused_build({.maps = {{der(derivative.x), 1.0}}}),
            of_turn + " maps 'der(x)', which is not an unknown of mode 'back'");
  TwoFaces free;
  EXPECT_EQ(free.refused_build({.free = {free.a}}),
            of_turn + " frees 'a', which is not an unknown of mode 'back'");
  TwoFaces limit;
  EXPECT_EQ(limit.refused_build({.free = {limit.b}, .equations = {limit.b == limit.a}}),
            of_turn + ", equation 'b == a' reads 'a', which is not an unknown of mode 'back'");
  TwoFaces one_of_two;
  one_of_two.m.transition("either", one_of_two.front, {one_of_two.back, one_of_two.front},
                          one_of_two.guard, {.maps = {{one_of_two.b, 1.0}}});
  EXPECT_EQ(
      one_of_two.refused_build(),
      "model 'faces', transition 'either' out of mode 'front' maps 'b', which is not an unknown "
      "of mode 'front'");
}

TEST(WrittenModes, ConservedQuantitiesExistOnBothSides) {
  TwoFaces unknown;
  EXPECT_EQ(unknown.refused_build({.conserved = {"charge"}}),
            of_turn +
                ": 'charge' is declared as conserved, but is neither an output nor a single "
                "unknown: make it an output");
  TwoFaces held;
  EXPECT_EQ(held.refused_build({.conserved = {"p"}}),
            of_turn +
                ": 'p' is declared as conserved, but is neither an output nor a single unknown: "
                "make it an output");
  TwoFaces one_sided;
  one_sided.m.output("sum", one_sided.x + one_sided.a);
  EXPECT_EQ(
      one_sided.refused_build({.conserved = {"sum"}}),
      of_turn +
          ": 'sum' is declared as conserved, but does not exist in mode 'back', which has no 'a'");
  TwoFaces fine;
  fine.m.output("twice", 2.0 * fine.x);
  EXPECT_EQ(fine.refused_build({.conserved = {"twice", "x"}}), "not refused");
}

TEST(WrittenModes, RequirementsAndConditionsReadWhatIsThere) {
  TwoFaces requirement;
  requirement.m.require(requirement.back, requirement.a > 0.0);
  EXPECT_EQ(
      requirement.refused_build(),
      "model 'faces', mode 'back': requirement 'a > 0' reads 'a', which occurs in no equation "
      "of mode 'back'");
  TwoFaces branch;
  const Expr c = branch.m.algebraic("c");
  branch.m.equation(branch.back, "choice", c == where(branch.a > 0.0, 1.0, 2.0));
  EXPECT_EQ(branch.refused_build(),
            "model 'faces', mode 'back', equation 'choice': a condition reads 'a', which occurs in "
            "no equation of this mode");
}

TEST(WrittenModes, ValuesBeforeAreForMapsAndEquationsBetweenLimits) {
  TwoFaces guard;
  guard.guard = pre(guard.x) > 0.0;
  EXPECT_EQ(
      guard.refused_build({}),
      of_turn +
          ": its guard reads pre(x): the value of a continuous variable before an event has a "
          "meaning in when-clauses, maps and equations between limits only");
  TwoFaces equation;
  equation.m.equation(equation.back, "bad", equation.m.algebraic("c") == pre(equation.x));
  EXPECT_EQ(equation.refused_build(),
            "model 'faces', equation 'bad' reads pre(x): the value of a continuous variable before "
            "an event has a meaning in when-clauses and transitions only");
  TwoFaces fine;
  EXPECT_EQ(fine.refused_build({.maps = {{fine.x, where(fine.x > pre(fine.a), 1.0, 2.0)}}}),
            "not refused");
}

TEST(WrittenModes, OutputsAndWhenClausesExistSomewhere) {
  TwoFaces output;
  output.m.output("both", output.a + output.b);
  EXPECT_EQ(output.refused_build(), "model 'faces': no mode has all variables of output 'both'");
  TwoFaces clause;
  clause.m.when("set", clause.b > 0.0, {reinit(clause.a, 1.0)});
  EXPECT_EQ(clause.refused_build(),
            "model 'faces': no mode has all variables of when-clause 'set'");
}

TEST(WrittenModes, EveryUnknownExistsSomewhereAndArraysAsAWhole) {
  TwoFaces nowhere;
  nowhere.m.state("ghost", 1.0);
  EXPECT_EQ(nowhere.refused_build(), "model 'faces': 'ghost' occurs in no equation of any mode");
  TwoFaces part;
  const Expr u = part.m.states("u", 3, {});
  part.m.equation(part.front, der(u) == 1.0);
  part.m.equation(part.back, der(u[0]) == 1.0);
  part.m.equation(part.back, u[2] == 1.0);
  EXPECT_EQ(part.refused_build(),
            "model 'faces', mode 'back': 'u[1]' occurs in no equation, but other elements of 'u' "
            "do: an array exists as a whole");
}

}  // namespace
}  // namespace saltus
