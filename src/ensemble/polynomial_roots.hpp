// Where polynomials on [0, 1] are zero.
#pragma once

#include <span>
#include <vector>

namespace saltus::detail {

/// All places in (0, 1) where sum_k c_k s^k changes its sign, or may do so as far as rounding lets one see; in order.
std::vector<double> polynomial_roots(std::span<const double> coefficients);

}  // namespace saltus::detail
