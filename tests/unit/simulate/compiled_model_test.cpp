// A model that is compiled once and run with many values: the bits are those of compiling it for each.
#include <gtest/gtest.h>

#include <cmath>

#include <saltus/saltus.hpp>

#include "support/same_bits.hpp"

namespace saltus {
namespace {

using test::difference;

struct Case {
  const char* name;
  void (*write)(Model&);
  std::vector<Named<double>> values;
  double t_end;
};

void write_ball_to_be_thrown(Model& m) {
  Expr e = m.parameter("e", 0.5);
  Expr h = m.state("h", 1.0), v = m.state("v", 0.0);
  Expr n = m.discrete("n", 3.0);
  m.equation("h", der(h) == v);
  m.equation("v", der(v) == -9.81);
  m.when("ground", h < 0.0, {{v, -e * pre(v)}, {n, pre(n) + 1.0}});
}

// Index 3, then an ODE, then index 3 again with an unknown that did not exist before.
void write_rope_to_be_cut(Model& m) {
  Expr length = m.parameter("length", 1.0), limit = m.parameter("limit", 9.81),
       g = m.parameter("g", 9.81);
  Expr x = m.state("x", 1.0, {.derivative_start = 0.0});
  Expr y = m.state("y", 0.0, {.derivative_start = 0.0});
  Expr heat = m.state("heat", 2.0), force = m.algebraic("force");
  const ModeId rope = m.mode("rope"), flight = m.mode("flight");
  m.equation(rope, "x", der(der(x)) == -force * x);
  m.equation(rope, "y", der(der(y)) == -force * y - g);
  m.equation(rope, "length", x * x + y * y == length * length);
  m.equation(flight, "x", der(der(x)) == 0.0);
  m.equation(flight, "y", der(der(y)) == -g);
  m.equation(flight, "heat", der(heat) == -heat);
  m.transition("cut", rope, {flight}, der(x) * der(x) + der(y) * der(y) > limit);
  m.start_in(rope);
}

void write_start_to_be_found(Model& m) {
  Expr k = m.parameter("k", 2.0);
  Expr x = m.state("x", Attributes{.guess = 1.0}), y = m.algebraic("y");
  m.equation("x", der(x) == -k * x + y);
  m.equation("y", y * y * y + y == x);
  m.initial_equation("steady", der(x) == -k);
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"ball", &write_ball_to_be_thrown, {{"e", 0.8}, {"h", 2.0}, {"n", -1.0}}, 3.0},
      {"rope", &write_rope_to_be_cut, {{"limit", 8.0}, {"g", 9.0}, {"heat", 5.0}}, 1.0},
      {"start", &write_start_to_be_found, {{"k", 3.0}}, 1.0},
  };
  return all;
}

TEST(CompiledModels, WithOtherValuesAreThoseOfTheirOwn) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    Model m(c.name);
    c.write(m);
    const auto model = m.build();
    const CompiledModel compiled(model);
    const RunOptions options{.t_end = c.t_end};
    const Solution anew = simulate(with_values(model, c.values), options);
    ASSERT_TRUE(anew.ok()) << anew.report.message;
    // Before and after the values it was compiled with have been run, and once more from other values.
    EXPECT_EQ(difference(simulate(compiled.with_values(c.values), options), anew), "");
    EXPECT_EQ(difference(simulate(compiled, options), simulate(model, options)), "");
    EXPECT_EQ(difference(simulate(compiled.with_values(c.values), options), anew), "");
    const CompiledModel back = compiled.with_values(c.values);
    EXPECT_EQ(difference(simulate(back, options), anew), "");
    // The twin: other values are another run.
    EXPECT_NE(difference(simulate(compiled, options), anew), "");
  }
}

TEST(CompiledModels, AreCompiledOnce) {
  Model m("rope");
  write_rope_to_be_cut(m);
  const CompiledModel compiled(m.build());
  ASSERT_TRUE(simulate(compiled, {.t_end = 1.0}).ok());
  const CompilationCounts once = compilation_counts(*compiled.source());
  EXPECT_EQ(once.modes, 2u);
  for (const double limit : {7.0, 8.0, 9.0})
    ASSERT_TRUE(simulate(compiled.with_values({{"limit", limit}}), {.t_end = 1.0}).ok());
  const CompilationCounts then = compilation_counts(*compiled.source());
  EXPECT_EQ(then.modes, once.modes);
  EXPECT_EQ(then.differentiated, once.differentiated);
  EXPECT_EQ(then.transitions, once.transitions);
}

TEST(CompiledModels, ValuesAddUp) {
  Model m("ball");
  write_ball_to_be_thrown(m);
  const auto model = m.build();
  const CompiledModel both =
      CompiledModel(model).with_values({{"e", 0.9}}).with_values({{"h", 3.0}});
  EXPECT_EQ(difference(simulate(both, {.t_end = 1.0}),
                       simulate(with_values(model, {{"e", 0.9}, {"h", 3.0}}), {.t_end = 1.0})),
            "");
  EXPECT_THROW((void)both.with_values({{"nobody", 1.0}}), ModelError);
}

TEST(CompiledModels, HaveDerivativesToo) {
  Model m("ball");
  write_ball_to_be_thrown(m);
  const auto model = m.build();
  const RunOptions options{.t_end = 1.0, .sensitivities = {"e"}};
  const Solution anew = simulate(with_values(model, {{"e", 0.7}}), options);
  const Solution s = simulate(CompiledModel(model).with_values({{"e", 0.7}}), options);
  EXPECT_EQ(s.sensitivity("h", "e", 1.0), anew.sensitivity("h", "e", 1.0));
  EXPECT_NE(s.sensitivity("h", "e", 1.0), 0.0);
}

}  // namespace
}  // namespace saltus
