// The continuous extension of an explicit step in powers of s.
#pragma once

#include <cstddef>
#include <span>

namespace saltus::detail {

/// One step from x_left to x_right: both ends with their derivatives.
struct StepEnds {
  const double* x_left;
  const double* f_left;
  const double* x_right;
  const double* f_right;
  double h;
};

/// Rows 4 … degree of `coefficients` (row k at k n) hold F3, F4, … of tableau.hpp; on return all rows
/// hold the coefficients of s^k. Degree 3, 4 or 7; of degree 3 is the cubic through both ends.
void to_powers(std::size_t n, int degree, const StepEnds& step, std::span<double> coefficients);

}  // namespace saltus::detail
