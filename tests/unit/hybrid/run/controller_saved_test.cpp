// Values where the caller of a run is, and what is refused where a run is saved and restored.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <saltus/core/error.hpp>
#include <saltus/core/outside_input.hpp>
#include <saltus/hybrid/run.hpp>
#include <saltus/system/function_system.hpp>
#include <saltus/system/switching.hpp>

#include "hybrid/run/run_history.hpp"

namespace saltus {
namespace {

/// x' = -1 where x > 0, from x = 1; further variables: its side, one that this mode does not have, and one that has no
/// value at t = 0.05.
class SidedVariables final : public System, private VariableMap {
 public:
  SidedVariables()
      : inner_(make_system(
            {.unknowns = {{"x", 1.0}},
             .switches = {{"x > 0"}},
             .switching = [](double, auto x, auto g) { g[0] = x[0]; },
             .locked_derivative = [](double, auto, auto side,
                                     auto xdot) { xdot[0] = side[0] != 0 ? -1.0 : 1.0; }})),
        variables_{{"x", "", ""}, {"side", "", ""}, {"absent", "", ""}, {"moment", "", ""}} {}
  std::uint32_t size() const override { return 1; }
  const CscPattern& pattern() const override { return inner_->pattern(); }
  std::span<const std::uint8_t> carries_derivative() const override {
    return inner_->carries_derivative();
  }
  std::string unknown_name(std::uint32_t i) const override { return inner_->unknown_name(i); }
  std::string equation_name(std::uint32_t i) const override { return inner_->equation_name(i); }
  double nominal(std::uint32_t) const override { return 1.0; }
  StartValues start_values() const override { return inner_->start_values(); }
  const VariableMap& variable_map() const override { return *this; }
  std::unique_ptr<Workspace> workspace() const override { return inner_->workspace(); }

  bool has_moment = true;

