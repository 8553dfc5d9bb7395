// The step polynomial of a multistep method.
#pragma once

#include <cstddef>
#include <span>

namespace saltus::detail::sundials {

/// From derivatives at the right end of a step to the coefficients of StepPolynomial, in place.
/// rows holds degree + 1 rows of n numbers; row k is the k-th derivative by time at t_right, and
/// becomes the coefficient of s^k, s = (t - t_left)/h, h = t_right - t_left.
void derivatives_to_coefficients(std::span<double> rows, int degree, std::size_t n, double h);

/// The same polynomial on the first part of its step: s = fraction s_new.
void restrict_to_fraction(std::span<double> rows, int degree, std::size_t n, double fraction);

}  // namespace saltus::detail::sundials
