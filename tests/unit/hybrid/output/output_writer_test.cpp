// From an engine's steps to recorded rows and polynomials of the model's variables.
#include "hybrid/output/output_writer.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include <saltus/core/error.hpp>
#include <saltus/system/function_system.hpp>

namespace saltus::detail {
namespace {

using WriterValues = std::vector<double>;
using WriterOutput = std::function<double(double t, std::span<const double> x)>;

/// Variables x and y, which are the unknowns, and an output s, which is an invariant. Each may be absent.
struct WriterMap final : VariableMap {
  std::vector<VariableInfo> infos{{"x", "", ""}, {"y", "", ""}, {"s", "", "", true}};
  std::vector<std::uint8_t> exists{1, 1, 1};
  WriterOutput s = [](double, std::span<const double> x) { return x[0] + x[1]; };

  std::span<const VariableInfo> variables() const override { return infos; }
  bool present(std::uint32_t v) const override { return exists[v] != 0; }
  std::optional<std::uint32_t> unknown(std::uint32_t v) const override {
    return v < 2 ? std::optional(v) : std::nullopt;
  }
  /// NaN: there is no value. Infinite: there is none anywhere.
  Evaluation values(Workspace&, double t, std::span<const double> x, std::span<const double>,
                    std::span<double> out) const override {
    std::copy_n(x.begin(), 2, out.begin());
    if (exists[2] == 0) return Evaluation::ok();
    out[2] = s(t, x);
    if (std::isinf(out[2])) return Evaluation::failed(2);
    return std::isnan(out[2]) ? Evaluation::out_of_domain(2) : Evaluation::ok();
  }
};

/// Moves points to y = 2 x + 1, or refuses.
struct WriterWorkspace final : Workspace, OutputProjection {
  explicit WriterWorkspace(bool projects) {
    if (projects) offer<OutputProjection>(*this);
  }
  using In = std::span<const double>;
  Evaluation residual(double, In, In, std::span<double>) override { return Evaluation::ok(); }
  Evaluation jacobian(double, In, In, std::span<double>, std::span<double>) override {
    return Evaluation::ok();
  }
  Evaluation project(double, std::span<double> x, std::span<double>, double& moved) override {
    if (x[0] == refused_at) return Evaluation::out_of_domain(0);
    moved = std::abs(x[1] - (2.0 * x[0] + 1.0));
    x[1] = 2.0 * x[0] + 1.0;
    return Evaluation::ok();
  }
  double refused_at = -1.0;
};

struct WriterSystem final : System {
  std::uint32_t size() const override { return 2; }
  const CscPattern& pattern() const override { return none; }
  std::span<const std::uint8_t> carries_derivative() const override { return flags; }
  std::string unknown_name(std::uint32_t i) const override { return map.infos[i].name; }
  std::string equation_name(std::uint32_t) const override { return ""; }
  double nominal(std::uint32_t) const override { return 1.0; }
  StartValues start_values() const override { return {}; }
  const VariableMap& variable_map() const override { return map; }
  std::unique_ptr<Workspace> workspace() const override {
    return std::make_unique<WriterWorkspace>(projects);
  }
  CscPattern none;
  WriterMap map;
  bool projects = false;
  std::vector<std::uint8_t> flags{1, 1};
};

RunOptions rows_at(OutputPoints points, bool dense = false) {
  RunOptions options;
  options.output.points = points;
  options.output.dense = dense;
  return options;
}
RunOptions on_grid(double interval, double t_end = 1.0) {
  RunOptions options = rows_at(OutputPoints::grid);
  options.output.interval = interval;
  options.t_end = t_end;
  return options;
}
RunOptions rows_at_times(std::vector<double> times, double t_end = 1.0) {
  RunOptions options = rows_at(OutputPoints::times);
  options.output.times = std::move(times);
  options.t_end = t_end;
  return options;
}
RunOptions dense_steps() { return rows_at(OutputPoints::steps, true); }

/// A run with x = t and y = 2 t + 1, in steps that are straight lines.
struct WrittenRun {
  explicit WrittenRun(RunOptions asked = RunOptions(), WriterOutput s = {}, bool projects = false)
      : options(std::move(asked)), workspace(projects) {
    if (s) system->map.s = std::move(s);
    system->projects = projects;
    writer.emplace(system->map, nullptr, options, false);
  }
  void begin(double at, WriterValues x, const char* mode = "") {
    t = at;
    const std::string name = mode;
    const auto ok = writer->begin_segment({name}, system, workspace, t, x, slope);
    EXPECT_TRUE(ok.has_value()) << ok.failure().message;
  }
  void begin() { begin(0.0, {0.0, 1.0}); }
  StepPolynomial line_to(double t_to) {
    const double h = t_to - t;
    coefficients = {t, 2.0 * t + 1.0, h, 2.0 * h};
    return {t, t_to, 1, 2, coefficients};
  }
  /// With another point at its end than that of the line, if one is given.
  Result<void> try_step(double t_to, WriterValues x = {}) {
    const StepPolynomial step = line_to(t_to);
    if (x.empty()) x = {t_to, 2.0 * t_to + 1.0};
    auto ok = writer->add_step(*system, workspace, step, x, slope);
    if (ok) t = t_to;
    return ok;
  }
  void step(double t_to, WriterValues x = {}) {
    const auto ok = try_step(t_to, std::move(x));
    EXPECT_TRUE(ok.has_value()) << ok.failure().message;
  }
  const Trajectory& written() const { return writer->trajectory(); }
  WriterValues times() const { return {written().times().begin(), written().times().end()}; }
  WriterValues row(std::uint32_t r) const {
    return {written().row(r).begin(), written().row(r).end()};
  }

