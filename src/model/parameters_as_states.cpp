#include <saltus/model/parameters_as_states.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/expr/transplant.hpp>

#include "model/previous_values.hpp"

namespace saltus {

namespace detail {

class ParameterTurning {
 public:
  explicit ParameterTurning(std::shared_ptr<const ModelDefinition> model)
      : old_(std::move(model)),
        g_(old_->graph()),
        parameters_(g_.count(InputKind::parameter), 0),
        discretes_(g_.count(InputKind::discrete), 0) {}

  ParametersAsStates operator()(std::span<const std::string> names) {
    std::vector<std::uint32_t> wanted;
    for (const std::string& name : names) add_named(name, wanted);
    for (const std::uint32_t p : wanted) parameters_[p] = 1;
    find_discretes();
    if (std::ranges::count(parameters_, 1) + std::ranges::count(discretes_, 1) == 0)
      return {old_, {}, {}};
    const Reach all = everything();
    moved_ = transplant(
        all, [](InputKind, std::uint32_t) { return true; },
        [&](InputKind kind, std::uint32_t index) { return is_turned(kind, index); });
    auto made = std::make_shared<ModelDefinition>(*old_);
    made_ = made.get();
    // They are about other values of parameters, which are given before.
    made_->value_ranges_.clear();
    made_->ranged_values_.reset();
    declare();
    add_equations();
    renumber();
    made_->graph_ = std::move(*moved_.graph).freeze();
    check_previous_values(*made_);
    ParametersAsStates result{std::move(made), {}, {}};
    for (const std::uint32_t p : wanted)
      result.parameters.push_back(number({InputKind::parameter, p, 0}));
    for (std::uint32_t d = 0; d < discretes_.size(); ++d)
      if (discretes_[d] != 0) result.discretes.push_back(number({InputKind::discrete, d, 0}));
    return result;
  }

 private:
  // ---- what is turned ------------------------------------------------------------------------------

  void add_named(const std::string& name, std::vector<std::uint32_t>& wanted) const {
    for (const Variable& v : old_->variables()) {
      const bool whole = v.name == name;
      std::optional<std::uint32_t> element;
      for (std::uint32_t j = 0; v.is_array && !whole && j < v.count && !element; ++j)
        if (g_.variable_name(v.kind, v.first + j) == name) element = j;
      if (!whole && !element) continue;
      if (v.kind != InputKind::parameter) refuse(name, "is not a parameter but " + kind_text(v));
      if (!v.no_derivatives.empty())
        refuse(name, v.no_derivatives +
                         ", and the model does not say how: write an initial equation, or ask for "
                         "the derivative with respect to a start value");
      const std::uint32_t first = v.first + element.value_or(0);
      const std::uint32_t count = element ? 1 : v.count;
      for (std::uint32_t j = 0; j < count; ++j) wanted.push_back(first + j);
      return;
    }
    refuse(name, "is not a parameter");
  }

  static std::string kind_text(const Variable& v) {
    switch (v.kind) {
      case InputKind::state:
        return "a state";
      case InputKind::algebraic:
        return "an algebraic variable";
      case InputKind::signal:
        return "an input";
      default:
        return "a discrete variable";
    }
  }

  [[noreturn]] void refuse(const std::string& name, const std::string& why) const {
    std::vector<std::string> known;
    std::string text = "'" + name + "' " + why;
    for (const Variable& v : old_->variables()) {
      if (v.kind != InputKind::parameter) continue;
      known.push_back(v.name);
      if (v.is_array && name.starts_with(v.name + "["))
        text += ": the elements of '" + v.name + "' are '" + v.name + "[0]' to '" + v.name + "[" +
                std::to_string(v.count - 1) + "]'";
    }
    const auto near = nearest_name(name, known);
    if (near && text.find(':') == std::string::npos)
      text += "; the nearest is '" + std::string(*near) + "'";
    throw ModelError("model '" + old_->name() + "'", text);
  }

  bool is_turned(InputKind kind, std::uint32_t index) const {
    if (kind == InputKind::parameter) return parameters_[index] != 0;
    return kind == InputKind::discrete && discretes_[index] != 0;
  }

