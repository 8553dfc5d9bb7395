// Equations between the limits of an instant, or of a start, as rows below a derivative array.
//
// With unknowns x_j = 2^(c_j) xi_j as in the array, row i is rho_i = r_i / |dr_i/dxi|, the norm taken where
// the search begins: rows of size one, whatever units the equations were written in. Initial equations also read
// x' = 2^(c - tau) xi_1.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <saltus/reduce/index_analysis.hpp>
#include <saltus/system/initial_equations.hpp>
#include <saltus/system/transition.hpp>

#include "numerics/eigen.hpp"

namespace saltus::detail {

class LimitRows {
 public:
  /// `x` in the user's units; equations and scaling outlive the object.
  LimitRows(LimitEquations& equations, const ArrayScaling& scaling, std::vector<double> x);
  LimitRows(InitialEquations& equations, double t, const ArrayScaling& scaling,
            const std::vector<double>& x, const std::vector<double>& xdot);

  Eigen::Index count() const { return static_cast<Eigen::Index>(r_.size()); }
  std::string name(Eigen::Index row) const { return name_(static_cast<std::uint32_t>(row)); }
  /// They belong to a start of a run, not to a transition.
  bool are_initial() const { return are_initial_; }

  /// At the first unknowns of xi. `row` of a failed evaluation is one of these rows.
  Evaluation residual(const Eigen::VectorXd& xi, Eigen::VectorXd& rho);
  /// drho/dxi, one column per entry that may be read.
  Evaluation jacobian(const Eigen::VectorXd& xi, Eigen::MatrixXd& drho);

 private:
  /// Of the point, which is x, or x and x'.
  using Rows = std::function<Evaluation(std::span<const double> point, std::span<double> to)>;

  void scale_rows();
  int exponent(std::size_t j) const;
  void set_point(const Eigen::VectorXd& xi);
  Evaluation unscaled_jacobian(Eigen::MatrixXd& drho);

  Rows residual_, jacobian_;
  std::function<std::string(std::uint32_t)> name_;
  bool are_initial_ = false;
  const ArrayScaling& scaling_;
  std::vector<double> point_, r_, dr_;
  Eigen::VectorXd factor_;
};

}  // namespace saltus::detail
