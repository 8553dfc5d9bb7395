// A ball bounces ever faster until it lies on its floor; the floor falls away, faster than the ball can, and
// the ball is free again.
//
// Impacts accumulate at t_1 (1 + e)/(1 - e) with t_1 = sqrt(2 h/g). While the ball lies there its height is a
// constraint and the force of contact its multiplier (index 3); the force would have to be negative to hold
// it on a floor that accelerates downward by more than g.
#pragma once

#include <cmath>

#include "problems/mode_problem.hpp"

namespace saltus::problems {

struct RestingBall {
  static constexpr double g = 9.81, e = 0.5, h = 1.0;
  static constexpr double falls_at = 2.0, fall = 20.0, t_end = 2.5;
  static long double impact(int n) {
    const long double r = e, first = std::sqrt(2.0L * h / g);
    return first * (1 + r - 2 * std::pow(r, static_cast<long double>(n))) / (1 - r);
  }
  /// Right after impact n.
  static long double speed(int n) {
    return std::pow(static_cast<long double>(e), static_cast<long double>(n)) *
           std::sqrt(2.0L * g * h);
  }
  static long double rest() { return std::sqrt(2.0L * h / g) * (1 + e) / (1 - e); }
};

inline void write_resting_ball(ModeWriter& w) {
  using P = RestingBall;
  Model& m = w.m;
  Expr h = w.state("h", P::h, {.derivative_start = 0.0, .unit = "m"});
  Expr contact = w.algebraic("contact", {.unit = "N/kg"});
  Expr since = m.time() - P::falls_at;
  const auto if_falling = [&](const Expr& then) {
    return w.choose("falling", m.time() > P::falls_at, then, Expr(0.0));
  };
  Expr floor = if_falling(-0.5 * P::fall * since * since);
  Expr floor_speed = if_falling(-P::fall * since);
  m.output("gap", h - floor, "m");
  const ModeId flies = m.mode("flies"), rests = m.mode("rests");
  m.equation(flies, "ball", der(der(h)) == -P::g);
  m.equation(rests, "ball", der(der(h)) == contact - P::g);
  m.equation(rests, "floor", h == floor);
  const Cond touches = h < floor;
  w.when("bounce", touches, {{der(h), floor_speed - P::e * (der(h) - floor_speed)}});
  w.transition("comes to rest", flies, {rests}, touches, {.at_accumulation = true});
  w.transition("loses the floor", rests, {flies}, contact < 0.0);
}

/// With as many impacts for the oracle as a run has had.
inline ModeProblem resting_ball(int n_impacts = 10) {
  using P = RestingBall;
  ModeProblem p{.name = "resting ball",
                .write = &write_resting_ball,
                .t_end = P::t_end,
                .first_mode = "flies"};
  for (int n = 1; n <= n_impacts; ++n) {
    p.events.push_back({static_cast<double>(P::impact(n)),
                        "flies",
                        "flies",
                        {{"h", 0.0}, {"der(h)", static_cast<double>(P::speed(n))}}});
  }
  p.events.push_back(
      {static_cast<double>(P::rest()), "flies", "rests", {{"h", 0.0}, {"der(h)", 0.0}}});
  p.events.push_back({P::falls_at, "rests", "flies"});
  p.missed_by = [n_impacts](std::size_t k, const NamedState& x) {
    return k < static_cast<std::size_t>(n_impacts) ? x.at("h") / x.at("der(h)") : 0.0;
  };
  const double s = P::t_end - P::falls_at;
  p.final_values = {{"h", -0.5 * P::g * s * s}, {"gap", 0.5 * (P::fall - P::g) * s * s}};
  p.choices = {{"falling", {0}}};
  p.switch_at = [last = p.events.size() - 1](std::size_t k, Choices& c) {
    c["falling"] = {k == last ? 1.0 : 0.0};
  };
  return p;
}

}  // namespace saltus::problems
