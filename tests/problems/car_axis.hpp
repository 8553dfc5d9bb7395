// An axle on two springs, whose right wheel runs over a bumpy road: index 3, second order (test set for IVP
// solvers, Mazzia and Magherini, "car axis").
#pragma once

#include "problems/mechanism.hpp"

namespace saltus::problems {

inline void write_car_axis(Model& m) {
  const double k = 10 * 0.01 * 0.01 / 2, rest = 0.5, gravity = 1.0;
  Expr yb = 0.1 * sin(10.0 * m.time()), xb = sqrt(1.0 - yb * yb);
  Expr xl = m.state("xl", 0.0, {.derivative_start = -0.5});
  Expr yl = m.state("yl", 0.5, {.derivative_start = 0.0});
  Expr xr = m.state("xr", 1.0, {.derivative_start = -0.5});
  Expr yr = m.state("yr", 0.5, {.derivative_start = 0.0});
  Expr l1 = m.algebraic("lambda1"), l2 = m.algebraic("lambda2");
  Expr left = sqrt(xl * xl + yl * yl);
  Expr right = sqrt((xr - xb) * (xr - xb) + (yr - yb) * (yr - yb));
  Expr pull_left = (rest - left) / left, pull_right = (rest - right) / right;
  Expr dx = xl - xr, dy = yl - yr;
  m.equation("motion of xl", k * der(xl, 2) == pull_left * xl + l1 * xb + 2.0 * l2 * dx);
  m.equation("motion of yl",
             k * der(yl, 2) == pull_left * yl + l1 * yb + 2.0 * l2 * dy - k * gravity);
  m.equation("motion of xr", k * der(xr, 2) == pull_right * (xr - xb) - 2.0 * l2 * dx);
  m.equation("motion of yr",
             k * der(yr, 2) == pull_right * (yr - yb) - 2.0 * l2 * dy - k * gravity);
  write_constraint(m, "axle", xl * xb + yl * yb, {1.0, 1.0, 100.0});
  write_constraint(m, "bar", dx * dx + dy * dy - 1.0, {1.0, 1.0, 100.0});

  const char* const names[] = {"xl", "yl", "xr", "yr"};
  const Expr q[] = {xl, yl, xr, yr};
  Expr twice_kinetic = 0.0;
  for (std::size_t i = 0; i < 4; ++i) {
    m.output(std::string("v_") + names[i], der(q[i]));
    twice_kinetic += k * der(q[i]) * der(q[i]);
  }
  // Per spring constant. The road does work.
  m.output("energy",
           0.5 * (twice_kinetic + (left - rest) * (left - rest) + (right - rest) * (right - rest)) +
               k * gravity * (yl + yr));
}

inline Mechanism car_axis() {
  return {"car axis",
          &write_car_axis,
          3.0,
          {{"xl", 0.049345578427524092131526793},
           {"yl", 0.49698946023000810676293397},
           {"xr", 1.0417425248854261151947762},
           {"yr", 0.37391102726536581935789770},
           {"v_xl", -0.077058368403592084283940557},
           {"v_yl", 0.0074468665920684164914017591},
           {"v_xr", 0.017556815753541736629740614},
           {"v_yr", 0.77034104377960106312064278},
           {"lambda1", -0.0047368865908533265153134760},
           {"lambda2", -0.0011046803312595658398606007}},
          "ivp_car_axis.json"};
}

}  // namespace saltus::problems
