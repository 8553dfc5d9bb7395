#include <saltus/reduce/mode_content.hpp>

#include <gtest/gtest.h>

#include "unit/reduce/analysed_models.hpp"

namespace saltus {
namespace {

using namespace testing_support;

constexpr auto differential = UnknownClass::differential;
constexpr auto algebraic = UnknownClass::algebraic;
constexpr auto undetermined = UnknownClass::undetermined;
using Classes = std::vector<UnknownClass>;
using Flags = std::vector<std::uint8_t>;

constexpr std::uint32_t all = EntryKnowledge::all_derivatives;

ModeContent content_of(const Model& m) {
  const auto system = compiled(m);
  auto workspace = system->workspace();
  const auto found = analyze_index(*system, *workspace, 0.0, system->start_values());
  if (!found) throw std::runtime_error(found.failure().message);
  auto content = mode_content(*system, *workspace, 0.0, *found);
  if (!content) throw std::runtime_error(content.failure().message);
  return std::move(*content);
}

Classes classes_of(const Model& m) {
  const ModeContent content = content_of(m);
  return {content.classes().begin(), content.classes().end()};
}

/// Voltage vC, current iL, current iS, iD, voltage vS, vD, by modes (switch, diode) closed or not.
void write_boost(Model& m, bool switch_closed, bool diode_conducts) {
  Expr vc = m.state("vC", 5.0), il = m.state("iL", 1.0);
  Expr is = m.algebraic("iS"), id = m.algebraic("iD"), vs = m.algebraic("vS"),
       vd = m.algebraic("vD"), ir = m.algebraic("iR");
  m.equation("coil", 0.5 * der(il) == 10.0 - vs);
  m.equation("capacitor", 0.02 * der(vc) == id - ir);
  m.equation("load", vc == 20.0 * ir);
  m.equation("node", il == is + id);
  m.equation("loop", vs == vd + vc);
  m.equation("switch", switch_closed ? vs == 0.0 : is == 0.0);
  m.equation("diode", diode_conducts ? vd == 0.0 : id == 0.0);
}

TEST(ModeContent, BoostConverterInItsFourModes) {
  const Classes both{differential, differential, algebraic, algebraic,
                     algebraic,    algebraic,    algebraic};
  for (const bool closed : {true, false}) {
    Model m("boost");
    write_boost(m, closed, !closed);
    EXPECT_EQ(classes_of(m), both);
  }
  // Both open: iL = 0. Both closed: vC = 0, although its derivative occurs.
  Classes without_coil = both, without_capacitor = both;
  without_coil[1] = algebraic;
  without_capacitor[0] = algebraic;
  Model open("open"), closed("closed");
  write_boost(open, false, false);
  write_boost(closed, true, true);
  EXPECT_EQ(classes_of(open), without_coil);
  EXPECT_EQ(classes_of(closed), without_capacitor);
}

TEST(ModeContent, WhatJumpsIntoTheModesOfTheBoostConverter) {
  // vC, iL, iS, iD, vS, vD, iR. Equations 0-4 hold in all modes; both with a history.
  const EntryKnowledge common{.holds = {all, all, all, all, all, 0, 0},
                              .history = {1, 1, 0, 0, 0, 0, 0}};
  Model to_regular("regular"), to_closed("closed"), to_open("open");
  write_boost(to_regular, true, false);
  write_boost(to_closed, true, true);
  write_boost(to_open, false, false);
  const EntryEffects regular = content_of(to_regular).entered(common);
  EXPECT_EQ(regular.can_jump, (Flags{0, 0, 1, 1, 1, 1, 0}));
  EXPECT_EQ(regular.can_be_impulsive, Flags(7, 0));
  // The capacitor is shorted: its voltage jumps, the current through diode and switch is an impulse.
  const EntryEffects closed = content_of(to_closed).entered(common);
  EXPECT_EQ(closed.can_jump, (Flags{1, 0, 1, 1, 1, 1, 1}));
  EXPECT_EQ(closed.can_be_impulsive, (Flags{0, 0, 1, 1, 0, 0, 0}));
  // The coil is interrupted: its current jumps, the voltages are impulses.
  const EntryEffects open = content_of(to_open).entered(common);
  EXPECT_EQ(open.can_jump, (Flags{0, 1, 1, 1, 1, 1, 0}));
  EXPECT_EQ(open.can_be_impulsive, (Flags{0, 0, 0, 0, 1, 1, 0}));
  // The twin: nobody has a history.
  EXPECT_EQ(content_of(to_open).entered({.holds = common.holds}).can_be_impulsive, Flags(7, 0));
}

void write_hanging(Model& m, double angle) {
  Expr x = m.state("x", std::sin(angle)), y = m.state("y", -std::cos(angle));
  Expr u = m.state("u", 0.0), v = m.state("v", 0.0), lambda = m.algebraic("lambda");
  m.equation(der(x) == u);
  m.equation(der(y) == v);
  m.equation(der(u) == -lambda * x);
  m.equation(der(v) == -lambda * y - gravity);
  m.equation("length", x * x + y * y == 1.0);
}

TEST(ModeContent, APointIsLookedAtFromNearbyToo) {
  const Classes expected{differential, differential, differential, differential, algebraic};
  for (const double angle : {0.0, 0.5}) {
    Model m("pendulum");
    write_hanging(m, angle);
    EXPECT_EQ(classes_of(m), expected) << angle;
  }
}

TEST(ModeContent, ARopeThatIsCaughtStopsVelocitiesOnly) {
  Model m("pendulum");
  write_hanging(m, 0.5);
  const ModeContent content = content_of(m);
  EntryKnowledge before{.holds = {all, all, 0, 0, 0}, .history = {1, 1, 1, 1, 0}};
  // From anywhere: positions may jump.
  EXPECT_EQ(content.entered(before).can_jump, Flags(5, 1));
  // The guard says that the length is right.
  before.holds[4] = 1;
  EXPECT_EQ(content.entered(before).can_jump, (Flags{0, 0, 1, 1, 1}));
  EXPECT_EQ(content.entered(before).can_be_impulsive, (Flags{0, 0, 0, 0, 1}));
  // Events accumulate there: so is its derivative.
  before.holds[4] = 2;
  EXPECT_EQ(content.entered(before).can_jump, (Flags{0, 0, 0, 0, 1}));
  // It was a pendulum before: constraints hold with their derivatives.
  before.holds.assign(5, all);
  EXPECT_EQ(content.entered(before).can_jump, Flags(5, 0));
  EXPECT_EQ(content.entered(before).can_be_impulsive, Flags(5, 0));
}

TEST(ModeContent, AnImpulseMovesWhatItActsOn) {
  // v1 is stopped by f; the same force turns w, which no constraint concerns. z is left alone.
  Model m("lever");
  Expr v = m.state("v", 0.0), w = m.state("w", 1.0), z = m.state("z", 1.0), f = m.algebraic("f");
  m.equation(2.0 * der(v) == -f);
  m.equation(5.0 * der(w) == 3.0 * f);
  m.equation(der(z) == v - w);
  m.equation(v == 0.0);
  const ModeContent content = content_of(m);
  EXPECT_EQ(classes_of(m), (Classes{algebraic, differential, differential, algebraic}));
  const EntryEffects effects =
      content.entered({.holds = {all, 0, all, 0}, .history = {1, 1, 1, 0}});
  EXPECT_EQ(effects.can_jump, (Flags{1, 1, 0, 1}));
  EXPECT_EQ(effects.can_be_impulsive, (Flags{0, 0, 0, 1}));
}

TEST(ModeContent, WhatNothingDetermines) {
  Model m("open");
  m.allow_unequal_counts();
  Expr x = m.state("x", 1.0), y = m.algebraic("y"), z = m.algebraic("z");
  m.equation(der(x) == y);
  m.equation(z == 2.0 * x);
  EXPECT_EQ(classes_of(m), (Classes{differential, undetermined, algebraic}));
  // Only the sum is determined.
  Model sum("sum");
  sum.allow_unequal_counts();
  Expr p = sum.state("p", 1.0), q = sum.state("q", 2.0);
  sum.equation(der(p) + der(q) == -(p + q));
  EXPECT_EQ(classes_of(sum), (Classes{undetermined, undetermined}));
  EXPECT_EQ(content_of(sum).entered({}).can_jump, (Flags{0, 0}));
}

TEST(ModeContent, DictatedThoughItsDerivativeIsInTheContent) {
  Model m("mixed");
  Expr x = m.state("x", 1.0), y = m.state("y", 0.0), z = m.algebraic("z");
  m.equation(der(x) + der(y) == -x);
  m.equation(der(y) == z);
  m.equation(y == 0.0);
  EXPECT_EQ(classes_of(m), (Classes{differential, algebraic, algebraic}));
}

TEST(ModeContent, FreedomsLeftOpen) {
  // A clutch that is closed: one speed.
  Model m("clutch");
  Expr a = m.state("a", 1.0), b = m.state("b", 1.0), phi = m.state("phi", 0.0),
       torque = m.algebraic("torque");
  m.equation(der(a) == -torque);
  m.equation(3.0 * der(b) == torque);
  m.equation(der(phi) == a);
  m.equation(a == b);
  const ModeContent content = content_of(m);
  EXPECT_EQ(content.n_left_open(Flags{0, 0, 0, 0}), 0u);
  EXPECT_EQ(content.n_left_open(Flags{1, 0, 0, 0}), 0u);  // the other one says it
  EXPECT_EQ(content.n_left_open(Flags{1, 1, 0, 0}), 1u);
  EXPECT_EQ(content.n_left_open(Flags{1, 1, 1, 1}), 2u);
}

TEST(ModeContent, ClassesDoNotDependOnUnits) {
  Model m("units");
  Expr v = m.state("v", 0.0, {.nominal = 1e6}), q = m.state("q", 1e-9, {.nominal = 1e-9}),
       i = m.algebraic("i", {.nominal = 1e-6});
  m.equation(1e-12 * der(v) == 1e-3 * i);
  m.equation(der(q) == 1e-6 * i - q);
  m.equation(1e-9 * v == 0.0);
  EXPECT_EQ(classes_of(m), (Classes{algebraic, differential, algebraic}));
}

}  // namespace
}  // namespace saltus
