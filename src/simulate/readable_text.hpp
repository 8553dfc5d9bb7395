// Expressions as a person would write them: sums of products, equal terms together, numbers first,
// then parameters, variables and their derivatives.
#pragma once

#include <string>

#include <saltus/expr/graph.hpp>

namespace saltus {

/// Derivatives come out of the rules in the order of the rules ("der(x)*2*x"); here the same is
/// "2*x*der(x)". Sums inside products stay as they are. Longer texts are cut and end with "...".
std::string readable_text(const Graph& g, NodeId node, std::uint32_t lane, std::size_t max_length);

}  // namespace saltus
