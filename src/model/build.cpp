// Finishing a model: whether it can be what it says.
#include <algorithm>
#include <set>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/expr/program.hpp>
#include <saltus/model/model.hpp>

#include "model/contact_rows.hpp"
#include "model/mode_checks.hpp"
#include "model/mode_unknowns.hpp"
#include "model/pair_expansion.hpp"
#include "model/previous_values.hpp"

namespace saltus {

const Variable* ModelDefinition::find(std::string_view name) const {
  const auto it = std::find_if(variables_.begin(), variables_.end(),
                               [&](const Variable& v) { return v.name == name; });
  return it == variables_.end() ? nullptr : &*it;
}

std::vector<double> ModelDefinition::initial_values(InputKind kind) const {
  std::vector<double> values(graph_->count(kind), 0.0);
  for (const Variable& v : variables_)
    if (v.kind == kind)
      for (std::uint32_t j = 0; j < v.count; ++j) values[v.first + j] = v.start_of(j).value_or(0.0);
  return values;
}

namespace {

using Unknown = std::pair<InputKind, std::uint32_t>;

/// A few names in quotes, and how many more there are.
std::string some_names(const Graph& g, const std::vector<Unknown>& unknowns) {
  constexpr std::size_t most = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, unknowns.size()); ++i)
    text += (i > 0 ? ", '" : "'") + g.variable_name(unknowns[i].first, unknowns[i].second) + "'";
  if (unknowns.size() > most) text += " and " + std::to_string(unknowns.size() - most) + " more";
  return text;
}

std::string plural(std::size_t n, const std::string& one) {
  return std::to_string(n) + " " + one + (n == 1 ? "" : "s");
}

/// The equations of one mode (or of a model without modes) against the unknowns.
void check_counts(const ModelDefinition& m, ModeId mode, const std::string& where) {
  const Graph& g = m.graph();
  std::vector<NodeId> rows;
  std::vector<const Equation*> owner;
  std::size_t n_rows = 0;
  for (const Equation& q : m.equations()) {
    if (!detail::holds_in(q, mode)) continue;
    rows.push_back(q.residual);
    owner.insert(owner.end(), q.count, &q);
    n_rows += q.count;
  }
  if (rows.empty()) throw ModelError(where + " has no equations");
  std::set<Unknown> met;
  const Incidence occurrences = incidence(g, rows);
  for (std::size_t i = 0; i < occurrences.n_rows(); ++i) {
    bool any = false;
    for (const Input& in : occurrences.row(i)) {
      if (!detail::is_unknown_kind(in.kind)) continue;
      any = true;
      met.emplace(in.kind, in.index);
    }
    if (!any) throw ModelError(where + ": equation '" + owner[i]->name + "' contains no unknown");
  }
  std::vector<Unknown> missing;
  for (const InputKind kind : {InputKind::state, InputKind::algebraic})
    for (std::uint32_t i = 0; i < g.count(kind); ++i)
      if (!met.contains({kind, i})) missing.emplace_back(kind, i);

  // In a model with modes, an unknown that occurs in none of a mode's equations does not exist there.
  const bool has_modes = !m.modes().empty();
  const std::size_t n_unknowns = has_modes ? met.size() : m.n_unknowns();
  if (!has_modes && !missing.empty())
    throw ModelError(where + ": " + some_names(g, missing) +
                     (missing.size() == 1 ? " occurs" : " occur") + " in no equation");
  if (n_rows != n_unknowns && !m.unequal_counts_allowed())
    throw ModelError(where + " has " + plural(n_unknowns, "unknown") + " but " +
                     plural(n_rows, "equation") + ": " +
                     (n_rows < n_unknowns ? plural(n_unknowns - n_rows, "equation") + " missing"
                                          : plural(n_rows - n_unknowns, "equation") + " too many"));
}

void check_initial_equations(const ModelDefinition& m, const std::string& who) {
  const Graph& g = m.graph();
  for (const Equation& q : m.initial_equations()) {
    const Incidence read = incidence(g, std::vector{q.residual});
    for (std::size_t i = 0; i < read.n_rows(); ++i) {
      const auto row = read.row(i);
      if (std::none_of(row.begin(), row.end(),
                       [](const Input& in) { return detail::is_unknown_kind(in.kind); }))
        throw ModelError(who + ": initial equation '" + q.name + "' contains no unknown");
    }
  }
}

std::shared_ptr<const Program> program_of_ranges(const ModelDefinition& m) {
  if (m.value_ranges().empty()) return nullptr;
  std::vector<NodeId> nodes;
  for (const ValueRange& range : m.value_ranges()) nodes.push_back(range.node);
  const std::uint32_t n = m.graph().count(InputKind::parameter);
  return compile(m.graph(), outputs_in_order(m.graph(), nodes),
                 {{{{InputKind::parameter, 0, n, 0}}}}, {.locking = Locking::unlocked});
}

}  // namespace

std::shared_ptr<const ModelDefinition> Model::build() const {
  auto m = std::make_shared<ModelDefinition>(parts_);
  const std::unique_ptr<Graph> graph = graph_.thaw();
  const std::string who = "model '" + m->name_ + "'";
  if (!m->pairs_.empty()) detail::PairExpansion(*m, *graph)();
  detail::ContactCompletion(*m, *graph)();
  m->graph_ = std::move(*graph).freeze();
  if (m->n_unknowns() == 0) throw ModelError(who + " has no unknowns");
  if (m->modes_.empty()) {
    check_counts(*m, none, who);
  } else {
    for (ModeId mode = 0; mode < m->modes_.size(); ++mode)
      check_counts(*m, mode, who + ", mode '" + m->modes_[mode].name + "'");
    detail::check_modes(*m);
  }
  check_initial_equations(*m, who);
  detail::check_previous_values(*m);
  m->ranged_values_ = program_of_ranges(*m);
  return m;
}

}  // namespace saltus
