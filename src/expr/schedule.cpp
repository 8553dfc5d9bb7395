#include "schedule.hpp"

#include <algorithm>

#include <saltus/core/error.hpp>

namespace saltus {

Guards::SetId held_part(const Plan& plan, Guards::SetId set) {
  Guards::SetId held = set;
  for (; set != Guards::unguarded; set = plan.guards.parent(set))
    if (plan.condition_varies(condition_of(plan.guards.last(set)))) held = plan.guards.parent(set);
  return held;
}

namespace {

class Scheduler {
 public:
  explicit Scheduler(Plan& plan)
      : p_(plan),
        g_(plan.graph),
        end_(plan.guards.end()),
        done_(end_, 0),
        uses_(end_, 0),
        condition_done_(g_.n_conditions(), 0),
        call_done_(g_.n_calls(), 0) {
    s_.fused_into.assign(end_, none);
    s_.call_guard.assign(g_.n_calls(), none);
    s_.call_at.assign(g_.n_calls(), none);
  }

  Schedule run() {
    count_uses();
    fuse_products();
    place_calls();
    in_prologue_ = true;
    schedule_prologue();
    s_.prologue.swap(items_);
    in_prologue_ = false;
    schedule_main();
    s_.main.swap(items_);
    return std::move(s_);
  }

 private:
  // ---- what is used how ------------------------------------------------------------------------

  void count_uses() {
    for (NodeId id = 0; id < end_; ++id)
      if (p_.needed(id)) g_.for_each_child(g_.node(id), [&](NodeId child) { ++uses_[child]; });
    for (const Output& o : p_.outputs) uses_[o.node] += 2;  // outputs are values of their own
    for (ConditionId id = 0; id < g_.n_conditions(); ++id) {
      const Condition& c = g_.condition(id);
      if (c.kind == Condition::Kind::relation && p_.guards.condition_needed(id) &&
          p_.computes(g_.relation(c.a)))
        uses_[g_.relation(c.a).g] += 2;
    }
  }

  void fuse_products() {
    auto single_product = [&](NodeId id, NodeId reader) {
      return g_.node(id).op == Op::mul && !g_.is_array(id) && uses_[id] == 1 &&
             p_.varies(id) == p_.varies(reader) && p_.guards.guard(id) == p_.guards.guard(reader) &&
             !p_.stored_by_family(id) && p_.address[id] == none;
    };
    for (NodeId id = 0; id < end_; ++id) {
      const Node& n = g_.node(id);
      if (!p_.needed(id) || g_.is_array(id) || (n.op != Op::add && n.op != Op::sub)) continue;
      if (single_product(n.b, id)) {
        s_.fused_into[n.b] = id;
      } else if (single_product(n.a, id)) {
        s_.fused_into[n.a] = id;
      }
    }
  }

  void place_calls() {
    for (NodeId id = 0; id < end_; ++id) {
      const Node& n = g_.node(id);
      if (!p_.needed(id) || n.op != Op::external) continue;
      const auto set = p_.guards.guard(id);
      auto& guard = s_.call_guard[n.a];
      guard = guard == none ? set : p_.guards.meet(guard, set);
      if (s_.call_at[n.a] == none) {
        s_.call_at[n.a] = p_.next_register;
        p_.next_register += static_cast<std::uint32_t>(g_.call(n.a).function->n_out());
      }
      // An output already has a place; it is copied there after the call.
      if (p_.address[id] == none) p_.address[id] = s_.call_at[n.a] + n.b;
    }
  }

  // ---- order -----------------------------------------------------------------------------------

  static constexpr std::uint32_t condition_bit = 0x80000000U;

  bool here(NodeId id) const { return p_.varies(id) != in_prologue_; }
  bool condition_here(ConditionId id) const { return p_.condition_varies(id) != in_prologue_; }

  bool is_pending(NodeId id) const {
    const Node& n = g_.node(id);
    if (n.op == Op::constant || n.op == Op::input || n.op == Op::sum || n.shape != 0) return false;
    return here(id) && done_[id] == 0 && !p_.stored_by_family(id);
  }

  bool is_condition_pending(ConditionId id) const {
    if (!condition_here(id) || condition_done_[id] != 0 || p_.decided_by_family[id] != 0)
      return false;
    const Condition& c = g_.condition(id);
    return c.kind == Condition::Kind::conjunction ||
           (c.kind == Condition::Kind::relation && p_.computes(g_.relation(c.a)));
  }

  /// What must be there before an item, the condition that decides it on top of the stack: a guard
  /// may test that condition, so it has to be known before any operand is computed.
  void push_requirements(NodeId id) {
    const Node& n = g_.node(id);
    auto need = [&](NodeId child) {
      if (is_pending(child)) stack_.push_back(child);
    };
    if (n.op == Op::external) {
      for (NodeId argument : g_.call(n.a).arguments) need(argument);
    } else {
      const int k = arity(n.op);
      for (int i = k; i-- > 0;) {
        const NodeId child = i == 0 ? n.a : n.b;
        if (s_.fused_into[child] == id) {
          need(g_.node(child).b);
          need(g_.node(child).a);
        } else {
          need(child);
        }
      }
    }
    if (const ConditionId c = Graph::deciding_condition(n); c != none && is_condition_pending(c))
      stack_.push_back(c | condition_bit);
  }

