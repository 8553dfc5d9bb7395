// Surfaces that hold a solution with more than acts beside them: static friction.
#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>

#include "hybrid/surface/surface_study.hpp"

namespace saltus::detail {

/// How much more a surface holds than its sides say: 1/h, which is the same on both.
Result<double> SurfaceStudy::hold_on_sides(const Surface& surface, std::uint32_t function,
                                           std::span<const double> x) {
  constexpr double same = 1e-9;
  const KeptTruths kept(board_);
  const std::string& name = board_.info(function).name;
  std::optional<double> found;
  for (const int side : {1, -1}) {
    set_side(surface, side);
    if (!board_.functions().is_active(function)) continue;
    double h = 0.0;
    if (!board_.functions().evaluate_one(function, at_.t, x, at_.xdot, h) || !(h > 0.0))
      return Failure{FailureCode::not_certified,
                     name + " is " + to_text(h) + ": it must be positive"};
    if (h > 1.0 + same)
      return Failure{
          FailureCode::not_certified,
          name + " is " + to_text(h) + ": static friction must not be less than kinetic friction"};
    if (found && !(std::abs(h - *found) <= same))
      return Failure{FailureCode::not_certified,
                     name + " is " + to_text(*found) + " on one side of rest and " + to_text(h) +
                         " on the other: it has to be the same for both directions"};
    found = std::min(h, 1.0);
  }
  return 1.0 / found.value_or(1.0);
}

/// Beyond its sides a surface is held only by a force against the motion, in the ratio of multipliers: by a normal force
/// that is positive and the same on both sides.
std::optional<Failure> SurfaceStudy::cannot_hold(std::uint32_t k, std::uint32_t which) {
  constexpr double same = 1e-6;  // searches for consistent states leave less
  const KeptTruths kept(board_);
  const std::uint32_t function = board_.info(which).hold_normal;
  const std::string& name = board_.info(function).name;
  const auto normal_at = [&](std::uint32_t vertex) {
    double normal = 0.0;
    set_vertex(vertex);
    const Motion& motion = table_.motions[vertex];
    if (!board_.functions().is_active(function) ||
        !board_.functions().evaluate_one(function, at_.t, motion.x, motion.xdot, normal))
      return std::nan("");
    return normal;
  };
  for (std::uint32_t b = 0; b < table_.motions.size(); ++b) {
    const std::uint32_t other = b | (1U << k);
    if (b == other) continue;
    const double minus = normal_at(b), plus = normal_at(other);
    if (minus <= 0.0 || plus <= 0.0)
      return Failure{FailureCode::not_certified,
                     name + " is " + to_text(std::min(minus, plus)) +
                         ": bodies are pressed together by a positive one only; write abs() of it "
                         "if they are held from both sides, max(…, 0) if contact is lost"};
    if (std::abs(plus - minus) > same * std::max(plus, minus))
      return Failure{FailureCode::not_certified,
                     name + " depends on friction itself: it is " + to_text(minus) +
                         " for one direction and " + to_text(plus) +
                         " for the other; write it as a contact (Model::unilateral)"};
    if (table_.velocities(other, k) >= table_.velocities(b, k))
      return Failure{FailureCode::not_certified,
                     "the force of friction " + quote(board_.info(which).held_by) +
                         " speeds its slip up: change its sign in the equations, or that of the "
                         "slip velocity"};
  }
  return std::nullopt;
}

/// One per surface that was met, for DecideOptions.
Result<std::vector<double>> SurfaceStudy::find_holds() {
  std::vector<double> holds(met_.size(), 1.0);
  std::vector<double> x;  // on the surfaces: a law of velocities has a kink there
  for (std::uint32_t k = 0; k < met_.size(); ++k) {
    std::uint32_t first = SwitchInfo::no_hold;
    for (const std::uint32_t w : met_[k].switches) {
      const std::uint32_t function = board_.info(w).hold;
      if (function == SwitchInfo::no_hold || is_released(w)) continue;
      if (first != SwitchInfo::no_hold)
        return Failure{FailureCode::not_certified,
                       board_.info(first).name + " and " + board_.info(function).name +
                           " belong to one surface: write one friction for both"};
      first = function;
      if (x.empty()) {
        x.assign(at_.x.begin(), at_.x.end());
        if (!project_on_surfaces(*mode_.system, *mode_.workspace, met_, at_.t, x, at_.xdot))
          x.assign(at_.x.begin(), at_.x.end());
      }
      auto hold = hold_on_sides(met_[k], function, x);
      if (!hold) return hold.failure();
      holds[k] = *hold;
      if (const auto refused = cannot_hold(k, w); refused && *hold > 1.0) return *refused;
    }
  }
  return holds;
}

}  // namespace saltus::detail
