// Rods that fall on their two ends, which bounce by turns without any ratio between their hops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include <saltus/simulate.hpp>

namespace saltus {
namespace {

struct Rod {
  double angle, restitution, left, right, inertia;

  void write(Model& m) const;
};

Rod random_rod(std::mt19937& random) {
  const auto uniform = [&](double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random);
  };
  constexpr double restitutions[] = {0.3, 0.5, 0.7, 0.8};
  Rod rod{};
  rod.angle = uniform(-0.2, 0.2);
  rod.restitution = restitutions[random() % 4];
  rod.left = uniform(0.5, 1.0);
  rod.right = uniform(0.5, 1.0);
  rod.inertia = uniform(0.1, 0.6);
  return rod;
}

void Rod::write(Model& m) const {
  m.simultaneous_impacts(ImpactLaw::one_by_one);
  const Expr y = m.state("y", 0.3), v = m.state("v", 0.0);
  const Expr a = m.state("a", angle), w = m.state("w", 0.0);
  const Expr push_left = m.unilateral("left", y - left * sin(a), {.restitution = restitution});
  const Expr push_right = m.unilateral("right", y + right * sin(a), {.restitution = restitution});
  m.equation(der(y) == v);
  m.equation(der(a) == w);
  m.equation(der(v) == push_left + push_right - 9.81);
  m.equation(inertia * der(w) == (right * push_right - left * push_left) * cos(a));
}

class Rods : public testing::TestWithParam<EngineKind> {};

TEST_P(Rods, ComeToRestOnBothEndsAndStayAboveTheFloor) {
  std::mt19937 random(31);
  for (int i = 0; i < 40; ++i) {
    const Rod rod = random_rod(random);
    Model m("rod");
    rod.write(m);
    RunOptions options;
    options.engine = GetParam();
    options.rtol = options.atol = 1e-6;
    options.t_end = 4.0;
    options.limits.max_events = 3000;
    const Solution s = simulate(m, options);
    const std::string which = "rod " + std::to_string(i) + ": " + s.report.message;
    EXPECT_TRUE(s.ok()) << which;
    if (!s.ok()) continue;
    // It lies on two closed contacts, whose gaps are kept far below the tolerance.
    EXPECT_NEAR(s.final("y"), 0.0, 1e-9) << which;
    EXPECT_NEAR(s.final("a"), 0.0, 1e-9) << which;
    EXPECT_EQ(s.final("left.closed") + s.final("right.closed"), 2.0) << which;
    double lowest = 0.0;
    for (std::size_t k = 0; k <= 4000; ++k) {
      const double t = 1e-3 * static_cast<double>(k);
      const double height = s.at("y", t), slope = std::sin(s.at("a", t));
      lowest = std::min({lowest, height - rod.left * slope, height + rod.right * slope});
    }
    // A hop that cannot be told from none may end twice as far below as it began, and a series ends after four of them.
    EXPECT_GT(lowest, -20 * 1e-6) << which;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, Rods, testing::Values(EngineKind::radau, EngineKind::ida),
                         [](const auto& each) {
                           return each.param == EngineKind::radau ? "radau" : "ida";
                         });

}  // namespace
}  // namespace saltus
