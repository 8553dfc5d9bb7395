// Equations, and variables that equations define without being unknowns.
#include <algorithm>

#include "modelica/builder.hpp"
#include "modelica/builder_attempt.hpp"
#include "modelica/ordering.hpp"

namespace saltus::modelica {

// ---- names -----------------------------------------------------------------------------------------

namespace {
/// The text on one line, of bearable length.
std::string one_line(std::string_view text) {
  constexpr std::size_t longest = 120;
  std::string out;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (blank && (out.empty() || out.back() == ' ')) continue;
    out += blank ? ' ' : c;
    if (out.size() == longest) return out + "...";
  }
  return out;
}

}  // namespace

std::string Builder::unique_name(std::string name, Span where,
                                 const EnvironmentPointer& environment,
                                 std::unordered_set<std::string>& used) {
  if (environment != nullptr && environment->lanes <= 1) {
    for (const auto& loop : environment->loops)
      name += ", " + loop.name + " = " + std::to_string(loop.values[0]);
  }
  if (used.insert(name).second) return name;
  name += " (line " + std::to_string(source_.line_of(where.begin)) + ")";
  std::string next = name;
  for (int k = 2; !used.insert(next).second; ++k) next = name + " " + std::to_string(k);
  return next;
}

std::string Builder::equation_name(const FlatEquation& q) {
  return unique_name(one_line(source_.text(q.span)), q.span, q.environment, equation_names_);
}

// ---- definitions -----------------------------------------------------------------------------------

/// Boolean, Integer and enumeration variables that no when-clause sets: each has an equation of its own.
void Builder::find_definitions() {
  const auto defined = [&](ExprId id) {
    if (e_[id].kind != ExprKind::name) return SymbolTable::none;
    const std::uint32_t s = symbols_.find(e_.name(id));
    if (s == SymbolTable::none) return s;
    return symbols_[s].role == Role::defined || symbols_[s].follows ? s : SymbolTable::none;
  };
  for (std::size_t k = 0; k < flat_.equations.size(); ++k) {
    FlatEquation& q = flat_.equations[k];
    std::uint32_t s = defined(q.left);
    if (s == SymbolTable::none && defined(q.right) != SymbolTable::none) {
      std::swap(q.left, q.right);
      s = defined(q.left);
    }
    if (s == SymbolTable::none) continue;
    q.is_definition = true;
    definitions_[s].push_back(k);
  }
  for (std::uint32_t s = 0; s < symbols_.size(); ++s) {
    if (symbols_[s].role != Role::defined && !symbols_[s].follows) continue;
    if (definitions_.contains(s)) continue;
    messages_.error(symbols_[s].declaration->span,
                    "'" + symbols_[s].name() + "' has no equation and no when-clause sets it");
  }
}

/// "a -> b -> a"
std::string Builder::circle_text(const std::vector<std::uint32_t>& circle) const {
  std::string text;
  for (const std::uint32_t k : circle) text += symbols_[k].name() + " -> ";
  return text + symbols_[circle.front()].name();
}

void Builder::define_in_order() {
  const Ordering found = in_order(symbols_.size(), [&](std::uint32_t s) {
    std::vector<std::uint32_t> needs;
    if (symbols_[s].role != Role::defined) return needs;
    for (const std::size_t k : definitions_[s])
      translator_->for_each_symbol(flat_.equations[k].right, [&](std::uint32_t other, ExprId) {
        if (symbols_[other].role == Role::defined) needs.push_back(other);
      });
    return needs;
  });
  if (!found.circle.empty()) {
    const std::uint32_t first = found.circle.front();
    messages_.error(flat_.equations[definitions_[first][0]].span,
                    "'" + symbols_[first].name() + "' depends on itself at the same moment: " +
                        circle_text(found.circle) + "; write pre(...) for the value before");
    return;
  }
  for (const std::uint32_t s : found.order)
    if (symbols_[s].role == Role::defined)
      attempt(symbols_[s].declaration->span, [&] { define(s); });
}

