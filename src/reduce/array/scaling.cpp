#include "reduce/array/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "numerics/eigen.hpp"

namespace saltus::detail {

namespace {

constexpr double scaling_noise = 1e-14;
// An entry this far below the largest of its row and the largest of its column is no coefficient but what
// an iteration left of a zero (a term times an acceleration of 1e-10, say); its logarithm would bend
// the scaling of everything it touches. Units of 10^±3 make 1e-6 of both.
constexpr double leftover = 1e-12;
constexpr int largest_unit_exponent = 200;

int rounded_exponent(double value, int bound) {
  return static_cast<int>(std::clamp(std::round(value), -1.0 * bound, 1.0 * bound));
}

void append_entries(const CscPattern& pattern, std::span<const double> values, int order,
                    std::vector<ScalingEntry>& entries) {
  for (std::uint32_t column = 0; column < static_cast<std::uint32_t>(pattern.n_cols); ++column) {
    for (auto s = static_cast<std::size_t>(pattern.column_start[column]);
         s < static_cast<std::size_t>(pattern.column_start[column + 1]); ++s) {
      entries.push_back(
          {static_cast<std::uint32_t>(pattern.row[s]), column, order, std::abs(values[s])});
    }
  }
}

}  // namespace

ArrayScaling curtis_reid_scaling(const CscPattern& pattern, std::span<const double> a,
                                 std::span<const double> b) {
  std::vector<ScalingEntry> entries;
  append_entries(pattern, a, 0, entries);
  append_entries(pattern, b, 1, entries);
  return curtis_reid_scaling(static_cast<std::size_t>(pattern.n_rows),
                             static_cast<std::size_t>(pattern.n_cols), entries);
}

ArrayScaling curtis_reid_scaling(std::size_t n_rows, std::size_t n_columns,
                                 std::span<const ScalingEntry> entries) {
  const auto m = static_cast<Eigen::Index>(n_rows), n = static_cast<Eigen::Index>(n_columns);
  std::map<std::pair<std::uint32_t, int>, double> row_maximum, column_maximum;
  for (const ScalingEntry& e : entries) {
    double& of_row = row_maximum[{e.row, e.order}];
    double& of_column = column_maximum[{e.column, e.order}];
    of_row = std::max(of_row, e.size);
    of_column = std::max(of_column, e.size);
  }
  // Normal equations, in binary logarithms.
  Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(m + n + 1, m + n + 1);
  Eigen::VectorXd rhs = Eigen::VectorXd::Zero(m + n + 1);
  for (const ScalingEntry& e : entries) {
    const double of_row = row_maximum[{e.row, e.order}];
    const double of_column = column_maximum[{e.column, e.order}];
    if (!(e.size > scaling_noise * of_row)) continue;
    if (e.size < leftover * std::min(of_row, of_column)) continue;
    const Eigen::Index at[3] = {static_cast<Eigen::Index>(e.row),
                                m + static_cast<Eigen::Index>(e.column), m + n};
    const double coefficient[3] = {1.0, 1.0, -1.0 * e.order};
    for (int p = 0; p < 3; ++p) {
      for (int q = 0; q < 3; ++q) normal(at[p], at[q]) += coefficient[p] * coefficient[q];
      rhs[at[p]] -= coefficient[p] * std::log2(e.size);
    }
  }
  // The entries are small integers: what is not zero is far above this threshold.
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
  decomposition.setThreshold(1e-9);
  decomposition.compute(normal);
  const Eigen::VectorXd logs = decomposition.solve(rhs);

  ArrayScaling scaling;
  for (Eigen::Index i = 0; i < m; ++i) {
    scaling.row_exponent.push_back(rounded_exponent(logs[i], largest_unit_exponent));
  }
  for (Eigen::Index j = 0; j < n; ++j) {
    scaling.column_exponent.push_back(rounded_exponent(logs[m + j], largest_unit_exponent));
  }
  scaling.time_exponent = rounded_exponent(logs[m + n], largest_time_exponent);
  return scaling;
}

}  // namespace saltus::detail
