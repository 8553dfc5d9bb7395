#include "ranked_solve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <saltus/core/error.hpp>

namespace saltus::detail {
namespace {

constexpr double ranked_eps = std::numeric_limits<double>::epsilon();

/// Elimination with complete pivoting; `usable` if the matrix is far from singular.
class CompletePivoting {
 public:
  explicit CompletePivoting(const Matrix& a) : lu_(a), rows_(a.n_rows), cols_(a.n_rows) {
    std::iota(rows_.begin(), rows_.end(), 0U);
    std::iota(cols_.begin(), cols_.end(), 0U);
    const std::size_t n = a.n_rows;
    double largest = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
      std::size_t p = j, q = j;
      for (std::size_t i = j; i < n; ++i) {
        for (std::size_t l = j; l < n; ++l) {
          if (std::fabs(lu_(i, l)) > std::fabs(lu_(p, q))) p = i, q = l;
        }
      }
      if (j == 0) largest = std::fabs(lu_(p, q));
      // far above the rank tolerance, as pivots bound singular values only up to a factor
      if (!(std::fabs(lu_(p, q)) > 1e-6 * largest)) {
        usable_ = false;
        return;
      }
      exchange(j, p, q);
      for (std::size_t i = j + 1; i < n; ++i) {
        const double factor = lu_(i, j) /= lu_(j, j);
        for (std::size_t l = j + 1; l < n; ++l) lu_(i, l) -= factor * lu_(j, l);
      }
    }
  }

  bool usable() const { return usable_; }
  std::vector<double> solve(std::span<const double> b) const {
    const std::size_t n = rows_.size();
    std::vector<double> y(n), x(n);
    for (std::size_t i = 0; i < n; ++i) {
      y[i] = b[rows_[i]];
      for (std::size_t l = 0; l < i; ++l) y[i] -= lu_(i, l) * y[l];
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t l = i + 1; l < n; ++l) y[i] -= lu_(i, l) * y[l];
      y[i] /= lu_(i, i);
    }
    for (std::size_t i = 0; i < n; ++i) x[cols_[i]] = y[i];
    return x;
  }

 private:
  void exchange(std::size_t j, std::size_t p, std::size_t q) {
    const std::size_t n = rows_.size();
    for (std::size_t l = 0; l < n && p != j; ++l) std::swap(lu_(j, l), lu_(p, l));
    for (std::size_t i = 0; i < n && q != j; ++i) std::swap(lu_(i, j), lu_(i, q));
    std::swap(rows_[j], rows_[p]);
    std::swap(cols_[j], cols_[q]);
  }

  Matrix lu_;
  std::vector<std::uint32_t> rows_, cols_;
  bool usable_ = true;
};

/// A V = U S by rotations of columns until they are orthogonal (Hestenes 1958). Row j of `left` is column j of
/// U S, row j of `right` is column j of V.
class SingularValues {
 public:
  explicit SingularValues(const Matrix& a) : left_(a.n_cols, a.n_rows), right_(a.n_cols, a.n_cols) {
    const std::size_t n = a.n_cols;
    for (std::size_t i = 0; i < a.n_rows; ++i) {
      for (std::size_t j = 0; j < n; ++j) left_(j, i) = a(i, j);
    }
    for (std::size_t j = 0; j < n; ++j) {
      right_(j, j) = 1.0;
      rounding2_ = std::fmax(rounding2_, 1e4 * ranked_eps * ranked_eps * dot(left_, j, j));
    }
    // Convergence is quadratic in the end; ten sweeps are usual, a limit only keeps NaN from running on.
    for (int sweep = 0, rotated = 1; sweep < 60 && rotated != 0; ++sweep) {
      rotated = 0;
      for (std::size_t p = 0; p < n; ++p) {
        for (std::size_t q = p + 1; q < n; ++q) rotated += rotate(p, q);
      }
    }
    values_.resize(n);
    for (std::size_t j = 0; j < n; ++j) values_[j] = std::sqrt(dot(left_, j, j));
    largest_ = n == 0 ? 0.0 : *std::max_element(values_.begin(), values_.end());
  }

  bool is_null(std::size_t j) const { return !(values_[j] > contact_rank_tolerance * largest_); }
  std::size_t n_null() const {
    std::size_t n = 0;
    for (std::size_t j = 0; j < values_.size(); ++j) n += is_null(j);
    return n;
  }
  std::vector<double> solve(std::span<const double> b) const {
    const std::size_t n = values_.size();
    std::vector<double> x(n, 0.0);
    for (std::size_t j = 0; j < n; ++j) {
      if (is_null(j)) continue;
      double part = 0.0;
      for (std::size_t i = 0; i < b.size(); ++i) part += left_(j, i) * b[i];
      part /= values_[j] * values_[j];
      for (std::size_t i = 0; i < n; ++i) x[i] += part * right_(j, i);
    }
    return x;
  }
  Matrix null_space() const {
    const std::size_t n = values_.size();
    Matrix null(static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(n_null()));
    std::size_t column = 0;
    for (std::size_t j = 0; j < n; ++j) {
      if (!is_null(j)) continue;
      for (std::size_t i = 0; i < n; ++i) null(i, column) = right_(j, i);
      ++column;
    }
    return null;
  }

