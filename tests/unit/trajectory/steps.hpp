// Steps written by hand.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include <saltus/system/step_polynomial.hpp>

namespace saltus::test {

inline std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

/// Coefficients of power 0 first. Refers to them.
inline StepPolynomial polynomial(double t_left, double t_right,
                                 const std::vector<double>& coefficients, std::uint32_t n = 1) {
  return {t_left, t_right, static_cast<int>(coefficients.size() / n) - 1, n, coefficients};
}

}  // namespace saltus::test
