// Carver's circuit with two diodes as a template over its numbers (DSL48SE manual, section 5; M. B. Carver,
// Efficient integration over discontinuities, Math. Comp. Sim. 20 (1978) 190-196). Its three modes are
// chosen by plain conditions, one of which is not the mirror image of the other: mode 1 asks for
// x2 <= 0, mode 2 for x1 < 0.
#pragma once

#include <cmath>
#include <memory>
#include <numbers>
#include <span>

#include <saltus/system/template_system.hpp>

namespace saltus::problems {

struct CarverData {
  double a1 = 12.0, a2 = 0.24, a3 = 12.0, a4 = 0.24;
  double a5 = 13.64, a6 = -11.64, a7 = -50.0, a8 = 0.0;
  double a9 = -11.64, a10 = 13.64, a11 = 0.0, a12 = -50.0;
  double r3 = 10.0, l3 = 0.2;
};

struct CarverTemplate {
  CarverData p = {};

  template <class T>
  void operator()(const T& t, std::span<const T> y, std::span<const T> ydot, std::span<T> f) const {
    using std::cos;
    const T &x1 = y[0], &x2 = y[1], &x3 = y[2], &v1 = y[3], &v2 = y[4], &v3 = y[5], &z3 = y[6],
            &z4 = y[7];
    const T &x1dot = ydot[0], &x2dot = ydot[1];
    f[0] = x1 + x2 - x3;
    f[1] = p.r3 * (x1 + x2) + p.l3 * (x1dot + x2dot) - v3;
    f[2] = 100.0 * cos(100.0 * std::numbers::pi * t) - v1;
    f[3] = -v1 - v2;
    f[4] = v1 - v3 - z3;
    f[5] = v2 - v3 - z4;
    if ((x1 > 0 || v1 > v3) && (x2 <= 0 && v2 < v3)) {
      f[6] = (v1 - p.a1 * x1) / p.a2 - x1dot;
      f[7] = 0.0 - x2dot;
    } else if ((x2 > 0 || v2 > v3) && (x1 < 0 && v1 < v3)) {
      f[6] = x1dot - 0.0;
      f[7] = (v2 - p.a3 * x2) / p.a4 - x2dot;
    } else {
      f[6] = p.a5 * v1 + p.a6 * v2 + p.a7 * x1 + p.a8 * x2 - x1dot;
      f[7] = p.a9 * v1 + p.a10 * v2 + p.a11 * x1 + p.a12 * x2 - x2dot;
    }
  }
};

inline TemplateDescription carver_description() {
  const auto algebraic = [](const char* name, double start, double nominal) {
    return FunctionUnknown{.name = name, .start = start, .differential = false, .nominal = nominal};
  };
  return {.unknowns = {{"x1", 0.0},
                       {"x2", 0.0},
                       algebraic("x3", 0.0, 1.0),
                       algebraic("v1", 100.0, 100.0),
                       algebraic("v2", -100.0, 100.0),
                       algebraic("v3", 250.0 / 3.0, 100.0),
                       algebraic("z3", 50.0 / 3.0, 100.0),
                       algebraic("z4", -550.0 / 3.0, 100.0)},
          .equations = {"currents", "load", "source", "transformer", "upper drop", "lower drop",
                        "upper branch", "lower branch"}};
}

inline std::shared_ptr<const System> carver_template() {
  return make_template_system(carver_description(), CarverTemplate{});
}

}  // namespace saltus::problems
