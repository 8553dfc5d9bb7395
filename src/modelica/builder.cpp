#include "modelica/builder.hpp"

#include <algorithm>

#include <saltus/core/error.hpp>

#include "modelica/builder_attempt.hpp"
#include "modelica/lexer.hpp"
#include "modelica/parser.hpp"

namespace saltus {

ReadModel read_modelica(std::string_view text, const std::string& file_name,
                        const ReadOptions& options) {
  using namespace modelica;
  ReadModel result;
  if (text.size() > Limits::text) {
    Diagnostic d;
    d.file = file_name;
    d.message = "the text has " + std::to_string(text.size()) + " bytes, more than the " +
                std::to_string(Limits::text) + " that can be read";
    result.diagnostics.push_back(std::move(d));
    return result;
  }
  const Source source(text, file_name);
  Messages messages(source, std::max<std::uint32_t>(1, options.max_errors));
  try {
    Parser parser(source, lex(source), messages);
    ParsedText parsed = parser.text();
    if (const auto version = base_version(text); version && *version != "0.1.0")
      messages.warning(
          {0, 1}, "this is Base Modelica " + *version + ", of which only version 0.1.0 is known");
    // What follows from something that was not understood helps nobody.
    if (!messages.has_errors()) result = Builder(source, parsed, options, messages)();
  } catch (const Refusal& r) {
    messages.error(r.where, r.message);
  }
  result.diagnostics = messages.take();
  if (messages.has_errors()) result.model.reset();
  return result;
}

Diagnostic diagnostic_at(std::string_view text, const std::string& file_name,
                         const TextPlace& place, DiagnosticKind kind, std::string message) {
  return modelica::Source(text, file_name)
      .diagnostic(kind, {place.begin, place.length}, std::move(message));
}

}  // namespace saltus