void Builder::define(std::uint32_t k) {
  Symbol& s = symbols_[k];
  const bool is_truth = s.type.type == Type::boolean;
  s.numbers.assign(s.size, Expr(0.0));
  s.truths.assign(s.size, literal_false);
  std::vector<Span> by(s.size);
  for (const std::size_t index : definitions_[k]) {
    const FlatEquation& q = flat_.equations[index];
    const ContextScope scope(*translator_);
    translator_->context().environment = q.environment.get();
    const Translator::Reference r = translator_->reference(q.left);
    const Tensor t = translator_->tensor(q.right);
    if (t.elements.size() != r.elements.size())
      refuse_sizes(q.span, r.elements.size(), t.elements.size());
    for (std::size_t j = 0; j < r.elements.size(); ++j) {
      const std::uint32_t e = r.elements[j];
      if (by[e].length != 0)
        refuse(q.span, "'" + element_name(s, e) + "' has two equations, the first one in line " +
                           std::to_string(source_.line_of(by[e].begin)));
      by[e] = q.span;
      const Value& v = t.elements[j];
      if (is_truth) {
        s.truths[e] = translator_->as_truth(v, e_[q.right].span);
      } else {
        if (v.type == Type::boolean)
          refuse(e_[q.right].span, "'" + s.name() +
                                       "' is a number, this is true or false: write 'if ... then 1 "
                                       "else 0', or declare a Boolean");
        s.numbers[e] = translator_->as_number(v, e_[q.right].span);
        if (s.type.type == Type::integer && v.type == Type::real)
          refuse(e_[q.right].span, "'" + s.name() +
                                       "' is an Integer, this is a Real number: use "
                                       "'integer(...)'");
        if (v.enumeration != s.type.enumeration)
          refuse(e_[q.right].span, "'" + s.name() + "' is of another enumeration");
      }
    }
  }
  for (std::uint32_t e = 0; e < s.size; ++e) {
    if (by[e].length == 0)
      refuse(s.declaration->span, "'" + element_name(s, e) + "' has no equation");
  }
  if (s.type.type == Type::real && s.declaration->prefix != Prefix::discrete) {
    name_or_unknown(k);
    return;
  }
  for (std::uint32_t e = 0; e < s.size; ++e) {
    Value v;
    v.type = s.type.type;
    v.number = s.numbers[e];
    v.truth = s.truths[e];
    result_.model->output(element_name(s, e), translator_->as_kept(v), "",
                          s.declaration->description);
  }
  s.is_known = true;
}

// ---- equations -------------------------------------------------------------------------------------

void Builder::add_equations() {
  for (const FlatEquation& q : flat_.equations) {
    if (q.is_definition) continue;
    attempt(q.span, [&] { add_equation(q); });
  }
}

void Builder::add_equation(const FlatEquation& q) {
  const ContextScope scope(*translator_);
  translator_->context().environment = q.environment.get();
  const auto is_number = [&](const Value& v) {
    return v.type == Type::real || v.type == Type::integer;
  };
  const auto check = [&](const Value& a, const Value& b) {
    if (is_number(a) && is_number(b)) return;
    if ((a.type == Type::boolean) != (b.type == Type::boolean)) {
      const bool left_is_truth = a.type == Type::boolean;
      const ExprId number = left_is_truth ? q.right : q.left;
      const std::string who =
          e_[number].kind == ExprKind::name && symbols_.find(e_.name(number)) != SymbolTable::none
              ? "'" + e_.name(number) + "' is a number"
              : "one side is a number";
      refuse(e_[left_is_truth ? q.left : q.right].span,
             who + ", this is true or false: write 'if ... then 1 else 0', or declare a Boolean");
    }
    if (a.type == Type::boolean || b.type == Type::boolean || a.enumeration != nullptr ||
        b.enumeration != nullptr)
      refuse(q.span,
             "an equation between truth values or enumerations needs a variable alone on "
             "one side, which no when-clause sets");
    refuse(q.span, "an equation between Strings");
  };
  if (e_[q.left].kind == ExprKind::tuple) {
    add_tuple(q);
    return;
  }
  if (!translator_->is_array(q.left) && !translator_->is_array(q.right)) {
    const Value left = translator_->value(q.left), right = translator_->value(q.right);
    check(left, right);
    add_model_equation(equation_name(q), left.number, right.number, q.span);
    return;
  }
  const Tensor left = translator_->tensor(q.left), right = translator_->tensor(q.right);
  if (left.dimensions != right.dimensions) refuse_sizes(q.span, left, right);
  budget_.keep(left.elements.size(), q.span);
  for (std::size_t k = 0; k < left.elements.size(); ++k) {
    check(left.elements[k], right.elements[k]);
    const std::string name = one_line(source_.text(q.span)) +
                             (left.elements.size() > 1 ? ", element " + std::to_string(k + 1) : "");
    add_model_equation(unique_name(name, q.span, q.environment, equation_names_),
                       left.elements[k].number, right.elements[k].number, q.span);
  }
}

