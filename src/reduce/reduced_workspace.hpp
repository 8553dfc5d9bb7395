// Evaluation of a reduced system.
#pragma once

#include <memory>
#include <vector>

#include <saltus/system/abilities.hpp>
#include <saltus/system/system.hpp>

#include "reduce/frozen_projectors.hpp"
#include "reduce/reduced_array.hpp"

namespace saltus::detail {

class ReducedSystem;

/// Holds what a reduced system freezes between refreshes: the projectors, the pseudo-inverse for the
/// inner iteration, and the higher derivatives y it converged to last.
class ReducedWorkspace final : public Workspace, public StepRefresh, public OutputProjection {
 public:
  explicit ReducedWorkspace(const ReducedSystem& system);

  Evaluation residual(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> f) override;
  Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> df_dx, std::span<double> df_dxdot) override;
  Answer step_accepted(double t, std::span<const double> x, std::span<const double> xdot) override;
  Evaluation project(double t, std::span<double> x, std::span<double> xdot, double& moved) override;

  Workspace& raw() { return *raw_; }
  const FrozenProjectors& projectors() const { return projectors_; }

 private:
  using Matrix = Eigen::MatrixXd;
  using Vector = Eigen::VectorXd;

  Evaluation move_onto_constraints(double t, std::span<double> x, std::span<double> xdot,
                                   double& moved);
  Evaluation find_higher(double t, std::span<const double> x);
  bool iterate(double t, std::span<const double> x, bool& out_of_domain);
  void shift_to(double t);
  Evaluation renew_inverse(double t, std::span<const double> x);
  /// dR2/dx at the point find_higher() was last called for, exact on the solution set.
  Matrix constraint_jacobian() const;
  void write_scaled(std::span<const double> raw_f);

  const ReducedSystem& system_;
  std::unique_ptr<Workspace> raw_;
  DerivativeLevels<double>& levels_;
  ReducedArray array_;
  FrozenProjectors projectors_;
  Matrix row_space_;  // M^+ M: what y may contain
  std::vector<double> x_reference_;

  Vector y_, y_good_;
  double t_y_ = 0.0, t_good_ = 0.0;
  Vector f_array_, f_scaled_, step_;
  std::vector<double> f_raw_, a_raw_, b_raw_;
  int steps_since_look_ = 0;
  bool slow_ = false;  // the inner iteration needed a new inverse since the last look
};

}  // namespace saltus::detail
