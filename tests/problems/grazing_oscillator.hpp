// An oscillator x = a sin t beside a stop at x = 1, which throws it back with a part e of its speed. For a > 1
// it hits at t1 = asin(1/a) with the speed v1 = sqrt(a^2 - 1), and goes on as x = cos s - e v1 sin s, s = t - t1. Derivatives
// grow beyond all bounds for a -> 1 from above; from below there is no contact.
#pragma once

#include <cmath>

#include "problems/sensitive_problem.hpp"

namespace saltus::problems {

struct GrazingOscillator {
  static constexpr double e = 0.8, t_end = 2.5;

  static double derivative(double a) {
    if (a < 1) return std::sin(t_end);
    const double v1 = std::sqrt((a - 1) * (a + 1)), s = t_end - std::asin(1 / a);
    const double of_t1 = -1 / (a * v1), of_v1 = a / v1;
    return std::sin(s) * of_t1 - e * of_v1 * std::sin(s) + e * v1 * std::cos(s) * of_t1;
  }
};

inline SensitiveProblem grazing_oscillator(double amplitude) {
  SensitiveProblem p{.name = "oscillator beside a stop", .parameters = {{"v", amplitude}}};
  p.write = [](Model& m, std::span<const double> at) {
    const Expr x = m.state("x", 0.0), v = m.state("v", at[0]);
    m.equation(der(x) == v);
    m.equation(der(v) == -x);
    m.when("stop", x > 1.0, {{v, -GrazingOscillator::e * pre(v)}});
  };
  p.t_end = GrazingOscillator::t_end;
  p.variables = {"x"};
  return p;
}

/// All amplitudes 1 +- 10^-k on one engine.
struct GrazingSweep {
  std::size_t n_given = 0, n_refused = 0;
  double nearest_given = 1.0, farthest_refused = 0.0;  // |a - 1| in tolerances
  double worst = 0.0;                                  // relative error of those given
  double conditioned =
      0.0;  // the same times |a - 1|, in tolerances: an error of x changes a by as much
  std::size_t n_unnamed = 0;  // refused without naming the stop
};

inline GrazingSweep sweep_grazing(EngineKind engine, double tolerance) {
  GrazingSweep sweep;
  sweep.nearest_given = no_error_known;
  for (const double side : {-1.0, 1.0}) {
    for (int k = 1; k <= 14; ++k) {
      const double a = 1 + side * std::pow(10.0, -k), distance = std::abs(a - 1) / tolerance;
      const Solution s = with_derivatives(grazing_oscillator(a), engine, tolerance);
      if (const auto& ends = s.sensitivities.ends()) {
        ++sweep.n_refused;
        sweep.farthest_refused = std::max(sweep.farthest_refused, distance);
        if (ends->why.find("x > 1") == std::string::npos) ++sweep.n_unnamed;
        continue;
      }
      ++sweep.n_given;
      sweep.nearest_given = std::min(sweep.nearest_given, distance);
      const double found = s.sensitivity("x", "v", GrazingOscillator::t_end, Side::left);
      const double error = std::abs(found / GrazingOscillator::derivative(a) - 1);
      sweep.worst = std::max(sweep.worst, error);
      sweep.conditioned = std::max(sweep.conditioned, error * distance);
    }
  }
  return sweep;
}

}  // namespace saltus::problems
