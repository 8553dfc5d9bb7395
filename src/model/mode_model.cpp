#include <saltus/model/mode_model.hpp>

#include <numeric>

#include <saltus/core/error.hpp>
#include <saltus/expr/transplant.hpp>

#include "model/mode_unknowns.hpp"

namespace saltus {

namespace detail {

class ModeExtraction {
 public:
  ModeExtraction(const ModelDefinition& whole, ModeId mode)
      : whole_(whole),
        mode_(mode),
        unknowns_(unknowns_of_mode(whole, mode)),
        reach_(whole.graph()),
        looked_at_(whole.graph()) {}

  ModeModel operator()() {
    choose();
    const Transplant moved = transplant(reach_, [&](InputKind kind, std::uint32_t first) {
      return unknowns_.has({kind, first, 0});
    });
    auto model = std::make_shared<ModelDefinition>();
    model->name_ = whole_.name() + ", mode " + whole_.modes()[mode_].name;
    declare(*model, moved);
    copy(*model, moved);
    made_.states = moved.variables[static_cast<std::size_t>(InputKind::state)];
    made_.algebraics = moved.variables[static_cast<std::size_t>(InputKind::algebraic)];
    made_.whole_states = inverse(made_.states);
    made_.whole_algebraics = inverse(made_.algebraics);
    model->graph_ = std::move(*moved.graph).freeze();
    made_.model = std::move(model);
    return std::move(made_);
  }

 private:
  static std::vector<std::uint32_t> inverse(const std::vector<std::uint32_t>& numbers) {
    std::vector<std::uint32_t> whole;
    for (std::uint32_t i = 0; i < numbers.size(); ++i)
      if (numbers[i] != none) whole.push_back(i);
    return whole;
  }

  void choose() {
    for (const Equation& q : whole_.equations()) {
      if (!holds_in(q, mode_)) continue;
      equations_.push_back(&q);
      for (const NodeId side : {q.left, q.right, q.residual}) reach_.add_value(side);
    }
    for (const NamedExpression& o : whole_.outputs()) {
      const bool is_there = exists_in(unknowns_, o, looked_at_);
      made_.outputs.push_back(is_there ? static_cast<std::uint32_t>(outputs_.size()) : none);
      if (!is_there) continue;
      outputs_.push_back(&o);
      reach_.add_value(o.node_in(mode_));
    }
    for (const WhenClause& clause : whole_.when_clauses()) {
      std::string lacks;
      if (!exists_in(unknowns_, clause, looked_at_)) {
        lacks = lack_of(unknowns_, clause, looked_at_);
        if (lacks.empty()) continue;
        lacks += ", which mode '" + whole_.modes()[mode_].name + "' does not have";
      }
      if (lacks.empty()) {
        for (const Literal l : clause.conditions) reach_.add_condition(condition_of(l));
        for (const Assignment& a : clause.assignments) reach_.add_value(a.value);
      }
      clauses_.push_back({&clause, std::move(lacks)});
    }
    for (const Transition& t : whole_.transitions())
      if (t.from == mode_) reach_.add_condition(condition_of(t.guard));
    for (const Literal l : whole_.modes()[mode_].requirements)
      reach_.add_condition(condition_of(l));
    for (const HoldingRelation& h : whole_.holding_relations()) {
      if (!reaches_relation(h.relation)) continue;
      reach_.add_value(h.ratio);
      reach_.add_value(h.normal);
    }
  }

  bool reaches_relation(std::uint32_t relation) const {
    const Graph& g = whole_.graph();
    for (ConditionId c = 0; c < g.n_conditions(); ++c) {
      const Condition& condition = g.condition(c);
      if (condition.kind == Condition::Kind::relation && condition.a == relation &&
          reach_.has_condition(c))
        return true;
    }
    return false;
  }

