// Which shared values get a gradient of their own. Private to expr.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <saltus/expr/differentiate.hpp>

namespace saltus {

/// What a Jacobian needs to know of the graph below its rows.
struct ColumnDependence {
  std::vector<std::uint8_t> needed;   // reachable from a row
  std::vector<std::uint8_t> depends;  // and depending on a column
  std::vector<std::uint32_t> column;  // of an input node; none otherwise

  // Nodes made while differentiating are newer than this and asked for all the same.
  bool depends_on_column(NodeId id) const { return id < depends.size() && depends[id] != 0; }
  bool is_column(NodeId id) const { return id < column.size() && column[id] != none; }
};

ColumnDependence find_dependence(const Graph& g, std::span<const NodeId> rows,
                                 std::span<const InputRange> columns);

/// Marks the cuts: values whose gradient is found once and then multiplied.
///
/// A value r is shared if several rows (or other shared values) read it. With w readers, E operations
/// that belong to r alone, and nnz variables below it,
///     sweeping through r again for every reader costs   w E,
///     a gradient of its own costs                       E + nnz + w nnz;
/// the smaller count wins. Values read by arrays, and arrays other arrays pick lanes from, are
/// always cuts.
std::vector<std::uint8_t> choose_cuts(const Graph& g, std::span<const NodeId> rows,
                                      const ColumnDependence& dependence, Sweep sweep);

}  // namespace saltus
