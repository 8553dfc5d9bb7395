// A part of a step as a step of its own.
#pragma once

#include <cstddef>
#include <vector>

#include <saltus/system/step_polynomial.hpp>

namespace saltus::detail {

/// The same polynomial between two other times, in `storage`: x(s) with s = a + (b - a) u, by Horner's
/// scheme on polynomials of u.
inline StepPolynomial part_of(const StepPolynomial& step, double t_from, double t_to,
                              std::vector<double>& storage) {
  const auto n = static_cast<std::size_t>(step.n);
  const auto degree = static_cast<std::size_t>(step.degree);
  storage.assign((degree + 1) * n, 0.0);
  const double a = step.position_of(t_from);
  const double width = step.position_of(t_to) - a;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = degree + 1; k-- > 0;) {
      // p(u) <- p(u) (a + width u) + c_k
      for (std::size_t j = degree; j > 0; --j) {
        storage[j * n + i] = storage[j * n + i] * a + storage[(j - 1) * n + i] * width;
      }
      storage[i] = storage[i] * a + step.coefficients[k * n + i];
    }
  }
  return {t_from, t_to, step.degree, step.n, storage};
}

}  // namespace saltus::detail
