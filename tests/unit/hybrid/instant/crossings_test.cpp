// What is known of the relations that cross at an instant.
#include "hybrid/instant/crossings.hpp"

#include "../scene.hpp"

namespace saltus::hybrid_test {
namespace {

SystemFunctions two_relations() {
  SystemFunctions f = rising();
  add_relation(f, "b later", [](double, double x) { return x - 0.0101; });
  add_relation(f, "a first", [](double, double x) { return x - 0.01; });
  add_relation(f, "a same", [](double, double x) { return x - 0.01; });
  return f;
}

TEST(Crossings, StandInTheOrderOfTheirZerosThenOfTheirNames) {
  Scene s(two_relations());
  s.step_only();
  detail::EventPoint point = s.here().point();
  point.x = {0.0101};
  point.t = 0.0101;
  std::vector<detail::Crossing> crossings{{0, 1}, {2, 1}, {1, 1}};
  (void)s.here()->kit->locator.margins(point, {});
  detail::put_in_order(s.here(), point, crossings);
  EXPECT_EQ(detail::names_of(s.board(), crossings),
            (std::vector<std::string>{"a first", "a same", "b later"}));
  EXPECT_LE(crossings[0].t_zero, crossings[2].t_zero);
  EXPECT_GE(detail::error_of_time(s.here(), crossings), crossings[0].time_width);
}

TEST(Crossings, OneAloneIsNeverOnlyAFlip) {
  Scene s(two_relations());
  std::vector<detail::Crossing> crossings{{0, 1}};
  detail::mark_flips(s.here(), crossings, s.here().point());
  EXPECT_FALSE(crossings[0].only_flips);
}

TEST(Crossings, WhereAllMightBeFlipsNoneIs) {
  Scene s(two_relations());
  std::vector<detail::Crossing> crossings{{0, 1}, {1, 1}};
  const std::vector<std::uint8_t> truths(s.board().truths().begin(), s.board().truths().end());
  detail::mark_flips(s.here(), crossings, s.here().point());
  for (const detail::Crossing& c : crossings) EXPECT_FALSE(c.only_flips);
  EXPECT_TRUE(std::ranges::equal(s.board().truths(), truths));
}

TEST(Crossings, WithoutActionsNothingIsWatched) {
  Scene s(two_relations());
  EXPECT_TRUE(detail::watched_before(s.here(), s.here().point(), std::nullopt).empty());
}

}  // namespace
}  // namespace saltus::hybrid_test
