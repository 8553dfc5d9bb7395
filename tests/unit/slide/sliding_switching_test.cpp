// Relations of a sliding system.
#include <gtest/gtest.h>

#include "sliding_cases.hpp"

namespace saltus::sliding_test {
namespace {

// z' is -1 or -3 above z = 0 and 1 below. The relation between both matters above only, and on z = 0 the base itself is
// below.
TEST(SlidingLocks, RelationsThatMatterOnTheOtherSideAreDecided) {
  Model m("hidden");
  Expr y = m.state("y", 0.0), z = m.state("z", 0.0);
  m.equation(der(z) == where(z > 0.0, where(y > 1.0, Expr(-3.0), Expr(-1.0)), Expr(1.0)));
  m.equation(der(y) == where(z > 0.0, Expr(1.0), Expr(0.0)));
  const auto base = compiled(m);
  std::uint32_t surface = 0;
  const auto base_workspace = base->workspace();
  const auto& functions = *base_workspace->ability<SwitchingFunctions>();
  while (functions.info(surface).name != "z > 0") ++surface;
  Slider s(base, {0.0, 0.0}, {.form = SlidingForm::eliminated}, {{{surface}, {1}}});
  ASSERT_NE(s.sliding, nullptr);
  ASSERT_NE(s.locks, nullptr);
  const std::size_t of_y = base->unknown_name(0) == "y" ? 0 : 1;
  for (const double value : {0.0, 2.0, 0.5, 3.0}) {
    std::vector<double> x(s.sliding->size(), 0.0);
    x[of_y] = value;
    const std::vector<double> xdot(x.size(), 0.0);
    ASSERT_TRUE(static_cast<bool>(s.locks->decide(0.0, x, xdot)));
    // z' = 0 mixes both sides: the share of the upper one is 1 / (1 + 1) or 1 / (1 + 3), and y' is that share.
    EXPECT_NEAR(s.motion(0.0, x)[of_y], value > 1.0 ? 0.25 : 0.5, 8 * eps) << value;
  }
}

}  // namespace
}  // namespace saltus::sliding_test
