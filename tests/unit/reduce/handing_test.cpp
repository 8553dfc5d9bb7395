// What becomes of the abilities of a system that is reduced.
#include <gtest/gtest.h>

#include <saltus/lower.hpp>
#include <saltus/reduce.hpp>
#include <saltus/simulate.hpp>

#include "reduce/reduced/reduced_workspace.hpp"
#include "reduce/system/selected_workspace.hpp"
#include "reduce/system/underlying_ode.hpp"
#include "support/handing.hpp"

namespace saltus {
namespace {

using testing_support::expect_handing;

/// With an input, a relation that chooses equations, a clause, and an output.
void write_switching_pendulum(Model& m) {
  Expr x = m.state("x", 0.6), y = m.state("y", -0.8);
  Expr vx = m.state("vx", 0.0), vy = m.state("vy", 0.0);
  Expr f = m.algebraic("force", {.guess = 8.0}), n = m.discrete("n", 0.0);
  m.equation(der(x) == vx);
  m.equation(der(y) == vy);
  m.equation(der(vx) == -f * x);
  m.equation(der(vy) == -f * y - where(x > 0.1, 9.81, 9.0) + where(m.time() > 0.5, 1.0, 0.0));
  m.equation("rod", x * x + y * y == 1.0);
  m.when("high", y > 0.0, {{n, pre(n) + 1.0}});
  m.output("pull", 2.0 * f);
}

struct Pendulum {
  Model m{"pendulum"};
  std::shared_ptr<const DifferentiatedSystem> d;
  std::unique_ptr<Workspace> base;
  Pendulum() {
    write_switching_pendulum(m);
    d = *compile_model(m.build())->differentiated({});
    base = d->system->workspace();
  }
};

TEST(Handing, TheModelOffersWhatIsToBeHandedOn) {
  Pendulum p;
  EXPECT_NE(p.base->ability<ScheduledTimes>(), nullptr);
  EXPECT_NE(p.base->ability<HeldValues>(), nullptr);
  EXPECT_NE(p.base->ability<Locks>(), nullptr);
  EXPECT_NE(p.base->ability<EventActions>(), nullptr);
  EXPECT_NE(p.base->ability<StepEnclosure>(), nullptr);
  EXPECT_NE(p.base->ability<OutputDirections>(), nullptr);
}

TEST(Handing, OfSystemsReducedByRanks) {
  Model m("pendulum");
  write_switching_pendulum(m);
  const auto plain = *compile_model(m.build())->system({});
  const auto base = plain->workspace();
  const StartValues start = plain->start_values();
  decide_locks(*base, 0.0, start.x, start.xdot);
  const auto analysis = analyze_index(*plain, *base, 0.0, start, {});
  ASSERT_TRUE(analysis.has_value()) << analysis.failure().message;
  const auto reduced = *reduce_index(plain, 0.0, *analysis, {});
  expect_handing<detail::ReducedHanding>(*base, *reduced->workspace());
}

TEST(Handing, OfSystemsWithSelectedStates) {
  Pendulum p;
  const auto selected = *select_states(p.d, 0.0, p.d->system->start_values());
  expect_handing<detail::SelectedHanding>(*p.base, *selected->workspace());
}

TEST(Handing, OfUnderlyingOdes) {
  Pendulum p;
  const auto ode = underlying_ode(p.d, p.d->system->start_values());
  expect_handing<detail::UnderlyingHanding>(*p.base, *ode->workspace());
}

// ---- controls ------------------------------------------------------------------------------------------

/// As SelectedHanding, but an ability is forgotten, or decided twice.
struct Forgets : detail::SelectedHanding {
  using Transforms = AbilityList<Locks, SwitchingFunctions, StepEnclosure>;
};
static_assert(!decides_every_ability<Forgets>);
struct DecidesTwice : detail::SelectedHanding {
  using Adds = AbilityList<StepRefresh, ChosenStates, DerivativeUnknowns, OutputProjection,
                           Regularity, HeldValues>;
};
static_assert(!decides_every_ability<DecidesTwice>);

}  // namespace
}  // namespace saltus
