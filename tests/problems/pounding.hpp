// Structural pounding (DISODE45, problem 2): a driven mass hits an obstacle with a force of Hertz and
// Jankowski that damps while it approaches. The force has a singularity of order 1/4 where contact begins,
// and its square roots are not defined outside of contact: a frozen contact cannot be left by a step.
#pragma once

#include "problems/switched_problem.hpp"

namespace saltus::problems {

inline void write_pounding(ModelWriter& w) {
  Expr y = w.m.state("y", 0.0, {.nominal = w.nominal(0.01)}),
       v = w.m.state("v", 0.0, {.nominal = w.nominal(0.1)});
  const double c = 2.47e6;
  // An oracle that ends a stretch at the true time may miss the surface by its error: it goes on there.
  Expr depth = w.is_frozen() ? abs(y - 0.005, Tracking::untracked) : y - 0.005;
  Expr elastic = c * depth * sqrt(depth);
  Expr loading = elastic + 1.98 * sqrt(2.0 * c * sqrt(depth)) * v;
  Expr contact = w.choose("approach", v > 0.0, loading, elastic);
  Expr u = w.choose("contact", y > 0.005, contact, 0.0);
  w.m.equation("y", der(y) == v);
  w.m.equation("v", 2.0 * der(v) == -4.1 * v - 210.125 * y - u - 2.0 * sin(14.0 * w.m.time()));
}

inline SwitchedProblem pounding() {
  SwitchedProblem p{.name = "pounding", .write = &write_pounding, .t_end = 3.0};
  constexpr double times[] = {
      0.40066475613370347999311812, 0.40709379353881193617229105, 0.41724572874222971426589728,
      0.83848436755471810865727866, 0.84463855870560227183732808, 0.85438992141131981045338095,
      1.2818765717948855085728155,  1.2880468407964794465932737,  1.2978366666970029864003588,
      1.7307494406860061491081760,  1.7369384114013884090076091,  1.7467581801639853686682356,
      2.1799041341631572565579302,  2.1860935522602174250145077,  2.1959132038853792020839481,
      2.6287209257815976613562989,  2.6349091857247678819704255,  2.6447269314784875385916377};
  for (std::size_t k = 0; k < std::size(times); ++k) {
    p.events.push_back({times[k], k % 3 == 1 ? "approach" : "contact", k % 3 == 0 ? +1 : -1});
  }
  p.final_values = {{"y", -0.0092625198214956399881819317}, {"v", 0.14009843612182288617369359}};
  p.file = "disode_p2_pounding.json";
  p.choices = {{"contact", {0}}, {"approach", {1}}};
  p.switch_at = [](std::size_t k, Choices& c) {
    c["contact"] = {k % 3 == 2 ? 0.0 : 1.0};
    c["approach"] = {k % 3 == 0 ? 1.0 : 0.0};
  };
  return p;
}

}  // namespace saltus::problems
