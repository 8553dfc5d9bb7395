// Variables that some modes do not have: masked, or held at their last value.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <saltus/trajectory.hpp>

#include "unit/trajectory/steps.hpp"
#include "unit/trajectory/transition_log.hpp"

namespace saltus {
namespace {

using test::polynomial;

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

template <class Call>
std::string complaint(Call&& call) {
  try {
    static_cast<void>(call());
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// x is always there; y in the modes 'with' of [1, 2] and [4, 5], not in [0, 1], [2, 4] and [5, 6].
Trajectory comes_and_goes(bool backward = false, std::vector<std::uint8_t> hold = {}) {
  const double sign = backward ? -1 : 1;
  TrajectoryRecorder recorder({{"x", "m", ""}, {"y", "N", ""}});
  if (!hold.empty()) recorder.hold_absent(hold);
  const auto stretch = [&](const char* mode, double from, double to, bool has_y) {
    recorder.begin_segment(mode, sign * from, {1, std::uint8_t{has_y}});
    const double y = has_y ? 10 * from : no_number, slope = has_y ? 10 : no_number;
    recorder.add_step(polynomial(sign * from, sign * to, {from, y, to - from, slope}, 2));
    recorder.add_row(sign * from, std::vector<double>{from, y});
    recorder.add_row(sign * to, std::vector<double>{to, y + slope});
  };
  stretch("without", 0, 1, false);
  stretch("with", 1, 2, true);
  stretch("without", 2, 3, false);
  stretch("neither", 3, 4, false);
  stretch("with", 4, 5, true);
  stretch("without", 5, 6, false);
  return recorder.take();
}

TEST(Absent, AColumnCanBeHadAlignedWithTheTimes) {
  const Trajectory t = comes_and_goes();
  const MaskedColumn y = t.masked_column("y");
  ASSERT_EQ(y.values.size(), t.times().size());
  EXPECT_EQ(y.present, (std::vector<std::uint8_t>{0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(y.values, (std::vector<double>{0, 0, 10, 20, 0, 0, 0, 0, 40, 50, 0, 0}));
  EXPECT_EQ(t.column("y"), (std::vector<double>{10, 20, 40, 50}));
  EXPECT_EQ(t.masked_column("x").present, std::vector<std::uint8_t>(12, 1));
  EXPECT_EQ(t.masked_column("x").values, t.column("x"));
  EXPECT_THROW(t.masked_column("z"), Error);
}

TEST(Absent, AskingSaysWhereTheVariableExists) {
  const Trajectory t = comes_and_goes();
  EXPECT_EQ(complaint([&] { return t.at("y", 3.5); }),
            "variable 'y' does not exist in mode 'neither' at t = 3.5; it exists until t = 2 in "
            "mode 'with' and again from t = 4 in mode 'with'");
  EXPECT_EQ(complaint([&] { return t.at("y", 0.5); }),
            "variable 'y' does not exist in mode 'without' at t = 0.5; it exists from t = 1 in "
            "mode 'with'");
  EXPECT_EQ(complaint([&] { return t.derivative_at("y", 5.5); }),
            "variable 'y' does not exist in mode 'without' at t = 5.5; it exists until t = 5 in "
            "mode 'with'");
  EXPECT_EQ(complaint([&] { return t.at("y", 1.5); }), "");
  EXPECT_EQ(complaint([&] { return comes_and_goes(true).at("y", -3.5); }),
            "variable 'y' does not exist in mode 'neither' at t = -3.5; it exists until t = -4 in "
            "mode 'with' and again from t = -2 in mode 'with'");
  TrajectoryRecorder never({{"x", "", ""}, {"y", "", ""}});
  never.begin_segment("", 0, {1, 0});
  never.add_step(polynomial(0, 1, {1, 1}, 2));
  EXPECT_EQ(complaint([&] { return never.trajectory().at("y", 0.5); }),
            "variable 'y' does not exist at t = 0.5; no mode of this run has it");
}

TEST(Absent, AtTheEndOfARunItIsNamed) {
  Solution solution;
  solution.trajectory = comes_and_goes();
  solution.report.t_reached = 6;
  EXPECT_EQ(solution.final("x"), 6);
  EXPECT_EQ(
      complaint([&] { return solution.final("y"); }),
      "variable 'y' does not exist at the end of the run, in mode 'without', t = 6; it exists "
      "until t = 5 in mode 'with'");
  solution.trajectory = comes_and_goes(false, {1, 1});
  EXPECT_EQ(solution.final("y"), 50);
}

TEST(Absent, AnyTimeWithinRoundingOfTheEndAnswersEveryQuestion) {
  const Trajectory t = comes_and_goes();
  const double beyond = std::nextafter(6.0, 7.0);
  std::vector<double> values{-1, -1};
  t.at(beyond, values);
  EXPECT_EQ(values, (std::vector<double>{6, -1}));
  EXPECT_EQ(t.derivative_at("x", beyond), 1);
  EXPECT_NE(complaint([&] { return t.at("y", beyond); }).find("does not exist in mode"),
            std::string::npos);
  EXPECT_THROW(t.at("x", 6.1), Error);
}

TEST(Absent, HeldVariablesKeepTheirLastValueOnceTheyHaveOne) {
  for (const bool backward : {false, true}) {
    const double sign = backward ? -1 : 1;
    const Trajectory t = comes_and_goes(backward, {1, 1});
    const MaskedColumn y = t.masked_column("y");
    EXPECT_EQ(y.present, (std::vector<std::uint8_t>{0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
    EXPECT_EQ(y.values, (std::vector<double>{0, 0, 10, 20, 20, 20, 20, 20, 40, 50, 50, 50}));
    EXPECT_EQ(t.at("y", sign * 2.7), 20);
    EXPECT_EQ(t.derivative_at("y", sign * 2.7), 0);
    EXPECT_EQ(t.at("y", sign * 5.5), 50);
    EXPECT_EQ(t.at(1, sign * 0.5), std::nullopt);
    EXPECT_EQ(t.at("x", sign * 2.5), 2.5);
    // Twin: not asked for, not held.
    const Trajectory masked = comes_and_goes(backward, {1, 0});
    EXPECT_EQ(masked.at(1, sign * 2.7), std::nullopt);
    EXPECT_EQ(masked.masked_column("y").present,
              comes_and_goes(backward).masked_column("y").present);
  }
}

TEST(Absent, RowsWithinAStepDoNotOverwriteItsEnd) {
  TrajectoryRecorder recorder({{"y", "", ""}});
  recorder.hold_absent({1});
  recorder.begin_segment("with", 0, {1});
  recorder.add_step(polynomial(0, 1, {1, 2, 4}));  // 7 at its end
  recorder.add_row(0.5, std::vector<double>{3});
  recorder.begin_segment("without", 1, {0});
  recorder.add_row(1.5, std::vector<double>{no_number});
  EXPECT_EQ(recorder.trajectory().row(1)[0], 7);
  // Without steps the last row is all there is, unless the end is passed on.
  for (const bool passed : {false, true}) {
    TrajectoryRecorder rows({{"y", "", ""}});
    rows.hold_absent({1});
    rows.begin_segment("with", 0, {1});
    rows.add_row(0.5, std::vector<double>{3});
    if (passed) rows.pass(1, std::vector<double>{7});
    rows.begin_segment("without", 1, {0});
    rows.add_point(std::vector<double>{no_number});
    EXPECT_EQ(rows.trajectory().at(0, 1), passed ? 7 : 3);
  }
}

TEST(Absent, AHeldVariableDoesNotHideThatASegmentIsEmpty) {
  TrajectoryRecorder recorder({{"x", "", ""}, {"y", "", ""}});
  recorder.hold_absent({1, 1});
  recorder.begin_segment("with", 0);
  recorder.add_row(0, std::vector<double>{1, 2});
  recorder.begin_segment("without", 1, {1, 0});
  const std::vector<std::uint8_t> without{1, 0}, with{1, 1};
  EXPECT_TRUE(recorder.is_empty_segment("without", without));
  EXPECT_FALSE(recorder.is_empty_segment("without", with));
}

TEST(Absent, LimitsThatAreNoNumbersBecomeFlags) {
  EventInstant instant;
  instant.x_minus = {1, no_number};
  instant.x_plus = {2, 3};
  EventLog log;
  log.add(instant, {test::made_event("a", EventKind::structural, 0)}, true);
  const EventInstant kept = log.instants()[0];
  EXPECT_EQ(kept.x_minus, (std::vector<double>{1, 0}));
  EXPECT_TRUE(kept.exists_before(0));
  EXPECT_FALSE(kept.exists_before(1));
  EXPECT_FALSE(kept.exists_before(2));
  EXPECT_TRUE(kept.plus_present.empty());
  EXPECT_TRUE(kept.exists_after(1));
  // What an absent variable's place held is nobody's business: equal runs are equal.
  instant.x_minus = {1, 77};
  instant.minus_present = {1, 0};
  log.add(instant, {test::made_event("a", EventKind::structural, 0)}, true);
  EXPECT_EQ(log.instants()[1].x_minus, kept.x_minus);
}

TEST(Absent, NamesThatNeverFiredHaveNoTimes) {
  Solution solution;
  solution.event_log = test::transition_log();
  EXPECT_THROW(static_cast<void>(solution.event_times("reopen")), Error);
  solution.report.event_names = {"reopen", "bounce"};
  EXPECT_TRUE(solution.event_times("reopen").empty());
  EXPECT_EQ(solution.event_times("close"), (std::vector<double>{0.25}));
  EXPECT_NE(complaint([&] { return solution.event_times("reopn"); }).find("did you mean 'reopen'?"),
            std::string::npos);
}

}  // namespace
}  // namespace saltus
