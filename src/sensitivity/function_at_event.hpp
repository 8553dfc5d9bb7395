// A switching function where it is crossed: what (Z.4) needs of it beyond gradients.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <saltus/hybrid/follower.hpp>

namespace saltus::detail {

/// The solution and S at the left limit of an instant.
struct MotionAtEvent {
  std::span<const double> nominal, slope;  // of unknowns: typical magnitudes, x'
  double time_scale = 0.0;                 // of a step
  std::size_t n_columns = 0;
  bool is_known = false;               // what follows is
  std::span<const double> bend, sdot;  // x'' and S' of unknowns that are integrated
  std::span<const std::uint8_t> integrated;
};

class FunctionAtEvent {
 public:
  FunctionAtEvent(const FollowedPoint& left, std::uint32_t which, const MotionAtEvent& motion)
      : left_(left),
        functions_(*left.workspace.ability<SwitchingFunctions>()),
        which_(which),
        motion_(motion) {}

  /// The point of the surface next to the left limit, which is off by what location allows: a solution that slides goes
  /// on from there, and only with the gradient of that point g_x S + g_p = 0 holds to rounding.
  std::vector<double> on_surface() const;
  /// By central differences along the motion: multipliers are followed by steps of one side elsewhere, for their sign.
  std::optional<double> rate_along();
  /// By second differences along the motion; none where that is not known.
  std::optional<double> curvature();
  /// How much of its change comes from its dependence on x': per parameter, and at the end along time. Nothing if
  /// it is not known.
  std::optional<std::vector<double>> rates_by_derivatives();

 private:
  const FollowedPoint& left_;
  SwitchingFunctions& functions_;
  std::uint32_t which_;
  const MotionAtEvent& motion_;
};

}  // namespace saltus::detail
