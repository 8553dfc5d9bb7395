#include <gtest/gtest.h>

#include <saltus/system/configuration.hpp>
#include <saltus/system/function_system.hpp>

namespace saltus {
namespace {

TEST(Configuration, IsComparedByModeLocksAndSlidingSurfaces) {
  const Configuration base{.mode = 1, .locks = {0, 1}, .sliding = {2}};
  EXPECT_EQ(base, (Configuration{.mode = 1, .locks = {0, 1}, .sliding = {2}}));
  EXPECT_NE(base, (Configuration{.mode = 0, .locks = {0, 1}, .sliding = {2}}));
  EXPECT_NE(base, (Configuration{.mode = 1, .locks = {1, 1}, .sliding = {2}}));
  EXPECT_NE(base, (Configuration{.mode = 1, .locks = {0, 1}, .sliding = {}}));
}

TEST(SingleConfiguration, IsOneSystemWhateverIsAskedFor) {
  const auto system = make_system({.unknowns = {{"x"}}, .derivative = [](auto...) {}});
  SingleConfiguration source(system, "running");
  EXPECT_EQ(source.initial(), Configuration{});
  EXPECT_EQ(source.mode_name(0), "running");
  const auto first = source.system(source.initial());
  const auto other = source.system({.mode = 3, .locks = {1}, .sliding = {}});
  ASSERT_TRUE(first && other);
  EXPECT_EQ(*first, system);
  EXPECT_EQ(*other, system);
}

TEST(SingleConfiguration, NeedsNoName) {
  SingleConfiguration source(make_system({.unknowns = {{"x"}}, .derivative = [](auto...) {}}));
  EXPECT_EQ(source.mode_name(0), "");
}

}  // namespace
}  // namespace saltus
