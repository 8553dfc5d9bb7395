// The time of an event and the state there.
//
// A search along the step's polynomial gives a first time. There the engine is asked for the state it
// would have reached itself (one-step engines take the step again), and the rest is a correction by
// Newton's method in time: along x', as long as what that leaves out,
//
//   |dt|^2 |x''| / 2,                                                                        (V.1)
//
// is far below the tolerance; otherwise the step is taken again.
//
// The state is not put on the surface itself but at a distance
//
//   Delta = max(rounding error of g, p sum_j |dg/dx_j| (rtol |x_j| + atol_j)),                   (V.2)
//   p = 1e-5 beyond the surface, 1e-3 before it and where transitions lead out of the mode
//
// from it: beyond the surface, or before it if an action sets unknowns there. So whatever the rounding,
// the crossing is behind and is not found again.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <saltus/initialize/consistent.hpp>
#include <saltus/integrate/engine.hpp>

#include "hybrid/switch/switch_board.hpp"

namespace saltus::detail {

struct EventPoint {
  double t = 0.0;
  std::vector<double> x, xdot;
  /// The polynomial of the engine's last step leads to it, or would, a little beyond its end. False:
  /// the point lies where the step began.
  bool after_step_begin = true;
  Guarantee guarantee = Guarantee::proven;
};

class EventLocator {
 public:
  /// Makes a point of the interpolant consistent; null for engines whose points are.
  using MakeConsistent =
      std::function<bool(double t, std::vector<double>& x, std::vector<double>& xdot)>;

  EventLocator(SwitchBoard& board, const System& system, const EngineOptions& tolerances,
               const EventOptions& options)
      : board_(board), system_(system), tolerances_(tolerances), options_(options) {}

  /// Whether a function depends on unknowns that are solved for where the state is made consistent. A one-step engine
  /// has them up to the error of its iteration, which may be larger than the distance (V.2).
  bool is_solved_for(std::uint32_t which);

  /// Where inputs jump next: up to there they have the values they have now.
  void enter_stretch(double end) {
    distances_of_.is_known = distances_of_.is_known && end == distances_of_.stretch_end;
    distances_of_.stretch_end = end;
  }

  /// Where a step began: asked for if an event turns out to be right there.
  void set_left(double t, std::span<const double> x, std::span<const double> xdot);

  /// For departures along the engine's last step, of which the first is the one to be met. After this
  /// the engine must be started.
  EventPoint locate(Engine& engine, const Departure& first, const MakeConsistent& make_consistent);

  /// The surface that will be met first, going on along x'.
  struct Meeting {
    std::uint32_t which = 0;
    double duration = 0.0;
  };
  std::optional<Meeting> next_meeting(double t, std::span<const double> x,
                                      std::span<const double> xdot, bool forward,
                                      std::span<const std::uint32_t> except = {});
  /// The same along a step's polynomial beyond its end, where that has a zero.
  double refine_meeting(const StepPolynomial& step, const Meeting& meeting, double direction);

  /// Whether (V.1) is far below the tolerance.
  bool is_negligible(const StepPolynomial& step, double t, double dt,
                     std::span<const double> x) const;

  /// A point a little before a surface, and the time to it: the point beyond, without the equations
  /// having been evaluated there.
  EventPoint extrapolate(double t, std::span<const double> x, std::span<const double> xdot,
                         std::uint32_t which, double dt);

  /// Per switch, how large g may be to count as zero at a point: rounding, for those that crossed 2 Delta.
  std::span<const double> margins(const EventPoint& point, std::span<const std::uint32_t> crossed);

  /// The error of every function that the tolerances allow. After margins().
  std::span<const double> uncertainties() const { return band_; }
  /// The same where unknowns are off by so many parts of their size or nominal value, whatever the tolerances. After
  /// margins() at x.
  std::vector<double> uncertainties_at(std::span<const double> x, double relative) const;

  /// Along a step that comes near exits: how uncertain their multipliers are, told to the board. Elsewhere
  /// nobody needs to know, and each such look takes evaluations of all sides along every unknown.
  void look_at_exits(const StepPolynomial& step);

