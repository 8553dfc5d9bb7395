// A condition on an acceleration: z counts how long der(v) is above 1/2 on the way of an oscillator. With
// x = cos t it is -cos t, so the condition holds for cos t < -1/2. Times come from the model's own
// derivatives; the slope of an interpolant would be one order less accurate.
#pragma once

#include <numbers>

#include "problems/switched_problem.hpp"

namespace saltus::problems {

inline void write_derivative_guard(ModelWriter& w) {
  Expr x = w.m.state("x", 1.0), v = w.m.state("v", 0.0), z = w.m.state("z", 0.0);
  w.m.equation("x", der(x) == v);
  w.m.equation("v", der(v) == -x);
  w.m.equation("z", der(z) == w.choose("pushed", der(v) > 0.5, 1.0 + z, -z));
}

inline SwitchedProblem derivative_guard() {
  SwitchedProblem p{.name = "derivative guard", .write = &write_derivative_guard, .t_end = 12.0};
  const long double third = 2 * std::acos(-1.0L) / 3;
  long double z = 0.0L, last = 0.0L;
  bool grows = false;
  for (const int thirds : {1, 2, 4, 5}) {
    const long double t = third * thirds;
    z = grows ? (1 + z) * std::exp(t - last) - 1 : z * std::exp(last - t);
    grows = !grows;
    last = t;
    p.events.push_back({static_cast<double>(t), "pushed", grows ? +1 : -1});
  }
  p.final_values = {{"x", static_cast<double>(std::cos(12.0L))},
                    {"v", static_cast<double>(-std::sin(12.0L))},
                    {"z", static_cast<double>(z * std::exp(last - 12.0L))}};
  p.choices = {{"pushed", {0}}};
  p.switch_at = [](std::size_t k, Choices& c) { c["pushed"] = {k % 2 == 0 ? 1.0 : 0.0}; };
  return p;
}

}  // namespace saltus::problems
