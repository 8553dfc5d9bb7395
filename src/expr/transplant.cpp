#include <saltus/expr/transplant.hpp>

#include <algorithm>

#include <saltus/core/error.hpp>

#include "relation_keys.hpp"

namespace saltus {

namespace detail {

/// Numbers grow in the new graph as they do in the old one, so whatever building arranged by them (the
/// operands of a sum, the order of relations) stays arranged.
class GraphCopy {
 public:
  GraphCopy(const Reach& part, const KeptVariable& kept, const TurnedVariable& turned)
      : part_(part), from_(part.graph()), kept_(kept), turned_(turned), compared_(part.graph()) {}

  Transplant operator()() {
    made_.graph = std::make_unique<Graph>();
    made_.nodes.assign(from_.size(), none);
    made_.conditions.assign(from_.n_conditions(), none);
    made_.conditions[0] = 0;  // always
    made_.relations.assign(from_.n_relations(), none);
    declare_variables();
    number_switches();
    if (turned_) declare_compared();
    for (NodeId id = 0; id < from_.size(); ++id) {
      if (!part_.has_value(id)) continue;
      const Node& n = from_.node(id);
      // What a condition tests was written before the first value that it decides.
      if (const ConditionId c = Graph::deciding_condition(n); c != none) copy_conditions(c + 1);
      made_.nodes[id] = copied(n, made_.nodes, false);
      if (compared_.has_value(id)) compared_nodes_[id] = copied(n, compared_nodes_, true);
    }
    copy_conditions(static_cast<ConditionId>(from_.n_conditions()));
    finish_relations();
    return std::move(made_);
  }

 private:
  Graph& to() { return *made_.graph; }
  NodeId of(NodeId old) const { return made_.nodes[old]; }

  void declare_variables() {
    std::vector<std::pair<InputKind, Graph::NameBlock>> become_states;
    for (int kind = 0; kind < n_input_kinds; ++kind) {
      const auto k = static_cast<std::size_t>(kind);
      auto& numbers = made_.variables[k];
      numbers.assign(from_.declared_[k], none);
      const auto as = static_cast<InputKind>(kind);
      if (as == InputKind::time) numbers[0] = 0;
      if (as == InputKind::time || as == InputKind::previous) continue;
      for (const Graph::NameBlock& block : from_.names_[k]) {
        if (!kept_(as, block.first)) continue;
        for (Graph::NameBlock& part : parts_of(as, block)) {
          if (is_turned(as, part.first)) {
            become_states.emplace_back(as, std::move(part));
          } else {
            declare(as, part, numbers);
          }
        }
      }
    }
    for (const auto& [kind, block] : become_states) {
      const auto k = static_cast<std::size_t>(kind);
      made_.turned[k].resize(from_.declared_[k], 0);
      declare(InputKind::state, block, made_.variables[k]);
      for (std::uint32_t j = 0; j < std::max(block.count, 1U); ++j)
        made_.turned[k][block.first + j] = 1;
    }
  }

  bool is_turned(InputKind kind, std::uint32_t index) const {
    return turned_ && (kind == InputKind::parameter || kind == InputKind::discrete) &&
           turned_(kind, index);
  }

  /// The whole, or its elements one by one if they do not stay together.
  std::vector<Graph::NameBlock> parts_of(InputKind kind, const Graph::NameBlock& block) const {
    std::uint32_t n_turned = 0;
    for (std::uint32_t j = 0; j < block.count; ++j)
      n_turned += is_turned(kind, block.first + j) ? 1 : 0;
    if (n_turned == 0 || n_turned == block.count) return {block};
    std::vector<Graph::NameBlock> parts;
    for (std::uint32_t j = 0; j < block.count; ++j)
      parts.push_back({block.first + j, 0, from_.variable_name(kind, block.first + j)});
    return parts;
  }

  void declare(InputKind kind, const Graph::NameBlock& block, std::vector<std::uint32_t>& numbers) {
    const std::uint32_t first = block.count == 0
                                    ? to().declare(kind, block.name)
                                    : to().declare_array(kind, block.name, block.count);
    for (std::uint32_t j = 0; j < std::max(block.count, 1U); ++j)
      numbers[block.first + j] = first + j;
  }

  /// A comparison that is no switch because all it reads is held.
  bool compares_held(const Relation& r) const {
    return !r.tracked() && from_.node(r.g).rate != Rate::varying;
  }

  /// What such comparisons read of the variables that are turned.
  void declare_compared() {
    compared_nodes_.assign(from_.size(), none);
    for (const std::uint32_t relation : reached_)
      if (compares_held(from_.relation(relation))) compared_.add_value(from_.relation(relation).g);
    for (const InputId id : compared_.inputs()) {
      const Input& in = from_.input(id);
      const Input& v = in.kind == InputKind::previous ? from_.previous_variable(in.index) : in;
      if (!made_.is_turned(v.kind, v.index)) continue;
      auto& numbers = made_.as_compared[static_cast<std::size_t>(v.kind)];
      numbers.resize(from_.declared_[static_cast<std::size_t>(v.kind)], none);
      if (numbers[v.index] == none)
        numbers[v.index] =
            to().declare(v.kind, from_.variable_name(v.kind, v.index) + ", as compared");
    }
  }

  /// What a relation tests, in the new graph.
  NodeId tested(const Relation& old) const {
    return turned_ && compares_held(old) ? compared_nodes_[old.g] : of(old.g);
  }

