// dF/dx and dF/dx' by one-sided differences, several columns at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <saltus/numerics/sparse.hpp>
#include <saltus/system/evaluation.hpp>

namespace saltus::detail {

/// Columns without a common row: moving all columns of a group at once still tells their effects
/// apart. Built first fit, one group after the other (Curtis, Powell and Reid, "On the estimation of
/// sparse Jacobian matrices", J. Inst. Maths Applics 13 (1974) 117-119).
class ColumnGroups {
 public:
  explicit ColumnGroups(const CscPattern& pattern);

  std::size_t count() const { return start_.size() - 1; }
  std::span<const index_t> group(std::size_t which) const {
    return std::span(columns_).subspan(start_[which], start_[which + 1] - start_[which]);
  }

 private:
  std::vector<index_t> columns_;
  std::vector<std::size_t> start_;
};

/// One-sided: central differences would cost twice the evaluations for digits that a Newton
/// iteration has no use for. The increment sqrt(eps) max(|x|, nominal) balances rounding, about
/// eps |F|/h, with the neglected curvature, about h |F''|/2: half of the digits are right when the
/// nominal value is. A point that is out of domain is tried on the other side.
class DifferenceJacobian {
 public:
  using Residual = std::function<Evaluation(double t, std::span<const double> x,
                                            std::span<const double> xdot, std::span<double> f)>;

  /// Pattern, groups and nominal values are kept by reference; the residual must return finite
  /// values or say which row is not.
  DifferenceJacobian(const CscPattern& pattern, const ColumnGroups& groups,
                     std::span<const double> nominal, Residual residual);

  /// Where the next differences are taken.
  Evaluation begin(double t, std::span<const double> x, std::span<const double> xdot);
  Evaluation by_x(std::span<double> df_dx);
  /// Columns of unknowns without a flag are zero and cost nothing.
  Evaluation by_xdot(std::span<const std::uint8_t> carries_derivative, std::span<double> df_dxdot);

 private:
  bool is_wanted(index_t column) const;
  Evaluation all_columns(std::span<double> values);
  Evaluation one_by_one(std::span<const index_t> columns, std::span<double> values);
  Evaluation on_either_side(std::span<const index_t> columns, std::span<double> values);
  Evaluation on_side(double side, std::span<const index_t> columns, std::span<double> values);

  const CscPattern& pattern_;
  const ColumnGroups& groups_;
  std::span<const double> nominal_;
  Residual residual_;

  double t_ = 0.0;
  std::vector<double> x_, xdot_, f_base_, f_moved_, before_;
  std::vector<double>* moved_ = nullptr;  // x_ or xdot_
  std::span<const std::uint8_t> wanted_;  // empty: all columns
};

}  // namespace saltus::detail
