// What a model is, as text: the same for two models that give the same runs. For sweeps, which go on with what is on disk
// only if it was the same model. Rather too much than too little: whatever a definition gets that decides a run belongs here.
#include "model_identity.hpp"

#include <bit>
#include <initializer_list>
#include <span>
#include <vector>

#include <saltus/system/formula_hash.hpp>

namespace saltus::python {

namespace {

std::uint64_t hash_of(std::initializer_list<std::uint64_t> numbers) {
  std::uint64_t hash = 0;
  for (const std::uint64_t n : numbers) hash = FormulaHash::mix(hash, n, 0);
  return hash;
}

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = text.size();
  for (const char c : text) hash = hash_of({hash, static_cast<unsigned char>(c)});
  return hash;
}

/// Hashes of all expressions: what they compute, not their numbers, which depend on what else was written.
class GraphIdentity {
 public:
  explicit GraphIdentity(const Graph& graph) : graph_(graph) {
    for (const Node& node : graph.nodes()) nodes_.push_back(of_node(node));
    know_conditions(graph.n_conditions());
  }

  std::uint64_t node(NodeId id) const { return id == none ? 0 : nodes_[id]; }
  std::uint64_t literal(Literal l) const {
    return hash_of({conditions_[condition_of(l)], is_negated(l) ? 1U : 0U});
  }
  std::uint64_t input(const Input& i) const {
    return hash_of({static_cast<std::uint64_t>(i.kind), i.index, i.order});
  }
  std::uint64_t relation(const Relation& r) const {
    return hash_of({node(r.g), node(r.left), node(r.right), static_cast<std::uint64_t>(r.written),
                    static_cast<std::uint64_t>(r.test), graph_.shape_length(r.shape),
                    r.tracked() ? 1U : 0U});
  }

 private:
  std::uint64_t of_node(const Node& n) {
    std::uint64_t hash = hash_of({static_cast<std::uint64_t>(n.op), graph_.shape_length(n.shape)});
    const auto add = [&](std::uint64_t more) { hash = hash_of({hash, more}); };
    graph_.for_each_child(n, [&](NodeId child) { add(nodes_[child]); });
    if (n.op == Op::constant)
      add(std::bit_cast<std::uint64_t>(graph_.constant_value(static_cast<NodeId>(nodes_.size()))));
    if (n.op == Op::input) add(of_input(graph_.input(InputId{n.a})));
    if (n.op == Op::powi) add(n.b);
    if (n.op == Op::take)
      for (const std::uint32_t lane : graph_.table(n.b)) add(lane);
    if (n.op == Op::external) add(hash_of({hash_of(graph_.call(n.a).function->name()), n.b}));
    if (const ConditionId c = Graph::deciding_condition(n); c != none) {
      know_conditions(c + 1);
      add(conditions_[c]);
    }
    return hash;
  }

  std::uint64_t of_input(const Input& i) const {
    if (i.kind != InputKind::previous) return input(i);
    return hash_of({input(graph_.previous_variable(i.index)), 1});
  }

  /// Conditions are older than what they decide, and younger than what they compare.
  void know_conditions(std::size_t end) {
    while (conditions_.size() < end) {
      const Condition& c = graph_.condition(static_cast<ConditionId>(conditions_.size()));
      const bool compares = c.kind == Condition::Kind::relation;
      const bool joins = c.kind == Condition::Kind::conjunction;
      conditions_.push_back(compares ? relation(graph_.relation(c.a))
                            : joins  ? hash_of({literal(c.a), literal(c.b)})
                                     : 1);
    }
  }

  const Graph& graph_;
  std::vector<std::uint64_t> nodes_, conditions_;
};

class ModelText {
 public:
  explicit ModelText(const ModelDefinition& model) : model_(model), graph_(model.graph()) {}

