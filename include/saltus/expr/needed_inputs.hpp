// Finds the inputs that a program needs.
#pragma once

#include <span>
#include <vector>

#include <saltus/expr/program.hpp>

namespace saltus {

/// Returns the inputs that the values of outputs depend on, lane by lane, in ascending order. For
/// example `(2 * x)[1:]` does not need x[0], although the array 2 * x reads it. Both branches of a
/// condition count, and every lane of a relation that the program decides.
std::vector<InputId> needed_inputs(const Graph& graph, std::span<const Output> outputs,
                                   Locking locking = Locking::locked);

}  // namespace saltus
