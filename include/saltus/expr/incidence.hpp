// Incidence: which variables occur in which equations, with which derivative orders.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <saltus/expr/graph.hpp>

namespace saltus {

/// Lists, row by row, the inputs an expression reads; for an array, a row per lane.
struct Incidence {
  std::vector<std::uint32_t> row_start = {0};
  std::vector<Input> inputs;

  std::size_t n_rows() const { return row_start.size() - 1; }
  std::span<const Input> row(std::size_t i) const {
    return {inputs.data() + row_start[i], row_start[i + 1] - row_start[i]};
  }
};

/// Returns the union over all branches. Inputs that only switching functions read are not included:
/// they decide which equations hold, but are not part of them.
Incidence incidence(const Graph& g, std::span<const NodeId> rows);

/// Returns the incidence under given locks: only the branches taken. Relations without a lock count
/// both ways.
Incidence incidence(const Graph& g, std::span<const NodeId> rows,
                    std::span<const std::uint8_t> locks);

}  // namespace saltus
