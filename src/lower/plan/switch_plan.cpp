#include "lower/plan/switch_plan.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include <saltus/core/error.hpp>
#include <saltus/expr/substitute.hpp>

#include "lower/layout/affine_in_time.hpp"
#include "lower/layout/averaged_choices.hpp"

namespace saltus::detail {

namespace {

SwitchInfo info_of_test(std::string name, Test test) {
  SwitchInfo info;
  info.name = std::move(name);
  info.true_if_positive = test == Test::positive || test == Test::non_negative;
  info.true_at_zero = test == Test::non_negative || test == Test::non_positive;
  return info;
}

void collect_conditions(std::span<const Literal> literals, std::set<ConditionId>& conditions) {
  for (const Literal l : literals) conditions.insert(condition_of(l));
}

}  // namespace

std::vector<SwitchId> tracked_in(const Graph& g, std::span<const ConditionId> conditions) {
  std::vector<SwitchId> found;
  for (const ConditionId id : with_parts(g, conditions)) {
    const Condition& c = g.condition(id);
    if (c.kind == Condition::Kind::relation && g.relation(c.a).tracked())
      found.push_back(g.relation(c.a).first_switch);
  }
  return found;
}

SwitchPlan::SwitchPlan(const ModelDefinition& model, const ModeEquations& equations,
                       const Layout& layout)
    : layout_(layout),
      graph_(equations.graph().thaw()),
      equations_(equations.nodes().begin(), equations.nodes().end()) {
  const SwitchingExpressions written = switching_expressions(*graph_, model, equations);
  DerivativeSource derivatives(*graph_, layout_, written.equations);
  const SwitchTable table(*graph_, written.all());
  add_relations(model, table, derivatives);
  add_limits(model);
  add_holds(model, table, derivatives);
  make_names_differ();
  mark_what_sets_unknowns(model);
  add_branches(written.equations, written.outputs);
  find_timed();
  find_same();
  singles_.resize(count());
  single_made_ = std::make_unique<std::atomic<const GatheredProgram*>[]>(count());
  tangents_.resize(count());
  tangent_made_ = std::make_unique<std::atomic<const Tangent*>[]>(count());
  if (count() == 0 && model.when_clauses().empty()) return;
  for (Function& f : functions_) {
    const Output o{.node = f.node, .first = 0, .stride = 1, .lanes = f.count};
    const ReadSet read = read_by(*graph_, std::span(&o, 1));
    f.has_series = read.functions.empty();
    f.encloses = std::all_of(read.functions.begin(), read.functions.end(),
                             [](const ExternalFunction* e) { return e->encloses(); });
    all_have_series_ = all_have_series_ && f.has_series;
  }
  all_ = gather(*graph_, layout_, outputs_of(nullptr));
  with_series_ =
      all_have_series_ ? all_ : gather(*graph_, layout_, outputs_of(&Function::has_series));
  enclosable_ = all_have_series_ ? all_ : gather(*graph_, layout_, outputs_of(&Function::encloses));
}

SwitchPlan::Function& SwitchPlan::add_function(NodeId node, std::uint32_t n) {
  const auto first = static_cast<std::uint32_t>(function_of_.size());
  function_of_.insert(function_of_.end(), n, static_cast<std::uint32_t>(functions_.size()));
  Function& added = functions_.emplace_back();
  added.node = node;
  added.first = first;
  added.count = n;
  return added;
}

void SwitchPlan::add_relations(const ModelDefinition& model, const SwitchTable& table,
                               DerivativeSource& derivatives) {
  const auto from_equations = [&](Graph& g, InputId id) {
    return derivatives.is_derivative(g.input(id)) ? derivatives.expression(id) : none;
  };
  for (const SwitchEntry& e : table) {
    for (SwitchId id = e.first; id < e.first + e.count; ++id) {
      std::string name = model.relation_name(e.relation);
      if (name.empty()) {
        name = table.text(id);
      } else if (e.count > 1) {
        name += "[" + std::to_string(id - e.first) + "]";
      }
      infos_.push_back(info_of_test(std::move(name), e.test));
      switch_ids_.push_back(id);
    }
    const NodeId g = substitute(*graph_, std::span(&e.g, 1), from_equations)[0];
    Function& f = add_function(e.count > 1 ? graph_->broadcast(g, e.count) : g, e.count);
    f.context = e.context;
    f.lane_context = e.lane_context;
    has_lane_contexts_ = has_lane_contexts_ || !e.lane_context.empty();
  }
}

void SwitchPlan::add_limits(const ModelDefinition& model) {
  for (const Variable& v : model.variables()) {
    if (v.kind != InputKind::state && v.kind != InputKind::algebraic) continue;
    for (const bool lower : {true, false}) {
      const double limit = lower ? v.attributes.min : v.attributes.max;
      if (!std::isfinite(limit)) continue;
      const NodeId x = v.is_array ? graph_->lanes(InputRange{v.kind, v.first, v.count, 0})
                                  : graph_->input(v.kind, v.first);
      const NodeId bound = graph_->constant(limit);
      for (std::uint32_t j = 0; j < v.count; ++j) {
        SwitchInfo info = info_of_test(
            (lower ? "min of " : "max of ") + graph_->variable_name(v.kind, v.first + j),
            Test::non_negative);
        info.kind = lower ? SwitchKind::lower_limit : SwitchKind::upper_limit;
        infos_.push_back(std::move(info));
      }
      add_function(lower ? graph_->sub(x, bound) : graph_->sub(bound, x), v.count);
    }
  }
}

/// Defined where the relation is.
void SwitchPlan::add_holds(const ModelDefinition& model, const SwitchTable& table,
                           DerivativeSource& derivatives) {
  const auto from_equations = [&](Graph& g, InputId id) {
    return derivatives.is_derivative(g.input(id)) ? derivatives.expression(id) : none;
  };
  for (const HoldingRelation& h : model.holding_relations()) {
    for (const SwitchEntry& e : table) {
      if (e.relation != h.relation) continue;
      const auto add = [&](const std::string& what, NodeId node) {
        SwitchInfo info = info_of_test(what + " of " + h.name, Test::positive);
        info.kind = SwitchKind::hold;
        infos_.push_back(std::move(info));
        const NodeId function = substitute(*graph_, std::span(&node, 1), from_equations)[0];
        add_function(function, 1).context = e.context;
        return count() - 1;
      };
      const std::uint32_t hold = add("mu_kinetic / mu_static", h.ratio);
      const std::uint32_t normal = add("normal force", h.normal);
      infos_[number_of(e.first)].hold = hold;
      infos_[number_of(e.first)].hold_normal = normal;
      infos_[number_of(e.first)].held_by = h.name;
    }
  }
}

void SwitchPlan::mark_what_sets_unknowns(const ModelDefinition& model) {
  std::vector<ConditionId> conditions;
  for (const WhenClause& w : model.when_clauses()) {
    const bool sets = std::any_of(w.assignments.begin(), w.assignments.end(),
                                  [](const auto& a) { return a.target.kind == InputKind::state; });
    if (!sets) continue;
    for (const Literal l : w.conditions) conditions.push_back(condition_of(l));
  }
  for (const ModeExit& exit : model.exits()) {
    // Where it slides the state is on the surface: there is no side that it must not pass to.
    if (exit.sets_unknowns && !exit.at_sliding) conditions.push_back(condition_of(exit.condition));
  }
  for (const SwitchId first : tracked_in(*graph_, conditions)) {
    infos_[number_of(first)].sets_unknowns = true;
  }
}

bool SwitchPlan::knows(SwitchId id) const {
  return std::binary_search(switch_ids_.begin(), switch_ids_.end(), id);
}

std::uint32_t SwitchPlan::number_of(SwitchId id) const {
  const auto at = std::lower_bound(switch_ids_.begin(), switch_ids_.end(), id);
  return static_cast<std::uint32_t>(at - switch_ids_.begin());
}

void SwitchPlan::find_same() {
  std::unordered_map<NodeId, std::uint32_t> first_with;
  for (const Function& f : functions_) {
    if (f.count > 1) continue;
    const auto [at, is_new] = first_with.try_emplace(f.node, f.first);
    if (!is_new) infos_[f.first].same_as = at->second;
  }
}

void SwitchPlan::make_names_differ() {
  std::set<std::string> taken;
  for (SwitchInfo& info : infos_) {
    const std::string name = info.name;
    for (int k = 2; !taken.insert(info.name).second; ++k) {
      info.name = name + " (" + std::to_string(k) + ")";
    }
  }
}

void SwitchPlan::add_branches(std::span<const NodeId> rows, std::span<const NodeId> outputs) {
  const std::vector<BranchCondition> of_rows = branch_conditions(*graph_, rows);
  const std::vector<BranchCondition> of_outputs = branch_conditions(*graph_, outputs);
  std::set<ConditionId> needed;
  for (const auto* list : {&of_rows, &of_outputs}) {
    for (const BranchCondition& b : *list) {
      needed.insert(b.condition);
      collect_conditions(b.context, needed);
      collect_conditions(b.lane_context, needed);
    }
  }
  for (const Function& f : functions_) {
    collect_conditions(f.context, needed);
    collect_conditions(f.lane_context, needed);
  }
  conditions_ = std::make_unique<ConditionPlan>(
      *graph_, layout_, std::vector<ConditionId>(needed.begin(), needed.end()));
  std::set<ConditionId> known;
  const auto in_places = [&](std::span<const Literal> literals) {
    std::vector<PlacedLiteral> placed;
    for (const Literal l : literals) {
      placed.push_back({conditions_->place_of(condition_of(l)), is_negated(l)});
    }
    return placed;
  };
  const auto add = [&](const BranchCondition& b) {
    if (!known.insert(b.condition).second) return;
    branches_.push_back(
        {conditions_->place_of(b.condition), in_places(b.context), in_places(b.lane_context)});
    n_branches_ += branches_.back().place.lanes;
  };
  for (const BranchCondition& b : of_rows) add(b);
  n_equation_branches_ = n_branches_;
  for (const BranchCondition& b : of_outputs) add(b);
  for (Function& f : functions_) {
    f.active_if = in_places(f.context);
    f.lane_active_if = in_places(f.lane_context);
  }
}

void SwitchPlan::find_timed() {
  std::vector<Output> coefficients;
  for (const Function& f : functions_) {
    if (infos_[f.first].kind == SwitchKind::hold) continue;
    const Output whole{.node = f.node, .first = 0, .stride = 1, .lanes = f.count};
    const ReadSet read = read_by(*graph_, std::span(&whole, 1));
    const bool of_time = std::all_of(read.inputs.begin(), read.inputs.end(), [&](InputId id) {
      return graph_->input(id).kind == InputKind::time ||
             rate_of(graph_->input(id).kind) == Rate::held;
    });
    if (!of_time || !read.functions.empty()) continue;
    for (std::uint32_t lane = 0; lane < f.count; ++lane) {
      const NodeId g = graph_->is_array(f.node) ? graph_->lane(f.node, lane) : f.node;
      const auto affine = affine_in_time(*graph_, g);
      if (!affine) continue;
      const auto at = static_cast<std::uint32_t>(2 * timed_.size());
      coefficients.push_back({.node = affine->slope, .first = at});
      coefficients.push_back({.node = affine->offset, .first = at + 1});
      timed_.push_back(f.first + lane);
    }
  }
  if (!timed_.empty()) time_coefficients_ = gather(*graph_, layout_, coefficients);
}

std::vector<Output> SwitchPlan::outputs_of(bool Function::*wanted) const {
  std::vector<Output> outputs;
  for (const Function& f : functions_) {
    if (wanted != nullptr && !(f.*wanted)) continue;
    Output o{.node = f.node, .first = f.first, .stride = 1, .lanes = f.count};
    o.context = f.context;
    outputs.push_back(std::move(o));
  }
  return outputs;
}

NodeId SwitchPlan::node_of(std::uint32_t which) const {
  const Function& f = function_of(which);
  return graph_->is_array(f.node) ? graph_->lane(f.node, which - f.first) : f.node;
}

const GatheredProgram& SwitchPlan::single(std::uint32_t which) const {
  if (const auto* made = single_made_[which].load(std::memory_order_acquire)) return *made;
  const std::lock_guard guard(mutex_);
  if (!singles_[which]) {
    const Output o{.node = node_of(which)};
    singles_[which] = std::make_unique<GatheredProgram>(gather(*graph_, layout_, std::span(&o, 1)));
    single_made_[which].store(singles_[which].get(), std::memory_order_release);
  }
  return *singles_[which];
}

const SwitchPlan::Gradients& SwitchPlan::gradients() const {
  if (const auto* made = gradients_made_.load(std::memory_order_acquire)) return *made;
  const std::lock_guard guard(mutex_);
  if (!gradients_) {
    std::vector<NodeId> rows;
    for (const Function& f : functions_) rows.push_back(f.node);
    auto made = std::make_unique<Gradients>();
    Jacobian j = jacobian(*graph_, rows, layout_.x_segment());
    for (Output& o : j.entries) {
      // Arrays are evaluated wherever they are.
      if (o.lanes != 1 || o.slot(0) == none) continue;
      const auto row = static_cast<std::uint32_t>(j.pattern.row[o.slot(0)]);
      o.context = function_of(row).context;
    }
    made->pattern = std::move(j.pattern);
    made->values = gather(*graph_, layout_, j.entries);
    gradients_ = std::move(made);
    gradients_made_.store(gradients_.get(), std::memory_order_release);
  }
  return *gradients_;
}

bool SwitchPlan::knows_derivatives(NodeId g) const {
  const Output whole{.node = g};
  const ReadSet read = read_by(*graph_, std::span(&whole, 1));
  return read.functions.empty() &&
         std::none_of(read.inputs.begin(), read.inputs.end(),
                      [&](InputId id) { return graph_->input(id).kind == InputKind::signal; });
}

const SwitchPlan::Tangent* SwitchPlan::tangent(std::uint32_t which) const {
  if (const auto* made = tangent_made_[which].load(std::memory_order_acquire))
    return made->unknowns.empty() ? nullptr : made;
  const std::lock_guard guard(mutex_);
  if (!tangents_[which]) {
    const NodeId g = node_of(which);
    auto made = std::make_unique<Tangent>();
    if (knows_derivatives(g)) {
      const NodeId one = graph_->constant(1.0), zero = graph_->constant(0.0);
      const Seed time_moves = [&](Graph& graph, InputId input) {
        return graph.input(input).kind == InputKind::time ? one : zero;
      };
      const NodeId slope = saltus::tangent(*graph_, std::span(&g, 1), time_moves).front();
      std::vector<Output> outputs = {{.node = g, .first = 0}, {.node = slope, .first = 1}};
      Jacobian j = jacobian(*graph_, std::span(&g, 1), layout_.x_segment());
      for (Output& o : j.entries) {
        o.first += 2;
        for (std::uint32_t& slot : o.slots) slot += slot == none ? 0 : 2;
        outputs.push_back(std::move(o));
      }
      for (std::uint32_t i = 0; i < layout_.size(); ++i) {
        if (j.pattern.column_start[i] != j.pattern.column_start[i + 1]) made->unknowns.push_back(i);
      }
      made->values = gather(*graph_, layout_, outputs);
    }
    tangents_[which] = std::move(made);
    tangent_made_[which].store(tangents_[which].get(), std::memory_order_release);
  }
  return tangents_[which]->unknowns.empty() ? nullptr : tangents_[which].get();
}

std::optional<std::uint32_t> SwitchPlan::nonlinear_in_choice(std::uint32_t relation,
                                                             bool and_derivatives) const {
  if (relation >= n_relations()) return std::nullopt;
  const std::lock_guard guard(mutex_);
  const auto found = first_not_averaged(
      *graph_, equations_, {graph_->owner(switch_ids_[relation]).relation, and_derivatives});
  if (!found) return std::nullopt;
  std::uint32_t row = 0;
  for (std::size_t k = 0; k < *found; ++k) row += graph_->lane_count(equations_[k]);
  return row;
}

}  // namespace saltus::detail