  /// Until no more are found: what one is set to may read others.
  void find_discretes() {
    for (bool more = true; more;) {
      more = false;
      const std::vector<std::uint8_t> varies = varying_values();
      for (const WhenClause& clause : old_->when_clauses()) {
        for (const Assignment& a : clause.assignments) {
          if (a.target.kind != InputKind::discrete || a.value == none) continue;
          std::uint8_t& turned = discretes_[a.target.index];
          if (turned != 0 || varies[a.value] == 0) continue;
          turned = 1;
          more = true;
        }
      }
    }
  }

  /// Values whose derivative by an unknown, by time or by what is turned may differ from zero. Conditions have
  /// none, and a sign is piecewise constant.
  std::vector<std::uint8_t> varying_values() const {
    std::vector<std::uint8_t> varies(g_.size(), 0);
    for (NodeId id = 0; id < g_.size(); ++id) {
      const Node& n = g_.node(id);
      if (n.op == Op::input) {
        const Input& in = g_.input(n.a);
        const Input& v = in.kind == InputKind::previous ? g_.previous_variable(in.index) : in;
        varies[id] = rate_of(v.kind) == Rate::varying || is_turned(v.kind, v.index) ? 1 : 0;
      }
      if (n.op == Op::sign) continue;
      g_.for_each_child(n, [&](NodeId child) { varies[id] |= varies[child]; });
    }
    return varies;
  }

  // ---- the graph -----------------------------------------------------------------------------------

  Reach everything() const {
    Reach reach(g_);
    const auto value = [&](NodeId node) {
      if (node != none) reach.add_value(node);
    };
    const auto condition = [&](Literal l) { reach.add_condition(condition_of(l)); };
    const auto equation = [&](const Equation& q) {
      for (const NodeId side : {q.left, q.right, q.residual}) value(side);
    };
    std::ranges::for_each(old_->equations_, equation);
    std::ranges::for_each(old_->initial_equations_, equation);
    for (const NamedExpression& o : old_->outputs_) {
      value(o.node);
      std::ranges::for_each(o.by_mode, value);
    }
    for (const WhenClause& w : old_->when_clauses_) {
      std::ranges::for_each(w.conditions, condition);
      for (const Assignment& a : w.assignments) value(a.value);
    }
    for (const HoldingRelation& h : old_->holding_relations_) {
      value(h.ratio);
      value(h.normal);
    }
    for (const Mode& mode : old_->modes_) std::ranges::for_each(mode.requirements, condition);
    for (const Transition& t : old_->transitions_) {
      condition(t.guard);
      for (const Assignment& a : t.maps) value(a.value);
      std::ranges::for_each(t.equations, equation);
    }
    for (const ModeExit& exit : old_->exits_) condition(exit.condition);
    for (const SwitchingPair& p : old_->pairs_) {
      value(p.voltage);
      value(p.current);
      condition(p.condition);
    }
    for (const ContactDefinition& c : old_->contacts_) {
      for (const NodeId node : {c.gap, c.restitution, c.slip, c.mu_kinetic, c.mu_static, c.rate,
                                c.acceleration, c.slip_acceleration})
        value(node);
    }
    // A relation nobody reads keeps its name all the same.
    for (ConditionId c = 0; c < g_.n_conditions(); ++c) {
      const Condition& k = g_.condition(c);
      if (k.kind != Condition::Kind::relation) continue;
      const auto named = [&](const auto& entry) { return entry.first == k.a; };
      const auto holds = [&](const HoldingRelation& h) { return h.relation == k.a; };
      if (std::ranges::any_of(old_->relation_names_, named) ||
          std::ranges::any_of(old_->holding_relations_, holds))
        reach.add_condition(c);
    }
    return reach;
  }

  std::uint32_t number(const Input& old) const { return moved_.input(old).index; }

  // ---- the model -----------------------------------------------------------------------------------

