// The point at which a DAE of motion on surfaces is evaluated.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "slide/dae/base_at_sides.hpp"
#include "slide/dae/sliding_layout.hpp"

namespace saltus::detail {

/// Knows which unknowns are states and which of them the surfaces determine; from the unknowns at a point it takes the
/// derivatives of the base, the motion of all unknowns, multipliers, and the weights of the vertices.
class MixedPoint {
 public:
  static constexpr std::uint32_t no_surface = MixedLayout::none;

  MixedPoint(const MixedLayout& layout, const BaseAtSides& base,
             std::span<const std::uint32_t> pivots);

  void load(std::span<const double> x, std::span<const double> xdot);
  /// Of the point loaded last. x' of the base, with pivots:
  std::span<const double> xdot() const { return xdot_; }
  /// The same for states; for others their derivative, where that is an unknown.
  std::span<const double> velocity() const { return velocity_; }
  std::span<const double> u() const { return u_; }
  std::span<const double> weights() const { return weights_; }

  std::span<const double> multipliers(std::span<const double> x,
                                      std::span<const double> xdot) const {
    return (layout_.hidden ? xdot : x).subspan(layout_.n, layout_.z);
  }

  std::span<const std::uint32_t> pivots() const { return pivots_; }
  /// The surface that determines an unknown of the base, or no_surface.
  std::uint32_t surface_of(std::size_t unknown) const { return surface_of_[unknown]; }
  /// x' of a pivot.
  double rate(std::uint32_t k, std::span<const double> xdot) const {
    return xdot[layout_.p(k)] + offset_[k];
  }
  /// `rates`: x' of the new pivots at this point.
  void take_pivots(std::span<const std::uint32_t> pivots, std::span<const double> rates,
                   std::span<const double> xdot);

  std::span<const std::uint8_t> is_state() const { return is_state_; }
  /// What is integrated, of all unknowns.
  std::span<const std::uint8_t> chosen() const { return chosen_; }
  /// After the base has chosen others. Whoever keeps unknowns by what they stand for sets the states first.
  void follow_choice();
  void set_states(std::span<const std::uint8_t> is_state) {
    is_state_.assign(is_state.begin(), is_state.end());
  }

 private:
  void adopt(std::span<const std::uint32_t> pivots);

  const MixedLayout& layout_;
  const BaseAtSides& base_;
  std::vector<std::uint32_t> pivots_, surface_of_;
  std::vector<double> offset_;  // x' of a pivot is P_k' + offset_k
  std::vector<std::uint8_t> is_state_, chosen_;
  std::vector<double> xdot_, velocity_, u_, weights_;
};

}  // namespace saltus::detail
