// What signs on adjacent pieces mean.
#include "events/side_walk.hpp"

#include <gtest/gtest.h>

namespace saltus {
namespace {

using detail::SideWalk;

SideWalk begun() {
  SideWalk walk;
  walk.begin();
  return walk;
}

TEST(SideWalk, AFallFromOneSideToTheOtherIsASimpleCrossing) {
  SideWalk w = begun();
  EXPECT_FALSE(w.positive());
  ASSERT_TRUE(w.monotone(0.25, 0.5, -1, 1, -1));
  EXPECT_EQ(w.crossing().before, 0.25);
  EXPECT_EQ(w.crossing().after, 0.5);
  EXPECT_EQ(w.crossing().guarantee, Guarantee::proven);
  EXPECT_FALSE(w.is_marginal());
}

TEST(SideWalk, OpenPartsThatReturnAreTouches) {
  SideWalk w = begun();
  EXPECT_FALSE(w.positive());
  EXPECT_FALSE(w.unresolved(0.5));
  EXPECT_FALSE(w.is_marginal());
  EXPECT_FALSE(w.positive());
  EXPECT_TRUE(w.is_marginal());
}

TEST(SideWalk, OpenPartsThatEndOnTheWrongSideAreMarginalCrossings) {
  SideWalk w = begun();
  EXPECT_FALSE(w.positive());
  EXPECT_FALSE(w.unresolved(0.5));
  EXPECT_FALSE(w.unresolved(0.51));
  ASSERT_TRUE(w.negative(0.52));
  EXPECT_EQ(w.crossing().before, 0.5);
  EXPECT_EQ(w.crossing().after, 0.52);
  EXPECT_EQ(w.crossing().guarantee, Guarantee::marginal);
}

// A search that goes on behind a crossing begins anew there.
TEST(SideWalk, ACrossingLeavesNothingOpen) {
  SideWalk w = begun();
  EXPECT_FALSE(w.unresolved(0.25));
  ASSERT_TRUE(w.negative(0.5));
  SideWalk ended = w;
  ended.end();
  EXPECT_FALSE(ended.is_marginal()) << "the open part has crossed: it is no touch";
  EXPECT_FALSE(w.positive());
  EXPECT_FALSE(w.is_marginal());
  ASSERT_TRUE(w.monotone(0.75, 1.0, -1, 1, -1));
  EXPECT_EQ(w.crossing().before, 0.75);
  EXPECT_EQ(w.crossing().guarantee, Guarantee::proven);
}

TEST(SideWalk, ARiseFromZeroAtTheBeginIsNothingAFallIsACrossing) {
  SideWalk own = begun();
  EXPECT_FALSE(own.monotone(0.0, 1.0, 1, 0, 1));
  own.end();
  EXPECT_FALSE(own.is_marginal());
  SideWalk wrong = begun();
  ASSERT_TRUE(wrong.monotone(0.0, 1.0, -1, 0, -1));
  EXPECT_EQ(wrong.crossing().before, 0.0);
  EXPECT_EQ(wrong.crossing().guarantee, Guarantee::proven);
}

TEST(SideWalk, AFallThatStopsAtZeroAtTheEndIsLeftToTheNextStep) {
  SideWalk w = begun();
  EXPECT_FALSE(w.monotone(0.0, 1.0, -1, 1, 0));
  w.end();
  EXPECT_FALSE(w.is_marginal());
  SideWalk open = begun();
  EXPECT_FALSE(open.unresolved(0.0));
  open.end();
  EXPECT_TRUE(open.is_marginal());
}

TEST(SideWalk, ARiseThatBeginsOnTheWrongSideHasCrossedBefore) {
  SideWalk w = begun();
  ASSERT_TRUE(w.monotone(0.0, 1.0, 1, -1, 1));
  EXPECT_EQ(w.crossing().before, 0.0);
  EXPECT_EQ(w.crossing().after, 0.0);
}

}  // namespace
}  // namespace saltus
