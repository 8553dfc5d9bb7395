#include <saltus/expr/switches.hpp>

#include <algorithm>

#include <saltus/core/error.hpp>
#include <saltus/expr/text.hpp>

#include "guards.hpp"
#include "truth.hpp"

namespace saltus {

namespace {

/// Visits the relations a condition is made of.
template <class F>
void for_each_relation(const Graph& g, ConditionId id, F&& visit) {
  const Condition& c = g.condition(id);
  if (c.kind == Condition::Kind::relation) {
    visit(c.a);
  } else if (c.kind == Condition::Kind::conjunction) {
    for_each_relation(g, condition_of(c.a), visit);
    for_each_relation(g, condition_of(c.b), visit);
  }
}

}  // namespace

SwitchTable::SwitchTable(const Graph& g, std::span<const NodeId> expressions) : graph_(g) {
  const std::vector<Output> outputs = outputs_in_order(g, expressions);
  // Unlocked: switching functions that occur inside other switching functions count too.
  const Guards guards(g, outputs, Locking::unlocked);
  std::vector<std::uint32_t> entry_of(g.n_relations(), none);
  for (ConditionId id = 0; id < g.n_conditions(); ++id) {
    const Condition& c = g.condition(id);
    if (c.kind != Condition::Kind::relation || !guards.condition_needed(id)) continue;
    const Relation& r = g.relation(c.a);
    if (!r.tracked()) continue;
    entry_of[c.a] = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back({c.a,
                        r.first_switch,
                        g.shape_length(r.shape),
                        r.g,
                        r.test,
                        guards.literals(guards.condition_guard(id)),
                        {}});
  }
  for (NodeId id = 0; id < guards.end(); ++id) {
    if (!guards.needed(id)) continue;
    const ConditionId c = Graph::deciding_condition(g.node(id));
    if (c == none) continue;
    for_each_relation(g, c, [&](std::uint32_t relation) {
      if (entry_of[relation] == none) return;
      auto& users = entries_[entry_of[relation]].conditions;
      if (std::find(users.begin(), users.end(), c) == users.end()) users.push_back(c);
    });
  }
  std::sort(entries_.begin(), entries_.end(),
            [](const SwitchEntry& a, const SwitchEntry& b) { return a.first < b.first; });
}

const SwitchEntry* SwitchTable::find(SwitchId which) const {
  auto it = std::upper_bound(entries_.begin(), entries_.end(), which,
                             [](SwitchId s, const SwitchEntry& e) { return s < e.first; });
  if (it == entries_.begin()) return nullptr;
  --it;
  return which < it->first + it->count ? &*it : nullptr;
}

std::string SwitchTable::text(SwitchId which) const {
  const SwitchEntry* entry = find(which);
  SALTUS_ASSERT(entry != nullptr);
  return relation_text(graph_, entry->relation, which - entry->first);
}

std::vector<Output> SwitchTable::functions() const {
  std::vector<Output> outputs;
  std::uint32_t next = 0;
  for (const SwitchEntry& e : entries_) {
    Output o{.node = e.g, .first = next, .stride = 1, .lanes = e.count};
    if (!graph_.is_array(e.g)) o.context = e.context;
    outputs.push_back(std::move(o));
    next += e.count;
  }
  return outputs;
}

bool SwitchTable::is_active(const SwitchEntry& entry, std::span<const std::uint8_t> locks) const {
  return std::all_of(entry.context.begin(), entry.context.end(), [&](Literal l) {
    return truth_under_locks(graph_, l, locks, 0) != lock_false;
  });
}

}  // namespace saltus
