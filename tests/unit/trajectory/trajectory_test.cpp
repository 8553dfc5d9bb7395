#include <bit>
#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <saltus/core/error.hpp>
#include <saltus/trajectory.hpp>
#include "support/allocation_counter.hpp"

namespace saltus {
namespace {

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

/// One variable "x" and, if asked for, "y"; coefficients of power 0 first.
StepPolynomial polynomial(double t_left, double t_right, const std::vector<double>& coefficients,
                          std::uint32_t n = 1) {
  return {t_left, t_right, static_cast<int>(coefficients.size() / n) - 1, n, coefficients};
}

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

/// Up to t = 1 x = t; at t = 1 x jumps to 10 and falls to 8 at t = 2.
Trajectory one_jump() {
  TrajectoryRecorder recorder({{"x", "m", ""}});
  recorder.begin_segment("up", 0);
  recorder.add_step(polynomial(0, 0.5, {0, 0.5}));
  recorder.add_step(polynomial(0.5, 1, {0.5, 0.5}));
  recorder.begin_segment("down", 1);
  recorder.add_step(polynomial(1, 2, {10, -2}));
  return recorder.take();
}

TEST(Trajectory, AnswersAtAnyTime) {
  const Trajectory t = one_jump();
  EXPECT_EQ(t.at("x", 0.25), 0.25);
  EXPECT_EQ(t.at("x", 0.75), 0.75);
  EXPECT_EQ(t.at("x", 1.5), 9);
  EXPECT_EQ(t.derivative_at("x", 0.25), 1);
  EXPECT_EQ(t.derivative_at("x", 1.5), -2);
  EXPECT_EQ(t.t_begin(), 0);
  EXPECT_EQ(t.t_end(), 2);
  EXPECT_FALSE(t.backward());
}

TEST(Trajectory, AnEventHasBothLimits) {
  const Trajectory t = one_jump();
  EXPECT_EQ(t.at("x", 1, Side::left), 1);
  EXPECT_EQ(t.at("x", 1, Side::right), 10);
  EXPECT_EQ(t.at("x", 1), 10);
  EXPECT_EQ(t.derivative_at("x", 1, Side::left), 1);
  EXPECT_EQ(t.derivative_at("x", 1, Side::right), -2);
  double x = 0;
  t.at(1, {&x, 1}, Side::left);
  EXPECT_EQ(x, 1);
  t.at(1, {&x, 1}, Side::right);
  EXPECT_EQ(x, 10);
}

TEST(Trajectory, BothSidesAgreeInsideASegmentAndAtItsOuterEnds) {
  const Trajectory t = one_jump();
  for (double at : {0.0, 0.3, 0.5, 1.2, 2.0}) {
    EXPECT_EQ(t.at("x", at, Side::left), t.at("x", at, Side::right)) << at;
    EXPECT_EQ(t.derivative_at("x", at, Side::left), t.derivative_at("x", at, Side::right)) << at;
  }
}

// The polynomial of the first step misses the beginning of the second by one ulp, which is what
// distinguishes the two.
TEST(Trajectory, AtACommonEndOfStepsTheLaterBeginningAnswersBitForBit) {
  const double next = std::nextafter(1.0, 2.0);
  for (const bool planted : {false, true}) {
    TrajectoryRecorder recorder({{"x", "", ""}});
    recorder.begin_segment("", 0);
    recorder.add_step(polynomial(0, 0.1, {0, 1}));
    recorder.add_step(polynomial(0.1, 0.2, {planted ? 1.0 : next, 1}));
    recorder.add_step(polynomial(0.2, 0.3, {-0.0, 3}));
    const Trajectory t = recorder.take();
    for (Side side : {Side::left, Side::right}) {
      EXPECT_EQ(bits(t.at("x", 0.1, side)) == bits(next), !planted);
      EXPECT_EQ(bits(t.at("x", 0.2, side)), bits(-0.0));  // Horner's rule would say +0
      EXPECT_NE(bits(t.at("x", 0.2, side)), bits(0.0));
      EXPECT_EQ(t.at("x", 0.3, side), 3);  // no next step: the polynomial
      double all = 0;
      t.at(0.2, {&all, 1}, side);
      EXPECT_EQ(bits(all), bits(-0.0));
    }
  }
}

TEST(Trajectory, SidesAreSidesInTimeAlsoWhenTheRunWentBackward) {
  TrajectoryRecorder recorder({{"x", "", ""}});
  recorder.begin_segment("late", 2);
  recorder.add_step(polynomial(2, 1.5, {20, -1}));
  recorder.add_step(polynomial(1.5, 1, {19.5, -1}));
  recorder.begin_segment("early", 1);
  recorder.add_step(polynomial(1, 0, {5, -3}));
  const Trajectory t = recorder.take();
  EXPECT_TRUE(t.backward());
  EXPECT_EQ(t.t_begin(), 2);
  EXPECT_EQ(t.t_end(), 0);
  EXPECT_EQ(t.at("x", 1, Side::right), 18.5);  // greater times: the first segment
  EXPECT_EQ(t.at("x", 1, Side::left), 5);
  EXPECT_EQ(t.at("x", 0), 2);
  EXPECT_EQ(t.at("x", 2), 20);
  EXPECT_EQ(t.at("x", 1.75), 19.5);
  EXPECT_EQ(t.derivative_at("x", 0.5), 3);  // by time, not by the run
  for (Side side : {Side::left, Side::right}) EXPECT_EQ(t.at("x", 1.5, side), 19.5);
  EXPECT_EQ(error_of([&] { t.at("x", 2.5); }),
            "t = 2.5 is outside the solution, which reaches from t = 2 to t = 0");
}

TEST(Trajectory, OfSegmentsWithoutLengthTheOutermostAnswer) {
  for (const bool backward : {false, true}) {
    const double sign = backward ? -1 : 1;
    TrajectoryRecorder recorder({{"x", "", ""}});
    auto point = [&](double value) {
      recorder.begin_segment("instant", sign);
      recorder.add_point(std::vector<double>{value});
    };
    recorder.begin_segment("a", 0);
    recorder.add_step(polynomial(0, sign, {1, 1}));
    point(3);
    recorder.begin_segment("no values", sign);
    point(4);
    recorder.begin_segment("b", sign);
    recorder.add_step(polynomial(sign, 2 * sign, {5, 1}));
    const Trajectory t = recorder.take();
    EXPECT_EQ(t.at("x", sign, backward ? Side::right : Side::left), 2);
    EXPECT_EQ(t.at("x", sign, backward ? Side::left : Side::right), 5);
    EXPECT_EQ(t.at("x", 0.5 * sign), 1.5);
    EXPECT_EQ(t.at("x", 1.5 * sign), 5.5);
    ASSERT_EQ(t.segments().size(), 5U);
    EXPECT_EQ(t.step(t.segments()[3].first_step).coefficient(0, 0), 4);
    EXPECT_EQ(t.segment_of_step(2), 3U);
  }
}

TEST(Trajectory, AnEventAtTheEndOfTheRunIsSeenFromTheRight) {
  TrajectoryRecorder recorder({{"x", "", ""}});
  recorder.begin_segment("a", 0);
  recorder.add_step(polynomial(0, 1, {0, 1}));
  recorder.begin_segment("b", 1);
  // The run may end here: as long as "b" says nothing, "a" does.
  EXPECT_EQ(recorder.trajectory().at("x", 1), 1);
  recorder.add_point(std::vector<double>{7});
  const Trajectory t = recorder.take();
  EXPECT_EQ(t.at("x", 1, Side::left), 1);
  EXPECT_EQ(t.at("x", 1, Side::right), 7);
  EXPECT_EQ(t.derivative_at("x", 1, Side::left), 1);
  EXPECT_EQ(error_of([&] { t.derivative_at("x", 1); }),
            "no derivative at t = 1: the stay in mode 'b' has no length");
}

TEST(Trajectory, APointGivesWayToTheStepThatFollowsIt) {
  TrajectoryRecorder recorder({{"x", "", ""}});
  recorder.begin_segment("a", 0);
  recorder.add_point(std::vector<double>{3});
  recorder.add_step(polynomial(0, 1, {4, 1}));
  const Trajectory t = recorder.take();
  for (Side side : {Side::left, Side::right}) {
    EXPECT_EQ(t.at("x", 0, side), 4);
    EXPECT_EQ(t.derivative_at("x", 0, side), 1);
  }
}

TEST(Trajectory, AbsentVariablesAreNoNumbers) {
  TrajectoryRecorder recorder({{"x", "", ""}, {"y", "", ""}});
  recorder.begin_segment("both", 0, {1, 1});
  recorder.add_step(polynomial(0, 1, {1, 2, 1, 1}, 2));
  recorder.add_row(0, std::vector<double>{1, 2});
  recorder.begin_segment("alone", 1, {1, 0});
  recorder.add_step(polynomial(1, 2, {5, NAN, 1, NAN}, 2));
  recorder.add_row(1.5, std::vector<double>{5.5, NAN});
  const Trajectory t = recorder.take();
  EXPECT_EQ(t.at(1, 1, Side::left), 3);
  EXPECT_EQ(t.at(1, 1, Side::right), std::nullopt);
  EXPECT_EQ(t.derivative_at(1, 1.5), std::nullopt);
  EXPECT_EQ(t.at(0, 1.5), 5.5);
  std::vector<double> values{-1, -2};
  t.at(1.5, values);
  EXPECT_EQ(values, (std::vector<double>{5.5, -2}));
  EXPECT_EQ(error_of([&] { t.at("y", 1.5); }),
            "variable 'y' does not exist in mode 'alone' at t = 1.5");
  EXPECT_EQ(error_of([&] { t.derivative_at("y", 1); }),
            "variable 'y' does not exist in mode 'alone' at t = 1");
  EXPECT_EQ(error_of([&] { t.at("y", 1, Side::left); }), "no error");
  EXPECT_EQ(t.column("x"), (std::vector<double>{1, 5.5}));
  EXPECT_EQ(t.column("y"), (std::vector<double>{2}));
  EXPECT_EQ(t.row(1)[1], 0);  // never what the caller's memory held
  EXPECT_EQ(t.step(1).coefficient(1, 1), 0);
  EXPECT_TRUE(t.present_in_row(1, 0));
  EXPECT_FALSE(t.present_in_row(1, 1));
}

TEST(Trajectory, ErrorsNameWhatToRepair) {
  const Trajectory t = one_jump();
  EXPECT_EQ(error_of([&] { t.at("x", 2.5); }),
            "t = 2.5 is outside the solution, which reaches from t = 0 to t = 2");
  EXPECT_EQ(error_of([&] { t.at("x", std::nextafter(0.0, -1.0)); }),
            "t = -5e-324 is outside the solution, which reaches from t = 0 to t = 2");
  EXPECT_EQ(error_of([&] { t.at("x", NAN); }),
            "t = nan is outside the solution, which reaches from t = 0 to t = 2");
  EXPECT_EQ(error_of([&] { t.at("X", 1); }), "the solution has no variable 'X'; did you mean 'x'?");
  EXPECT_EQ(error_of([&] { t.column("velocity"); }), "the solution has no variable 'velocity'");
  EXPECT_EQ(error_of([] { Trajectory().t_begin(); }),
            "the solution is empty: the run did not start");
  EXPECT_EQ(error_of([] {
              TrajectoryRecorder({{"x", "", ""}, {"y", "", ""}, {"x", "", ""}});
            }),
            "variable 'x': cannot be recorded: the name occurs twice");
}

TEST(Trajectory, WithoutStepsItSaysHowToRecordThem) {
  TrajectoryRecorder recorder({{"x", "", ""}});
  recorder.begin_segment("a", 0);
  recorder.add_row(0, std::vector<double>{1});
  recorder.extend_to(3);
  recorder.begin_segment("b", 4);
  recorder.add_row(5, std::vector<double>{2});
  const Trajectory t = recorder.take();
  EXPECT_EQ(t.segments()[0].t_end, 4);
  EXPECT_EQ(t.t_end(), 5);
  EXPECT_EQ(error_of([&] { t.at("x", 1); }),
            "the solution cannot be asked at t = 1: no steps were recorded; set the option "
            "output.dense to true, or use the rows");
  EXPECT_EQ(t.column("x"), (std::vector<double>{1, 2}));
}

TEST(Trajectory, AGapBetweenStepsIsRefusedNotBridged) {
  TrajectoryRecorder recorder({{"x", "", ""}});
  recorder.begin_segment("a", 0);
  recorder.add_step(polynomial(0, 1, {0, 1}));
  recorder.extend_to(2);
  recorder.begin_segment("b", 2);
  recorder.add_step(polynomial(2, 3, {0, 1}));
  const Trajectory t = recorder.take();
  for (Side side : {Side::left, Side::right})
    EXPECT_EQ(error_of([&] { t.at("x", 1.5, side); }),
              "no step was recorded at t = 1.5, although the solution reaches there");
  EXPECT_EQ(t.at("x", 1), 1);
  EXPECT_EQ(t.at("x", 2), 0);
}

TEST(Trajectory, NamesAreFoundInAnyOrder) {
  std::vector<VariableInfo> variables;
  for (const char* name : {"pump.flow", "a", "valve", "Z", "", "m"})
    variables.push_back({name, "", ""});
  TrajectoryRecorder recorder(variables);
  for (std::uint32_t i = 0; i < variables.size(); ++i)
    EXPECT_EQ(recorder.trajectory().find(variables[i].name), i);
  EXPECT_EQ(recorder.trajectory().find("b"), std::nullopt);
  EXPECT_EQ(recorder.trajectory().find("zz"), std::nullopt);
}

TEST(Trajectory, RowsKnowTheirSegment) {
  TrajectoryRecorder recorder({{"x", "", ""}});
  const std::vector<double> x{1};
  recorder.begin_segment("a", 0);
  recorder.add_row(0, x);
  recorder.add_row(1, x);
  recorder.begin_segment("no rows", 1);
  recorder.begin_segment("b", 1);
  recorder.add_row(1, x);
  recorder.begin_segment("none at the end", 2);
  const Trajectory t = recorder.take();
  ASSERT_EQ(t.n_rows(), 3U);
  EXPECT_EQ(t.segment_of_row(0), 0U);
  EXPECT_EQ(t.segment_of_row(1), 0U);
  EXPECT_EQ(t.segment_of_row(2), 2U);
}

TEST(Trajectory, WhatDoesNotFitIsAnInternalError) {
  const std::vector<double> x{1};
  auto refused = [](auto call) {
    try {
      call();
    } catch (const InternalError&) {
      return true;
    }
    return false;
  };
  TrajectoryRecorder recorder({{"x", "", ""}});
  EXPECT_TRUE(refused([&] { recorder.add_row(0, x); }));  // no segment
  recorder.begin_segment("", 0);
  recorder.add_step(polynomial(0, 1, {0, 1}));
  EXPECT_TRUE(refused([&] { recorder.add_step(polynomial(1.5, 2, {0, 1})); }));
  EXPECT_TRUE(refused([&] { recorder.add_step(polynomial(1, 0.5, {0, 1})); }));
  EXPECT_TRUE(refused([&] { recorder.add_step(polynomial(1, 1, {0, 1})); }));
  EXPECT_TRUE(refused([&] { recorder.add_step(polynomial(1, 2, {0, 1}, 2)); }));
  EXPECT_TRUE(refused([&] { recorder.add_point(x); }));
  EXPECT_TRUE(refused([&] { recorder.extend_to(-1); }));
  EXPECT_TRUE(refused([&] { recorder.begin_segment("", 0.5); }));
  EXPECT_TRUE(refused([&] { recorder.begin_segment("", 1, {1, 1}); }));
  EXPECT_FALSE(refused([&] { recorder.add_step(polynomial(1, 2, {0, 1})); }));
  EXPECT_TRUE(refused([&] { (void)recorder.trajectory().at(1, 0.5); }));
  EXPECT_TRUE(refused([&] { (void)recorder.trajectory().row(0); }));
}

// ---- the search ------------------------------------------------------------------------------------

struct PlainStep {
  std::size_t segment;
  double t_left, t_right;
  std::vector<double> c;
};

/// The specification, step by step: of the steps that contain t the first or the last in the order
/// of the run, then on to the later one where two of a segment meet.
double by_linear_search(const std::vector<PlainStep>& steps, bool backward, double t, Side side) {
  std::optional<std::size_t> found;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (t < std::min(steps[k].t_left, steps[k].t_right)) continue;
    if (t > std::max(steps[k].t_left, steps[k].t_right)) continue;
    if (!found || (side == Side::right) != backward || steps[k].segment == steps[*found].segment)
      found = k;
  }
  const PlainStep& s = steps[found.value()];
  if (t == s.t_left) return s.c[0];
  const double at = (t - s.t_left) / (s.t_right - s.t_left);
  double sum = s.c.back();
  for (std::size_t k = s.c.size() - 1; k-- > 0;) sum = sum * at + s.c[k];
  return sum;
}

TEST(Trajectory, RandomLookupsAgreeWithALinearSearchBitForBit) {
  const unsigned seed = 20260715;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  int compared = 0, sides_differ = 0;
  for (int run = 0; run < 60; ++run) {
    const bool backward = run % 2 == 1;
    TrajectoryRecorder recorder({{"x", "", ""}});
    std::vector<PlainStep> steps;
    std::vector<double> times;
    double t = value(random);
    recorder.begin_segment("", t);
    for (int segment = 0; segment < 1 + below(8); ++segment) {
      if (segment > 0) recorder.begin_segment("", t);
      if (below(3) == 0) {
        steps.push_back({recorder.trajectory().segments().size(), t, t, {value(random)}});
        recorder.add_point(steps.back().c);
      }
      for (int n = below(6); n > 0; --n) {
        const double next = t + (backward ? -1 : 1) * (0.01 + std::abs(value(random)));
        std::vector<double> c(static_cast<std::size_t>(1 + below(5)));
        for (double& k : c) k = value(random);
        recorder.add_step(polynomial(t, next, c));
        steps.push_back({recorder.trajectory().segments().size(), t, next, c});
        for (double s : {0.0, 0.1, 0.7, 1.0}) times.push_back(s == 1.0 ? next : t + s * (next - t));
        t = next;
      }
    }
    const Trajectory trajectory = recorder.take();
    for (double at : times) {
      double found[2];
      for (Side side : {Side::left, Side::right}) {
        found[side == Side::left] = trajectory.at("x", at, side);
        ASSERT_EQ(bits(found[side == Side::left]),
                  bits(by_linear_search(steps, backward, at, side)))
            << "run " << run << ", t = " << at;
        ++compared;
      }
      sides_differ += found[0] != found[1];
    }
  }
  EXPECT_GT(compared, 1000);
  EXPECT_GT(sides_differ, 50);  // the search was asked where it matters
}

// ---- cost ------------------------------------------------------------------------------------------

Trajectory long_run(std::uint32_t n_variables, int degree, int n_steps) {
  std::vector<VariableInfo> variables;
  for (std::uint32_t i = 0; i < n_variables; ++i) variables.push_back({std::to_string(i), "", ""});
  const std::vector<double> c((static_cast<std::size_t>(degree) + 1) * n_variables, 1.0);
  TrajectoryRecorder recorder(variables);
  recorder.begin_segment("", 0);
  for (int k = 0; k < n_steps; ++k) recorder.add_step(polynomial(k, k + 1, c, n_variables));
  return recorder.take();
}

TEST(Trajectory, AStepTakesItsCoefficientsAndThreeNumbers) {
  for (std::uint32_t n : {1U, 7U}) {
    for (int degree : {0, 3}) {
      const std::size_t per_step = 8 * ((static_cast<std::size_t>(degree) + 1) * n + 3);
      const std::size_t few = long_run(n, degree, 1000).memory();
      EXPECT_EQ(long_run(n, degree, 3000).memory() - few, 2000 * per_step);
      EXPECT_EQ(long_run(n, degree, 2000).memory() - few, 1000 * per_step);
    }
  }
  EXPECT_NE(long_run(1, 4, 100).memory(), long_run(1, 3, 100).memory());
}

TEST(Trajectory, RecordingAllocatesRarelyAndAskingNever) {
  if (!test::counts_allocations()) GTEST_SKIP() << "the sanitizer has its own allocator";
  const long before = test::allocations();
  const Trajectory t = long_run(3, 3, 100000);
  // Doubling: log2(100000) = 17 allocations for each of two arrays, and a few for the rest.
  EXPECT_LT(test::allocations() - before, 100);
  const long asked = test::allocations();
  double sum = 0;
  std::vector<double> all(3);
  const long after_vector = test::allocations();
  for (int k = 0; k < 1000; ++k) {
    sum += t.at("1", 99.5 * k) + *t.derivative_at(2, 99.5 * k);
    t.at(k, all);
  }
  EXPECT_EQ(test::allocations(), after_vector);
  EXPECT_GT(after_vector, asked);  // the counter counts
  EXPECT_GT(sum, 0);
}

}  // namespace
}  // namespace saltus