  RunOptions options;
  std::shared_ptr<WriterSystem> system = std::make_shared<WriterSystem>();
  WriterWorkspace workspace;
  std::optional<OutputWriter> writer;
  double t = 0.0;
  const WriterValues slope{1.0, 2.0};
  WriterValues coefficients;
};

/// s exists up to this time only.
WriterOutput exists_until(double t_last) {
  return [t_last](double t, auto x) { return t <= t_last ? x[0] : std::nan(""); };
}

// ---- options ---------------------------------------------------------------------------------------

TEST(OutputWriter, OptionsThatDoNotFitAreRefused) {
  const auto refusal = [](RunOptions options) -> std::string {
    try {
      const WrittenRun run(std::move(options));
    } catch (const OptionError& e) {
      return e.what();
    }
    return "";
  };
  RunOptions unknown, interval, times;
  unknown.output.variables = {"x", "yy"};
  EXPECT_EQ(refusal(unknown),
            "option 'output.variables': 'yy' is not a variable of the model, did you mean 'y'?");
  interval.output.interval = 0.5;
  EXPECT_EQ(refusal(interval), "option 'output.interval': needs output.points = grid");
  times.output.times = {0.5};
  EXPECT_EQ(refusal(times), "option 'output.times': need output.points = times");
  EXPECT_EQ(refusal(on_grid(0.0)), "option 'output.interval': must be > 0 for a grid");
  EXPECT_EQ(refusal(rows_at_times({0.5, 2.0})),
            "option 'output.times': 2 lies outside the run, which goes from 0 to 1");
  EXPECT_EQ(refusal(rows_at_times({-0.5}, -1.0)), "");
  EXPECT_EQ(refusal(rows_at_times({0.0, 1.0})), "");
}

TEST(OutputWriter, VariablesAreRecordedInTheOrderInWhichTheyAreNamed) {
  RunOptions options = dense_steps();
  options.output.variables = {"y", "x"};
  WrittenRun run(options);
  run.begin();
  run.step(1.0);
  EXPECT_EQ(run.row(1), (WriterValues{3.0, 1.0}));
  EXPECT_EQ(run.written().at("y", 0.25), 1.5);
  EXPECT_EQ(run.written().at("x", 0.25), 0.25);
}

TEST(OutputWriter, FunctionsOfRelationsComeAfterTheVariablesAndOnce) {
  SystemFunctions f;
  f.unknowns = {{"x", 0.0}, {"y", 1.0}};
  f.derivative = [](double, auto, auto xdot) { xdot[0] = 1.0, xdot[1] = 2.0; };
  f.switches = {{"half", false}, {"whole", false}};
  f.switching = [](double, auto x, auto g) { g[0] = x[0] - 0.5, g[1] = x[0] - 1.0; };
  const auto system = make_system(f);
  const auto workspace = system->workspace();
  RunOptions options;
  options.output.variables = {"whole", "y"};
  options.output.switching = {"all"};
  OutputWriter writer(system->variable_map(), workspace->ability<SwitchingFunctions>(), options,
                      false);
  std::string names;
  for (const VariableInfo& v : writer.trajectory().variables()) names += v.name + " ";
  EXPECT_EQ(names, "whole y half ");
  const std::string mode;
  ASSERT_TRUE(writer
                  .begin_segment({mode}, system, *workspace, 0.0, WriterValues{0.25, 3.0},
                                 WriterValues{1.0, 2.0})
                  .has_value());
  EXPECT_EQ(writer.trajectory().row(0)[0], -0.75);
  EXPECT_EQ(writer.trajectory().row(0)[1], 3.0);
  EXPECT_EQ(writer.trajectory().row(0)[2], -0.25);
}

// ---- rows ------------------------------------------------------------------------------------------

TEST(OutputWriter, RowsOfStepsAreTheirEnds) {
  WrittenRun run(rows_at(OutputPoints::steps));
  run.begin();
  run.step(0.5, {0.5, 7.0});
  EXPECT_EQ(run.times(), (WriterValues{0.0, 0.5}));
  EXPECT_EQ(run.row(0), (WriterValues{0.0, 1.0, 1.0}));
  EXPECT_EQ(run.row(1), (WriterValues{0.5, 7.0, 7.5}));  // the point itself, not the polynomial
  EXPECT_EQ(run.written().n_steps(), 0U);
}

TEST(OutputWriter, AGridHasBothEnds) {
  WrittenRun run(on_grid(0.375));
  run.begin();
  run.step(0.25);
  run.step(0.75, {0.75, 9.0});
  run.step(1.0);
  EXPECT_EQ(run.times(), (WriterValues{0.0, 0.375, 0.75, 1.0}));
  EXPECT_EQ(run.row(1), (WriterValues{0.375, 1.75, 2.125}));
  EXPECT_EQ(run.row(2)[1], 9.0);  // a row at the end of a step is the point itself

  // 2.1 / 0.7 is a little more than 3: no row stands just before the end.
  WrittenRun thirds(on_grid(0.7, 2.1));
  thirds.begin();
  thirds.step(2.1);
  EXPECT_EQ(thirds.times(), (WriterValues{0.0, 0.7, 1.4, 2.1}));
  WrittenRun wide(on_grid(5.0));
  wide.begin();
  wide.step(1.0);
  EXPECT_EQ(wide.times(), (WriterValues{0.0, 1.0}));
}

TEST(OutputWriter, RowsAreInTheOrderOfTheRun) {
  WrittenRun forward(rows_at_times({0.75, 0.25})), back(rows_at_times({-0.75, -0.25}, -1.0)),
      grid(on_grid(0.5, -1.0));
  for (WrittenRun* run : {&forward, &back, &grid}) {
    run->begin();
    run->step(0.5 * run->options.t_end);
    run->step(run->options.t_end);
  }
  EXPECT_EQ(forward.times(), (WriterValues{0.25, 0.75}));
  EXPECT_EQ(back.times(), (WriterValues{-0.25, -0.75}));
  EXPECT_EQ(back.row(0)[1], 0.5);
  EXPECT_EQ(grid.times(), (WriterValues{0.0, -0.5, -1.0}));
}

TEST(OutputWriter, APolynomialIsNeededForRowsWithinAStepOrIfStepsAreKept) {
  WrittenRun run(on_grid(0.25)), dense(dense_steps());
  run.begin();
  EXPECT_FALSE(run.writer->needs_polynomial(0.125));
  EXPECT_FALSE(run.writer->needs_polynomial(0.25));
  EXPECT_TRUE(run.writer->needs_polynomial(0.375));
  run.step(1.0);
  EXPECT_FALSE(run.writer->needs_polynomial(2.0));  // no rows are left
  EXPECT_TRUE(dense.writer->needs_polynomial(0.125));
}

TEST(OutputWriter, UnknownsThatMustNotBeNegativeAreNotBetweenSteps) {
  WrittenRun run(rows_at_times({-0.75}, -1.0));
  run.writer->set_non_negative({0, 1});
  run.begin();
  run.step(-1.0);
  EXPECT_EQ(run.row(0), (WriterValues{-0.75, 0.0, -0.75}));
}

TEST(OutputWriter, PointsAreMovedOntoConstraints) {
  WrittenRun run(dense_steps(), {}, true);
  run.begin(0.0, {0.0, 1.25});
  run.step(0.5, {0.5, 1.5});
  run.step(1.0, {1.0, 3.25});
  EXPECT_EQ(run.row(1), (WriterValues{0.5, 2.0, 2.5}));
  EXPECT_EQ(run.writer->largest_projection(), 0.5);
  run.workspace.refused_at = 2.0;
  const auto refused = run.try_step(2.0);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.failure().message,
            "at t = 2: an output point cannot be moved onto the constraints");
  EXPECT_EQ(refused.failure().code, FailureCode::not_converged);
}

TEST(OutputWriter, ATimeThatIsAskedForLaterIsMovedAsWell) {
  WrittenRun run(dense_steps(), {}, true);
  run.begin();
  run.coefficients = {0.0, 5.0, 1.0, 2.0};  // y = 5 + 2 t
  const WriterValues x{1.0, 3.0};
  const StepPolynomial off{0.0, 1.0, 1, 2, run.coefficients};
  ASSERT_TRUE(run.writer->add_step(*run.system, run.workspace, off, x, run.slope).has_value());
  EXPECT_EQ(run.written().at("y", 0.5), 2.0);
}

// ---- segments --------------------------------------------------------------------------------------

TEST(OutputWriter, WhereARowStandsBothLimitsAreRowsIfTheyDiffer) {
  for (const double y : {2.0, 2.5}) {
    WrittenRun run(on_grid(0.5));
    run.begin();
    run.step(0.5);
    run.begin(0.5, {0.5, y});
    run.step(0.75);
    run.begin(0.75, {0.75, 9.0});  // no row stands there
    const bool differs = y != 2.0;
    EXPECT_EQ(run.times(), differs ? (WriterValues{0.0, 0.5, 0.5}) : (WriterValues{0.0, 0.5}));
    EXPECT_EQ(run.row(run.written().n_rows() - 1)[1], y);
  }
}

TEST(OutputWriter, AVariableThatBeginsToExistMakesAnotherLimit) {
  // Its value is zero, as that of a variable that does not exist.
  WrittenRun run(on_grid(0.5), [](double, auto x) { return x[0] - 0.5; });
  run.system->map.exists[2] = 0;
  run.begin();
  run.step(0.5);
  run.system->map.exists[2] = 1;
  run.begin(0.5, {0.5, 2.0});
  EXPECT_EQ(run.times(), (WriterValues{0.0, 0.5, 0.5}));
  EXPECT_FALSE(run.written().present_in_row(2, 1));
  EXPECT_TRUE(run.written().present_in_row(2, 2));
}

TEST(OutputWriter, StretchesOfWhichNothingWasKeptAreOne) {
  for (const bool dense : {false, true}) {
    RunOptions options = rows_at_times({1.0});
    options.output.dense = dense;
    WrittenRun run(options);
    run.begin();
    run.begin(0.25, {0.25, 9.0});
    EXPECT_EQ(run.written().segments().size(), dense ? 2U : 1U);
    run.begin(0.25, {0.25, 9.0}, "other");
    EXPECT_EQ(run.written().segments().size(), dense ? 3U : 2U);
    EXPECT_EQ(run.written().segments().back().mode, "other");
    EXPECT_EQ(run.written().segments().back().t_begin, 0.25);
  }
}

TEST(OutputWriter, AnEndWithoutAStepIsAPoint) {
  WrittenRun run(dense_steps());
  run.begin();
  run.step(0.5);
  const std::string mode = "last";
  ASSERT_TRUE(run.writer
                  ->end_with_point({mode}, run.system, run.workspace, 0.5, WriterValues{4.0, 5.0},
                                   run.slope)
                  .has_value());
  EXPECT_EQ(run.written().segments().back().mode, "last");
  EXPECT_EQ(run.written().at("s", 0.5, Side::right), 9.0);
  EXPECT_EQ(run.written().at("s", 0.5, Side::left), 2.5);
  // Where the last stretch has a step there is nothing to add.
  const std::uint32_t n_steps = run.written().n_steps();
  ASSERT_TRUE(run.writer->close(*run.system, run.workspace, 0.5, WriterValues{4.0, 5.0}, run.slope)
                  .has_value());
  EXPECT_EQ(run.written().n_steps(), n_steps);
}

TEST(OutputWriter, WhatIsCutOffIsNeitherRowNorStep) {
  WrittenRun run(dense_steps(), {}, true);
  run.begin();
  for (const double t : {0.5, 0.75, 1.0}) run.step(t);
  run.writer->cut_back_to(0.5);
  EXPECT_EQ(run.times(), (WriterValues{0.0, 0.5}));
  EXPECT_EQ(run.written().t_end(), 0.5);
  run.coefficients = {0.5, 0.0, 1.0, 0.0};  // another way on: x = 1 at t = 0.75
  const StepPolynomial other{0.5, 1.0, 1, 2, run.coefficients};
  ASSERT_TRUE(
      run.writer->add_step(*run.system, run.workspace, other, WriterValues{1.0, 3.0}, run.slope)
          .has_value());
  EXPECT_EQ(run.written().at("y", 0.75), 3.0);
}

TEST(OutputWriter, HeldVariablesKeepWhatTheyAreWhereAModeIsLeft) {
  for (const AbsentVariables absent : {AbsentVariables::held, AbsentVariables::masked}) {
    RunOptions options = on_grid(1.0);
    options.output.absent = absent;
    WrittenRun run(options);
    run.begin();
    run.step(0.5);
    ASSERT_TRUE(
        run.writer->leave(*run.system, run.workspace, 0.5, WriterValues{0.5, 2.0}, run.slope)
            .has_value());
    run.system->map.exists = {1, 1, 0};
    run.begin(0.5, {0.5, 2.0});
    run.step(1.0);
    const bool held = absent == AbsentVariables::held;
    EXPECT_EQ(run.written().present_in_row(2, 1), held);
    EXPECT_EQ(run.row(1)[2], held ? 2.5 : 0.0);
  }
}

TEST(OutputWriter, RecordedValuesAreZeroWhereAVariableIsAbsent) {
  WrittenRun run;
  run.system->map.exists = {1, 0, 1};
  EXPECT_EQ(run.writer->recorded_flags(*run.system, run.workspace),
            (std::vector<std::uint8_t>{1, 0, 1}));
  const auto values = run.writer->recorded_values(*run.system, run.workspace, 0.0,
                                                  WriterValues{3.0, 4.0}, run.slope);
  ASSERT_TRUE(values.has_value());
  EXPECT_EQ(*values, (WriterValues{3.0, 0.0, 7.0}));
}

// ---- expressions -----------------------------------------------------------------------------------

TEST(OutputWriter, ExpressionsAreFittedAndUnknownsAreKeptAsTheyAre) {
  WrittenRun run(dense_steps(), [](double, auto x) { return std::exp(3.0 * x[0]); });
  run.begin();
  run.step(1.0);
  EXPECT_FALSE(run.writer->missed().has_value());
  for (const double t : {0.1, 0.45, 0.93}) {
    EXPECT_NEAR(run.written().at("y", t), 2.0 * t + 1.0, 1e-14);
    EXPECT_NEAR(run.written().at("s", t), std::exp(3.0 * t), 1e-6 * std::exp(3.0));
  }
}

TEST(OutputWriter, AnExpressionMayBeOffByATenthOfWhatErrorsOfUnknownsMakeOfIt) {
  // A line through both ends is off by 0.1 / 4 in the middle.
  const WriterOutput nearly_straight = [](double, auto x) { return x[0] + 0.1 * x[0] * x[0]; };
  for (const double atol : {0.3, 0.2}) {
    RunOptions options = dense_steps();
    options.rtol = 1e-9;
    options.atol = atol;
    WrittenRun run(options, nearly_straight);
    run.begin();
    run.step(1.0);
    // Errors of x are atol, and s' = 1.1 in the middle.
    const bool is_allowed = 0.1 * 1.1 * atol > 0.025;
    EXPECT_EQ(run.written().step(0).degree == 1, is_allowed) << atol;
    EXPECT_NEAR(run.written().at("s", 0.5), is_allowed ? 0.55 : 0.525, 1e-9);
  }
}

TEST(OutputWriter, TheWorstExpressionThatIsNotKeptIsKnown) {
  WrittenRun run(dense_steps(), [](double t, auto) {
    return std::floor(8.0 * t / 3.0) * (t > 0.5 ? 100.0 : 1.0);  // jumps at 0.375 and 0.75
  });
  run.begin();
  run.step(0.5);
  ASSERT_TRUE(run.writer->missed().has_value());
  EXPECT_EQ(run.writer->missed()->name, "s");
  EXPECT_NEAR(run.writer->missed()->t, 0.375, 1e-2);
  EXPECT_GT(run.writer->missed()->off, run.writer->missed()->tolerance);
  EXPECT_LE(run.writer->missed()->off, 1.0);
  const double t_first = run.writer->missed()->t;
  run.system->map.s = [](double t, auto) { return 1.0 + (t > 0.75 ? 1e-4 : 0.0); };
  run.step(1.0);  // missed by less
  EXPECT_EQ(run.writer->missed()->t, t_first);
}

// ---- outputs that do not exist ---------------------------------------------------------------------

TEST(OutputWriter, AnOutputWithoutAValueIsNamed) {
  WrittenRun run(rows_at(OutputPoints::steps), exists_until(0.25));
  run.begin();
  const auto refused = run.try_step(0.5);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.failure().message, "at t = 0.5: output 's' cannot be evaluated");
  EXPECT_EQ(refused.failure().code, FailureCode::out_of_domain);
}

