// The truth of a condition as far as locks tell. Private to expr.
#pragma once

#include <cstdint>
#include <span>

#include <saltus/expr/evaluator.hpp>
#include <saltus/expr/graph.hpp>

#include "algebras.hpp"

namespace saltus {

/// lock_true, lock_false, or lock_undecided where a relation without a lock (or an inactive one)
/// decides. `lane` selects the switch of an array relation.
inline std::uint8_t truth_under_locks(const Graph& g, Literal literal,
                                      std::span<const std::uint8_t> locks, std::uint32_t lane) {
  using Truth = detail::ThreeValued;
  const Condition& c = g.condition(condition_of(literal));
  std::uint8_t value = lock_true;
  if (c.kind == Condition::Kind::relation) {
    const Relation& r = g.relation(c.a);
    const SwitchId which = r.tracked() ? r.first_switch + (c.shape != 0 ? lane : 0) : none;
    value = which < locks.size() && locks[which] <= lock_true ? locks[which] : lock_undecided;
  } else if (c.kind == Condition::Kind::conjunction) {
    value = Truth::conjunction(truth_under_locks(g, c.a, locks, lane),
                               truth_under_locks(g, c.b, locks, lane));
  }
  return is_negated(literal) ? Truth::negation(value) : value;
}

}  // namespace saltus
