// Planning families: of array nodes, and of scalar equations that have the same shape.
#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

#include <saltus/core/error.hpp>

#include "plan.hpp"

namespace saltus {

namespace {

/// Larger regions stay scalar code: their signature would rarely repeat.
constexpr std::size_t max_rolled_operations = 256;

std::uint32_t allocate(Plan& plan, std::uint32_t n) {
  const std::uint32_t at = plan.next_register;
  plan.next_register += n;
  return at;
}

/// Array results that later stages read, by reason.
struct ArrayDemands {
  std::vector<std::uint8_t> materialised;        // in registers
  std::map<NodeId, std::uint32_t> sums;          // array -> address of its sum
  std::multimap<NodeId, ConditionId> relations;  // switching function -> relation to decide
  std::multimap<NodeId, const Output*> outputs;
};

ArrayDemands find_demands(Plan& plan) {
  const Graph& g = plan.graph;
  ArrayDemands d;
  d.materialised.assign(plan.guards.end(), 0);
  for (NodeId id = 0; id < plan.guards.end(); ++id) {
    if (!plan.needed(id)) continue;
    const Node& n = g.node(id);
    if (n.op == Op::take) d.materialised[n.a] = 1;
    if (n.op == Op::sum) {
      if (plan.address[id] == none) plan.address[id] = allocate(plan, 1);
      plan.stored_by_family_[id] = 1;
      d.sums.emplace(n.a, plan.address[id]);
    }
  }
  for (ConditionId id = 0; id < g.n_conditions(); ++id) {
    const Condition& c = g.condition(id);
    if (c.kind != Condition::Kind::relation || c.shape == 0) continue;
    if (plan.guards.condition_needed(id) && plan.computes(g.relation(c.a)))
      d.relations.emplace(g.relation(c.a).g, id);
  }
  for (const Output& o : plan.outputs)
    if (g.is_array(o.node) && o.context.empty()) d.outputs.emplace(o.node, &o);
  return d;
}

std::vector<std::uint32_t> consecutive(std::uint32_t first, std::uint32_t n) {
  std::vector<std::uint32_t> v(n);
  for (std::uint32_t j = 0; j < n; ++j) v[j] = first + j;
  return v;
}

/// Registers of an output; lanes without a slot go to a register nobody reads.
std::vector<std::uint32_t> output_places(Plan& plan, const Output& o) {
  std::vector<std::uint32_t> places(o.lanes);
  std::uint32_t unread = none;
  for (std::uint32_t j = 0; j < o.lanes; ++j) {
    const std::uint32_t slot = o.slot(j);
    if (slot == none && unread == none) unread = allocate(plan, 1);
    places[j] = slot == none ? unread : plan.outputs_at + slot;
  }
  return places;
}

LeafSource leaf_source(const Plan& plan, NodeId id) {
  const Graph& g = plan.graph;
  const Node& n = g.node(id);
  if (n.shape == 0) return {LeafSource::Kind::uniform, id, {}};
  if (n.op == Op::lanes) return {LeafSource::Kind::scalars, none, g.table(n.a)};
  if (n.op == Op::take) return {LeafSource::Kind::array, n.a, g.table(n.b)};
  return {LeafSource::Kind::array, id, consecutive(0, g.lane_count(id))};
}

PlannedFamily family_under_context(Plan& plan, const Output& o,
                                   const std::vector<std::uint8_t>& materialised) {
  const Graph& g = plan.graph;
  PlannedFamily f;
  f.context = o.context;
  f.level = plan.n_levels - 1;  // all it reads is there
  f.n_lanes = o.lanes;
  BodyBuilder builder(g, [&](NodeId id) { return !g.is_array(id) || materialised[id] != 0; });
  const bool built = builder.build(std::span(&o.node, 1), plan.guards.end(), f.body);
  SALTUS_ASSERT(built);
  for (NodeId leaf : f.body.leaves) f.leaves.push_back(leaf_source(plan, leaf));
  for (ConditionId c : f.body.conditions) f.conditions.push_back({c});
  f.stores.push_back({FamilyStore::Kind::registers, 0, output_places(plan, o), {}});
  return f;
}

}  // namespace

void plan_array_families(Plan& plan) {
  const Graph& g = plan.graph;
  ArrayDemands demands = find_demands(plan);

  // All results of one stage and length share one body, and with it their common expressions.
  // Outputs under a context are families of their own, skipped where it does not hold.
  std::map<std::pair<std::uint32_t, std::uint16_t>, std::vector<NodeId>> groups;
  for (NodeId id = 0; id < plan.guards.end(); ++id) {
    if (!plan.needed(id) || !g.is_array(id)) continue;
    const bool wanted = demands.materialised[id] != 0 || demands.sums.contains(id) ||
                        demands.relations.contains(id) || demands.outputs.contains(id);
    if (!wanted) continue;
    groups[{plan.level[id], g.node(id).shape}].push_back(id);
    if (demands.materialised[id] == 0) continue;
    plan.address[id] = allocate(plan, g.lane_count(id));
    plan.stored_by_family_[id] = 1;
  }

  for (const auto& [key, roots] : groups) {
    const auto [level, shape] = key;
    PlannedFamily f;
    f.level = level;
    f.n_lanes = g.shape_length(shape);
    BodyBuilder builder(g, [&, at = level](NodeId id) {
      return !g.is_array(id) || (demands.materialised[id] != 0 && plan.level[id] < at);
    });
    const bool built = builder.build(roots, plan.guards.end(), f.body);
    SALTUS_ASSERT(built);
    for (NodeId leaf : f.body.leaves) f.leaves.push_back(leaf_source(plan, leaf));
    for (ConditionId c : f.body.conditions) f.conditions.push_back({c});
    for (std::uint32_t k = 0; k < roots.size(); ++k) {
      const NodeId id = roots[k];
      if (demands.materialised[id] != 0)
        f.stores.push_back(
            {FamilyStore::Kind::registers, k, consecutive(plan.address[id], f.n_lanes), {}});
      if (const auto it = demands.sums.find(id); it != demands.sums.end())
        f.stores.push_back({FamilyStore::Kind::sum, k, {it->second}, {}});
      const auto [r0, r1] = demands.relations.equal_range(id);
      for (auto it = r0; it != r1; ++it) {
        plan.decided_by_family[it->second] = 1;
        f.stores.push_back({FamilyStore::Kind::compare, k, {}, {it->second}});
      }
      const auto [o0, o1] = demands.outputs.equal_range(id);
      for (auto it = o0; it != o1; ++it) {
        f.stores.push_back({FamilyStore::Kind::registers, k, output_places(plan, *it->second), {}});
      }
    }
    plan.families.push_back(std::move(f));
  }
  for (const Output& o : plan.outputs)
    if (g.is_array(o.node) && !o.context.empty())
      plan.families.push_back(family_under_context(plan, o, demands.materialised));
}

void plan_repeated_outputs(Plan& plan) {
  for (const Output& o : plan.outputs) {
    if (plan.graph.is_array(o.node) || o.lanes == 1) continue;
    PlannedFamily f;
    f.context = o.context;
    f.in_prologue = !plan.varies(o.node) && o.context.empty();
    f.level = f.in_prologue ? 0 : plan.n_levels - 1;
    f.n_lanes = o.lanes;
    f.body.leaves = {o.node};
    f.body.roots = {Body::leaf_bit};
    f.leaves = {{LeafSource::Kind::uniform, o.node, {}}};
    f.stores.push_back({FamilyStore::Kind::registers, 0, output_places(plan, o), {}});
    plan.families.push_back(std::move(f));
  }
}

// ---- rolling ---------------------------------------------------------------------------------

/// A node is a root if it is wanted from outside (output, switching function, operand of an array
/// or a call) or read by the regions of two different roots. Everything else belongs to exactly
/// one region. A single cheap operation on leaves is computed again rather than stored.
void mark_roots(Plan& plan) {
  const Graph& g = plan.graph;
  const NodeId end = plan.guards.end();
  constexpr std::uint32_t shared = none - 1;
  std::vector<std::uint32_t> owner(end, none);
  std::vector<std::uint8_t> wanted(end, 0);
  auto is_operation = [&](NodeId id) {
    const Node& n = g.node(id);
    return n.shape == 0 && plan.varies(id) && arity(n.op) > 0 && n.op != Op::sum;
  };
  for (const Output& o : plan.outputs) wanted[o.node] = 1;
  for (ConditionId id = 0; id < g.n_conditions(); ++id) {
    const Condition& c = g.condition(id);
    if (c.kind == Condition::Kind::relation && plan.guards.condition_needed(id) &&
        plan.computes(g.relation(c.a)))
      wanted[g.relation(c.a).g] = 1;
  }
  for (NodeId id = 0; id < end; ++id) {
    if (!plan.needed(id)) continue;
    const Node& n = g.node(id);
    if (n.shape != 0 || n.op == Op::external)
      g.for_each_child(n, [&](NodeId child) { wanted[child] = 1; });
  }
  auto is_cheap = [&](NodeId id) {
    const Node& n = g.node(id);
    const bool simple =
        n.op == Op::add || n.op == Op::sub || n.op == Op::mul || n.op == Op::neg || n.op == Op::sqr;
    return simple && !is_operation(n.a) && (arity(n.op) < 2 || !is_operation(n.b));
  };
  for (NodeId id = end; id-- > 0;) {
    if (!plan.needed(id) || !is_operation(id)) continue;
    if (wanted[id] != 0 || (owner[id] == shared && !is_cheap(id))) {
      plan.is_root[id] = 1;
      owner[id] = id;
    }
    g.for_each_child(g.node(id), [&](NodeId child) {
      if (owner[child] == none) {
        owner[child] = owner[id];
      } else if (owner[child] != owner[id]) {
        owner[child] = shared;
      }
    });
  }
}

namespace {

/// What tells two roots apart besides the operations of their bodies.
struct RootKind {
  std::uint32_t level = 0;
  bool output = false;
  bool stored = false;
  std::uint8_t compare = 0;  // 1 + test, or 0
  friend bool operator==(const RootKind&, const RootKind&) = default;
};

struct RolledGroup {
  RootKind kind;
  Body body;  // of the first lane
  std::vector<std::uint8_t> leaf_class;
  std::vector<NodeId> roots;
  std::vector<std::uint32_t> leaves;      // lane after lane
  std::vector<std::uint32_t> conditions;  // lane after lane
};

class Roller {
 public:
  explicit Roller(Plan& plan)
      : plan_(plan),
        g_(plan.graph),
        is_output_(plan.guards.end(), 0),
        relation_(plan.guards.end(), none),
        read_(plan.guards.end(), 0) {}

