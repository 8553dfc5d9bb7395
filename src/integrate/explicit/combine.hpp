// The loops over unknowns of an explicit step.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "integrate/explicit/tableau.hpp"

namespace saltus::detail {

/// The nonzero entries of a row of a tableau.
class StageTerms {
 public:
  static constexpr int max_terms = 16;

  StageTerms() = default;
  explicit StageTerms(const ExplicitTableau::Row& row);

  int count() const { return count_; }
  int stage(int term) const { return stage_[static_cast<std::size_t>(term)]; }
  double weight(int term) const { return weight_[static_cast<std::size_t>(term)]; }

 private:
  int count_ = 0;
  std::array<int, max_terms> stage_{};
  std::array<double, max_terms> weight_{};
};

/// Derivatives at the stages, k[j] of length n each.
using StagePointers = std::span<double* const>;

/// out = x + h sum_j a_j k_j in one pass over the unknowns; out overlaps nothing.
void combine(std::size_t n, const double* x, double h, const StageTerms& terms, StagePointers k,
             double* out);

/// out = h sum_j a_j k_j.
void combine(std::size_t n, double h, const StageTerms& terms, StagePointers k, double* out);

/// Sums over i of ((sum_j e_j k_ji) w_i)² for one or two rows e, where
///   w_i = 1 / (rtol max(|x_left_i|, |x_right_i|) + atol_i).
/// The order of summation does not depend on anything but n.
std::array<double, 2> error_sums(std::size_t n, std::span<const StageTerms> rows, StagePointers k,
                                 const double* x_left, const double* x_right, double rtol,
                                 std::span<const double> atol);

/// sum_i (a_i - b_i)².
double squared_distance(std::size_t n, const double* a, const double* b);

}  // namespace saltus::detail
