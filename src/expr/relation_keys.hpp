// Under which key a graph remembers a relation. Private to expr.
#pragma once

#include <cstdint>

#include <saltus/expr/condition.hpp>

namespace saltus {

inline std::uint64_t relation_key(NodeId g, Test test, bool tracked) {
  return (std::uint64_t{g} << 8) | (static_cast<std::uint64_t>(test) << 1) | (tracked ? 1U : 0U);
}

/// One lane of an array relation.
inline std::uint64_t relation_lane_key(std::uint32_t relation, std::uint32_t lane) {
  return (std::uint64_t{1} << 63) | (std::uint64_t{relation} << 32) | lane;
}

}  // namespace saltus
