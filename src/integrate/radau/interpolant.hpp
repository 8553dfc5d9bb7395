// The collocation polynomial of a step: x, and through the three stages; its slopes there are K_i.
#pragma once

#include <span>
#include <vector>

#include <saltus/system/step_polynomial.hpp>

#include "integrate/radau/frame.hpp"

namespace saltus::detail {

class RadauInterpolant {
 public:
  explicit RadauInterpolant(std::size_t n) : n_(n), coefficients_(4 * n) {}

  void set(const RadauFrame& frame, std::span<const double> z);
  StepPolynomial polynomial() const;

  double t_left() const { return t_left_; }
  double t_right() const { return t_right_; }
  double h() const { return h_; }

  /// Z of a step of length h that begins where this one ended: z_i = p(1 + c_i r) - p(1), r = h/h_.
  void extrapolate(double h, std::span<double> z) const;
  /// Z of a step of length h that begins where this one began.
  void restrict_to(double h, std::span<double> z) const;

 private:
  std::size_t n_;
  double t_left_ = 0.0;
  double t_right_ = 0.0;
  double h_ = 1.0;
  std::vector<double> coefficients_;  // of StepPolynomial
};

}  // namespace saltus::detail
