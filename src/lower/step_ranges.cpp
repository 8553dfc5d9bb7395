#include "lower/step_ranges.hpp"

#include <saltus/numerics/bernstein.hpp>

namespace saltus::detail {

void StepRanges::shift(Interval s) {
  length_ = Interval(s.hi()) - Interval(s.lo());
  if (s.lo() == 0.0) return;
  // Horner's scheme, repeated: after pass k the coefficients 0 … k are final.
  const Interval a(s.lo());
  const std::size_t n = c_.size();
  for (std::size_t k = 0; k + 1 < n; ++k) {
    for (std::size_t j = n - 1; j-- > k;) c_[j] += a * c_[j + 1];
  }
}

Interval StepRanges::coefficient(int k) {
  const auto first = static_cast<std::size_t>(k);
  if (first >= c_.size()) return Interval(0.0);
  const std::size_t degree = c_.size() - 1 - first;
  bernstein_.resize(degree + 1);
  double binomial = 1.0;  // C(k + m, k), exact up to bernstein::max_degree
  Interval power(1.0);
  for (std::size_t m = 0; m <= degree; ++m) {
    bernstein_[m] = c_[first + m] * Interval(binomial) * power;
    power = power * length_;
    binomial = binomial * static_cast<double>(first + m + 1) / static_cast<double>(m + 1);
  }
  const std::span<Interval> b(bernstein_);
  bernstein::power_to_bernstein(std::span<const Interval>(b), b);
  return bernstein::range(std::span<const Interval>(b));
}

}  // namespace saltus::detail
