// The derivative array F_0 … F_L of a system along a path, scaled, and its Jacobian as one dense
// matrix.
//
// With time t = 2^tau s, unknowns x_i = 2^(c_i) xi_i and equations multiplied by 2^(r_i), Taylor
// coefficients scale as
//   xi_j = 2^(tau j - c) x_j,    Phi_k = 2^(r + tau k) F_k,
//   dPhi_k / dxi_j = 2^(r + c + tau (k - j)) (A_{k-j} + j B_{k-j+1}),
// all of it exact.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <saltus/reduce/index_analysis.hpp>
#include <saltus/system/abilities.hpp>

#include "reduce/matrix/dense_matrix.hpp"

namespace saltus::detail {

/// A_0 … A_L and B_0 … B_L along a path, on the pattern of the system.
template <class T>
struct ArrayCoefficients {
  int level = 0;
  std::vector<T> a;
  std::vector<T> b;
};

template <class T>
T power_of_two(int exponent) {
  constexpr int bias = 1023, fraction_bits = 52;
  if (exponent <= -bias || exponent > bias) return T(std::ldexp(1.0, exponent));
  return T(std::bit_cast<double>(static_cast<std::uint64_t>(exponent + bias) << fraction_bits));
}

/// Evaluates at one time after the other. T is double or Quad; the workspace offers DerivativeLevels<T>.
template <class T>
class ScaledArray {
 public:
  ScaledArray(const System& system, Workspace& workspace, double t);

  void move_to(double t) { t_ = t; }
  /// For searches, which come back to points: the last residuals and the last coefficients are kept, and serve
  /// the same point again, also at a lower level. Only while nothing but the path changes.
  void remember() { remembers_ = true; }
  /// Residuals and coefficients so far, whatever their level.
  std::uint64_t n_evaluations() const { return n_evaluations_; }

  std::size_t n_equations() const { return m_; }
  std::size_t n_unknowns() const { return n_; }
  std::size_t n_rows(int level) const { return (static_cast<std::size_t>(level) + 1) * m_; }
  std::size_t n_columns(int level) const { return (static_cast<std::size_t>(level) + 2) * n_; }

  /// Phi_0 … Phi_level at xi.
  Evaluation residuals(std::span<const T> xi, int level, const ArrayScaling& scaling,
                       std::vector<T>& phi);
  Evaluation coefficients(std::span<const T> xi, int level, const ArrayScaling& scaling,
                          ArrayCoefficients<T>& out);

  /// dPhi_k / dxi_j for k <= level, j <= level + 1; below it, if wanted, the m rows [E 0] with
  /// E = dPhi_0 / dxi_1. `level` may be lower than that of the coefficients.
  DenseMatrix<T> jacobian(const ArrayCoefficients<T>& coefficients, int level,
                          const ArrayScaling& scaling, bool with_e_rows = false) const;
  /// The same into a matrix of that size, the rows of E included; allocates nothing.
  void write_jacobian(const ArrayCoefficients<T>& coefficients, int level,
                      const ArrayScaling& scaling, DenseMatrix<T>& jacobian) const;

 private:
  /// What was evaluated last, and where.
  struct Remembered {
    std::vector<T> path;
    std::vector<T> values[2];

    bool serves(std::span<const T> asked) const {
      return asked.size() <= path.size() && std::equal(asked.begin(), asked.end(), path.begin());
    }
  };

  std::span<const T> unscaled(std::span<const T> xi, int level, const ArrayScaling& scaling);

  const System& system_;
  DerivativeLevels<T>& levels_;
  double t_;
  std::size_t m_, n_;
  std::vector<T> path_;
  bool remembers_ = false;
  Remembered last_residuals_, last_coefficients_;
  std::uint64_t n_evaluations_ = 0;
};

/// xi of a path, and back.
template <class T>
std::vector<T> scaled_path(std::span<const T> path, const ArrayScaling& scaling);
template <class T>
std::vector<T> unscaled_path(std::span<const T> xi, const ArrayScaling& scaling);

/// No scaling at all.
ArrayScaling unit_scaling(const System& system);

}  // namespace saltus::detail
