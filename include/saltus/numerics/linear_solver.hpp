#pragma once

// Solves A x = b directly, for a pattern that stays and values that change.

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

// Holds LU factors of a square matrix with entries T = double or std::complex<double>. The pattern
// is analysed once; factor() reuses the pivot order of the last full factorisation as long as that
// is safe. After the first factorisation of a pattern neither factor() nor solve() allocates,
// except when a sparse matrix needs new pivots.
template <class T>
class LinearSolver {
 public:
  // Copies the pattern; `automatic` becomes dense or sparse here.
  LinearSolver(const CscPattern& pattern, LinearSolverKind kind);
  ~LinearSolver();
  LinearSolver(LinearSolver&&) noexcept;
  LinearSolver& operator=(LinearSolver&&) noexcept;

  LinearSolverKind kind() const;

  // Factorises the matrix. Returns false if it is singular to working precision, or holds numbers
  // that are not finite.
  [[nodiscard]] bool factor(std::span<const T> values);
  // Returns a column that depends on those before it, after factor() returned false.
  index_t singular_column() const;
  // Returns a cheap estimate of the reciprocal condition number of the last factors.
  double reciprocal_condition() const;
  // Returns the determinant of the last factors; zero if there are none. For a complex matrix it is
  // the size only, with sign 1.
  SignedLogarithm determinant() const;
  // Computes b <- A^-1 b with the last factors. Several b may follow one another in the span; this
  // is faster than one call for each.
  void solve(std::span<T> b);

 private:
  std::unique_ptr<detail::LinearFactors<T>> factors_;
};

extern template class LinearSolver<double>;
extern template class LinearSolver<std::complex<double>>;

}  // namespace saltus
