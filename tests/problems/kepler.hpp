// Two bodies: the orbit is an ellipse of eccentricity e, semi-major axis 1 and period 2 pi, entered at
// its pericentre. Closed solution: with E - e sin E = t,
//   x = cos E - e, y = sqrt(1 - e^2) sin E.
#pragma once

#include "problems/smooth_problem.hpp"

namespace saltus::problems {

constexpr double kepler_eccentricity = 0.5;

inline void write_kepler(Model& m) {
  const double e = kepler_eccentricity;
  Expr x = m.state("x", 1.0 - e), y = m.state("y", 0.0);
  Expr vx = m.state("vx", 0.0), vy = m.state("vy", std::sqrt((1.0 + e) / (1.0 - e)));
  Expr r2 = x * x + y * y;
  Expr r3 = r2 * sqrt(r2);
  m.equation("x", der(x) == vx);
  m.equation("y", der(y) == vy);
  m.equation("vx", der(vx) == -x / r3);
  m.equation("vy", der(vy) == -y / r3);
}

inline ReferencePoint kepler_at(double t) {
  const long double e = kepler_eccentricity, b = std::sqrt(1.0L - e * e);
  long double anomaly = t;
  for (int k = 0; k < 60; ++k) {  // Newton; far more often than it needs
    anomaly -= (anomaly - e * std::sin(anomaly) - t) / (1.0L - e * std::cos(anomaly));
  }
  const long double rate = 1.0L / (1.0L - e * std::cos(anomaly));
  return {t,
          {{"x", static_cast<double>(std::cos(anomaly) - e)},
           {"y", static_cast<double>(b * std::sin(anomaly))},
           {"vx", static_cast<double>(-std::sin(anomaly) * rate)},
           {"vy", static_cast<double>(b * std::cos(anomaly) * rate)}}};
}

inline SmoothProblem kepler() { return {"Kepler", &write_kepler, {kepler_at(16.0)}}; }

}  // namespace saltus::problems
