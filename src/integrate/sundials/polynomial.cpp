#include "integrate/sundials/polynomial.hpp"

namespace saltus::detail::sundials {

void derivatives_to_coefficients(std::span<double> rows, int degree, std::size_t n, double h) {
  // Taylor: with u = (t - t_right)/h the coefficient of u^k is x^(k) h^k / k!.
  double factor = 1.0;
  for (int k = 1; k <= degree; ++k) {
    factor *= h / k;
    double* row = rows.data() + static_cast<std::size_t>(k) * n;
    for (std::size_t i = 0; i < n; ++i) row[i] *= factor;
  }
  // u = s - 1: repeated synthetic division (Horner) shifts the centre to the left end.
  for (int first = 0; first < degree; ++first) {
    for (int k = degree - 1; k >= first; --k) {
      double* row = rows.data() + static_cast<std::size_t>(k) * n;
      const double* above = row + n;
      for (std::size_t i = 0; i < n; ++i) row[i] -= above[i];
    }
  }
}

void restrict_to_fraction(std::span<double> rows, int degree, std::size_t n, double fraction) {
  double factor = 1.0;
  for (int k = 1; k <= degree; ++k) {
    factor *= fraction;
    double* row = rows.data() + static_cast<std::size_t>(k) * n;
    for (std::size_t i = 0; i < n; ++i) row[i] *= factor;
  }
}

}  // namespace saltus::detail::sundials
