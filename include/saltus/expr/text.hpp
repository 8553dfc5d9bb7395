// Writes expressions and conditions as text a user recognises.
#pragma once

#include <string>

#include <saltus/expr/graph.hpp>

namespace saltus {

struct TextOptions {
  /// Longer texts are cut at this length and end with "...".
  std::size_t max_length = 200;
};

/// Returns infix text with the user's names and minimal parentheses: "-k*x - mu*sign(v)". For an
/// array, the text of one lane.
std::string to_text(const Graph& g, NodeId id, const TextOptions& options = {},
                    std::uint32_t lane = 0);

/// Returns the text of a condition: "v > 0 and not (x <= 1)".
std::string condition_text(const Graph& g, Literal condition, std::uint32_t lane = 0,
                           const TextOptions& options = {});

/// Returns a relation as it was written: "v > v_belt".
std::string relation_text(const Graph& g, std::uint32_t relation, std::uint32_t lane = 0,
                          const TextOptions& options = {});

}  // namespace saltus
