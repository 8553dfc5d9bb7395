// The first and the last instant of a run.
#include "hybrid/instant/first_and_last.hpp"

#include "../scene.hpp"

namespace saltus::hybrid_test {
namespace {

TEST(FirstAndLast, AnActionThatBelongsToNeitherIsLeftAlone) {
  Scene s(resets_at_half(0.0));
  std::uint32_t action = 0;
  EXPECT_FALSE(s.at.first_and_last.next_at_start(action).has_value());
  EXPECT_EQ(action, 1U);
  action = 0;
  EXPECT_FALSE(s.at.first_and_last.next_at_end(action).has_value());
  EXPECT_FALSE(s.at.first_and_last.first_departures().has_value());
}

TEST(FirstAndLast, TriggersAreLookedUpWithoutChangingATruth) {
  Scene s(resets_at_half(0.0));
  const std::vector<double> beyond{0.7}, rate{1.0};
  EXPECT_FALSE(s.board().truth(0));
  EXPECT_EQ(detail::triggers_as_written(*s.here(), 0.0, beyond, rate),
            std::vector<std::uint8_t>{1});
  EXPECT_FALSE(s.board().truth(0));
}

}  // namespace
}  // namespace saltus::hybrid_test
