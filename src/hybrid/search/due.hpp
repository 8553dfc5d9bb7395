// Relations of time.
#pragma once

#include <vector>

#include "hybrid/stay/stay.hpp"

namespace saltus::detail {

/// Adds those that change at the end of the stretch. True if inputs cease to be smooth there, before t_end.
bool add_due(const Stay& here, double t_end, std::vector<Crossing>& crossings);

}  // namespace saltus::detail
