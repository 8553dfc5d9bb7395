// Two relaxations and a surface of the third degree that is crossed three times (DSL48SE, equation 4).
#pragma once

#include "problems/switched_problem.hpp"

namespace saltus::problems {

inline void write_small_hybrid(ModelWriter& w) {
  Expr x = w.m.state("x", 0.0), p = w.m.parameter("p", 2.9);
  w.m.equation("x", der(x) == w.choose("below", x * x * x - 5.0 * x * x + 7.0 * x <= p, 4.0 - x,
                                       10.0 - 2.0 * x));
}

inline SwitchedProblem small_hybrid() {
  SwitchedProblem p{.name = "small hybrid", .write = &write_small_hybrid, .t_end = 2.0};
  p.events = {{0.219215922289803554450709406448, "below", +1},
              {0.275812591473483792511166343796, "below", -1},
              {1.26634784179607163390594777519, "below", +1}};
  p.final_values = {{"x", 4.53299333688061462518741265070}};
  p.file = "dsl48se_small_hybrid.json";
  p.choices = {{"below", {1}}};
  p.switch_at = [](std::size_t k, Choices& c) { c["below"] = {k == 1 ? 1.0 : 0.0}; };
  return p;
}

}  // namespace saltus::problems
