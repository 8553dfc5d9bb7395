// Item 6: optimal switching by gradients.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "problems/switched_lq.hpp"
#include "sensitivity/sensitivity.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

bool show_switching_times(int item) {
  using problems::SwitchedLq;
  const SwitchedLq at_times = SwitchedLq::at_times();
  const auto free = at_times.optimum({0.9, 2.4, -2.2, -0.3});
  const auto missed = at_times.conditions(free);
  // the same with the first switch at a surface beside the best place
  const double x1 = simulate(at_times.model(free), SwitchedLq::options()).at("x1", free[0]);
  const SwitchedLq at_surface = SwitchedLq::at_surface(x1 + 0.1);
  const auto held = at_surface.optimum({0.0, free[1], free[2], free[3]});
  const auto missed_there = at_surface.conditions(held);
  auto beside = free;
  beside[0] += 0.01;

  const double bound = 1e-5;
  Item line(item);
  line.at_most("conditions at the optimum of two switching times missed by: costate",
               std::max(missed.costate, missed.end), bound);
  line.at_most("jump of E'lambda", missed.jump, bound);
  line.at_most("of H", missed.hamiltonian, bound);
  line.at_most("with a surface", missed_there.worst(), bound);
  char text[96];
  std::snprintf(text, sizeof text, "its eta %.3f, H 0.01 s beside the optimum missed by %.2g",
                held[0], at_times.conditions(beside).hamiltonian);
  line.note(text);
  return line.print();
}

}  // namespace saltus::bench
