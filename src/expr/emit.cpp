// Writing code: order of evaluation, registers, guards.
#include <algorithm>

#include <saltus/core/error.hpp>

#include "layout.hpp"
#include "plan.hpp"

namespace saltus {

namespace {

/// One thing the program does, in order.
struct Item {
  enum class Kind : std::uint8_t { node, condition, call, family };
  Kind kind;
  std::uint32_t id;
};

/// Cost below which skipping a group of instructions costs more than running it.
constexpr int cheapest_guarded_group = 3;

class Emitter {
 public:
  Emitter(Plan& plan, Program::Image& image)
      : p_(plan),
        g_(plan.graph),
        image_(image),
        end_(plan.guards.end()),
        done_(end_, 0),
        uses_(end_, 0),
        fused_into_(end_, none),
        last_use_(end_, none),
        condition_done_(g_.n_conditions(), 0),
        call_done_(g_.n_calls(), 0),
        call_guard_(g_.n_calls(), none),
        call_at_(g_.n_calls(), none) {}

  void run() {
    count_uses();
    fuse_products();
    place_calls();
    schedule_prologue();
    for (const Item& item : items_) held_items_.push_back(item);
    items_.clear();
    in_prologue_ = false;
    schedule_main();

    in_prologue_ = true;
    write(held_items_, image_.held_code, image_.n_held_instructions);
    in_prologue_ = false;
    write(items_, image_.code, image_.n_instructions);
    finish_image();
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
        fused_into_[n.b] = id;
      } else if (single_product(n.a, id)) {
        fused_into_[n.a] = id;
      }
    }
  }

