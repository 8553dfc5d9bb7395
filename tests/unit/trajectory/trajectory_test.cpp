#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <saltus/core/error.hpp>
#include <saltus/trajectory.hpp>
#include "unit/trajectory/steps.hpp"

namespace saltus {
namespace {

using test::bits;
using test::polynomial;

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
            "no derivative at t = 1: the solution in mode 'b' consists of this instant only");
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
            "variable 'y' does not exist in mode 'alone' at t = 1.5; it exists until t = 1 in mode "
            "'both'");
  EXPECT_EQ(
      error_of([&] { t.derivative_at("y", 1); }),
      "variable 'y' does not exist in mode 'alone' at t = 1; it exists until t = 1 in mode 'both'");
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

}  // namespace
}  // namespace saltus
