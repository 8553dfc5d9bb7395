// The functions of surfaces at a point, and the smallest way onto them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <saltus/system/system.hpp>

#include "slide/surface/sliding_sides.hpp"

namespace saltus::detail {

class SurfaceFunctions {
 public:
  SurfaceFunctions(const System& base, SlidingSides& sides);

  std::uint32_t n_surfaces() const { return sides_.n_surfaces(); }
  std::span<const double> nominal() const { return nominal_; }

  /// g of all surfaces, each on a side on which it matters. Of the point whose gradients were asked last they are known.
  Evaluation values(double t, std::span<const double> x, std::span<const double> xdot,
                    std::span<double> g);
  /// dg/dx, a full row per surface; they remain until the next call. Of the point asked last nothing is evaluated again.
  Evaluation gradients(double t, std::span<const double> x, std::span<const double> xdot);
  std::span<const double> gradient(std::uint32_t k) const {
    return std::span(rows_).subspan(k * nominal_.size(), nominal_.size());
  }
  /// Another number whenever they were evaluated: while it is the same, so is the point.
  std::uint64_t n_gradients() const { return n_gradients_; }
  /// dg/dt at a fixed x, where it came with the gradients.
  bool has_slopes_in_time() const { return sides_.tangents() != nullptr; }
  double slope_in_time(std::uint32_t k) const { return slope_in_time_[k]; }
  /// dg_k/dt + dg_k/dx . x' for the given x', on the side entered if g_k matters there.
  Evaluation rates(double t, std::span<const double> x, std::span<const double> xdot,
                   std::span<double> g, std::span<double> gdot);

  /// Per unknown j the least that dg/dx_j keeps of itself, over all surfaces, on a way along x' on which no
  /// unknown moves by more than a few times its own size: 1 where it does not shrink, next to 0 where it vanishes.
  /// Gradients are those of the point afterwards. False if they cannot be evaluated there.
  bool steadiness(double t, std::span<const double> x, std::span<const double> xdot,
                  std::span<double> kept);

  /// What the terms of g_k sum up to in size: its rounding error is of the order of eps times this. Uses
  /// the gradients.
  double size(std::uint32_t k, std::span<const double> x) const;

  /// Later moves are combinations of these, a row per surface; none: along the gradients, in nominal units.
  void set_directions(std::span<const double> rows) {
    directions_.assign(rows.begin(), rows.end());
  }

  /// The smallest change of x, in nominal units, or along the directions, by which g changes by dg, to first order. Uses the
  /// gradients. False if they depend on each other. Returns its size in units of x through `moved`.
  bool move(std::span<const double> dg, std::span<double> x, double& moved);

  /// Moves x until g_k = target_k up to rounding.
  bool reach(double t, std::span<double> x, std::span<const double> xdot,
             std::span<const double> target);

  /// Onto g = 0 and the constraints of the base, which `project` moves it onto (empty: there are none).
  using BaseProjection = std::function<Evaluation(std::span<double> x)>;
  bool project(double t, std::span<double> x, std::span<const double> xdot,
               const BaseProjection& base);

 private:
  template <class Look>
  Evaluation on_active_sides(Look&& look);
  bool is_of_rows(double t, std::span<const double> x, std::span<const double> xdot);
  Evaluation evaluate_rows(double t, std::span<const double> x, std::span<const double> xdot);
  Evaluation evaluate_tangents(double t, std::span<const double> x);
  bool move_across_one(double dg, std::span<double> x, double& moved);
  bool move_along_constraints(double t, std::span<double> x, std::span<const double> xdot,
                              const BaseProjection& base);

  SlidingSides& sides_;
  std::vector<double> nominal_;
  const CscPattern& pattern_;
  std::vector<double> entries_, rows_, directions_;
  std::vector<double> all_g_, all_gdot_;
  std::vector<double> g_of_rows_, slope_in_time_;  // where tangents tell
  std::vector<double> gram_, coefficient_, g_, zero_, tangent_, moved_x_, way_, rows_here_;
  /// Where rows_ are of.
  struct {
    bool is_known = false;
    double t = 0.0;
    std::uint64_t epoch = 0;
    std::uint32_t vertex = 0;
    std::vector<double> x, xdot;  // tangents do not depend on x'
  } of_rows_;
  std::uint64_t n_gradients_ = 0;
};

}  // namespace saltus::detail
