#pragma once

// Direct solution of A x = b for a pattern that stays and values that change.

#include <complex>
#include <cstdint>
#include <memory>
#include <span>

#include <saltus/numerics/signed_logarithm.hpp>
#include <saltus/numerics/sparse.hpp>

namespace saltus {

enum class LinearSolverKind : std::uint8_t {
  automatic,  // by size and fill
  dense,
  sparse,  // KLU
};

namespace detail {
template <class T>
struct LinearFactors;
}  // namespace detail

// LU factors of a square matrix with entries T = double or std::complex<double>. The pattern is
// analysed once; factor() reuses the pivot order of the last full factorisation as long as that is
// safe. After the first factorisation of a pattern neither factor() nor solve() allocates, except
// when a sparse matrix needs new pivots.
template <class T>
class LinearSolver {
 public:
  // `automatic` becomes dense or sparse here. The pattern is copied.
  LinearSolver(const CscPattern& pattern, LinearSolverKind kind);
  ~LinearSolver();
  LinearSolver(LinearSolver&&) noexcept;
  LinearSolver& operator=(LinearSolver&&) noexcept;

  LinearSolverKind kind() const;

  // False if the matrix is singular to working precision, or holds numbers that are not finite.
  [[nodiscard]] bool factor(std::span<const T> values);
  // After factor() returned false: a column that depends on those before it.
  index_t singular_column() const;
  // A cheap estimate of the reciprocal condition number of the last factors.
  double reciprocal_condition() const;
  // Of the last factors; zero if there are none. Of a complex matrix only the size, with sign 1.
  SignedLogarithm determinant() const;
  // b <- A^-1 b, with the last factors; for several b, one after the other in the span, faster than one by one.
  void solve(std::span<T> b);

 private:
  std::unique_ptr<detail::LinearFactors<T>> factors_;
};

extern template class LinearSolver<double>;
extern template class LinearSolver<std::complex<double>>;

}  // namespace saltus
