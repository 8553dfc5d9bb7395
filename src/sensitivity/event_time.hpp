// How the time of a crossing moves, (Z.4).
#pragma once

#include <optional>
#include <vector>

#include "sensitivity/columns.hpp"
#include "sensitivity/function_at_event.hpp"

namespace saltus::detail {

/// Per column. None if the derivative does not exist or is not known: columns have ended, by name.
std::optional<std::vector<double>> time_derivatives(Columns& columns, const FollowedPoint& left,
                                                    const FollowedCrossing& crossing,
                                                    const MotionAtEvent& motion);

}  // namespace saltus::detail
