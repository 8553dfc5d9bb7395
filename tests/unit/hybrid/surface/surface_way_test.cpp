// Which relations belong to surfaces.
#include "hybrid/surface/surface_way.hpp"

#include <gtest/gtest.h>

namespace saltus::detail {
namespace {

TEST(SurfaceWay, ARelationIsOnASurfaceIfAnyOfThemContainsIt) {
  const std::vector<Surface> surfaces{{{4, 2}, {1, -1}}, {{7}, {1}}};
  for (std::uint32_t w = 0; w < 9; ++w)
    EXPECT_EQ(is_on(surfaces, w), w == 2 || w == 4 || w == 7) << w;
}

TEST(SurfaceWay, NothingIsOnNoSurface) {
  EXPECT_FALSE(is_on({}, 0));
  const std::vector<Surface> without_relations(1);
  EXPECT_FALSE(is_on(without_relations, 0));
}

}  // namespace
}  // namespace saltus::detail
