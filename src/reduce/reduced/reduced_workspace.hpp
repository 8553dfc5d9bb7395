// Evaluation of a reduced system.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <saltus/system/abilities.hpp>
#include <saltus/system/monitoring.hpp>
#include <saltus/system/system.hpp>
#include <saltus/system/handing.hpp>

#include "reduce/reduced/constraint_correction.hpp"
#include "reduce/reduced/direct_equations.hpp"
#include "reduce/reduced/followed_locks.hpp"
#include "reduce/reduced/reduced_system.hpp"
#include "reduce/reduced/redundancy_look.hpp"
#include "reduce/reduced/spaces_here.hpp"

namespace saltus::detail {

/// The same unknowns in the same order.
struct ReducedHanding {
  using HandsOn = AbilityList<ScheduledTimes, HeldValues, SwitchingFunctions, StepEnclosure,
                              EventActions, OutputDirections>;
  using Transforms = AbilityList<Locks>;
  using Adds = AbilityList<StepRefresh, OutputProjection, RedundancyWatch, Regularity>;
  /// Explicit forms and their projections, derivatives of the residual and what belongs to them are those of other equations.
  /// Contacts keep their gaps themselves, and refuse constraints beside them. Tangents are for motion on surfaces, which is
  /// refused here. What is asked before a reduction (initial equations, inputs, outputs) is asked of the system below.
  using EndsHere = AbilityList<ExplicitForm, StepProjection, ChosenStates, DerivativeUnknowns,
                               IncidenceOrders, DerivativeLevels<double>, DerivativeLevels<Quad>,
                               ParameterDerivatives, InputDerivatives, OutputDerivatives,
                               DriftCorrection, InitialEquations, SwitchingTangents>;
};
static_assert(decides_every_ability<ReducedHanding>);

/// Evaluates a reduced system: differential equations Z1^T F(t, x, x'), constraints Z2^T F(t, x, y(x)) with the higher
/// derivatives y that an inner iteration finds, and what fixes unknowns that nothing determines. Z1 and Z2 are frozen between
/// refreshes.
class ReducedWorkspace final : public Workspace,
                               public StepRefresh,
                               public OutputProjection,
                               public RedundancyWatch,
                               public Regularity {
 public:
  explicit ReducedWorkspace(const ReducedSystem& system);

  Evaluation residual(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> f) override;
  Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> df_dx, std::span<double> df_dxdot) override;

  Answer step_accepted(double t, std::span<const double> x, std::span<const double> xdot) override;
  Failure stop_reason() const override { return redundancy_.failure(); }
  const Contradiction& largest_contradiction() const override { return redundancy_.largest(); }
  /// The product of volumes has no sign.
  bool is_signed() const override { return false; }
  Evaluation determinant(double t, std::span<const double> x, std::span<const double> xdot,
                         SignedLogarithm& value) override;
  Loss describe_loss(double t, std::span<const double> x, std::span<const double> xdot) override;

  Evaluation project(double t, std::span<double> x, std::span<double> xdot, double& moved) override;
  /// The time of the higher derivatives, and they.
  std::vector<double> search_start() const override;
  bool begin_step(double t, std::span<const double> x, std::span<const double> xdot,
                  std::span<const double> search_start) override;

  Workspace& raw() { return *raw_; }

 private:
  using Matrix = Eigen::MatrixXd;
  using Vector = Eigen::VectorXd;
  using Precision = HigherDerivatives::Precision;

  /// With y, and M inverted at it.
  bool find_exactly(double t, std::span<const double> x);
  /// Jacobian and correction of the constraints, and the spaces, where the array was linearised last.
  void decompose_here();
  void refresh(std::span<const double> x);
  /// After locks have changed: all that is frozen is that of other equations.
  void follow_locks(double t, std::span<const double> x);

  const ReducedSystem& system_;
  std::unique_ptr<Workspace> raw_;
  ArrayAtPoint array_;
  HigherDerivatives higher_;
  ConstraintCorrection constraints_;
  SpacesHere spaces_;
  RedundancyLook redundancy_;
  DirectEquations direct_;
  FrozenForm form_;
  FollowedLocks locks_;
  Vector x_reference_;
  int steps_since_look_ = 0;
  SignedLogarithm at_accepted_;
  double t_accepted_;
};

}  // namespace saltus::detail
