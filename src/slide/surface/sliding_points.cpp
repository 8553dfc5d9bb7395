#include "slide/surface/sliding_points.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::detail {

namespace {

constexpr double closest_distance = 1e-14, farthest_distance = 2e-8;

}  // namespace

SidePoints::SidePoints(SlidingSides& sides, SurfaceFunctions& surfaces)
    : sides_(sides),
      surfaces_(surfaces),
      g_(sides.n_surfaces()),
      size_(g_),
      target_(g_),
      no_motion_(surfaces.nominal().size(), 0.0),
      g_here_(g_),
      dg_(g_) {}

Evaluation SidePoints::begin(std::uint32_t vertex, double t, std::span<const double> x) {
  vertex_ = vertex;
  distance_ = closest_distance;
  if (const auto e = surfaces_.gradients(t, x, no_motion_); !e) return e;
  // The function of a single surface is the same on both sides.
  if (size_.size() == 1 && begun_with_ == surfaces_.n_gradients()) return Evaluation::ok();
  begun_with_ = 0;
  if (const auto e = surfaces_.values(t, x, no_motion_, g_here_); !e) return e;
  for (std::uint32_t k = 0; k < size_.size(); ++k) {
    size_[k] = surfaces_.size(k, x);
    if (!std::isfinite(size_[k]) || size_[k] == 0.0) return Evaluation::out_of_domain(0);
  }
  begun_with_ = surfaces_.n_gradients();
  return Evaluation::ok();
}

bool SidePoints::place_at(double distance, double t, std::span<const double> x,
                          std::span<double> point) {
  // On the surface a step along the gradient leads where it should: locks say the side, and whether it can be
  // evaluated there shows.
  bool is_certain = sides_.locks() != nullptr;
  for (std::uint32_t k = 0; k < g_.size(); ++k) {
    is_certain = is_certain && std::abs(g_here_[k]) <= distance * size_[k];
    target_[k] = SlidingSides::side(vertex_, k) * distance * size_[k];
    dg_[k] = target_[k] - g_here_[k];
  }
  // Only as near as rounding allows: what counts is the side.
  const auto is_there = [&] {
    if (is_certain) return true;
    if (!surfaces_.values(t, point, no_motion_, g_)) return false;
    for (std::uint32_t k = 0; k < g_.size(); ++k) {
      if (!(g_[k] * SlidingSides::side(vertex_, k) > 0.0)) return false;
    }
    return true;
  };
  std::copy(x.begin(), x.end(), point.begin());
  // One step is enough for targets next to it.
  double moved = 0.0;
  if (surfaces_.gradients(t, x, no_motion_) && surfaces_.move(dg_, point, moved) && is_there())
    return true;
  std::copy(x.begin(), x.end(), point.begin());
  return surfaces_.reach(t, point, no_motion_, target_) && is_there();
}

bool SidePoints::place(double t, std::span<const double> x, std::span<double> point) {
  for (; distance_ <= farthest_distance; distance_ *= 10.0) {
    if (!place_at(distance_, t, x, point)) continue;
    distance_ *= 10.0;
    return true;
  }
  return false;
}

Evaluation SidePoints::clear_of_surface(std::uint32_t vertex, double t, std::span<const double> x,
                                        std::span<double> point) {
  constexpr double beyond_increments = 1e-7;  // increments are 1.5e-8 of each unknown
  if (const auto e = begin(vertex, t, x); !e) return e;
  return place_at(beyond_increments, t, x, point) ? Evaluation::ok() : Evaluation::out_of_domain(0);
}

}  // namespace saltus::detail
