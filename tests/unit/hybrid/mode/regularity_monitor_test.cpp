// Zeros of a determinant along a solution: of which steps they are found, and where.
#include "hybrid/mode/regularity_monitor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include <saltus/system/function_system.hpp>

namespace saltus::detail {
namespace {

/// A determinant that is a function of time; NaN: it has no value.
struct TimedDeterminant final : Workspace, Regularity {
  explicit TimedDeterminant(std::function<double(double)> of_time) : d(std::move(of_time)) {
    offer<Regularity>(*this);
  }
  Evaluation residual(double, std::span<const double>, std::span<const double>,
                      std::span<double>) override {
    return Evaluation::failed(0);
  }
  Evaluation jacobian(double, std::span<const double>, std::span<const double>, std::span<double>,
                      std::span<double>) override {
    return Evaluation::failed(0);
  }
  bool is_signed() const override { return has_sign; }
  Evaluation determinant(double t, std::span<const double> x, std::span<const double>,
                         SignedLogarithm& value) override {
    EXPECT_NEAR(x[0], t, 1e-12);
    if (std::isnan(d(t))) return Evaluation::out_of_domain(0);
    value = SignedLogarithm::one();
    value *= d(t);
    return Evaluation::ok();
  }
  bool confirm(double, std::span<const double>, std::span<const double>) override {
    if (!confirms) d = [of_old_units = d](double t) { return -of_old_units(t); };
    return confirms;
  }
  Loss describe_loss(double, std::span<const double> x, std::span<const double> xdot) override {
    return {"x = " + std::to_string(x[0]) + ", x' = " + std::to_string(xdot[0]), false};
  }
  std::function<double(double)> d;
  bool has_sign = true, confirms = true;
};

/// All unknowns are the time.
struct ClockEngine final : Engine {
  ClockEngine(double begin, std::size_t n) : before(begin), x_(n, begin), xdot_(n, 1.0) {}
  void go_to(double t) {
    before = x_[0];
    x_.assign(x_.size(), t);
  }
  EngineKind kind() const override { return EngineKind::radau; }
  Result<void> start(const EnginePoint&, double, const StartHint&) override { return {}; }
  Result<void> step(double) override { return {}; }
  StepPolynomial last_step() override {
    coefficients.assign(x_.size(), before);
    coefficients.resize(2 * x_.size(), x_[0] - before);
    return {before, x_[0], 1, static_cast<std::uint32_t>(x_.size()), coefficients};
  }
  Result<void> shorten(double) override { return {}; }
  double t() const override { return x_[0]; }
  std::span<const double> x() const override { return x_; }
  std::span<const double> xdot() const override { return xdot_; }
  const WorkCounts& work() const override { return none; }
  void set_stage_check(StageCheck) override {}

