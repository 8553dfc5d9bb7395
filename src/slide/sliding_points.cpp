#include "slide/sliding_points.hpp"

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
      no_motion_(surfaces.nominal().size(), 0.0) {}

Evaluation SidePoints::begin(std::uint32_t vertex, double t, std::span<const double> x) {
  vertex_ = vertex;
  distance_ = closest_distance;
  if (const auto e = surfaces_.gradients(t, x, no_motion_); !e) return e;
  for (std::uint32_t k = 0; k < size_.size(); ++k) {
    size_[k] = surfaces_.size(k, x);
    if (!std::isfinite(size_[k]) || size_[k] == 0.0) return Evaluation::out_of_domain(0);
  }
  return Evaluation::ok();
}

bool SidePoints::place(double t, std::span<const double> x, std::span<double> point) {
  for (; distance_ <= farthest_distance; distance_ *= 10.0) {
    for (std::uint32_t k = 0; k < g_.size(); ++k) {
      target_[k] = SlidingSides::side(vertex_, k) * distance_ * size_[k];
    }
    std::copy(x.begin(), x.end(), point.begin());
    // Only as near as rounding allows: what counts is the side.
    bool is_there = surfaces_.reach(t, point, no_motion_, target_) &&
                    surfaces_.values(t, point, no_motion_, g_);
    for (std::uint32_t k = 0; k < g_.size() && is_there; ++k) {
      is_there = g_[k] * SlidingSides::side(vertex_, k) > 0.0;
    }
    if (!is_there) continue;
    distance_ *= 10.0;
    return true;
  }
  return false;
}

}  // namespace saltus::detail
