// Robertson's reaction of three species with the sum of concentrations as an algebraic equation:
// rates over nine decades, a solution that changes over sixteen decades of time.
#pragma once

#include "problems/smooth_problem.hpp"

namespace saltus::problems {

inline void write_robertson(Model& m) {
  Expr y1 = m.state("y1", 1.0), y2 = m.state("y2", 0.0);
  Expr y3 = m.algebraic("y3", {.guess = 0.0});
  Expr forward = 0.04 * y1 - 1e4 * y2 * y3;
  m.equation("y1", der(y1) == -forward);
  m.equation("y2", der(y2) == forward - 3e7 * y2 * y2);
  m.equation("sum", y1 + y2 + y3 == 1.0);
}

inline SmoothProblem robertson() {
  return {"Robertson",
          &write_robertson,
          {{40.0,
            {{"y1", 0.7158270687194050904744737},
             {"y2", 9.185534764557763903899e-06},
             {"y3", 0.2841637457458303517616223}}},
           {4e10,
            {{"y1", 5.208345176799239198771e-08},
             {"y2", 2.083338177925489034960e-13},
             {"y3", 0.9999999479163398981898154}}}},
          "robertson.json"};
}

}  // namespace saltus::problems
