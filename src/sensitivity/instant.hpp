// Derivatives at one instant: how the left limit moves, what actions and changes of mode make of that, and S after it,
// (Z.5).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sensitivity/columns.hpp"

namespace saltus::detail {

class Instant {
 public:
  explicit Instant(Columns& columns) : columns_(columns) {}

  /// Where a piece of the solution ended, and the length of a step there.
  void comes_from(const StepPolynomial& piece, double length);
  void meets(const FollowedPoint& left, std::span<const FollowedCrossing> crossings);
  void acts(EventActions& actions, std::uint32_t action, double t, std::span<const double> x,
            std::span<const double> xdot);
  void changes_mode(const FollowedPoint& to, const MovedStart& moved);
  /// S on the right, by names of unknowns; those without derivatives follow.
  void leave(const FollowedPoint& to);
  bool is_open() const { return is_open_; }
  std::vector<EventTimeDerivative> take_event_times() { return std::move(event_times_); }

 private:
  void look_around(const FollowedPoint& left);
  void look_again(double t, std::span<const double> x, std::span<const double> xdot);
  void move_through_search(const FollowedPoint& now);
  void settle_actions();
  double step_of_differences(std::size_t column, double t, std::span<const double> x,
                             std::span<const double> y) const;
  struct Along {
    double value, slope;
  };
  std::optional<std::vector<Along>> values_along(EventActions& actions, std::uint32_t action,
                                                 double t, std::span<const double> x,
                                                 std::span<const double> xdot, std::size_t column);
  bool reads_unknown(EventActions& actions, std::uint32_t action, double t,
                     std::span<const double> x, std::span<const double> xdot) const;

  Columns& columns_;
  bool is_open_ = false;
  const System* system_ = nullptr;  // on the left
  Workspace* workspace_ = nullptr;
  double piece_length_ = 0.0;
  std::vector<double> slope_;  // of the solution

  // If they are known, for the values that are read: S' and x'' of unknowns that are integrated.
  bool knows_rates_ = false;
  std::vector<double> sdot_, bend_;
  std::vector<std::uint8_t> integrated_;

  std::vector<double> tau_, y_;  // dt*/dp, and how the left limit moves, with what actions have set
  std::vector<double> expected_;              // the left limit, likewise
  std::optional<std::vector<double>> moved_;  // of a new mode: how its start moves, as S
  struct NewRow {
    std::uint32_t unknown;
    double value;
    std::vector<double> derivatives;
  };
  std::vector<NewRow> new_rows_;  // of actions that read the same values:
  std::vector<double> read_x_, read_xdot_;
  std::vector<double> read_y_;  // how these move,
  bool after_search_ = false;   // and whether a search has found them since the left limit
  std::vector<EventTimeDerivative> event_times_;
};

}  // namespace saltus::detail