  void declare() {
    made_->variables_.clear();
    for (const Variable& v : old_->variables_) {
      std::uint32_t n_turned = 0;
      for (std::uint32_t j = 0; j < v.count; ++j)
        n_turned += is_turned(v.kind, v.first + j) ? 1 : 0;
      if (n_turned == 0) {
        made_->variables_.push_back(v);
        made_->variables_.back().first = number({v.kind, v.first, 0});
      } else if (n_turned == v.count) {
        made_->variables_.push_back(as_state(v));
      } else {
        for (std::uint32_t j = 0; j < v.count; ++j) declare_element(v, j);
      }
    }
    for (const InputKind kind : {InputKind::parameter, InputKind::discrete})
      for (const Variable& v : old_->variables_)
        for (std::uint32_t j = 0; v.kind == kind && j < v.count; ++j) declare_compared(v, j);
  }

  void declare_element(const Variable& array, std::uint32_t j) {
    const Variable element = element_of(array, j);
    made_->variables_.push_back(is_turned(element.kind, element.first) ? as_state(element)
                                                                       : element);
    made_->variables_.back().first = number({element.kind, element.first, 0});
  }

  Variable element_of(const Variable& v, std::uint32_t j) const {
    Variable element = v;
    element.name = g_.variable_name(v.kind, v.first + j);
    element.first = v.first + j;
    element.count = 1;
    element.is_array = false;
    element.attributes.start = v.start_of(j);
    element.starts.clear();
    return element;
  }

  /// A range is not watched: what keeps its value does not leave it, and a parameter on the bound of its range
  /// would be on a surface for good.
  Variable as_state(const Variable& v) const {
    Variable state = v;
    state.kind = InputKind::state;
    state.first = number({v.kind, v.first, 0});
    state.attributes.min = Attributes{}.min;
    state.attributes.max = Attributes{}.max;
    if (v.kind == InputKind::parameter && v.attributes.nominal == Attributes{}.nominal)
      state.attributes.nominal = typical_magnitude(v);
    // A parameter is no column of a result, so an output may have its name.
    const auto shows = [&](const NamedExpression& o) { return o.name == v.name; };
    state.is_constant = true;
    state.hidden = v.hidden || std::ranges::any_of(old_->outputs_, shows);
    return state;
  }

  /// The smallest that is not zero; 1 if all are.
  static double typical_magnitude(const Variable& v) {
    double smallest = 0.0;
    for (std::uint32_t j = 0; j < v.count; ++j) {
      const double size = std::abs(v.start_of(j).value_or(0.0));
      if (size > 0 && (smallest == 0.0 || size < smallest)) smallest = size;
    }
    return smallest > 0 ? smallest : 1.0;
  }

  std::uint32_t compared(InputKind kind, std::uint32_t index) const {
    const auto& numbers = moved_.as_compared[static_cast<std::size_t>(kind)];
    return numbers.empty() ? none : numbers[index];
  }

  void declare_compared(const Variable& v, std::uint32_t j) {
    const std::uint32_t at = compared(v.kind, v.first + j);
    if (at == none) return;
    Variable kept = element_of(v, j);
    kept.name = moved_.graph->variable_name(v.kind, at);
    kept.first = at;
    kept.hidden = true;
    made_->variables_.push_back(std::move(kept));
  }

  /// Before the rows of contacts, which are the last.
  void add_equations() {
    Graph& g = *moved_.graph;
    std::vector<Equation> constant;
    std::uint32_t n_old = 0;
    for (const Variable& v : old_->variables_) n_old += v.kind == InputKind::state ? v.count : 0;
    for (const Variable& v : made_->variables_) {
      if (v.kind != InputKind::state || v.first < n_old) continue;
      Equation q;
      q.name = v.name + " is constant";
      q.left = v.is_array ? g.lanes(InputRange{v.kind, v.first, v.count, 1})
                          : g.input(v.kind, v.first, 1);
      q.right = g.constant(0.0);
      q.residual = g.sub(q.left, q.right);
      q.count = v.count;
      constant.push_back(std::move(q));
    }
    for (Equation& q : made_->equations_) renumber(q);
    const bool has_contacts = !made_->contacts_.empty();
    const auto n = static_cast<std::ptrdiff_t>(has_contacts ? made_->contact_rows_.first_equation
                                                            : made_->equations_.size());
    if (has_contacts)
      made_->contact_rows_.first_equation += static_cast<std::uint32_t>(constant.size());
    made_->equations_.insert(made_->equations_.begin() + n, constant.begin(), constant.end());
  }

