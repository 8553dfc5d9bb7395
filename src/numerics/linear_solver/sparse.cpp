// Sparse LU by KLU (Davis & Palamadai Natarajan, ACM TOMS 907).

#include <suitesparse/klu.h>

#include <algorithm>
#include <new>
#include <type_traits>
#include <utility>

#include "numerics/linear_solver/factors.hpp"

namespace saltus::detail {

namespace {

/// 1 or -1: each cycle of even length is an odd number of exchanges.
int parity(const int* permutation, std::vector<std::uint8_t>& seen) {
  std::fill(seen.begin(), seen.end(), std::uint8_t{0});
  int sign = 1;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    bool even = false;
    for (std::size_t k = i; !seen[k]; k = static_cast<std::size_t>(permutation[k])) {
      seen[k] = 1;
      even = k != i ? !even : false;
    }
    if (even) sign = -sign;
  }
  return sign;
}

// A pivot may be smaller than the largest of its column by this factor if that keeps the order that
// was chosen for little fill. KLU's own 0.001 costs three digits in the worst case.
constexpr double pivot_tolerance = 0.1;

// Old pivots are kept as long as entries of U grow at most this much more than they did with pivots
// of their own: two digits lost at most.
constexpr double growth_kept = 0.01;

// AMD orders as if the diagonal could be kept as pivots, which suits most models. Where it cannot,
// factors fill up; COLAMD's order limits the fill for whatever pivots are taken. It is tried once,
// if the factors have become this much larger than the matrix.
constexpr double suspicious_fill = 8.0;
enum : int { amd_order = 0, colamd_order = 1 };

}  // namespace

template <class T>
struct SparseFactors<T>::Klu {
  static constexpr bool real = std::is_same_v<T, double>;

  Klu(CscPattern& pattern, int order) {
    klu_defaults(&common);
    common.tol = pivot_tolerance;
    common.ordering = order;
    symbolic =
        klu_analyze(pattern.n_cols, pattern.column_start.data(), pattern.row.data(), &common);
    if (symbolic == nullptr) {
      SALTUS_ASSERT(common.status == KLU_OUT_OF_MEMORY);
      throw std::bad_alloc();
    }
  }
  ~Klu() {
    free_numeric();
    klu_free_symbolic(&symbolic, &common);
  }
  Klu(const Klu&) = delete;
  Klu& operator=(const Klu&) = delete;

  void free_numeric() {
    if (numeric == nullptr) return;
    if constexpr (real) {
      klu_free_numeric(&numeric, &common);
    } else {
      klu_z_free_numeric(&numeric, &common);
    }
  }
  double fill() const { return static_cast<double>(numeric->lnz) + numeric->unz; }
  // The smallest ratio, over columns, of the largest scaled entry of A to the largest entry of U.
  double reciprocal_growth(CscPattern& p, double* values) {
    if constexpr (real) {
      klu_rgrowth(p.column_start.data(), p.row.data(), values, symbolic, numeric, &common);
    } else {
      klu_z_rgrowth(p.column_start.data(), p.row.data(), values, symbolic, numeric, &common);
    }
    return common.rgrowth;
  }

  klu_common common{};
  klu_symbolic* symbolic = nullptr;
  klu_numeric* numeric = nullptr;
  double growth_with_own_pivots = 0.0;
};

template <class T>
SparseFactors<T>::SparseFactors(const CscPattern& its_pattern)
    : LinearFactors<T>(its_pattern),
      values_(its_pattern.row.size()),
      seen_(static_cast<std::size_t>(its_pattern.n_cols)),
      klu_(std::make_unique<Klu>(this->pattern, amd_order)) {}

template <class T>
SparseFactors<T>::~SparseFactors() = default;

template <class T>
bool SparseFactors<T>::factor_with_new_pivots(double* values) {
  if (!factor_in_order(values)) return false;
  if (other_order_tried_ || klu_->fill() <= suspicious_fill * this->pattern.nnz()) return true;
  other_order_tried_ = true;
  auto first = std::exchange(klu_, std::make_unique<Klu>(this->pattern, colamd_order));
  if (!factor_in_order(values) || klu_->fill() >= first->fill()) klu_ = std::move(first);
  return true;
}

