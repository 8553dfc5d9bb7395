#include <saltus/hybrid.hpp>

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include <saltus/system/function_system.hpp>

namespace saltus {
namespace {

using In = std::span<const double>;
using Out = std::span<double>;

constexpr EngineKind run_engines[] = {EngineKind::ida, EngineKind::radau, EngineKind::dopri5,
                                      EngineKind::dop853};

std::shared_ptr<ConfigurationSource> decay() {
  return std::make_shared<SingleConfiguration>(make_system(
      {.unknowns = {{"x", 1.0}}, .derivative = [](double, In x, Out r) { r[0] = -x[0]; }}));
}

/// x' = 1, y' = sqrt(1 - x): nothing to be found beyond x = 1.
std::shared_ptr<ConfigurationSource> wall() {
  return std::make_shared<SingleConfiguration>(make_system({.unknowns = {{"x", 0.0}, {"y", 0.0}},
                                                            .derivative =
                                                                [](double, In x, Out r) {
                                                                  r[0] = 1.0;
                                                                  r[1] = std::sqrt(1.0 - x[0]);
                                                                },
                                                            .equations = {"motion", "root law"}}));
}

class StoppingObserver final : public Observer {
 public:
  explicit StoppingObserver(double fraction) : fraction_(fraction) {}
  void message(Severity severity, std::string_view, std::string_view text) override {
    if (severity == Severity::warning) warnings.emplace_back(text);
  }
  bool keep_going(const Progress& p) override {
    seen.push_back(p);
    return p.fraction < fraction_;
  }
  std::vector<std::string> warnings;
  std::vector<Progress> seen;

 private:
  double fraction_;
};

using HybridRun = Run;  // inside a test, Run is GoogleTest's

Solution complete(HybridRun run) {
  while (run.advance()) {
  }
  return run.finish();
}

TEST(Run, IsDrivenStepByStep) {
  HybridRun run("decay", decay(), {.engine = EngineKind::dopri5});
  double t = run.t();
  EXPECT_EQ(t, 0.0);
  EXPECT_EQ(run.x()[0], 1.0);
  EXPECT_EQ(run.xdot()[0], -1.0);
  int n = 0;
  while (run.advance()) {
    ++n;
    EXPECT_GT(run.t(), t);
    const StepPolynomial step = run.last_step();
    EXPECT_EQ(step.t_left, t);
    EXPECT_EQ(step.t_right, run.t());
    EXPECT_NEAR(step.value(0, run.t()), run.x()[0], 1e-15);
    t = run.t();
  }
  EXPECT_TRUE(run.ended());
  EXPECT_FALSE(run.advance());
  EXPECT_EQ(t, 1.0);
  const Solution s = run.finish();
  EXPECT_EQ(s.trajectory.n_steps(), static_cast<std::uint32_t>(n));
  EXPECT_TRUE(s.ok());
}

TEST(Run, FinishedEarlyKeepsWhatItHas) {
  HybridRun run("decay", decay(), {.t_end = 10.0, .engine = EngineKind::radau});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(run.advance());
  const double t = run.t();
  const Solution s = run.finish();
  EXPECT_EQ(s.report.outcome, Outcome::stopped);
  EXPECT_EQ(s.report.t_reached, t);
  EXPECT_NEAR(s.final("x"), std::exp(-t), 1e-4);
}

TEST(Run, AFailureNamesTimeAndEquationAndKeepsTheTrajectory) {
  for (const EngineKind engine : run_engines) {
    const Solution s = complete(HybridRun("wall", wall(), {.t_end = 2.0, .engine = engine}));
    EXPECT_EQ(s.report.outcome, Outcome::failed) << name(engine);
    EXPECT_NE(s.report.message.find("'root law'"), std::string::npos) << s.report.message;
    EXPECT_EQ(s.report.failure, FailureCode::out_of_domain) << s.report.message;
    // The wall is approached from the valid side.
    EXPECT_LE(s.report.t_reached, 1.0 + 1e-6) << name(engine);
    EXPECT_GT(s.report.t_reached, 0.9) << name(engine);
    EXPECT_EQ(s.trajectory.t_end(), s.report.t_reached);
    for (double t = 0; t < s.report.t_reached; t += 0.01) {
      EXPECT_NEAR(s.at("x", t), t, 1e-6);
      EXPECT_TRUE(std::isfinite(s.at("y", t)));
    }
  }
}

TEST(Run, LimitsEndARunWithAValidPartAndWarnBefore) {
  StoppingObserver observer(2.0);
  RunOptions o{.t_end = 10.0, .engine = EngineKind::dopri5, .limits = {.max_steps = 10}};
  const Solution s = complete(HybridRun("decay", decay(), o, observer));
  EXPECT_EQ(s.report.outcome, Outcome::step_limit);
  EXPECT_EQ(s.report.total_work().n_steps, 10u);
  EXPECT_NE(s.report.message.find("limits.max_steps"), std::string::npos);
  EXPECT_EQ(s.trajectory.t_end(), s.report.t_reached);
  ASSERT_EQ(observer.warnings.size(), 1u);
  EXPECT_EQ(s.report.warnings, observer.warnings);

  o.limits = {.max_wall_time_s = 1e-9};
  EXPECT_EQ(complete(HybridRun("decay", decay(), o)).report.outcome, Outcome::wall_time_limit);
}

TEST(Run, AnObserverSeesProgressAndMayStop) {
  StoppingObserver observer(0.5);
  const Solution s = complete(HybridRun("decay", decay(), {.t_end = 4.0}, observer));
  EXPECT_EQ(s.report.outcome, Outcome::stopped);
  EXPECT_GE(s.report.t_reached, 2.0);
  EXPECT_LT(s.report.t_reached, 4.0);
  ASSERT_FALSE(observer.seen.empty());
  for (std::size_t i = 1; i < observer.seen.size(); ++i) {
    EXPECT_GT(observer.seen[i].fraction, observer.seen[i - 1].fraction);
    EXPECT_EQ(observer.seen[i].n_steps, observer.seen[i - 1].n_steps + 1);
  }
}

TEST(Run, WithoutAConsistentStartNothingBegins) {
  const auto source = std::make_shared<SingleConfiguration>(
      make_system({.unknowns = {{"x", 1.0}, {"y", 0.0, false}},
                   .residual =
                       [](double, In x, In xdot, Out f) {
                         f[0] = xdot[0] + x[1];
                         f[1] = x[0] - 1.0;
                       },
                   .equations = {"motion", "constraint"}}));
  const Solution s = complete(HybridRun("index 2", source, {}));
  EXPECT_EQ(s.report.outcome, Outcome::not_started);
  EXPECT_EQ(s.report.failure, FailureCode::singular);
  EXPECT_NE(s.report.message.find("'constraint'"), std::string::npos) << s.report.message;
  EXPECT_TRUE(s.trajectory.empty());
  EXPECT_EQ(s.report.t_reached, 0.0);
}

TEST(Run, ChangedStartValuesAreReported) {
  const auto source = std::make_shared<SingleConfiguration>(make_system(
      {.unknowns = {{"a", 1.0}, {"b", 0.5}}, .residual = [](double, In x, In xdot, Out f) {
         f[0] = xdot[0] - xdot[1] + x[0];
         f[1] = x[0] + x[1] - 2.0;
       }}));
  const Solution s = complete(HybridRun("m", source, {.engine = EngineKind::radau}));
  ASSERT_TRUE(s.ok()) << s.report.message;
  std::vector<std::string> names;
  for (const DecisionRecord& d : s.report.choices) names.push_back(d.name);
  EXPECT_EQ(names, (std::vector<std::string>{"start value of a", "start value of b"}));
}

TEST(Run, AnExplicitEngineThatMeetsStiffnessIsReplacedOrComplains) {
  // Stiff only later, where nobody looks at the start: the eigenvalue grows around t = 10.
  const auto source = [] {
    return std::make_shared<SingleConfiguration>(
        make_system({.unknowns = {{"x", 3.0}}, .derivative = [](double t, In x, Out r) {
                       const double rate = 1.0 + 1e5 / (1.0 + std::exp(-5.0 * (t - 10.0)));
                       r[0] = -rate * (x[0] - std::cos(t));
                     }}));
  };
  const RunOptions automatic{.t_end = 20.0, .rtol = 1e-4, .atol = 1e-4};
  const Solution s = complete(HybridRun("m", source(), automatic));
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.final("x"), std::cos(20.0), 1e-2);
  EXPECT_EQ(s.report.work.size(), 2u) << to_text(s.report);

