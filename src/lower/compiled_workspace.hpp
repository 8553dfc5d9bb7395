// Evaluation of a compiled mode.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include <saltus/expr/evaluator.hpp>
#include <saltus/system/abilities.hpp>
#include <saltus/core/side.hpp>
#include <saltus/system/system.hpp>

#include "lower/compiled_levels.hpp"
#include "lower/port_derivatives.hpp"

namespace saltus::detail {

class CompiledSystem;

class CompiledWorkspace final : public Workspace,
                                public ExplicitForm,
                                public ScheduledTimes,
                                public HeldValues {
 public:
  explicit CompiledWorkspace(const CompiledSystem& system);

  Evaluation residual(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> f) override;
  Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> df_dx, std::span<double> df_dxdot) override;
  Evaluation derivative(double t, std::span<const double> x, std::span<double> xdot) override;
  /// The model's named expressions.
  Evaluation outputs(double t, std::span<const double> x, std::span<const double> xdot,
                     std::span<double> values);

  /// Derivative number `order` of entry i of the signals of the layout, from inside the stretch.
  double signal_derivative(std::size_t i, int order, double t) const;

  double next(double t, double t_end) const override;
  void enter_stretch(double t_from, double t_to) override;

  std::span<double> parameters() override { return parameters_; }
  std::span<double> discrete() override { return discrete_; }

 private:
  Evaluator<double> evaluator_of(std::shared_ptr<const Program> program);
  void run(Evaluator<double>& evaluator, double t, std::span<const double> x,
           std::span<const double> xdot);
  EvaluatorAccess evaluator_access();
  void read_signals(double t);
  Side side_of(double t) const;

  const CompiledSystem& system_;
  double time_ = 0.0;
  std::vector<double> signals_;
  std::vector<double> parameters_;
  std::vector<double> discrete_;
  std::vector<double> no_derivative_;  // zeros, for the explicit form
  double stretch_from_ = -std::numeric_limits<double>::infinity();
  double stretch_to_ = std::numeric_limits<double>::infinity();

  Evaluator<double> residual_;
  std::optional<Evaluator<double>> jacobian_;
  std::optional<Evaluator<double>> explicit_;
  std::optional<Evaluator<double>> outputs_;
  CompiledLevels<double> levels_;
  CompiledLevels<Quad> quad_levels_;
  CompiledInputDerivatives input_derivatives_;
  CompiledOutputDerivatives output_derivatives_;
};

}  // namespace saltus::detail
