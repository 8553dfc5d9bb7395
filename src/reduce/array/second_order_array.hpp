// The derivative array of F(t, x, x', x'') = 0, taken from that of the first-order form.
#pragma once

#include <vector>

#include <saltus/numerics/quad.hpp>

#include "reduce/matrix/dense_matrix.hpp"
#include "reduce/array/scaled_array.hpp"

namespace saltus::detail {

/// The equation x_of' = x_derivative, up to a factor.
struct DerivativeLink {
  std::uint32_t row = 0, of = 0, derivative = 0;
};

/// Each unknown is at most once a derivative and at most once differentiated; what is a derivative is
/// not differentiated again (of x' = v, v' = w only the first is a link).
std::vector<DerivativeLink> derivative_links(const CscPattern& pattern,
                                             const ArrayCoefficients<Quad>& coefficients);

class SecondOrderArray {
 public:
  SecondOrderArray(const CscPattern& pattern, const ArrayCoefficients<Quad>& coefficients);

  std::size_t n_equations() const { return m_; }
  std::size_t n_unknowns() const { return n_; }
  /// Curtis and Reid's, from dF/dx, dF/dx' and dF/dx''.
  ArrayScaling scaling() const;

  /// dPhi_k / dxi_j for k <= level, j <= level + 2.
  DenseMatrix<Quad> jacobian(int level, const ArrayScaling& scaling) const;
  /// dPhi_0 / dxi_2.
  DenseMatrix<Quad> leading(const ArrayScaling& scaling) const;

 private:
  /// Taylor coefficients, along the path, of the derivative of one equation by one x^(order).
  struct Entry {
    std::uint32_t row, column;
    int order;
    std::vector<Quad> series;
  };
  std::size_t m_ = 0, n_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace saltus::detail
