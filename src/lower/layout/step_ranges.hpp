// Enclosures of one unknown along a part of a step.
#pragma once

#include <span>
#include <vector>

#include <saltus/numerics/interval.hpp>
#include <saltus/system/step_polynomial.hpp>

namespace saltus::detail {

/// A polynomial p(s) = sum c_j s^j over s in [a, b], expanded about a:
///
///   p(a + v) = sum_k q_k v^k,  q_k = sum_{j>=k} C(j, k) c_j a^(j-k),
///   p^(k)(a + v)/k! = sum_m C(k + m, k) q_{k+m} v^m,  0 <= v <= b - a,
///
/// the latter enclosed by its Bernstein coefficients over [0, b - a]. Nothing is divided by the length
/// of the part, so short parts give as narrow enclosures as the coefficients allow.
///
/// Computed in double, with a bound of the rounding errors from the same sums over absolute values: a
/// tenth of the time of interval arithmetic, and not wider.
class StepRanges {
 public:
  StepRanges() {
    constexpr std::size_t usual = 16;
    for (auto* v : {&c_, &error_, &bernstein_}) v->reserve(usual);
  }

  /// `load` gives the coefficients c_j, j = 0 … degree, as numbers or as intervals that are points.
  template <class Load>
  void expand(int degree, Interval s, Load&& load) {
    c_.resize(static_cast<std::size_t>(degree) + 1);
    for (int j = 0; j <= degree; ++j) c_[static_cast<std::size_t>(j)] = number(load(j));
    shift(s);
  }
  void expand(const StepPolynomial& step, std::uint32_t unknown, Interval s) {
    expand(step.degree, s, [&](int j) { return step.coefficient(j, unknown); });
  }

  /// Encloses p^(k)/k! over the part.
  Interval coefficient(int k);
  /// What expand() over the whole step and coefficient(0) give: asked for at every step.
  Interval over_whole(const StepPolynomial& step, std::uint32_t unknown);

 private:
  static double number(double c) { return c; }
  static double number(const Interval& c) { return c.lo(); }
  void shift(Interval s);
  void pass();

  std::vector<double> c_;      // q_k for k < n_passes_
  std::vector<double> error_;  // of c_
  double a_ = 0.0;
  std::size_t n_passes_ = 0;
  std::vector<double> bernstein_;
  double length_ = 0.0;  // not less than b - a
};

}  // namespace saltus::detail
