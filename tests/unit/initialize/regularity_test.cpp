// The determinant of E + dF/dx Q, and the names of what it no longer determines.
#include <saltus/initialize/regularity.hpp>

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <saltus/system/function_system.hpp>

namespace saltus {
namespace {

using RegularIn = std::span<const double>;
using RegularOut = std::span<double>;

/// cos t x' + sin t y' = -(x + y), -sin t x + cos t y = 0: at t = 0 the projector selects y, and
///   E + dF/dx Q = [cos t, sin t + 1; 0, cos t].
std::shared_ptr<const System> frame(bool is_algebraic_first) {
  const std::size_t rate = is_algebraic_first ? 1 : 0, angle = 1 - rate;
  return make_system({.unknowns = {{"x", 1.0}, {"y", 0.0}},
                      .residual =
                          [=](double t, RegularIn x, RegularIn xdot, RegularOut f) {
                            f[rate] = std::cos(t) * xdot[0] + std::sin(t) * xdot[1] + x[0] + x[1];
                            f[angle] = -std::sin(t) * x[0] + std::cos(t) * x[1];
                          },
                      .jacobian =
                          [=](double t, RegularIn, RegularIn, RegularOut by_x, RegularOut by_xdot) {
                            by_x[rate] = by_x[2 + rate] = 1.0;
                            by_x[angle] = -std::sin(t), by_x[2 + angle] = std::cos(t);
                            by_xdot[rate] = std::cos(t), by_xdot[2 + rate] = std::sin(t);
                          }});
}

TEST(Regularity, TheDeterminantHasTheSignOfTheOrderOfTheEquations) {
  const std::vector<double> x = {1.0, 0.0}, xdot = {-1.0, 0.0};
  // The null space is known up to rounding, and the logarithm passes a relative error on.
  const double rounding = 64 * std::numeric_limits<double>::epsilon();
  for (const bool is_algebraic_first : {false, true}) {
    const auto system = frame(is_algebraic_first);
    auto workspace = system->workspace();
    const auto watch = watch_index_one(*system, *workspace, 0.0, x, xdot);
    ASSERT_NE(watch, nullptr);
    for (const double t : {0.0, 0.4, 1.2, 2.5}) {
      SignedLogarithm value;
      ASSERT_TRUE(watch->determinant(t, x, xdot, value));
      EXPECT_EQ(value.sign, is_algebraic_first ? -1 : 1) << t;
      EXPECT_NEAR(value.log_size, 2 * std::log(std::abs(std::cos(t))), rounding) << t;
    }
  }
}

/// Three equations x_i' = -x_i, and between them two algebraic ones that become equal as t approaches 1.
std::shared_ptr<const System> losing_system() {
  return make_system(
      {.unknowns = {{"a", 1.0}, {"b", 1.0}, {"u", 0.0, false}, {"v", 0.0, false}, {"c", 1.0}},
       .residual =
           [](double t, RegularIn x, RegularIn xdot, RegularOut f) {
             f[0] = xdot[0] + x[0];
             f[1] = xdot[1] + x[1];
             f[2] = x[2] + x[3];
             f[3] = x[2] + t * x[3];
             f[4] = xdot[4] + x[4];
           },
       .jacobian =
           [](double t, RegularIn, RegularIn, RegularOut by_x, RegularOut by_xdot) {
             const auto at = [](std::size_t row, std::size_t column) { return 5 * column + row; };
             for (const std::size_t i : {0u, 1u, 4u}) by_x[at(i, i)] = by_xdot[at(i, i)] = 1.0;
             by_x[at(2, 2)] = by_x[at(2, 3)] = by_x[at(3, 2)] = 1.0;
             by_x[at(3, 3)] = t;
           },
       .equations = {"one", "two", "sum", "weighted", "three"}});
}

TEST(Regularity, ALossNamesOnlyTheEquationsAndUnknownsConcerned) {
  const auto system = losing_system();
  auto workspace = system->workspace();
  const std::vector<double> x = {1.0, 1.0, 0.0, 0.0, 1.0}, xdot = {-1.0, -1.0, 0.0, 0.0, -1.0};
  const auto watch = watch_index_one(*system, *workspace, 0.0, x, xdot);
  ASSERT_NE(watch, nullptr);
  const std::string loss = watch->describe_loss(1.0 + 1e-12, x, xdot).who;
  EXPECT_TRUE(loss == "equations 'sum' and 'weighted' do not determine 'u' and 'v'" ||
              loss == "equations 'weighted' and 'sum' do not determine 'u' and 'v'" ||
              loss == "equations 'sum' and 'weighted' do not determine 'v' and 'u'" ||
              loss == "equations 'weighted' and 'sum' do not determine 'v' and 'u'")
      << loss;
}

TEST(Regularity, ADerivativeThatIsLostIsNamedAsOne) {
  // x' = -x, (1 - t) y' = -y: nothing determines y' at t = 1.
  const auto system =
      make_system({.unknowns = {{"x", 1.0}, {"y", 1.0}},
                   .residual =
                       [](double t, RegularIn x, RegularIn xdot, RegularOut f) {
                         f[0] = xdot[0] + x[0];
                         f[1] = (1.0 - t) * xdot[1] + x[1];
                       },
                   .jacobian =
                       [](double t, RegularIn, RegularIn, RegularOut by_x, RegularOut by_xdot) {
                         by_x[0] = by_x[3] = by_xdot[0] = 1.0;
                         by_xdot[3] = 1.0 - t;
                       },
                   .equations = {"plain", "fading"}});
  auto workspace = system->workspace();
  const std::vector<double> x = {1.0, 1.0}, xdot = {-1.0, -1.0};
  const auto watch = watch_index_one(*system, *workspace, 0.0, x, xdot);
  ASSERT_NE(watch, nullptr);
  EXPECT_EQ(watch->describe_loss(1.0, x, xdot).who,
            "equation 'fading' does not determine 'der(y)'");
}

}  // namespace
}  // namespace saltus
