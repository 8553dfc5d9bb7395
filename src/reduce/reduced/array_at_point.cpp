#include "reduce/reduced/array_at_point.hpp"

#include <algorithm>

namespace saltus::detail {

ArrayAtPoint::ArrayAtPoint(const System& raw, Workspace& workspace, const IndexAnalysis& analysis,
                           double t)
    : scaling_(analysis.scaling),
      level_(analysis.values.mu),
      n_(raw.size()),
      m_(raw.n_equations()),
      array_(raw, workspace, t),
      matrix_(array_.n_rows(level_) + array_.n_equations(), array_.n_columns(level_)),
      nominal_(n_),
      unit_(n_),
      row_unit_(m_),
      xi_(n_ * (level_ + 2)),
      phi_(array_.n_rows(level_)) {
  const std::vector<double> xi = scaled_path<double>(analysis.path, scaling_);
  std::copy_n(xi.begin(), xi_.size(), xi_.data());
  for (Eigen::Index j = 0; j < n_; ++j) {
    nominal_[j] = raw.nominal(static_cast<std::uint32_t>(j));
    unit_[j] = power_of_two<double>(scaling_.column_exponent[static_cast<std::size_t>(j)]);
  }
  for (Eigen::Index i = 0; i < m_; ++i) {
    row_unit_[i] = power_of_two<double>(scaling_.row_exponent[static_cast<std::size_t>(i)]);
  }
}

Evaluation ArrayAtPoint::evaluate(double t, std::span<const double> x) {
  xi_.head(n_) = Eigen::Map<const Vector>(x.data(), n_).cwiseQuotient(unit_);
  array_.move_to(t);
  return array_.residuals({xi_.data(), static_cast<std::size_t>(xi_.size())}, level_, scaling_,
                          phi_);
}

Evaluation ArrayAtPoint::linearize(double t, std::span<const double> x) {
  xi_.head(n_) = Eigen::Map<const Vector>(x.data(), n_).cwiseQuotient(unit_);
  array_.move_to(t);
  const Evaluation done = array_.coefficients({xi_.data(), static_cast<std::size_t>(xi_.size())},
                                              level_, scaling_, coefficients_);
  if (done) array_.write_jacobian(coefficients_, level_, scaling_, matrix_);
  return done;
}

}  // namespace saltus::detail
