// The motions of all vertices at a point, and their mixture that stays on the surfaces.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <saltus/slide/surface.hpp>
#include <saltus/system/abilities.hpp>

#include "slide/surface/sliding_points.hpp"
#include "slide/surface/sliding_surfaces.hpp"

namespace saltus::detail {

class SlidingField {
 public:
  /// A point that was evaluated, and what was found there.
  struct Known {
    double t = 0.0;
    std::vector<double> values;  // one block, see part()
    std::uint64_t epoch = 0;     // 0: nothing
    bool has_motion = false;
  };

  /// The base offers ExplicitForm.
  SlidingField(const System& base, Workspace& workspace, SlidingSides& sides,
               SurfaceFunctions& surfaces, SlidingRule rule);

  /// Fills everything below, for the nearest point on the surfaces. Out of domain where no side can be evaluated
  /// or no multipliers exist. Of the last points nothing is evaluated again: those who look for exits, outputs
  /// and the regularity of a step ask about its ends, as the engine did.
  Evaluation evaluate(double t, std::span<const double> x);

  /// Multipliers of a point that was evaluated already, or one that differs from it by rounding.
  std::optional<std::span<const double>> multipliers_near(double t, std::span<const double> x);

  /// Motions and velocities of the vertices only: there may be no multipliers.
  Evaluation evaluate_vertices(double t, std::span<const double> x);

  /// Valid until the next evaluation.
  std::span<const double> motion() const { return part(here(), of_motion); }
  std::span<const double> multipliers() const { return part(here(), of_u); }
  std::span<const double> weights() const { return part(here(), of_w); }
  /// The motion of a vertex, and where it was evaluated: the point itself, or one on the vertex' side.
  std::span<const double> motion(std::uint32_t vertex) const {
    return part(here(), of_fields).subspan(vertex * n_, n_);
  }
  std::span<const double> point(std::uint32_t vertex) const {
    return part(here(), of_points).subspan(vertex * n_, n_);
  }
  const NormalVelocities& velocities() const { return velocities_; }

  /// Of the point evaluated last; to be told to another one of the same base.
  const Known* last_known() const { return last_ < known_.size() ? &known_[last_] : nullptr; }
  void set_known(const Known& known);

  /// How the motion changes with each multiplier, a row per surface, at the point last evaluated.
  void directions(std::span<double> rows) const;

  /// Multipliers of later points are sought from these.
  void set_anchor(std::span<const double> u) { anchor_.assign(u.begin(), u.end()); }
  std::uint64_t n_side_evaluations() const { return n_side_evaluations_; }
  /// As it was made: motion begins anew, on the surfaces it was made for.
  void begin_again();

 private:
  enum Part : std::size_t { of_x, of_fields, of_points, of_rate, of_motion, of_u, of_w, n_parts };
  bool find_weights();
  Evaluation compute_vertices(double t, std::span<const double> x, Known& known);

  const Known& here() const { return known_[here_]; }
  std::uint8_t& n_known_at(double t) {
    return n_known_[std::bit_cast<std::uint64_t>(t) * 0x9e3779b97f4a7c15U >> 56U];
  }
  Known* find(double t, std::span<const double> x, double slack);
  /// In place of the oldest one; nothing is known of it yet.
  Known& new_point();
  Evaluation compute_point(double t, std::span<const double> x);
  void take(const Known& known);
  std::span<double> part(Known& known, Part which) const {
    return std::span(known.values).subspan(begin_[which], begin_[which + 1] - begin_[which]);
  }
  std::span<const double> part(const Known& known, Part which) const {
    return std::span(known.values).subspan(begin_[which], begin_[which + 1] - begin_[which]);
  }

  std::size_t n_;
  ExplicitForm& form_;
  SlidingSides& sides_;
  SurfaceFunctions& surfaces_;
  SidePoints points_near_;
  SlidingRule rule_;
  std::uint32_t n_surfaces_;
  std::vector<double> on_surface_, no_motion_, u_, w_, anchor_, g_;
  NormalVelocities velocities_;
  int attraction_ = 0;  // sign of V- - V+ on a single surface, from the first evaluation
  std::uint64_t n_side_evaluations_ = 0;
  std::array<std::size_t, n_parts + 1> begin_{};  // of the parts of what is known
  std::vector<Known> known_;
  static constexpr std::size_t most_known = 32;  // more than any explicit step has stages
  std::array<std::uint8_t, 256> n_known_ = {};  // by a hash of their times: most times are new ones
  std::size_t next_known_ = 0;
  std::size_t last_ = 0;  // the one evaluated last,
  std::size_t here_ = 0;  // or found again
};

}  // namespace saltus::detail
