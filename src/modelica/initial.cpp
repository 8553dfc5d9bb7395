// Initial equations and algorithms: start values where they say one, equations of the start, and what discrete variables
// are set to there.
#include <algorithm>

#include <saltus/core/text.hpp>

#include "modelica/builder.hpp"
#include "modelica/builder_attempt.hpp"
#include "modelica/when.hpp"

namespace saltus::modelica {

// ---- start values -----------------------------------------------------------------------------------

/// The variable that stands alone on one side, or before which 'pre' does.
std::uint32_t Builder::target_of_start(ExprId id, bool& of_previous) const {
  of_previous = e_[id].kind == ExprKind::call && e_.name(id) == "pre" && e_[id].count == 1;
  if (of_previous) id = e_.children(id)[0];
  if (e_[id].kind != ExprKind::name) return SymbolTable::none;
  return symbols_.find(e_.name(id));
}

/// Whether an expression is a number when the text is read, and nobody may want derivatives with respect to what it is made of.
bool Builder::is_start_value(const Symbol& s, ExprId value) const {
  bool is_number = true;
  translator_->for_each_symbol(value, [&](std::uint32_t k, ExprId) {
    const Symbol& other = symbols_[k];
    const bool is_parameter = other.role == Role::parameter && other.type.type == Type::real;
    // A start set is evaluated in the run: what depends on parameters can be differentiated.
    is_number = is_number && other.is_held() && !is_parameter;
  });
  if (mentions_time(value) || mentions_derivative(value)) return false;
  return is_number && (s.role == Role::discrete || s.role == Role::defined ||
                       (s.role == Role::unknown && s.has_derivative));
}

void Builder::set_start_value(const FlatEquation& q, ExprId name, ExprId value) {
  const Translator::Reference r = translator_->reference(name);
  Symbol& s = symbols_[r.symbol];
  const Tensor t = translator_->constants(value, "the start value of '" + s.name() + "'");
  if (t.elements.size() != r.elements.size() && !t.is_scalar())
    refuse_sizes(q.span, r.elements.size(), t.elements.size());
  for (std::size_t k = 0; k < r.elements.size(); ++k) {
    const std::uint32_t e = r.elements[k];
    const double start = t.elements[t.is_scalar() ? 0 : k].number.number();
    if (s.start_is_given[e] == Symbol::given_outside) continue;  // the last word
    const bool is_stated = s.role == Role::unknown && s.start_is_given[e] != Symbol::not_given;
    if (is_stated && s.values[e] != start)
      refuse(q.span, "'" + element_name(s, e) + "' starts at " + to_text(s.values[e]) +
                         " already (fixed = true, or another initial equation), this says " +
                         to_text(start) + ": leave one of them out");
    s.values[e] = start;
    s.start_is_given[e] = Symbol::given_by_text;
  }
}

/// Those that say a start value outright.
bool Builder::use_initial_equation(const FlatEquation& q) {
  const ContextScope scope(*translator_);
  translator_->context().environment = q.environment.get();
  for (const auto& [left, right] : {std::pair(q.left, q.right), std::pair(q.right, q.left)}) {
    bool of_previous = false;
    const std::uint32_t s = target_of_start(left, of_previous);
    if (s == SymbolTable::none) continue;
    // What is given from outside is the last word.
    const auto& given = symbols_[s].start_is_given;
    if (!symbols_[s].is_held() && given.size() != symbols_[s].size) return true;  // told already
    if (!given.empty() && std::ranges::count(given, Symbol::given_outside) ==
                              static_cast<std::ptrdiff_t>(given.size()))
      return true;
    if (!is_start_value(symbols_[s], right)) continue;
    set_start_value(q, of_previous ? e_.children(left)[0] : left, right);
    return true;
  }
  return false;
}

void Builder::use_initial_equations() {
  for (const FlatStatement& w : initial_.whens)
    messages_.error(w.statement->span,
                    "a when-clause among initial equations: only the start happens there");
  for (const FlatEquation& q : initial_.equations) {
    bool used = false;
    if (attempt(q.span, [&] { used = use_initial_equation(q); }) && !used)
      initial_left_.push_back(&q);
  }
}

// ---- equations --------------------------------------------------------------------------------------

void Builder::add_initial_equations() {
  for (const FlatEquation* q : initial_left_)
    attempt(q->span, [&] {
      if (!set_by_initial_equation(*q)) add_initial_equation(*q);
    });
  for (const auto& fixed : fixed_algebraics_) {
    const Symbol& s = symbols_[fixed.first];
    const auto e = fixed.second;
    attempt(s.declaration->span, [&, e] {
      add_equation_of_start(element_name(s, e) + "(fixed = true)", s.numbers[e], s.values[e],
                            s.declaration->span);
    });
  }
  for (const FlatStatement& call : initial_.calls)
    attempt(call.statement->span, [&] { add_initial_assert(call); });
  for (const Section& section : model_class_->algorithms)
    if (section.is_initial) attempt(section.span, [&] { add_initial_algorithm(section); });
}

void Builder::add_equation_of_start(const std::string& name, const Expr& left, const Expr& right,
                                    Span where) {
  Graph& g = translator_->graph();
  const NodeId residual = g.sub(left.in(g), right.in(g));
  if (g.is_constant(residual)) {
    if (g.constant_value(residual) == 0.0) return;
    refuse(where, "this initial equation contains no variable, and does not hold");
  }
  // The run may have to say that it cannot hold: with its place.
  const Diagnostic at = source_.diagnostic(DiagnosticKind::warning, where, "");
  const std::string unique = unique_name(
      name + " (line " + std::to_string(at.line) + ", column " + std::to_string(at.column) + ")",
      where, nullptr, initial_names_);
  result_.model->initial_equation(unique, left == right);
  result_.equations.push_back({unique, where.begin, where.length});
}

void Builder::add_initial_equation(const FlatEquation& q) {
  const ContextScope scope(*translator_);
  Context& context = translator_->context();
  context.environment = q.environment.get();
  context.tracking = Tracking::untracked;  // decided by the values found, no events
  if (e_[q.left].kind == ExprKind::tuple)
    refuse(q.span, "write the results of this function as initial equations of their own");
  const Tensor left = translator_->tensor(q.left), right = translator_->tensor(q.right);
  if (left.dimensions != right.dimensions) refuse_sizes(q.span, left, right);
  budget_.keep(left.elements.size(), q.span);
  for (std::size_t k = 0; k < left.elements.size(); ++k) {
    const Value &a = left.elements[k], &b = right.elements[k];
    const auto is_number = [](const Value& v) {
      return v.type == Type::real || v.type == Type::integer;
    };
    if (!is_number(a) || !is_number(b))
      refuse(
          q.span,
          "an initial equation between truth values, enumerations or Strings needs a variable that "
          "a when-clause sets alone on one side");
    std::string name = text_on_one_line(source_.text(q.span));
    if (q.environment != nullptr)
      for (const auto& loop : q.environment->loops)
        name += ", " + loop.name + " = " + std::to_string(loop.values[0]);
    if (left.elements.size() > 1) name += ", element " + std::to_string(k + 1);
    add_equation_of_start(name, a.number, b.number, q.span);
  }
}

// ---- discrete variables -----------------------------------------------------------------------------

void Builder::set_discrete_at_start(std::uint32_t k, std::uint32_t element, const Value& v,
                                    Span where) {
  const Symbol& s = symbols_[k];
  if (s.follows)
    refuse(where, "'" + s.name() +
                      "' has an equation of its own: its value before the start must be a number "
                      "when the text is read");
  if (s.start_is_given[element] == Symbol::given_outside) return;
  check_type(s, v, where);
  const auto [first, is_new] = set_by_initial_.try_emplace({k, element}, where);
  if (!is_new)
    refuse(where, "'" + element_name(s, element) +
                      "' has two initial equations, the first one in " + lines_of({first->second}));
  start_sets_.push_back({s.numbers[element], translator_->as_kept(v)});
  known_at_start_[{k, element}] = v;
}

/// d = f(x), pre(d) = f(x): a discrete variable begins where the right side is then.
bool Builder::set_by_initial_equation(const FlatEquation& q) {
  const ContextScope scope(*translator_);
  translator_->context().environment = q.environment.get();
  translator_->context().tracking = Tracking::untracked;
  for (const auto& [left, right] : {std::pair(q.left, q.right), std::pair(q.right, q.left)}) {
    bool of_previous = false;
    const std::uint32_t k = target_of_start(left, of_previous);
    if (k == SymbolTable::none || symbols_[k].role != Role::discrete) continue;
    const Translator::Reference r =
        translator_->reference(of_previous ? e_.children(left)[0] : left);
    const Tensor t = translator_->tensor(right);
    if (t.elements.size() != r.elements.size() && !t.is_scalar())
      refuse_sizes(q.span, r.elements.size(), t.elements.size());
    for (std::size_t j = 0; j < r.elements.size(); ++j)
      set_discrete_at_start(k, r.elements[j], t.elements[t.is_scalar() ? 0 : j], q.span);
    return true;
  }
  return false;
}

/// One value for one variable.
void Builder::check_initial_sets() {
  for (const Clause& c : clauses_)
    for (const Set& set : c.sets) {
      const auto found = set_by_initial_.find({set.symbol, set.element});
      if (!c.at_start || found == set_by_initial_.end()) continue;
      messages_.error(
          found->second,
          "'" + element_name(symbols_[set.symbol], set.element) +
              "' is set at the start by this initial equation and by the when-clause in " +
              lines_of({c.span}) + ": leave one of them out");
    }
}

// ---- statements -------------------------------------------------------------------------------------

/// What it assigns at the end are the values at the start.
void Builder::add_initial_algorithm(const Section& section) {
  std::map<std::string, ExprId> assigned;
  find_assigned(section.body, assigned);
  for (const Statement& s : section.body)
    if (s.kind == StatementKind::when)
      refuse(s.span, "a when-clause in an initial algorithm: only the start happens there");
  Locals locals;
  const ContextScope scope(*translator_);
  translator_->context().tracking = Tracking::untracked;
  for (const auto& [name, target] : assigned) {
    const Symbol& s = symbols_[translator_->symbol_of(target)];
    if (s.role != Role::unknown && s.role != Role::discrete &&
        !(s.role == Role::defined && s.type.type == Type::real))
      refuse(e_[target].span, "'" + name + "' has no value at the start that could be assigned");
    Locals::Local local = local_of(s);
    for (std::uint32_t e = 0; e < s.size; ++e)
      local.value.elements[e] = translator_->from_kept(s.type, s.values[e]);
    local.is_set = true;
    locals.all.emplace(name, std::move(local));
  }
  translator_->context().locals = &locals;
  translator_->execute(section.body);
  translator_->context().locals = nullptr;
  for (const auto& [name, target] : assigned) {
    const std::uint32_t k = translator_->symbol_of(target);
    const Symbol& s = symbols_[k];
    const Span where = e_[target].span;
    for (std::uint32_t e = 0; e < s.size; ++e) {
      const Value& v = locals.all[name].value.elements[e];
      if (s.role == Role::discrete) {
        set_discrete_at_start(k, e, v, where);
      } else {
        add_equation_of_start(
            element_name(s, e) + " by the initial algorithm of " + lines_of({section.span}),
            s.numbers[e], translator_->as_number(v, where), where);
      }
    }
  }
}

/// Looked at once: the result is remembered in a variable of its own, and that is what fails.
void Builder::add_initial_assert(const FlatStatement& call) {
  const Statement& s = *call.statement;
  if (e_.name(s.left) != "assert")
    refuse(s.span, "a call of '" + e_.name(s.left) + "' is not an initial equation");
  const ContextScope scope(*translator_);
  translator_->context().environment = call.environment.get();
  translator_->context().tracking = Tracking::untracked;
  Clause start;
  start.name = "initial equation";
  add_check(call, start);
  const Cond fails(translator_->graph(), negate(translator_->truth(start.checks[0].condition)));
  if (fails.literal() == literal_false) return;
  start_sets_.push_back({start.checks[0].failed,
                         fails.literal() == literal_true ? Expr(1.0) : where(fails, 1.0, 0.0)});
}

}  // namespace saltus::modelica