  void renumber(NodeId& node) const {
    if (node != none) node = moved_.nodes[node];
  }
  void renumber(Equation& q) const {
    for (NodeId* side : {&q.left, &q.right, &q.residual}) renumber(*side);
  }
  void renumber(std::vector<Literal>& conditions) const {
    for (Literal& l : conditions) l = moved_.literal(l);
  }
  void renumber_discrete(std::uint32_t& index) const {
    index = number({InputKind::discrete, index, 0});
  }

  void renumber() {
    for (Equation& q : made_->initial_equations_) renumber(q);
    for (NamedExpression& o : made_->outputs_) {
      renumber(o.node);
      for (NodeId& node : o.by_mode) renumber(node);
    }
    for (WhenClause& w : made_->when_clauses_) renumber(w);
    for (Clock& clock : made_->clocks_) renumber_discrete(clock.counter);
    for (auto& [relation, name] : made_->relation_names_) relation = moved_.relations[relation];
    for (HoldingRelation& h : made_->holding_relations_) {
      h.relation = moved_.relations[h.relation];
      renumber(h.ratio);
      renumber(h.normal);
    }
    for (Mode& mode : made_->modes_) renumber(mode.requirements);
    for (Transition& t : made_->transitions_) {
      t.guard = moved_.literal(t.guard);
      for (Assignment& a : t.maps) a = {moved_.input(a.target), moved_.nodes[a.value]};
      for (Input& in : t.free) in = moved_.input(in);
      for (Equation& q : t.equations) renumber(q);
    }
    for (ModeExit& exit : made_->exits_) exit.condition = moved_.literal(exit.condition);
    for (SwitchingPair& p : made_->pairs_) {
      renumber(p.voltage);
      renumber(p.current);
      p.condition = moved_.literal(p.condition);
    }
    renumber_contacts();
  }

  /// What is set keeps its value for comparisons as well.
  void renumber(WhenClause& w) const {
    renumber(w.conditions);
    std::vector<Assignment> also;
    for (Assignment& a : w.assignments) {
      const std::uint32_t at =
          a.target.kind == InputKind::discrete ? compared(a.target.kind, a.target.index) : none;
      a.target = moved_.input(a.target);
      renumber(a.value);
      if (at != none) also.push_back({{InputKind::discrete, at, 0}, a.value});
    }
    w.assignments.insert(w.assignments.end(), also.begin(), also.end());
  }

  void renumber_contacts() {
    for (ContactDefinition& c : made_->contacts_) {
      for (NodeId* node : {&c.gap, &c.restitution, &c.slip, &c.mu_kinetic, &c.mu_static, &c.rate,
                           &c.acceleration, &c.slip_acceleration})
        renumber(*node);
      renumber_discrete(c.closed);
      if (!c.has_friction()) continue;
      for (std::uint32_t* index : {&c.sticks, &c.direction, &c.slack}) renumber_discrete(*index);
    }
    if (made_->contacts_.empty()) return;
    renumber_discrete(made_->contact_rows_.first_on);
    renumber_discrete(made_->contact_rows_.first_share);
  }

  std::shared_ptr<const ModelDefinition> old_;
  const Graph& g_;
  std::vector<std::uint8_t> parameters_;  // one flag each
  std::vector<std::uint8_t> discretes_;
  Transplant moved_;
  ModelDefinition* made_ = nullptr;
};

}  // namespace detail

ParametersAsStates with_parameters_as_states(std::shared_ptr<const ModelDefinition> model,
                                             std::span<const std::string> parameters) {
  return detail::ParameterTurning(std::move(model))(parameters);
}

}  // namespace saltus
