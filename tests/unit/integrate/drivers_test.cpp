// Three small drivers on every engine: does the interface carry what is going to be built on it?
#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include <saltus/integrate.hpp>
#include <saltus/system/function_system.hpp>

namespace saltus {
namespace {

using In = std::span<const double>;
using Out = std::span<double>;

constexpr double gravity = 9.81;

EngineOptions driver_tolerances(double tolerance) {
  EngineOptions o;
  o.rtol = tolerance;
  o.atol = {tolerance};
  return o;
}

class EngineDrivers : public testing::TestWithParam<EngineKind> {
 protected:
  bool is_multistep() const { return traits_of(GetParam()).is_multistep; }
};

INSTANTIATE_TEST_SUITE_P(All, EngineDrivers,
                         testing::Values(EngineKind::ida, EngineKind::radau, EngineKind::dopri5,
                                         EngineKind::dop853),
                         [](const auto& each) { return std::string(name(each.param)); });

/// The first root of an unknown in a step that ends below zero, by bisection on its polynomial.
double root_in(const StepPolynomial& step, std::uint32_t unknown) {
  double above = step.t_left, below = step.t_right;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (above + below);
    (step.value(unknown, middle) > 0 ? above : below) = middle;
  }
  return above;
}

// View, shorten, restart.
TEST_P(EngineDrivers, BouncingBall) {
  constexpr double restitution = 0.8, tolerance = 1e-8;
  const auto ball =
      make_system({.unknowns = {{"h", 1.0}, {"v", 0.0}}, .derivative = [](double, In x, Out r) {
                     r[0] = x[1];
                     r[1] = -gravity;
                   }});
  auto workspace = ball->workspace();
  const auto engine = make_engine(GetParam(), *ball, *workspace, driver_tolerances(tolerance));
  std::vector<double> x = {1.0, 0.0}, xdot = {0.0, -gravity}, impacts;
  const double t_end = 2.5;
  ASSERT_TRUE(engine->start({0.0, x, xdot}, t_end).has_value());
  while (engine->t() < t_end) {
    const auto stepped = engine->step(t_end);
    ASSERT_TRUE(stepped.has_value()) << stepped.failure().message;
    if (engine->x()[0] >= 0) continue;
    const double t = root_in(engine->last_step(), 0);
    ASSERT_TRUE(engine->shorten(t).has_value());
    ASSERT_EQ(engine->t(), t);
    impacts.push_back(t);
    x = {0.0, -restitution * engine->x()[1]};
    xdot = {x[1], -gravity};
    ASSERT_TRUE(engine->start({t, x, xdot}, t_end, {.step = 0.01}).has_value());
  }
  double t_impact = std::sqrt(2 / gravity), flight = t_impact;
  std::size_t k = 0;
  for (; t_impact < t_end; ++k) {
    ASSERT_LT(k, impacts.size());
    EXPECT_NEAR(impacts[k], t_impact, (is_multistep() ? 1000 : 20) * tolerance);
    flight *= restitution;
    t_impact += 2 * flight;
  }
  EXPECT_EQ(impacts.size(), k);
}

// An engine per system: two unknowns, then one, then three.
TEST_P(EngineDrivers, UnknownsChangeTwice) {
  constexpr double tolerance = 1e-9;
  const auto free =
      make_system({.unknowns = {{"x", 0}, {"v", 0}}, .derivative = [](double, In x, Out r) {
                     r[0] = x[1];
                     r[1] = -x[0];
                   }});
  const auto stuck = make_system(
      {.unknowns = {{"x", 0}}, .derivative = [](double, In x, Out r) { r[0] = -0.5 * x[0]; }});
  const auto chain = make_system(
      {.unknowns = {{"x", 0}, {"y", 0}, {"z", 0}}, .derivative = [](double, In x, Out r) {
         r[0] = -x[0];
         r[1] = x[0];
         r[2] = x[1];
       }});
  const auto end_of = [&](const System& system, double t, std::vector<double> x, double t_end) {
    auto workspace = system.workspace();
    const auto engine = make_engine(GetParam(), system, *workspace, driver_tolerances(tolerance));
    std::vector<double> xdot(x.size());
    EXPECT_TRUE(static_cast<bool>(workspace->ability<ExplicitForm>()->derivative(t, x, xdot)));
    EXPECT_TRUE(engine->start({t, x, xdot}, t_end).has_value());
    while (engine->t() != t_end) {
      if (const auto s = engine->step(t_end); !s) {
        ADD_FAILURE() << s.failure().message;
        break;
      }
    }
    return std::vector<double>(engine->x().begin(), engine->x().end());
  };
  const std::vector<double> first = end_of(*free, 0.0, {1.0, 0.0}, 1.0);
  const std::vector<double> second = end_of(*stuck, 1.0, {first[0]}, 2.0);
  const std::vector<double> third = end_of(*chain, 2.0, {second[0], 0.0, first[1]}, 3.0);
  const double bound = (is_multistep() ? 500 : 20) * tolerance;
  const double x2 = std::cos(1.0) * std::exp(-0.5);
  EXPECT_NEAR(second[0], x2, bound);
  EXPECT_NEAR(third[0], x2 * std::exp(-1.0), bound);
  EXPECT_NEAR(third[1], x2 * (1 - std::exp(-1.0)), bound);
  EXPECT_NEAR(third[2], -std::sin(1.0) + x2 * std::exp(-1.0), bound);
}

/// The pendulum of index 3, reduced: with q on the circle and w its velocity,
///   tau (q' - w) = 0,  tau (w' + lambda q + g e) = 0,  q q = 1,  q w = 0,  w w - lambda - g y = 0.
/// The frozen direction tau does not change the solution as long as it is not normal to the circle.
struct ReducedPendulum {
  double tau[2] = {0.0, 1.0};
  int n_refreshes = 0;
  bool refreshing = true;