template <class T>
bool SparseFactors<T>::factor_in_order(double* values) {
  Klu& k = *klu_;
  k.free_numeric();
  index_t* start = this->pattern.column_start.data();
  if constexpr (Klu::real) {
    k.numeric = klu_factor(start, this->pattern.row.data(), values, k.symbolic, &k.common);
  } else {
    k.numeric = klu_z_factor(start, this->pattern.row.data(), values, k.symbolic, &k.common);
  }
  if (k.numeric == nullptr && k.common.status != KLU_SINGULAR) {
    if (k.common.status == KLU_OUT_OF_MEMORY) throw std::bad_alloc();
    SALTUS_ASSERT(k.common.status == KLU_TOO_LARGE);
    throw std::bad_alloc();
  }
  if (k.common.status == KLU_SINGULAR) {
    this->singular_column = k.common.singular_col;
    k.free_numeric();
    return false;
  }
  if (pivots_are_noise()) {
    k.free_numeric();
    return false;
  }
  k.growth_with_own_pivots = k.reciprocal_growth(this->pattern, values);
  return true;
}

// With the pivots of an earlier factorisation; false if they do not suit these values.
template <class T>
bool SparseFactors<T>::refactor(double* values) {
  Klu& k = *klu_;
  index_t* start = this->pattern.column_start.data();
  int done = 0;
  if constexpr (Klu::real) {
    done = klu_refactor(start, this->pattern.row.data(), values, k.symbolic, k.numeric, &k.common);
  } else {
    done =
        klu_z_refactor(start, this->pattern.row.data(), values, k.symbolic, k.numeric, &k.common);
  }
  if (done == 0 || k.common.status != KLU_OK) return false;
  // Not >=, so that NaN is refused.
  if (!(k.reciprocal_growth(this->pattern, values) > growth_kept * k.growth_with_own_pivots)) {
    return false;
  }
  return !pivots_are_noise();
}

template <class T>
bool SparseFactors<T>::pivots_are_noise() {
  const Klu& k = *klu_;
  const auto n = static_cast<std::size_t>(this->pattern.n_cols);
  const double threshold = singular_threshold(n);
  const auto* diagonal = static_cast<const T*>(k.numeric->Udiag);
  for (std::size_t c = 0; c < n; ++c) {
    const auto j = static_cast<std::size_t>(k.symbolic->Q[c]);
    const auto end = static_cast<std::size_t>(this->pattern.column_start[j + 1]);
    double largest = 0.0;
    for (auto s = static_cast<std::size_t>(this->pattern.column_start[j]); s < end; ++s) {
      // Scale factors are kept in the order of the pivot rows.
      const int row = k.numeric->Pinv[static_cast<std::size_t>(this->pattern.row[s])];
      largest = std::max(largest, size_of(values_[s]) / k.numeric->Rs[row]);
    }
    if (!(size_of(diagonal[c]) > threshold * largest)) {
      this->singular_column = static_cast<index_t>(j);
      return true;
    }
  }
  return false;
}

template <class T>
bool SparseFactors<T>::factor(std::span<const T> values) {
  std::copy(values.begin(), values.end(), values_.begin());
  // An array of complex numbers is an array of pairs ([complex.numbers.general]).
  auto* raw = reinterpret_cast<double*>(values_.data());
  if (klu_->numeric != nullptr && refactor(raw)) return true;
  return factor_with_new_pivots(raw);
}

template <class T>
double SparseFactors<T>::reciprocal_condition() const {
  Klu& k = *klu_;
  if constexpr (Klu::real) {
    klu_rcond(k.symbolic, k.numeric, &k.common);
  } else {
    klu_z_rcond(k.symbolic, k.numeric, &k.common);
  }
  return k.common.rcond;
}

// With scaled rows, P R^-1 A Q is block triangular, and its blocks are L U.
template <class T>
SignedLogarithm SparseFactors<T>::determinant() const {
  const Klu& k = *klu_;
  SignedLogarithm product = SignedLogarithm::one();
  const auto* diagonal = static_cast<const T*>(k.numeric->Udiag);
  for (std::size_t c = 0; c < seen_.size(); ++c) {
    product *= signed_factor(diagonal[c]) * k.numeric->Rs[c];
  }
  if (std::is_same_v<T, double>) {
    product.sign *= parity(k.numeric->Pnum, seen_) * parity(k.symbolic->Q, seen_);
  }
  return product;
}

template <class T>
void SparseFactors<T>::solve(std::span<T> b) {
  Klu& k = *klu_;
  auto* raw = reinterpret_cast<double*>(b.data());
  const index_t n = this->pattern.n_cols;
  const auto n_sides = n == 0 ? 0 : static_cast<index_t>(b.size()) / n;
  if constexpr (Klu::real) {
    klu_solve(k.symbolic, k.numeric, n, n_sides, raw, &k.common);
  } else {
    klu_z_solve(k.symbolic, k.numeric, n, n_sides, raw, &k.common);
  }
}

template struct SparseFactors<double>;
template struct SparseFactors<std::complex<double>>;

}  // namespace saltus::detail
