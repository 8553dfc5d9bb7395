// Clocks in a run: ticks that fall on the same time are one instant.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <saltus/saltus.hpp>

namespace saltus {
namespace {

/// Slow ticks that read a value of the fast clock as it was before the tick they share, and saw another one.
int n_slow_ticks_off(double fast, double slow, int ratio, int n_slow) {
  Model m("clocks");
  const Expr x = m.state("x", 0.0), a = m.discrete("a", 0.0), b = m.discrete("b", 0.0),
             n_off = m.discrete("off", 0.0), n = m.discrete("n", 0.0);
  m.equation(der(x) == 1.0);
  m.when("fast", m.every("fast", fast, fast), {{a, pre(a) + 1.0}});
  m.when("slow", m.every("slow", slow, slow),
         {{b, pre(a)},
          {n, pre(n) + 1.0},
          {n_off, pre(n_off) + where(pre(a) == ratio * (pre(n) + 1.0) - 1.0, 0.0, 1.0)}});
  RunOptions o;
  o.t_end = (n_slow + 0.5) * slow;
  const Solution s = simulate(m, o);
  EXPECT_TRUE(s.ok()) << s.report.message;
  EXPECT_EQ(s.final("n"), n_slow);
  return static_cast<int>(s.final("off"));
}

TEST(ClocksInARun, OfCommensurateIntervalsTickTogether) {
  EXPECT_EQ(n_slow_ticks_off(0.01, 0.07, 7, 50), 0);
  EXPECT_EQ(n_slow_ticks_off(0.02, 0.1, 5, 50), 0);
  EXPECT_EQ(n_slow_ticks_off(0.001, 0.01, 10, 50), 0);
  EXPECT_EQ(n_slow_ticks_off(0.1, 0.3, 3, 50), 0);
  EXPECT_EQ(n_slow_ticks_off(1.0 / 3.0, 1.0, 3, 50), 0);
  EXPECT_EQ(n_slow_ticks_off(0.01, 0.07, 6, 50), 50);  // the control: a wrong count is seen
}

TEST(ClocksInARun, TickWithATimeThatIsWrittenDown) {
  Model m("written");
  const Expr x = m.state("x", 0.0), n = m.discrete("n", 0.0), seen = m.discrete("seen", -1.0);
  m.equation(der(x) == 1.0);
  m.when("tick", m.every("clock", 0.1, 0.1), {{n, pre(n) + 1.0}});
  m.when("look", m.time() >= 0.7, {{seen, pre(n)}});
  RunOptions o;
  o.t_end = 1.0;
  const Solution s = simulate(m, o);
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_EQ(s.final("seen"), 6.0);  // at 0.7 both happen; before it 6 ticks had been
}

}  // namespace
}  // namespace saltus
