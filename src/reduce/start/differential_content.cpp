#include "reduce/start/differential_content.hpp"

#include <algorithm>
#include <cmath>

#include "reduce/matrix/jacobi_svd.hpp"
#include "reduce/array/projectors.hpp"

namespace saltus::detail {

namespace {

/// Entries of a matrix on a pattern, by rows.
struct RowEntries {
  std::vector<std::vector<std::size_t>> values, derivatives;  // unknowns in each equation
};

RowEntries entries_by_row(const CscPattern& p, const std::vector<double>& a,
                          const std::vector<double>& b) {
  RowEntries rows;
  rows.values.resize(static_cast<std::size_t>(p.n_rows));
  rows.derivatives.resize(static_cast<std::size_t>(p.n_rows));
  for (std::size_t j = 0; j < static_cast<std::size_t>(p.n_cols); ++j) {
    const auto end = static_cast<std::size_t>(p.column_start[j + 1]);
    for (auto s = static_cast<std::size_t>(p.column_start[j]); s < end; ++s) {
      const auto row = static_cast<std::size_t>(p.row[s]);
      if (b[s] != 0.0) {
        rows.derivatives[row].push_back(j);
      } else if (a[s] != 0.0) {
        rows.values[row].push_back(j);
      }
    }
  }
  return rows;
}

/// The directions that the algebraic equations leave free and E does not see, for u > 0.
Eigen::MatrixXd undetermined_directions(const Eigen::MatrixXd& t2, const Eigen::MatrixXd& e,
                                        Eigen::Index d) {
  if (t2.cols() == d) return Eigen::MatrixXd(t2.rows(), 0);
  const RealSvd svd(e * t2, Eigen::ComputeFullV);
  return t2 * svd.matrixV().rightCols(t2.cols() - d);
}

/// The matrix of (I.8), for the unknowns u_0, d_0 … d_{mu-1}.
Eigen::MatrixXd jump_equations(const ContentAt& at) {
  const CscPattern& p = at.pattern;
  const auto m = static_cast<Eigen::Index>(p.n_rows), n = static_cast<Eigen::Index>(p.n_cols);
  const Eigen::Index mu = at.ranks.level;
  const auto nnz = static_cast<std::size_t>(p.nnz());
  Eigen::MatrixXd equations = Eigen::MatrixXd::Zero((mu + 1) * m, (mu + 1) * n);
  for (Eigen::Index column = 0; column < n; ++column) {
    const auto c = static_cast<std::size_t>(column);
    const auto end = static_cast<std::size_t>(p.column_start[c + 1]);
    for (auto s = static_cast<std::size_t>(p.column_start[c]); s < end; ++s) {
      const auto row = static_cast<Eigen::Index>(p.row[s]);
      const int unit =
          at.scaling.row_exponent[static_cast<std::size_t>(row)] + at.scaling.column_exponent[c];
      for (Eigen::Index i = 0; i <= mu; ++i) {
        const int order = static_cast<int>(i), tau = at.scaling.time_exponent;
        const std::size_t slot = static_cast<std::size_t>(i) * nnz + s;
        const double a = std::ldexp(at.coefficients.a[slot], unit + tau * order);
        const double b = std::ldexp(at.coefficients.b[slot], unit + tau * (order - 1));
        for (Eigen::Index k = 0; k + i <= mu; ++k) {
          const Eigen::Index j = k + i;
          if (j < mu) equations(k * m + row, (j + 1) * n + column) += a;
          equations(k * m + row, j * n + column) += j == 0 ? b : -static_cast<double>(j) * b;
        }
      }
    }
  }
  return equations;
}

void make_rows_of_length_one(Eigen::MatrixXd& rows) {
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const double size = rows.row(i).norm();
    if (size > 0) rows.row(i) /= size;
  }
}

/// n_null columns that the matrix maps to zero; none if it does not clearly have as many.
std::optional<Eigen::MatrixXd> null_vectors(const Eigen::MatrixXd& matrix, Eigen::Index n_null) {
  constexpr double clearly = 1e6;
  const Eigen::Index n = matrix.cols(), rank = n - n_null;
  if (matrix.rows() < rank) return std::nullopt;
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(matrix);
  const auto pivot = [&](Eigen::Index k) {
    return k < std::min(matrix.rows(), n) ? std::abs(qr.matrixR()(k, k)) : 0.0;
  };
  if (rank > 0 && !(pivot(rank - 1) > clearly * pivot(rank))) return std::nullopt;
  Eigen::MatrixXd turned(n, n_null);
  turned.bottomRows(n_null).setIdentity();
  turned.topRows(rank) = -qr.matrixR()
                              .topLeftCorner(rank, rank)
                              .triangularView<Eigen::Upper>()
                              .solve(qr.matrixR().topRightCorner(rank, n_null));
  return qr.colsPermutation() * turned;
}

/// Rows of the same space as rows that are independent, each with an unknown of its own and without those of the
/// others: unknowns that do not jump stand alone.
Eigen::MatrixXd echelon_of(const Eigen::MatrixXd& rows) {
  constexpr double rounding = 1e-13;
  const Eigen::Index d = rows.rows(), n = rows.cols();
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(rows);
  Eigen::MatrixXd turned(d, n);
  turned.leftCols(d).setIdentity();
  turned.rightCols(n - d) = qr.matrixR().topLeftCorner(d, d).triangularView<Eigen::Upper>().solve(
      qr.matrixR().topRightCorner(d, n - d));
  Eigen::MatrixXd echelon = turned * qr.colsPermutation().transpose();
  echelon = (echelon.array().abs() > rounding).select(echelon, 0.0);
  make_rows_of_length_one(echelon);
  return echelon;
}

/// Rows that vanish on the columns; none if these are not independent.
std::optional<Eigen::MatrixXd> annihilator(Eigen::MatrixXd columns) {
  constexpr double independent = 1e-9;
  if (columns.cols() == 0) return Eigen::MatrixXd::Identity(columns.rows(), columns.rows());
  for (Eigen::Index j = 0; j < columns.cols(); ++j) {
    const double size = columns.col(j).norm();
    if (!(size > 0)) return std::nullopt;
    columns.col(j) /= size;
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
  qr.setThreshold(independent);
  qr.compute(columns);
  if (qr.rank() < columns.cols()) return std::nullopt;
  const Eigen::MatrixXd q = qr.householderQ();
  return echelon_of(q.rightCols(columns.rows() - columns.cols()).transpose());
}

}  // namespace

std::vector<int> differentiation_orders(const CscPattern& pattern, const std::vector<double>& a,
                                        const std::vector<double>& b) {
  const RowEntries rows = entries_by_row(pattern, a, b);
  const std::size_t n_rows = rows.values.size();
  std::vector<int> of_unknown(static_cast<std::size_t>(pattern.n_cols), unconstrained);
  for (std::size_t i = 0; i < n_rows; ++i) {
    if (!rows.derivatives[i].empty()) continue;
    for (const std::size_t j : rows.values[i]) of_unknown[j] = 0;
  }
  const auto of_row = [&](std::size_t i) {
    int order = unconstrained;
    for (const std::size_t j : rows.derivatives[i]) order = std::min(order, of_unknown[j]);
    return order;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < n_rows; ++i) {
      const int order = of_row(i);
      if (rows.derivatives[i].empty() || order == unconstrained) continue;
      for (const std::size_t j : rows.values[i]) {
        if (of_unknown[j] <= order + 1) continue;
        of_unknown[j] = order + 1;
        changed = true;
      }
    }
  }
  return of_unknown;
}

