// What becomes of the abilities of a system that slides.
#include <gtest/gtest.h>

#include "slide/equations/sliding_base.hpp"
#include "support/handing.hpp"

#include "sliding_cases.hpp"

namespace saltus::sliding_test {
namespace {

TEST(Handing, OfMotionOnSurfacesWithExplicitAndImplicitEngines) {
  Model m("relay");
  const Expr x = m.state("x", 0.0), n = m.discrete("n", 0.0);
  // In this order, whatever order operands are evaluated in.
  const Cond above = x > 0.0, late = m.time() > 0.5;
  m.equation(der(x) == where(above, -1.0, 1.0) + where(late, 0.1, 0.0));
  m.when("late", m.time() > 2.0, {{n, pre(n) + 1.0}});
  const auto system = compiled(m);
  Slider explicit_one(system, {0.0});
  ASSERT_NE(explicit_one.base_workspace->ability<EventActions>(), nullptr);
  ASSERT_NE(explicit_one.base_workspace->ability<ScheduledTimes>(), nullptr);
  testing_support::expect_handing<detail::SlidingOdeHanding>(*explicit_one.base_workspace,
                                                             *explicit_one.workspace);
  Slider implicit_one(system, {0.0}, {.form = SlidingForm::mixed});
  testing_support::expect_handing<detail::SlidingDaeHanding>(*implicit_one.base_workspace,
                                                             *implicit_one.workspace);
}

}  // namespace
}  // namespace saltus::sliding_test
