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

#include "lower/compiled/compiled_actions.hpp"
#include "lower/compiled/compiled_directions.hpp"
#include "lower/compiled/compiled_enclosure.hpp"
#include "lower/compiled/compiled_initial.hpp"
#include "lower/compiled/compiled_levels.hpp"
#include "lower/compiled/compiled_switching.hpp"
#include "lower/layout/lock_board.hpp"
#include "lower/compiled/port_derivatives.hpp"

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
  /// The named expressions of the mode, until the next call.
  std::span<const double> outputs(double t, std::span<const double> x,
                                  std::span<const double> xdot);

  /// Which side of time t is meant where an input jumps.
  Side side_of(double t) const;
  /// Derivative number `order` of entry i of the signals of the layout, from inside the stretch.
  double signal_derivative(std::size_t i, int order, double t) const;
  /// Entry i as a polynomial of time, where it is one between two times.
  std::optional<SignalPiece> signal_piece(std::size_t i, double t_1, double t_2) const;
  /// pre(d) where no event is being handled: the value itself.
  std::span<const double> settled_previous();
  /// pre() while one is being handled.
  std::span<const double> previous_from(std::span<const double> x,
                                        std::span<const double> discrete);

  /// Arguments of a gathered program at a point (or those of them that are neither time nor unknowns), and along x + tau x' as series of order one.
  void load(Evaluator<double>& evaluator, const GatheredProgram& program, double t,
            std::span<const double> x);
  void load_others(Evaluator<double>& evaluator, const GatheredProgram& program, double t);
  void load_path(TaylorEvaluator<double>& evaluator, const GatheredProgram& program, double t,
                 std::span<const double> x, std::span<const double> xdot);
  const LockBoard& board() const { return board_; }
  const CompiledSystem& system() const { return system_; }

  /// An evaluator with this workspace's time, inputs and held values as arguments.
  Locked<Evaluator<double>> evaluator_of(std::shared_ptr<const Program> program);
  /// Previous values are those of the last previous_from().
  void run_at_event(Locked<Evaluator<double>>& points, double t, std::span<const double> x,
                    std::span<const double> xdot);

  double next(double t, double t_end) const override;
  void enter_stretch(double t_from, double t_to) override;

  std::span<const double> held_parameters() const { return parameters_; }
  std::span<const double> held_discrete() const { return discrete_; }
  /// d/dt of entry i, as far as it is known; else by differences.
  double signal_rate(std::size_t i, double t) const;
  std::span<double> parameters() override { return parameters_; }
  std::span<double> discrete() override { return discrete_; }

 private:
  using Points = Locked<Evaluator<double>>;
  void run(Points& points, double t, std::span<const double> x, std::span<const double> xdot);
  /// With the derivatives of the last time.
  std::span<const double> run_with_bound_rates(Points& points, double t, std::span<const double> x);
  EvaluatorAccess evaluator_access();
  void take_first_branches(const StartValues& start);
  void read_signals(double t);
  void start_clocks(double t);

  const CompiledSystem& system_;
  double time_ = 0.0;
  std::vector<double> signals_;
  std::vector<double> parameters_;
  std::vector<double> discrete_;
  std::vector<double> previous_;
  std::vector<double> no_derivative_;  // zeros, for the explicit form
  double stretch_from_ = -std::numeric_limits<double>::infinity();
  double stretch_to_ = std::numeric_limits<double>::infinity();

  LockBoard board_;
  Points residual_;
  std::optional<Points> jacobian_;
  std::optional<Points> explicit_;
  std::optional<Points> outputs_;
  CompiledLevels<double> levels_;
  CompiledLevels<Quad> quad_levels_;
  CompiledInputDerivatives input_derivatives_;
  CompiledOutputDerivatives output_derivatives_;
  CompiledDirections directions_;
  std::optional<CompiledSwitching> switching_;
  std::optional<CompiledEnclosure> enclosure_;
  std::optional<CompiledActions> actions_;
  std::optional<CompiledInitialEquations> initial_equations_;
  bool clocks_started_ = false;
};

}  // namespace saltus::detail
