// An oscillator that feels a constant push while it is above a surface that moves like a sine. Between two
// events its motion is a sine around 0 or around -push; the events are zeros of sums of two sines, found
// here on the closed solution in long double (bracketed on a fine grid, then bisected).
#pragma once

#include "problems/switched_problem.hpp"

namespace saltus::problems {

struct MovingSurface {
  static constexpr double amplitude = 0.5, frequency = 2.3, push = 0.4, t_end = 12.0;
};

inline void write_moving_surface(ModelWriter& w) {
  using S = MovingSurface;
  Expr x = w.m.state("x", 1.0), v = w.m.state("v", 0.0);
  w.m.equation("x", der(x) == v);
  w.m.equation("v",
               der(v) == -x - w.choose("above", x > S::amplitude * sin(S::frequency * w.m.time()),
                                       S::push, 0.0));
}

inline SwitchedProblem moving_surface() {
  using S = MovingSurface;
  SwitchedProblem p{.name = "moving surface", .write = &write_moving_surface, .t_end = S::t_end};
  const long double end = S::t_end, push = S::push, amplitude = S::amplitude, w = S::frequency;
  long double t0 = 0.0L, x0 = 1.0L, v0 = 0.0L;
  bool above = true;
  const auto x_at = [&](long double t) {
    const long double c = above ? -push : 0.0L;
    return c + (x0 - c) * std::cos(t - t0) + v0 * std::sin(t - t0);
  };
  const auto v_at = [&](long double t) {
    const long double c = above ? -push : 0.0L;
    return -(x0 - c) * std::sin(t - t0) + v0 * std::cos(t - t0);
  };
  const auto left = [&](long double t) {  // the side that is locked
    return (x_at(t) > amplitude * std::sin(w * t)) != above;
  };
  const long double step = end / 65536;
  for (long double t = t0 + step; t <= end; t += step) {
    if (!left(t)) continue;
    long double a = std::max(t - step, t0), b = t;
    for (int i = 0; i < 80; ++i) (left((a + b) / 2) ? b : a) = (a + b) / 2;
    const long double x = x_at(b), v = v_at(b);
    above = !above;
    t0 = b, x0 = x, v0 = v;
    p.events.push_back({static_cast<double>(b), "above", above ? +1 : -1});
  }
  p.final_values = {{"x", static_cast<double>(x_at(end))}, {"v", static_cast<double>(v_at(end))}};
  p.choices = {{"above", {1}}};
  p.switch_at = [list = p.events](std::size_t k, Choices& c) {
    c["above"] = {list[k].direction > 0 ? 1.0 : 0.0};
  };
  return p;
}

}  // namespace saltus::problems
