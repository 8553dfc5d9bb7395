// What a LinearSolver delegates to, and what both kinds of factors agree on.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <vector>

#include <saltus/core/error.hpp>
#include <saltus/numerics/linear_solver.hpp>

namespace saltus {

namespace detail {

// A pivot is rounding noise if
//   |pivot| <= 8 sqrt(n) eps * (largest entry of its column),
// all entries taken after rows were scaled to size one. Rounding errors of an elimination grow like
// sqrt(n); comparing inside a column makes the verdict independent of the units of an unknown, the
// scaled rows make it independent of the units of an equation.
inline double singular_threshold(std::size_t n) {
  constexpr double factor = 8.0;
  return factor * std::sqrt(static_cast<double>(n)) * std::numeric_limits<double>::epsilon();
}

inline bool is_finite(double x) { return std::isfinite(x); }
inline bool is_finite(const std::complex<double>& x) {
  return std::isfinite(x.real()) && std::isfinite(x.imag());
}

// A size that orders entries for pivoting: |x|, or |re| + |im|, which is within sqrt(2) of it.
inline double size_of(double x) { return std::abs(x); }
inline double size_of(const std::complex<double>& x) {
  return std::abs(x.real()) + std::abs(x.imag());
}

inline double signed_factor(double x) { return x; }
inline double signed_factor(const std::complex<double>& x) { return std::abs(x); }

template <class T>
struct LinearFactors {
  explicit LinearFactors(const CscPattern& its_pattern) : pattern(its_pattern) {}
  virtual ~LinearFactors() = default;
  virtual LinearSolverKind kind() const = 0;
  // Values are finite and as many as the pattern has entries.
  virtual bool factor(std::span<const T> values) = 0;
  virtual double reciprocal_condition() const = 0;
  virtual SignedLogarithm determinant() const = 0;
  virtual void solve(std::span<T> b) = 0;

  CscPattern pattern;
  index_t singular_column = 0;
  bool ready = false;
};

// LU with partial pivoting in one column-major array; allocates while constructed only.
template <class T>
struct DenseFactors final : LinearFactors<T> {
  explicit DenseFactors(const CscPattern& pattern);
  LinearSolverKind kind() const override { return LinearSolverKind::dense; }
  bool factor(std::span<const T> values) override;
  double reciprocal_condition() const override;
  SignedLogarithm determinant() const override;
  void solve(std::span<T> b) override;

 private:
  void solve_one(std::span<T> b);
  void scatter(std::span<const T> values);
  void eliminate_earlier(std::size_t j);
  bool choose_pivot(std::size_t j);
  bool is_noise(std::size_t j, double threshold) const;

  std::size_t n_;
  std::vector<T> lu_;
  std::vector<std::size_t> swapped_with_;  // row j changed places with row swapped_with_[j]
  std::vector<double> row_scale_;
};

// KLU: block triangular form, a fill-reducing order inside blocks, pivots kept while they are safe.
template <class T>
struct SparseFactors final : LinearFactors<T> {
  explicit SparseFactors(const CscPattern& pattern);
  ~SparseFactors() override;
  LinearSolverKind kind() const override { return LinearSolverKind::sparse; }
  bool factor(std::span<const T> values) override;
  double reciprocal_condition() const override;
  SignedLogarithm determinant() const override;
  void solve(std::span<T> b) override;

 private:
  struct Klu;
  bool factor_with_new_pivots(double* values);
  bool factor_in_order(double* values);
  bool refactor(double* values);
  bool pivots_are_noise();

  std::vector<T> values_;  // KLU wants arrays it could write to
  mutable std::vector<std::uint8_t> seen_;
  std::unique_ptr<Klu> klu_;
  bool other_order_tried_ = false;
};

}  // namespace detail

}  // namespace saltus