  /// Switches in their old order. The lanes of an array relation that is left behind have switches of
  /// their own from now on.
  void number_switches() {
    std::vector<std::uint32_t> owners;
    for (ConditionId id = 0; id < from_.n_conditions(); ++id) {
      const Condition& c = from_.condition(id);
      if (c.kind != Condition::Kind::relation || !part_.has_condition(id)) continue;
      reached_.push_back(c.a);
      if (from_.relation(c.a).tracked()) owners.push_back(c.a);
    }
    std::stable_sort(owners.begin(), owners.end(), [&](std::uint32_t a, std::uint32_t b) {
      return from_.relation(a).first_switch < from_.relation(b).first_switch;
    });
    switch_of_.assign(from_.n_switches(), none);
    for (const std::uint32_t relation : owners) {
      const Relation& r = from_.relation(relation);
      // An array comes before its lanes: the first lane shares its first switch, and was written later.
      for (std::uint32_t lane = 0; lane < from_.shape_length(r.shape); ++lane) {
        SwitchId& number = switch_of_[r.first_switch + lane];
        if (number != none) continue;
        if (lane == 0) owners_.push_back(relation);
        number = static_cast<SwitchId>(to().n_switches_++);
      }
    }
  }

  /// `at` says where the parts of a node are.
  NodeId copied(const Node& n, const std::vector<NodeId>& at, bool compared) {
    Graph& g = to();
    switch (n.op) {
      case Op::constant:
        return g.constant(from_.constants_[n.a]);
      case Op::input:
        return copied_input(from_.input(n.a), compared);
      case Op::lanes: {
        std::vector<NodeId> scalars;
        for (const NodeId scalar : from_.table(n.a)) scalars.push_back(at[scalar]);
        return g.make(Op::lanes, g.intern_table(std::move(scalars)));
      }
      case Op::take:
        return g.make(Op::take, at[n.a], g.intern_table(from_.table(n.b)));
      case Op::external: {
        const ExternalCall& call = from_.call(n.a);
        std::vector<NodeId> arguments;
        for (const NodeId argument : call.arguments) arguments.push_back(at[argument]);
        return g.external(call.function, arguments, n.b);
      }
      default:
        break;
    }
    std::uint32_t c = n.c;
    if (n.op == Op::select || carries_switch(n.op)) c = n.c == none ? none : made_.conditions[n.c];
    return g.make(n.op, at[n.a], arity(n.op) == 2 ? at[n.b] : n.b, c);
  }

  NodeId copied_input(const Input& in, bool compared) {
    const bool is_previous = in.kind == InputKind::previous;
    const Input& variable = is_previous ? from_.previous_variable(in.index) : in;
    Input here = made_.input(variable);
    if (compared && made_.is_turned(variable.kind, variable.index))
      here = {variable.kind,
              made_.as_compared[static_cast<std::size_t>(variable.kind)][variable.index], 0};
    SALTUS_ASSERT(here.index != none);
    return is_previous ? to().previous(here) : to().input(here.kind, here.index, here.order);
  }

  void copy_conditions(ConditionId end) {
    for (; next_condition_ < end; ++next_condition_) {
      if (!part_.has_condition(next_condition_)) continue;
      const Condition& c = from_.condition(next_condition_);
      ConditionId& made = made_.conditions[next_condition_];
      if (c.kind == Condition::Kind::relation) {
        Relation r = from_.relation(c.a);
        r.g = tested(r);
        r.left = r.right = none;  // finish_relations()
        r.shape = to().node(r.g).shape;
        if (r.tracked()) r.first_switch = switch_of_[r.first_switch];
        made = to().relation_condition(r);
        made_.relations[c.a] = to().condition(made).a;
      } else if (c.kind == Condition::Kind::conjunction) {
        made = condition_of(to().conjunction(made_.literal(c.a), made_.literal(c.b)));
      }
    }
  }

  /// The sides as they were written, which may have been written again later than the relation; who
  /// owns which switch; and where relations are found when they are written once more.
  void finish_relations() {
    Graph& g = to();
    for (const std::uint32_t relation : reached_) {
      Relation& r = g.relations_[made_.relations[relation]];
      r.left = of(from_.relation(relation).left);
      r.right = of(from_.relation(relation).right);
    }
    for (const std::uint32_t owner : owners_) {
      const std::uint32_t relation = made_.relations[owner];
      g.switch_blocks_.push_back({g.relations_[relation].first_switch, relation});
    }
    const auto remember = [&](std::uint64_t old_key, std::uint64_t key) {
      const auto found = from_.relation_ids_.find(old_key);
      if (found == from_.relation_ids_.end() || !part_.has_condition(found->second)) return;
      g.relation_ids_.emplace(key, made_.conditions[found->second]);
    };
    for (const std::uint32_t relation : reached_) {
      const Relation& r = from_.relation(relation);
      remember(relation_key(r.g, r.test, r.tracked()),
               relation_key(tested(r), r.test, r.tracked()));
      for (std::uint32_t lane = 0; r.shape != 0 && lane < from_.shape_length(r.shape); ++lane) {
        remember(relation_lane_key(relation, lane),
                 relation_lane_key(made_.relations[relation], lane));
      }
    }
  }

  const Reach& part_;
  const Graph& from_;
  const KeptVariable& kept_;
  const TurnedVariable& turned_;
  Reach compared_;                      // by comparisons between held values
  std::vector<NodeId> compared_nodes_;  // as these read them
  Transplant made_;
  std::vector<std::uint32_t> reached_;  // relations
  std::vector<std::uint32_t> owners_;   // of switches, in order of those
  std::vector<SwitchId> switch_of_;
  ConditionId next_condition_ = 1;
};

}  // namespace detail

Transplant transplant(const Reach& part, const KeptVariable& kept, const TurnedVariable& turned) {
  return detail::GraphCopy(part, kept, turned)();
}

}  // namespace saltus