TEST(OutputWriter, OnItsOwnSideAnOutputMayExist) {
  WrittenRun run(rows_at(OutputPoints::steps), [](double, auto x) { return std::sqrt(x[0]); });
  const Workspace* asked = nullptr;
  run.writer->set_own_side(
      [&](const Workspace& workspace, double, auto, auto, const auto& evaluate) {
        asked = &workspace;
        return static_cast<bool>(evaluate(WriterValues{4.0, 9.0}));
      });
  run.begin(0.0, {-1e-9, 1.0});
  EXPECT_EQ(asked, &run.workspace);
  EXPECT_EQ(run.row(0), (WriterValues{-1e-9, 1.0, 2.0}));  // the unknowns are what they are
  // What fails everywhere is not tried elsewhere.
  asked = nullptr;
  run.system->map.s = [](double, auto) { return HUGE_VAL; };
  EXPECT_FALSE(run.try_step(0.5).has_value());
  EXPECT_EQ(asked, nullptr);
}

TEST(OutputWriter, AStepIsRecordedUpToWhereAllOutputsExist) {
  for (const bool dense : {true, false}) {
    WrittenRun run(rows_at(OutputPoints::steps, dense), exists_until(0.3125));
    run.begin();
    run.step(0.25);
    ASSERT_FALSE(run.try_step(1.0).has_value());
    const auto undefined =
        run.writer->add_defined_part(*run.system, run.workspace, run.line_to(1.0));
    ASSERT_TRUE(undefined.has_value());
    EXPECT_EQ(undefined->name, "s");
    EXPECT_EQ(undefined->t, 0.3125);
    EXPECT_TRUE(undefined->is_last_defined);
    EXPECT_EQ(run.times(), (WriterValues{0.0, 0.25, 0.3125}));
    EXPECT_EQ(run.row(2), (WriterValues{0.3125, 1.625, 0.3125}));
    EXPECT_EQ(run.written().t_end(), 0.3125);
  }
}

