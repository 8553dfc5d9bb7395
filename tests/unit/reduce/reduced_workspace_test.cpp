// Derivatives that a reduced system finds by iteration: rounding that does not vanish, and points without values.
#include <cmath>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "analysed_models.hpp"

namespace saltus {
namespace {

/// A pendulum of index 3 in which x' solves speed(x') = speed(vx), or speed(x') = vx if speed is the identity up to
/// rounding. A small force has no derivative at x = 3/2.
template <class Speed>
struct ReducedPendulum {
  ReducedPendulum(Speed speed, bool is_rounded) {
    Model m("pendulum");
    Expr x = m.state("x", 0.6), y = m.state("y", -0.8);
    Expr vx = m.state("vx", 0.4), vy = m.state("vy", 0.3);
    Expr force = m.algebraic("force", {.guess = 8.0});
    m.equation("speed", speed(m, der(x)) == (is_rounded ? vx : speed(m, vx)));
    m.equation(der(y) == vy);
    m.equation(der(vx) == -force * x + 0.001 * sqrt(1.5 - x));
    m.equation(der(vy) == -force * y - 9.81);
    m.equation("rod", x * x + y * y == 1.0);
    plain = testing_support::compiled(m);
    const auto workspace_of_plain = plain->workspace();
    const auto analysis =
        analyze_index(*plain, *workspace_of_plain, 0.0, plain->start_values(), {});
    EXPECT_TRUE(analysis.has_value()) << analysis.failure().message;
    reduced = *reduce_index(plain, 0.0, *analysis, {});
    workspace = reduced->workspace();
  }

  struct Point {
    std::vector<double> x, xdot;
  };
  /// On the circle, with the speed of a turn.
  Point at(double angle, double turn) const {
    Point p;
    const double x = std::sin(angle), y = -std::cos(angle);
    const double vx = -turn * y, vy = turn * x, push = 0.001 * std::sqrt(1.5 - x);
    const double force = turn * turn + push * x - 9.81 * y;
    for (std::uint32_t i = 0; i < reduced->size(); ++i) {
      const std::string name = reduced->unknown_name(i);
      p.x.push_back(name == "x"    ? x
                    : name == "y"  ? y
                    : name == "vx" ? vx
                    : name == "vy" ? vy
                                   : force);
      p.xdot.push_back(name == "x"    ? vx
                       : name == "y"  ? vy
                       : name == "vx" ? -force * x + push
                       : name == "vy" ? -force * y - 9.81
                                      : 0.0);
    }
    return p;
  }
  bool evaluates(double t, const Point& p) {
    std::vector<double> f(reduced->n_equations());
    return static_cast<bool>(workspace->residual(t, p.x, p.xdot, f));
  }

  std::shared_ptr<const System> plain, reduced;
  std::unique_ptr<Workspace> workspace;
};

// Large numbers that cancel leave x' a rounding of eps 1e5 = 2e-11. Steps of the iteration do not become smaller.
// It tries to reach 1e-13 (1 + |y|), and takes steps that no longer shrink below 1e-11 (1 + |y|) for rounding.
TEST(ReducedWorkspace, StepsThatAreRoundingEndTheIteration) {
  std::optional<Expr> large;
  ReducedPendulum s(
      [&](Model& m, Expr v) {
        if (!large) large = m.parameter("large", 1e5);
        return (v / *large + 1.0) * *large - *large;
      },
      true);
  for (int i = 0; i < 20; ++i) {
    for (int k = 0; k < 10; ++k)
      EXPECT_TRUE(s.evaluates(0.0, s.at(0.64 + 0.003 * i, 0.5 + 0.007 * k))) << i << ", " << k;
  }
}

// The iteration goes on from the last accepted step, at its own time.
TEST(ReducedWorkspace, APointOutOfTheDomainDoesNotSpoilLaterOnes) {
  ReducedPendulum s([](Model&, Expr v) { return v * v * v + v; }, false);
  auto* refresh = s.workspace->ability<StepRefresh>();
  ASSERT_NE(refresh, nullptr);
  const auto p = s.at(0.64, 0.5);
  double t = 0.0;
  for (int step = 0; step < 400; ++step, t += 0.05) {
    ASSERT_TRUE(s.evaluates(t, p)) << t;
    ASSERT_NE(refresh->step_accepted(t, p.x, p.xdot), StepRefresh::Answer::stop) << t;
  }
  auto outside = p;
  for (std::uint32_t i = 0; i < s.reduced->size(); ++i) {
    if (s.reduced->unknown_name(i) == "x") outside.x[i] = 1.5;
  }
  EXPECT_FALSE(s.evaluates(t, outside));
  EXPECT_TRUE(s.evaluates(t, s.at(0.641, 0.5)));
}

}  // namespace
}  // namespace saltus