  /// Where a stretch begins: tells the board how uncertain its functions are and which of them rest on
  /// their surface, that is, would not leave the distance (V.2) within a thousandth of a step.
  void begin_stretch(double t, std::span<const double> x, std::span<const double> xdot,
                     double step);
  /// What that found on its surface and slow, whether it rests there or leaves it or comes to it.
  std::span<const std::uint32_t> begins_near() const { return begins_near_; }
  /// The error of a function that the tolerances allow at a point.
  double uncertainty_at(double t, std::span<const double> x, std::span<const double> xdot,
                        std::uint32_t which) {
    find_distances(t, x, xdot);
    return band_[which];
  }
  /// The same where nothing else is asked for at that point, from gradients alone.
  double band_at(double t, std::span<const double> x, std::span<const double> xdot,
                 std::uint32_t which);
  /// Its rate at the point of uncertainty_at().
  double rate_of(std::uint32_t which) const { return rate_[which]; }
  double rounding_of(std::uint32_t which) const { return rounding_[which]; }
  /// How far from its surface it is there, if it was located: (V.2), or more where that was not reached.
  double placement_of(std::uint32_t which) const {
    return std::max(distance_[which], std::abs(g_[which] - target_of_zero(which)));
  }
  /// Watched functions that have passed their surface at a point; also those on it that leave within the
  /// time `at_once`.
  std::vector<std::uint32_t> passed(const EventPoint& point, double direction, double at_once);
  /// The zero of a function near a point, along its tangent. After margins().
  double zero_near(const EventPoint& point, std::uint32_t which) const {
    if (rate_[which] == 0) return point.t;
    return point.t - (g_[which] - target_of_zero(which)) / rate_[which];
  }

 private:
  void excuse_what_begins_near(double t, double step);
  bool is_hardly_beyond(std::uint32_t which) const;
  double part_of_band(std::uint32_t which);
  bool changes_modes();
  void find_distances(double t, std::span<const double> x, std::span<const double> xdot);
  bool are_distances_of(double t, std::span<const double> x, std::span<const double> xdot);
  void add_exits(double t, std::span<const double> x, std::span<const double> xdot);
  void find_exit_bands(double t, std::span<const double> x, std::span<const double> xdot);
  bool find_rates(double t, std::span<const double> x, std::span<const double> xdot);
  void add_gradients(std::span<const double> x, std::span<double> rounding,
                     std::span<double> band) const;
  bool is_exit(std::uint32_t which) const { return board_.info(which).kind == SwitchKind::exit; }
  double target_of_zero(std::uint32_t which) const;  // not zero with a hysteresis
  double target(std::uint32_t which) const;          // what g is to be at the event
  bool is_placed(std::uint32_t which) const;
  bool hardly_bends(std::uint32_t which, const StepPolynomial& step, double t, double dt) const;
  bool is_before(std::uint32_t which, const EventPoint& point) const;  // its surface
  /// Time goes on, and it moves away from its surface, on the side it was on before.
  bool leads_away(std::uint32_t which, const EventPoint& point);
  /// `found`: where the search found the crossing, beyond the surface.
  EventPoint place(Engine& engine, const Departure& first, const MakeConsistent& make_consistent,
                   const EventPoint& found);
  std::optional<EventPoint> where_it_comes_back(Engine& engine, const Departure& first,
                                                const MakeConsistent& make_consistent,
                                                EventPoint found);
  static EventPoint point_of(const StepPolynomial& step, double t, Guarantee guarantee);
  void note_noise(std::uint32_t which, double aimed_at);
  bool polish(Engine& engine, const Departure& first, const MakeConsistent& make_consistent,
              EventPoint& point);

  SwitchBoard& board_;
  const System& system_;
  std::vector<std::uint8_t> is_solved_for_;  // per switch, once it was asked for
  std::optional<bool> changes_modes_;        // some transition leads out of this mode
  const EngineOptions& tolerances_;
  const EventOptions& options_;
  double t_left_ = 0.0, t_right_ = 0.0;  // of the step as the engine took it
  std::vector<double> x_left_, xdot_left_;
  std::vector<double> g_, rate_, gradient_, rounding_, band_, distance_, margin_;
  // At the first point of the last instant, before anything was done there.
  std::vector<double> arriving_g_;
  double arrived_at_ = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::uint32_t> begins_near_;
  std::vector<Interval> hull_;
  /// Where g_, rate_, rounding_, band_ and distance_ are of: at an event they are asked for several times.
  struct {
    bool is_known = false;
    double t = 0.0, stretch_end = 0.0;
    std::vector<double> x, xdot;
    SwitchBoard::Circumstances circumstances;
  } distances_of_;

  // Of exits, on a sliding system. Bands are those of the step that came near them, rates those of the place
  // where one is located: multipliers change little within either.
  std::vector<double> exit_band_, exit_rounding_, exit_rate_, base_g_;
  double t_of_bands_ = 0.0;
  bool has_exit_bands_ = false, has_exit_rates_ = false;
};

}  // namespace saltus::detail
