// Enclosures of a step's polynomials and their derivatives over a part of the step.
#pragma once

#include <vector>

#include <saltus/numerics/interval.hpp>
#include <saltus/system/step_polynomial.hpp>

namespace saltus::detail {

/// p(s) = sum_j c_j s^j for one unknown and s in [a, b]: expanded about a, each p^(k)/k! is a polynomial
/// in v = s - a whose Bernstein coefficients over [0, b - a] enclose it.
class PolynomialPart {
 public:
  void expand(const StepPolynomial& step, std::uint32_t unknown, Interval s);
  /// Encloses p^(k)(s)/k! for every s of the part.
  Interval coefficient(int k);

 private:
  std::vector<Interval> about_a_, bernstein_;
  Interval length_;
};

}  // namespace saltus::detail