  std::string write() {
    line("model", model_.name());
    for (const Variable& v : model_.variables()) variable(v);
    for (const ValueRange& r : model_.value_ranges())
      line("range", r.name, graph_.node(r.node), r.min, r.max);
    for (const Equation& e : model_.equations()) equation("equation", e);
    for (const Equation& e : model_.initial_equations()) equation("initially", e);
    for (const NamedExpression& o : model_.outputs()) {
      line("output", o.name, graph_.node(o.node), o.count, o.is_invariant);
      for (const NodeId node : o.by_mode) line("in mode", graph_.node(node));
    }
    for (std::uint32_t r = 0; r < model_.graph().n_relations(); ++r)
      line("relation", model_.relation_name(r), graph_.relation(model_.graph().relation(r)));
    for (const WhenClause& w : model_.when_clauses()) clause(w);
    for (const Clock& c : model_.clocks()) line("clock", c.name, c.counter, c.start, c.interval);
    for (const Mode& m : model_.modes()) {
      line("mode", m.name);
      for (const Literal l : m.requirements) line("requires", graph_.literal(l));
    }
    for (const Transition& t : model_.transitions()) transition(t);
    line("begins", model_.first_mode());
    for (const ModeId m : model_.first_modes()) line("may begin", m);
    for (const std::uint32_t end : model_.first_group_ends()) line("group", end);
    contacts();
    return std::move(text_);
  }

 private:
  void add(std::string_view word) { text_.append(word); }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  void add(std::uint64_t number) { text_ += std::to_string(number); }
  void add(std::uint32_t number) { text_ += std::to_string(number); }
  void add(int number) { text_ += std::to_string(number); }
  void add(bool yes) { text_ += yes ? "yes" : "no"; }
  void add(const std::optional<double>& value) { value ? add(*value) : add("none"); }

  template <class... Words>
  void line(std::string_view kind, const Words&... words) {
    text_ += kind;
    ((text_ += '\t', add(words)), ...);
    text_ += '\n';
  }

  void variable(const Variable& v) {
    const Attributes& a = v.attributes;
    line("variable", v.name, static_cast<int>(v.kind), v.first, v.count, v.is_array, v.hidden,
         v.is_constant, a.start, a.guess, a.derivative_start, a.derivative_guess, a.nominal, a.min,
         a.max);
    for (const double start : v.starts) line("starts", start);
  }

  void equation(std::string_view kind, const Equation& e) {
    line(kind, e.name, graph_.node(e.left), graph_.node(e.right), graph_.node(e.residual), e.count,
         e.mode);
  }

  void assignments(std::span<const Assignment> all) {
    for (const Assignment& a : all) line("sets", graph_.input(a.target), graph_.node(a.value));
  }

  void clause(const WhenClause& w) {
    line("when", w.name, w.priority, w.terminal, w.message, w.at_start, w.at_end, w.fails,
         w.by_contacts, w.rest_of_contact);
    for (const Literal l : w.conditions) line("if", graph_.literal(l));
    assignments(w.assignments);
  }

  void transition(const Transition& t) {
    line("transition", t.name, t.from, graph_.literal(t.guard), t.priority, t.at_accumulation,
         t.at_sliding, t.restart ? static_cast<int>(*t.restart) : -1);
    for (const ModeId m : t.candidates) line("to", m);
    for (const std::uint32_t end : t.group_ends) line("group", end);
    assignments(t.maps);
    for (const Input& i : t.free) line("free", graph_.input(i));
    for (const Equation& e : t.equations) equation("between", e);
    for (const std::string& name : t.conserved) line("conserves", name);
  }

  /// What build() makes of contacts and pairs are variables, equations and modes.
  void contacts() {
    for (const ContactDefinition& c : model_.contacts())
      line("contact", c.name, c.is_joint, graph_.node(c.gap), graph_.node(c.restitution),
           c.rest_velocity, c.force, c.friction_name, graph_.node(c.slip), c.friction_force,
           graph_.node(c.mu_kinetic), graph_.node(c.mu_static), c.row, c.friction_row);
    for (const HoldingRelation& h : model_.holding_relations())
      line("holds", h.name, h.relation, graph_.node(h.ratio), graph_.node(h.normal));
    for (const SwitchingPair& p : model_.pairs())
      line("pair", p.name, static_cast<int>(p.kind), graph_.node(p.voltage), graph_.node(p.current),
           graph_.literal(p.condition));
    line("laws", static_cast<int>(model_.impact_law()), model_.unequal_counts_allowed());
  }

  const ModelDefinition& model_;
  GraphIdentity graph_;
  std::string text_;
};

}  // namespace

std::string identity_of(const ModelDefinition& model) { return ModelText(model).write(); }

}  // namespace saltus::python
