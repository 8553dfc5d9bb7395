// Units of equations, unknowns and time in which the coefficients of a system are of size one.
#pragma once

#include <cstdint>
#include <span>

#include <saltus/numerics/sparse.hpp>
#include <saltus/reduce/index_analysis.hpp>

namespace saltus::detail {

/// With these bounds, 200 for units, no product of factors leaves the range of doubles up to level 9:
/// 200 + 200 + 10 * 60 < 1022.
inline constexpr int largest_time_exponent = 60;

/// Curtis and Reid's least squares in logarithms, with the time scale h as one more unknown:
///   sum over A_ij != 0 of (log|A_ij| + r_i + c_j)^2
///   + sum over B_ij != 0 of (log|B_ij| + r_i + c_j - log h)^2  ->  min,
/// the solution of smallest norm, rounded to powers of two. Entries below 1e-14 of the largest of
/// their row and matrix are cancellation noise and do not count.
///
/// Factors that are no powers of two would round each entry by itself and destroy exact ranks.
ArrayScaling curtis_reid_scaling(const CscPattern& pattern, std::span<const double> a,
                                 std::span<const double> b);

/// The derivative of an equation by the derivative of an unknown of some order.
struct ScalingEntry {
  std::uint32_t row = 0, column = 0;
  int order = 0;
  double size = 0.0;
};

/// The same for entries by derivatives of any order:
///   sum of (log size + r_i + c_j - order log h)^2  ->  min.
ArrayScaling curtis_reid_scaling(std::size_t n_rows, std::size_t n_columns,
                                 std::span<const ScalingEntry> entries);

}  // namespace saltus::detail
