// Enclosures along a step of a sliding system.
#include <algorithm>

#include <saltus/numerics/bernstein.hpp>

#include "slide/sliding_switching.hpp"

namespace saltus::detail {

StepPolynomial SlidingEnclosure::base_step(const StepPolynomial& step) {
  const std::size_t n = n_, degree = static_cast<std::size_t>(step.degree);
  coefficients_.resize(n * (degree + 1));
  for (std::size_t k = 0; k <= degree; ++k) {
    std::copy_n(step.coefficients.data() + k * step.n, n, coefficients_.data() + k * n);
  }
  StepPolynomial base = step;
  base.n = n_;
  base.coefficients = coefficients_;
  return base;
}

void SlidingEnclosure::load_multiplier(std::uint32_t k, const StepPolynomial& step) {
  const MultiplierAccess& multipliers = functions_.multipliers();
  const std::uint32_t unknown = multipliers.unknown(k);
  u_.clear();
  if (!multipliers.is_slope()) {
    for (int j = 0; j <= step.degree; ++j) u_.emplace_back(step.coefficient(j, unknown));
    return;
  }
  const Interval duration = Interval(step.t_right) - Interval(step.t_left);
  for (int j = 1; j <= step.degree; ++j) {
    u_.push_back(Interval(j) * Interval(step.coefficient(j, unknown)) / duration);
  }
  if (u_.empty()) u_.emplace_back(0.0);
}

/// Expands u_ about the left end of a part: about_.
void SlidingEnclosure::expand(const Interval& s) {
  const Interval a(s.lo());
  about_ = u_;
  for (std::size_t pass = 0; pass + 1 < about_.size(); ++pass) {
    for (std::size_t j = about_.size() - 1; j-- > pass;) {
      about_[j] = about_[j] + a * about_[j + 1];
    }
  }
}

/// u^(k)/k! over the part: sum_m C(k + m, k) q_{k+m} v^m for v from 0 to its length.
Interval SlidingEnclosure::coefficient_over(std::size_t k, const Interval& s) {
  if (k >= about_.size()) return 0.0;
  const Interval length = Interval(s.hi()) - Interval(s.lo());
  bernstein_.clear();
  Interval power = 1.0;
  double binomial = 1.0;
  for (std::size_t m = 0; k + m < about_.size(); ++m) {
    bernstein_.push_back(Interval(binomial) * about_[k + m] * power);
    power = power * length;
    binomial = binomial * static_cast<double>(k + m + 1) / static_cast<double>(m + 1);
  }
  bernstein::power_to_bernstein(std::span<const Interval>(bernstein_),
                                std::span<Interval>(bernstein_));
  return bernstein::range(std::span<const Interval>(bernstein_));
}

void SlidingEnclosure::hulls(const StepPolynomial& step, Interval s, std::span<Interval> g) {
  const std::uint32_t n_base = functions_.n_base_functions();
  SlidingSides& sides = functions_.sides();
  hulls_.resize(n_base);
  const StepPolynomial on_base = base_step(step);
  is_found_.assign(n_base, 0);
  const auto take = [&] {
    if (base_ != nullptr) base_->hulls(on_base, s, hulls_);
    for (std::uint32_t i = 0; i < n_base; ++i) {
      if (is_found_[i] != 0 || sides.is_on_surface(i) || !sides.functions().is_active(i)) continue;
      g[i] = base_ != nullptr ? hulls_[i] : Interval::entire();
      is_found_[i] = 1;
    }
  };
  take();
  for (std::uint32_t i = 0; i < n_base; ++i) {
    std::uint32_t vertex = 0;
    if (is_found_[i] != 0 || sides.is_on_surface(i) || !sides.is_active_somewhere(i, vertex)) {
      continue;
    }
    const SideVisit visit(sides, vertex);
    take();
  }
  for (std::uint32_t k = 0; k < sides.n_surfaces(); ++k) {
    load_multiplier(k, step);
    expand(s);
    const Interval u = coefficient_over(0, s);
    g[n_base + 2 * k] = Interval(1.0) - u;
    g[n_base + 2 * k + 1] = Interval(1.0) + u;
  }
}

bool SlidingEnclosure::series(std::uint32_t which, const StepPolynomial& step, Interval s,
                              int order, std::span<Interval> coefficients) {
  if (functions_.is_exit(which)) {
    load_multiplier(functions_.surface_of(which), step);
    expand(s);
    const Interval minus_side(-functions_.side_of(which));
    for (std::size_t k = 0; k <= static_cast<std::size_t>(order); ++k) {
      coefficients[k] = minus_side * coefficient_over(k, s);
    }
    coefficients[0] = Interval(1.0) + coefficients[0];
    return true;
  }
  SlidingSides& sides = functions_.sides();
  std::uint32_t vertex = 0;
  if (base_ == nullptr || sides.is_on_surface(which) || !sides.is_active_somewhere(which, vertex)) {
    return false;
  }
  const SideVisit visit(sides, vertex);
  return base_->series(which, base_step(step), s, order, coefficients);
}

}  // namespace saltus::detail
