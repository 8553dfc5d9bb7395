// Derivatives change nothing in the run that they follow: parameters that are unknowns there have no error, and are
// left out where errors are averaged.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <saltus/simulate.hpp>

namespace saltus {
namespace {

constexpr int n_constants = 8;

/// x'' = -sum(p) x with van der Pol's damping; constants are parameters, or states that a user wrote by hand.
std::shared_ptr<const ModelDefinition> oscillator_with_constants(bool as_states) {
  Model m("oscillator");
  const Expr x = m.state("x", 1.0), v = m.state("v", 0.0);
  Expr stiffness(0.0);
  for (int k = 0; k < n_constants; ++k) {
    const std::string name = "p" + std::to_string(k);
    const Expr p = as_states ? m.state(name, 0.5) : m.parameter(name, 0.5);
    if (as_states) m.equation(der(p) == 0.0);
    stiffness = stiffness + p;
  }
  m.equation(der(x) == v);
  m.equation(der(v) == -stiffness * x + 5.0 * (1.0 - x * x) * v);
  return m.build();
}

class FollowedSteps : public ::testing::TestWithParam<EngineKind> {};

TEST_P(FollowedSteps, AreThoseOfAPlainRun) {
  RunOptions options{.t_end = 20.0, .rtol = 1e-6, .atol = 1e-6};
  options.engine = GetParam();
  const auto steps = [](const Solution& s) { return s.report.work.front().work.n_steps; };
  const Solution plain = simulate(oscillator_with_constants(false), options);
  const Solution by_hand = simulate(oscillator_with_constants(true), options);
  for (int k = 0; k < n_constants; ++k) options.sensitivities.push_back("p" + std::to_string(k));
  const Solution followed = simulate(oscillator_with_constants(false), options);
  ASSERT_TRUE(plain.ok() && by_hand.ok() && followed.ok());
  // The formulas are the same up to rounding, and so are the steps: a step that is just accepted in one run and
  // just rejected in the other would be a coincidence.
  EXPECT_EQ(steps(followed), steps(plain));
  EXPECT_NEAR(followed.final("x"), plain.final("x"), 0.01 * options.rtol);
  // Averaged over ten unknowns, eight of them without error, errors of two look sqrt(5) times smaller.
  EXPECT_LT(steps(by_hand), steps(plain));
  EXPECT_GT(std::abs(by_hand.final("x") - plain.final("x")), 0.01 * options.rtol);
}
INSTANTIATE_TEST_SUITE_P(Engines, FollowedSteps,
                         ::testing::Values(EngineKind::dopri5, EngineKind::dop853,
                                           EngineKind::radau, EngineKind::ida),
                         [](const auto& engine) { return std::string(name(engine.param)); });

}  // namespace
}  // namespace saltus