  std::shared_ptr<const System> system() {
    return make_system({.unknowns = {{"x", 1}, {"y", 0}, {"u", 0}, {"v", 0}, {"lambda", 0, false}},
                        .residual =
                            [this](double, In z, In r, Out f) {
                              f[0] = tau[0] * (r[0] - z[2]) + tau[1] * (r[1] - z[3]);
                              f[1] = tau[0] * (r[2] + z[4] * z[0]) +
                                     tau[1] * (r[3] + z[4] * z[1] + gravity);
                              f[2] = z[0] * z[0] + z[1] * z[1] - 1;
                              f[3] = z[0] * z[2] + z[1] * z[3];
                              f[4] = z[2] * z[2] + z[3] * z[3] - z[4] - gravity * z[1];
                            },
                        .step_accepted =
                            [this](double, In z, In) {
                              const double cosine = tau[1] * z[0] - tau[0] * z[1];
                              if (!refreshing || std::abs(cosine) > 0.8)
                                return StepRefresh::Answer::unchanged;
                              tau[0] = -z[1];
                              tau[1] = z[0];
                              ++n_refreshes;
                              return StepRefresh::Answer::new_jacobian;
                            }});
  }
};

/// The angle from the lowest point, by the explicit engine at a tight tolerance.
double pendulum_angle(double t_end) {
  const double quarter = std::acos(0.0);
  const auto s = make_system(
      {.unknowns = {{"a", quarter}, {"w", -1.0}}, .derivative = [](double, In x, Out r) {
         r[0] = x[1];
         r[1] = -gravity * std::sin(x[0]);
       }});
  auto workspace = s->workspace();
  const auto engine = make_engine(EngineKind::dop853, *s, *workspace, driver_tolerances(1e-12));
  const std::vector<double> x = {quarter, -1.0}, xdot = {-1.0, -gravity};
  EXPECT_TRUE(engine->start({0.0, x, xdot}, t_end).has_value());
  while (engine->t() != t_end) EXPECT_TRUE(engine->step(t_end).has_value());
  return engine->x()[0];
}

struct PendulumEnd {
  bool arrived = false;
  double error = 0.0;
  std::uint64_t n_starts = 0;
};

PendulumEnd swing(EngineKind kind, ReducedPendulum& pendulum, double tolerance, double t_end) {
  const auto s = pendulum.system();
  auto workspace = s->workspace();
  const auto engine = make_engine(kind, *s, *workspace, driver_tolerances(tolerance));
  // Thrown downward with unit speed from the horizontal: v = -1, so lambda = 1.
  const std::vector<double> x = {1, 0, 0, -1, 1}, xdot = {0, -1, -1, -gravity, 3 * gravity};
  if (!engine->start({0.0, x, xdot}, t_end)) return {};
  while (engine->t() != t_end) {
    // Where the direction is lost, steps shrink without end.
    if (engine->work().n_steps > 20000 || !engine->step(t_end)) return {};
  }
  const double angle = pendulum_angle(t_end);
  const double dx = engine->x()[0] - std::sin(angle), dy = engine->x()[1] + std::cos(angle);
  return {true, std::hypot(dx, dy), engine->work().n_starts};
}

// A system that changes its internals after a step and asks for a new Jacobian, without a restart.
TEST_P(EngineDrivers, ReducedPendulumRefreshesBetweenSteps) {
  if (traits_of(GetParam()).is_explicit) {
    GTEST_SKIP() << "a DAE";
  }
  constexpr double tolerance = 1e-7, t_end = 4.0;
  ReducedPendulum pendulum;
  const PendulumEnd end = swing(GetParam(), pendulum, tolerance, t_end);
  ASSERT_TRUE(end.arrived);
  // Several swings through a half turn: 10 to 1000 tolerances is BDF's phase error.
  EXPECT_LT(end.error, (is_multistep() ? 3000 : 300) * tolerance);
  EXPECT_GT(pendulum.n_refreshes, 5);
  EXPECT_EQ(end.n_starts, 1u);

  // Twin: without refreshing the frozen direction becomes normal to the circle.
  ReducedPendulum frozen;
  frozen.refreshing = false;
  const PendulumEnd lost = swing(GetParam(), frozen, tolerance, t_end);
  EXPECT_TRUE(!lost.arrived || lost.error > 3000 * tolerance);
}

// A system may refuse the point a step ended at.
TEST_P(EngineDrivers, ASystemMayEndTheRun) {
  constexpr double wall = 0.5;
  const auto ramp = make_system({.unknowns = {{"x", 0.0}},
                                 .derivative = [](double, In, Out r) { r[0] = 1.0; },
                                 .step_accepted =
                                     [](double, In x, In) {
                                       return x[0] > wall ? StepRefresh::Answer::stop
                                                          : StepRefresh::Answer::unchanged;
                                     }});
  auto workspace = ramp->workspace();
  EngineOptions options = driver_tolerances(1e-6);
  options.max_step = 0.1;
  const auto engine = make_engine(GetParam(), *ramp, *workspace, options);
  const std::vector<double> x = {0.0}, xdot = {1.0};
  ASSERT_TRUE(engine->start({0.0, x, xdot}, 1.0).has_value());
  Result<void> last;
  double t_before = 0.0;
  while (engine->t() != 1.0 && last) {
    t_before = engine->t();
    last = engine->step(1.0);
  }
  ASSERT_FALSE(last.has_value());
  EXPECT_EQ(last.failure().message, "the system ended the run");
  EXPECT_LE(t_before, wall);
  EXPECT_GT(engine->t(), wall);
}

}  // namespace
}  // namespace saltus
