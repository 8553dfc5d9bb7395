// Options that are given for a relation by its name.
#include "hybrid/core/named_options.hpp"

#include <gtest/gtest.h>

namespace saltus::detail {
namespace {

TEST(NamedOptions, TheNameComesBeforeTheGeneralPolicy) {
  EventOptions options;
  options.surface = SurfacePolicy::stop;
  options.surface_of = {{"a", SurfacePolicy::cross}, {"b", SurfacePolicy::slide}};
  EXPECT_EQ(surface_policy_of(options, "a"), SurfacePolicy::cross);
  EXPECT_EQ(surface_policy_of(options, "b"), SurfacePolicy::slide);
  EXPECT_EQ(surface_policy_of(options, "c"), SurfacePolicy::stop);
}

}  // namespace
}  // namespace saltus::detail
