// The truth of conditions as far as locks tell. Private to expr.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include <saltus/expr/evaluator.hpp>
#include <saltus/expr/graph.hpp>

#include "algebras.hpp"
#include "fold.hpp"

namespace saltus {

/// lock_true, lock_false, or lock_undecided where a relation without a lock (or an inactive one)
/// decides.
class TruthUnderLocks {
 public:
  TruthUnderLocks(const Graph& g, std::span<const std::uint8_t> locks) : g_(g), locks_(locks) {}

  /// `lane` selects the switch of an array relation.
  std::uint8_t operator()(Literal literal, std::uint32_t lane) {
    using Truth = detail::ThreeValued;
    if (lane != lane_) known_.clear();
    lane_ = lane;
    auto known = [&](ConditionId id) {
      const auto it = known_.find(id);
      return it == known_.end() ? nullptr : &it->second;
    };
    auto of = [&](Literal l) {
      const std::uint8_t v = *known(condition_of(l));
      return is_negated(l) ? Truth::negation(v) : v;
    };
    fold_condition(
        g_, condition_of(literal), known,
        [&](ConditionId id, std::uint8_t v) { known_.emplace(id, v); },
        [&](ConditionId id) { return relation(id); },
        [&](Literal a, Literal b) { return Truth::conjunction(of(a), of(b)); });
    return of(literal);
  }

 private:
  std::uint8_t relation(ConditionId id) const {
    const Condition& c = g_.condition(id);
    if (c.kind == Condition::Kind::always) return lock_true;
    const Relation& r = g_.relation(c.a);
    const SwitchId which = r.tracked() ? r.first_switch + (c.shape != 0 ? lane_ : 0) : none;
    return which < locks_.size() && locks_[which] <= lock_true ? locks_[which] : lock_undecided;
  }

  const Graph& g_;
  std::span<const std::uint8_t> locks_;
  std::uint32_t lane_ = 0;
  std::unordered_map<ConditionId, std::uint8_t> known_;
};

}  // namespace saltus
