#include "reduce/array/second_order_array.hpp"

#include <cmath>

#include <saltus/core/error.hpp>

#include "reduce/array/scaling.hpp"

namespace saltus::detail {

namespace {

constexpr std::uint32_t no_such_number = ~0u;

bool all_zero_from(const std::vector<Quad>& series, std::size_t slot, std::size_t nnz,
                   std::size_t first_level) {
  for (std::size_t k = first_level * nnz + slot; k < series.size(); k += nnz) {
    if (series[k] != Quad(0.0)) return false;
  }
  return true;
}

/// j (j - 1) … with `order` factors.
double falling_factorial(std::size_t j, int order) {
  double product = 1.0;
  for (int k = 0; k < order; ++k) product *= static_cast<double>(j) - k;
  return product;
}

}  // namespace

std::vector<DerivativeLink> derivative_links(const CscPattern& pattern,
                                             const ArrayCoefficients<Quad>& coefficients) {
  struct RowEntries {
    std::uint32_t of = no_such_number, derivative = no_such_number;
    Quad b, a;
    bool other = false;
  };
  const auto nnz = static_cast<std::size_t>(pattern.nnz());
  std::vector<RowEntries> rows(static_cast<std::size_t>(pattern.n_rows));
  for (std::uint32_t column = 0; column < static_cast<std::uint32_t>(pattern.n_cols); ++column) {
    for (auto s = static_cast<std::size_t>(pattern.column_start[column]);
         s < static_cast<std::size_t>(pattern.column_start[column + 1]); ++s) {
      RowEntries& row = rows[static_cast<std::size_t>(pattern.row[s])];
      const bool in_a = !all_zero_from(coefficients.a, s, nnz, 0);
      const bool in_b = !all_zero_from(coefficients.b, s, nnz, 0);
      if (!in_a && !in_b) continue;
      const bool constant =
          all_zero_from(coefficients.a, s, nnz, 1) && all_zero_from(coefficients.b, s, nnz, 1);
      std::uint32_t& place = in_b ? row.of : row.derivative;
      row.other = row.other || !constant || (in_a && in_b) || place != no_such_number;
      place = column;
      (in_b ? row.b : row.a) = in_b ? coefficients.b[s] : coefficients.a[s];
    }
  }
  std::vector<DerivativeLink> links;
  std::vector<char> taken(static_cast<std::size_t>(pattern.n_cols), 0);
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    const RowEntries& row = rows[i];
    if (row.other || row.of == no_such_number || row.derivative == no_such_number ||
        row.a + row.b != Quad(0.0)) {
      continue;
    }
    if (taken[row.of] || taken[row.derivative]) continue;
    taken[row.of] = taken[row.derivative] = 1;
    links.push_back({i, row.of, row.derivative});
  }
  return links;
}

SecondOrderArray::SecondOrderArray(const CscPattern& pattern,
                                   const ArrayCoefficients<Quad>& coefficients) {
  const auto nnz = static_cast<std::size_t>(pattern.nnz());
  std::vector<std::uint32_t> new_row(static_cast<std::size_t>(pattern.n_rows), 0);
  std::vector<std::uint32_t> new_column(static_cast<std::size_t>(pattern.n_cols), 0);
  std::vector<std::uint32_t> shift(new_column.size(), 0);
  const std::vector<DerivativeLink> links = derivative_links(pattern, coefficients);
  for (const DerivativeLink& link : links) {
    new_row[link.row] = new_column[link.derivative] = no_such_number;
    shift[link.derivative] = 1;
  }
  for (std::uint32_t& row : new_row) {
    if (row != no_such_number) row = static_cast<std::uint32_t>(m_++);
  }
  for (std::uint32_t& column : new_column) {
    if (column != no_such_number) column = static_cast<std::uint32_t>(n_++);
  }
  for (const DerivativeLink& link : links) new_column[link.derivative] = new_column[link.of];

  for (std::size_t column = 0; column < new_column.size(); ++column) {
    for (auto s = static_cast<std::size_t>(pattern.column_start[column]);
         s < static_cast<std::size_t>(pattern.column_start[column + 1]); ++s) {
      const std::uint32_t row = new_row[static_cast<std::size_t>(pattern.row[s])];
      if (row == no_such_number) continue;
      for (const int by_derivative : {0, 1}) {
        const std::vector<Quad>& all = by_derivative ? coefficients.b : coefficients.a;
        if (all_zero_from(all, s, nnz, 0)) continue;
        Entry entry{row, new_column[column], by_derivative + static_cast<int>(shift[column]), {}};
        for (std::size_t k = s; k < all.size(); k += nnz) entry.series.push_back(all[k]);
        entries_.push_back(std::move(entry));
      }
    }
  }
}

ArrayScaling SecondOrderArray::scaling() const {
  std::vector<ScalingEntry> sizes;
  for (const Entry& e : entries_) {
    sizes.push_back({e.row, e.column, e.order, std::abs(static_cast<double>(e.series[0]))});
  }
  return curtis_reid_scaling(m_, n_, sizes);
}

DenseMatrix<Quad> SecondOrderArray::jacobian(int level, const ArrayScaling& scaling) const {
  const auto n_levels = static_cast<std::size_t>(level) + 1;
  DenseMatrix<Quad> jacobian(n_levels * m_, (n_levels + 2) * n_);
  for (const Entry& e : entries_) {
    SALTUS_ASSERT(e.series.size() >= n_levels);
    const int unit = scaling.row_exponent[e.row] + scaling.column_exponent[e.column];
    const auto order = static_cast<std::size_t>(e.order);
    for (std::size_t k = 0; k < n_levels; ++k) {
      for (std::size_t j = order; j <= k + order; ++j) {
        const int exponent =
            unit + scaling.time_exponent * (static_cast<int>(k) - static_cast<int>(j));
        jacobian(k * m_ + e.row, j * n_ + e.column) += Quad(falling_factorial(j, e.order)) *
                                                       e.series[k + order - j] *
                                                       power_of_two<Quad>(exponent);
      }
    }
  }
  return jacobian;
}

DenseMatrix<Quad> SecondOrderArray::leading(const ArrayScaling& scaling) const {
  const DenseMatrix<Quad> level_0 = jacobian(0, scaling);
  DenseMatrix<Quad> leading(m_, n_);
  for (std::size_t i = 0; i < m_; ++i) {
    for (std::size_t j = 0; j < n_; ++j) leading(i, j) = level_0(i, 2 * n_ + j);
  }
  return leading;
}

}  // namespace saltus::detail
