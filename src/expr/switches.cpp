#include <saltus/expr/switches.hpp>

#include <algorithm>

#include <saltus/core/error.hpp>
#include <saltus/expr/text.hpp>

#include "fold.hpp"
#include "guards.hpp"
#include "truth.hpp"

namespace saltus {

namespace {

/// What two contexts have in common, in the order of the first.
std::vector<Literal> common(const std::vector<Literal>& a, const std::vector<Literal>& b) {
  std::vector<Literal> both;
  for (Literal l : a)
    if (std::find(b.begin(), b.end(), l) != b.end()) both.push_back(l);
  return both;
}

/// A guard as the context of all lanes and that of single ones.
struct SplitContext {
  SplitContext(const Guards& guards, Guards::SetId set)
      : all(guards.literals(guards.scalar_part(set))) {
    const std::vector<Literal> path = guards.literals(set);
    lanes.assign(path.begin() + static_cast<std::ptrdiff_t>(all.size()), path.end());
  }
  std::vector<Literal> all;
  std::vector<Literal> lanes;
};

}  // namespace

std::vector<BranchCondition> branch_conditions(const Graph& g,
                                               std::span<const NodeId> expressions) {
  const Guards guards(g, outputs_in_order(g, expressions), Locking::locked,
                      Guards::Branches::contexts);
  std::vector<std::uint8_t> decides(g.n_conditions(), 0);
  for (NodeId id = 0; id < guards.end(); ++id) {
    const ConditionId c = guards.needed(id) ? Graph::deciding_condition(g.node(id)) : none;
    if (c != none) decides[c] = 1;
  }
  std::vector<BranchCondition> found;
  for (ConditionId c = 0; c < decides.size(); ++c) {
    if (decides[c] == 0) continue;
    SplitContext context(guards, guards.condition_guard(c));
    found.push_back({c, std::move(context.all), std::move(context.lanes)});
  }
  return found;
}

SwitchTable::SwitchTable(const Graph& g, std::span<const NodeId> expressions) : graph_(g) {
  const std::vector<Output> outputs = outputs_in_order(g, expressions);
  // Unlocked: switching functions that occur inside other switching functions count too.
  const Guards guards(g, outputs, Locking::unlocked, Guards::Branches::contexts);
  std::vector<std::uint32_t> entry_of(g.n_relations(), none);
  // A lane of an array relation used on its own belongs to the entry of the array, if that is there.
  for (const bool arrays : {true, false}) {
    for (ConditionId id = 0; id < g.n_conditions(); ++id) {
      const Condition& c = g.condition(id);
      if (c.kind != Condition::Kind::relation || !guards.condition_needed(id)) continue;
      const Relation& r = g.relation(c.a);
      if (!r.tracked() || arrays != (c.shape != 0)) continue;
      const SplitContext context(guards, guards.condition_guard(id));
      const std::uint32_t whole = entry_of[g.owner(r.first_switch).relation];
      if (whole != none) {
        entry_of[c.a] = whole;
        entries_[whole].context = common(entries_[whole].context, context.all);
        entries_[whole].lane_context = common(entries_[whole].lane_context, context.lanes);
        continue;
      }
      entry_of[c.a] = static_cast<std::uint32_t>(entries_.size());
      entries_.push_back({c.a,
                          r.first_switch,
                          g.shape_length(r.shape),
                          r.g,
                          r.test,
                          context.all,
                          context.lanes,
                          {}});
    }
  }
  for (NodeId id = 0; id < guards.end(); ++id) {
    if (!guards.needed(id)) continue;
    const ConditionId c = Graph::deciding_condition(g.node(id));
    if (c == none) continue;
    for_each_relation(g, c, [&](ConditionId id_of_relation) {
      const std::uint32_t relation = g.condition(id_of_relation).a;
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
  if (entry == nullptr)
    throw ModelError("no relation of these expressions has switch " + std::to_string(which));
  return relation_text(graph_, entry->relation, which - entry->first);
}

std::vector<Output> SwitchTable::functions() const {
  std::vector<Output> outputs;
  std::uint32_t next = 0;
  for (const SwitchEntry& e : entries_) {
    Output o{.node = e.g, .first = next, .stride = 1, .lanes = e.count};
    o.context = e.context;
    outputs.push_back(std::move(o));
    next += e.count;
  }
  return outputs;
}

Jacobian SwitchTable::gradients(Graph& g, std::span<const InputRange> columns) const {
  SALTUS_ASSERT(&g == &graph_);
  std::vector<NodeId> rows;
  std::vector<const SwitchEntry*> entry_of_row;
  for (const SwitchEntry& e : entries_) {
    rows.push_back(e.g);
    entry_of_row.insert(entry_of_row.end(), e.count, &e);
  }
  Jacobian j = jacobian(g, rows, columns);
  for (Output& o : j.entries) {
    if (o.lanes != 1) continue;  // array relations: their lanes are evaluated wherever they are
    o.context = entry_of_row[static_cast<std::size_t>(j.pattern.row[o.first])]->context;
  }
  return j;
}

bool SwitchTable::is_active(const SwitchEntry& entry, std::span<const std::uint8_t> locks) const {
  TruthUnderLocks truth(graph_, locks);
  return std::all_of(entry.context.begin(), entry.context.end(),
                     [&](Literal l) { return truth(l, 0) != lock_false; });
}

}  // namespace saltus
