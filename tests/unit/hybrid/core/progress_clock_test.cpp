#include "hybrid/core/progress_clock.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace saltus::detail {
namespace {

/// After how many events a clock says that time stands still; 0: it does not.
int stands_still_after(double t, double step, std::uint32_t n_functions = 1, int most = 10000) {
  const std::vector<std::string> names{"x > 0"};
  ProgressClock clock;
  for (int k = 1; k <= most; ++k, t += step) {
    if (!clock.note(t, names, n_functions)) return k;
  }
  return 0;
}

TEST(ProgressClock, EventsAtOneTimeAreLimited) {
  EXPECT_EQ(stands_still_after(2.0, 0.0), 101);
  EXPECT_EQ(stands_still_after(0.0, 0.0), 101);
  EXPECT_EQ(stands_still_after(2.0, 0.0, 1000), 2001);
}

TEST(ProgressClock, EventsARoundingErrorApartAreAtOneTime) {
  const double ulp = std::nextafter(4.0, 5.0) - 4.0;
  EXPECT_EQ(stands_still_after(4.0, ulp), 101);
  EXPECT_EQ(stands_still_after(4.0, -ulp), 101);
}

TEST(ProgressClock, EventsThatGoOnAreNot) {
  EXPECT_EQ(stands_still_after(4.0, 1e-13), 0);
  EXPECT_EQ(stands_still_after(-4.0, 1e-13), 0);
  EXPECT_EQ(stands_still_after(0.0, 1e-300), 0);
}

TEST(ProgressClock, NamesWhatSwitchesThere) {
  ProgressClock clock;
  const std::vector<std::string> a{"a"}, b{"b"}, before{"before"};
  clock.note(1.0, before, 2);
  for (int k = 0; k < 3; ++k) {
    clock.note(2.0, a, 2);
    clock.note(2.0, b, 2);
  }
  ASSERT_EQ(clock.names().size(), 2u);
  EXPECT_EQ(clock.names()[0], "a");
  EXPECT_EQ(clock.names()[1], "b");
}

}  // namespace
}  // namespace saltus::detail