TEST(OutputWriter, AHoleThatOnlyARowMeetsEndsStepsAndRowsBeforeIt) {
  RunOptions options = on_grid(0.4);
  options.output.dense = true;
  WrittenRun run(options, [](double t, auto x) {
    return std::abs(t - 0.4) < 0.0009765625 ? std::nan("") : x[0];
  });
  run.begin();
  ASSERT_FALSE(run.try_step(1.0).has_value());
  EXPECT_EQ(run.written().n_steps(), 0U);
  const auto undefined = run.writer->add_defined_part(*run.system, run.workspace, run.line_to(1.0));
  ASSERT_TRUE(undefined.has_value());
  EXPECT_TRUE(undefined->is_last_defined);
  EXPECT_NEAR(undefined->t, 0.4 - 0.0009765625, 1e-15);
  EXPECT_EQ(run.written().t_end(), undefined->t);
  EXPECT_GT(run.written().n_steps(), 0U);
}

TEST(OutputWriter, WhereTheStepBeforeWentBeyondNothingIsAdded) {
  WrittenRun run(on_grid(0.5), exists_until(0.3125));
  run.begin();
  run.step(0.375);  // no row, so nothing was evaluated
  ASSERT_FALSE(run.try_step(1.0).has_value());
  const auto undefined = run.writer->add_defined_part(*run.system, run.workspace, run.line_to(1.0));
  ASSERT_TRUE(undefined.has_value());
  EXPECT_EQ(undefined->t, 0.5);
  EXPECT_FALSE(undefined->is_last_defined);
  EXPECT_EQ(run.written().t_end(), 0.375);
}

