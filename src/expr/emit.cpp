// Writing code: registers, guards, instructions.
#include <algorithm>

#include <saltus/core/error.hpp>

#include "layout.hpp"
#include "schedule.hpp"

namespace saltus {

namespace {

using Item = ScheduleItem;

/// Cost below which skipping a group of instructions costs more than running it.
constexpr int cheapest_guarded_group = 3;
/// A block of lanes costs about as much as four lanes of scalar code.
constexpr std::uint32_t most_unrolled_lanes = 4;

class Emitter {
 public:
  Emitter(Plan& plan, Program::Image& image)
      : p_(plan),
        g_(plan.graph),
        schedule_(make_schedule(plan)),
        image_(image),
        end_(plan.guards.end()),
        last_use_(end_, none),
        temporary_(end_, 0) {}

  void run() {
    in_prologue_ = true;
    write(schedule_.prologue, image_.held_code, image_.n_held_instructions);
    in_prologue_ = false;
    write(schedule_.main, image_.code, image_.n_instructions);
    finish_image();
  }

 private:
  // ---- registers -------------------------------------------------------------------------------

  template <class F>
  void for_operands(const Item& item, F&& visit) const {
    if (item.kind == Item::Kind::node) {
      const Node& n = g_.node(item.id);
      const int k = arity(n.op);
      for (int i = 0; i < k; ++i) {
        const NodeId child = i == 0 ? n.a : n.b;
        if (schedule_.fused_into[child] == item.id) {
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
        return schedule_.call_guard[item.id];
      case Item::Kind::family:
        return p_.guards.path(p_.families[item.id].context);
    }
    return Guards::unguarded;
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
      if (in_prologue_) sets[i] = held_part(p_, sets[i]);
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
        if (last_use_[id] != i || temporary_[id] == 0) return;
        free_.push_back(p_.address[id]);
        temporary_[id] = 0;
      });
    }
    enter(Guards::unguarded, code);
    copy_outputs(code);
    code.push_back(static_cast<std::uint32_t>(Code::end));
    n_instructions = items.size();
  }

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
      const std::uint32_t from = schedule_.call_at[n.a] + n.b;
      if (p_.address[id] != from)
        code.insert(code.end(), {static_cast<std::uint32_t>(Code::move), p_.address[id], from});
      return;
    }
    if (p_.address[id] == none) {
      p_.address[id] = allocate();
      temporary_[id] = in_prologue_ ? 0 : 1;
    }
    const std::uint32_t to = p_.address[id];
    const bool binary = arity(n.op) == 2;
    auto held = [&](NodeId x) { return !p_.varies(x) && !in_prologue_; };
    if (binary && (schedule_.fused_into[n.a] == id || schedule_.fused_into[n.b] == id)) {
      const bool first = schedule_.fused_into[n.a] == id;
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
    CallSite site{call.function, {}, schedule_.call_at[id]};
    for (NodeId argument : call.arguments) site.arguments.push_back(at(argument));
    code.insert(code.end(), {static_cast<std::uint32_t>(Code::call),
                             static_cast<std::uint32_t>(image_.calls.size())});
    image_.calls.push_back(std::move(site));
  }

  void write_family(std::uint32_t k, std::vector<std::uint32_t>& code) {
    const PlannedFamily& family = p_.families[k];
    if (family.n_lanes <= most_unrolled_lanes) {
      const auto fresh = [&] { return p_.next_register++; };
      return unroll_family(p_, family, image_, copied_, lane_temporaries_, fresh, code);
    }
    for (std::uint32_t number : lay_out_family(p_, family, image_, copied_))
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

  void find_locks_read() {
    if (p_.options.locking == Locking::unlocked) return;
    image_.reads_lock.assign(g_.n_switches(), false);
    for (ConditionId id = 0; id < g_.n_conditions(); ++id) {
      const Condition& c = g_.condition(id);
      if (c.kind != Condition::Kind::relation || !p_.guards.condition_needed(id)) continue;
      const Relation& r = g_.relation(c.a);
      if (!r.tracked()) continue;
      std::fill_n(image_.reads_lock.begin() + r.first_switch, g_.shape_length(c.shape), true);
    }
  }

  void finish_image() {
    image_.locking = p_.options.locking;
    image_.n_switches = static_cast<std::uint32_t>(g_.n_switches());
    image_.n_modes = p_.next_mode;
    find_locks_read();
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
  Schedule schedule_;
  Program::Image& image_;
  NodeId end_;
  bool in_prologue_ = false;
  std::vector<std::uint32_t> last_use_;
  std::vector<std::uint8_t> temporary_;  // holds a register that can be given back
  std::vector<std::uint32_t> free_;
  Guards::SetId current_ = Guards::unguarded;
  std::vector<std::size_t> open_;  // places of jump targets, outermost first
  CopiedRegisters copied_;
  std::vector<std::uint32_t> lane_temporaries_;  // of unrolled families
};

}  // namespace

void emit(Plan& plan, Program::Image& image) { Emitter(plan, image).run(); }

}  // namespace saltus