  std::size_t run() {
    find_uses();
    group_roots();
    std::size_t n_lanes = 0;
    for (RolledGroup& group : groups_) {
      if (group.roots.size() < plan_.options.rolled_from_lanes) continue;
      n_lanes += group.roots.size();
      make_family(group);
    }
    return n_lanes;
  }

 private:
  void find_uses() {
    for (const Output& o : plan_.outputs) {
      if (g_.is_array(o.node) || o.lanes != 1 || !o.context.empty() || o.slot(0) == none) {
        read_[o.node] = 1;
      } else {
        is_output_[o.node] = 1;  // its register is the output already
      }
    }
    for (ConditionId id = 0; id < g_.n_conditions(); ++id) {
      const Condition& c = g_.condition(id);
      if (c.kind != Condition::Kind::relation || c.shape != 0) continue;
      const Relation& r = g_.relation(c.a);
      if (!plan_.guards.condition_needed(id) || !plan_.computes(r)) continue;
      // Two relations on one function: rare enough to leave to scalar code.
      relation_[r.g] = relation_[r.g] == none ? id : ambiguous;
    }
    for (NodeId id = 0; id < plan_.guards.end(); ++id)
      if (plan_.needed(id)) g_.for_each_child(g_.node(id), [&](NodeId child) { read_[child] = 1; });
  }

