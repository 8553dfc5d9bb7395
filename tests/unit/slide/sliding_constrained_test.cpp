// Sliding of constrained mechanics: with selected states for implicit engines, as an ODE for explicit ones.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <saltus/initialize.hpp>
#include <saltus/reduce.hpp>
#include <saltus/system/contract.hpp>

#include "sliding_cases.hpp"

namespace saltus::sliding_test {
namespace {

constexpr double drum_friction = 3.0;

/// A bead on a circle, which rubs on a drum that turns with the rate cos t: it sticks to it, at the angle
/// a + sin t, and the multiplier is (sin t - x)/3.
std::shared_ptr<const DifferentiatedSystem> bead_on_drum(double angle) {
  Model m("bead on drum");
  const double c = std::cos(angle), s = std::sin(angle);
  Expr x = m.state("x", c), y = m.state("y", Attributes{.guess = s});
  Expr f = m.algebraic("f");
  const Expr slip = x * der(y) - y * der(x) - cos(m.time());
  const Expr push = where(slip > 0, Expr(-drum_friction), Expr(drum_friction));
  m.equation("horizontal", der(der(x)) == -f * x - push * y);
  m.equation("vertical", der(der(y)) == -f * y + push * x - 1);
  m.equation("rod", x * x + y * y == 1.0);
  return *compile_model(m.build())->differentiated({});
}

/// A point on the surface, by the names of unknowns.
double value_on_drum(const std::string& name, double angle, double t) {
  const double a = angle + std::sin(t), rate = std::cos(t), second = -std::sin(t);
  const double x = std::cos(a), y = std::sin(a);
  if (name == "x") return x;
  if (name == "y") return y;
  if (name == "der(x)") return -y * rate;
  if (name == "der(y)") return x * rate;
  if (name == "der(der(x))") return -x * rate * rate - y * second;
  if (name == "der(der(y))") return -y * rate * rate + x * second;
  // Along the rod: -rate^2 = -f - y.
  if (name == "f") return rate * rate - y;
  return 0.0;
}

std::vector<double> point_on_drum(const System& system, double angle, double t) {
  std::vector<double> x;
  for (std::uint32_t i = 0; i < system.size(); ++i) {
    x.push_back(value_on_drum(system.unknown_name(i), angle, t));
  }
  return x;
}

constexpr double first_angle = 0.2;

double worst_on_drum(const System& system, std::span<const double> x, double t) {
  double worst = 0.0;
  for (std::uint32_t i = 0; i < system.size(); ++i) {
    const double exact = value_on_drum(system.unknown_name(i), first_angle, t);
    if (!system.unknown_name(i).starts_with("der(der(")) {
      worst = std::max(worst, std::abs(x[i] - exact));
    }
  }
  return worst;
}

struct DrumCase {
  SlidingForm form;
  EngineKind kind;
};

class SlidingOnDrum : public testing::TestWithParam<DrumCase> {};
INSTANTIATE_TEST_SUITE_P(Forms, SlidingOnDrum,
                         testing::Values(DrumCase{SlidingForm::mixed, EngineKind::radau},
                                         DrumCase{SlidingForm::mixed, EngineKind::ida},
                                         DrumCase{SlidingForm::copies, EngineKind::radau},
                                         DrumCase{SlidingForm::copies, EngineKind::ida}),
                         [](const auto& c) {
                           return std::string(name(c.param.kind)) +
                                  (c.param.form == SlidingForm::mixed ? "Mixed" : "Copies");
                         });

/// States change twice on the way, from y to x and back.
TEST_P(SlidingOnDrum, ItSticksWithSelectedStates) {
  const auto d = bead_on_drum(first_angle);
  StartValues start = d->system->start_values();
  start.x = point_on_drum(*d->system, first_angle, 0.0);
  const auto selected = select_states(d, 0.0, start);
  ASSERT_TRUE(selected) << selected.failure().message;
  const auto base = *selected;
  const double tol = 1e-8, t_end = 3.0;
  Slider s(base, point_on_drum(*base, first_angle, 0.0), {.form = GetParam().form});
  ASSERT_NE(s.sliding, nullptr);
  double worst = 0.0, worst_u = 0.0;
  int n_changes = 0;
  std::uint64_t n_starts = 0;
  std::vector<std::uint8_t> before;
  const auto* choice = s.workspace->ability<ChosenStates>();
  integrate(*s.sliding, *s.workspace, GetParam().kind, {.rtol = tol, .atol = {tol}}, 0.0, t_end,
            [&](Engine& engine) {
              const double t = engine.t();
              const std::vector<std::uint8_t> now(choice->chosen().begin(), choice->chosen().end());
              n_changes += !before.empty() && now != before ? 1 : 0;
              before = now;
              n_starts = engine.work().n_starts;
              const auto x = engine.x().first(base->size());
              worst = std::max(worst, worst_on_drum(*base, x, t));
              const double u = s.as_sliding->multipliers(engine.x(), engine.xdot())[0];
              const double exact =
                  (std::sin(t) - std::cos(first_angle + std::sin(t))) / drum_friction;
              worst_u = std::max(worst_u, std::abs(u - exact));
            });
  EXPECT_GE(n_changes, 2);
  // Only copies have unknowns that jump where states change.
  if (GetParam().form == SlidingForm::mixed) {
    EXPECT_EQ(n_starts, 1U);
  }
  // Restarts of a multistep engine with copies; multipliers are second derivatives.
  const double allowed = (GetParam().kind == EngineKind::ida ? 5000 : 100) * tol;
  EXPECT_LE(worst, allowed);
  EXPECT_LE(worst_u, allowed);
}

TEST(SlidingOnDrumAsOde, TheExplicitEngineKeepsConstraintAndSurface) {
  const auto d = bead_on_drum(first_angle);
  StartValues start = d->system->start_values();
  start.x = point_on_drum(*d->system, first_angle, 0.0);
  const auto base = underlying_ode(d, start);
  const double tol = 1e-8, t_end = 3.0;
  Slider s(base, point_on_drum(*base, first_angle, 0.0));
  ASSERT_NE(s.sliding, nullptr);
  double worst = 0.0, off_rod = 0.0, off_surface = 0.0, off_tangent = 0.0;
  std::vector<std::uint32_t> at(4);
  for (std::uint32_t i = 0; i < base->size(); ++i) {
    const std::string unknown = base->unknown_name(i);
    at[unknown == "x" ? 0 : unknown == "y" ? 1 : unknown == "der(x)" ? 2 : 3] = i;
  }
  integrate(*s.sliding, *s.workspace, EngineKind::dopri5, {.rtol = tol, .atol = {tol}}, 0.0, t_end,
            [&](Engine& engine) {
              const auto p = engine.x();
              worst = std::max(worst, worst_on_drum(*base, p, engine.t()));
              const double x = p[at[0]], y = p[at[1]], v = p[at[2]], w = p[at[3]];
              off_rod = std::max(off_rod, std::abs(x * x + y * y - 1));
              off_tangent = std::max(off_tangent, std::abs(x * v + y * w));
              off_surface = std::max(off_surface, std::abs(x * w - y * v - std::cos(engine.t())));
            });
  EXPECT_LE(worst, 100 * tol);
  // A few roundings of terms of size 1, and of the projection.
  EXPECT_LE(off_rod, 16 * eps);
  EXPECT_LE(off_tangent, 16 * eps);
  EXPECT_LE(off_surface, 16 * eps);

  // The force of the rod is the mixture of those of both sides.
  const VariableMap& map = s.sliding->variable_map();
  std::vector<double> x = point_on_drum(*base, first_angle, 1.0), out(map.variables().size());
  const auto xdot = s.motion(1.0, x);
  x.resize(s.sliding->size(), 0.0);
  ASSERT_TRUE(static_cast<bool>(map.values(*s.workspace, 1.0, x, xdot, out)));
  for (std::size_t v = 0; v < out.size(); ++v) {
    if (map.variables()[v].name != "f") continue;
    EXPECT_NEAR(out[v], value_on_drum("f", first_angle, 1.0), 100 * eps);
  }
}

TEST(SlidingOnDrumContract, FormsKeepTheContract) {
  const auto d = bead_on_drum(first_angle);
  StartValues start = d->system->start_values();
  start.x = point_on_drum(*d->system, first_angle, 0.0);
  const auto selected = *select_states(d, 0.0, start);
  for (const SlidingForm form : {SlidingForm::mixed, SlidingForm::copies}) {
    Slider s(selected, point_on_drum(*selected, first_angle, 0.0), {.form = form});
    for (const auto& finding : check_system(*s.sliding)) ADD_FAILURE() << finding;
  }
  const auto ode = underlying_ode(d, start);
  Slider s(ode, point_on_drum(*ode, first_angle, 0.0));
  for (const auto& finding : check_system(*s.sliding)) ADD_FAILURE() << finding;
}

}  // namespace
}  // namespace saltus::sliding_test
