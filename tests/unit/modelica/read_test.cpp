// What a text becomes.
#include <gtest/gtest.h>

#include <saltus/saltus.hpp>

namespace saltus {
namespace {

TEST(ReadModelica, GivesNameExperimentAndParameters) {
  const ReadModel read = read_modelica(
      "model Decay \"it decays\"\n"
      "  parameter Real k(unit = \"1/s\") = 2 \"rate\";\n"
      "  final parameter Real k2 = 2 * k;\n"
      "  Real x(start = 1, fixed = true);\n"
      "equation\n  der(x) = -k2 * x;\n"
      "  annotation(experiment(StartTime = 0, StopTime = 3, Tolerance = 1e-7, Interval = 0.5));\n"
      "end Decay;\n",
      "decay.mo");
  ASSERT_TRUE(read.ok()) << to_text(read.diagnostics);
  EXPECT_EQ(read.name, "Decay");
  EXPECT_EQ(read.description, "it decays");
  EXPECT_EQ(read.experiment.stop_time, 3.0);
  EXPECT_EQ(read.experiment.tolerance, 1e-7);
  EXPECT_EQ(read.experiment.interval, 0.5);
  ASSERT_EQ(read.parameters.size(), 2U);
  EXPECT_EQ(read.parameters[0].name, "k");
  EXPECT_EQ(read.parameters[0].unit, "1/s");
  EXPECT_TRUE(read.parameters[0].can_be_set);
  EXPECT_EQ(read.parameters[1].value, 4.0);
  EXPECT_FALSE(read.parameters[1].can_be_set);
}

TEST(ReadModelica, KeepsLoopsAsFamilies) {
  const ReadModel read = read_modelica(
      "model Rod\n  parameter Integer n = 1000;\n  Real u[n](each start = 1, each fixed = true);\n"
      "equation\n  der(u[1]) = 0;\n"
      "  for i in 2:n - 1 loop\n    der(u[i]) = u[i - 1] - 2 * u[i] + u[i + 1];\n  end for;\n"
      "  der(u[n]) = 0;\nend Rod;\n",
      "rod.mo");
  ASSERT_TRUE(read.ok()) << to_text(read.diagnostics);
  const auto definition = read.model->build();
  EXPECT_EQ(definition->equations().size(), 3U);
  EXPECT_EQ(definition->equations()[1].count, 998U);
  EXPECT_LT(definition->graph().size(), 5000U);  // nodes: a few per element, for its variable
}

TEST(ReadModelica, DrivesInputs) {
  const std::vector<double> t = {0.0, 1.0}, u = {0.0, 2.0};
  ReadOptions options;
  options.inputs.emplace_back("u", table(t, u, Interpolation::linear));
  const ReadModel read = read_modelica(
      "model M input Real u; Real x(start = 0, fixed = true); equation der(x) = u; end M;", "m.mo",
      options);
  ASSERT_TRUE(read.ok()) << to_text(read.diagnostics);
  EXPECT_TRUE(read.diagnostics.empty());
  EXPECT_NEAR(simulate(*read.model, {.t_end = 1.0}).final("x"), 1.0, 1e-6);
}

TEST(ReadModelica, DerivativesByParametersAreRightOrRefused) {
  const ReadModel read = read_modelica(
      "model M parameter Real k = 2, x0 = 3; parameter Real k2 = k * k;\n"
      "Real x(start = x0, fixed = true); equation der(x) = -k2 * x; end M;",
      "m.mo");
  ASSERT_TRUE(read.ok()) << to_text(read.diagnostics);
  const Solution s = simulate(*read.model, {.t_end = 1.0, .sensitivities = {"k", "x"}});
  // x = x0 exp(-k^2 t)
  EXPECT_NEAR(s.sensitivity("x", "k", 1.0), -4.0 * 3.0 * std::exp(-4.0), 1e-5);
  EXPECT_NEAR(s.sensitivity("x", "x", 1.0), std::exp(-4.0), 1e-5);
  // The model has forgotten how x0 got into the start value: zero would be wrong.
  try {
    (void)simulate(*read.model, {.t_end = 1.0, .sensitivities = {"x0"}});
    FAIL() << "no derivative with respect to x0 is known";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("decides where 'x' starts"), std::string::npos)
        << e.what();
  }
}

TEST(ReadModelica, OtherValuesOfParametersAreRightOrRefused) {
  const ReadModel read = read_modelica(
      "model M parameter Real k = 2, x0 = 3, limit = 9, u = 1; parameter Real k2 = k * k;\n"
      "parameter Boolean fast = u > 0.5; parameter Real late = 1;\n"
      "Real x(start = 2 * x0, fixed = true, max = limit); discrete Real n(start = 0);\n"
      "equation der(x) = if fast then -k2 * x else -x; when sample(late, 1) then n = pre(n) + 1; "
      "end when; end M;",
      "m.mo");
  ASSERT_TRUE(read.ok()) << to_text(read.diagnostics);
  const auto model = read.model->build();
  // What follows from k is in the equations.
  EXPECT_NEAR(simulate(with_values(model, {{"k", 1.0}}), {.t_end = 1.0}).final("x"),
              6.0 * std::exp(-1.0), 1e-4);
  for (const auto& [name, why] :
       {std::pair("x0", "decides where 'x' starts"), std::pair("limit", "decides 'max' of 'x'"),
        std::pair("u", "decides the value of 'fast'"),
        std::pair("late", "decides when 'sample' becomes true")}) {
    try {
      (void)with_values(model, {{name, 0.25}});
      FAIL() << name << " was used while the text was read";
    } catch (const ModelError& e) {
      EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
    }
  }
  // A step is flat: derivatives do not miss it.
  EXPECT_EQ(
      simulate(*read.model, {.t_end = 1.0, .sensitivities = {"u"}}).sensitivity("x", "u", 1.0),
      0.0);
}

TEST(ReadModelica, SlidingCanBeTurnedOff) {
  const ReadModel read = read_modelica(
      "model M Real x(start = 0.5, fixed = true); equation der(x) = -sign(x); end M;", "m.mo");
  ASSERT_TRUE(read.ok());
  RunOptions options{.t_end = 1.0};
  EXPECT_TRUE(simulate(*read.model, options).ok());
  options.events.surface = SurfacePolicy::cross;
  EXPECT_FALSE(simulate(*read.model, options).ok());  // it chatters
}

/// Unknowns and outputs of a text.
std::pair<std::size_t, std::size_t> sizes_of(const std::string& text) {
  ReadModel read = read_modelica(text, "m.mo");
  EXPECT_TRUE(read.ok()) << to_text(read.diagnostics);
  const auto model = read.model->build();
  std::size_t n = 0;
  for (const Variable& v : model->variables())
    if (v.kind == InputKind::state || v.kind == InputKind::algebraic) n += v.count;
  return {n, model->outputs().size()};
}

TEST(ReadModelica, ExplicitVariablesAreNames) {
  const auto sizes = [](const std::string& declarations, const std::string& equations) {
    return sizes_of("model M\n  Real x(start = 1, fixed = true);\n  " + declarations +
                    "\nequation\n  der(x) = -x;\n  " + equations + "\nend M;\n");
  };
  using Sizes = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(sizes("Real a = 2 * x, b;", "b = a + 1;"), Sizes(1, 2));
  EXPECT_EQ(sizes("Real a[2];", "a[1] = x;\n  x + 1 = a[2];"), Sizes(1, 2));
  // One of a circle stays, and what is more than a name.
  EXPECT_EQ(sizes("Real a, b;", "a = x - b;\n  b = 2 * a;"), Sizes(2, 1));
  EXPECT_EQ(sizes("Real a(start = 1, fixed = true), c;", "a = x * c;\n  der(c) = 0;"), Sizes(3, 0));
  EXPECT_EQ(sizes("Real a(min = 0);", "a = x;"), Sizes(2, 0));
  EXPECT_EQ(sizes("Real a;", "a = der(x);"), Sizes(2, 0));
  EXPECT_EQ(sizes("Real a, b;", "a = 3;\nalgorithm\n  a := 2 * b;"), Sizes(3, 0));
  EXPECT_EQ(sizes("Real a[2];", "a[1] = x;\n  a[2] * x = 1;"), Sizes(3, 0));
}

TEST(ReadModelica, NamesOfManyUnknownsStayUnknowns) {
  const auto sizes = [](int n) {
    return sizes_of("model M\n  Real x[" + std::to_string(n) +
                    "](each start = 1, each fixed = true);\n  Real all = sum(x);\nequation\n"
                    "  der(x) = -x * all;\nend M;\n");
  };
  using Sizes = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(sizes(16), Sizes(16, 1));
  EXPECT_EQ(sizes(17), Sizes(18, 0));
}

/// The diode of tests/modelica/ideal_diode_and_switch.mo, with other characteristics.
std::size_t modes_with(const std::string& voltage, const std::string& current) {
  ReadModel read = read_modelica(
      "model M\n  Real i(start = 1, fixed = true), v, iD, s;\nequation\n  der(i) = -1 - v;\n"
      "  i = iD;\n  v = " +
          voltage + ";\n  iD = " + current + ";\nend M;\n",
      "m.mo");
  EXPECT_TRUE(read.ok()) << to_text(read.diagnostics);
  return read.model->build()->modes().size();
}

TEST(ReadModelica, DiodesAreSeenByTheirCharacteristic) {
  EXPECT_EQ(modes_with("if s < 0 then s else 0", "if s < 0 then 0 else s"), 2U);
  EXPECT_EQ(modes_with("if s >= 0 then 0 else s", "if s > 0 then s else 0"), 2U);
  // The twins are none: a resistance, a breakdown.
  EXPECT_LE(modes_with("if s < 0 then s else 0.1 * s", "if s < 0 then 0 else s"), 1U);
  EXPECT_LE(modes_with("if s < -1 then s else 0", "if s < -1 then 0 else s"), 1U);
}

}  // namespace
}  // namespace saltus
