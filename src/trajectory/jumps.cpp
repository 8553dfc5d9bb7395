#include "trajectory/jumps.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>

#include "trajectory/words.hpp"

namespace saltus::detail {

std::string jump_text(const Jump& jump) {
  const auto [before, after] = told_apart(jump.before, jump.after);
  const std::string unit = jump.unit.empty() ? "" : " " + jump.unit;
  if (jump.before == jump.after)
    return quote(jump.variable) + " to " + after + unit + ", as it was";
  return quote(jump.variable) + " from " + before + " to " + after + unit;
}

std::vector<const Jump*> largest_first(const std::vector<Jump>& jumps, JumpCause cause) {
  std::vector<const Jump*> chosen;
  bool in_tolerances = true;
  for (const Jump& jump : jumps) {
    if (jump.cause != cause) continue;
    chosen.push_back(&jump);
    in_tolerances = in_tolerances && jump.in_tolerances > 0;
  }
  // Variables of different units have no other common measure.
  const auto size = [&](const Jump* jump) {
    if (in_tolerances) return jump->in_tolerances;
    const double scale = std::max(std::abs(jump->before), std::abs(jump->after));
    return scale == 0 ? 0.0 : std::abs(jump->after - jump->before) / scale;
  };
  std::ranges::stable_sort(chosen, std::ranges::greater{}, size);
  return chosen;
}

}  // namespace saltus::detail
