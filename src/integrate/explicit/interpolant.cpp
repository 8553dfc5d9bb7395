#include "integrate/explicit/interpolant.hpp"

namespace saltus::detail {

// The basis of tableau.hpp in powers of s, one column per F:
//
//        F0  F1  F2  F3  F4  F5  F6
//   s     1   1
//   s²       -1   1   1
//   s³           -1  -2   1   1
//   s⁴                1  -2  -3   1
//   s⁵                    1   3  -3
//   s⁶                       -1   3
//   s⁷                           -1
void to_powers(std::size_t n, int degree, const StepEnds& step, std::span<double> coefficients) {
  double* const c = coefficients.data();
  for (std::size_t i = 0; i < n; ++i) {
    const double f0 = step.x_right[i] - step.x_left[i];
    const double slope = step.h * step.f_left[i];
    const double f1 = slope - f0;
    const double f2 = f0 - step.h * step.f_right[i] - f1;
    const double f3 = degree >= 4 ? c[4 * n + i] : 0.0;
    const double f4 = degree >= 7 ? c[5 * n + i] : 0.0;
    const double f5 = degree >= 7 ? c[6 * n + i] : 0.0;
    const double f6 = degree >= 7 ? c[7 * n + i] : 0.0;
    c[i] = step.x_left[i];
    c[n + i] = slope;
    c[2 * n + i] = f2 - f1 + f3;
    c[3 * n + i] = f4 + f5 - f2 - 2.0 * f3;
    if (degree < 4) continue;
    c[4 * n + i] = f3 - 2.0 * f4 - 3.0 * f5 + f6;
    if (degree < 7) continue;
    c[5 * n + i] = f4 + 3.0 * (f5 - f6);
    c[6 * n + i] = 3.0 * f6 - f5;
    c[7 * n + i] = -f6;
  }
}

}  // namespace saltus::detail