/// (a, b) = f(x)
void Builder::add_tuple(const FlatEquation& q) {
  const std::vector<Tensor> results = translator_->results(q.right);
  const auto targets = e_.children(q.left);
  if (targets.size() > results.size())
    refuse(e_[q.left].span, "the function has only " + std::to_string(results.size()) + " results");
  for (std::size_t k = 0; k < targets.size(); ++k) {
    if (targets[k] == no_expr) continue;
    const Tensor left = translator_->tensor(targets[k]);
    if (left.dimensions != results[k].dimensions)
      refuse(e_[targets[k]].span,
             "this has another size than result " + std::to_string(k + 1) + " of the function");
    for (std::size_t j = 0; j < left.elements.size(); ++j) {
      const Expr a = translator_->as_number(left.elements[j], e_[targets[k]].span);
      const Expr b = translator_->as_number(results[k].elements[j], e_[targets[k]].span);
      add_model_equation(
          unique_name(one_line(source_.text(q.span)) + ", result " + std::to_string(k + 1), q.span,
                      q.environment, equation_names_),
          a, b, q.span);
    }
  }
}

void Builder::add_asserts() {
  for (const FlatStatement& c : flat_.calls) {
    const ExprId call = c.statement->left;
    const std::string& name = e_.name(call);
    attempt(c.statement->span, [&] {
      if (name == "reinit" || name == "terminate")
        refuse(c.statement->span, "'" + name + "' belongs in a when-clause");
      if (name != "assert")
        refuse(c.statement->span,
               "a call of '" + name + "' is not an equation: write 'variable = " + name + "(...)'");
      add_assert(c);
    });
  }
}

bool Builder::mentions_time(ExprId root) const {
  std::vector<ExprId> open = {root};
  while (!open.empty()) {
    const ExprId id = open.back();
    open.pop_back();
    if (e_[id].kind == ExprKind::name && e_.name(id) == "time") return true;
    const auto parts = e_.children(id);
    open.insert(open.end(), parts.begin(), parts.end());
  }
  return false;
}

/// assert(condition, message, level)
Builder::Assertion Builder::assertion_of(const Statement& s) {
  const auto arguments = e_.children(s.left);
  if (arguments.size() < 2 || arguments.size() > 3)
    refuse(s.span, "'assert' takes a condition, a message and perhaps a level");
  Assertion a;
  a.condition = arguments[0];
  if (arguments.size() == 3) {
    const ExprNode& level = e_[arguments[2]];
    const std::string text = level.kind == ExprKind::name ? e_.name(arguments[2]) : "";
    if (text != "AssertionLevel.warning" && text != "AssertionLevel.error")
      refuse(level.span, "the level is AssertionLevel.warning or AssertionLevel.error");
    a.is_warning = text == "AssertionLevel.warning";
  }
  const Value message = translator_->value(arguments[1]);
  if (message.type != Type::string)
    refuse(e_[arguments[1]].span, "the message of an assertion is a String");
  a.message = message.text;
  return a;
}

void Builder::add_assert(const FlatStatement& c) {
  const Span span = c.statement->span;
  const ContextScope scope(*translator_);
  translator_->context().environment = c.environment.get();
  const Assertion a = assertion_of(*c.statement);
  // What follows from parameters alone is known now.
  bool is_known = true;
  translator_->for_each_symbol(
      a.condition, [&](std::uint32_t k, ExprId) { is_known = is_known && symbols_[k].is_held(); });
  translator_->context().numeric = is_known && !mentions_time(a.condition);
  Literal holds = translator_->truth(a.condition);
  translator_->context().numeric = false;
  // Of other values it may not hold.
  if (holds == literal_true && is_known) holds = translator_->truth(a.condition);
  if (holds == literal_true) return;
  if (holds == literal_false) {
    if (!a.is_warning) refuse(span, "this assertion fails: " + a.message);
    messages_.warning(span, "this assertion fails: " + a.message);
    return;
  }
  const std::string name =
      unique_name(one_line("assert " + std::string(source_.text(e_[a.condition].span))), span,
                  c.environment, clause_names_);
  const Cond condition(translator_->graph(), holds);
  if (a.is_warning) {
    result_.model->when(name + ": " + a.message, !condition, {});
  } else {
    result_.model->assert_always(name, condition,
                                 a.message.empty() ? "the condition does not hold" : a.message);
  }
}

std::string text_on_one_line(std::string_view text) { return one_line(text); }

}  // namespace saltus::modelica
