// Relations of time.
#include "hybrid/search/due.hpp"

#include "../scene.hpp"

namespace saltus::hybrid_test {
namespace {

TEST(Due, WithoutRelationsOfTimeNothingIsDue) {
  SystemFunctions f = rising();
  add_relation(f, "half", [](double, double x) { return x - 0.5; });
  Scene s(f);
  std::vector<detail::Crossing> crossings;
  EXPECT_FALSE(detail::add_due(s.here(), 1.0, crossings));
  EXPECT_TRUE(crossings.empty());
}

}  // namespace
}  // namespace saltus::hybrid_test
