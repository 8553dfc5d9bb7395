// Models written with second derivatives: the examples of chapter 3 of Wunderlich's thesis.
#pragma once

#include <array>

#include <saltus/model.hpp>

namespace saltus::problems {

/// Example 3.1: x2 = f1 - f2' - f2''.
inline void write_example_3_1(Model& m) {
  Expr x1 = m.state("x1", 0.2), x2 = m.algebraic("x2", {.guess = 0.1});
  m.equation(der(x1, 2) + der(x1) + x2 == cos(m.time()));
  m.equation(x1 == sin(2.0 * m.time()));
}

/// The same with the derivative of x2 as an unknown, which nothing needs.
inline void write_companion_3_1(Model& m) {
  Expr v1 = m.state("v1", 0.3), v2 = m.state("v2", 0.4);
  Expr x1 = m.state("x1", 0.2), x2 = m.state("x2", 0.1);
  m.equation(der(x1) == v1);
  m.equation(der(x2) == v2);
  m.equation(der(v1) + v1 + x2 == cos(m.time()));
  m.equation(x1 == sin(2.0 * m.time()));
}

/// Example 3.2: e1 x'' + e2 x' + e3 x = e4 f(t) with all e of the size of machine precision.
inline void write_example_3_2(Model& m, const std::array<double, 4>& e) {
  Expr x = m.state("x", 0.5);
  Expr e1 = m.parameter("e1", e[0]), e2 = m.parameter("e2", e[1]), e3 = m.parameter("e3", e[2]),
       e4 = m.parameter("e4", e[3]);
  m.equation(e1 * der(x, 2) + e2 * der(x) + e3 * x == e4 * sin(m.time()));
}

/// Example 3.23, eq. (3.33), for t > 0. With both second derivatives as written, x2' and x3' are
/// unknowns: the companion form of Example 3.33.
inline void write_example_3_23(Model& m) {
  const Expr t = m.time();
  Expr x1 = m.state("x1", 0.2), x2 = m.state("x2", 0.1), x3 = m.state("x3", -0.3);
  m.equation(t * der(x1, 2) + der(x1) + x1 == sin(t));
  m.equation(der(x2, 2) + der(x3, 2) + x2 == cos(t));
  m.equation(t * der(x2, 2) + t * der(x3, 2) + (1.0 + t) * x2 + x3 == sin(2.0 * t));
}

/// Only the sum of x2 and x3 has a second derivative: the trimmed form.
inline void write_trimmed_3_23(Model& m) {
  const Expr t = m.time();
  Expr x1 = m.state("x1", 0.2), sum = m.state("sum", -0.2), x2 = m.algebraic("x2", {.guess = 0.1});
  m.equation(t * der(x1, 2) + der(x1) + x1 == sin(t));
  m.equation(der(sum, 2) + x2 == cos(t));
  m.equation(t * der(sum, 2) + t * x2 + sum == sin(2.0 * t));
}

/// Example 3.32, eq. (3.56).
inline void write_example_3_32(Model& m) {
  Expr x1 = m.state("x1", 0.7), x2 = m.algebraic("x2", {.guess = 0.8}), x3 = m.state("x3", 0.9);
  m.equation(der(x1, 2) == x1 * x2);
  m.equation(x1 * der(x3) == x2 - 1.0);
  m.equation(x3 == 1.0);
}

/// The pendulum as mechanics writes it: the multiplier gets no derivative.
inline void write_second_order_pendulum(Model& m) {
  Expr x = m.state("x", 0.8), y = m.state("y", -0.6);
  Expr force = m.algebraic("force", {.guess = 1.0});
  m.equation(der(x, 2) == -force * x);
  m.equation(der(y, 2) == -force * y - 9.81);
  m.equation("length", x * x + y * y == 1.0);
}

}  // namespace saltus::problems
