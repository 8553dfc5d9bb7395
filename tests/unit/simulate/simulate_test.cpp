#include <saltus/simulate.hpp>

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include <saltus/system/function_system.hpp>

namespace saltus {
namespace {

constexpr EngineKind all_engines[] = {EngineKind::ida, EngineKind::radau, EngineKind::dopri5,
                                      EngineKind::dop853};
constexpr EngineKind dae_engines[] = {EngineKind::ida, EngineKind::radau};

void write_oscillator(Model& m) {
  Expr x = m.state("x", 1.0, {.unit = "m"}), v = m.state("v", 0.0);
  m.equation("position", der(x) == v);
  m.equation("force", der(v) == -x);
}

template <class E>
std::string refusal(const std::function<void()>& mistake) {
  try {
    mistake();
  } catch (const E& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Simulate, EveryEngineFollowsAnOscillator) {
  Model m("oscillator");
  write_oscillator(m);
  for (const EngineKind engine : all_engines) {
    const Solution s = simulate(m, {.t_end = 3.0, .rtol = 1e-8, .atol = 1e-8, .engine = engine});
    ASSERT_TRUE(s.ok()) << s.report.message;
    // BDF loses a factor of some hundreds on oscillations, one-step methods some tens.
    const double bound = engine == EngineKind::ida ? 1000e-8 : 100e-8;
    for (const double t : {0.0, 0.7, 1.9, 3.0}) {
      EXPECT_NEAR(s.at("x", t), std::cos(t), bound) << name(engine) << " at " << t;
      EXPECT_NEAR(s.at("v", t), -std::sin(t), bound) << name(engine) << " at " << t;
    }
    EXPECT_EQ(s.report.t_reached, 3.0);
    ASSERT_EQ(s.report.work.size(), 1u);
    EXPECT_EQ(s.report.work[0].engine, name(engine));
    EXPECT_EQ(s.report.work[0].work.n_steps, s.trajectory.n_steps());
  }
}

TEST(Simulate, DifferentialAlgebraicModelsRunOnImplicitEngines) {
  Model m("dae");
  Expr x = m.state("x", 1.0), y = m.algebraic("y", {.guess = 1.0});
  m.equation(der(x) == -y);
  m.equation(y * y * y == x);  // x^(2/3) = 1 - 2t/3
  for (const EngineKind engine : dae_engines) {
    const Solution s = simulate(m, {.t_end = 1.0, .rtol = 1e-7, .atol = 1e-7, .engine = engine});
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_NEAR(s.final("x"), std::pow(1.0 / 3.0, 1.5), 1000e-7) << name(engine);
    EXPECT_NEAR(s.final("y"), std::pow(1.0 / 3.0, 0.5), 1000e-7) << name(engine);
  }
  EXPECT_NE(refusal<OptionError>([&] { simulate(m, {.engine = EngineKind::dopri5}); }).find("'y'"),
            std::string::npos);
}

TEST(Simulate, RunsBackwardInTime) {
  Model m("oscillator");
  write_oscillator(m);
  for (const EngineKind engine : all_engines) {
    const Solution s =
        simulate(m, {.t_begin = 2.0, .t_end = 0.5, .rtol = 1e-8, .atol = 1e-8, .engine = engine});
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_NEAR(s.final("x"), std::cos(-1.5), 1000e-8) << name(engine);
    EXPECT_NEAR(s.at("x", 1.3), std::cos(-0.7), 1000e-8) << name(engine);
  }
}

TEST(Simulate, CornersOfATableAreHitAndBothLimitsAreKept) {
  // x' = u with u = 1, 3, 2 from t = 0, 1, 2 on; y = u.
  Model m("steps");
  const std::vector<double> times = {0.0, 1.0, 2.0}, values = {1.0, 3.0, 2.0};
  Expr u = m.input("u", table(times, values, Interpolation::step));
  Expr x = m.state("x", 0.0), y = m.algebraic("y");
  m.equation(der(x) == u);
  m.equation(y == u);
  for (const EngineKind engine : dae_engines) {
    const Solution s = simulate(m, {.t_end = 3.0, .engine = engine});
    ASSERT_TRUE(s.ok()) << s.report.message;
    ASSERT_EQ(s.trajectory.segments().size(), 3u);
    EXPECT_EQ(s.trajectory.segments()[1].t_begin, 1.0);
    // Piecewise linear: exact but for the tolerance of the iteration.
    EXPECT_NEAR(s.final("x"), 6.0, 1e-6);
    EXPECT_NEAR(s.at("y", 1.0, Side::left), 1.0, 1e-6);
    EXPECT_NEAR(s.at("y", 1.0, Side::right), 3.0, 1e-6);
    EXPECT_NEAR(s.at("x", 1.5), 2.5, 1e-6);
  }
  // Twin: a solver that does not see the corners cannot give both limits.
  Model blind("steps");
  Expr ub =
      blind.input("u", callback([](double t, int) { return t < 1   ? 1.0
                                                           : t < 2 ? 3.0
                                                                   : 2.0; }, 0));
  Expr xb = blind.state("x", 0.0);
  blind.equation(der(xb) == ub);
  const Solution s = simulate(blind, {.t_end = 3.0, .engine = EngineKind::radau});
  EXPECT_EQ(s.trajectory.segments().size(), 1u);
}

// ---- output ----------------------------------------------------------------------------------------

TEST(SimulateOutput, OnAGridWithBothEnds) {
  Model m("oscillator");
  write_oscillator(m);
  RunOptions o{.t_end = 1.0, .rtol = 1e-9, .atol = 1e-9};
  o.output.points = OutputPoints::grid;
  o.output.interval = 0.3;
  const Solution s = simulate(m, o);
  const auto times = s.trajectory.times();
  ASSERT_EQ(times.size(), 5u);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(times[k], 0.3 * static_cast<double>(k));
  EXPECT_EQ(times[4], 1.0);
  const auto x = s.trajectory.column("x");
  for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(x[k], std::cos(times[k]), 1e-7);
}

TEST(SimulateOutput, AGridThatDividesTheRunHasNoPointTwice) {
  Model m("oscillator");
  write_oscillator(m);
  RunOptions o{.t_end = 1.0};
  o.output.points = OutputPoints::grid;
  for (const int parts : {1, 3, 7, 10, 49, 1000}) {
    o.output.interval = 1.0 / parts;
    const Solution s = simulate(m, o);
    EXPECT_EQ(s.trajectory.n_rows(), static_cast<std::uint32_t>(parts + 1));
  }
}

TEST(SimulateOutput, AtListedTimesInAnyOrderAndChosenVariables) {
  Model m("oscillator");
  write_oscillator(m);
  Expr x = Expr(m.graph(), m.graph().input(InputKind::state, 0));
  m.output("square", x * x);
  RunOptions o{.t_end = 2.0, .rtol = 1e-9, .atol = 1e-9};
  o.output.points = OutputPoints::times;
  o.output.times = {1.5, 0.0, 2.0};
  o.output.variables = {"square"};
  o.output.dense = false;
  const Solution s = simulate(m, o);
  ASSERT_EQ(s.trajectory.variables().size(), 1u);
  ASSERT_EQ(s.trajectory.n_rows(), 3u);
  for (std::uint32_t r = 0; r < 3; ++r) {
    const double t = s.trajectory.times()[r];
    EXPECT_NEAR(s.trajectory.row(r)[0], std::cos(t) * std::cos(t), 1e-7);
  }
  EXPECT_EQ(s.trajectory.n_steps(), 0u);
  EXPECT_EQ(s.final("square"), s.trajectory.row(2)[0]);
  EXPECT_EQ(s.trajectory.t_end(), 2.0);
}

TEST(SimulateOutput, ExpressionsHaveTheAccuracyOfTheirStepBetweenPoints) {
  Model m("oscillator");
  write_oscillator(m);
  Expr x = Expr(m.graph(), m.graph().input(InputKind::state, 0));
  m.output("e", exp(x));
  for (const EngineKind engine : all_engines) {
    const Solution s = simulate(m, {.t_end = 3.0, .rtol = 1e-8, .atol = 1e-8, .engine = engine});
    for (double t = 0.05; t < 3.0; t += 0.1) {
      EXPECT_NEAR(s.at("e", t), std::exp(std::cos(t)), 3000e-8) << name(engine) << " at " << t;
    }
  }
}

TEST(SimulateOutput, MistakesInNamesAreCorrected) {
  Model m("oscillator");
  write_oscillator(m);
  RunOptions o;
  o.output.variables = {"xx"};
  EXPECT_EQ(refusal<OptionError>([&] { simulate(m, o); }),
            "option 'output.variables': 'xx' is not a variable of the model, did you mean 'x'?");
  o = {};
  o.atol_of = {{"V", 1e-3}};
  EXPECT_EQ(refusal<OptionError>([&] { simulate(m, o); }),
            "option 'atol_of': 'V' is not an unknown of the model, did you mean 'v'?");
  o = {};
  o.output.points = OutputPoints::times;
  o.output.times = {0.5, 1.5};
  EXPECT_EQ(refusal<OptionError>([&] { simulate(m, o); }),
            "option 'output.times': 1.5 lies outside the run, which goes from 0 to 1");
  o = {};
  o.output.points = OutputPoints::grid;
  EXPECT_EQ(refusal<OptionError>([&] { simulate(m, o); }),
            "option 'output.interval': must be > 0 for a grid");
}

// ---- tolerances ------------------------------------------------------------------------------------

TEST(SimulateTolerances, NominalValuesScaleTheAbsoluteOne) {
  // The same decay in metres and in nanometres takes the same steps.
  const auto steps = [](double unit) {
    Model m("decay");
    Expr x = m.state("x", unit, {.nominal = unit});
    m.equation(der(x) == -x);
    return simulate(m, {.t_end = 20.0, .rtol = 1e-5, .atol = 1e-5, .engine = EngineKind::dopri5})
        .trajectory.n_steps();
  };
  EXPECT_EQ(steps(1.0), steps(1e9));
  EXPECT_EQ(steps(1.0), steps(1e-9));
}

TEST(SimulateTolerances, OfOneUnknownOrOneModeReplaceTheGeneralOnes) {
  Model m("decay");
  Expr x = m.state("x", 1.0);
  m.equation(der(x) == -x);
  const auto error = [&](const RunOptions& o) {
    return std::abs(simulate(m, o).final("x") - std::exp(-1.0));
  };
  const RunOptions loose{.rtol = 1e-3, .atol = 1e-3, .engine = EngineKind::dopri5};
  RunOptions tight = loose;
  tight.mode_rtol = {{"decay", 1e-10}};
  tight.atol_of = {{"x", 1e-10}};
  EXPECT_GT(error(loose), 1e-8);
  EXPECT_LT(error(tight), 1e-8);
  RunOptions other_mode = loose;
  other_mode.mode_rtol = {{"decya", 1e-10}};
  EXPECT_EQ(refusal<OptionError>([&] { error(other_mode); }),
            "option 'mode_rtol': 'decya' is not a mode of the model, did you mean 'decay'?");
}

TEST(SimulateTolerances, AnEngineCanBeChosenPerMode) {
  Model m("decay");
  Expr x = m.state("x", 1.0);
  m.equation(der(x) == -x);
  RunOptions o;
  o.mode_engine = {{"decay", EngineKind::radau}};
  EXPECT_EQ(simulate(m, o).report.work[0].engine, "radau");
  EXPECT_EQ(refusal<OptionError>([&] { set_option(o, "mode_engine", "decay=radua"); }),
            "option 'mode_engine': 'radua' is refused, it must be one of automatic, ida, "
            "radau, dopri5, dop853 (did you mean 'radau'?)");
  o.mode_engine = {{"decay", static_cast<EngineKind>(77)}};
  EXPECT_NE(refusal<OptionError>([&] { simulate(m, o); }).find("'77'"), std::string::npos);
}

}  // namespace
}  // namespace saltus
