// Algorithm sections of a model.
#include <algorithm>

#include "modelica/builder.hpp"
#include "modelica/builder_attempt.hpp"
#include "modelica/when.hpp"

namespace saltus::modelica {

/// Variables that statements assign, those of when-clauses apart.
void Builder::find_assigned(const std::vector<Statement>& body,
                            std::map<std::string, ExprId>& found) const {
  for (const Statement& s : body) {
    if (s.kind == StatementKind::when) continue;
    if (s.kind == StatementKind::assign) {
      std::vector<ExprId> targets = {s.left};
      if (e_[s.left].kind == ExprKind::tuple) {
        const auto parts = e_.children(s.left);
        targets.assign(parts.begin(), parts.end());
      }
      for (const ExprId t : targets)
        if (t != no_expr && e_[t].kind == ExprKind::name) found.emplace(e_.name(t), t);
    }
    for (const Branch& b : s.branches) find_assigned(b.body, found);
  }
}

Locals::Local Builder::local_of(const Symbol& s) const {
  Locals::Local local;
  local.type = s.type.type;
  local.value.dimensions = s.dimensions;
  Value unset;
  unset.type = s.type.type;
  unset.enumeration = s.type.enumeration;
  local.value.elements.assign(s.size, unset);
  return local;
}

void Builder::add_algorithms() {
  for (const Section& section : model_class_->algorithms) {
    if (!section.is_initial) attempt(section.span, [&] { add_algorithm(section); });
  }
}

/// What it assigns at the end is what its variables are; they have no equations besides.
void Builder::add_algorithm(const Section& section) {
  std::map<std::string, ExprId> assigned;
  find_assigned(section.body, assigned);
  Locals locals;
  for (const auto& [name, target] : assigned) {
    const Symbol& s = symbols_[translator_->symbol_of(target)];
    if (s.role != Role::unknown)
      refuse(e_[target].span,
             "'" + name +
                 "' is assigned outside of when-clauses: an algorithm can do that to Real "
                 "variables that nothing else determines");
    locals.all.emplace(name, local_of(s));
  }
  std::vector<Statement> plain;
  ++algorithm_number_;
  for (const Statement& s : section.body) {
    if (s.kind == StatementKind::when) {
      flat_.whens.push_back({&s, nullptr, algorithm_number_, flat_.whens.size()});
    } else {
      plain.push_back(s);
    }
  }
  if (plain.empty()) return;
  {
    const ContextScope scope(*translator_);
    translator_->context().locals = &locals;
    translator_->execute(plain);
  }
  for (const auto& [name, target] : assigned) {
    const Locals::Local& local = locals.all[name];
    const Symbol& s = symbols_[translator_->symbol_of(target)];
    if (!local.is_set) refuse(e_[target].span, "'" + name + "' is not assigned in every case");
    for (std::uint32_t k = 0; k < s.size; ++k)
      add_model_equation(unique_name(element_name(s, k) + " by the algorithm of line " +
                                         std::to_string(source_.line_of(section.span.begin)),
                                     section.span, nullptr, equation_names_),
                         s.numbers[k], local.value.elements[k].number, e_[target].span);
  }
}

/// Variables that statements of a when-clause set. What they get is computed where all clauses are known: statements read what
/// others set at the same moment.
void Builder::collect_statements(const std::vector<Statement>& body, Clause& c) {
  std::map<std::string, ExprId> assigned;
  find_assigned(body, assigned);
  c.statements = body;
  for (const auto& [name, target] : assigned) {
    const std::uint32_t k = translator_->symbol_of(target);
    const Symbol& s = symbols_[k];
    if (s.role != Role::discrete)
      refuse(e_[target].span, "'" + name + "' cannot be set by a when-clause");
    for (std::uint32_t e = 0; e < s.size; ++e) {
      Set set{k, e, target, 0, e_[target].span, false, c.environment};
      set.is_by_statements = true;
      add_set(c, set);
    }
  }
}

/// Whatever statements read, their targets apart.
void Builder::for_each_read(const std::vector<Statement>& body,
                            const std::function<void(std::uint32_t, ExprId)>& visit) const {
  const auto read = [&](ExprId id) {
    if (id != no_expr) translator_->for_each_symbol(id, visit, true);
  };
  for (const Statement& s : body) {
    if (s.kind != StatementKind::assign) read(s.left);
    read(s.right);
    for (const Branch& b : s.branches) {
      read(b.condition);
      for_each_read(b.body, visit);
    }
  }
}

/// A clause of the same algorithm that comes later has not set it yet.
bool Builder::reads_old_value(const Clause& c, Element element) const {
  const auto found = setters_.find(element);
  if (c.algorithm == 0 || found == setters_.end()) return false;
  return std::ranges::all_of(found->second, [&](const ClauseSet& other) {
    const Clause& setter = clauses_[other.first];
    return setter.algorithm == c.algorithm && setter.place >= c.place;
  });
}

/// One after the other, once for all variables that they set.
Value Builder::outcome_of_statements(Clause& c, const Set& set) {
  const std::string& name = symbols_[set.symbol].name();
  if (!c.outcome) {
    Locals locals;
    const ContextScope scope(*translator_);
    for (const Set& one : c.sets) {
      const Symbol& s = symbols_[one.symbol];
      if (!one.is_by_statements || locals.all.contains(s.name())) continue;
      Locals::Local local = local_of(s);
      for (std::uint32_t e = 0; e < s.size; ++e)
        local.value.elements[e] = translator_->from_kept(s.type, pre(s.numbers[e]));
      local.is_set = true;
      locals.all.emplace(s.name(), std::move(local));
    }
    translator_->context().in_when = true;
    translator_->context().locals = &locals;
    translator_->execute(c.statements);
    c.outcome = std::move(locals);
  }
  return c.outcome->all.at(name).value.elements[set.element];
}

}  // namespace saltus::modelica
