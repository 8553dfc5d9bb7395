// Dense LU, left-looking by columns: P S A = L U with S powers of two that make every row of size one.
//
// Our own instead of a library's because models are often small: no allocation, no call overhead, and
// the column in which the matrix turns out singular is known.

#include <algorithm>

#include "numerics/linear_solver/factors.hpp"

namespace saltus::detail {

namespace {

// a - l u without the checks for infinities that std::complex must make.
inline double minus_product(double a, double l, double u) { return a - l * u; }
inline std::complex<double> minus_product(const std::complex<double>& a,
                                          const std::complex<double>& l,
                                          const std::complex<double>& u) {
  return {a.real() - (l.real() * u.real() - l.imag() * u.imag()),
          a.imag() - (l.real() * u.imag() + l.imag() * u.real())};
}

constexpr std::size_t columns_at_once = 4;

}  // namespace

template <class T>
DenseFactors<T>::DenseFactors(const CscPattern& its_pattern)
    : LinearFactors<T>(its_pattern),
      n_(static_cast<std::size_t>(its_pattern.n_cols)),
      lu_(n_ * n_),
      swapped_with_(n_),
      row_scale_(n_) {}

template <class T>
void DenseFactors<T>::scatter(std::span<const T> values) {
  std::fill(lu_.begin(), lu_.end(), T{});
  std::fill(row_scale_.begin(), row_scale_.end(), 0.0);
  for (std::size_t s = 0; s < values.size(); ++s) {
    double& largest = row_scale_[static_cast<std::size_t>(this->pattern.row[s])];
    largest = std::max(largest, size_of(values[s]));
  }
  for (double& scale : row_scale_) {
    // Powers of two: scaling is exact. Of a row without entries nothing is asked.
    const int exponent = scale > 0 ? std::clamp(std::ilogb(scale), -1000, 1000) : 0;
    scale = std::ldexp(1.0, -exponent);
  }
  for (std::size_t j = 0; j < n_; ++j) {
    const auto end = static_cast<std::size_t>(this->pattern.column_start[j + 1]);
    for (auto s = static_cast<std::size_t>(this->pattern.column_start[j]); s < end; ++s) {
      const auto i = static_cast<std::size_t>(this->pattern.row[s]);
      lu_[j * n_ + i] = values[s] * row_scale_[i];
    }
  }
}

// Column j becomes L^-1 times itself, as far as L is known.
template <class T>
void DenseFactors<T>::eliminate_earlier(std::size_t j) {
  T* column = lu_.data() + j * n_;
  for (std::size_t k = 0; k < j; ++k) std::swap(column[k], column[swapped_with_[k]]);
  std::size_t k = 0;
  // Several columns of L at once: column j is read and written that much less often.
  for (; k + columns_at_once <= j; k += columns_at_once) {
    for (std::size_t m = k; m < k + columns_at_once; ++m) {
      for (std::size_t i = m + 1; i < k + columns_at_once; ++i) {
        column[i] = minus_product(column[i], lu_[m * n_ + i], column[m]);
      }
    }
    const T u0 = column[k], u1 = column[k + 1], u2 = column[k + 2], u3 = column[k + 3];
    // Matrices of models are sparse, also small ones.
    if (u0 == T{} && u1 == T{} && u2 == T{} && u3 == T{}) continue;
    const T* l0 = lu_.data() + k * n_;
    const T* l1 = l0 + n_;
    const T* l2 = l1 + n_;
    const T* l3 = l2 + n_;
    for (std::size_t i = k + columns_at_once; i < n_; ++i) {
      T a = column[i];
      a = minus_product(a, l0[i], u0);
      a = minus_product(a, l1[i], u1);
      a = minus_product(a, l2[i], u2);
      column[i] = minus_product(a, l3[i], u3);
    }
  }
  for (; k < j; ++k) {
    const T* l = lu_.data() + k * n_;
    const T u = column[k];
    if (u == T{}) continue;
    for (std::size_t i = k + 1; i < n_; ++i) column[i] = minus_product(column[i], l[i], u);
  }
}

// The largest entry on or below the diagonal moves there; false if it is nothing but noise.
template <class T>
bool DenseFactors<T>::choose_pivot(std::size_t j) {
  T* column = lu_.data() + j * n_;
  std::size_t best = j;
  for (std::size_t i = j + 1; i < n_; ++i) {
    if (size_of(column[i]) > size_of(column[best])) best = i;
  }
  swapped_with_[j] = best;
  std::swap(column[j], column[best]);
  for (std::size_t k = 0; k < j; ++k) std::swap(lu_[k * n_ + j], lu_[k * n_ + best]);
  const T pivot = column[j];
  if (!is_finite(pivot) || pivot == T{}) return false;
  for (std::size_t i = j + 1; i < n_; ++i) column[i] = column[i] / pivot;
  return true;
}

// A pivot that is small beside its column is noise only if it is what is left of larger numbers: of the
// products that were subtracted from its entry. Units alone make entries small, too.
template <class T>
bool DenseFactors<T>::is_noise(std::size_t j, double threshold) const {
  const T* column = lu_.data() + j * n_;
  double cancelled = 0.0;
  for (std::size_t k = 0; k < j; ++k) cancelled += size_of(lu_[k * n_ + j]) * size_of(column[k]);
  return !(size_of(column[j]) > threshold * cancelled);
}

template <class T>
bool DenseFactors<T>::factor(std::span<const T> values) {
  scatter(values);
  const double threshold = singular_threshold(n_);
  for (std::size_t j = 0; j < n_; ++j) {
    const T* column = lu_.data() + j * n_;
    double largest = 0.0;
    for (std::size_t i = 0; i < n_; ++i) largest = std::max(largest, size_of(column[i]));
    eliminate_earlier(j);
    for (std::size_t i = 0; i < j; ++i) largest = std::max(largest, size_of(column[i]));
    // Written so that NaN, which an overflow leaves behind, is refused too.
    if (!choose_pivot(j) ||
        (!(size_of(column[j]) > threshold * largest) && is_noise(j, threshold))) {
      this->singular_column = static_cast<index_t>(j);
      return false;
    }
  }
  return true;
}

template <class T>
double DenseFactors<T>::reciprocal_condition() const {
  double smallest = std::numeric_limits<double>::infinity();
  double largest = 0.0;
  for (std::size_t j = 0; j < n_; ++j) {
    const double u = std::abs(lu_[j * n_ + j]);
    smallest = std::min(smallest, u);
    largest = std::max(largest, u);
  }
  return n_ == 0 ? 1.0 : smallest / largest;
}

template <class T>
SignedLogarithm DenseFactors<T>::determinant() const {
  SignedLogarithm product = SignedLogarithm::one();
  for (std::size_t j = 0; j < n_; ++j) {
    // Row scales are positive.
    product *= signed_factor(lu_[j * n_ + j]) / row_scale_[j];
    if (std::is_same_v<T, double> && swapped_with_[j] != j) product.sign = -product.sign;
  }
  return product;
}

template <class T>
void DenseFactors<T>::solve(std::span<T> b) {
  for (std::size_t first = 0; first + n_ <= b.size() && n_ > 0; first += n_)
    solve_one(b.subspan(first, n_));
}

template <class T>
void DenseFactors<T>::solve_one(std::span<T> b) {
  for (std::size_t i = 0; i < n_; ++i) b[i] = b[i] * row_scale_[i];
  // All exchanges first: L is stored as if its rows had been in their final places from the start.
  for (std::size_t j = 0; j < n_; ++j) std::swap(b[j], b[swapped_with_[j]]);
  for (std::size_t j = 0; j < n_; ++j) {
    const T* l = lu_.data() + j * n_;
    const T y = b[j];
    if (y == T{}) continue;
    for (std::size_t i = j + 1; i < n_; ++i) b[i] = minus_product(b[i], l[i], y);
  }
  for (std::size_t j = n_; j-- > 0;) {
    const T* u = lu_.data() + j * n_;
    b[j] = b[j] / u[j];
    const T x = b[j];
    for (std::size_t i = 0; i < j; ++i) b[i] = minus_product(b[i], u[i], x);
  }
}

template struct DenseFactors<double>;
template struct DenseFactors<std::complex<double>>;

}  // namespace saltus::detail
