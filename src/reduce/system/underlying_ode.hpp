// The definition behind underlying_ode().
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <saltus/numerics/linear_solver.hpp>
#include <saltus/reduce/underlying_ode.hpp>
#include <saltus/system/abilities.hpp>
#include <saltus/system/monitoring.hpp>
#include <saltus/system/handing.hpp>

#include "reduce/system/forwarded_switching.hpp"

namespace saltus::detail {

class UnderlyingSystem;

/// Variables that are integrated are unknowns, the others are computed.
class UnderlyingMap final : public VariableMap {
 public:
  explicit UnderlyingMap(const UnderlyingSystem& system) : system_(system) {}
  std::span<const VariableInfo> variables() const override { return map().variables(); }
  bool present(std::uint32_t variable) const override { return map().present(variable); }
  std::optional<std::uint32_t> unknown(std::uint32_t variable) const override;
  Evaluation values(Workspace& workspace, double t, std::span<const double> x,
                    std::span<const double> xdot, std::span<double> out) const override;

 private:
  const VariableMap& map() const;
  const UnderlyingSystem& system_;
};

class UnderlyingSystem final : public System {
 public:
  UnderlyingSystem(std::shared_ptr<const DifferentiatedSystem> differentiated,
                   const StartValues& consistent);

  std::uint32_t size() const override { return static_cast<std::uint32_t>(low_.size()); }
  const CscPattern& pattern() const override { return pattern_; }
  std::span<const std::uint8_t> carries_derivative() const override { return carries_derivative_; }
  std::string unknown_name(std::uint32_t i) const override { return raw().unknown_name(low_[i]); }
  std::string equation_name(std::uint32_t row) const override {
    return raw().equation_name(differentiated_->tie_row[low_[row]]);
  }
  double nominal(std::uint32_t i) const override { return raw().nominal(low_[i]); }
  bool is_constant(std::uint32_t i) const override { return raw().is_constant(low_[i]); }
  StartValues start_values() const override { return start_; }
  const VariableMap& variable_map() const override { return map_; }
  std::unique_ptr<Workspace> workspace() const override;

  const System& raw() const { return *differentiated_->system; }
  const DifferentiatedSystem& differentiated() const { return *differentiated_; }
  /// The integrated unknowns of the differentiated system; by its unknowns, which one it is or none.
  std::span<const std::uint32_t> low() const { return low_; }
  std::uint32_t low_number(std::uint32_t unknown) const { return low_number_[unknown]; }
  std::span<const double> first_point() const { return first_point_; }

  /// A part of the differentiated system's Jacobian: rows, columns, and where it stands there.
  struct Part {
    CscPattern pattern;
    std::vector<std::size_t> slots;  // per slot of the pattern
    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> columns;
  };
  /// Equations in their highest derivative by the highest derivatives.
  const Part& top() const { return top_; }
  /// Equations below by what is integrated.
  const Part& constraints() const { return constraints_; }

 private:
  Part part(std::vector<std::uint32_t> rows, std::vector<std::uint32_t> columns) const;

  std::shared_ptr<const DifferentiatedSystem> differentiated_;
  std::vector<std::uint32_t> low_, low_number_;
  std::vector<double> first_point_;
  Part top_, constraints_;
  CscPattern pattern_;
  std::vector<std::uint8_t> carries_derivative_;
  StartValues start_;
  UnderlyingMap map_;
};

/// States only: all other unknowns follow from them at every point.
struct UnderlyingHanding {
  using HandsOn = AbilityList<ScheduledTimes, HeldValues>;
  using Transforms = AbilityList<Locks, SwitchingFunctions, StepEnclosure, EventActions>;
  using Adds = AbilityList<ExplicitForm, StepProjection, StepRefresh, OutputProjection, Regularity>;
  /// As in SelectedHanding. Directions of outputs would need those of what follows from the states: outputs are
  /// differentiated by differences here.
  using EndsHere =
      AbilityList<ChosenStates, DerivativeUnknowns, IncidenceOrders, DerivativeLevels<double>,
                  DerivativeLevels<Quad>, ParameterDerivatives, InputDerivatives, OutputDerivatives,
                  OutputDirections, DriftCorrection, InitialEquations, RedundancyWatch,
                  SwitchingTangents>;
};
static_assert(decides_every_ability<UnderlyingHanding>);

class UnderlyingWorkspace final : public Workspace,
                                  public ExplicitForm,
                                  public StepProjection,
                                  public StepRefresh,
                                  public OutputProjection,
                                  public Regularity {
 public:
  explicit UnderlyingWorkspace(const UnderlyingSystem& system);

  Evaluation residual(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> f) override;
  Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> df_dx, std::span<double> df_dxdot) override;
  Evaluation derivative(double t, std::span<const double> x, std::span<double> xdot) override;
  Evaluation project(double t, std::span<double> x) override;
  Answer step_accepted(double t, std::span<const double> x, std::span<const double> xdot) override;
  Evaluation project(double t, std::span<double> x, std::span<double> xdot, double& moved) override;
  std::vector<double> search_start() const override { return anchor_; }
  bool begin_step(double t, std::span<const double> x, std::span<const double> xdot,
                  std::span<const double> search_start) override;

  /// Of the equations in their highest derivative, by the highest derivatives.
  Evaluation determinant(double t, std::span<const double> x, std::span<const double> xdot,
                         SignedLogarithm& value) override;
  Loss describe_loss(double t, std::span<const double> x, std::span<const double> xdot) override;

  Workspace& raw() { return *raw_; }
  /// All unknowns of the differentiated system at the point derivative() was last called for.
  std::span<const double> point() const { return point_; }

 private:
  void forward_switching();
  /// Finds the highest derivatives and multipliers that belong to x; factors of `top_` remain.
  Evaluation find_top(double t, std::span<const double> x);
  double constraint_step(std::span<double> x);
  Evaluation no_solution() const { return Evaluation::out_of_domain(0); }

  const UnderlyingSystem& system_;
  std::unique_ptr<Workspace> raw_;
  std::vector<double> point_, no_derivative_, f_raw_, df_dx_, df_dxdot_;
  std::vector<double> anchor_;  // where searches begin: the point the last step ended at
  LinearSolver<double> top_;
  std::vector<double> top_values_, top_rhs_;
  CscAssembly kkt_;  // [1 C^T; C 0], of the entries of 1, C, C^T in this order
  LinearSolver<double> projection_;
  std::vector<double> kkt_values_, kkt_rhs_;
  std::unique_ptr<ForwardedSwitching> switching_;
};

}  // namespace saltus::detail
