#include <cmath>
#include <limits>
#include <optional>

#include <gtest/gtest.h>

#include <saltus/core/error.hpp>
#include <saltus/model.hpp>

namespace saltus {
namespace {

const std::vector<double> sample_times{0, 1, 3, 4};
const std::vector<double> sample_values{2, 4, 0, 1};

TEST(Signal, AStepKeepsTheLastSampleAndHasBothLimits) {
  const auto s = table(sample_times, sample_values, Interpolation::step);
  EXPECT_EQ(s->value(0.5, 0), 2);
  EXPECT_EQ(s->value(1, 0, Side::left), 2);
  EXPECT_EQ(s->value(1, 0, Side::right), 4);
  EXPECT_EQ(s->value(-1, 0), 2);
  EXPECT_EQ(s->value(9, 0), 1);
  EXPECT_EQ(s->value(0.5, 1), 0);
}

TEST(Signal, ALineHasItsSlopeOnBothSides) {
  const auto s = table(sample_times, sample_values, Interpolation::linear);
  EXPECT_EQ(s->value(0.5, 0), 3);
  EXPECT_EQ(s->value(1, 1, Side::left), 2);
  EXPECT_EQ(s->value(1, 1, Side::right), -2);
  EXPECT_EQ(s->value(1, 0, Side::left), s->value(1, 0, Side::right));
  EXPECT_EQ(s->value(2, 2), 0);
}

TEST(Signal, ASplineIsTwiceContinuouslyDifferentiableAndInterpolates) {
  const auto s = table(sample_times, sample_values, Interpolation::spline);
  for (std::size_t i = 0; i < sample_times.size(); ++i)
    EXPECT_NEAR(s->value(sample_times[i], 0), sample_values[i], 1e-14);  // a few roundings
  for (std::size_t i = 1; i + 1 < sample_times.size(); ++i)
    for (int order = 0; order <= 2; ++order)
      EXPECT_NEAR(s->value(sample_times[i], order, Side::left),
                  s->value(sample_times[i], order, Side::right), 1e-13)
          << order;
  // The third derivative does jump: the check above can see.
  EXPECT_GT(std::abs(s->value(1, 3, Side::left) - s->value(1, 3, Side::right)), 0.1);
  EXPECT_NEAR(s->value(0, 2), 0, 1e-14);  // natural ends
}

TEST(Signal, ASplineReproducesAStraightLine) {
  const auto s = table(sample_times, std::vector<double>{1, 3, 7, 9}, Interpolation::spline);
  for (double t : {0.3, 1.7, 3.9}) {
    EXPECT_NEAR(s->value(t, 0), 1 + 2 * t, 1e-14);
    EXPECT_NEAR(s->value(t, 1), 2, 1e-14);
  }
}

TEST(Signal, BreakpointsAreThoseOfTheStepExceptItsBeginning) {
  const auto s = table(sample_times, sample_values, Interpolation::linear);
  EXPECT_EQ(s->breakpoints(0, 3), (std::vector<double>{1, 3}));
  EXPECT_EQ(s->breakpoints(-1, 0), (std::vector<double>{0}));
  EXPECT_TRUE(s->breakpoints(4, 9).empty());
}

/// A signal that says no more than it must.
class PlainSignal final : public Signal {
 public:
  explicit PlainSignal(std::shared_ptr<const Signal> signal) : signal_(std::move(signal)) {}
  double value(double t, int order, Side side) const override {
    return signal_->value(t, order, side);
  }
  std::vector<double> breakpoints(double t_from, double t_to) const override {
    return signal_->breakpoints(t_from, t_to);
  }
  int max_order() const override { return signal_->max_order(); }

