// The functions of surfaces at a point.
#include "slide/surface/sliding_surfaces.hpp"

#include <gtest/gtest.h>

#include "sliding_cases.hpp"

namespace saltus::sliding_test {
namespace {

// The size of g = x - 2 y + 5 z is |x| + 2 |y| + 5 |z|, with unknowns not taken for smaller than their nominal values.
TEST(SurfaceFunctions, TheSizeIsTheSumOfTheTerms) {
  Model m("plane");
  Expr x = m.state("x", 4.0), y = m.state("y", -3.0);
  Expr z = m.state("z", 0.0, {.nominal = 0.125});
  m.equation(der(x) == where(x - 2.0 * y + 5.0 * z > 0.0, Expr(-1.0), Expr(1.0)));
  m.equation(der(y) == 0.0);
  m.equation(der(z) == 0.0);
  const auto system = compiled(m);
  const auto workspace = system->workspace();
  const std::vector<Surface> surfaces = {{{0}, {1}}};
  detail::SlidingSides sides(*workspace, surfaces);
  detail::SurfaceFunctions functions(*system, sides);
  const std::vector<double> at = {4.0, -3.0, 0.0625}, rest(3, 0.0);
  ASSERT_TRUE(static_cast<bool>(functions.gradients(0.0, at, rest)));
  EXPECT_EQ(functions.size(0, at), 4.0 + 2.0 * 3.0 + 5.0 * 0.125);
}

}  // namespace
}  // namespace saltus::sliding_test