TEST(OutputWriter, AnotherFailureIsNoMatterOfOutputs) {
  // s has no value at t = 0.5 either, where no row is asked for.
  WrittenRun run(
      on_grid(1.0), [](double t, auto) { return t == 0.5 ? std::nan("") : 1.0; }, true);
  run.workspace.refused_at = 1.0;
  run.begin();
  run.step(0.5);
  ASSERT_FALSE(run.try_step(1.0).has_value());
  EXPECT_FALSE(run.writer->add_defined_part(*run.system, run.workspace, run.line_to(1.0)));
}

// ---- invariants ------------------------------------------------------------------------------------

TEST(OutputWriter, InvariantsAreWatchedAtEndsOfStepsAlsoWithoutRows) {
  for (const bool rows : {true, false}) {
    WrittenRun run(
        rows ? rows_at(OutputPoints::steps) : on_grid(1.0),
        [](double t, auto x) { return t == 0.5 ? 8.0 : x[1] - 2.0 * x[0]; }, true);
    run.begin();
    run.step(0.5);
    run.step(0.75, {0.75, 50.0});  // of the point on the constraints
    const auto invariants = run.writer->invariants();
    ASSERT_EQ(invariants.size(), 1U);
    EXPECT_EQ(invariants[0].initial, 1.0);
    EXPECT_EQ(invariants[0].last, 1.0);
    EXPECT_EQ(invariants[0].largest_deviation, 7.0);
    EXPECT_EQ(invariants[0].t_largest, 0.5);
  }
}

TEST(OutputWriter, WhereNoRowIsAskedForAnInvariantNeedNotExist) {
  WrittenRun run(on_grid(1.0), [](double t, auto) { return t == 0.5 ? std::nan("") : 1.0; });
  run.begin();
  run.step(0.5);
  run.step(1.0);
  EXPECT_EQ(run.writer->invariants()[0].largest_deviation, 0.0);
  EXPECT_EQ(run.times(), (WriterValues{0.0, 1.0}));
}

}  // namespace
}  // namespace saltus::detail
