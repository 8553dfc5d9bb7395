// Switching functions and locks of a workspace.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <saltus/expr/evaluator.hpp>
#include <saltus/system/switching.hpp>
#include <saltus/system/tangents.hpp>

#include "lower/layout/condition_truth.hpp"
#include "lower/layout/lock_board.hpp"
#include "lower/plan/switch_plan.hpp"

namespace saltus::detail {

class CompiledWorkspace;

class CompiledSwitching final : public SwitchingFunctions, public SwitchingTangents, public Locks {
 public:
  CompiledSwitching(const SwitchPlan& plan, CompiledWorkspace& workspace, LockBoard& board);

  std::uint32_t count() const override { return plan_.count(); }
  const SwitchInfo& info(std::uint32_t which) const override { return plan_.info(which); }
  bool is_active(std::uint32_t which) const override;
  Evaluation evaluate(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> g) override;
  Evaluation evaluate_one(std::uint32_t which, double t, std::span<const double> x,
                          std::span<const double> xdot, double& g) override;
  Evaluation rates(double t, std::span<const double> x, std::span<const double> xdot,
                   std::span<double> g, std::span<double> gdot) override;
  const CscPattern& gradient_pattern() const override { return plan_.gradients().pattern; }
  Evaluation gradients(double t, std::span<const double> x, std::span<const double> xdot,
                       std::span<double> dg_dx) override;
  bool has_tangent(std::uint32_t which) const override { return plan_.tangent(which) != nullptr; }
  Evaluation tangent(std::uint32_t which, double t, std::span<const double> x, double& g,
                     double& dg_dt, std::span<double> dg_dx) override;
  double next_time(double t, double t_end) override;
  bool is_timed(std::uint32_t which) const override { return timed_number_[which] != none; }
  bool is_due(std::uint32_t which, double t) override;
  std::optional<std::uint32_t> nonlinear_in_choice(std::uint32_t which,
                                                   bool and_derivatives) const override {
    return plan_.nonlinear_in_choice(which, and_derivatives);
  }

  std::span<const std::uint8_t> locks() const override { return locks_; }
  void set_lock(std::uint32_t which, bool truth) override;
  Evaluation decide(double t, std::span<const double> x, std::span<const double> xdot) override;
  std::uint32_t n_equation_branches() const override { return plan_.n_equation_branches(); }
  std::uint32_t n_branches() const override { return plan_.n_branches(); }
  void branches(std::span<std::uint8_t> truth) const override;

  const SwitchPlan& plan() const { return plan_; }
  const LockBoard& board() const { return board_; }

 private:
  /// A program, and where it reads time and unknowns.
  struct Points : Locked<Evaluator<double>> {
    explicit Points(const GatheredProgram& read);
    const GatheredProgram& program;
    double* time;
    double* x;
  };
  /// Its outputs.
  std::span<const double> run(Points& points, double t, std::span<const double> x);
  Points& single(std::uint32_t which);
  const ConditionTruth& truth() const;
  /// Lanes of arrays that do not matter, which programs evaluate with the others: zero.
  void clear_inactive_lanes(std::span<double> values) const;
  Evaluation rate_by_difference(std::uint32_t which, double t, std::span<const double> x,
                                std::span<const double> xdot, double g, double& gdot);
  double crossing_time(std::size_t timed, double direction);

  const SwitchPlan& plan_;
  CompiledWorkspace& workspace_;
  LockBoard& board_;
  std::vector<std::uint8_t> locks_;
  mutable ConditionTruth truth_;

  Points all_;
  std::vector<std::unique_ptr<Points>> singles_;
  std::unique_ptr<Points> gradients_;
  std::vector<std::unique_ptr<Points>> tangents_;
  std::unique_ptr<Locked<TaylorEvaluator<double>>> series_;
  std::vector<double> moved_x_, g_;
  std::vector<std::uint8_t> decided_;

  std::vector<std::uint32_t> timed_number_;  // per switch, none if it is not of time alone
  std::optional<Evaluator<double>> time_coefficients_;
  std::vector<double> due_at_;
};

}  // namespace saltus::detail
