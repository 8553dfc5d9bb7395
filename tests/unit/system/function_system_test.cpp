#include <gtest/gtest.h>

#include <saltus/system.hpp>

namespace saltus {
namespace {

TEST(FunctionSystem, TheExampleOfTheHeader) {
  const auto decay = make_system(
      {.unknowns = {{"x", 1.0}}, .derivative = [](double, auto x, auto xdot) { xdot[0] = -x[0]; }});
  const auto workspace = decay->workspace();
  std::vector<double> x{2.0}, xdot{5.0}, f{0.0};
  ASSERT_TRUE(workspace->residual(0.0, x, xdot, f));
  EXPECT_EQ(f[0], 7.0);
}

}  // namespace
}  // namespace saltus
