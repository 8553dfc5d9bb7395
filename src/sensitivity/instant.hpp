// Derivatives at one instant: how the left limit moves, what actions and changes of mode make of that, and S after it,
// (Z.5).
//
// An instant moves with the parameters by one tau = dt*/dp, whatever happens at it, and Y says how values at the moving
// instant do: Y = S + x' tau. Y goes through everything that happens; S is Y - x' tau, with x' of whatever holds then. The
// start of a run is an instant with tau = 0.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sensitivity/columns.hpp"
#include "sensitivity/function_at_event.hpp"

namespace saltus::detail {

class Instant {
 public:
  explicit Instant(Columns& columns) : columns_(columns) {}

  /// Where a piece of the solution ended, and the length of a step there: what comes is another instant.
  void comes_from(const StepPolynomial& piece, double length);
  /// `all_known`: S of unknowns without derivatives as well.
  void begins(const FollowedPoint& at, bool all_known);
  void meets(const FollowedPoint& left, std::span<const FollowedCrossing> crossings,
             const std::function<bool(std::uint32_t which)>& matters);
  void acts(EventActions& actions, std::span<const FollowedAction> together, double t,
            std::span<const double> x, std::span<const double> xdot);
  void settles(const FollowedPoint& now);
  void changes_mode(const FollowedPoint& to, const MovedStart& moved);
  void keeps_to(const FollowedPoint& at, std::span<const KeptSurface> surfaces, bool by_itself);
  /// S on the right, by names of unknowns. True if unknowns without derivatives were found as well.
  bool leave(const FollowedPoint& to);
  void stands_on(const FollowedPoint& at, std::uint32_t which,
                 const std::function<bool()>& matters);
  /// Whether its time depends on any parameter.
  bool moves() const;
  /// Of the point that was looked at last.
  MotionAtEvent motion() const {
    return {columns_.nominal, slope_, piece_length_, columns_.p(),
            knows_rates_,     bend_,  sdot_,         integrated_};
  }
  std::vector<EventTimeDerivative> take_event_times() { return std::move(event_times_); }

 private:
  void open(std::span<const double> x);
  void look_at(const FollowedPoint& at);
  bool find_times(const FollowedPoint& left, std::span<const FollowedCrossing> crossings,
                  bool is_new);
  bool find_order(const FollowedPoint& left, std::span<const FollowedCrossing> crossings,
                  const std::function<bool(std::uint32_t which)>& matters);
  std::vector<double> rows_of(const FollowedPoint& to);
  void refuse_hidden_jumps(const FollowedPoint& at, std::span<const double> carried);
  double step_of_differences(std::size_t column, double t, std::span<const double> x,
                             std::span<const double> y) const;
  std::optional<std::vector<double>> time_of(const FollowedPoint& left,
                                             const FollowedCrossing& crossing);
  std::optional<std::vector<double>> values_along(EventActions& actions, std::uint32_t action,
                                                  double t, std::span<const double> x,
                                                  std::span<const double> xdot, std::size_t column);
  bool reads_unknown(EventActions& actions, std::uint32_t action, double t,
                     std::span<const double> x, std::span<const double> xdot) const;
  struct NewRow {
    std::uint32_t unknown;
    double value;
    std::string action;
    std::vector<double> derivatives;
  };
  bool add_rows(EventActions& actions, const FollowedAction& followed, double t,
                std::span<const double> x, std::span<const double> xdot, std::vector<NewRow>& rows);

  Columns& columns_;
  bool is_open_ = false;
  std::string what_;              // happens at it
  std::vector<double> tau_;       // dt*/dp
  std::vector<double> y_;         // of the left limit, with what actions have set,
  std::vector<double> expected_;  // which is this,
  std::vector<double> read_y_;    // and of what actions read now

  // At the point that was looked at last: S, x', and if they are known S' and x'' of unknowns that are integrated.
  std::optional<FollowedPoint> looked_at_;  // without values
  std::vector<double> s_, slope_;
  bool knows_rates_ = false, follows_ = false;
  std::vector<double> sdot_, bend_;
  std::vector<std::uint8_t> integrated_;
  double piece_length_ = 0.0, sense_ = 1.0;  // of a step; 1 if time increases, else -1
  bool has_slopes_ = false;                  // of all unknowns, from a piece
  bool after_search_ = false;                // of what is read
  bool was_set_ = false;                     // something, since then
  bool all_known_ = false;                   // where a run begins, Y of all unknowns
  std::vector<EventTimeDerivative> event_times_;
};

}  // namespace saltus::detail
