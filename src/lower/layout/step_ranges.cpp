#include "lower/layout/step_ranges.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/numerics/bernstein.hpp>

namespace saltus::detail {

namespace {

constexpr double half_ulp_of_one = 0x1p-53;
// Sums of positive terms are computed with relative errors of far less than this.
constexpr double bound_margin = 1.0 + 0x1p-40;
// What underflow may add to a few hundred products.
constexpr double underflow_bound = 0x1p-1060;

// Binomial coefficients and their reciprocals up to the degrees that engines have; beyond, they are
// computed where they are needed.
constexpr std::size_t n_tabled = 16;

struct Binomials {
  double value[n_tabled][n_tabled] = {};
  double inverse[n_tabled][n_tabled] = {};
};

constexpr Binomials make_binomials() {
  Binomials b;
  for (std::size_t n = 0; n < n_tabled; ++n) {
    for (std::size_t k = 0; k <= n; ++k) {
      b.value[n][k] = k == 0 || k == n ? 1.0 : b.value[n - 1][k - 1] + b.value[n - 1][k];
      b.inverse[n][k] = 1.0 / b.value[n][k];
    }
  }
  return b;
}

constexpr Binomials binomials = make_binomials();

double choose(std::size_t n, std::size_t k) {
  if (n < n_tabled) return binomials.value[n][k];
  double c = 1.0;
  for (std::size_t j = 0; j < k; ++j) c = bernstein::detail::next_binomial(c, n, j);
  return c;
}

double inverse_of_choose(std::size_t n, std::size_t k) {
  return n < n_tabled ? binomials.inverse[n][k] : 1.0 / choose(n, k);
}

/// From c_m / C(degree, m) in b. bernstein::power_to_bernstein, of which degree + 2 roundings of `size` are the
/// bound; each term has met degree + 4 before.
Interval bernstein_range(std::size_t degree, double* b, double inherited, double size) {
  for (std::size_t k = 1; k <= degree; ++k) {
    for (std::size_t i = degree; i >= k; --i) b[i] += b[i - 1];
  }
  const auto roundings = static_cast<double>(2 * degree + 6);
  const double error = inherited + roundings * half_ulp_of_one * size + underflow_bound;
  double least = b[0], most = b[0];
  for (std::size_t i = 1; i <= degree; ++i) {
    least = std::min(least, b[i]);
    most = std::max(most, b[i]);
  }
  const double radius = error * bound_margin;
  return {add_down(least, -radius), add_up(most, radius)};
}

Interval around(double value, double error) {
  if (error == 0) return Interval(value);
  const double radius = error * bound_margin;
  return {add_down(value, -radius), add_up(value, radius)};
}

}  // namespace

/// Horner's scheme, repeated: after pass k the coefficients 0 … k are final, and after the one before the
/// last all are. At a point those that nobody asks for are left as they are.
void StepRanges::shift(Interval s) {
  while (c_.size() > 1 && c_.back() == 0) c_.pop_back();
  const std::size_t n = c_.size();
  a_ = s.lo();
  const bool is_exact = a_ == 0 || n == 1;
  error_.assign(n, is_exact ? 0.0 : underflow_bound);
  n_passes_ = is_exact ? n : 0;
  length_ = a_ == 0 ? s.hi() : s.is_point() ? 0.0 : add_up(s.hi(), -a_);
  if (length_ > 0) {
    while (n_passes_ + 1 < n) pass();
  }
}

/// Each step rounds a product and a sum, and hands on what its operands lacked.
void StepRanges::pass() {
  const double size = std::abs(a_);
  for (std::size_t j = c_.size() - 1; j-- > n_passes_;) {
    const double product = a_ * c_[j + 1];
    c_[j] += product;
    error_[j] += size * error_[j + 1] + half_ulp_of_one * (std::abs(product) + std::abs(c_[j]));
  }
  ++n_passes_;
}

Interval StepRanges::coefficient(int k) {
  const auto first = static_cast<std::size_t>(k);
  if (first >= c_.size()) return Interval(0.0);
  while (n_passes_ <= first && n_passes_ + 1 < c_.size()) pass();
  const std::size_t degree = c_.size() - 1 - first;
  if (degree == 0 || length_ == 0) return around(c_[first], error_[first]);
  bernstein_.resize(degree + 1);
  double* const b = bernstein_.data();
  const double *const c = c_.data() + first, *const c_error = error_.data() + first;
  double power = 1.0;
  double inherited = 0.0, size = 0.0;
  for (std::size_t m = 0; m <= degree; ++m) {
    const double scale = first == 0 ? power : choose(first + m, first) * power;
    const double term = c[m] * scale;
    b[m] = term * inverse_of_choose(degree, m);
    inherited += c_error[m] * scale;
    size += std::abs(term);
    power *= length_;
  }
  return bernstein_range(degree, b, inherited, size);
}

Interval StepRanges::over_whole(const StepPolynomial& step, std::uint32_t unknown) {
  const auto degree = static_cast<std::size_t>(step.degree);
  if (degree == 0 || degree >= n_tabled) {
    expand(step, unknown, Interval(0.0, 1.0));
    return coefficient(0);
  }
  double b[n_tabled];
  double size = 0.0;
  const double* c = step.coefficients.data() + unknown;
  for (std::size_t m = 0; m <= degree; ++m, c += step.n) {
    b[m] = *c * binomials.inverse[degree][m];
    size += std::abs(*c);
  }
  return bernstein_range(degree, b, 0.0, size);
}

}  // namespace saltus::detail
