// Equations between the limits of an instant as rows below a derivative array.
//
// With unknowns x_j = 2^(c_j) xi_j as in the array, row i is rho_i = r_i / |dr_i/dxi|, the norm taken where
// the search begins: rows of size one, whatever units the equations were written in.
#pragma once

#include <string>
#include <vector>

#include <eigen3/Eigen/Dense>

#include <saltus/reduce/index_analysis.hpp>
#include <saltus/system/transition.hpp>

namespace saltus::detail {

class LimitRows {
 public:
  /// `x` in the user's units; both arguments outlive the object.
  LimitRows(LimitEquations& equations, const ArrayScaling& scaling, std::vector<double> x);

  Eigen::Index count() const { return static_cast<Eigen::Index>(equations_.count()); }
  std::string name(Eigen::Index row) const {
    return equations_.name(static_cast<std::uint32_t>(row));
  }

  /// At the first unknowns of xi. `row` of a failed evaluation is one of these rows.
  Evaluation residual(const Eigen::VectorXd& xi, Eigen::VectorXd& rho);
  /// drho/dxi, one column per unknown.
  Evaluation jacobian(const Eigen::VectorXd& xi, Eigen::MatrixXd& drho);

 private:
  void set_x(const Eigen::VectorXd& xi);
  Evaluation unscaled_jacobian(Eigen::MatrixXd& drho);

  LimitEquations& equations_;
  const ArrayScaling& scaling_;
  std::vector<double> x_, r_, dr_;
  Eigen::VectorXd factor_;
};

}  // namespace saltus::detail
