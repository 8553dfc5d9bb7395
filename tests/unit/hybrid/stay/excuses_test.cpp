// Functions that begin beside their surface by less than their error.
#include "hybrid/stay/excuses.hpp"

#include "../scene.hpp"

namespace saltus::hybrid_test {
namespace {

/// g = x + 1e-9 at x = 0: beyond zero by less than the tolerance of x.
SystemFunctions just_beyond() {
  SystemFunctions f = rising();
  add_relation(f, "beyond", [](double, double x) { return x + 1e-9; });
  add_relation(f, "far", [](double, double x) { return x + 1.0; });
  return f;
}

TEST(Excuses, WhatLagsIsExcusedAndWhatIsFarIsNot) {
  Scene s(just_beyond());
  s.board().set_truth(0, false);  // as before the surface
  s.board().set_truth(1, false);
  detail::excuse_what_lags(s.here());
  EXPECT_GT(s.board().search_slack(0), 1e-9);
  EXPECT_EQ(s.board().search_slack(1), 0.0);
}

TEST(Excuses, WhatIsOnItsOwnSideNeedsNone) {
  Scene s(just_beyond());
  EXPECT_TRUE(s.board().truth(0));
  detail::excuse_what_lags(s.here());
  EXPECT_EQ(s.board().search_slack(0), 0.0);
}

}  // namespace
}  // namespace saltus::hybrid_test
