// Numbers made of a whole run: known answers, and nothing of the run changes by asking for them.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/ensemble/kept.hpp>
#include <saltus/ensemble/measured.hpp>
#include <saltus/model/model.hpp>
#include <saltus/modelica/read.hpp>
#include <saltus/simulate/simulate.hpp>

namespace saltus {
namespace {

constexpr double asked = 1e-9;
/// Errors of steps add up, and are multiplied by what events make of them.
constexpr double near_run = 100 * asked;

constexpr std::string_view ball_text = R"(model Ball
  type Side = enumeration(falling, rising);
  function half
    input Real x;
    output Real y;
  algorithm
    y := x / 2;
  end half;
  parameter Real e = 0.8;
  parameter Real g = 9.81;
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
  Real both[2] = {h, v};
  Side side = if v > 0 then Side.rising else Side.falling;
  Boolean high = h > 0.5;
equation
  der(h) = v;
  der(v) = -g;
  when h < 0 then
    reinit(v, -e * pre(v));
  end when;
end Ball;
)";

/// A run of a text and its measures.
struct MeasuredText {
  explicit MeasuredText(std::string_view model_text, double t_end = 1.0) : text(model_text) {
    const ReadModel read = read_modelica(text, "test.mo");
    EXPECT_TRUE(read.ok()) << to_text(read.diagnostics);
    model = read.model->build();
    RunOptions options;
    options.t_end = t_end;
    options.rtol = options.atol = asked;
    run = simulate(model, options);
    EXPECT_TRUE(run.ok()) << run.report.message;
  }
  double operator()(const std::string& expression) const {
    const std::vector<MeasureText> one = {{"m", expression}};
    const ReadMeasures read = read_measures(one, text, "test.mo");
    EXPECT_TRUE(read.ok()) << to_text(read.diagnostics);
    return read.ok() ? measured(read.measures[0], run, *model) : 12345.0;
  }
  std::string_view text;
  std::shared_ptr<const ModelDefinition> model;
  Solution run;
};

double measured_of(const std::string& expression, const Solution& run,
                   const ModelDefinition& model) {
  const std::vector<MeasureText> one = {{"m", expression}};
  const ReadMeasures read = read_measures(one, model);
  EXPECT_TRUE(read.ok()) << to_text(read.diagnostics);
  return read.ok() ? measured(read.measures[0], run, model) : 12345.0;
}

// ---- a ball -----------------------------------------------------------------------------------------

/// h = 1 - g t^2 / 2 until t1, then from v1 = e g t1 upwards.
struct BallAnswers {
  double g = 9.81, e = 0.8;
  double t1 = std::sqrt(2 / g), v1 = e * g * t1;
  double integral_to_t1 = t1 - g * t1 * t1 * t1 / 6;
  double integral_from_t1(double t) const {
    const double s = t - t1;
    return v1 * s * s / 2 - g * s * s * s / 6;
  }
  /// When it passes a height on its way up and down again.
  double up(double h) const { return t1 + (v1 - std::sqrt(v1 * v1 - 2 * g * h)) / g; }
  double down(double h) const { return t1 + (v1 + std::sqrt(v1 * v1 - 2 * g * h)) / g; }
};

TEST(MeasuredBall, IsWhatFormulasSay) {
  const MeasuredText ball(ball_text);
  const BallAnswers exact;
  EXPECT_EQ(ball("max(h)"), 1.0);  // where it starts
  EXPECT_NEAR(ball("max(h, from = first(v > 0))"), exact.e * exact.e, near_run);
  EXPECT_NEAR(ball("min(v)"), -exact.g * exact.t1, near_run);  // the limit before the bounce
  EXPECT_NEAR(ball("max(v)"), exact.v1, near_run);             // and the one after it
  EXPECT_NEAR(ball("max(v) - min(v)"), exact.v1 + exact.g * exact.t1, near_run);
  EXPECT_NEAR(ball("integral(h)"), exact.integral_to_t1 + exact.integral_from_t1(1.0), near_run);
  EXPECT_NEAR(ball("mean(h, to = first(v > 0))"), exact.integral_to_t1 / exact.t1, near_run);
  EXPECT_NEAR(ball("first(v > 0)"), exact.t1, near_run);
  const double until = std::sqrt(2 * 0.5 / exact.g);
  EXPECT_NEAR(ball("duration(h > 0.5)"), until + exact.down(0.5) - exact.up(0.5), near_run);
  EXPECT_NEAR(ball("first(h < 0.5)"), until, near_run);
  EXPECT_NEAR(ball("last(h > 0.6)"), exact.down(0.6), near_run);
  EXPECT_NEAR(ball("duration(h > 0.5 and v > 0)"), exact.t1 + exact.v1 / exact.g - exact.up(0.5),
              near_run);
  EXPECT_EQ(ball("duration(h > 2)"), 0.0);
  EXPECT_TRUE(is_absent(ball("duration(h > 2, from = 100)")));  // nobody knows
  EXPECT_TRUE(is_absent(ball("first(h > 2)")));
  EXPECT_TRUE(is_absent(ball("1 + first(h > 2)")));
  EXPECT_TRUE(is_absent(ball("max(h, from = first(h > 2))")));
  EXPECT_EQ(ball("at(h, 0.25)"), ball.run.at("h", 0.25));
  EXPECT_EQ(ball("at(h, end)"), ball.run.at("h", 1.0));
  EXPECT_TRUE(is_absent(ball("at(h, 1.5)")));
  // energy: rounding before the bounce; after it e^2 is left
  EXPECT_NEAR(ball("max(abs(g * h + v^2 / 2 - g))"), exact.g * (1 - exact.e * exact.e),
              10 * near_run);
  const double mean = ball("mean(h)");
  EXPECT_NEAR(ball("mean((h - mean(h))^2)"), ball("mean(h^2)") - mean * mean, 1e-12);
}

TEST(MeasuredBall, IsMoreThanEndsOfStepsShow) {
  const MeasuredText ball(R"(model Ball
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h < 0 then
    reinit(v, -0.8 * pre(v));
  end when;
end Ball;
)");
  const BallAnswers exact;
  double among_rows = 0.0;
  for (std::uint32_t r = 0; r < ball.run.trajectory.n_rows(); ++r)
    if (ball.run.trajectory.times()[r] > exact.t1 + 0.01)
      among_rows =
          std::max(among_rows, ball.run.trajectory.row(r)[ball.run.trajectory.index_of("h")]);
  EXPECT_LT(among_rows, exact.e * exact.e - 1e-6);
  EXPECT_NEAR(ball("max(h, from = 0.5)"), exact.e * exact.e, near_run);
}

TEST(MeasuredBall, KnowsFunctionsArraysAndEnumerationsOfTheText) {
  const MeasuredText ball(ball_text);
  EXPECT_EQ(ball("max(half(h))"), 0.5);
  EXPECT_EQ(ball("max(both[1])"), 1.0);
  EXPECT_NEAR(ball("integral(sum(both))"), ball("integral(h + v)"), 1e-12);
  EXPECT_NEAR(ball("max(max(both))"), ball("max(max(h, v))"), 1e-12);
  EXPECT_NEAR(ball("duration(side == Side.rising)"), ball("duration(v > 0)"), 1e-12);
  EXPECT_NEAR(ball("duration(high)"), ball("duration(h > 0.5)"), near_run);
  EXPECT_NEAR(ball("max(der(h))"), ball("max(v)"), 1e-6);  // a slope of the steps
  EXPECT_EQ(ball("if max(h) > 0.5 then e else 0"), 0.8);
  EXPECT_EQ(ball("max(max(h), 3)"), 3.0);
  // branches that do not exist on the other side, with a vertical tangent between them
  EXPECT_NEAR(ball("max(if h > 0.5 then sqrt(h - 0.5) else 0)"), std::sqrt(0.5), 1e-12);
  // of sqrt(1/2 - g t^2 / 2) until it is zero: a quarter of an ellipse; then half of one above sqrt(e^2 - 1/2)
  const double area = std::numbers::pi / 4 * std::sqrt(0.5) * std::sqrt(1 / 9.81) +
                      std::numbers::pi / 2 * std::sqrt(0.14) * std::sqrt(0.28 / 9.81);
  EXPECT_NEAR(ball("integral(if h > 0.5 then sqrt(h - 0.5) else 0)"), area, 1e-7);
}

// ---- functions of time ------------------------------------------------------------------------------

TEST(MeasuredTime, IsNotWhatEndsOfStepsMakeOfIt) {
  const MeasuredText clock(
      "model Clock Real x(start = 0, fixed = true); equation der(x) = 1; end Clock;", 10.0);
  ASSERT_LT(clock.run.trajectory.n_steps(), 30U);  // of more than thirty periods
  EXPECT_NEAR(clock("max(sin(20 * time))"), 1.0, 1e-12);
  EXPECT_NEAR(clock("max(sin(20 * x))"), 1.0, 1e-12);
  EXPECT_NEAR(clock("min(sin(20 * x), from = 1, to = 1.2)"), -1.0, 1e-12);  // 20 x = 7.5 pi
  EXPECT_NEAR(clock("min(sin(20 * x), to = 0.1, from = 0.05)"), std::sin(1.0), near_run);
  const double area = (200 - std::sin(200) * std::cos(200)) / 40;
  EXPECT_NEAR(clock("integral(sin(20 * time)^2)"), area, 1e-8 * area);
  // half of every period, and what is left of the last one: 10 = 31 * 2 pi / 20 + 0.2610..., of which pi / 20 counts
  const double rest = 10 - 31 * std::numbers::pi / 10;
  EXPECT_NEAR(clock("duration(sin(20 * time) > 0)"),
              31 * std::numbers::pi / 20 + std::min(rest, std::numbers::pi / 20), 1e-9);
  EXPECT_NEAR(clock("integral(abs(x - 5))"), 25.0, near_run);
}

/// A step looks at about a dozen places; these are between them.
TEST(MeasuredTime, PulsesBetweenPlacesAreSeen) {
  const MeasuredText clock(
      "model Clock Real x(start = 0, fixed = true); equation der(x) = 1; end Clock;", 10.0);
  for (const double width : {0.1, 0.01, 1e-3, 1e-5}) {
    for (const double t : {0.77, 2.345, 5.01, 9.9}) {
      for (const std::string of : {"time", "x"}) {
        const std::string pulse =
            "exp(-((" + of + " - " + to_text(t) + ") / " + to_text(width) + ")^2)";
        EXPECT_NEAR(clock("max(" + pulse + ")"), 1.0, 1e-9) << pulse;
        EXPECT_NEAR(clock("min(3 - " + pulse + ")"), 2.0, 1e-9) << pulse;
        EXPECT_NEAR(clock("integral(" + pulse + ")"),
                    width * std::sqrt(std::numbers::pi) / 2 *
                        (std::erf((10 - t) / width) + std::erf(t / width)),
                    1e-8 * width)
            << pulse;
        // exp(-s^2) > 1/2 for |s| < sqrt(log(2)); a time has as many digits as the steps have, x those of the run
        const double half = width * std::sqrt(std::log(2.0));
        EXPECT_NEAR(clock("duration(" + pulse + " > 0.5)"), half + std::min(half, 10 - t),
                    1e-7 * width + near_run)
            << pulse;
        EXPECT_NEAR(clock("first(" + pulse + " > 0.5)"), t - half, near_run) << pulse;
        EXPECT_NEAR(clock("last(" + pulse + " > 0.5)"), std::min(t + half, 10.0), near_run)
            << pulse;
        EXPECT_NEAR(clock("integral(abs(" + pulse + " - 0.5))"),
                    clock("integral(if " + pulse + " > 0.5 then " + pulse + " - 0.5 else 0.5 - " +
                          pulse + ")"),
                    1e-8)
            << pulse;
      }
    }
  }
}

/// In steps of seconds, and narrower than their ten-millionth part.
TEST(MeasuredTime, PulsesMayBeVeryNarrow) {
  const MeasuredText clock(
      "model Clock Real x(start = 0, fixed = true); equation der(x) = 1; end Clock;", 10.0);
  for (const double width : {1e-7, 1e-8, 1e-9}) {
    const std::string pulse = "exp(-((time - 2.345) / " + to_text(width) + ")^2)";
    const double half = width * std::sqrt(std::log(2.0));
    EXPECT_NEAR(clock("max(" + pulse + ")"), 1.0, 1e-3) << width;
    EXPECT_NEAR(clock("duration(" + pulse + " > 0.5)"), 2 * half, 1e-3 * width + near_run) << width;
    EXPECT_NEAR(clock("first(" + pulse + " > 0.5)"), 2.345 - half, near_run) << width;
  }
}

/// Expressions that are no numbers at a single time, and angles that jump by a turn.
TEST(MeasuredTime, PlacesWithoutAValueAndJumpsOfAngles) {
  const MeasuredText clock(
      "model Clock Real x(start = 0, fixed = true); equation der(x) = 1; end Clock;", 10.0);
  EXPECT_NEAR(clock("duration(sin(time) / time > 0.5)"), 1.8954942670339809, 1e-6);
  EXPECT_NEAR(clock("duration(sin(x) / x > 0.5)"), 1.8954942670339809, 1e-6);
  // Below the negative axis for 2e-3 s only. The angle jumps by a turn, which no polynomial follows: that is said.
  const std::string dip = "atan2((x - 2.345)^2 - 1e-6, ";
  EXPECT_NEAR(clock("duration(" + dip + "-1) < 0)"), 2e-3, 1e-8);
  EXPECT_NEAR(clock("duration(" + dip + "1) < 0)"), 2e-3, 1e-8);
  EXPECT_THROW((void)clock("min(" + dip + "-1))"), Error);
}

TEST(MeasuredTime, ThatIsTooFastIsSaid) {
  const MeasuredText clock(
      "model Clock Real x(start = 0, fixed = true); equation der(x) = 1; end Clock;", 10.0);
  const auto said = [&](const std::string& expression) -> std::string {
    try {
      (void)clock(expression);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(said("max(sin(1e6 * x))").find("changes too fast near t = "), std::string::npos);
  EXPECT_NE(said("max(sqrt(5 - x))").find("'sqrt(5 - x)' has no value at t = "), std::string::npos);
  EXPECT_NE(said("max(1 / (x - 5))"), "");
  EXPECT_EQ(said("max(sqrt(10 - x))"), "");
}

// ---- surfaces, modes --------------------------------------------------------------------------------

TEST(MeasuredSliding, LastsAsLongAsItSticks) {
  const MeasuredText block(R"(model Block
  Real v(start = 1, fixed = true), force;
equation
  force = sign(v);
  der(v) = -force;
end Block;
)",
                           3.0);
  EXPECT_NEAR(block("duration(abs(v) < 1e-6)"), 2.0, 1e-5);
  EXPECT_NEAR(block("last(v > 1e-6)"), 1.0, 1e-5);
  EXPECT_NEAR(block("integral(force)"), 1.0, near_run);  // on the surface it is 0, not +-1
  EXPECT_NEAR(block("integral(force^2)"), 1.0, near_run);
  EXPECT_NEAR(block("integral(v)"), 0.5, near_run);
}

TEST(MeasuredModes, CountWhereAVariableExists) {
  Model m("charging");
  const Expr x = m.state("x", 0.0), y = m.algebraic("y");
  const ModeId with = m.mode("with"), without = m.mode("without");
  m.equation(der(x) == 1.0);
  m.equation(with, y == 2.0 * x + 1.0);
  m.transition("leave", with, without, x > 1.0);
  const Expr z = m.algebraic("z");
  const ModeId never = m.mode("never");
  m.equation(never, z == x);
  m.transition("never", without, never, x > 100.0);
  const auto model = m.build();
  RunOptions options;
  options.t_end = 3.0;
  options.rtol = options.atol = asked;
  const Solution run = simulate(model, options);
  ASSERT_TRUE(run.ok()) << run.report.message;
  EXPECT_NEAR(measured_of("max(y)", run, *model), 3.0, near_run);
  EXPECT_NEAR(measured_of("mean(y)", run, *model), 2.0, near_run);  // of the time that it exists
  EXPECT_NEAR(measured_of("integral(y)", run, *model), 2.0, near_run);
  EXPECT_NEAR(measured_of("duration(y > 2)", run, *model), 0.5, near_run);
  EXPECT_NEAR(measured_of("duration(y > -1)", run, *model), 1.0, near_run);
  EXPECT_TRUE(is_absent(measured_of("at(y, end)", run, *model)));
  EXPECT_TRUE(is_absent(measured_of("max(z)", run, *model)));
  EXPECT_NEAR(measured_of("max(x)", run, *model), 3.0, near_run);
}

TEST(MeasuredModels, OfProgramsHaveElementsAndNamesOfTheirOwn) {
  Model m("array");
  const std::vector<double> starts = {1.0, 2.0};
  const Expr x = m.states("x", starts);
  const std::vector<double> rates = {1.0, 3.0};
  const Expr k = m.parameters("k", rates);
  m.equation(der(x) == -k * x);
  m.output("twice it's sum", 2.0 * sum(x));
  const auto model = m.build();
  RunOptions options;
  options.t_end = 1.0;
  options.rtol = options.atol = asked;
  const Solution run = simulate(model, options);
  EXPECT_NEAR(measured_of("min(k[1] * x[1])", run, *model), 6 * std::exp(-3.0), near_run);
  EXPECT_NEAR(measured_of("min('twice it\\'s sum')", run, *model),
              2 * std::exp(-1.0) + 4 * std::exp(-3.0), near_run);
}

// ---- nothing changes --------------------------------------------------------------------------------

TEST(MeasuredRuns, BackwardCountTheSame) {
  Model m("ramp");
  const Expr x = m.state("x", 0.0);
  m.equation(der(x) == 1.0);
  const auto model = m.build();
  RunOptions options;
  options.t_end = -2.0;
  const Solution run = simulate(model, options);
  ASSERT_TRUE(run.ok()) << run.report.message;
  EXPECT_NEAR(measured_of("integral(x)", run, *model), 2.0, 1e-6);  // from 0 to -2 of t
  EXPECT_NEAR(measured_of("mean(x)", run, *model), -1.0, 1e-6);
  EXPECT_NEAR(measured_of("first(x < -0.5)", run, *model), -0.5, 1e-6);
  EXPECT_NEAR(measured_of("last(x < -0.5)", run, *model), -2.0, 1e-6);
  EXPECT_NEAR(measured_of("duration(x < -0.5)", run, *model), 1.5, 1e-6);
  EXPECT_NEAR(measured_of("min(x, from = -1)", run, *model), -1.0, 1e-6);
}

// ---- what is refused --------------------------------------------------------------------------------

struct Refused {
  std::string text, words;
  std::uint32_t column, length;
};

TEST(MeasureTexts, AreRefusedAtTheirPlace) {
  const std::vector<Refused> all = {
      {"max(hh)", "did you mean 'h'?", 5, 2},
      {"2 * h", "'h' changes during a run", 5, 1},
      {"max(h) + time", "'time' changes during a run", 10, 4},
      {"maxx(h)", "there is no function 'maxx': did you mean 'max'?", 1, 7},
      {"integrals(h)", "did you mean 'integral'?", 1, 12},
      {"max(h", "expected ',' or ')' in the arguments of 'max', which began with '(' in line 1", 6,
       1},
      {"max(h, form = 2)", "'max' has no 'form'", 1, 16},
      {"max(h > 0)", "a number is needed here", 5, 5},
      {"duration(h)", "a condition is needed here", 10, 1},
      {"first(pre(h) > 1)", "'pre' is about a moment of an event", 7, 6},
      {"max(floor(h))", "a variable cannot be rounded in this expression", 5, 8},
      {"at(h)", "'at' takes an expression and a time", 1, 5},
      {"at(h, v)", "'v' changes during a run", 7, 1},
      {"max(h, to = v)", "'v' changes during a run", 13, 1},
      {"e + 1", "nothing here depends on the run", 1, 5},
      {"max(both)", "a single value is needed here", 5, 4},
      {"max(both[3])", "'both' has elements 1 to 2", 10, 1},
      {"max(h == 1)", "is compared for equality", 5, 6},
      {"max(side == Side.up)", "no literal 'up'", 13, 7},
      {"max(h $ 2)", "has no meaning in Modelica", 7, 1},
      {"", "", 1, 1},
  };
  for (const Refused& one : all) {
    const std::vector<MeasureText> texts = {{"good", "max(h)"}, {"bad", one.text}};
    const ReadMeasures read = read_measures(texts, ball_text, "ball.mo");
    ASSERT_EQ(read.diagnostics.size(), 1U) << one.text << "\n" << to_text(read.diagnostics);
    EXPECT_TRUE(read.measures.empty());
    const Diagnostic& d = read.diagnostics[0];
    EXPECT_EQ(d.file, "bad") << one.text;
    EXPECT_NE(d.message.find(one.words), std::string::npos) << one.text << ": " << d.message;
    EXPECT_EQ(d.line, 1U) << one.text;
    EXPECT_EQ(d.column, one.column) << to_text(d);
    EXPECT_EQ(d.length, one.length) << to_text(d);
  }
}

}  // namespace
}  // namespace saltus