 private:
  std::shared_ptr<const Signal> signal_;
};

TEST(Signal, TheNextBreakpointInBothDirections) {
  const auto s = table(sample_times, sample_values, Interpolation::linear);
  const auto f = callback([](double t) { return t; }, sample_times);
  const PlainSignal plain(s);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const Signal* signal : {s.get(), f.get(), static_cast<const Signal*>(&plain)}) {
    const auto next = [&](double t, double t_end) { return signal->next_breakpoint(t, t_end); };
    EXPECT_EQ(next(-5, 9), 0);
    EXPECT_EQ(next(0, 9), 1) << "strictly after";
    EXPECT_EQ(next(1.5, 3), 3) << "the end belongs to it";
    EXPECT_EQ(next(1.5, 2.9), std::nullopt);
    EXPECT_EQ(next(4, 9), std::nullopt);
    EXPECT_EQ(next(3, infinity), 4);
    EXPECT_EQ(next(9, -5), 4);
    EXPECT_EQ(next(4, -5), 3) << "strictly after";
    EXPECT_EQ(next(2.5, 1), 1) << "the end belongs to it";
    EXPECT_EQ(next(2.5, 1.1), std::nullopt);
    EXPECT_EQ(next(0, -5), std::nullopt);
    EXPECT_EQ(next(1, -infinity), 0);
    EXPECT_EQ(next(3, 3), std::nullopt);
  }
}

TEST(Signal, BadTablesAreRefusedWithTheirRow) {
  auto message = [](const std::vector<double>& t, const std::vector<double>& v) -> std::string {
    try {
      table(t, v, Interpolation::linear);
    } catch (const ModelError& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message({0, 2, 1}, {0, 0, 0}), "row 3 of a table: time 1 does not come after 2");
  EXPECT_EQ(message({0, 1, 1, 1}, {0, 0, 0, 0}),
            "row 4 of a table is the third one at 1: two rows at one time make a jump, more are "
            "not allowed");
  EXPECT_EQ(message({0, 1}, {0}), "a table has 2 times and 1 values");
  EXPECT_EQ(message({0, 1}, {0, NAN}), "row 2 of a table is not finite");
  EXPECT_EQ(message({0}, {0}), "a table needs at least two samples");
}

TEST(Signal, TwoSamplesOfOneTimeAreAJump) {
  const std::vector<double> t{0, 1, 1, 3}, v{0, 2, 5, 1};
  for (const Interpolation how : {Interpolation::linear, Interpolation::step}) {
    const auto s = table(t, v, how);
    EXPECT_EQ(s->value(1, 0, Side::left), how == Interpolation::linear ? 2 : 0);
    EXPECT_EQ(s->value(1, 0, Side::right), 5);
    EXPECT_EQ(s->value(2, 0), how == Interpolation::linear ? 3 : 5);
    EXPECT_EQ(s->value(2, 1), how == Interpolation::linear ? -2 : 0);
    EXPECT_EQ(s->breakpoints(0, 5), (std::vector<double>{1, 3}));
    ASSERT_TRUE(s->piece(1, 3));
    EXPECT_EQ(s->piece(1, 3)->c[0], 5);
    EXPECT_FALSE(s->piece(0.5, 1.5));
  }
  // At the ends of the table, too.
  EXPECT_EQ(table(std::vector<double>{0, 0, 1}, std::vector<double>{7, 1, 1}, Interpolation::linear)
                ->value(-1, 0),
            7);
  EXPECT_THROW(table(t, v, Interpolation::spline), ModelError);
}

TEST(Signal, FromCommaSeparatedText) {
  const std::string text = "time, \"u\" ,w\r\n0,1,5\r\n\r\n2,3,6\r\n";
  const auto s = table_from_csv(text, "time", "u", Interpolation::linear);
  EXPECT_EQ(s->value(1, 0), 2);
  auto message = [&](const std::string& csv, const std::string& column) -> std::string {
    try {
      table_from_csv(csv, "time", column, Interpolation::linear);
    } catch (const ModelError& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message("time,speed\n0,1\n1,2\n", "sped"),
            "a table has no column 'sped'; its first line names 'time', 'speed'");
  EXPECT_EQ(message("time,u\n0,1\n1,x\n", "u"), "line 3 of a table has no number in column 2");
  EXPECT_EQ(message("time,u\n0,1\n1\n", "u"), "line 3 of a table has no number in column 2");
}

TEST(Signal, ACallbackSaysWhereItBreaks) {
  const auto s =
      callback([](double t, int order) { return order == 0 ? t * t : 2 * t; }, 1, {5, 2});
  EXPECT_EQ(s->value(3, 1), 6);
  EXPECT_EQ(s->breakpoints(0, 10), (std::vector<double>{2, 5}));
  EXPECT_THROW(callback(nullptr, 0), ModelError);
}

TEST(Signal, ACallbackHasBothLimitsAtItsBreakpoints) {
  for (const double jump : {-3.0, 0.0, 0.1, 1.7e9}) {
    // Whichever side the function itself gives the jump to.
    for (const bool at_jump : {false, true}) {
      const auto after = [=](double t) { return t > jump || (at_jump && t == jump); };
      const auto declared = callback([=](double t) { return after(t) ? 7.0 : 2.0; }, {jump});
      EXPECT_EQ(declared->value(jump, 0, Side::left), 2.0);
      EXPECT_EQ(declared->value(jump, 0, Side::right), 7.0);
      // Elsewhere t is t.
      const auto identity = callback([](double t) { return t; }, {jump});
      EXPECT_EQ(identity->value(jump + 1, 0, Side::left), jump + 1);
      EXPECT_EQ(identity->value(jump + 1, 0, Side::right), jump + 1);
      // Twin: a jump that is not declared has one value.
      const auto silent = callback([=](double t) { return after(t) ? 7.0 : 2.0; });
      EXPECT_EQ(silent->value(jump, 0, Side::left), silent->value(jump, 0, Side::right));
    }
  }
}

}  // namespace
}  // namespace saltus