 private:
  std::span<const VariableInfo> variables() const override { return variables_; }
  bool present(std::uint32_t variable) const override { return variable != 2; }
  std::optional<std::uint32_t> unknown(std::uint32_t variable) const override {
    return variable == 0 ? std::optional<std::uint32_t>(0) : std::nullopt;
  }
  Evaluation values(Workspace& workspace, double t, std::span<const double> x,
                    std::span<const double>, std::span<double> out) const override {
    out[0] = x[0];
    out[1] = workspace.ability<Locks>()->locks()[0];
    out[3] = 7.0;
    return has_moment || t != 0.05 ? Evaluation::ok() : Evaluation::out_of_domain(3);
  }
  std::shared_ptr<const System> inner_;
  std::vector<VariableInfo> variables_;
};

/// x' = slope times an input that is 1 until it is set.
struct DrivenSource final : ConfigurationSource {
  struct Level final : OutsideInput {
    mutable std::vector<double> now{1.0};
    std::vector<double> at(double) const override { return now; }
    void set(double, std::span<const double> values) const override {
      now.assign(values.begin(), values.end());
    }
    std::size_t most_derivatives() const override { return 0; }
  };
  explicit DrivenSource(double with_slope = 1.0) : slope(with_slope) {}
  double slope;
  Level level;
  Configuration initial() const override { return {}; }
  std::string mode_name(std::uint32_t) const override { return ""; }
  Result<std::shared_ptr<const System>> system(const Configuration&) override {
    return make_system({.unknowns = {{"height", 0.0}}, .derivative = [this](double, auto, auto r) {
                          r[0] = slope * level.now[0];
                        }});
  }
  std::vector<NamedInput> outside_inputs() const override { return {{"level", &level}}; }
};

struct SavedRuns {
  static RunOptions steps_of(double step) {
    RunOptions options;
    options.engine = EngineKind::dopri5;
    options.max_step = step;
    return options;
  }
  static Run driven(const char* model = "driven", RunOptions options = steps_of(0.125),
                    double slope = 1.0) {
    return Run(model, std::make_shared<DrivenSource>(slope), std::move(options));
  }
  static Run of(std::shared_ptr<const System> system, RunOptions options) {
    return Run("one", std::make_shared<SingleConfiguration>(std::move(system)), std::move(options));
  }
  static std::string refusal(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing was refused";
  }
};

TEST(ControllerSaved, AValueIsThatWhereTheCallerIs) {
  saltus::Run run = SavedRuns::driven();
  EXPECT_EQ(run.value("height"), 0.0);
  ASSERT_TRUE(run.advance_to(0.05));
  EXPECT_EQ(run.t(), 0.05);
  EXPECT_NEAR(run.value("height"), 0.05, 1e-15);
  EXPECT_EQ(run.value("height"), run.x()[0]);
}

TEST(ControllerSaved, AVariableThatDoesNotExistIsRefusedWithTheNearestName) {
  saltus::Run run = SavedRuns::driven();
  EXPECT_EQ(SavedRuns::refusal([&] { (void)run.value("heigth"); }),
            "'heigth' is not a recorded variable, did you mean 'height'?");
  EXPECT_EQ(SavedRuns::refusal([&] { (void)run.value("speed"); }),
            "'speed' is not a recorded variable");
}

TEST(ControllerSaved, AValueHasTheBranchesOfTheRunAndMayNotExist) {
  const auto system = std::make_shared<SidedVariables>();
  saltus::Run run = SavedRuns::of(system, SavedRuns::steps_of(0.125));
  ASSERT_TRUE(run.advance_to(0.05));
  EXPECT_EQ(run.value("side"), 1.0);
  EXPECT_EQ(run.value("moment"), 7.0);
  EXPECT_TRUE(std::isnan(run.value("absent")));
  system->has_moment = false;  // at that time nothing can be told
  EXPECT_TRUE(std::isnan(run.value("moment")));
  ASSERT_TRUE(run.advance_to(0.1));
  EXPECT_EQ(run.value("moment"), 7.0);
}

TEST(ControllerSaved, EveryCallIsRepeated) {
  saltus::Run first = SavedRuns::driven();
  EXPECT_TRUE(first.advance());
  first.set_input("level", 3.0);
  EXPECT_TRUE(first.advance());
  EXPECT_TRUE(first.advance());
  EXPECT_TRUE(first.advance_to(0.5));
  const std::string text = first.save();
  saltus::Run second = SavedRuns::driven();
  second.restore(text);
  EXPECT_EQ(second.save(), text);
  EXPECT_EQ(second.t(), 0.5);
  EXPECT_EQ(second.value("height"), first.value("height"));
  // What was done before the input was set is not done after it: at the end 3 (1 - t_1) + t_1.
  first.advance_to(1.0), second.advance_to(1.0);
  EXPECT_EQ(second.value("height"), first.value("height"));
  EXPECT_GT(first.value("height"), 1.5);
  EXPECT_LT(first.value("height"), 3.0);
}

TEST(ControllerSaved, AnAnswerIsRepeated) {
  RunOptions options = SavedRuns::steps_of(0.25);
  options.t_end = 2.0;
  options.events.surface = SurfacePolicy::stop;
  const auto started = [&] { return SavedRuns::of(std::make_shared<SidedVariables>(), options); };
  saltus::Run first = started(), second = started();
  while (first.advance()) {
  }
  ASSERT_FALSE(first.decision().empty());
  first.choose(0);
  second.restore(first.save());
  EXPECT_TRUE(second.decision().empty());
  EXPECT_EQ(second.t(), first.t());
}

TEST(ControllerSaved, TheTextSaysWhatItIsOfAndWhereItIs) {
  saltus::Run run = SavedRuns::driven();
  ASSERT_TRUE(run.advance_to(0.25));
  const auto history = detail::RunHistory::from_text(run.save());
  EXPECT_EQ(history.model, "driven");
  std::vector<std::string> changed;
  for (const OptionPair& option : history.options) changed.push_back(option.name);
  EXPECT_EQ(changed, (std::vector<std::string>{"max_step", "engine"}));
  EXPECT_TRUE(history.state.ends_with(" at t = 0.25")) << history.state;
  ASSERT_EQ(history.calls.size(), 1U);
  EXPECT_EQ(history.calls[0].values, std::vector<double>{0.25});
  // Nothing but the state tells where an open step ends: another time is another state.
  ASSERT_TRUE(run.advance_to(0.3));
  EXPECT_NE(detail::RunHistory::from_text(run.save()).state.substr(0, 16),
            history.state.substr(0, 16));
}

TEST(ControllerSaved, WhatDoesNotBelongTogetherIsRefused) {
  saltus::Run run = SavedRuns::driven();
  const std::string at_start = run.save();
  ASSERT_TRUE(run.advance());
  const std::string text = run.save();
  const auto restored_in = [&](saltus::Run other, const std::string& saved) {
    return SavedRuns::refusal([&] { other.restore(saved); });
  };
  EXPECT_EQ(restored_in(SavedRuns::driven(), text), "nothing was refused");
  EXPECT_EQ(restored_in(SavedRuns::driven(), at_start), "nothing was refused");
  EXPECT_EQ(SavedRuns::refusal([&] { run.restore(text); }),
            "a run that has gone on cannot be restored: start another one of this model");
  EXPECT_EQ(restored_in(SavedRuns::driven("other"), text),
            "this snapshot is of model 'driven', not of 'other'");
  EXPECT_EQ(restored_in(SavedRuns::driven("driven", {}), text),
            "this snapshot is of a run with max_step = 0.125, engine = dopri5, and this run has "
            "the default options");
  EXPECT_EQ(restored_in(SavedRuns::driven("driven", SavedRuns::steps_of(0.5)), text),
            "this snapshot is of a run with max_step = 0.125, engine = dopri5, and this run has "
            "max_step = 0.5, engine = dopri5");
  const std::string elsewhere =
      restored_in(SavedRuns::driven("driven", SavedRuns::steps_of(0.125), 2.0), text);
  EXPECT_TRUE(elsewhere.starts_with("this snapshot leads to another state than the one that was"))
      << elsewhere;
}

}  // namespace
}  // namespace saltus
