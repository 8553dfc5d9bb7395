// Inputs that the caller of a run sets: what counts as a change.
#include "hybrid/run/outside_inputs.hpp"

#include <gtest/gtest.h>

#include <saltus/core/error.hpp>

namespace saltus::detail {
namespace {

struct Level final : OutsideInput {
  mutable std::vector<double> now{1.0, 0.0};
  std::vector<double> at(double) const override { return now; }
  void set(double, std::span<const double> values) const override {
    now.assign(values.begin(), values.end());
  }
  std::size_t most_derivatives() const override { return 1; }
};

struct Source final : ConfigurationSource {
  Level level;
  Configuration initial() const override { return {}; }
  std::string mode_name(std::uint32_t) const override { return ""; }
  Result<std::shared_ptr<const System>> system(const Configuration&) override {
    return Failure{FailureCode::singular, "none"};
  }
  std::vector<NamedInput> outside_inputs() const override { return {{"level", &level}}; }
};

TEST(OutsideInputsOfARun, WhatIsAsItWasIsNoChange) {
  Source source;
  OutsideInputs inputs(source);
  inputs.set("level", std::vector{1.0}, 0.0);
  EXPECT_TRUE(inputs.take().empty());
  inputs.set("level", std::vector{2.0}, 0.0);
  inputs.set("level", std::vector{1.0}, 0.0);  // and back
  EXPECT_TRUE(inputs.take().empty());
}

TEST(OutsideInputsOfARun, TheLastValueCountsAndMissingDerivativesAreZero) {
  Source source;
  OutsideInputs inputs(source);
  inputs.set("level", std::vector{2.0}, 0.0);
  inputs.set("level", std::vector{3.0}, 0.0);
  const auto changes = inputs.take();
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].values, (std::vector{3.0, 0.0}));
  EXPECT_TRUE(inputs.take().empty());
}

TEST(OutsideInputsOfARun, TooManyNumbersAreRefused) {
  Source source;
  OutsideInputs inputs(source);
  EXPECT_THROW(inputs.set("level", std::vector<double>(3), 0.0), Error);
  EXPECT_THROW(inputs.set("level", {}, 0.0), Error);
  EXPECT_THROW(inputs.set("levle", std::vector{1.0}, 0.0), Error);
}

}  // namespace
}  // namespace saltus::detail
