// What an analysis says of transitions, as JSON.
#pragma once

#include <vector>

#include <saltus/core/json_writer.hpp>
#include <saltus/simulate/transition_analysis.hpp>

namespace saltus::detail {

/// A member "transitions" of the object that is open.
void put_transitions(JsonWriter& json, const std::vector<TransitionAnalysis>& transitions);

}  // namespace saltus::detail
