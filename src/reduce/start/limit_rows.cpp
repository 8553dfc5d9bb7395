#include "reduce/start/limit_rows.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::detail {

LimitRows::LimitRows(LimitEquations& equations, const ArrayScaling& scaling, std::vector<double> x)
    : residual_([&equations](std::span<const double> at, std::span<double> r) {
        return equations.residual(at, r);
      }),
      jacobian_([&equations](std::span<const double> at, std::span<double> dr) {
        return equations.jacobian(at, dr);
      }),
      name_([&equations](std::uint32_t row) { return equations.name(row); }),
      scaling_(scaling),
      point_(std::move(x)),
      r_(equations.count()) {
  scale_rows();
}

LimitRows::LimitRows(InitialEquations& equations, double t, const ArrayScaling& scaling,
                     const std::vector<double>& x, const std::vector<double>& xdot)
    : residual_([&equations, t](std::span<const double> at, std::span<double> r) {
        const std::size_t n = at.size() / 2;
        return equations.residual(t, at.first(n), at.last(n), r);
      }),
      jacobian_([&equations, t, values = std::vector<double>()](std::span<const double> at,
                                                                std::span<double> dr) mutable {
        const std::size_t n = at.size() / 2;
        const CscPattern& p = equations.pattern();
        values.resize(static_cast<std::size_t>(p.nnz()));
        std::ranges::fill(dr, 0.0);
        const Evaluation e = equations.jacobian(t, at.first(n), at.last(n), values);
        for (std::size_t j = 0; e && j < at.size(); ++j)
          for (auto s = static_cast<std::size_t>(p.column_start[j]);
               s < static_cast<std::size_t>(p.column_start[j + 1]); ++s)
            dr[static_cast<std::size_t>(p.row[s]) * at.size() + j] = values[s];
        return e;
      }),
      name_([&equations](std::uint32_t row) { return equations.name(row); }),
      are_initial_(true),
      scaling_(scaling),
      point_(x),
      r_(equations.count()) {
  point_.insert(point_.end(), xdot.begin(), xdot.end());
  scale_rows();
}

void LimitRows::scale_rows() {
  dr_.resize(r_.size() * point_.size());
  factor_ = Eigen::VectorXd::Ones(count());
  Eigen::MatrixXd at_first;
  if (!unscaled_jacobian(at_first)) return;
  for (Eigen::Index i = 0; i < count(); ++i) {
    const double size = at_first.row(i).norm();
    if (size > 0 && std::isfinite(size)) factor_[i] = 1.0 / size;
  }
}

int LimitRows::exponent(std::size_t j) const {
  const std::size_t n = scaling_.column_exponent.size();
  return j < n ? scaling_.column_exponent[j]
               : scaling_.column_exponent[j - n] - scaling_.time_exponent;
}

void LimitRows::set_point(const Eigen::VectorXd& xi) {
  for (std::size_t j = 0; j < point_.size(); ++j)
    point_[j] = std::ldexp(xi[static_cast<Eigen::Index>(j)], exponent(j));
}

Evaluation LimitRows::unscaled_jacobian(Eigen::MatrixXd& drho) {
  const Evaluation evaluated = jacobian_(point_, dr_);
  if (!evaluated) return evaluated;
  drho.resize(count(), static_cast<Eigen::Index>(point_.size()));
  for (std::size_t k = 0; k < dr_.size(); ++k) {
    const std::size_t i = k / point_.size(), j = k % point_.size();
    drho(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
        std::ldexp(dr_[k], exponent(j));
  }
  return evaluated;
}

Evaluation LimitRows::residual(const Eigen::VectorXd& xi, Eigen::VectorXd& rho) {
  set_point(xi);
  const Evaluation evaluated = residual_(point_, r_);
  if (!evaluated) return evaluated;
  rho = factor_.cwiseProduct(Eigen::Map<const Eigen::VectorXd>(r_.data(), count()));
  return evaluated;
}

Evaluation LimitRows::jacobian(const Eigen::VectorXd& xi, Eigen::MatrixXd& drho) {
  set_point(xi);
  const Evaluation evaluated = unscaled_jacobian(drho);
  if (evaluated) drho = factor_.asDiagonal() * drho;
  return evaluated;
}

}  // namespace saltus::detail
