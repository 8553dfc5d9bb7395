#include "plan.hpp"

#include <algorithm>

#include <saltus/core/error.hpp>
#include <saltus/expr/needed_inputs.hpp>

#include "checks.hpp"
#include "fold.hpp"

namespace saltus {

Plan::Plan(const Graph& g, std::span<const Output> outs, const CompileOptions& opts, bool roll)
    : graph(g),
      outputs(outs),
      options(opts),
      rolled(roll),
      guards(g, outs, opts.locking, roll ? Guards::Branches::ignored : Guards::Branches::followed) {
  const NodeId end = guards.end();
  address.assign(end, none);
  level.assign(end, 0);
  varies_.assign(end, 0);
  stored_by_family_.assign(end, 0);
  is_root.assign(end, 0);
  decided_by_family.assign(g.n_conditions(), 0);
  mode.assign(g.n_conditions(), none);
  condition_level.assign(g.n_conditions(), none);
  condition_varies_.assign(g.n_conditions(), 0);

  // Arrays and what depends on them belong to the main section: the prologue is scalar code.
  constexpr std::uint8_t unknown = 2;
  std::fill(condition_varies_.begin(), condition_varies_.end(), unknown);
  auto known = [&](ConditionId id) {
    return condition_varies_[id] == unknown ? nullptr : &condition_varies_[id];
  };
  auto condition_changes = [&](ConditionId root) {
    return fold_condition(
               g, root, known,
               [&](ConditionId id, std::uint8_t moves) { condition_varies_[id] = moves; },
               [&](ConditionId id) -> std::uint8_t {
                 const Condition& c = g.condition(id);
                 if (c.kind != Condition::Kind::relation) return 0;
                 const Relation& r = g.relation(c.a);
                 return r.tracked() || varies_[r.g] != 0 ? 1 : 0;
               },
               [&](Literal a, Literal b) {
                 return std::max(*known(condition_of(a)), *known(condition_of(b)));
               }) != 0;
  };
  for (NodeId id = 0; id < end; ++id) {
    if (!needed(id)) continue;
    const Node& n = g.node(id);
    bool changes = n.rate == Rate::varying || n.shape != 0 || n.op == Op::sum;
    if (!changes) g.for_each_child(n, [&](NodeId c) { changes = changes || varies_[c] != 0; });
    if (const ConditionId c = Graph::deciding_condition(n); c != none)
      changes = condition_changes(c) || changes;
    varies_[id] = changes ? 1 : 0;
  }
  for (ConditionId id = 0; id < g.n_conditions(); ++id)
    if (guards.condition_needed(id)) condition_changes(id);

  next_mode = static_cast<std::uint32_t>(g.n_switches());
  for (ConditionId id = 0; id < g.n_conditions(); ++id) {
    if (!guards.condition_needed(id)) continue;
    const Condition& c = g.condition(id);
    if (c.kind == Condition::Kind::relation && g.relation(c.a).tracked()) {
      mode[id] = g.relation(c.a).first_switch;
    } else {
      mode[id] = next_mode;
      next_mode += g.shape_length(c.shape);
    }
  }
}

void check_range(const Graph& g, const InputRange& range) {
  const std::uint32_t declared = g.count(range.kind);
  if (range.first > declared || range.count > declared - range.first)
    throw ModelError("a range names " + std::string(name_of(range.kind)) + " " +
                     std::to_string(range.first + range.count - 1) + ", but only " +
                     std::to_string(declared) + " are declared");
}

/// Inputs in no segment: zero where only lanes read them that no output needs, else refused.
void place_unread_inputs(Plan& plan, std::uint32_t zero) {
  const Graph& g = plan.graph;
  std::vector<NodeId> missing;
  for (NodeId id = 0; id < plan.guards.end(); ++id)
    if (plan.needed(id) && g.node(id).op == Op::input && plan.address[id] == none)
      missing.push_back(id);
  if (missing.empty()) return;
  const std::vector<InputId> needed = needed_inputs(g, plan.outputs, plan.options.locking);
  for (const NodeId id : missing) {
    const InputId input = g.node(id).a;
    if (std::binary_search(needed.begin(), needed.end(), input))
      throw ModelError("'" + g.input_name(input) +
                       "' occurs in an expression to be compiled but in none of its arguments");
    plan.address[id] = zero;
  }
}

void place_leaves(Plan& plan, std::span<const InputSegment> segments, Program::Image& image) {
  const Graph& g = plan.graph;
  for (NodeId id = 0; id < plan.guards.end(); ++id) {
    if (!plan.needed(id) || !g.is_constant(id)) continue;
    plan.address[id] = static_cast<std::uint32_t>(image.constants.size());
    image.constants.push_back(g.constant_value(id));
  }
  // A zero to start outputs from that may stay unevaluated.
  const auto zero = static_cast<std::uint32_t>(image.constants.size());
  image.constants.push_back(0.0);
  plan.next_register = static_cast<std::uint32_t>(image.constants.size());

  for (const InputSegment& segment : segments) {
    SegmentPlace place{plan.next_register, 0};
    const auto number = static_cast<std::uint32_t>(image.segments.size());
    for (const InputRange& range : segment) {
      check_range(g, range);
      if (rate_of(range.kind) == Rate::held && range.count > 0)
        image.held_inputs.push_back({number, place.count, range.count});
      for (std::uint32_t i = 0; i < range.count; ++i) {
        const NodeId id = g.find_input(range.kind, range.first + i, range.order);
        if (id == none || !plan.needed(id)) continue;
        if (plan.address[id] != none)
          throw ModelError("'" + g.input_name(g.node(id).a) + "' is in two arguments");
        plan.address[id] = plan.next_register + i;
      }
      place.count += range.count;
      plan.next_register += range.count;
    }
    image.segments.push_back(place);
  }
  place_unread_inputs(plan, zero);

  image.outputs_at = plan.outputs_at = plan.next_register;
  for (const Output& o : plan.outputs)
    for (std::uint32_t j = 0; j < o.lanes; ++j)
      if (o.slot(j) != none) image.n_outputs = std::max(image.n_outputs, o.slot(j) + 1);
  plan.next_register += image.n_outputs;

  // A scalar computed by the program goes straight to its first output.
  for (const Output& o : plan.outputs) {
    const Node& n = g.node(o.node);
    if (n.op == Op::constant || n.op == Op::input || n.shape != 0 || o.lanes != 1) continue;
    // Under a context the value is copied: the node itself may be needed elsewhere.
    if (!o.context.empty() || o.slot(0) == none) continue;
    if (plan.address[o.node] == none) plan.address[o.node] = image.outputs_at + o.slot(0);
  }
}

void find_levels(Plan& plan) {
  const Graph& g = plan.graph;
  // In a rolled program every root may end up in a family, whose results are there one stage later.
  auto available = [&](NodeId id) {
    if (!plan.varies(id)) return 0U;
    return plan.level[id] + (plan.rolled && plan.is_root[id] != 0 ? 1U : 0U);
  };
  auto known = [&](ConditionId id) {
    return plan.condition_level[id] == none ? nullptr : &plan.condition_level[id];
  };
  auto condition_available = [&](ConditionId root) {
    return fold_condition(
        g, root, known, [&](ConditionId id, std::uint32_t at) { plan.condition_level[id] = at; },
        [&](ConditionId id) {
          const Condition& c = g.condition(id);
          if (c.kind != Condition::Kind::relation) return 0U;
          const Relation& r = g.relation(c.a);
          if (!plan.computes(r) || !plan.varies(r.g)) return 0U;
          const bool by_family = c.shape != 0 || plan.rolled;
          return plan.level[r.g] + (by_family ? 1U : 0U);
        },
        [&](Literal a, Literal b) {
          return std::max(*known(condition_of(a)), *known(condition_of(b)));
        });
  };
  for (NodeId id = 0; id < plan.guards.end(); ++id) {
    if (!plan.needed(id) || !plan.varies(id)) continue;
    const Node& n = g.node(id);
    std::uint32_t at = 0;
    if (n.op == Op::take || n.op == Op::sum) {
      at = plan.level[n.a] + 1;  // the array is complete one stage after it is begun
    } else {
      g.for_each_child(n, [&](NodeId child) { at = std::max(at, available(child)); });
    }
    if (const ConditionId c = Graph::deciding_condition(n); c != none)
      at = std::max(at, condition_available(c));
    plan.level[id] = at;
    plan.n_levels = std::max(plan.n_levels, at + 1);
  }
  for (ConditionId id = 0; id < g.n_conditions(); ++id)
    if (plan.guards.condition_needed(id))
      plan.n_levels = std::max(plan.n_levels, condition_available(id) + 1);
}

void check_node(const Graph& g, NodeId id) {
  if (id >= g.size())
    throw ModelError(
        "an expression does not belong to this graph: a plain number becomes part of it by "
        "nodes_of or Expr::in");
}

std::vector<Output> outputs_in_order(const Graph& graph, std::span<const NodeId> nodes) {
  std::vector<Output> outputs;
  std::uint32_t next = 0;
  for (NodeId id : nodes) {
    check_node(graph, id);
    const std::uint32_t n = graph.lane_count(id);
    outputs.push_back({.node = id, .first = next, .stride = 1, .lanes = n});
    next += n;
  }
  return outputs;
}

namespace {

/// A rolled program evaluates both arms of conditionals and stores what equations share. That is
/// repaid if at least half of the outputs end up in families.
std::size_t n_lanes_worth_rolling(const CompileOptions& options, std::span<const Output> outputs) {
  return options.tier == Tier::rolled ? 0 : outputs.size() / 2;
}

}  // namespace

std::shared_ptr<const Program> compile(const Graph& graph, std::span<const Output> outputs,
                                       std::span<const InputSegment> segments,
                                       const CompileOptions& options) {
  for (const Output& o : outputs) {
    check_node(graph, o.node);
    SALTUS_ASSERT(o.slots.empty() || o.slots.size() == o.lanes);
    SALTUS_ASSERT(!graph.is_array(o.node) || graph.lane_count(o.node) == o.lanes);
  }
  auto attempt = [&](bool roll) {
    auto image = std::make_unique<Program::Image>();
    Plan plan(graph, outputs, options, roll);
    place_leaves(plan, segments, *image);
    if (roll) mark_roots(plan);
    find_levels(plan);
    plan_array_families(plan);
    if (roll && plan_rolled_families(plan) < n_lanes_worth_rolling(options, outputs))
      return std::shared_ptr<const Program>();
    plan_repeated_outputs(plan);
    emit(plan, *image);
    return std::make_shared<const Program>(std::move(image));
  };
  // A rolled program evaluates both arms; a call must not be made in a branch that is not taken.
  const bool try_rolling = options.tier == Tier::rolled ||
                           (options.tier == Tier::automatic &&
                            outputs.size() >= options.rolled_from_lanes && graph.n_calls() == 0);
  if (try_rolling)
    if (auto program = attempt(true)) return program;
  return attempt(false);
}

Program::Program(std::unique_ptr<const Image> image) : image_(std::move(image)) {}
Program::~Program() = default;
std::size_t Program::n_outputs() const { return image_->n_outputs; }
std::size_t Program::n_segments() const { return image_->segments.size(); }
std::size_t Program::segment_size(std::size_t segment) const {
  return image_->segments[segment].count;
}
std::size_t Program::n_switches() const { return image_->n_switches; }
Locking Program::locking() const { return image_->locking; }

ProgramStatistics Program::statistics() const {
  const Image& i = *image_;
  ProgramStatistics s{
      i.n_instructions, i.n_held_instructions, i.families.size(), 0, i.n_registers, 0};
  s.memory = 4 * (i.code.capacity() + i.held_code.capacity()) + 8 * i.constants.capacity();
  for (const Family& f : i.families) {
    s.n_family_lanes += f.n_lanes;
    s.memory += sizeof(Family) + f.leaves.capacity() * sizeof(LanePlaces) +
                f.stores.capacity() * sizeof(FamilyStore);
  }
  for (const auto& t : i.tables) s.memory += 4 * t.capacity();
  for (const auto& b : i.bodies) s.memory += 4 * b.code.capacity();
  return s;
}

}  // namespace saltus
