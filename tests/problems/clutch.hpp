// A motor that runs up and a load that runs down, until a clutch makes one of them: angular momentum stays.
#pragma once

#include <cmath>

#include "problems/mode_problem.hpp"

namespace saltus::problems {

/// How the speeds after the clutch has engaged are told.
enum class ClutchJump : std::uint8_t {
  impulse,    // not at all: the torque of the clutch is an impulse
  equations,  // by the balance of angular momentum between both limits
  map,        // by an expression
};

struct Clutch {
  static constexpr double j1 = 0.5, j2 = 2.0;            // kg m2
  static constexpr double torque = 20.0, damping = 0.4;  // N m, N m s
  static constexpr double w1 = 0.0, w2 = 30.0;           // rad/s
  static constexpr double engages_at = 80.0, t_end = 6.0;
};

inline void write_clutch(ModeWriter& w, ClutchJump jump) {
  using P = Clutch;
  Model& m = w.m;
  Expr w1 = w.state("w1", P::w1, {.nominal = 10.0, .unit = "rad/s"});
  Expr w2 = w.state("w2", P::w2, {.nominal = 10.0, .unit = "rad/s"});
  Expr tc = w.algebraic("T", {.unit = "N m", .description = "through the clutch"});
  m.equation("motor", P::j1 * der(w1) == P::torque - tc);
  m.equation("load", P::j2 * der(w2) == tc - P::damping * w2);
  m.output("momentum", P::j1 * w1 + P::j2 * w2, "N m s");
  m.output("energy", 0.5 * (P::j1 * w1 * w1 + P::j2 * w2 * w2), "J");
  const ModeId apart = m.mode("apart"), engaged = m.mode("engaged");
  m.equation(apart, "no torque", tc == 0.0);
  m.equation(engaged, "one speed", w1 == w2);
  TransitionOptions o{.conserved = {"momentum"}};
  if (jump == ClutchJump::equations) {
    o.free = {w1, w2};
    o.equations = {P::j1 * w1 + P::j2 * w2 == P::j1 * pre(w1) + P::j2 * pre(w2)};
  } else if (jump == ClutchJump::map) {
    Expr common = (P::j1 * w1 + P::j2 * w2) / (P::j1 + P::j2);
    o.maps = {{w1, common}, {w2, common}};
  }
  w.transition("engage", apart, {engaged}, w1 > P::engages_at, o);
}

inline ModeProblem clutch(ClutchJump jump = ClutchJump::impulse) {
  using P = Clutch;
  using std::exp;
  ModeProblem p{.name = "clutch",
                .write = [jump](ModeWriter& w) { write_clutch(w, jump); },
                .t_end = P::t_end,
                .first_mode = "apart"};
  const long double t = (P::engages_at - P::w1) * P::j1 / P::torque;
  const long double w2 = P::w2 * exp(-t * P::damping / P::j2);
  const long double common = (P::j1 * P::engages_at + P::j2 * w2) / (P::j1 + P::j2);
  const long double limit = static_cast<long double>(P::torque) / P::damping;
  const long double after =
      limit + (common - limit) * exp(-(P::t_end - t) * P::damping / (P::j1 + P::j2));
  const double common_speed = static_cast<double>(common), last = static_cast<double>(after);
  p.events = {
      {static_cast<double>(t), "apart", "engaged", {{"w1", common_speed}, {"w2", common_speed}}}};
  // The others tell where the speeds go, and not how.
  if (jump == ClutchJump::impulse) {
    p.events[0].impulses = {{"T", P::j1 * (P::engages_at - common_speed)}};
  }
  p.final_values = {{"w1", last}, {"w2", last}};
  return p;
}

}  // namespace saltus::problems
