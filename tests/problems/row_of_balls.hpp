// Five balls of diameter 1 in a row, each a gap away from the next; the first begins half a diameter off with velocity 1
// (Newton's cradle). Contacts are called "balls 1 and 2" and so on.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <saltus/saltus.hpp>

namespace saltus::problems {

inline std::string pair_of_balls(int first) {
  return "balls " + std::to_string(first) + " and " + std::to_string(first + 1);
}

inline void write_row_of_balls(Model& m, double gap) {
  std::vector<Expr> x, v, force = {0.0};  // force[i] pushes ball i from its left
  for (std::size_t i = 0; i < 5; ++i) {
    const std::string ball = std::to_string(i + 1);
    x.push_back(m.state("x" + ball, i == 0 ? -0.5 : static_cast<double>(i) * (1.0 + gap)));
    v.push_back(m.state("v" + ball, i == 0 ? 1.0 : 0.0));
    if (i > 0)
      force.push_back(m.unilateral(pair_of_balls(static_cast<int>(i)), x[i] - x[i - 1] - 1.0,
                                   {.restitution = 1.0}));
  }
  force.push_back(0.0);
  for (std::size_t i = 0; i < 5; ++i) {
    m.equation(der(x[i]) == v[i]);
    m.equation(der(v[i]) == force[i] - force[i + 1]);
  }
}

}  // namespace saltus::problems
