#include "reduce/limit_rows.hpp"

#include <cmath>

namespace saltus::detail {

LimitRows::LimitRows(LimitEquations& equations, const ArrayScaling& scaling, std::vector<double> x)
    : equations_(equations),
      scaling_(scaling),
      x_(std::move(x)),
      r_(equations.count()),
      dr_(r_.size() * x_.size()),
      factor_(Eigen::VectorXd::Ones(count())) {
  Eigen::MatrixXd at_first;
  if (!unscaled_jacobian(at_first)) return;
  for (Eigen::Index i = 0; i < count(); ++i) {
    const double size = at_first.row(i).norm();
    if (size > 0 && std::isfinite(size)) factor_[i] = 1.0 / size;
  }
}

void LimitRows::set_x(const Eigen::VectorXd& xi) {
  for (std::size_t j = 0; j < x_.size(); ++j) {
    x_[j] = std::ldexp(xi[static_cast<Eigen::Index>(j)], scaling_.column_exponent[j]);
  }
}

Evaluation LimitRows::unscaled_jacobian(Eigen::MatrixXd& drho) {
  const Evaluation evaluated = equations_.jacobian(x_, dr_);
  if (!evaluated) return evaluated;
  drho.resize(count(), static_cast<Eigen::Index>(x_.size()));
  for (std::size_t k = 0; k < dr_.size(); ++k) {
    const std::size_t i = k / x_.size(), j = k % x_.size();
    drho(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
        std::ldexp(dr_[k], scaling_.column_exponent[j]);
  }
  return evaluated;
}

Evaluation LimitRows::residual(const Eigen::VectorXd& xi, Eigen::VectorXd& rho) {
  set_x(xi);
  const Evaluation evaluated = equations_.residual(x_, r_);
  if (!evaluated) return evaluated;
  rho = factor_.cwiseProduct(Eigen::Map<const Eigen::VectorXd>(r_.data(), count()));
  return evaluated;
}

Evaluation LimitRows::jacobian(const Eigen::VectorXd& xi, Eigen::MatrixXd& drho) {
  set_x(xi);
  const Evaluation evaluated = unscaled_jacobian(drho);
  if (evaluated) drho = factor_.asDiagonal() * drho;
  return evaluated;
}

}  // namespace saltus::detail
