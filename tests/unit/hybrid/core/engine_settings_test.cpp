// A user's options as numbers for one system.
#include "hybrid/core/engine_settings.hpp"

#include <gtest/gtest.h>

#include <saltus/core/error.hpp>
#include <saltus/system/function_system.hpp>

namespace saltus::detail {
namespace {

std::shared_ptr<const System> two_unknowns() {
  SystemFunctions f;
  f.unknowns = {{.name = "x", .nominal = 10.0}, {.name = "y"}};
  f.derivative = [](double, auto, auto xdot) { xdot[0] = xdot[1] = 1.0; };
  return make_system(f);
}

TEST(EngineSettings, TolerancesAreOfUnknownsAndModes) {
  const auto system = two_unknowns();
  RunOptions options;
  options.rtol = 1e-4;
  options.atol = 1e-6;
  options.atol_of = {{"y", 1e-3}};
  const EngineOptions engine = engine_options_for(*system, "m", options);
  EXPECT_EQ(engine.rtol, 1e-4);
  EXPECT_EQ(engine.atol, (std::vector{1e-6 * 10.0, 1e-3}));
  options.mode_rtol = {{"m", 1e-7}};
  EXPECT_EQ(engine_options_for(*system, "m", options).rtol, 1e-7);
  EXPECT_EQ(engine_options_for(*system, "other", options).rtol, 1e-4);
  options.atol_of = {{"z", 1e-3}};
  EXPECT_THROW((void)engine_options_for(*system, "m", options), OptionError);
}

TEST(EngineSettings, AModeHasTheEngineThatIsNamedForIt) {
  RunOptions options;
  options.engine = EngineKind::ida;
  options.mode_engine = {{"m", EngineKind::radau}};
  EXPECT_EQ(engine_kind_for("m", options), EngineKind::radau);
  EXPECT_EQ(engine_kind_for("other", options), EngineKind::ida);
}

TEST(EngineSettings, AMultistepEngineBeginsWithAPartOfAStep) {
  EXPECT_EQ(step_carried_over(1.0, EngineKind::radau).step, 1.0);
  EXPECT_EQ(step_carried_over(1.0, EngineKind::dopri5).step, 1.0);
  EXPECT_LT(step_carried_over(1.0, EngineKind::ida).step, 0.1);
}

TEST(EngineSettings, WeightsByMomentsTakeAnExplicitEngine) {
  RunOptions options;
  options.events.sliding_rule = SlidingRule::moments;
  EXPECT_NO_THROW(check_sliding_rule(options));
  EXPECT_TRUE(offers_sliding_rule(EngineKind::dop853, options));
  EXPECT_FALSE(offers_sliding_rule(EngineKind::ida, options));
  options.engine = EngineKind::radau;
  EXPECT_THROW(check_sliding_rule(options), OptionError);
  options.engine = EngineKind::automatic;
  options.mode_engine = {{"m", EngineKind::ida}};
  EXPECT_THROW(check_sliding_rule(options), OptionError);
}

TEST(EngineSettings, ExpectedValuesAreFiveWholeNumbers) {
  RunOptions options;
  options.expected_values = {1, 2, 0, 0, 0};
  EXPECT_EQ(index_options_for(options, {}).expected->mu, 1);
  for (const std::vector<double>& wrong :
       {std::vector{1.0}, std::vector{1.5, 0.0, 0.0, 0.0, 0.0}}) {
    options.expected_values = wrong;
    EXPECT_THROW((void)index_options_for(options, {}), OptionError);
  }
}

}  // namespace
}  // namespace saltus::detail
