// A solution in memory: what was computed, to be asked at any time of it.
//
// A trajectory is a sequence of segments, one per stretch without an event, each a sequence of steps
// stored as polynomials of the recorded variables; besides, the rows a user asked for (every step,
// a grid, listed times). At the time of an event both limits exist: ask with a Side. A variable that
// does not exist in the mode of a segment is absent there: at() says so by an empty optional.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <saltus/core/side.hpp>
#include <saltus/system/step_polynomial.hpp>
#include <saltus/system/variable_map.hpp>

namespace saltus {

/// A stretch of one mode. Steps and rows are numbered through the whole trajectory.
struct Segment {
  std::string mode;
  double t_begin = 0.0;
  double t_end = 0.0;
  std::uint32_t first_step = 0;
  std::uint32_t n_steps = 0;
  std::uint32_t first_row = 0;
  std::uint32_t n_rows = 0;
  std::vector<std::uint8_t> present;  // one flag per variable
};

class Trajectory {
 public:
  std::span<const VariableInfo> variables() const { return variables_; }
  /// Throws Error naming the nearest known variable.
  std::uint32_t index_of(std::string_view variable) const;
  /// Without asking for a description: only names compare.
  std::optional<std::uint32_t> find(std::string_view variable) const;

  std::span<const Segment> segments() const { return segments_; }
  bool empty() const { return segments_.empty(); }
  double t_begin() const;
  double t_end() const;

  // ---- any time (throws Error outside the solution, or if no steps were recorded) ---------------------

  std::optional<double> at(std::uint32_t variable, double t, Side side = Side::right) const;
  std::optional<double> derivative_at(std::uint32_t variable, double t,
                                      Side side = Side::right) const;
  /// By name; throws Error if the variable is absent at t.
  double at(std::string_view variable, double t, Side side = Side::right) const;
  double derivative_at(std::string_view variable, double t, Side side = Side::right) const;
  /// All variables; those that are absent are left alone.
  void at(double t, std::span<double> values, Side side = Side::right) const;

  // ---- the rows asked for ------------------------------------------------------------------------

  std::uint32_t n_rows() const { return static_cast<std::uint32_t>(row_times_.size()); }
  std::span<const double> times() const { return row_times_; }
  /// Values of row r, one per variable; check Segment::present before using one.
  std::span<const double> row(std::uint32_t r) const;
  std::uint32_t segment_of_row(std::uint32_t r) const;
  /// One variable over all rows of segments in which it is present.
  std::vector<double> column(std::string_view variable) const;

  // ---- the steps ---------------------------------------------------------------------------------

  std::uint32_t n_steps() const { return static_cast<std::uint32_t>(steps_.size()); }
  /// Step number k as a polynomial of the recorded variables.
  StepPolynomial step(std::uint32_t k) const;
  /// Bytes held.
  std::size_t memory() const;

 private:
  friend class TrajectoryRecorder;
  struct Step {
    double t_left;
    double t_right;
    std::uint64_t offset;  // into coefficients_
    std::int32_t degree;
  };
  std::uint32_t step_at(double t, Side side) const;

  std::vector<VariableInfo> variables_;
  std::vector<Segment> segments_;
  std::vector<Step> steps_;
  std::vector<double> coefficients_;
  std::vector<double> row_times_;
  std::vector<double> row_values_;
  bool backward_ = false;
};

/// Builds a trajectory while a run goes on. What was recorded is a valid trajectory at any moment.
class TrajectoryRecorder {
 public:
  explicit TrajectoryRecorder(std::vector<VariableInfo> variables);

  void begin_segment(std::string mode, double t, std::vector<std::uint8_t> present);
  /// A polynomial of the recorded variables, not of the engine's unknowns. Steps join: t_left is
  /// where the last one ended.
  void add_step(const StepPolynomial& step);
  void add_row(double t, std::span<const double> values);
  /// The current segment reaches to t (without steps recorded, nothing else says so).
  void extend_to(double t);

  const Trajectory& trajectory() const { return trajectory_; }
  Trajectory take() { return std::move(trajectory_); }

 private:
  Trajectory trajectory_;
};

}  // namespace saltus
