#include <saltus/slide/surface.hpp>

#include <gtest/gtest.h>

namespace saltus {
namespace {

TEST(NormalVelocities, AreCountedByVertexAndSurface) {
  const NormalVelocities v{.n_surfaces = 2, .rate = {1, 2, 3, 4, 5, 6, 7, 8}, .negligible = {0, 0}};
  EXPECT_EQ(v.n_vertices(), 4U);
  EXPECT_EQ(v(2, 1), 6.0);
}

}  // namespace
}  // namespace saltus
