#include "slide/dae/mixed_point.hpp"

#include <algorithm>

#include <saltus/slide/decide.hpp>

namespace saltus::detail {

MixedPoint::MixedPoint(const MixedLayout& layout, const BaseAtSides& base,
                       std::span<const std::uint32_t> pivots)
    : layout_(layout),
      base_(base),
      offset_(layout.z, 0.0),
      xdot_(layout.n),
      velocity_(layout.n),
      u_(layout.z),
      weights_(base.sides.n_vertices()) {
  adopt(pivots);
}

void MixedPoint::adopt(std::span<const std::uint32_t> pivots) {
  pivots_.assign(pivots.begin(), pivots.end());
  surface_of_.assign(layout_.n, no_surface);
  for (std::uint32_t k = 0; k < pivots_.size(); ++k) surface_of_[pivots_[k]] = k;
  follow_choice();
}

void MixedPoint::follow_choice() {
  set_states(states_of(base_.system, *base_.workspace));
  chosen_ = is_state_;
  chosen_.resize(layout_.size(), 0);
  for (const std::uint32_t j : pivots_) chosen_[j] = 0;
  if (layout_.hidden) std::fill_n(chosen_.begin() + layout_.n, 2 * layout_.z, std::uint8_t{1});
}

void MixedPoint::take_pivots(std::span<const std::uint32_t> pivots, std::span<const double> rates,
                             std::span<const double> xdot) {
  for (std::uint32_t k = 0; k < pivots.size(); ++k) offset_[k] = rates[k] - xdot[layout_.p(k)];
  adopt(pivots);
}

void MixedPoint::load(std::span<const double> x, std::span<const double> xdot) {
  std::copy_n(xdot.begin(), layout_.n, xdot_.begin());
  for (std::uint32_t k = 0; k < pivots_.size(); ++k) xdot_[pivots_[k]] = rate(k, xdot);
  for (std::uint32_t j = 0; j < layout_.n; ++j) {
    velocity_[j] = layout_.motion[j] != MixedLayout::none ? x[layout_.motion[j]] : xdot_[j];
  }
  const auto u = multipliers(x, xdot);
  std::copy(u.begin(), u.end(), u_.begin());
  vertex_weights(u_, weights_);
}

}  // namespace saltus::detail
