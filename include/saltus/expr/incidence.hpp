// Which variable occurs in which equation, with which derivative order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <saltus/expr/graph.hpp>

namespace saltus {

/// Row by row, the input nodes an expression reads; for an array, a row per lane.
struct Incidence {
  std::vector<std::uint32_t> row_start = {0};
  std::vector<Input> inputs;

  std::size_t n_rows() const { return row_start.size() - 1; }
  std::span<const Input> row(std::size_t i) const {
    return {inputs.data() + row_start[i], row_start[i + 1] - row_start[i]};
  }
};

/// The union over all branches. What only switching functions read is not part of it: it decides
/// which equations hold, not what they say.
Incidence incidence(const Graph& g, std::span<const NodeId> rows);

/// Under given locks: only the branches taken. Relations without a lock count both ways.
Incidence incidence(const Graph& g, std::span<const NodeId> rows,
                    std::span<const std::uint8_t> locks);

}  // namespace saltus
