// Van der Pol's oscillator with two jumps of width 1e-6 (Hairer, Wanner: Solving Ordinary Differential
// Equations II, IV.10). The end values commonly quoted, 1.706167732170483 and -0.8928097010247975,
// are right to 13 digits.
#pragma once

#include "problems/smooth_problem.hpp"

namespace saltus::problems {

inline void write_van_der_pol(Model& m) {
  Expr y1 = m.state("y1", 2.0), y2 = m.state("y2", 0.0);
  Expr epsilon = m.parameter("epsilon", 1e-6);
  m.equation("y1", der(y1) == y2);
  m.equation("y2", der(y2) == ((1.0 - y1 * y1) * y2 - y1) / epsilon);
}

inline SmoothProblem van_der_pol() {
  return {"Van der Pol",
          &write_van_der_pol,
          {{2.0, {{"y1", 1.706167732170465008478}, {"y2", -0.892809701024816547778}}}},
          "van_der_pol.json"};
}

}  // namespace saltus::problems