  double before;
  std::vector<double> x_, xdot_, coefficients;
  WorkCounts none;
};

struct Watched {
  Watched(std::function<double(double)> d, double begin, std::size_t n = 1)
      : workspace(std::move(d)), engine(begin, n) {
    SystemFunctions f;
    for (std::size_t i = 0; i < n; ++i) f.unknowns.push_back({"x" + std::to_string(i)});
    f.derivative = [](double, auto, auto xdot) {
      for (double& v : xdot) v = 1.0;
    };
    system = make_system(std::move(f));
  }
  /// The first loss that is found at these ends of steps.
  std::optional<RegularityLoss> look_at(const std::vector<double>& ends) {
    if (!has_begun) monitor.begin(*system, workspace, engine.t(), engine.x(), engine.xdot());
    has_begun = true;
    for (const double t : ends) {
      engine.go_to(t);
      if (auto loss = monitor.look(engine)) return loss;
    }
    return std::nullopt;
  }
  std::optional<RegularityLoss> explain_at(double t) {
    return monitor.explain(t, std::vector{t}, std::vector{1.0});
  }
  TimedDeterminant workspace;
  ClockEngine engine;
  std::shared_ptr<const System> system;
  RegularityMonitor monitor;
  bool has_begun = false;
};

TEST(RegularityMonitor, AChangeOfSignIsFoundByBisection) {
  for (const double direction : {1.0, -1.0}) {
    Watched w([&](double t) { return direction * t - 0.3; }, 0.0);
    EXPECT_FALSE(w.look_at({0.25 * direction}).has_value());
    const auto loss = w.look_at({0.5 * direction});
    ASSERT_TRUE(loss.has_value());
    EXPECT_TRUE(loss->located);
    EXPECT_EQ(loss->t, 0.3 * direction);
    // The solution is valid up to a point before.
    EXPECT_LE(loss->t_before * direction, 0.3);
    EXPECT_NEAR(loss->t_before, 0.3 * direction, 1e-15);
    EXPECT_EQ(loss->of.who,
              direction > 0 ? "x = 0.300000, x' = 1.000000" : "x = -0.300000, x' = 1.000000");
  }
}

TEST(RegularityMonitor, TimesAreRoundedAsFarAsAPolynomialKnowsThem) {
  Watched third([](double t) { return 3.0 * t - 1.0; }, 0.0);
  const auto found = third.look_at({0.5});
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(found->t, 0.333333333, 1e-14);  // nearer than 1e-9 of the step
  // Zero has no sign.
  Watched zero([](double t) { return t; }, 0.1);
  const auto at_zero = zero.look_at({-0.2});
  ASSERT_TRUE(at_zero.has_value());
  EXPECT_EQ(at_zero->t, 0.0);
  EXPECT_FALSE(std::signbit(at_zero->t));
}

/// confirm() turns the sign of what comes after: the next reading has new units.
TEST(RegularityMonitor, WhatIsNotConfirmedIsNoLossAndUnitsBeginAnew) {
  Watched w([](double t) { return t - 0.3; }, 0.0);
  w.workspace.confirms = false;
  EXPECT_FALSE(w.look_at({0.25, 0.5}).has_value());
  w.workspace.confirms = true;
  EXPECT_FALSE(w.look_at({0.75, 1.0}).has_value());
}

TEST(RegularityMonitor, AZeroOfEvenOrderIsAMinimumThatVanishes) {
  Watched w([](double t) { return (t - 0.3) * (t - 0.3); }, 0.0);
  EXPECT_FALSE(w.look_at({0.25}).has_value());
  const auto loss = w.look_at({0.5});
  ASSERT_TRUE(loss.has_value());
  EXPECT_TRUE(loss->located);
  EXPECT_EQ(loss->t, 0.3);
  EXPECT_LE(loss->t_before, 0.3);
}

/// The first one falls by 26, the second one by two millions, and is flat within 1e-4 of its minimum.
TEST(RegularityMonitor, AMinimumThatIsNoZeroIsNoLoss) {
  for (const double least : {1e-4, 1e-9}) {
    Watched w([&](double t) { return (t - 0.3) * (t - 0.3) + least; }, 0.0);
    EXPECT_FALSE(w.look_at({0.25, 0.5, 0.75}).has_value()) << least;
  }
}

/// |t - 0.3| in the step from 0.25 to 0.5 is as far from both ends as a zero of order 1 is: 0.2 + 0.8 of the step. A
/// zero of order 2 would be twice as far.
TEST(RegularityMonitor, WithoutSignsZerosOfOrderOneAreMinima) {
  for (const bool has_sign : {false, true}) {
    Watched w([](double t) { return std::abs(t - 0.3); }, 0.0);
    w.workspace.has_sign = has_sign;
    const auto loss = w.look_at({0.25, 0.5});
    EXPECT_EQ(loss.has_value(), !has_sign);
    EXPECT_NEAR(loss ? loss->t : 0.3, 0.3, 1e-15);
  }
}

TEST(RegularityMonitor, LargeSystemsAreLookedAtEveryTenthTime) {
  for (const std::size_t n : {100U, 101U}) {
    Watched w([](double t) { return t - 2.5; }, 0.0, n);
    EXPECT_FALSE(w.look_at({1.0, 2.0}).has_value());
    const auto early = w.look_at({3, 4, 5, 6, 7, 8, 9});
    EXPECT_EQ(early.has_value(), n == 100U);
    EXPECT_EQ(early ? early->t : 2.5, 2.5);
    if (early) continue;
    const auto loss = w.look_at({10.0});
    ASSERT_TRUE(loss.has_value());
    EXPECT_FALSE(loss->located);
    EXPECT_EQ(loss->t_before, 0.0);
    EXPECT_EQ(loss->t, 10.0);
  }
}

TEST(RegularityMonitor, AfterAStepWithoutAValueThereIsAnInterval) {
  Watched w([](double t) { return t > 1.0 && t < 3.0 ? std::nan("") : t - 2.5; }, 0.0);
  EXPECT_FALSE(w.look_at({1.0, 2.0}).has_value());
  const auto loss = w.look_at({3.0});
  ASSERT_TRUE(loss.has_value());
  EXPECT_FALSE(loss->located);
  EXPECT_EQ(loss->t_before, 1.0);
  EXPECT_EQ(loss->t, 3.0);
}

TEST(RegularityMonitor, WhatHasNoValueAtTheStartIsNotWatched) {
  for (const double at_start : {0.0, std::nan("")}) {
    Watched w([&](double t) { return t == 0.0 ? at_start : t - 0.3; }, 0.0);
    EXPECT_FALSE(w.look_at({0.25, 0.5}).has_value());
    EXPECT_FALSE(w.explain_at(0.3).has_value());
  }
}

/// t x' = x along x = t; the system offers no derivatives, so that it is looked at every tenth time.
TEST(RegularityMonitor, OtherSystemsAreWatchedUnlessOnlyTheirOwnCounts) {
  const auto line =
      make_system({.unknowns = {{"x", -1.0}}, .residual = [](double t, auto x, auto xdot, auto f) {
                     f[0] = t * xdot[0] - x[0];
                   }});
  for (const bool only_own : {false, true}) {
    const auto workspace = line->workspace();
    ClockEngine engine(-1.0, 1);
    RegularityMonitor monitor;
    monitor.begin(*line, *workspace, -1.0, engine.x(), engine.xdot(), only_own);
    std::optional<RegularityLoss> loss;
    for (int k = 1; k <= 10; ++k) {
      EXPECT_FALSE(loss.has_value());
      engine.go_to(-1.0 + 0.15 * k);
      loss = monitor.look(engine);
    }
    EXPECT_EQ(loss.has_value(), !only_own);
  }
}

/// D = sqrt(1 - t) ends at t = 1. It is 1 at the start: it has vanished where it is below 1e-3.
TEST(RegularityMonitor, AnImpasseIsExplainedByWhereTheDeterminantGoes) {
  Watched w([](double t) { return std::sqrt(1.0 - t); }, 0.0);
  EXPECT_FALSE(w.look_at({0.5, 0.9, 0.99, 0.999, 0.9999}).has_value());
  EXPECT_FALSE(w.explain_at(1.0 - 2e-6).has_value());
  const double last = 1.0 - 0.5e-6;
  const auto loss = w.explain_at(last);
  ASSERT_TRUE(loss.has_value());
  EXPECT_TRUE(loss->located);
  EXPECT_EQ(loss->t_before, last);
  EXPECT_NEAR(loss->t, 1.0, 1e-9);
}

TEST(RegularityMonitor, WithTooFewReadingsAnImpasseIsWhereTheRunIs) {
  for (const double last : {0.9999, 1.0}) {
    Watched w([](double t) { return 1.0 - t; }, 0.0);
    // Before the end itself there is a second reading, but log 0 is no third one.
    EXPECT_FALSE(w.look_at(last == 1.0 ? std::vector{0.9} : std::vector<double>{}).has_value());
    const auto loss = w.explain_at(last);
    ASSERT_TRUE(loss.has_value());
    EXPECT_EQ(loss->t, last);
  }
}

}  // namespace
}  // namespace saltus::detail