  /// Leaves of one class may differ from lane to lane; a change of class is another family.
  std::uint8_t class_of(NodeId id) const {
    const Node& n = g_.node(id);
    if (n.op == Op::constant) return 0;
    if (n.op == Op::input) return 1;
    return plan_.varies(id) ? 2 : 3;
  }

  void group_roots() {
    BodyBuilder builder(g_, [&](NodeId id) { return plan_.is_root[id] != 0 || !plan_.varies(id); });
    std::unordered_multimap<std::size_t, std::size_t> index;
    Body body;
    std::vector<std::uint8_t> classes;
    for (NodeId id = 0; id < plan_.guards.end(); ++id) {
      if (!plan_.needed(id) || plan_.is_root[id] == 0 || relation_[id] == ambiguous) continue;
      if (!builder.build(std::span(&id, 1), max_rolled_operations, body)) continue;
      classes.clear();
      for (NodeId leaf : body.leaves) classes.push_back(class_of(leaf));
      const RootKind kind{
          plan_.level[id], is_output_[id] != 0, read_[id] != 0,
          static_cast<std::uint8_t>(
              relation_[id] == none ? 0
                                    : 1 + static_cast<int>(g_.relation_of(relation_[id]).test))};
      append(id, kind, body, classes, index);
    }
  }

