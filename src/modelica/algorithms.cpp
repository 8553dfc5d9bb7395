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
    attempt(section.span, [&] { add_algorithm(section); });
  }
}

/// What it assigns at the end is what its variables are; they have no equations besides.
void Builder::add_algorithm(const Section& section) {
  if (section.is_initial)
    refuse(section.span, "initial algorithms are not supported: write initial equations");
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
  for (const Statement& s : section.body) {
    if (s.kind == StatementKind::when) {
      flat_.whens.push_back({&s, nullptr});
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

/// What statements of a when-clause give to its variables, one after the other.
void Builder::collect_statements(const std::vector<Statement>& body, Clause& c) {
  std::map<std::string, ExprId> assigned;
  find_assigned(body, assigned);
  Locals locals;
  const ContextScope scope(*translator_);
  translator_->context().in_when = true;
  for (const auto& [name, target] : assigned) {
    const std::uint32_t k = translator_->symbol_of(target);
    const Symbol& s = symbols_[k];
    if (s.role != Role::discrete)
      refuse(e_[target].span, "'" + name + "' cannot be set by a when-clause");
    Locals::Local local = local_of(s);
    for (std::uint32_t e = 0; e < s.size; ++e)
      local.value.elements[e] = translator_->from_kept(s.type, pre(s.numbers[e]));
    local.is_set = true;
    locals.all.emplace(name, std::move(local));
  }
  translator_->context().locals = &locals;
  translator_->execute(body);
  for (const auto& [name, target] : assigned) {
    const std::uint32_t k = translator_->symbol_of(target);
    for (std::uint32_t e = 0; e < symbols_[k].size; ++e) {
      Set set{k, e, target, 0, e_[target].span, false, c.environment};
      set.computed = locals.all[name].value.elements[e];
      add_set(c, set);
    }
  }
}

}  // namespace saltus::modelica
