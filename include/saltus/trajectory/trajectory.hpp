// Stores a computed solution, which can be evaluated at any time in its range.
//
// A trajectory is a sequence of segments, one per piece without an event. Each segment is a
// sequence of steps stored as polynomials of the recorded variables. A trajectory also stores the
// rows that the user requested (every step, a grid, listed times). A variable that does not exist
// in the mode of a segment is absent there, and at() returns an empty optional.
//
// Where segments meet, both limits exist; select one by a Side. Sides are sides in *time*,
// whichever way the run went: Side::left is the limit from smaller times, Side::right from greater
// ones. At an event of a run forward in time, left is before the event and right after it. In a run
// backward in time, left is after it (in the order of the run) and right before it. If several
// segments have the same time (events that follow each other without time passing), the outermost
// ones answer; only segments(), rows and steps show those between. A side on which there is
// nothing, at either end of the solution, is answered by the segment that ends there. A segment
// that has no steps answers nothing if another one that contains t can.
//
// At the common end of two steps of a segment the value is the initial value of the later step, bit
// for bit and for both sides; at the end of a segment it is that of the polynomial.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <saltus/core/side.hpp>
#include <saltus/system/step_polynomial.hpp>
#include <saltus/system/variable_map.hpp>

namespace saltus {

/// A piece of a solution in one mode, without an event. Steps and rows are numbered through the
/// whole trajectory, in the order of the run; t_end < t_begin in a run backward in time.
struct Segment {
  std::string mode;
  double t_begin = 0.0;
  double t_end = 0.0;
  std::uint32_t first_step = 0;
  std::uint32_t n_steps = 0;
  std::uint32_t first_row = 0;
  std::uint32_t n_rows = 0;
  std::vector<std::uint8_t> present;      // one flag per variable
  std::vector<std::string> sliding = {};  // relations on whose surfaces the solution stays
};

/// One entry per row: a value, and whether it exists. If it does not, the value is 0 and has no
/// meaning.
struct MaskedColumn {
  std::vector<double> values;
  std::vector<std::uint8_t> present;
};

/// Computes points of a solution more accurately than its steps: where constraints of the model
/// hold exactly. Several threads may use it at once.
class ExactPoints {
 public:
  virtual ~ExactPoints() = default;
  /// Returns the value at a time of step number k of the trajectory, or nothing if the step is all
  /// there is. Throws Error if the point cannot be found.
  virtual std::optional<double> at(std::uint32_t k, double t, std::uint32_t variable) const = 0;
  /// Returns the number of bytes in use.
  virtual std::size_t memory() const = 0;
};

class Trajectory {
 public:
  std::span<const VariableInfo> variables() const { return variables_; }
  /// Returns the index of a variable. Throws Error naming the nearest known variable.
  std::uint32_t index_of(std::string_view variable) const;
  /// Returns the index, or empty if there is no such variable.
  std::optional<std::uint32_t> find(std::string_view variable) const;

  std::span<const Segment> segments() const { return segments_; }
  bool empty() const { return segments_.empty(); }
  /// Return where the run began and where it ended: t_end < t_begin if it went backward in time.
  /// Both throw Error if the trajectory is empty.
  double t_begin() const;
  double t_end() const;
  bool backward() const { return backward_; }

  // ---- any time (throws Error outside the solution, or if no steps were recorded) ---------------
  // The cost is that of a binary search over the steps, without allocation. In a model with
  // constraints, however, each new time is moved onto them (a solution of its equations), as rows
  // are.

  std::optional<double> at(std::uint32_t variable, double t, Side side = Side::right) const;
  /// Returns the derivative of the polynomial. Throws Error also in a segment without length, where
  /// there is none.
  std::optional<double> derivative_at(std::uint32_t variable, double t,
                                      Side side = Side::right) const;
  /// Do the same by name. Throw Error if the variable is absent at t, saying in which mode and
  /// where it exists.
  double at(std::string_view variable, double t, Side side = Side::right) const;
  double derivative_at(std::string_view variable, double t, Side side = Side::right) const;
  /// Evaluates all variables; those that are absent are left alone.
  void at(double t, std::span<double> values, Side side = Side::right) const;

  // ---- the requested rows -----------------------------------------------------------------------

  std::uint32_t n_rows() const { return static_cast<std::uint32_t>(row_times_.size()); }
  std::span<const double> times() const { return row_times_; }
  /// Returns the values of row r, one per variable; an absent one is 0, so check Segment::present
  /// first.
  std::span<const double> row(std::uint32_t r) const;
  std::uint32_t segment_of_row(std::uint32_t r) const;
  bool present_in_row(std::uint32_t variable, std::uint32_t r) const {
    return segments_[segment_of_row(r)].present[variable] != 0;
  }
  /// Returns one variable over the rows of segments in which it is present. If some mode lacks it,
  /// these are fewer than all rows, and not aligned with times().
  std::vector<double> column(std::string_view variable) const;
  /// Returns one variable over all rows, aligned with times().
  MaskedColumn masked_column(std::string_view variable) const;