  void append(NodeId id, const RootKind& kind, Body& body, const std::vector<std::uint8_t>& classes,
              std::unordered_multimap<std::size_t, std::size_t>& index) {
    const std::string_view shape(reinterpret_cast<const char*>(classes.data()), classes.size());
    std::size_t h = std::hash<std::string_view>{}(shape) + kind.level;
    for (const auto& o : body.operations)
      h = h * 0x9E3779B97F4A7C15ULL + static_cast<std::size_t>(o.op) * 31 + o.a * 7 + o.b;
    const auto [first, last] = index.equal_range(h);
    std::size_t found = groups_.size();
    for (auto it = first; it != last && found == groups_.size(); ++it) {
      const RolledGroup& group = groups_[it->second];
      if (group.kind == kind && group.leaf_class == classes &&
          group.body.operations == body.operations)
        found = it->second;
    }
    if (found == groups_.size()) {
      groups_.push_back({kind, body, classes, {}, {}, {}});
      index.emplace(h, found);
    }
    RolledGroup& group = groups_[found];
    group.roots.push_back(id);
    group.leaves.insert(group.leaves.end(), body.leaves.begin(), body.leaves.end());
    group.conditions.insert(group.conditions.end(), body.conditions.begin(), body.conditions.end());
  }

  void make_family(RolledGroup& group) {
    PlannedFamily f;
    f.level = group.kind.level;
    f.n_lanes = static_cast<std::uint32_t>(group.roots.size());
    auto column = [&](const std::vector<std::uint32_t>& rows, std::size_t width, std::size_t k) {
      std::vector<std::uint32_t> c(f.n_lanes);
      for (std::uint32_t j = 0; j < f.n_lanes; ++j) c[j] = rows[j * width + k];
      return c;
    };
    const std::size_t n_leaves = group.body.leaves.size();
    for (std::size_t k = 0; k < n_leaves; ++k)
      f.leaves.push_back({LeafSource::Kind::scalars, none, column(group.leaves, n_leaves, k)});
    const std::size_t n_conditions = group.body.conditions.size();
    for (std::size_t k = 0; k < n_conditions; ++k)
      f.conditions.push_back(column(group.conditions, n_conditions, k));

    if (group.kind.output || group.kind.stored) {
      PlannedFamily::Store store{FamilyStore::Kind::registers, 0, {}, {}};
      const std::uint32_t at = group.kind.output ? 0 : allocate(plan_, f.n_lanes);
      for (std::uint32_t j = 0; j < f.n_lanes; ++j) {
        const NodeId id = group.roots[j];
        if (!group.kind.output) plan_.address[id] = at + j;
        store.places.push_back(plan_.address[id]);
      }
      f.stores.push_back(std::move(store));
    }
    if (group.kind.compare != 0) {
      PlannedFamily::Store store{FamilyStore::Kind::compare, 0, {}, {}};
      for (NodeId id : group.roots) {
        store.relations.push_back(relation_[id]);
        plan_.decided_by_family[relation_[id]] = 1;
      }
      f.stores.push_back(std::move(store));
    }
    for (NodeId id : group.roots) plan_.stored_by_family_[id] = 1;
    f.body = std::move(group.body);
    plan_.families.push_back(std::move(f));
  }

  static constexpr std::uint32_t ambiguous = none - 1;
  Plan& plan_;
  const Graph& g_;
  std::vector<std::uint8_t> is_output_;
  std::vector<ConditionId> relation_;
  std::vector<std::uint8_t> read_;
  std::vector<RolledGroup> groups_;
};

}  // namespace

std::size_t plan_rolled_families(Plan& plan) { return Roller(plan).run(); }

}  // namespace saltus
