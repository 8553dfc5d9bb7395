// What both sides of surfaces do at a point: the numbers behind a decision.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/slide/decide.hpp>
#include <saltus/slide/sliding_system.hpp>
#include <saltus/trajectory/events.hpp>

#include "hybrid/mode/mode_run.hpp"

namespace saltus::detail {

/// At one point of a mode; truths of its relations are what they were when a member function returns, except for
/// those that decide() settles.
class SurfaceStudy {
 public:
  struct At {
    double t = 0.0;
    std::span<const double> x;
    std::span<const double> xdot;
    /// A time that is short compared with what the solution does.
    double short_time = 0.0;
  };
  SurfaceStudy(ModeRun& mode, const At& at);

  /// Relations that change together are one surface. Those with a vanishing gradient follow others that have the
  /// same one.
  std::vector<Surface> surfaces_of(std::span<const std::uint32_t> switches);
  /// Relations that surfaces_of() took for one surface although their zeros are not the same.
  struct Apart {
    std::uint32_t one = 0, other = 0;
    double distance = 0.0;  // in nominal units of the unknowns
  };
  std::span<const Apart> apart() const { return apart_; }
  /// Whether the gradient of a function vanishes where the function does: no velocity tells where it goes.
  bool is_flat(std::uint32_t which);

  /// Relations whose truth is known although they may matter on another side of surfaces only, one flag each.
  void set_known(std::vector<std::uint8_t> known) { known_ = std::move(known); }
  /// Relations that have come to matter at this instant, one flag each: what they are is decided on the surfaces.
  void set_fresh(std::vector<std::uint8_t> fresh) { fresh_ = std::move(fresh); }

  /// Relations whose surface has just let go: what held it there does not any more (SwitchInfo::hold). Its
  /// velocity there is zero but for the error of the run: one that does not move the function by more than its
  /// uncertainty in `step` is not known to have a sign, and the next derivative decides.
  void set_released(std::span<const std::uint32_t> switches, double step) {
    released_.assign(switches.begin(), switches.end());
    released_step_ = step;
  }

  /// Rates of unknowns that would not change them by more than a tolerance if they lasted as long as the run.
  std::vector<double> unimportant_rates() const;
  /// How to go on from a point on these surfaces. Relations that matter on some of their sides only, and are not
  /// known, get the truth they have at the point. Surfaces whose sides move alike are left out of it: what
  /// remains is in surfaces(). The failure says which side cannot be evaluated, or that more surfaces meet than
  /// can be decided.
  Result<SurfaceDecision> decide(std::vector<Surface> met, SlidingRule rule);
  std::span<const Surface> surfaces() const { return met_; }
  /// The motions of all vertices of these surfaces, without a decision.
  Result<std::vector<SlidingPoint>> look_at(std::vector<Surface> kept);
  const NormalVelocities& velocities() const { return table_.velocities; }
  /// Of the side of all surfaces that a candidate takes; those it keeps at either side.
  std::vector<SlidingPoint> vertex_points() const;

  /// Constraints of the sides of the surfaces differ so much that states would have to jump between them.
  bool has_different_states();

  /// A surface is named by its first relation.
  std::string name_of(const Surface& surface) const;
  /// "sliding on v1 > v2, x > 0 true": a candidate, and its verdict, with names instead of numbers.
  SurfaceCandidateRecord record_of(const SurfaceCandidate& candidate) const;

  /// A consistent start under the present truths from a point that may lie on surfaces of these relations, or
  /// beyond them by rounding: where equations end at their surface, from a point just on their own side.
  /// `farther`: so many times as far as necessary.
  Result<ConsistentStart> start_beside(std::span<const std::uint32_t> switches, double t,
                                       std::span<const double> x, std::span<const double> xdot,
                                       double farther = 1.0);
  /// Moves a point by as little as possible so that a function is on the side of its relation's truth, by a
  /// distance at least.
  void put_beside(std::uint32_t which, double distance, double t, std::span<double> x,
                  std::span<const double> xdot);
  std::uint64_t n_evaluations() const { return n_evaluations_; }