  void push_condition_requirements(ConditionId id) {
    const Condition& c = g_.condition(id);
    if (c.kind == Condition::Kind::relation) {
      if (is_pending(g_.relation(c.a).g)) stack_.push_back(g_.relation(c.a).g);
      return;
    }
    for (Literal literal : {c.b, c.a})
      if (is_condition_pending(condition_of(literal)))
        stack_.push_back(condition_of(literal) | condition_bit);
  }

  void run_stack() {
    while (!stack_.empty()) {
      const std::uint32_t top = stack_.back();
      const std::size_t depth = stack_.size();
      if ((top & condition_bit) != 0) {
        const ConditionId id = top & ~condition_bit;
        if (!is_condition_pending(id)) {
          stack_.pop_back();
          continue;
        }
        push_condition_requirements(id);
        if (stack_.size() > depth) continue;
        SALTUS_ASSERT(in_prologue_ || p_.condition_level[id] <= stage_);
        condition_done_[id] = 1;
        items_.push_back({ScheduleItem::Kind::condition, id});
      } else {
        if (!is_pending(top)) {
          stack_.pop_back();
          continue;
        }
        push_requirements(top);
        if (stack_.size() > depth) continue;
        SALTUS_ASSERT(in_prologue_ ||
                      p_.level[top] <= stage_);  // else it reads an unfinished family
        done_[top] = 1;
        const Node& n = g_.node(top);
        if (n.op == Op::external && call_done_[n.a] == 0) {
          call_done_[n.a] = 1;
          items_.push_back({ScheduleItem::Kind::call, n.a});
        }
        items_.push_back({ScheduleItem::Kind::node, top});
      }
      stack_.pop_back();
    }
  }

  void schedule(NodeId id) {
    stack_.assign(1, id);
    run_stack();
  }
  void schedule_condition(ConditionId id) {
    stack_.assign(1, id | condition_bit);
    run_stack();
  }

  /// Held work, after the conditions that guard it, outermost first.
  void schedule_guards(Guards::SetId set) {
    for (Literal literal : p_.guards.literals(held_part(p_, set)))
      schedule_condition(condition_of(literal));
  }
  void schedule_held(NodeId id) {
    if (!is_pending(id)) return;
    schedule_guards(p_.guards.guard(id));
    schedule(id);
  }
  void schedule_held_condition(ConditionId id) {
    if (!is_condition_pending(id)) return;
    schedule_guards(p_.guards.condition_guard(id));
    schedule_condition(id);
  }

  void schedule_prologue() {
    for (NodeId id = 0; id < end_; ++id) {
      if (!p_.needed(id) || !p_.varies(id)) continue;
      if (const ConditionId c = Graph::deciding_condition(g_.node(id)); c != none)
        schedule_held_condition(c);
      g_.for_each_child(g_.node(id), [&](NodeId child) { schedule_held(child); });
    }
    for (ConditionId id = 0; id < g_.n_conditions(); ++id) {
      if (!p_.guards.condition_needed(id)) continue;
      schedule_held_condition(id);
      const Condition& c = g_.condition(id);
      if (c.kind == Condition::Kind::relation && p_.computes(g_.relation(c.a)))
        schedule_held(g_.relation(c.a).g);
    }
    for (const Output& o : p_.outputs) schedule_held(o.node);
    for (std::uint32_t k = 0; k < p_.families.size(); ++k)
      if (p_.families[k].in_prologue) items_.push_back({ScheduleItem::Kind::family, k});
  }

  void schedule_family_needs(const PlannedFamily& f) {
    for (Literal literal : f.context) schedule_condition(condition_of(literal));
    for (const auto& conditions : f.conditions)
      for (ConditionId c : conditions) schedule_condition(c);
    for (const LeafSource& leaf : f.leaves) {
      if (leaf.kind == LeafSource::Kind::uniform) schedule(leaf.node);
      if (leaf.kind == LeafSource::Kind::scalars)
        for (NodeId id : leaf.lanes) schedule(id);
    }
  }

  void schedule_main() {
    std::vector<std::vector<std::uint32_t>> families_at(p_.n_levels);
    for (std::uint32_t k = 0; k < p_.families.size(); ++k)
      if (!p_.families[k].in_prologue) families_at[p_.families[k].level].push_back(k);
    std::vector<std::vector<const Output*>> outputs_at(p_.n_levels);
    for (const Output& o : p_.outputs) {
      if (g_.is_array(o.node)) continue;
      std::uint32_t at = p_.level[o.node];
      for (Literal literal : o.context)  // what decides whether it matters may come later
        at = std::max(at, p_.condition_level[condition_of(literal)]);
      outputs_at[at].push_back(&o);
    }
    for (std::uint32_t at = 0; at < p_.n_levels; ++at) {
      stage_ = at;
      for (const Output* o : outputs_at[at]) {
        for (Literal literal : o->context) schedule_condition(condition_of(literal));
        schedule(o->node);
      }
      for (std::uint32_t k : families_at[at]) schedule_family_needs(p_.families[k]);
      for (std::uint32_t k : families_at[at]) items_.push_back({ScheduleItem::Kind::family, k});
    }
  }

  Plan& p_;
  const Graph& g_;
  NodeId end_;
  Schedule s_;
  bool in_prologue_ = false;
  std::uint32_t stage_ = 0;
  std::vector<std::uint8_t> done_;
  std::vector<std::uint32_t> uses_;
  std::vector<std::uint8_t> condition_done_;
  std::vector<std::uint8_t> call_done_;
  std::vector<std::uint32_t> stack_;
  std::vector<ScheduleItem> items_;
};

}  // namespace

Schedule make_schedule(Plan& plan) { return Scheduler(plan).run(); }

}  // namespace saltus
