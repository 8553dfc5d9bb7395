// A ball that loses a fifth of its speed at each impact. Impacts accumulate: impact n is at
// t_1 (1 + e - 2 e^n)/(1 - e) with t_1 = sqrt(2 h/g), and none is after t_1 (1 + e)/(1 - e).
#pragma once

#include "problems/switched_problem.hpp"

namespace saltus::problems {

struct BouncingBall {
  static constexpr double g = 9.81, e = 0.8, h = 10.0;
  static constexpr double accumulation = 12.8505881063435802027055216898;
  static double impact(int n) {
    const long double r = 0.8L, first = std::sqrt(2.0L * 10.0L / 9.81L);
    return static_cast<double>(first * (1 + r - 2 * std::pow(r, static_cast<long double>(n))) /
                               (1 - r));
  }
};

inline void write_bouncing_ball(ModelWriter& w) {
  Expr h = w.m.state("h", BouncingBall::h), v = w.m.state("v", 0.0);
  w.m.equation("h", der(h) == v);
  w.m.equation("v", der(v) == -BouncingBall::g);
  w.when("bounce", h < 0.0, {{v, -BouncingBall::e * pre(v)}});
}

/// To a time after seven impacts.
inline SwitchedProblem bouncing_ball() {
  SwitchedProblem p{.name = "bouncing ball", .write = &write_bouncing_ball, .t_end = 10.0};
  for (int n = 1; n <= 7; ++n) p.events.push_back({BouncingBall::impact(n), "bounce", -1});
  p.final_values = {{"h", 0.3210106037216826555289906804}, {"v", 1.526675869255368265552899068}};
  p.file = "bouncing_ball_zeno.json";
  p.jump_at = [](std::size_t, NamedState& x) { x["v"] *= -BouncingBall::e; };
  return p;
}

}  // namespace saltus::problems
