// One implicit Euler step in quad precision.
#pragma once

#include <string>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/numerics/quad.hpp>
#include <saltus/system/abilities.hpp>
#include <saltus/system/system.hpp>

#include "initialize/quad_factors.hpp"

namespace saltus::detail {

class MicroStepper {
 public:
  MicroStepper(const System& system, Workspace& workspace);

  /// x from x_before with F(t, x, (x - x_before) / h) = 0, by damped Newton steps that keep a Jacobian while
  /// it serves, until they are smaller than 1e-26 or no longer shrink while every equation is met up to
  /// rounding of its terms. Redundant equations are passed over; what nothing determines stays as it is.
  Result<void> step(double t, double h, const std::vector<Quad>& x_before, std::vector<Quad>& x);

  std::uint64_t n_evaluations() const { return n_evaluations_; }

 private:
  Result<void> iterate(double t, double h, const std::vector<Quad>& x_before, std::vector<Quad>& x,
                       bool damped, int max_iterations);
  void set_path(double h, const std::vector<Quad>& x_before, const std::vector<Quad>& x);
  Evaluation residual(double t, double h, const std::vector<Quad>& x_before,
                      const std::vector<Quad>& x, std::vector<Quad>& f);
  Evaluation factor(double t, double h, const std::vector<Quad>& x_before,
                    const std::vector<Quad>& x);
  /// max |step_i| / (nominal_i + |x_i|).
  double size_of(const std::vector<Quad>& step, const std::vector<Quad>& x) const;
  /// |F_i| <= 1e4 eps sum_j |dF_i/dx_j x_j| + |dF_i/dx'_j x'_j|, by the last Jacobian.
  bool is_rounding(double h, const std::vector<Quad>& x_before, const std::vector<Quad>& x,
                   const std::vector<Quad>& f);
  Failure not_solved(double t, const std::string& why) const;

  const System& system_;
  DerivativeLevels<Quad>& levels_;
  std::size_t m_, n_;
  std::vector<Quad> path_, df_dx_, df_dxdot_;
  QuadFactors factors_;
  std::uint64_t n_evaluations_ = 0;
};

}  // namespace saltus::detail