  /// Gives the relations of a surface the truth they have on one side, +1 or -1.
  void set_side(const Surface& surface, int side);
  /// Calls look() on sides of these surfaces, as many as it takes to learn what matters on any.
  template <class Look>
  void on_sides(std::span<const Surface> surfaces, Look&& look);

 private:
  struct Motion {  // of one vertex
    std::vector<double> x, xdot;
    std::vector<double> xdot_error;  // of derivatives that are differences; may be empty
  };
  struct Slopes {  // of one function
    std::uint32_t which = 0;
    std::vector<double> in_x;  // in nominal units of the unknowns
    double size = 0.0;         // of in_x
    double in_time = 0.0;      // as its surface moves, whatever the unknowns do
    double rounding = 0.0;     // of in_time
  };
  Slopes slopes_of(std::uint32_t which);
  std::optional<int> same_surface(const Slopes& a, const Slopes& b);
  struct Table {
    NormalVelocities velocities;
    std::vector<Motion> motions;  // per vertex
  };
  Result<Motion> motion_at(std::uint32_t vertex, double t, std::span<const double> x,
                           std::span<const double> xdot, double farther = 1.0);
  Result<std::vector<Motion>> limits_at_surfaces(const Table& table);
  void set_vertex(std::uint32_t vertex);
  void settle_hidden();
  void wake(std::uint32_t which);
  Evaluation find_rates(double t, const Motion& motion);
  double error_of_rate(std::span<const double> gradient, const Motion& motion) const;
  Result<Table> look(double t, std::span<const double> x, std::span<const double> xdot);
  Result<SurfaceDecision> decide_many(SlidingRule rule);
  Result<std::vector<double>> find_holds();
  bool is_released(std::uint32_t which) const;
  void doubt_released(std::span<double> negligible) const;
  std::optional<Failure> cannot_hold(std::uint32_t k, std::uint32_t which);
  Result<double> hold_on_sides(const Surface& surface, std::uint32_t function,
                               std::span<const double> x);
  Result<void> leave_out_continuous(Table& table);
  std::optional<double> second_derivative(const SurfaceCandidate& candidate, std::uint32_t k);
  std::vector<double> motion_of(const SurfaceCandidate& candidate, const Table& table) const;
  double rate_of(const SurfaceCandidate& candidate, const Table& table, std::uint32_t k) const;
  std::vector<double> moved(double distance) const;
  std::optional<int> side_beside(std::uint32_t which, const Surface& surface, double t);
  std::vector<double> gradient(std::uint32_t which, double t, std::span<const double> x,
                               std::span<const double> xdot);

  ModeRun& mode_;
  SwitchBoard& board_;
  At at_;
  double direction_;
  std::vector<Surface> met_;
  std::vector<Surface> around_;  // a function may matter on some of their sides only
  std::vector<std::uint8_t> known_, fresh_;
  std::vector<std::uint32_t> released_;
  double released_step_ = 0.0;
  Table table_;
  std::vector<Apart> apart_;
  std::vector<double> g_, rate_, gradients_;
  std::uint64_t n_evaluations_ = 0;
};

template <class Look>
void SurfaceStudy::on_sides(std::span<const Surface> surfaces, Look&& look) {
  const KeptTruths kept(board_);
  const auto m = static_cast<std::uint32_t>(surfaces.size());
  for (std::uint32_t v = 0; v < n_viewed_vertices(m); ++v) {
    const std::uint32_t vertex = viewed_vertex(m, v);
    for (std::uint32_t k = 0; k < m; ++k) set_side(surfaces[k], (vertex >> k) & 1U ? 1 : -1);
    look();
  }
}

/// Whether each surface adds its own part to the motion of states: then the mixture that stays on all of them is
/// the same by every rule. Vertices of surfaces in the order of their numbers, or none if they are not known.
/// Rates of unknowns that do not matter, if they are known, are not looked at.
bool motions_add_up(const System& system, std::span<const SlidingPoint> vertices,
                    std::span<const double> no_matter = {});

}  // namespace saltus::detail