std::optional<Eigen::MatrixXd> differential_content(const ContentAt& at,
                                                    const DenseMatrix<double>& array) {
  const auto n = static_cast<Eigen::Index>(at.pattern.n_cols);
  const auto d = static_cast<Eigen::Index>(at.ranks.d.rank),
             a = static_cast<Eigen::Index>(at.ranks.a.rank);
  if (d == 0) return Eigen::MatrixXd(0, n);
  Eigen::MatrixXd equations = jump_equations(at);
  Eigen::MatrixXd open(n, 0);
  if (d + a < n) {
    const Projectors basis = projectors(array, static_cast<std::size_t>(n), at.ranks);
    const auto m = static_cast<Eigen::Index>(at.pattern.n_rows);
    open = undetermined_directions(basis.t2, to_eigen(array).bottomLeftCorner(m, n), d);
    const Eigen::Index n_blocks = equations.cols() / n, n_rows = equations.rows();
    const Eigen::MatrixXd rows = open.transpose() * at.unit.cwiseAbs2().cwiseInverse().asDiagonal();
    equations.conservativeResize(n_rows + n_blocks * rows.rows(), Eigen::NoChange);
    equations.bottomRows(n_blocks * rows.rows()).setZero();
    for (Eigen::Index k = 0; k < n_blocks; ++k)
      equations.block(n_rows + k * rows.rows(), k * n, rows.rows(), n) = rows;
  }
  if (!equations.allFinite()) return std::nullopt;
  make_rows_of_length_one(equations);
  const auto jumps = null_vectors(equations, a);
  if (!jumps) return std::nullopt;
  Eigen::MatrixXd directions(n, a + open.cols());
  directions << jumps->topRows(n), open;
  return annihilator(std::move(directions));
}

Eigen::MatrixXd tangential_content(const ContentAt& at, const DenseMatrix<double>& array,
                                   std::span<const std::uint8_t> has_derivative) {
  const auto n = static_cast<Eigen::Index>(at.pattern.n_cols);
  const auto m = static_cast<Eigen::Index>(at.pattern.n_rows);
  const auto d = static_cast<Eigen::Index>(at.ranks.d.rank);
  const Projectors basis = projectors(array, static_cast<std::size_t>(n), at.ranks);
  const Eigen::MatrixXd e = to_eigen(array).bottomLeftCorner(m, n);
  const RealSvd svd(e * basis.t2, Eigen::ComputeFullV);
  Eigen::MatrixXd w = (basis.t2 * svd.matrixV().leftCols(d)).transpose() *
                      at.unit.cwiseAbs2().cwiseInverse().asDiagonal();
  for (Eigen::Index j = 0; j < n; ++j)
    if (!has_derivative[static_cast<std::size_t>(j)]) w.col(j).setZero();
  make_rows_of_length_one(w);
  return w;
}

}  // namespace saltus::detail
