// Evaluation of a system with selected states.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include <saltus/numerics/linear_solver.hpp>
#include <saltus/system/abilities.hpp>
#include <saltus/system/monitoring.hpp>
#include <saltus/system/system.hpp>
#include <saltus/system/handing.hpp>

#include "reduce/system/forwarded_switching.hpp"
#include "reduce/system/state_selection.hpp"
#include "reduce/system/underlying_ode.hpp"

namespace saltus::detail {

class SelectedSystem;

/// The unknowns of the system below come first, then derivatives of some of them.
struct SelectedHanding {
  using HandsOn = AbilityList<ScheduledTimes, HeldValues, OutputDirections>;
  using Transforms = AbilityList<Locks, SwitchingFunctions, StepEnclosure, EventActions>;
  using Adds =
      AbilityList<StepRefresh, ChosenStates, DerivativeUnknowns, OutputProjection, Regularity>;
  /// As in ReducedHanding. Tangents would have to follow the derivatives that have become unknowns: functions and their
  /// gradients are asked instead.
  using EndsHere =
      AbilityList<ExplicitForm, StepProjection, IncidenceOrders, DerivativeLevels<double>,
                  DerivativeLevels<Quad>, ParameterDerivatives, InputDerivatives, OutputDerivatives,
                  DriftCorrection, InitialEquations, RedundancyWatch, SwitchingTangents>;
};
static_assert(decides_every_ability<SelectedHanding>);

class SelectedWorkspace final : public Workspace,
                                public StepRefresh,
                                public ChosenStates,
                                public DerivativeUnknowns,
                                public OutputProjection,
                                public Regularity {
 public:
  explicit SelectedWorkspace(const SelectedSystem& system);

  Evaluation residual(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> f) override;
  Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> df_dx, std::span<double> df_dxdot) override;
  Answer step_accepted(double t, std::span<const double> x, std::span<const double> xdot) override;
  std::span<const std::uint8_t> chosen() const override { return chosen_; }
  std::span<const std::uint32_t> derivative_unknown() const override { return derivative_unknown_; }
  Evaluation project(double t, std::span<double> x, std::span<double> xdot, double& moved) override;
  bool begin_step(double t, std::span<const double> x, std::span<const double> xdot,
                  std::span<const double> search_start) override;
  /// Of J, which does not depend on the choice of states.
  Evaluation determinant(double t, std::span<const double> x, std::span<const double> xdot,
                         SignedLogarithm& value) override;
  Loss describe_loss(double t, std::span<const double> x, std::span<const double> xdot) override;
  std::string last_error() const override { return raw_->last_error(); }

  Workspace& raw() { return *raw_; }

 private:
  void adopt(StateSelection selection);
  void choose_what_is_set(const ActionInfo& info, double t, std::span<const double> x,
                          std::span<const double> xdot);
  void forget_what_was_set();
  Evaluation linearize(double t, std::span<const double> x, std::span<const double> xdot,
                       std::span<double> df_dx, std::span<double> df_dxdot);
  bool constraints_have_turned() const;
  bool factor_projection(double t, std::span<const double> x, std::span<const double> xdot);
  double projection_step(std::span<double> x);
  bool project_with_states_kept(double t, std::span<double> x, std::span<double> xdot,
                                double& moved);
  Evaluation project_by_smallest_change(double t, std::span<double> x, double& moved);

  const SelectedSystem& system_;
  std::unique_ptr<Workspace> raw_;
  StateSelection selection_;
  std::vector<std::uint8_t> chosen_;
  std::vector<std::uint32_t> derivative_unknown_;
  /// Ties that are left out: the unknown tied, and what stands for it.
  struct LeftOut {
    std::uint32_t unknown;
    std::uint32_t row;
    std::uint32_t slack;
    std::size_t slack_slot;
  };
  std::vector<LeftOut> left_out_;
  bool jacobian_is_new_ = true;
  int steps_since_look_ = 0;

  std::vector<double> df_dx_, df_dxdot_, f_;
  std::vector<double> df_dx_of_engine_;  // as the engine last saw it
  std::vector<double> matrix_;           // of the projection
  LinearSolver<double> projection_;
  bool projection_is_factored_ = false;
  LinearSolver<double> top_;
  std::vector<double> top_values_;
  /// For points at which no choice of states determines the rest well; made when first needed.
  std::shared_ptr<const UnderlyingSystem> underlying_;
  std::unique_ptr<UnderlyingWorkspace> underlying_workspace_;
  std::vector<std::uint8_t> set_at_event_;
  double t_set_ = std::numeric_limits<double>::quiet_NaN();
  std::optional<StateSelection> selection_before_;  // that instant
  ForwardedSwitching switching_;
};

}  // namespace saltus::detail
