// From a bracket of positions to a bracket of a few ulp of time, by evaluations of G itself.
#pragma once

#include <optional>

#include "events/side_walk.hpp"
#include "events/watched_function.hpp"

namespace saltus::detail {

struct TimeBracket {
  double before = 0.0;  // G >= 0 as evaluated, or the begin of the search
  double after = 0.0;   // G < 0 as evaluated
};

/// Nothing if G, as evaluated at representable times, is nowhere negative around crossing.after.
std::optional<TimeBracket> refine(WatchedFunction& function, const SideCrossing& crossing);

}  // namespace saltus::detail
