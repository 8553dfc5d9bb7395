// Models of higher index that switch, through every reduction.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <saltus/lower.hpp>
#include <saltus/model.hpp>
#include <saltus/reduce.hpp>
#include <saltus/system.hpp>

namespace saltus {
namespace {

/// A pendulum with a brake on the right, an action at the left and a limit of its force: index 3.
struct BrakedPendulum {
  explicit BrakedPendulum(bool as_mode = false) {
    Model m("pendulum");
    Expr x = m.state("x", 0.6), y = m.state("y", -0.8);
    Expr vx = m.state("vx", 0.0), vy = m.state("vy", 0.0);
    Expr force = m.algebraic("force", {.guess = 8.0});
    Expr n = m.discrete("n", 0.0);
    const Cond right = x > 0.0, strong = force > 10.0;
    m.equation(der(x) == vx);
    m.equation(der(y) == vy);
    m.equation(der(vx) == -force * x - where(right, Expr(0.5), Expr(0.0)) * vx);
    m.equation(der(vy) == -force * y - 9.81 - where(right, Expr(0.5), Expr(0.0)) * vy);
    m.equation("rod", x * x + y * y == 1.0);
    m.output("strong", where(strong, Expr(1.0), Expr(0.0)));
    m.when("turn", x < -0.5, {reinit(vx, -pre(vx)), reinit(vy, -pre(vy)), {n, pre(n) + 1.0}});
    if (as_mode) {
      const ModeId swings = m.mode("swings");
      m.transition("fast", swings, swings, vx > 3.0, {.maps = {{vx, 0.0}}, .priority = 7});
      m.transition("settles", swings, swings, y > 0.0, {.at_accumulation = true});
      m.require(swings, force < 50.0);
    }
    source = compile_model(m.build());
  }
  std::shared_ptr<ConfigurationSource> source;
};

/// All unknowns at a consistent point, by name: at an angle, at rest or moving.
double pendulum_value(const std::string& name, double angle, double speed) {
  const double x = std::sin(angle), y = -std::cos(angle);
  const double vx = speed * std::cos(angle), vy = speed * std::sin(angle);
  const double brake = x > 0 ? 0.5 : 0.0;
  // Twice the derivative of the rod: vx^2 + vy^2 + x ax + y ay = 0.
  const double force = speed * speed - 9.81 * y;
  const double ax = -force * x - brake * vx, ay = -force * y - 9.81 - brake * vy;
  if (name == "x") return x;
  if (name == "y") return y;
  if (name == "vx" || name == "der(x)") return vx;
  if (name == "vy" || name == "der(y)") return vy;
  if (name == "force") return force;
  if (name == "der(vx)" || name == "der(der(x))") return ax;
  if (name == "der(vy)" || name == "der(der(y))") return ay;
  return 0.0;  // what stands for a tie left out
}

struct PointOfSystem {
  PointOfSystem(const System& s, double angle, double speed) {
    for (std::uint32_t i = 0; i < s.size(); ++i) {
      x.push_back(pendulum_value(s.unknown_name(i), angle, speed));
      const double rate = pendulum_value("der(" + s.unknown_name(i) + ")", angle, speed);
      xdot.push_back(rate);
    }
  }
  std::vector<double> x, xdot;
};

std::vector<std::pair<std::string, std::shared_ptr<const System>>> all_forms(bool as_mode = false) {
  const BrakedPendulum p(as_mode);
  const auto plain = *p.source->system({});
  const auto differentiated = *p.source->differentiated({});
  StartValues start = differentiated->system->start_values();
  for (std::uint32_t i = 0; i < start.x.size(); ++i) {
    start.x[i] = pendulum_value(differentiated->system->unknown_name(i), std::asin(0.6), 0.0);
  }
  const auto selected = select_states(differentiated, 0.0, start);
  EXPECT_TRUE(static_cast<bool>(selected));
  const auto workspace = plain->workspace();
  const auto analysis = analyze_index(*plain, *workspace, 0.0, plain->start_values(), {});
  EXPECT_TRUE(static_cast<bool>(analysis));
  const auto reduced = reduce_index(plain, 0.0, *analysis, {});
  EXPECT_TRUE(static_cast<bool>(reduced));
  return {{"as written", plain},
          {"selected states", *selected},
          {"underlying ODE", underlying_ode(differentiated, start)},
          {"by ranks", *reduced}};
}

std::uint32_t number_of(const SwitchingFunctions& f, const std::string& name) {
  for (std::uint32_t i = 0; i < f.count(); ++i) {
    if (f.info(i).name == name) return i;
  }
  ADD_FAILURE() << "no " << name;
  return 0;
}

TEST(ReducedSwitching, FunctionsHaveTheSameValues) {
  for (const auto& [form, system] : all_forms()) {
    SCOPED_TRACE(form);
    auto w = system->workspace();
    auto* f = w->ability<SwitchingFunctions>();
    ASSERT_NE(f, nullptr);
    ASSERT_EQ(f->count(), 3u);
    const PointOfSystem p(*system, 0.3, 1.5);
    ASSERT_TRUE(static_cast<bool>(w->ability<Locks>()->decide(0.0, p.x, p.xdot)));
    std::vector<double> g(3), gdot(3);
    ASSERT_TRUE(static_cast<bool>(f->evaluate(0.0, p.x, p.xdot, g)));
    const double force = pendulum_value("force", 0.3, 1.5);
    EXPECT_EQ(g[number_of(*f, "x > 0")], std::sin(0.3));
    // A multiplier that is solved for has the rounding of its equations.
    EXPECT_NEAR(g[number_of(*f, "force > 10")], force - 10.0, 1e-12);
    double one = 0.0;
    ASSERT_TRUE(
        static_cast<bool>(f->evaluate_one(number_of(*f, "force > 10"), 0.0, p.x, p.xdot, one)));
    EXPECT_NEAR(one, force - 10.0, 1e-12);
    ASSERT_TRUE(static_cast<bool>(f->rates(0.0, p.x, p.xdot, g, gdot)));
    EXPECT_NEAR(gdot[number_of(*f, "x > 0")], 1.5 * std::cos(0.3), 1e-14);
    const std::vector<int> locks(w->ability<Locks>()->locks().begin(),
                                 w->ability<Locks>()->locks().end());
    EXPECT_EQ(locks[number_of(*f, "x > 0")], 1);
    EXPECT_EQ(locks[number_of(*f, "x < -0.5")], 0);
  }
}

TEST(ReducedSwitching, LocksReachTheEquations) {
  // At the same point, braked and not: what is left of the equations is the brake.
  for (const auto& [form, system] : all_forms()) {
    SCOPED_TRACE(form);
    auto w = system->workspace();
    auto& locks = *w->ability<Locks>();
    const std::uint32_t right = number_of(*w->ability<SwitchingFunctions>(), "x > 0");
    const PointOfSystem p(*system, 0.3, 1.5);
    ASSERT_TRUE(static_cast<bool>(locks.decide(0.0, p.x, p.xdot)));
    std::vector<double> with(system->size()), without(system->size());
    const auto size = [&](bool lock, std::vector<double>& f) {
      locks.set_lock(right, lock);
      EXPECT_TRUE(static_cast<bool>(w->residual(0.0, p.x, p.xdot, f)));
      double sum = 0.0;
      for (const double v : f) sum += v * v;
      return std::sqrt(sum);
    };
    EXPECT_LT(size(true, with), 1e-10);
    // The brake at speed 1.5 is 0.75; rows may be scaled by powers of two.
    EXPECT_GT(size(false, without), 1e-2);
    EXPECT_LT(size(true, with), 1e-10);
  }
}

TEST(ReducedSwitching, WhatIsIntegratedIsEnclosed) {
  for (const auto& [form, system] : all_forms()) {
    SCOPED_TRACE(form);
    auto w = system->workspace();
    auto* f = w->ability<SwitchingFunctions>();
    auto* enclosure = w->ability<StepEnclosure>();
    ASSERT_NE(enclosure, nullptr);
    const std::size_t n = system->size();
    const PointOfSystem from(*system, 0.3, 1.5), to(*system, -0.2, 1.2);
    std::vector<double> c(2 * n);
    for (std::size_t i = 0; i < n; ++i) {
      c[i] = from.x[i];
      c[n + i] = to.x[i] - from.x[i];
    }
    const StepPolynomial step{0.0, 0.25, 1, static_cast<std::uint32_t>(n), c};
    std::vector<Interval> g(f->count());
    enclosure->hulls(step, {0.5, 1.0}, g);
    const Interval& position = g[number_of(*f, "x > 0")];
    const double middle = 0.5 * (std::sin(0.3) - std::sin(0.2));
    EXPECT_TRUE(position.contains(-std::sin(0.2)) && position.contains(middle));
    EXPECT_FALSE(position.contains(std::sin(0.3)));
    std::vector<Interval> series(2);
    EXPECT_TRUE(enclosure->series(number_of(*f, "x > 0"), step, {0.0, 1.0}, 1, series));
    EXPECT_NEAR(series[1].mid(), -std::sin(0.2) - std::sin(0.3), 1e-15);
    // The multiplier is no unknown of the underlying ODE.
    const bool has_force = form != "underlying ODE";
    EXPECT_EQ(g[number_of(*f, "force > 10")].is_bounded(), has_force);
    EXPECT_EQ(enclosure->series(number_of(*f, "force > 10"), step, {0.0, 1.0}, 1, series),
              has_force);
  }
}

TEST(ReducedSwitching, GradientsAreThoseOfTheValues) {
  for (const auto& [form, system] : all_forms()) {
    SCOPED_TRACE(form);
    auto w = system->workspace();
    auto* f = w->ability<SwitchingFunctions>();
    PointOfSystem p(*system, 0.3, 1.5);
    ASSERT_TRUE(static_cast<bool>(w->ability<Locks>()->decide(0.0, p.x, p.xdot)));
    const CscPattern& pattern = f->gradient_pattern();
    ASSERT_EQ(pattern.n_cols, static_cast<index_t>(system->size()));
    std::vector<double> values(static_cast<std::size_t>(pattern.nnz()));
    ASSERT_TRUE(static_cast<bool>(f->gradients(0.0, p.x, p.xdot, values)));
    for (std::uint32_t which = 0; which < f->count(); ++which) {
      for (std::size_t j = 0; j < system->size(); ++j) {
        double in_pattern = 0.0;
        for (auto s = pattern.column_start[j]; s < pattern.column_start[j + 1]; ++s) {
          if (pattern.row[static_cast<std::size_t>(s)] == static_cast<index_t>(which)) {
            in_pattern = values[static_cast<std::size_t>(s)];
          }
        }
        // Central differences of width 1e-5: error 1e-10 times third derivatives, plus rounding.
        const double h = 1e-5, x_j = p.x[j];
        double up = 0.0, down = 0.0;
        p.x[j] = x_j + h;
        ASSERT_TRUE(static_cast<bool>(f->evaluate_one(which, 0.0, p.x, p.xdot, up)));
        p.x[j] = x_j - h;
        ASSERT_TRUE(static_cast<bool>(f->evaluate_one(which, 0.0, p.x, p.xdot, down)));
        p.x[j] = x_j;
        EXPECT_NEAR(in_pattern, (up - down) / (2 * h), 2e-6) << f->info(which).name << ", " << j;
      }
    }
  }
}

TEST(ReducedSwitching, ActionsSetTheUnknownsOfTheEngine) {
  for (const auto& [form, system] : all_forms()) {
    SCOPED_TRACE(form);
    auto w = system->workspace();
    auto* actions = w->ability<EventActions>();
    ASSERT_NE(actions, nullptr);
    ASSERT_EQ(actions->count(), 1u);
    const ActionInfo& turn = actions->info(0);
    const PointOfSystem p(*system, -0.6, -1.5);
    std::vector<double> out(turn.targets.size());
    ASSERT_TRUE(static_cast<bool>(actions->values(0, 0.0, p.x, p.xdot, out)));
    for (std::size_t k = 0; k < out.size(); ++k) {
      if (!turn.targets[k].is_unknown) {
        EXPECT_EQ(out[k], 1.0);
        continue;
      }
      EXPECT_EQ(system->unknown_name(turn.targets[k].index), turn.target_names[k]);
      EXPECT_EQ(out[k], -p.x[turn.targets[k].index]);
    }
    std::vector<std::uint8_t> truth(1);
    const std::vector<double> before(1, 0.0);
    w->ability<Locks>()->set_lock(number_of(*w->ability<SwitchingFunctions>(), "x < -0.5"), true);
    actions->triggers(p.x, before, truth);
    EXPECT_EQ(truth[0], 1);
    w->ability<Locks>()->set_lock(number_of(*w->ability<SwitchingFunctions>(), "x < -0.5"), false);
    actions->triggers(p.x, before, truth);
    EXPECT_EQ(truth[0], 0);
  }
}

TEST(ReducedSwitching, WhatLeadsOutOfAModeIsToldAsItIs) {
  for (const auto& [form, system] : all_forms(true)) {
    SCOPED_TRACE(form);
    auto w = system->workspace();
    auto* actions = w->ability<EventActions>();
    ASSERT_NE(actions, nullptr);
    ASSERT_EQ(actions->count(), 4u);
    EXPECT_EQ(actions->info(0).kind, ActionKind::assignments);
    EXPECT_EQ(actions->info(1).kind, ActionKind::transition);
    EXPECT_EQ(actions->info(1).transition, 0u);
    EXPECT_EQ(actions->info(1).priority, 7);
    EXPECT_EQ(actions->info(2).kind, ActionKind::transition);
    EXPECT_EQ(actions->info(2).transition, 1u);
    EXPECT_EQ(actions->info(2).at_accumulation_of, std::vector<std::string>{"y > 0"});
    EXPECT_EQ(actions->info(3).kind, ActionKind::requirement);
    ASSERT_EQ(actions->n_triggers(), 3u);
    EXPECT_EQ(actions->action_of(1), 1u);
    EXPECT_EQ(actions->action_of(2), 3u);
    const auto triggers_at = [&](double speed) {
      const PointOfSystem p(*system, 0.3, speed);
      std::vector<std::uint8_t> truth(3);
      EXPECT_TRUE(static_cast<bool>(w->ability<Locks>()->decide(0.0, p.x, p.xdot)));
      actions->triggers(p.x, std::vector<double>(1, 0.0), truth);
      return std::vector<int>(truth.begin(), truth.end());
    };
    EXPECT_EQ(triggers_at(1.0), (std::vector{0, 0, 0}));
    EXPECT_EQ(triggers_at(4.0), (std::vector{0, 1, 0}));
    EXPECT_EQ(triggers_at(-9.0), (std::vector{0, 0, 1}));
  }
}

TEST(ReducedSwitching, WhatEqualsAnUnknownIsSetWithIt) {
  for (const auto& [form, system] : all_forms()) {
    const auto w = system->workspace();
    const auto& names = w->ability<EventActions>()->info(0).target_names;
    std::uint32_t n_equal = 0;
    for (std::uint32_t i = 0; i < system->size(); ++i) {
      const std::string name = system->unknown_name(i);
      if (name != "der(x)" && name != "der(y)") continue;
      ++n_equal;
      EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << form;
    }
    // Where they are no unknowns of their own, there is nothing to set.
    EXPECT_EQ(names.size(), 3u + n_equal) << form;
  }
}

TEST(ReducedSwitching, WhatIsSetBecomesAState) {
  const auto forms = all_forms();
  const auto& system = *forms[1].second;
  const auto w = system.workspace();
  const auto& chosen = *w->ability<ChosenStates>();
  const ActionInfo& turn = w->ability<EventActions>()->info(0);
  // On the side, where only der(y) and what equals it may be a state: the constraint is vx x = 0.
  const PointOfSystem p(system, -1.2, -1.5);
  std::vector<double> out(turn.targets.size());
  ASSERT_TRUE(static_cast<bool>(w->ability<EventActions>()->values(0, 0.0, p.x, p.xdot, out)));
  std::uint32_t n_kept = 0;
  for (std::size_t k = 0; k < turn.targets.size(); ++k) {
    const ActionTarget& t = turn.targets[k];
    if (t.is_unknown && chosen.chosen()[t.index]) ++n_kept;
  }
  EXPECT_GE(n_kept, 1u) << "the speed that is left to choose is one of those set";
}

/// A pendulum whose action sets the vertical speed alone.
std::shared_ptr<const DifferentiatedSystem> kicked_pendulum() {
  Model m("kicked pendulum");
  Expr x = m.state("x", 0.6), y = m.state("y", -0.8);
  Expr vx = m.state("vx", 0.0), vy = m.state("vy", 0.0);
  Expr force = m.algebraic("force", {.guess = 8.0});
  m.equation(der(x) == vx);
  m.equation(der(y) == vy);
  m.equation(der(vx) == -force * x);
  m.equation(der(vy) == -force * y - 9.81);
  m.equation("rod", x * x + y * y == 1.0);
  m.when("kick", x < -0.5, {reinit(vy, 1.0)});
  return *compile_model(m.build())->differentiated({});
}

// Below its centre a pendulum has the states x and vx. An action that sets vy makes vy a state, so that the search for
// a consistent point keeps it.
TEST(ReducedSwitching, WhatIsSetBecomesAStateThoughAnotherOneIsBetterConditioned) {
  const auto differentiated = kicked_pendulum();
  StartValues start = differentiated->system->start_values();
  for (std::uint32_t i = 0; i < start.x.size(); ++i) {
    start.x[i] = pendulum_value(differentiated->system->unknown_name(i), -std::asin(0.6), 0.5);
  }
  const auto selected = select_states(differentiated, 0.0, start);
  ASSERT_TRUE(static_cast<bool>(selected));
  const System& system = **selected;
  const auto w = system.workspace();
  auto& actions = *w->ability<EventActions>();
  const ActionInfo& kick = actions.info(0);
  const auto n_targets_chosen = [&] {
    const auto chosen = w->ability<ChosenStates>()->chosen();
    return std::ranges::count_if(kick.targets, [&](const ActionTarget& target) {
      return target.is_unknown && chosen[target.index];
    });
  };
  ASSERT_EQ(n_targets_chosen(), 0) << "nothing to choose";
  const PointOfSystem p(system, -std::asin(0.6), 0.5);
  std::vector<double> out(kick.targets.size());
  ASSERT_TRUE(static_cast<bool>(actions.values(0, 0.0, p.x, p.xdot, out)));
  for (const double value : out) EXPECT_EQ(value, 1.0);
  EXPECT_EQ(n_targets_chosen(), 1);
}

TEST(ReducedSwitching, FormsWithExactJacobiansKeepTheContract) {
  for (const auto& [form, system] : all_forms()) {
    // Its Jacobian is exact on the solution set, and nowhere else.
    if (form == "by ranks") continue;
    SCOPED_TRACE(form);
    for (const std::string& finding : check_system(*system)) ADD_FAILURE() << finding;
  }
}

}  // namespace
}  // namespace saltus
