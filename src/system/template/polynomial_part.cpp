#include "system/template/polynomial_part.hpp"

#include <saltus/numerics/bernstein.hpp>

namespace saltus::detail {

void PolynomialPart::expand(const StepPolynomial& step, std::uint32_t unknown, Interval s) {
  const auto n = static_cast<std::size_t>(step.degree) + 1;
  about_a_.resize(n);
  for (std::size_t j = 0; j < n; ++j) {
    about_a_[j] = Interval(step.coefficient(static_cast<int>(j), unknown));
  }
  const Interval a(s.lo());
  length_ = Interval(s.hi()) - a;
  if (s.lo() == 0.0) return;
  // Synthetic division by s - a; the remainder of the k-th division is coefficient k.
  for (std::size_t k = 0; k + 1 < n; ++k) {
    for (std::size_t j = n - 1; j > k; --j) about_a_[j - 1] += a * about_a_[j];
  }
}

Interval PolynomialPart::coefficient(int k) {
  const auto first = static_cast<std::size_t>(k);
  if (first >= about_a_.size()) return Interval(0.0);
  // p^(k)(a + v)/k! = sum_m C(k + m, k) q_{k+m} v^m, scaled to v = length * u.
  bernstein_.resize(about_a_.size() - first);
  double binomial = 1.0;
  Interval power(1.0);
  for (std::size_t m = 0; m < bernstein_.size(); ++m) {
    bernstein_[m] = about_a_[first + m] * Interval(binomial) * power;
    power *= length_;
    binomial = binomial * static_cast<double>(first + m + 1) / static_cast<double>(m + 1);
  }
  const std::span<Interval> b(bernstein_);
  bernstein::power_to_bernstein(std::span<const Interval>(b), b);
  return bernstein::range(std::span<const Interval>(b));
}

}  // namespace saltus::detail
