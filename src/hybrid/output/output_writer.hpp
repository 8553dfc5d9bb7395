// From an engine's steps to recorded rows and polynomials of the model's variables.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/hybrid/options.hpp>
#include <saltus/system/abilities.hpp>
#include <saltus/system/system.hpp>
#include <saltus/trajectory/fitted_pieces.hpp>
#include <saltus/trajectory/switching.hpp>
#include <saltus/trajectory/trajectory.hpp>

#include "hybrid/output/invariant_monitor.hpp"
#include "hybrid/output/points_on_constraints.hpp"

namespace saltus::detail {

/// What a segment is called.
struct SegmentName {
  const std::string& mode;
  std::span<const std::string> sliding = {};
};

class OutputWriter {
 public:
  /// Refuses output options that do not fit (OptionError).
  OutputWriter(const VariableMap& map, const SwitchingFunctions* functions,
               const RunOptions& options, bool several_modes);

  /// Unknowns that must not be negative are not between steps either. One flag each, or none.
  void set_non_negative(std::vector<std::uint8_t> flags) { non_negative_ = std::move(flags); }

  /// Tries `evaluate` at a point next to x that is on the sides where the run is; false if it cannot.
  using OwnSide = std::function<bool(
      const Workspace& workspace, double t, std::span<const double> x, std::span<const double> xdot,
      const std::function<Evaluation(std::span<const double>)>& evaluate)>;
  /// For outputs that do not exist beyond a surface, at events that lie there by rounding.
  void set_own_side(OwnSide own_side) { own_side_ = std::move(own_side); }

  /// A stretch begins: a new segment, and a row where one is due.
  Result<void> begin_segment(const SegmentName& name, const std::shared_ptr<const System>& system,
                             Workspace& workspace, double t, std::span<const double> x,
                             std::span<const double> xdot);
  /// `step` is of the unknowns; x and x' are its right end.
  Result<void> add_step(const System& system, Workspace& workspace, const StepPolynomial& step,
                        std::span<const double> x, std::span<const double> xdot);
  /// An output that does not exist at a time, or (`is_last_defined`) not after it.
  struct Undefined {
    std::string name;
    double t = 0.0;
    bool is_last_defined = false;
  };
  /// After add_step() has failed: records the part of the step on which all outputs exist, and tells which output ends
  /// it; nothing if the failure was another one.
  std::optional<Undefined> add_defined_part(const System& system, Workspace& workspace,
                                            const StepPolynomial& step);
  /// The last segment ends at t, which is the end of a step of it: what came after is no part of the solution.
  void cut_back_to(double t);
  /// The last segment of a run that ends with an event: a point without a step.
  Result<void> end_with_point(const SegmentName& name, const std::shared_ptr<const System>& system,
                              Workspace& workspace, double t, std::span<const double> x,
                              std::span<const double> xdot);
  /// A mode is left: what is held of its variables is what they are now.
  Result<void> leave(const System& system, Workspace& workspace, double t,
                     std::span<const double> x, std::span<const double> xdot);
  /// A run ends at t: a last stretch without a step, right after an event, gets its values.
  Result<void> close(const System& system, Workspace& workspace, double t,
                     std::span<const double> x, std::span<const double> xdot);
  /// Which of the recorded variables exist.
  std::vector<std::uint8_t> recorded_flags(const System& system, Workspace& workspace);
  /// All recorded variables at a point; 0 for those that do not exist.
  Result<std::vector<double>> recorded_values(const System& system, Workspace& workspace, double t,
                                              std::span<const double> x,
                                              std::span<const double> xdot);
  /// Whether add_step needs the polynomial, or only the point reached.
  bool needs_polynomial(double t_right) const;

  /// The largest change that a point on its way to the user has seen, in nominal units.
  double largest_projection() const { return largest_projection_; }

  /// An expression that changes too fast to be kept between rows as accurately as asked for: the worst.
  struct Missed {
    std::string name;
    double t = 0.0, off = 0.0, tolerance = 0.0;
  };
  const std::optional<Missed>& missed() const { return missed_; }

  std::vector<InvariantRecord> invariants() const { return invariants_.records(); }

  const Trajectory& trajectory() const { return recorder_.trajectory(); }
  Trajectory take() { return recorder_.take(); }

 private:
  Result<void> add_row(const System& system, Workspace& workspace, double t,
                       std::span<const double> x, std::span<const double> xdot);
  Result<void> add_due_rows(const System& system, Workspace& workspace, const StepPolynomial& step,
                            std::span<const double> x, std::span<const double> xdot);
  Result<void> add_polynomial(const System& system, Workspace& workspace,
                              const StepPolynomial& step);
  void record_whole(const StepPolynomial& step);
  void record_piece(const StepPolynomial& step, const StepPolynomial& fitted);
  Result<void> fit_expressions(const System& system, Workspace& workspace,
                               const StepPolynomial& step);
  void find_allowed(const System& system, Workspace& workspace, const StepPolynomial& step);
  double last_defined(const System& system, Workspace& workspace, const StepPolynomial& step,
                      double t_defined, double t_undefined);
  /// Onto the constraints of a system that offers it; the engine's own point is not touched.
  Result<void> project_point(Workspace& workspace, double t);
  Result<void> evaluate(const System& system, Workspace& workspace, double t,
                        std::span<const double> x, std::span<const double> xdot);
  /// At a point of the run, which may have been written as the last row.
  Result<void> watch_invariants(const System& system, Workspace& workspace, double t,
                                std::span<const double> x, std::span<const double> xdot);
  bool is_due(double t_due, double t_reached) const;
  double due_time(std::size_t number) const;

  /// Of the model, with the columns of switching functions that are wanted.
  const VariableMap& map_of(const System& system, Workspace& workspace);

  SwitchingColumns columns_;
  std::optional<MapWithSwitching> map_;
  std::vector<std::uint32_t> recorded_;  // numbers of variables
  std::size_t n_all_ = 0;
  TrajectoryRecorder recorder_;
  OutputOptions output_;
  double t_begin_;
  double t_end_;
  double rtol_, atol_;
  std::size_t n_due_ = 0;                                       // rows that a grid or list asks for
  std::size_t next_due_ = 0;                                    // the first not yet written
  double last_due_ = std::numeric_limits<double>::quiet_NaN();  // the last one written in a step
  void read_step(const StepPolynomial& step, double t);

  std::vector<std::uint8_t> non_negative_;
  double largest_projection_ = 0.0;
  const Workspace* projected_ = nullptr;  // of the present stretch
  OutputProjection* projection_ = nullptr;
  std::shared_ptr<PointsOnConstraints> points_;  // with dense output
  OwnSide own_side_;
  InvariantMonitor invariants_;
  std::vector<double> values_, row_, x_, xdot_, samples_, coefficients_;
  std::vector<std::optional<std::uint32_t>> unknown_of_;  // the recorded ones, here
  std::vector<std::uint32_t> computed_;  // which of the recorded ones are expressions, here
  FittedPieces fitted_;
  std::vector<double> allowed_;  // how far they may be off
  std::optional<Missed> missed_;
  std::optional<Undefined> undefined_;  // of the last step
};

}  // namespace saltus::detail
