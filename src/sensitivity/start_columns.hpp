// S where a run begins: one for the value that a column belongs to, and what the search for a consistent start makes of
// that.
#pragma once

#include "sensitivity/columns.hpp"

namespace saltus::detail {

/// Where the search decides where unknowns with derivatives start: differences of the whole search, and true, as they are
/// those of all unknowns. Throws OptionError for names of no unknown.
bool begin_columns(Columns& columns, const FollowedPoint& at, const FoundStart& start);

}  // namespace saltus::detail