  void place_calls() {
    for (NodeId id = 0; id < end_; ++id) {
      const Node& n = g_.node(id);
      if (!p_.needed(id) || n.op != Op::external) continue;
      const auto set = p_.guards.guard(id);
      auto& guard = call_guard_[n.a];
      guard = guard == none ? set : p_.guards.meet(guard, set);
      if (call_at_[n.a] == none) {
        call_at_[n.a] = p_.next_register;
        p_.next_register += static_cast<std::uint32_t>(g_.call(n.a).function->n_out());
      }
      // An output already has a place; it is copied there after the call.
      if (p_.address[id] == none) p_.address[id] = call_at_[n.a] + n.b;
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
        if (fused_into_[child] == id) {
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
        condition_done_[id] = 1;
        items_.push_back({Item::Kind::condition, id});
      } else {
        if (!is_pending(top)) {
          stack_.pop_back();
          continue;
        }
        push_requirements(top);
        if (stack_.size() > depth) continue;
        done_[top] = 1;
        const Node& n = g_.node(top);
        if (n.op == Op::external && call_done_[n.a] == 0) {
          call_done_[n.a] = 1;
          items_.push_back({Item::Kind::call, n.a});
        }
        items_.push_back({Item::Kind::node, top});
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
    for (Literal literal : p_.guards.literals(held_part(set)))
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
    in_prologue_ = true;
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
      if (p_.families[k].in_prologue) items_.push_back({Item::Kind::family, k});
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
    for (const Output& o : p_.outputs)
      if (!g_.is_array(o.node)) outputs_at[p_.level[o.node]].push_back(&o);
    for (std::uint32_t at = 0; at < p_.n_levels; ++at) {
      for (const Output* o : outputs_at[at]) {
        for (Literal literal : o->context) schedule_condition(condition_of(literal));
        schedule(o->node);
      }
      for (std::uint32_t k : families_at[at]) schedule_family_needs(p_.families[k]);
      for (std::uint32_t k : families_at[at]) items_.push_back({Item::Kind::family, k});
    }
  }

  // ---- registers -------------------------------------------------------------------------------

  template <class F>
  void for_operands(const Item& item, F&& visit) const {
    if (item.kind == Item::Kind::node) {
      const Node& n = g_.node(item.id);
      const int k = arity(n.op);
      for (int i = 0; i < k; ++i) {
        const NodeId child = i == 0 ? n.a : n.b;
        if (fused_into_[child] == item.id) {
          visit(g_.node(child).a);
          visit(g_.node(child).b);
        } else {
          visit(child);
        }
      }
    } else if (item.kind == Item::Kind::condition) {
      const Condition& c = g_.condition(item.id);
      if (c.kind == Condition::Kind::relation) visit(g_.relation(c.a).g);
    } else if (item.kind == Item::Kind::call) {
      for (NodeId id : g_.call(item.id).arguments) visit(id);
    } else {
      for (const LeafSource& leaf : p_.families[item.id].leaves) {
        if (leaf.kind == LeafSource::Kind::uniform) visit(leaf.node);
        if (leaf.kind == LeafSource::Kind::scalars)
          for (NodeId id : leaf.lanes) visit(id);
      }
    }
  }

  std::uint32_t allocate() {
    if (free_.empty()) return p_.next_register++;
    const std::uint32_t r = free_.back();
    free_.pop_back();
    return r;
  }

  // ---- guards ----------------------------------------------------------------------------------

  Guards::SetId guard_of(const Item& item) {
    switch (item.kind) {
      case Item::Kind::node:
        return p_.guards.guard(item.id);
      case Item::Kind::condition:
        return p_.guards.condition_guard(item.id);
      case Item::Kind::call:
        return call_guard_[item.id];
      case Item::Kind::family:
        return p_.guards.path(p_.families[item.id].context);
    }
    return Guards::unguarded;
  }

  /// The prologue runs when held values change, so only branches they decide can guard it: the
  /// longest beginning of the path made of such branches.
  Guards::SetId held_part(Guards::SetId set) const {
    Guards::SetId held = set;
    for (; set != Guards::unguarded; set = p_.guards.parent(set))
      if (p_.condition_varies(condition_of(p_.guards.last(set)))) held = p_.guards.parent(set);
    return held;
  }

  int cost_of(const Item& item) const {
    if (item.kind != Item::Kind::node) return 100;  // never run outside its guard
    const Op op = g_.node(item.id).op;
    if (op == Op::div || op == Op::sqrt) return 3;
    return is_elementary(op) || op == Op::pow || op == Op::atan2 ? 10 : 1;
  }

  /// A guard per item, dropped for groups too cheap to be worth a jump between unguarded code.
  std::vector<Guards::SetId> guards_of(const std::vector<Item>& items) {
    std::vector<Guards::SetId> sets(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      sets[i] = guard_of(items[i]);
      if (in_prologue_) sets[i] = held_part(sets[i]);
    }
    for (std::size_t first = 0; first < items.size();) {
      std::size_t last = first;
      int cost = 0;
      while (last < items.size() && sets[last] == sets[first]) cost += cost_of(items[last++]);
      const bool open_before = first == 0 || sets[first - 1] == Guards::unguarded;
      const bool open_after = last == items.size() || sets[last] == Guards::unguarded;
      if (cost < cheapest_guarded_group && (open_before || open_after))
        std::fill(sets.begin() + static_cast<std::ptrdiff_t>(first),
                  sets.begin() + static_cast<std::ptrdiff_t>(last), Guards::unguarded);
      first = last;
    }
    return sets;
  }

  /// Leaves the branches that do not contain `set` and enters those that do.
  void enter(Guards::SetId set, std::vector<std::uint32_t>& code) {
    const Guards::SetId common = p_.guards.meet(current_, set);
    for (; current_ != common; current_ = p_.guards.parent(current_)) {
      code[open_.back()] = static_cast<std::uint32_t>(code.size());
      open_.pop_back();
    }
    std::vector<Guards::SetId> path;
    for (Guards::SetId s = set; s != common; s = p_.guards.parent(s)) path.push_back(s);
    for (std::size_t i = path.size(); i-- > 0;) {
      const Literal literal = p_.guards.last(path[i]);
      code.push_back(static_cast<std::uint32_t>(Code::skip));
      code.push_back(2 * p_.mode[condition_of(literal)] + (is_negated(literal) ? 1U : 0U));
      code.push_back(0);  // the target, known when the branch is left
      open_.push_back(code.size() - 1);
    }
    current_ = set;
  }

  // ---- code ------------------------------------------------------------------------------------

  void write(const std::vector<Item>& items, std::vector<std::uint32_t>& code,
             std::size_t& n_instructions) {
    for (std::uint32_t i = 0; i < items.size(); ++i)
      for_operands(items[i], [&](NodeId id) { last_use_[id] = i; });
    for (const Output& o : p_.outputs)  // read again by copy_outputs
      last_use_[o.node] = static_cast<std::uint32_t>(items.size());
    if (!in_prologue_) zero_outputs_with_context(code);
    const std::vector<Guards::SetId> sets = guards_of(items);
    for (std::uint32_t i = 0; i < items.size(); ++i) {
      enter(sets[i], code);
      write_item(items[i], code);
      if (in_prologue_) continue;  // what the prologue computes is kept
      for_operands(items[i], [&](NodeId id) {
        if (last_use_[id] != i || !is_temporary(id)) return;
        free_.push_back(p_.address[id]);
        temporary_[id] = 0;
      });
    }
    enter(Guards::unguarded, code);
    copy_outputs(code);
    code.push_back(static_cast<std::uint32_t>(Code::end));
    n_instructions = items.size();
  }

  bool is_temporary(NodeId id) const { return id < temporary_.size() && temporary_[id] != 0; }

  void write_item(const Item& item, std::vector<std::uint32_t>& code) {
    switch (item.kind) {
      case Item::Kind::node:
        return write_node(item.id, code);
      case Item::Kind::condition:
        return write_condition(item.id, code);
      case Item::Kind::call:
        return write_call(item.id, code);
      case Item::Kind::family:
        return write_family(item.id, code);
    }
  }

  std::uint32_t at(NodeId id) {
    const std::uint32_t r = p_.address[id];
    SALTUS_ASSERT(r != none);
    if (g_.node(id).op == Op::input) copied_.insert(r);
    return r;
  }

  void write_node(NodeId id, std::vector<std::uint32_t>& code) {
    const Node& n = g_.node(id);
    if (n.op == Op::external) {
      const std::uint32_t from = call_at_[n.a] + n.b;
      if (p_.address[id] != from)
        code.insert(code.end(), {static_cast<std::uint32_t>(Code::move), p_.address[id], from});
      return;
    }
    if (p_.address[id] == none) {
      p_.address[id] = allocate();
      temporary_.resize(end_, 0);
      temporary_[id] = in_prologue_ ? 0 : 1;
    }
    const std::uint32_t to = p_.address[id];
    const bool binary = arity(n.op) == 2;
    auto held = [&](NodeId x) { return !p_.varies(x) && !in_prologue_; };
    if (binary && (fused_into_[n.a] == id || fused_into_[n.b] == id)) {
      const bool first = fused_into_[n.a] == id;
      const Node& product = g_.node(first ? n.a : n.b);
      append(code, PlacedProductSum{n.op, first, to, at(product.a), at(product.b),
                                    at(first ? n.b : n.a), held(product.a), held(product.b)});
      return;
    }
    const bool by_value = carries_switch(n.op) && n.c == none;
    const ConditionId c = Graph::deciding_condition(n);
    append(code, PlacedOperation{n.op, by_value, to, at(n.a), binary ? at(n.b) : n.b,
                                 c == none ? 0 : p_.mode[c], held(n.a), binary && held(n.b)});
  }

  void write_condition(ConditionId id, std::vector<std::uint32_t>& code) {
    const Condition& c = g_.condition(id);
    if (c.kind == Condition::Kind::relation) {
      const Relation& r = g_.relation(c.a);
      code.insert(code.end(), {static_cast<std::uint32_t>(Code::compare), p_.mode[id], at(r.g),
                               static_cast<std::uint32_t>(r.test)});
      return;
    }
    auto literal = [&](Literal l) {
      return 2 * p_.mode[condition_of(l)] + (is_negated(l) ? 1U : 0U);
    };
    auto step = [&](Literal l) { return g_.condition(condition_of(l)).shape != 0 ? 1U : 0U; };
    code.insert(code.end(),
                {static_cast<std::uint32_t>(Code::conjunction), p_.mode[id], literal(c.a),
                 literal(c.b), g_.shape_length(c.shape), step(c.a), step(c.b)});
  }

  void write_call(std::uint32_t id, std::vector<std::uint32_t>& code) {
    const ExternalCall& call = g_.call(id);
    CallSite site{call.function, {}, call_at_[id]};
    for (NodeId argument : call.arguments) site.arguments.push_back(at(argument));
    code.insert(code.end(), {static_cast<std::uint32_t>(Code::call),
                             static_cast<std::uint32_t>(image_.calls.size())});
    image_.calls.push_back(std::move(site));
  }

  void write_family(std::uint32_t k, std::vector<std::uint32_t>& code) {
    for (std::uint32_t number : lay_out_family(p_, p_.families[k], image_, copied_))
      code.insert(code.end(), {static_cast<std::uint32_t>(Code::family), number});
  }

  /// Outputs that may stay unevaluated start from zero.
  void zero_outputs_with_context(std::vector<std::uint32_t>& code) {
    const auto zero = static_cast<std::uint32_t>(image_.constants.size() - 1);
    for (const Output& o : p_.outputs) {
      if (o.context.empty()) continue;
      for (std::uint32_t j = 0; j < o.lanes; ++j)
        if (o.slot(j) != none)
          code.insert(code.end(), {static_cast<std::uint32_t>(Code::move),
                                   image_.outputs_at + o.slot(j), zero});
    }
  }

  /// Outputs whose value lives elsewhere: leaves, nodes asked for twice, values under a context.
  void copy_outputs(std::vector<std::uint32_t>& code) {
    for (const Output& o : p_.outputs) {
      if (g_.is_array(o.node) || o.lanes != 1 || o.slot(0) == none) continue;
      // With a context the output is zeroed before each run, so it is written in each run.
      const bool in_main = p_.varies(o.node) || !o.context.empty();
      if (in_main == in_prologue_) continue;
      const std::uint32_t to = image_.outputs_at + o.slot(0);
      if (p_.address[o.node] == to) continue;
      enter(p_.guards.path(o.context), code);
      code.insert(code.end(), {static_cast<std::uint32_t>(Code::move), to, at(o.node)});
    }
    enter(Guards::unguarded, code);
  }

  void finish_image() {
    image_.locking = p_.options.locking;
    image_.n_switches = static_cast<std::uint32_t>(g_.n_switches());
    image_.n_modes = p_.next_mode;
    image_.scratch_at = p_.next_register;
    for (const FamilyBody& b : image_.bodies)
      image_.max_body_registers = std::max(image_.max_body_registers, b.n_registers);
    for (const Family& f : image_.families)
      image_.max_body_modes =
          std::max(image_.max_body_modes, static_cast<std::uint32_t>(f.modes.size()));
    image_.n_registers = p_.next_register + image_.max_body_registers;
    image_.copies = copied_.runs(image_.segments);
    image_.code.shrink_to_fit();
    image_.held_code.shrink_to_fit();
  }

  Plan& p_;
  const Graph& g_;
  Program::Image& image_;
  NodeId end_;
  bool in_prologue_ = false;
  std::vector<std::uint8_t> done_;
  std::vector<std::uint32_t> uses_;
  std::vector<NodeId> fused_into_;
  std::vector<std::uint32_t> last_use_;
  std::vector<std::uint8_t> temporary_;
  std::vector<std::uint8_t> condition_done_;
  std::vector<std::uint8_t> call_done_;
  std::vector<Guards::SetId> call_guard_;
  std::vector<std::uint32_t> call_at_;
  std::vector<std::uint32_t> stack_;
  std::vector<Item> items_;
  std::vector<Item> held_items_;
  std::vector<std::uint32_t> free_;
  Guards::SetId current_ = Guards::unguarded;
  std::vector<std::size_t> open_;  // places of jump targets, outermost first
  CopiedRegisters copied_;
};

}  // namespace

void emit(Plan& plan, Program::Image& image) { Emitter(plan, image).run(); }

}  // namespace saltus
