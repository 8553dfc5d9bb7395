#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <saltus/numerics/norms.hpp>

namespace saltus::norms_test {
namespace {

using Vector = std::vector<double>;

// n squares, their sum, a division and a root: relative error below (n + 4) u.
constexpr double tolerance(std::size_t n) { return static_cast<double>(n + 4) * 0x1p-53; }

TEST(Norms, WrmsOfKnownVectors) {
  EXPECT_EQ(wrms_norm(Vector{}, Vector{}), 0.0);
  EXPECT_EQ(wrms_norm(Vector{0.0, 0.0}, Vector{1.0, 2.0}), 0.0);
  const double norm = wrms_norm(Vector{3.0, -2.0}, Vector{1.0, 2.0});
  EXPECT_NEAR(norm, std::sqrt(12.5), tolerance(2) * 4);
}

// Scaling all values by a power of two is exact, so it must scale the norm to within rounding, from
// far below the smallest normal square root to where squares overflow.
TEST(Norms, WrmsScalesOverTheWholeRange) {
  const Vector v = {1.0, 0.75, -0.5, 1.25};
  const Vector one(v.size(), 1.0);
  const double base = wrms_norm(v, one);
  for (int e = -1000; e <= 1000; e += 50) {
    Vector scaled = v;
    for (double& x : scaled) x = std::ldexp(x, e);
    EXPECT_NEAR(std::ldexp(wrms_norm(scaled, one), -e), base, 2 * tolerance(v.size()) * base) << e;
  }
}

TEST(Norms, WrmsShowsWhatIsNotFinite) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(wrms_norm(Vector{1.0, nan}, Vector{1.0, 1.0})));
  EXPECT_TRUE(std::isnan(wrms_norm(Vector{inf, nan}, Vector{1.0, 1.0})));
  EXPECT_EQ(wrms_norm(Vector{1.0, -inf}, Vector{1.0, 1.0}), inf);
}

TEST(Norms, WeightsInvertTheTolerance) {
  const Vector x = {2.0, -4.0};
  Vector w(2);
  EXPECT_TRUE(error_weights(0.25, 0.5, x, w));
  EXPECT_EQ(w, (Vector{1.0, 1.0 / 1.5}));
  EXPECT_TRUE(error_weights(0.25, Vector{0.5, 1.0}, x, w));
  EXPECT_EQ(w, (Vector{1.0, 0.5}));
  EXPECT_FALSE(error_weights(0.25, 0.0, Vector{1.0, 0.0}, w));
}

}  // namespace
}  // namespace saltus::norms_test
