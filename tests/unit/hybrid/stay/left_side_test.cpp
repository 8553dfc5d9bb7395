// The left limit of an instant.
#include "../scene.hpp"

namespace saltus::hybrid_test {
namespace {

TEST(LeftSide, TheLogHasBothLimits) {
  Scene s(rising());
  s.step_only();
  const detail::EventPoint point = s.here().point();
  ASSERT_TRUE(s.at.left.note(point).has_value());
  ConsistentStart start;
  start.x = {5.0};
  start.xdot = {1.0};
  detail::JournalEntry entry;
  entry.instant.t = point.t;
  ASSERT_TRUE(s.at.left.log(std::move(entry), point.t, *s.here(), start).has_value());
  const EventLog log = s.ground.ledger.take_log();
  ASSERT_EQ(log.instants().size(), 1U);
  EXPECT_EQ(log.instants()[0].x_minus, point.x);
  EXPECT_EQ(log.instants()[0].x_plus, std::vector<double>{5.0});
  // What only an input did has no other name.
  ASSERT_EQ(log.events().size(), 1U);
  EXPECT_EQ(log.events()[0].name, "breakpoint of an input");
}

TEST(LeftSide, AStateHasAHistoryUnlessItBegins) {
  Scene s(rising());
  const detail::EventPoint point = s.here().point();
  for (const bool has_history : {true, false}) {
    const detail::LeftState left = s.at.left.state(point, std::vector{2.0}, has_history);
    EXPECT_EQ(left.x, std::vector<double>{2.0});
    EXPECT_EQ(left.has_history[0], has_history ? 1 : 0);
    const RunOptions& options = s.ground.options;
    EXPECT_EQ(left.movement[0], detail::noticeable_jump * (options.rtol * 2.0 + options.atol));
  }
}

}  // namespace
}  // namespace saltus::hybrid_test