 private:
  static double dot(const Matrix& m, std::size_t p, std::size_t q) {
    double sum = 0.0;
    for (std::size_t i = 0; i < m.n_cols; ++i) sum += m(p, i) * m(q, i);
    return sum;
  }
  int rotate(std::size_t p, std::size_t q) {
    const double pp = dot(left_, p, p), qq = dot(left_, q, q), pq = dot(left_, p, q);
    // columns that consist of rounding never become orthogonal
    if (!(std::fabs(pq) > 8.0 * ranked_eps * std::sqrt(pp * qq)) ||
        (pp <= rounding2_ && qq <= rounding2_))
      return 0;
    const double zeta = (qq - pp) / (2.0 * pq);
    const double t = std::copysign(1.0, zeta) / (std::fabs(zeta) + std::hypot(1.0, zeta));
    const double c = 1.0 / std::hypot(1.0, t), s = c * t;
    for (Matrix* m : {&left_, &right_}) {
      for (std::size_t i = 0; i < m->n_cols; ++i) {
        const double x = (*m)(p, i), y = (*m)(q, i);
        (*m)(p, i) = c * x - s * y;
        (*m)(q, i) = s * x + c * y;
      }
    }
    return 1;
  }

  Matrix left_, right_;
  std::vector<double> values_;
  double largest_ = 0.0;
  double rounding2_ = 0.0;
};

/// The rows that are left when independent ones are picked, always the one farthest from those picked.
std::vector<std::uint32_t> rows_left(Matrix a, std::size_t n_left) {
  std::vector<std::uint32_t> left(a.n_rows);
  std::iota(left.begin(), left.end(), 0U);
  const auto norm2 = [&](std::uint32_t i) {
    double sum = 0.0;
    for (std::size_t l = 0; l < a.n_cols; ++l) sum += a(i, l) * a(i, l);
    return sum;
  };
  while (left.size() > n_left) {
    auto best = left.begin();
    for (auto it = left.begin(); it != left.end(); ++it) {
      // of rows that are as good within rounding the first one
      if (norm2(*it) > (1.0 + 1e-9) * norm2(*best)) best = it;
    }
    const std::uint32_t picked = *best;
    left.erase(best);
    const double length2 = norm2(picked);
    for (const std::uint32_t i : left) {
      double part = 0.0;
      for (std::size_t l = 0; l < a.n_cols; ++l) part += a(i, l) * a(picked, l);
      part /= length2;
      for (std::size_t l = 0; l < a.n_cols; ++l) a(i, l) -= part * a(picked, l);
    }
  }
  return left;
}

double refine(const Matrix& a, std::span<const double> b, std::vector<double>& x,
              const auto& factors) {
  double worst = 0.0;
  for (int round = 0; round < 3; ++round) {
    std::vector<double> rest(b.begin(), b.end());
    worst = 0.0;
    for (std::size_t i = 0; i < a.n_rows; ++i) {
      // sums of products in more digits than the result needs
      long double sum = b[i];
      double size = std::fabs(b[i]);
      for (std::size_t j = 0; j < a.n_cols; ++j) {
        sum -= static_cast<long double>(a(i, j)) * x[j];
        size = std::fmax(size, std::fabs(a(i, j) * x[j]));
      }
      rest[i] = static_cast<double>(sum);
      if (size > 0.0) worst = std::fmax(worst, std::fabs(rest[i]) / size);
    }
    if (round == 2) break;
    const std::vector<double> change = factors.solve(rest);
    for (std::size_t j = 0; j < x.size(); ++j) x[j] += change[j];
  }
  return worst;
}

}  // namespace

RankedSolution solve_ranked(const Matrix& a, std::span<const double> b) {
  SALTUS_ASSERT(a.n_rows == a.n_cols && b.size() == a.n_rows);
  RankedSolution solution;
  const CompletePivoting elimination(a);
  if (elimination.usable()) {
    solution.x = elimination.solve(b);
    solution.residual = refine(a, b, solution.x, elimination);
    solution.null = Matrix(a.n_rows, 0);
    return solution;
  }
  const SingularValues values(a);
  solution.x = values.solve(b);
  solution.residual = refine(a, b, solution.x, values);
  solution.null = values.null_space();
  solution.dependent_rows = rows_left(a, values.n_null());
  return solution;
}

Matrix solve_ranked(const Matrix& a, const Matrix& b, double& residual) {
  SALTUS_ASSERT(a.n_rows == a.n_cols && b.n_rows == a.n_rows);
  Matrix x(a.n_rows, b.n_cols);
  residual = 0.0;
  const auto each_column = [&](const auto& factors) {
    std::vector<double> column(b.n_rows);
    for (std::size_t j = 0; j < b.n_cols; ++j) {
      for (std::size_t i = 0; i < b.n_rows; ++i) column[i] = b(i, j);
      std::vector<double> y = factors.solve(column);
      residual = std::fmax(residual, refine(a, column, y, factors));
      for (std::size_t i = 0; i < b.n_rows; ++i) x(i, j) = y[i];
    }
  };
  const CompletePivoting elimination(a);
  elimination.usable() ? each_column(elimination) : each_column(SingularValues(a));
  return x;
}

void orthonormalize(Matrix& columns) {
  for (std::size_t j = 0; j < columns.n_cols; ++j) {
    for (int round = 0; round < 2; ++round) {  // twice is enough (Kahan)
      for (std::size_t l = 0; l < j; ++l) {
        double part = 0.0;
        for (std::size_t i = 0; i < columns.n_rows; ++i) part += columns(i, j) * columns(i, l);
        for (std::size_t i = 0; i < columns.n_rows; ++i) columns(i, j) -= part * columns(i, l);
      }
    }
    double length2 = 0.0;
    for (std::size_t i = 0; i < columns.n_rows; ++i) length2 += columns(i, j) * columns(i, j);
    const double inverse = 1.0 / std::sqrt(length2);
    for (std::size_t i = 0; i < columns.n_rows; ++i) columns(i, j) *= inverse;
  }
}

}  // namespace saltus::detail
