// Points a little on the sides of surfaces: where a field ends at its surface, or decides by itself.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "slide/surface/sliding_surfaces.hpp"

namespace saltus::detail {

class SidePoints {
 public:
  SidePoints(SlidingSides& sides, SurfaceFunctions& surfaces);

  /// Calls evaluate(point) at the point itself, or, if the base has no locks or was ever refused, as near to
  /// the surface on the side of the vertex as it can be evaluated; `point` gets where that was. Once a side is
  /// known to end there all are evaluated like that: one at the point and another beside it would not be smooth
  /// functions of the point, and an iteration would not converge.
  template <class Evaluate>
  Evaluation on_side(std::uint32_t vertex, double t, std::span<const double> x,
                     std::span<double> point, Evaluate&& evaluate) {
    if (sides_.locks() != nullptr && !some_end_) {
      std::copy(x.begin(), x.end(), point.begin());
      const Evaluation done = evaluate(std::span<const double>(point));
      if (done.status() != Evaluation::Status::out_of_domain) return done;
      some_end_ = true;
    }
    // Its side may end at the surface, which this point has left by the error of a step.
    if (const auto e = begin(vertex, t, x); !e) return e;
    Evaluation done = Evaluation::out_of_domain(0);
    while (place(t, x, point)) {
      done = evaluate(std::span<const double>(point));
      if (done.status() != Evaluation::Status::out_of_domain) return done;
    }
    return done;
  }

  /// No side is known to end.
  void begin_again() { some_end_ = false; }
  /// Whether on_side() leaves points.
  bool some_end() const { return some_end_ || sides_.locks() == nullptr; }
  /// `point` gets the nearest one from which differences do not reach the other side.
  Evaluation clear_of_surface(std::uint32_t vertex, double t, std::span<const double> x,
                              std::span<double> point);

 private:
  Evaluation begin(std::uint32_t vertex, double t, std::span<const double> x);
  /// At the next distance at which g shows the side; false if there is none left.
  bool place(double t, std::span<const double> x, std::span<double> point);
  bool place_at(double distance, double t, std::span<const double> x, std::span<double> point);

  SlidingSides& sides_;
  SurfaceFunctions& surfaces_;
  bool some_end_ = false;  // a side, at its surface
  std::uint32_t vertex_ = 0;
  std::uint64_t begun_with_ = 0;  // gradients, on a single surface
  double distance_ = 0.0;         // in units of the terms of g
  std::vector<double> g_, size_, target_, no_motion_, g_here_, dg_;
};

}  // namespace saltus::detail