  void declare(ModelDefinition& model, const Transplant& moved) const {
    for (const Variable& v : whole_.variables()) {
      const std::uint32_t first = moved.variables[static_cast<std::size_t>(v.kind)][v.first];
      if (first == none) continue;
      model.variables_.push_back(v);
      model.variables_.back().first = first;
    }
    model.clocks_ = whole_.clocks_;
    model.signals_ = whole_.signals_;
    model.unequal_counts_ = whole_.unequal_counts_;
    for (const auto& [relation, name] : whole_.relation_names_) {
      const std::uint32_t here = moved.relations[relation];
      if (here != none) model.relation_names_.emplace_back(here, name);
    }
    for (const HoldingRelation& h : whole_.holding_relations_) {
      const std::uint32_t here = moved.relations[h.relation];
      if (here == none) continue;
      model.holding_relations_.push_back(
          {h.name, here, moved.nodes[h.ratio], moved.nodes[h.normal]});
    }
  }

  void copy(ModelDefinition& model, const Transplant& moved) const {
    for (const Equation* q : equations_) {
      Equation here = *q;
      here.mode = none;
      for (NodeId* node : {&here.left, &here.right, &here.residual}) *node = moved.nodes[*node];
      model.equations_.push_back(std::move(here));
    }
    for (const NamedExpression* o : outputs_) {
      model.outputs_.push_back(*o);
      model.outputs_.back().node = moved.nodes[o->node_in(mode_)];
      model.outputs_.back().by_mode.clear();
    }
    for (const TakenClause& clause : clauses_) {
      WhenClause here = *clause.whole;
      if (!clause.lacks.empty()) {
        here.conditions = {literal_false};  // nothing is watched for what will not be done
        here.assignments.clear();
        here.terminal = false;
        here.lacks = clause.lacks;
      }
      for (Literal& l : here.conditions) l = moved.literal(l);
      for (Assignment& a : here.assignments) a = {moved.input(a.target), moved.nodes[a.value]};
      model.when_clauses_.push_back(std::move(here));
    }
    std::uint32_t number = 0;
    for (const Transition& t : whole_.transitions()) {
      const bool sets = !t.maps.empty() || !t.equations.empty();
      if (t.from == mode_)
        model.exits_.push_back({t.name, moved.literal(t.guard), number, t.priority,
                                t.at_accumulation, t.at_sliding, sets});
      ++number;
    }
    for (const Literal l : whole_.modes()[mode_].requirements)
      model.exits_.push_back({condition_text(whole_.graph(), l), negate(moved.literal(l)), none, 0,
                              false, false, false});
  }

  const ModelDefinition& whole_;
  ModeId mode_;
  ModeUnknowns unknowns_;
  Reach reach_;
  Reach looked_at_;  // one output or clause after the other
  std::vector<const Equation*> equations_;
  std::vector<const NamedExpression*> outputs_;
  struct TakenClause {
    const WhenClause* whole;
    std::string lacks;  // see WhenClause
  };
  std::vector<TakenClause> clauses_;
  ModeModel made_;
};

}  // namespace detail

Input ModeModel::in_mode(Input whole) const {
  if (whole.kind == InputKind::state) whole.index = states[whole.index];
  if (whole.kind == InputKind::algebraic) whole.index = algebraics[whole.index];
  return whole;
}

Input ModeModel::in_whole(Input of_mode) const {
  if (of_mode.kind == InputKind::state) of_mode.index = whole_states[of_mode.index];
  if (of_mode.kind == InputKind::algebraic) of_mode.index = whole_algebraics[of_mode.index];
  return of_mode;
}

ModeModel take_mode(const ModelDefinition& model, ModeId mode) {
  if (mode >= model.modes().size())
    throw ModelError("model '" + model.name() + "' has no mode " + std::to_string(mode));
  return detail::ModeExtraction(model, mode)();
}

ModeModel whole_as_mode(std::shared_ptr<const ModelDefinition> model) {
  ModeModel same;
  same.states.resize(model->graph().count(InputKind::state));
  same.algebraics.resize(model->graph().count(InputKind::algebraic));
  same.outputs.resize(model->outputs().size());
  for (auto* numbers : {&same.states, &same.algebraics, &same.outputs})
    std::iota(numbers->begin(), numbers->end(), 0U);
  same.whole_states = same.states;
  same.whole_algebraics = same.algebraics;
  same.model = std::move(model);
  return same;
}

}  // namespace saltus
