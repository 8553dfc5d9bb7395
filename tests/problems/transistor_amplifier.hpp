// Two transistor stages that amplify a sine: eight voltages, index 1, with a singular matrix in front
// of the derivatives (test set for IVP solvers, Mazzia and Magherini). No unknown is without its
// derivative, three combinations of the equations are.
#pragma once

#include <numbers>

#include "problems/smooth_problem.hpp"

namespace saltus::problems {

inline void write_transistor_amplifier(Model& m) {
  Expr u_b = m.parameter("U_b", 6.0), u_f = m.parameter("U_F", 0.026);
  Expr alpha = m.parameter("alpha", 0.99), beta = m.parameter("beta", 1e-6);
  Expr r_0 = m.parameter("R_0", 1000.0), r = m.parameter("R", 9000.0);
  Expr c = m.parameter("C", 1e-6);
  const double starts[] = {0.0, 3.0, 3.0, 6.0, 3.0, 3.0, 6.0, 0.0};
  std::vector<Expr> y;
  for (int k = 0; k < 8; ++k) y.push_back(m.state("y" + std::to_string(k + 1), starts[k]));
  Expr u_e = 0.1 * sin(200.0 * std::numbers::pi * m.time());
  const auto h = [&](const Expr& x) { return beta * (exp(x / u_f) - 1.0); };
  const auto charge = [&](double k, std::size_t a, std::size_t b) {
    return k * c * (der(y[b]) - der(y[a]));
  };
  Expr first = h(y[1] - y[2]), second = h(y[4] - y[5]);
  m.equation("node 1", charge(1, 0, 1) == (y[0] - u_e) / r_0);
  m.equation("node 2", charge(1, 1, 0) == y[1] / r + (y[1] - u_b) / r + (1.0 - alpha) * first);
  m.equation("node 3", -2.0 * c * der(y[2]) == y[2] / r - first);
  m.equation("node 4", charge(3, 3, 4) == (y[3] - u_b) / r + alpha * first);
  m.equation("node 5", charge(3, 4, 3) == y[4] / r + (y[4] - u_b) / r + (1.0 - alpha) * second);
  m.equation("node 6", -4.0 * c * der(y[5]) == y[5] / r - second);
  m.equation("node 7", charge(5, 6, 7) == (y[6] - u_b) / r + alpha * second);
  m.equation("node 8", charge(5, 7, 6) == y[7] / r);
}

inline SmoothProblem transistor_amplifier() {
  return {"transistor amplifier",
          &write_transistor_amplifier,
          {{0.2,
            {{"y1", -0.0055621450122622744445148205},
             {"y2", 3.0065224719030426673359662},
             {"y3", 2.8499587886081285073925017},
             {"y4", 2.9264225362062415089937831},
             {"y5", 2.7046178650105545906995635},
             {"y6", 2.7618377783931440544818429},
             {"y7", 4.7709276316167721558031853},
             {"y8", 1.2369958680915475496936911}}}},
          "transistor_amplifier.json"};
}

}  // namespace saltus::problems
