#include <gtest/gtest.h>

#include <saltus/system/function_system.hpp>
#include <saltus/system/variable_map.hpp>

namespace saltus {
namespace {

TEST(IdentityMap, EveryUnknownIsAVariable) {
  const IdentityMap map({{"x", "m", "position"}, {"v", "m/s", ""}});
  ASSERT_EQ(map.variables().size(), 2U);
  EXPECT_EQ(map.variables()[0], (VariableInfo{"x", "m", "position"}));
  EXPECT_NE(map.variables()[0], map.variables()[1]);
  for (std::uint32_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(map.present(i));
    EXPECT_EQ(map.unknown(i), i);
  }
}

TEST(IdentityMap, ItsValuesAreTheUnknowns) {
  const auto system = make_system({.unknowns = {{"x"}, {"v"}}, .derivative = [](auto...) {}});
  const auto workspace = system->workspace();
  const std::vector<double> x{3.0, 4.0}, xdot{5.0, 6.0};
  std::vector<double> out(2);
  ASSERT_TRUE(system->variable_map().values(*workspace, 0.0, x, xdot, out));
  EXPECT_EQ(out, x);
}

}  // namespace
}  // namespace saltus
