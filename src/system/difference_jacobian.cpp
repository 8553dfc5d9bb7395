#include "system/difference_jacobian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace saltus::detail {

namespace {

std::span<const index_t> rows_of_column(const CscPattern& p, index_t column) {
  const auto j = static_cast<std::size_t>(column);
  return std::span(p.row).subspan(
      static_cast<std::size_t>(p.column_start[j]),
      static_cast<std::size_t>(p.column_start[j + 1] - p.column_start[j]));
}

}  // namespace

ColumnGroups::ColumnGroups(const CscPattern& pattern) : start_{0} {
  std::vector<index_t> waiting(static_cast<std::size_t>(pattern.n_cols));
  std::iota(waiting.begin(), waiting.end(), index_t{0});
  columns_.reserve(waiting.size());
  // The number of the last group that has an entry in the row.
  std::vector<std::size_t> taken_by(static_cast<std::size_t>(pattern.n_rows), 0);
  for (std::size_t group = 1; !waiting.empty(); ++group) {
    std::erase_if(waiting, [&](index_t column) {
      const auto rows = rows_of_column(pattern, column);
      const bool fits = std::none_of(rows.begin(), rows.end(), [&](index_t i) {
        return taken_by[static_cast<std::size_t>(i)] == group;
      });
      if (!fits) return false;
      for (const index_t i : rows) taken_by[static_cast<std::size_t>(i)] = group;
      columns_.push_back(column);
      return true;
    });
    start_.push_back(columns_.size());
  }
}

DifferenceJacobian::DifferenceJacobian(const CscPattern& pattern, const ColumnGroups& groups,
                                       std::span<const double> nominal, Residual residual)
    : pattern_(pattern), groups_(groups), nominal_(nominal), residual_(std::move(residual)) {
  for (auto* v : {&x_, &xdot_, &f_base_, &f_moved_, &before_}) v->assign(nominal.size(), 0.0);
}

Evaluation DifferenceJacobian::begin(double t, std::span<const double> x,
                                     std::span<const double> xdot) {
  t_ = t;
  std::copy(x.begin(), x.end(), x_.begin());
  std::copy(xdot.begin(), xdot.end(), xdot_.begin());
  return residual_(t_, x_, xdot_, f_base_);
}

Evaluation DifferenceJacobian::by_x(std::span<double> df_dx) {
  moved_ = &x_;
  wanted_ = {};
  return all_columns(df_dx);
}

Evaluation DifferenceJacobian::by_xdot(std::span<const std::uint8_t> carries_derivative,
                                       std::span<double> df_dxdot) {
  std::fill(df_dxdot.begin(), df_dxdot.end(), 0.0);
  moved_ = &xdot_;
  wanted_ = carries_derivative;
  return all_columns(df_dxdot);
}

bool DifferenceJacobian::is_wanted(index_t column) const {
  return wanted_.empty() || wanted_[static_cast<std::size_t>(column)] != 0;
}

Evaluation DifferenceJacobian::all_columns(std::span<double> values) {
  for (std::size_t g = 0; g < groups_.count(); ++g) {
    const auto columns = groups_.group(g);
    if (std::none_of(columns.begin(), columns.end(), [&](index_t j) { return is_wanted(j); })) {
      continue;
    }
    Evaluation done = on_either_side(columns, values);
    if (done.status() == Evaluation::Status::out_of_domain && columns.size() > 1) {
      // One column of the group may be at its upper limit and another at its lower one.
      done = one_by_one(columns, values);
    }
    if (!done) return done;
  }
  return Evaluation::ok();
}

Evaluation DifferenceJacobian::one_by_one(std::span<const index_t> columns,
                                          std::span<double> values) {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (!is_wanted(columns[k])) continue;
    const Evaluation done = on_either_side(columns.subspan(k, 1), values);
    if (!done) return done;
  }
  return Evaluation::ok();
}

Evaluation DifferenceJacobian::on_either_side(std::span<const index_t> columns,
                                              std::span<double> values) {
  const Evaluation above = on_side(1.0, columns, values);
  if (above.status() != Evaluation::Status::out_of_domain) return above;
  return on_side(-1.0, columns, values);
}

Evaluation DifferenceJacobian::on_side(double side, std::span<const index_t> columns,
                                       std::span<double> values) {
  static const double relative = std::sqrt(std::numeric_limits<double>::epsilon());
  std::vector<double>& point = *moved_;
  for (const index_t column : columns) {
    const auto j = static_cast<std::size_t>(column);
    before_[j] = point[j];
    if (is_wanted(column)) {
      point[j] += side * relative * std::max(std::fabs(point[j]), nominal_[j]);
    }
  }
  const Evaluation evaluation = residual_(t_, x_, xdot_, f_moved_);
  for (const index_t column : columns) {
    const auto j = static_cast<std::size_t>(column);
    // What was really added, after rounding.
    const double increment = point[j] - before_[j];
    point[j] = before_[j];
    if (!evaluation || !is_wanted(column)) continue;
    const auto end = static_cast<std::size_t>(pattern_.column_start[j + 1]);
    for (auto s = static_cast<std::size_t>(pattern_.column_start[j]); s < end; ++s) {
      const auto i = static_cast<std::size_t>(pattern_.row[s]);
      values[s] = (f_moved_[i] - f_base_[i]) / increment;
    }
  }
  return evaluation;
}

}  // namespace saltus::detail