  // ---- the steps --------------------------------------------------------------------------------

  std::uint32_t n_steps() const { return static_cast<std::uint32_t>(steps_.size()); }
  /// Returns step number k as a polynomial of the recorded variables; coefficients of absent ones
  /// are 0. A step without length (TrajectoryRecorder::add_point) has degree 0 and no
  /// position_of().
  StepPolynomial step(std::uint32_t k) const;
  std::uint32_t segment_of_step(std::uint32_t k) const;
  /// Returns the number of bytes in use.
  std::size_t memory() const;

 private:
  friend class TrajectoryRecorder;
  /// Its degree follows from the offset of the next step.
  struct Step {
    double t_left;
    double t_right;
    std::uint64_t offset;  // into coefficients_
  };
  /// The step that answers for t: at the common end of two steps of a segment, the later one.
  double within(double t) const;
  double value_in(std::uint32_t k, std::uint32_t variable, double t) const;
  std::uint32_t step_at(double t, Side side) const;
  bool earlier(double a, double b) const { return backward_ ? a > b : a < b; }

  std::vector<VariableInfo> variables_;
  std::vector<std::uint32_t> by_name_;  // sorted
  std::vector<Segment> segments_;
  std::vector<Step> steps_;
  std::vector<double> coefficients_;
  std::vector<double> row_times_;
  std::vector<double> row_values_;
  std::shared_ptr<const ExactPoints> exact_;
  bool backward_ = false;
};

/// Builds a trajectory during a run. The recorded part is a valid trajectory at any moment. Storage
/// grows in proportion to itself, so recording n steps costs O(n).
class TrajectoryRecorder {
 public:
  /// Throws ModelError if two variables have the same name.
  explicit TrajectoryRecorder(std::vector<VariableInfo> variables);

  /// Sets the exact points, which may receive further steps during the run.
  void set_exact_points(std::shared_ptr<const ExactPoints> points);

  /// Makes these variables (one flag each) keep their last value in segments that lack them, where
  /// they count as present. Before they first exist they are absent nevertheless. Call it before
  /// the first segment. Omit columns whose values have a meaning only where they exist (switching
  /// functions).
  void hold_absent(std::vector<std::uint8_t> which);
  /// Records, for held variables, values at a time of the current segment that becomes neither row
  /// nor step: the end of a segment between two rows. Values of absent variables do not matter.
  void pass(double t, std::span<const double> values);

  /// Begins a segment at t, where the last one, if any, ends. No flags: all variables are present.
  void begin_segment(std::string mode, double t, std::vector<std::uint8_t> present = {},
                     std::vector<std::string> sliding = {});
  /// Returns whether the last segment has this mode, these flags and these surfaces and contains
  /// neither steps nor rows.
  bool is_empty_segment(std::string_view mode, std::span<const std::uint8_t> present,
                        std::span<const std::string> sliding = {}) const;
  /// Adds a step as a polynomial of the recorded variables, not of the engine's unknowns. Steps
  /// join: t_left is the end of the last one. Values of absent variables do not matter.
  void add_step(const StepPolynomial& step);
  /// Adds values at the beginning of a segment that has no step yet. Without them, a segment that
  /// gets no step, because the next event is at the same time or the run ends, could not answer
  /// at().
  void add_point(std::span<const double> values);
  /// Adds a row. Rows of a segment come in the order of the run; the segment extends at least to t.
  void add_row(double t, std::span<const double> values);
  /// Extends the current segment to t (needed where no steps are recorded).
  void extend_to(double t);

  /// Removes the part of the current segment after t, the beginning of the segment or the end of
  /// one of its steps.
  void cut_back_to(double t);

  const Trajectory& trajectory() const { return trajectory_; }
  /// Moves the trajectory out, without reserved memory; do not use the recorder afterwards.
  Trajectory take();

 private:
  Segment& current();
  /// Refuses times that lie before `from` in the direction of the run; the first move decides the
  /// direction.
  void check_order(double from, double t);
  void append(std::span<const double> values, std::vector<double>& to);
  /// `values` holds coefficients of a step, or the values themselves.
  void remember(double t, std::span<const double> values);

  Trajectory trajectory_;
  bool directed_ = false;
  std::vector<std::uint8_t> exists_;  // in the current segment, whether held or not

  std::vector<std::uint8_t> hold_;  // none: nothing is held
  std::vector<std::uint8_t> was_;   // has had a value
  std::vector<double> last_;        // that value
  double t_last_ = 0.0;             // of values of the current segment
};

}  // namespace saltus
