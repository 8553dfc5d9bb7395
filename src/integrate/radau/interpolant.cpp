#include "integrate/radau/interpolant.hpp"

#include <algorithm>

namespace saltus::detail {

void RadauInterpolant::set(const RadauFrame& frame, std::span<const double> z) {
  t_left_ = frame.t_left;
  t_right_ = frame.t_right;
  h_ = frame.h;
  std::copy(frame.x_left.begin(), frame.x_left.end(), coefficients_.begin());
  combine_radau_stages(radau_tableau.powers, 1.0, z, std::span<double>(coefficients_).subspan(n_));
}

StepPolynomial RadauInterpolant::polynomial() const {
  return {t_left_, t_right_, 3, static_cast<std::uint32_t>(n_), coefficients_};
}

void RadauInterpolant::extrapolate(double h, std::span<double> z) const {
  const double* q = coefficients_.data() + n_;
  for (std::size_t i = 0; i < radau_stages; ++i) {
    const double beyond = radau_tableau.c[i] * (h / h_);
    // s^k - 1 for s = 1 + beyond, without cancellation.
    const double s1 = beyond;
    const double s2 = beyond * (2.0 + beyond);
    const double s3 = beyond * (3.0 + beyond * (3.0 + beyond));
    const auto zi = radau_stage(z, i);
    for (std::size_t k = 0; k < n_; ++k) {
      zi[k] = q[k] * s1 + q[n_ + k] * s2 + q[2 * n_ + k] * s3;
    }
  }
}

void RadauInterpolant::restrict_to(double h, std::span<double> z) const {
  const double* q = coefficients_.data() + n_;
  for (std::size_t i = 0; i < radau_stages; ++i) {
    const double s = radau_tableau.c[i] * (h / h_);
    const auto zi = radau_stage(z, i);
    for (std::size_t k = 0; k < n_; ++k) {
      zi[k] = s * (q[k] + s * (q[n_ + k] + s * q[2 * n_ + k]));
    }
  }
}

}  // namespace saltus::detail
