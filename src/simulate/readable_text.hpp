// Expressions as a person would write them: sums of products, equal terms together, numbers first,
// then parameters, variables and their derivatives.
#pragma once

#include <string>

#include <saltus/expr/graph.hpp>

namespace saltus {

/// "2*x*der(x) + 2*y*der(y) == 0" for the derivative of x^2 + y^2, which the rules leave as
/// "der(y)*2*y + der(x)*2*x". Sums inside products stay as they are; the first term is positive. Longer
/// texts are cut and end with "... == 0".
std::string readable_equation(const Graph& g, NodeId residual, std::uint32_t lane,
                              std::size_t max_length);

}  // namespace saltus
