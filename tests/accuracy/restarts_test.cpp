// Many restarts: errors of a run beside those of the same engine that integrates each stretch by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include <saltus/saltus.hpp>

namespace saltus {
namespace {

/// A relay with an actuator: x' = u - 0.3, u' = 2 (-2 sign(x) - u). Its switches come ever faster.
struct Actuator {
  static constexpr double bias = 0.3, gain = 2.0, rate = 2.0, x = 1.0;

  /// Times of the first switches, from the closed solutions between them.
  static std::vector<long double> switches(std::size_t n) {
    std::vector<long double> times;
    long double t = 0.0L, x0 = x, u0 = 0.0L;
    for (double side = 1.0; times.size() < n; side = -side) {
      const long double to = -gain * static_cast<long double>(side);
      const auto u = [&](long double s) { return to + (u0 - to) * std::exp(-rate * s); };
      const auto at = [&](long double s) {
        return x0 + (to - bias) * s + (u0 - to) * (1 - std::exp(-rate * s)) / rate;
      };
      constexpr long double look = 1e-3L;
      long double before = look;
      while (side * at(before + look) > 0) before += look;
      long double after = before + look;
      for (int i = 0; i < 80; ++i) {
        const long double middle = (before + after) / 2;
        (side * at(middle) > 0 ? before : after) = middle;
      }
      u0 = u(after);
      x0 = 0.0L;
      times.push_back(t += after);
    }
    return times;
  }

  static std::shared_ptr<const System> side(double sign) {
    return make_system({.unknowns = {{.name = "x", .start = x}, {.name = "u", .start = 0.0}},
                        .derivative = [sign](double, auto at, auto xdot) {
                          xdot[0] = at[1] - bias;
                          xdot[1] = rate * (-gain * sign - at[1]);
                        }});
  }

  static double error_of_run(EngineKind engine, double tolerance,
                             std::span<const long double> times) {
    Model m("relay with an actuator");
    const Expr at = m.state("x", x), u = m.state("u", 0.0);
    m.equation(der(at) == u - bias);
    m.equation(der(u) == rate * (-gain * sign(at) - u));
    const Solution s = simulate(m, {.t_end = static_cast<double>(times.back()) + 0.05,
                                    .rtol = tolerance,
                                    .atol = tolerance,
                                    .engine = engine});
    EXPECT_TRUE(s.ok()) << s.report.message;
    EXPECT_GE(s.event_log.n_instants(), times.size());
    double worst = 0.0;
    for (std::size_t k = 0; k < std::min(times.size(), s.instants().size()); ++k)
      worst = std::max(worst, static_cast<double>(std::abs(s.instants()[k].t - times[k])));
    return worst;
  }

  /// The engine on each side by itself, which goes on where its own step passes zero.
  static double error_of_engine(EngineKind kind, double tolerance,
                                std::span<const long double> times) {
    const std::shared_ptr<const System> sides[] = {side(1.0), side(-1.0)};
    double t = 0.0, worst = 0.0, step = 0.0;
    std::vector<double> at{x, 0.0};
    for (std::size_t k = 0; k < times.size(); ++k) {
      const System& system = *sides[k % 2];
      const auto workspace = system.workspace();
      EngineOptions options;
      options.rtol = tolerance;
      options.atol.assign(2, tolerance);
      const auto engine = make_engine(kind, system, *workspace, options);
      const double sign = k % 2 == 0 ? 1.0 : -1.0;
      const std::vector<double> slope{at[1] - bias, rate * (-gain * sign - at[1])};
      StartHint hint;
      hint.step = step;
      const double t_bound = static_cast<double>(times[k]) + 0.1;
      EXPECT_TRUE(engine->start({t, at, slope}, t_bound, hint));
      const double look_from = 0.5 * (t + static_cast<double>(times[k]));
      do {
        if (!engine->step(t_bound)) return std::numeric_limits<double>::quiet_NaN();
      } while (engine->t() < look_from || sign * engine->x()[0] > 0);
      step = std::abs(engine->work().last_step);
      const StepPolynomial last = engine->last_step();
      double before = std::max(last.t_left, look_from), after = last.t_right;
      for (int i = 0; i < 80; ++i) {
        const double middle = 0.5 * (before + after);
        (sign * last.value(0, middle) > 0 ? before : after) = middle;
      }
      EXPECT_TRUE(engine->shorten(after));
      t = engine->t();
      at.assign(engine->x().begin(), engine->x().end());
      worst = std::max(worst, static_cast<double>(std::abs(t - times[k])));
    }
    return worst;
  }
};

/// Errors grow along the way: ida's own are 15,000 to 42,000 tolerances after 120 switches. Placing each event a thousandth of a
/// tolerance beyond its surface made 200 on dop853, which by itself has less than 6.
TEST(Restarts, OfChatteringRelaysAreThoseOfTheEngine) {
  const std::vector<long double> times = Actuator::switches(120);
  for (const EngineKind engine : {EngineKind::ida, EngineKind::radau, EngineKind::dop853}) {
    for (const double tolerance : {1e-6, 1e-7, 1e-8}) {
      const double of_engine = Actuator::error_of_engine(engine, tolerance, times);
      const double of_run = Actuator::error_of_run(engine, tolerance, times);
      // One tolerance is as good as none.
      EXPECT_LE(of_run, 10 * std::max(of_engine, tolerance))
          << name(engine) << " " << tolerance << ": " << of_run / tolerance << " beside "
          << of_engine / tolerance << " tolerances";
    }
  }
}

/// Ten thousand events of x' = +-1: what each is placed beyond its surface adds up. A hundred-thousandth of the tolerance, and
/// eight times the rounding of the time; with a thousandth of the tolerance 2e-5.
TEST(Restarts, DoNotDrift) {
  constexpr double tolerance = 1e-6, t_end = 1e4;  // a period is 2
  for (const EngineKind engine : {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau}) {
    Model m("to and fro");
    const Expr x = m.state("x", 0.5), way = m.discrete("way", 1.0);
    m.equation(der(x) == way);
    m.when("up", x < 0.0, {{way, 1.0}});
    m.when("down", x > 1.0, {{way, -1.0}});
    RunOptions options{.t_end = t_end, .rtol = tolerance, .atol = tolerance, .engine = engine};
    options.output.dense = false;
    const Solution s = simulate(m, options);
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_EQ(s.event_log.n_instants(), 10'000U);
    const double of_event =
        1e-5 * 2 * tolerance + 8 * std::numeric_limits<double>::epsilon() * t_end;
    EXPECT_NEAR(s.final("x"), 0.5, 1e4 * of_event) << name(engine);
  }
}

}  // namespace
}  // namespace saltus