namespace saltus::modelica {

Builder::Builder(const Source& source, ParsedText& text, const ReadOptions& options,
                 Messages& messages)
    : source_(source),
      text_(text),
      e_(text.expressions),
      options_(options),
      messages_(messages),
      budget_(options.max_elements) {}

void Builder::begin_model() {
  model_class_ = chosen_model();
  if (model_class_ == nullptr) return;
  result_.name = model_class_->name;
  result_.description = model_class_->description;
  result_.model = std::make_unique<Model>(model_class_->name);
  translator_ = std::make_unique<Translator>(*result_.model, e_, symbols_, types_, budget_);
}

void Builder::find_symbols() {
  declare_symbols();
  if (!messages_.has_errors()) find_uses();
  assign_roles();
  check_overrides();
  if (!messages_.has_errors()) find_held_values();
  if (!messages_.has_errors()) check_sizes();
}

bool Builder::declare_as_known() {
  begin_model();
  if (model_class_ == nullptr) return false;
  translator_->name_relation = [](Literal, ExprId) {};
  translator_->is_over = [this]() -> Cond {
    refuse(model_class_->span, "'terminal()' has no meaning here");
  };
  find_symbols();
  if (messages_.has_errors()) return false;
  Graph& g = translator_->graph();
  for (Symbol& s : symbols_) {
    if (s.is_held()) continue;
    // What changes at events only has no derivative, and is compared for equality.
    const bool is_held_between_events = s.type.type != Type::real || s.role == Role::discrete;
    if (is_held_between_events) s.role = Role::discrete;
    const InputKind kind = is_held_between_events ? InputKind::discrete : InputKind::state;
    for (std::uint32_t e = 0; e < s.size; ++e) {
      const Expr x(g, g.input(kind, g.declare(kind, element_name(s, e))));
      s.numbers.push_back(x);
      if (s.type.type == Type::boolean) s.truths.push_back(translator_->from_kept(s.type, x).truth);
    }
    s.is_known = true;
  }
  return true;
}

ReadModel Builder::operator()() {
  begin_model();
  if (model_class_ == nullptr) return std::move(result_);
  translator_->clock = [this](double start, double interval, Span where) {
    return clock(start, interval, where);
  };
  translator_->whole_part = [this](const Expr& argument, Span where) {
    return whole_part(argument, where);
  };
  translator_->is_over = [this] { return is_over(); };
  translator_->name_relation = [this](Literal relation, ExprId text) {
    name_relation(relation, text);
  };
  find_symbols();
  if (!messages_.has_errors()) {
    flat_ = flatten(model_class_->equations, false);
    as_families_ = false;
    initial_ = flatten(model_class_->equations, true);
    as_families_ = true;
    find_definitions();
  }
  if (!messages_.has_errors()) find_starts();
  if (!messages_.has_errors()) {
    find_parts();
    find_explicit_variables();
  }
  if (!messages_.has_errors()) declare_variables();
  if (!messages_.has_errors()) define_in_order();
  if (!messages_.has_errors()) {
    add_equations();
    add_parts();
    follow_equations();
    add_algorithms();
    add_initial_equations();
    add_when_clauses();
    check_initial_sets();
    add_asserts();
    finish_start();
    if (!has_unknowns_) let_time_pass();
    read_experiment();
  }
  if (!messages_.has_errors()) build_or_explain();
  for (const Symbol& s : symbols_)
    result_.variables.push_back({s.name(), s.declaration->span.begin, s.declaration->span.length});
  return std::move(result_);
}

/// A model of discrete variables alone: something must be integrated, if it only stays where it is.
void Builder::let_time_pass() {
  const bool any = std::any_of(symbols_.begin(), symbols_.end(), [](const Symbol& s) {
    return s.role == Role::discrete || s.role == Role::defined;
  });
  if (!any) return;
  Model& m = *result_.model;
  Expr still = m.state("what stays while time passes", 0.0);
  m.equation(der(still) == 0.0);
  m.hide(still);
}

/// What does not fit is told with names and lines, if it can be; else as the model says it.
void Builder::build_or_explain() {
  std::string wrong;
  try {
    const auto built = result_.model->build();
    // Parts such as diodes have equations of their own, which this text does not show.
    std::size_t n = 0;
    for (const WrittenEquation& q : written_) n += q.count;
    if (n != built->n_unknowns() || !built->pairs().empty()) return;
  } catch (const Error& e) {
    wrong = e.what();
  }
  attempt(model_class_->span, [&] { check_balance(); });
  if (!wrong.empty() && !messages_.has_errors()) messages_.error(model_class_->span, wrong);
}

// ---- classes and types -----------------------------------------------------------------------------

void Builder::collect(const ClassDefinition& c, const std::string& prefix,
                      std::vector<const ClassDefinition*>& models) {
  const std::string full = prefix + c.name;
  for (const TypeDefinition& t : c.types) {
    types_.types.emplace(t.name, &t);
    types_.types.emplace(full + "." + t.name, &t);
  }
  if (c.kind == "model" || c.kind == "class" || c.kind == "block") {
    models.push_back(&c);
  } else if (c.kind == "function") {
    types_.functions.emplace(c.name, &c);
    types_.functions.emplace(full, &c);
  } else if (c.kind == "record") {
    messages_.error(c.span,
                    "records are not supported: let a Modelica compiler expand them into "
                    "their components");
  }
  for (const ClassDefinition& inner : c.classes) {
    if (c.kind == "model" && inner.kind == "model") {
      messages_.error(inner.span, "a model inside of a model: this text is not flat");
      continue;
    }
    collect(inner, full + ".", models);
  }
}

const ClassDefinition* Builder::chosen_model() {
  std::vector<const ClassDefinition*> models;
  for (const TypeDefinition& t : text_.types) types_.types.emplace(t.name, &t);
  for (const ClassDefinition& c : text_.classes) collect(c, "", models);
  if (models.empty()) {
    messages_.error({0, 1}, "there is no model in this text: model Name ... end Name;");
    return nullptr;
  }
  if (models.size() > 1) {
    messages_.error(models[1]->span, "there are two models in this text, '" + models[0]->name +
                                         "' and '" + models[1]->name + "': a flat text has one");
    return nullptr;
  }
  return models[0];
}

ResolvedType Builder::resolved(const std::string& name, Span where, int depth) const {
  constexpr int deepest = 50;
  ResolvedType t;
  if (name == "Real") return t;
  if (name == "Integer" || name == "Boolean" || name == "String") {
    t.type = name == "Integer" ? Type::integer : name == "Boolean" ? Type::boolean : Type::string;
    return t;
  }
  const auto found = types_.types.find(name);
  if (found == types_.types.end()) {
    const std::vector<std::string> basic = {"Real", "Integer", "Boolean", "String"};
    SymbolTable none;
    const std::string near = none.suggestion(name, basic);
    if (!near.empty()) refuse(where, "there is no type '" + name + "'" + near);
    refuse(where, "there is no type '" + name +
                      "': a flat model is made of Real, Integer, Boolean and enumerations");
  }
  if (depth > deepest) refuse(where, "the type '" + name + "' is defined by itself");
  const TypeDefinition& d = *found->second;
  if (!d.literals.empty()) {
    t.type = Type::enumeration;
    t.enumeration = &d;
    return t;
  }
  t = resolved(d.base, d.base_span, depth + 1);
  t.dimensions.insert(t.dimensions.end(), d.dimensions.begin(), d.dimensions.end());
  for (const Modifier& m : d.modifiers) t.modifiers.push_back(&m);
  return t;
}

void Builder::declare_symbols() {
  for (const Declaration& d : model_class_->declarations) {
    attempt(d.span, [&] {
      Symbol s;
      s.declaration = &d;
      s.type = resolved(d.type, d.type_span);
      if (d.name == "time") refuse(d.span, "'time' is declared already: it is the time of the run");
      if (d.condition != no_expr)
        refuse(d.span, "the declaration of '" + d.name +
                           "' has a condition: those belong to models that are not flat");
      const std::uint32_t other = symbols_.find(d.name);
      if (!symbols_.add(std::move(s)))
        refuse(d.span,
               "'" + d.name + "' is declared twice, first in line " +
                   std::to_string(source_.line_of(symbols_[other].declaration->span.begin)));
    });
  }
}

// ---- what the text does with its variables ---------------------------------------------------------

void Builder::find_uses() {
  for (const Section& s : model_class_->equations) find_uses(s.body, false);
  for (const Section& s : model_class_->algorithms) find_uses(s.body, false);
  for (const Declaration& d : model_class_->declarations) {
    if (d.binding != no_expr) find_uses(d.binding);
    for (const Modifier& m : d.modifiers)
      if (m.value != no_expr) find_uses(m.value);
  }
}

void Builder::find_uses(const std::vector<Statement>& body, bool in_when) {
  for (const Statement& s : body) {
    if (s.left != no_expr) find_uses(s.left);
    if (s.right != no_expr) find_uses(s.right);
    if (in_when && (s.kind == StatementKind::equality || s.kind == StatementKind::assign))
      note_set(s.left);
    for (const Branch& b : s.branches) {
      if (b.condition != no_expr) find_uses(b.condition);
      find_uses(b.body, in_when || s.kind == StatementKind::when);
    }
  }
}

void Builder::note_set(ExprId target) {
  if (e_[target].kind == ExprKind::tuple) {
    for (const ExprId part : e_.children(target))
      if (part != no_expr) note_set(part);
    return;
  }
  if (e_[target].kind != ExprKind::name) return;
  const std::uint32_t s = symbols_.find(e_.name(target));
  if (s != SymbolTable::none) symbols_[s].is_set = true;
}

void Builder::find_uses(ExprId root) {
  std::vector<ExprId> open = {root};
  while (!open.empty()) {
    const ExprId id = open.back();
    open.pop_back();
    if (id == no_expr) continue;
    const auto parts = e_.children(id);
    open.insert(open.end(), parts.begin(), parts.end());
    if (e_[id].kind != ExprKind::call || parts.empty() || parts[0] == no_expr ||
        e_[parts[0]].kind != ExprKind::name)
      continue;
    const std::string& name = e_.name(id);
    const std::uint32_t k = symbols_.find(e_.name(parts[0]));
    if (k == SymbolTable::none) continue;
    Symbol& s = symbols_[k];
    if (name == "der") s.has_derivative = true;
    if (name == "reinit") s.is_reinitialized = true;
    if ((name == "pre" || name == "edge" || name == "change") && s.first_previous.length == 0)
      s.first_previous = e_[id].span;
  }
}

void Builder::assign_roles() {
  for (Symbol& s : symbols_) {
    const Declaration& d = *s.declaration;
    const Type type = s.type.type;
    if (d.prefix == Prefix::constant || d.prefix == Prefix::parameter) {
      s.role = d.prefix == Prefix::constant ? Role::constant : Role::parameter;
      if (s.is_set)
        messages_.error(d.span, "'" + d.name +
                                    "' does not change during a run, but a when-clause "
                                    "sets it");
      continue;
    }
    if (type == Type::string) {
      messages_.error(d.span, "'" + d.name + "' is a String that changes: only parameters can be");
      continue;
    }
    if (s.is_set) {
      s.role = Role::discrete;
      if (d.binding != no_expr)
        messages_.error(d.span, "'" + d.name +
                                    "' has a value in its declaration and another one "
                                    "from a when-clause: a start value is written "
                                    "(start = ...)");
      if (s.has_derivative)
        messages_.error(d.span, "'" + d.name +
                                    "' is set by a when-clause and has a derivative: a "
                                    "state starts anew by 'reinit'");
    } else if (d.causality == Causality::input && d.binding == no_expr) {
      s.role = Role::input;
    } else if (d.prefix == Prefix::discrete || type != Type::real) {
      // What has a value before an event is a variable of its own; the rest are names of expressions.
      s.follows = s.first_previous.length > 0;
      s.role = s.follows ? Role::discrete : Role::defined;
    } else {
      s.role = Role::unknown;
    }
    if (s.has_derivative && s.role != Role::unknown && type != Type::real)
      messages_.error(d.span, "'" + d.name + "' is of type " + text_of(type) +
                                  ": only Real variables have a derivative");
  }
}

void Builder::check_sizes() {
  for (Symbol& s : symbols_) {
    if (s.is_held()) continue;
    attempt(s.declaration->span, [&] { find_dimensions(s); });
  }
}

}  // namespace saltus::modelica
