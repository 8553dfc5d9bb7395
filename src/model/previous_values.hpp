// Where pre() may stand.
#pragma once

#include <saltus/model/definition.hpp>

namespace saltus::detail {

/// Outside of when-clauses and transitions there is nothing that pre() of an unknown could mean; between events pre() of
/// a discrete variable is the variable. Refuses the first that is not allowed, by name.
void check_previous_values(const ModelDefinition& model);

}  // namespace saltus::detail