  RunOptions fixed = automatic;
  fixed.engine = EngineKind::dopri5;
  fixed.t_end = 11.0;
  const Solution slow = complete(HybridRun("m", source(), fixed));
  ASSERT_EQ(slow.report.warnings.size(), 1u);
  EXPECT_NE(slow.report.warnings[0].find("stiff"), std::string::npos);
}

TEST(Run, OptionsAreCheckedBeforeAnythingRuns) {
  const auto refusal = [](RunOptions o) -> std::string {
    try {
      HybridRun("decay", decay(), std::move(o));
    } catch (const OptionError& e) {
      return e.field();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal({}), "accepted");
  EXPECT_EQ(refusal({.rtol = -1.0}), "rtol");
  EXPECT_EQ(refusal({.rtol = 2.0}), "rtol");
  EXPECT_EQ(refusal({.atol = 0.0}), "atol");
  EXPECT_EQ(refusal({.t_end = std::nan("")}), "t_end");
  EXPECT_EQ(refusal({.t_begin = 1.0, .t_end = 1.0}), "t_end");
  EXPECT_EQ(refusal({.max_step = 0.0}), "max_step");
  EXPECT_EQ(refusal({.max_order = 6}), "max_order");
  EXPECT_EQ(refusal({.fixed_step = 0.1, .engine = EngineKind::ida}), "fixed_step");
  EXPECT_EQ(refusal({.limits = {.warn_at = 0.0}}), "limits.warn_at");
}

TEST(Run, TheSameRunTwiceIsEqualBitForBit) {
  for (const EngineKind engine : run_engines) {
    const RunOptions o{.t_end = 3.0, .engine = engine};
    const Solution a = complete(HybridRun("decay", decay(), o)),
                   b = complete(HybridRun("decay", decay(), o));
    ASSERT_EQ(a.trajectory.n_rows(), b.trajectory.n_rows());
    for (std::uint32_t r = 0; r < a.trajectory.n_rows(); ++r) {
      EXPECT_EQ(a.trajectory.times()[r], b.trajectory.times()[r]);
      EXPECT_EQ(a.trajectory.row(r)[0], b.trajectory.row(r)[0]);
    }
  }
}

}  // namespace
}  // namespace saltus
