#include "reduce/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <eigen3/Eigen/Dense>

namespace saltus::detail {

namespace {

constexpr double scaling_noise = 1e-14;
// With these bounds no product of factors leaves the range of doubles up to level 9:
// 200 + 200 + 10 * 60 < 1022.
constexpr int largest_unit_exponent = 200;
constexpr int largest_time_exponent = 60;

int rounded_exponent(double value, int bound) {
  return static_cast<int>(std::clamp(std::round(value), -1.0 * bound, 1.0 * bound));
}

/// Adds the normal equations of one matrix, in binary logarithms; sign is the coefficient of log h.
void add_normal_equations(const CscPattern& pattern, std::span<const double> values, int sign,
                          Eigen::MatrixXd& normal, Eigen::VectorXd& rhs) {
  const auto m = static_cast<Eigen::Index>(pattern.n_rows);
  const auto n = static_cast<Eigen::Index>(pattern.n_cols);
  std::vector<double> row_maximum(static_cast<std::size_t>(m), 0.0);
  for (std::size_t s = 0; s < pattern.row.size(); ++s) {
    double& largest = row_maximum[static_cast<std::size_t>(pattern.row[s])];
    largest = std::max(largest, std::abs(values[s]));
  }
  for (Eigen::Index column = 0; column < n; ++column) {
    const auto j = static_cast<std::size_t>(column);
    for (auto s = static_cast<std::size_t>(pattern.column_start[j]);
         s < static_cast<std::size_t>(pattern.column_start[j + 1]); ++s) {
      const auto row = static_cast<Eigen::Index>(pattern.row[s]);
      const double size = std::abs(values[s]);
      if (!(size > scaling_noise * row_maximum[static_cast<std::size_t>(row)])) continue;
      const Eigen::Index at[3] = {row, m + column, m + n};
      const double coefficient[3] = {1.0, 1.0, static_cast<double>(sign)};
      for (int p = 0; p < 3; ++p) {
        for (int q = 0; q < 3; ++q) normal(at[p], at[q]) += coefficient[p] * coefficient[q];
        rhs[at[p]] -= coefficient[p] * std::log2(size);
      }
    }
  }
}

}  // namespace

ArrayScaling curtis_reid_scaling(const CscPattern& pattern, std::span<const double> a,
                                 std::span<const double> b) {
  const auto m = static_cast<Eigen::Index>(pattern.n_rows);
  const auto n = static_cast<Eigen::Index>(pattern.n_cols);
  Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(m + n + 1, m + n + 1);
  Eigen::VectorXd rhs = Eigen::VectorXd::Zero(m + n + 1);
  add_normal_equations(pattern, a, 0, normal, rhs);
  add_normal_equations(pattern, b, -1, normal, rhs);
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
