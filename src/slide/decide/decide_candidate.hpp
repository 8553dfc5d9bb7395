// Whether one candidate is consistent, given how fast each of its sides moves.
#pragma once

#include <span>
#include <vector>

#include <saltus/slide/decide.hpp>

namespace saltus::detail {

/// Of a kept surface: the normal velocity with its multiplier at the ends of what it may be (1 and -1, or what holds it:
/// DecideOptions::hold), the others as in the candidate.
struct SideRates {
  double plus = 0.0;
  double minus = 0.0;
};

inline double hold_of(const DecideOptions& options, std::size_t surface) {
  return options.hold.empty() ? 1.0 : options.hold[surface];
}
/// Whether any surface holds more than its sides say.
bool has_holds(const DecideOptions& options);

/// All kept surfaces on both of their sides. `sides` has an entry per surface, used where it is kept; `negligible` as it is to be used. Fills consistent, by_second_order and verdict, and moves multipliers
/// that are consistent by second order into their range.
void judge(SurfaceCandidate& candidate, std::span<const SideRates> sides,
           std::span<const double> negligible, const DecideOptions& options);

/// `negligible` of the caller, but never below what rounding of velocities of this size leaves.
double least_negligible(double negligible, double largest_rate);

/// Of a candidate that is no motion.
void refuse_without_multipliers(SurfaceCandidate& candidate, const DecideOptions& options);

/// What can be held is not left. Then candidates in the promised order, and the kind that follows from how many are
/// consistent.
void conclude(SurfaceDecision& decision, const DecideOptions& options);

}  // namespace saltus::detail
