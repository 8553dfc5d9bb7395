// Solutions that leave one of two surfaces. The rule: where an exit is met, the velocity on the side that is left is
// zero but for the error of the run, so the next derivative decides; a surface that is kept all the same was only
// touched. Time goes on.
#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <saltus/saltus.hpp>

namespace saltus {
namespace {

struct TwoRelays {
  double a, b, d, e, f, g;     // coefficients
  double w_y, w_z, w_x;        // frequencies
  double x_0, y_0, threshold;  // of z

  explicit TwoRelays(std::mt19937& random) {
    const auto between = [&](double low, double high) {
      return std::uniform_real_distribution<double>(low, high)(random);
    };
    a = between(0.3, 3);
    f = between(0.3, 3);
    b = between(0.3, 1.5);
    g = between(0.3, 1.5);
    d = between(0.5, 1.5);
    e = between(0.5, 1.5);
    w_y = between(1, 4);
    w_z = between(1, 4);
    w_x = between(1, 4);
    x_0 = between(-1, 1);
    y_0 = between(-1, 1);
    threshold = between(-0.2, 0.2);
  }

  /// The second relay is that of z with z + 0.3 z^3 = s. This grows with s, so that z is above its threshold where s
  /// is above the threshold's own: with `in_z` false the model has no unknown that is solved for.
  void write(Model& m, bool in_z) const {
    const Expr t = m.time(), x = m.state("x", x_0), y = m.state("y", y_0);
    const Expr s = d * x - e * y + 0.2 * sin(w_z * t);
    m.equation(der(y) == -a * y - b * sign(y - 0.5 * sin(w_y * t)));
    Expr relay = sign(s - (threshold + 0.3 * threshold * threshold * threshold));
    if (in_z) {
      const Expr z = m.algebraic("z", {.start = 0.0});
      m.equation(z + 0.3 * z * z * z == s);
      relay = sign(z - threshold);
    }
    m.equation(der(x) == -f * x - 0.6 * sin(w_x * t) - g * relay);
  }
};

Solution run(const TwoRelays& relays, bool in_z, EngineKind engine, double tolerance) {
  Model model("two relays");
  relays.write(model, in_z);
  RunOptions options;
  options.engine = engine;
  options.rtol = options.atol = tolerance;
  options.limits.max_wall_time_s = 10.0;  // none takes a tenth of a second
  options.t_end = 8.0;
  return simulate(model, options);
}

TEST(LeavingSurfaces, OfUnknownsThatAreSolvedForEndsOnce) {
  std::mt19937 random(20261118);
  std::size_t n_exits = 0;
  for (int k = 0; k < 60; ++k) {
    const TwoRelays relays(random);
    const Solution truth = run(relays, false, EngineKind::dop853, 1e-10);
    ASSERT_EQ(truth.report.outcome, Outcome::finished) << k << truth.report.message;
    for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
      const Solution found = run(relays, true, engine, 1e-8);
      ASSERT_EQ(found.report.outcome, Outcome::finished) << k << found.report.message;
      EXPECT_EQ(found.events().size(), truth.events().size()) << k;
      // A hundred tolerances: errors of some twenty events, each forgotten after the next stay on a surface.
      EXPECT_NEAR(found.final("x"), truth.final("x"), 1e-6) << k;
      EXPECT_NEAR(found.final("y"), truth.final("y"), 1e-6) << k;
    }
    n_exits += truth.events().size() / 2;
  }
  EXPECT_GT(n_exits, 200u);
}

}  // namespace
}  // namespace saltus
