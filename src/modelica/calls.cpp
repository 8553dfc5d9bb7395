// Operators and functions.
#include <algorithm>
#include <array>
#include <cmath>

#include <saltus/core/text.hpp>

#include "modelica/translator.hpp"

namespace saltus::modelica {

namespace {

struct Elementary {
  std::string_view name;
  Expr (*apply)(const Expr&);
};
Expr log10_of(const Expr& a) {
  return a.graph() == nullptr ? Expr(std::log10(a.number())) : log(a) / std::log(10.0);
}
constexpr std::array elementary_functions = {
    Elementary{"sqrt", &sqrt},     Elementary{"exp", &exp},   Elementary{"log", &log},
    Elementary{"sin", &sin},       Elementary{"cos", &cos},   Elementary{"tan", &tan},
    Elementary{"asin", &asin},     Elementary{"acos", &acos}, Elementary{"atan", &atan},
    Elementary{"sinh", &sinh},     Elementary{"cosh", &cosh}, Elementary{"tanh", &tanh},
    Elementary{"log10", &log10_of}};

struct Unsupported {
  std::string_view name;
  std::string_view why;
};
constexpr std::array unsupported_functions = {
    Unsupported{"delay", "equations with delays are not supported"},
    Unsupported{"spatialDistribution", "'spatialDistribution' is not supported"},
    Unsupported{"cardinality", "'cardinality' belongs to models that are not flat"},
    Unsupported{"inStream", "'inStream' belongs to models that are not flat"},
    Unsupported{"actualStream", "'actualStream' belongs to models that are not flat"},
    Unsupported{"getInstanceName", "'getInstanceName' is not supported"},
    Unsupported{"Clock", "clocked equations are not supported: use 'sample'"},
    Unsupported{"previous", "clocked equations are not supported: use 'pre' and 'sample'"},
    Unsupported{"hold", "clocked equations are not supported: use 'sample'"},
    Unsupported{"interval", "clocked equations are not supported: use 'sample'"},
    Unsupported{"transition", "state machines are not supported: use when-clauses"},
    Unsupported{"initialState", "state machines are not supported: use when-clauses"},
    Unsupported{"connect", "'connect' belongs to models that are not flat"}};

const std::vector<std::string>& function_names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names = {
        "atan2",   "abs",      "sign",    "min",    "max",        "div",      "mod",      "rem",
        "floor",   "ceil",     "integer", "der",    "pre",        "edge",     "change",   "sample",
        "initial", "terminal", "noEvent", "smooth", "semiLinear", "homotopy", "sum",      "product",
        "size",    "zeros",    "ones",    "fill",   "reinit",     "assert",   "terminate"};
    for (const Elementary& function : elementary_functions) names.emplace_back(function.name);
    return names;
  }();
  return all;
}

Value call_number(Expr e, Type type = Type::real) {
  Value v;
  v.type = type;
  v.number = e;
  return v;
}
Value call_truth(Literal l) {
  Value v;
  v.type = Type::boolean;
  v.truth = l;
  return v;
}
Type both_integer(const Value& a, const Value& b) {
  return a.type == Type::integer && b.type == Type::integer ? Type::integer : Type::real;
}

}  // namespace

bool is_elementary(std::string_view name) {
  return std::ranges::find(elementary_functions, name, &Elementary::name) !=
         elementary_functions.end();
}

void Translator::expect_arguments(ExprId id, std::size_t n) const {
  const std::size_t given = e_[id].count;
  if (e_.n_extra_names(id) > 0)
    refuse(e_[id].span,
           "'" + e_.name(id) + "' takes values only: leave out the names of its arguments");
  if (given != n)
    refuse(e_[id].span, "'" + e_.name(id) + "' takes " + std::to_string(n) +
                            (n == 1 ? " argument" : " arguments") + ", not " +
                            std::to_string(given));
}

void Translator::unknown_function(ExprId id) const {
  const std::string& name = e_.name(id);
  for (const Unsupported& u : unsupported_functions)
    if (u.name == name) refuse(e_[id].span, std::string(u.why));
  std::vector<std::string> known = function_names();
  if (reduce) known.insert(known.end(), {"integral", "mean", "duration", "first", "last", "at"});
  for (const auto& [f, definition] : types_.functions) known.push_back(f);
  std::sort(known.begin(), known.end());
  const auto near = nearest_name(name, known);
  refuse(e_[id].span, "there is no function '" + name + "'" +
                          (near ? ": did you mean '" + std::string(*near) + "'?" : ""));
}

Value Translator::call(ExprId id) {
  const std::string& name = e_.name(id);
  const auto arguments = e_.children(id);
  if (reduce) {
    if (auto v = reduce(id)) return *v;
  }
  if (auto v = call_operator(id, name)) return *v;
  if (is_unary(name)) {
    expect_arguments(id, 1);
    return *unary(name, value(arguments[0]), e_[id].span);
  }
  if (name == "atan2") {
    expect_arguments(id, 2);
    return call_number(atan2(number(arguments[0]), number(arguments[1])));
  }
  if (name == "min" || name == "max") {
    if (arguments.size() == 1) return reduction(id, name);
    expect_arguments(id, 2);
    const Value a = value(arguments[0]), b = value(arguments[1]);
    const Expr x = as_number(a, e_[arguments[0]].span), y = as_number(b, e_[arguments[1]].span);
    return call_number(name == "min" ? min(x, y, context_.tracking) : max(x, y, context_.tracking),
                       both_integer(a, b));
  }
  if (name == "sum" || name == "product") return reduction(id, name);
  if (name == "div" || name == "mod" || name == "rem") return rounding(id, name);
  if (name == "semiLinear") {
    expect_arguments(id, 3);
    const Expr x = number(arguments[0]);
    const Expr up = number(arguments[1]) * x, down = number(arguments[2]) * x;
    const Literal c =
        g_.relation(x.in(g_), Comparison::greater_equal, g_.constant(0.0), context_.tracking);
    return select(c, call_number(up), call_number(down), e_[id].span);
  }
  if (name == "Integer" || name == "Real") {
    expect_arguments(id, 1);
    Value v = value(arguments[0]);
    if (v.type == Type::boolean || v.type == Type::string)
      refuse(e_[id].span, "'" + name + "' takes a number or an enumeration");
    return call_number(v.number, name == "Integer" ? Type::integer : Type::real);
  }
  if (name == "size" || name == "ndims" || name == "scalar") {
    const Tensor t = tensor_call(id);
    if (!t.is_scalar()) refuse(e_[id].span, "a single value is needed here, this is an array");
    return t.elements[0];
  }
  if (name == "String") {
    // For messages: what would be shown is not known before the run.
    Value v;
    v.type = Type::string;
    v.text = "…";
    return v;
  }
  const auto f = types_.functions.find(name);
  if (f == types_.functions.end()) {
    const Tensor t = tensor_call(id);  // functions of arrays, or none
    if (!t.is_scalar()) refuse(e_[id].span, "a single value is needed here, this is an array");
    return t.elements[0];
  }
  const std::vector<Tensor> results = inlined(id, *f->second);
  if (results.empty()) refuse(e_[id].span, "the function '" + name + "' has no result");
  if (!results[0].is_scalar())
    refuse(e_[id].span, "a single value is needed here, '" + name + "' gives an array");
  return results[0].elements[0];
}

bool Translator::is_unary(const std::string& name) {
  return name == "abs" || name == "sign" || name == "floor" || name == "ceil" ||
         name == "integer" ||
         std::any_of(elementary_functions.begin(), elementary_functions.end(),
                     [&](const Elementary& f) { return f.name == name; });
}

/// Functions of one number.
std::optional<Value> Translator::unary(const std::string& name, const Value& v, Span span) {
  if (!is_unary(name)) return std::nullopt;
  const Expr a = as_number(v, span);
  for (const Elementary& f : elementary_functions)
    if (f.name == name) return call_number(f.apply(a));
  if (name == "abs") return call_number(abs(a, context_.tracking), both_integer(v, v));
  if (name == "ceil") return call_number(-floor(-a, span));
  if (name == "floor") return call_number(floor(a, span));
  if (name == "integer") return call_number(floor(a, span), Type::integer);
  // sign
  if (a.graph() == nullptr)
    return call_number(a.number() > 0 ? 1.0 : a.number() < 0 ? -1.0 : 0.0, Type::integer);
  // Where it changes at events it is never 0 for longer than a moment; held values can be.
  if (g_.node(a.id()).rate == Rate::varying && context_.tracking == Tracking::automatic)
    return call_number(sign(a), Type::integer);
  const auto is = [&](Comparison c) {
    return Cond(g_, g_.relation(a.id(), c, g_.constant(0.0), context_.tracking));
  };
  return call_number(where(is(Comparison::greater), 1.0, where(is(Comparison::less), -1.0, 0.0)),
                     Type::integer);
}

Value Translator::with_tracking(ExprId argument, Tracking tracking) {
  const ContextScope scope(*this);
  context_.tracking = tracking;
  return value(argument);
}

std::optional<Value> Translator::call_operator(ExprId id, const std::string& name) {
  const auto arguments = e_.children(id);
  const Span span = e_[id].span;
  if (name == "der") {
    expect_arguments(id, 1);
    return derivative(id);
  }
  if (name == "pre" || name == "edge" || name == "change") {
    expect_arguments(id, 1);
    return previous(id, name);
  }
  if (name == "noEvent") {
    expect_arguments(id, 1);
    return context_.all_tracked ? value(arguments[0])
                                : with_tracking(arguments[0], Tracking::untracked);
  }
  if (name == "smooth") {
    expect_arguments(id, 2);
    integer(arguments[0], "the order of 'smooth'");
    return value(arguments[1]);
  }
  if (name == "homotopy") {
    // The second argument is a help for the start.
    if (arguments.empty()) expect_arguments(id, 2);
    return value(arguments[0]);
  }
  if (name == "sample") {
    expect_arguments(id, 2);
    return sampled(id);
  }
  if (name == "initial") {
    expect_arguments(id, 0);
    if (context_.in_trigger)
      refuse(span,
             "'initial()' stands alone in the condition of a when-clause: "
             "'when initial() then' or 'when {initial(), ...} then'");
    refuse(span, "'initial()' is supported as the condition of a when-clause only");
  }
  if (name == "terminal") {
    expect_arguments(id, 0);
    if (context_.numeric)
      refuse(span, context_.needed_for + " must be known when the text is read");
    Value v;
    v.type = Type::boolean;
    v.truth = is_over().literal();
    return v;
  }
  if (name == "reinit" || name == "terminate" || name == "assert")
    refuse(span, "'" + name + "' is an equation of its own, not a part of an expression");
  return std::nullopt;
}

Value Translator::derivative(ExprId id) {
  const ExprId argument = e_.children(id)[0];
  const ExprNode& n = e_[argument];
  if (context_.numeric)
    refuse(e_[id].span, context_.needed_for + " must be known when the text is read");
  if (n.kind != ExprKind::name)
    refuse(n.span, "'der' takes a variable, not an expression: introduce a variable for it");
  const Reference r = reference(argument);
  const Symbol& s = symbols_[r.symbol];
  if (s.role == Role::input)
    refuse(e_[id].span, "the derivative of the input '" + s.name() +
                            "' is not known: give the derivative as an input of its own");
  if (s.role != Role::unknown)
    refuse(e_[id].span, "'" + s.name() + "' changes at events only: it has no derivative");
  return call_number(der(name_value(argument).number));
}

/// pre(v), edge(b), change(v)
Value Translator::previous(ExprId id, const std::string& name) {
  const ExprId argument = e_.children(id)[0];
  const Span span = e_[id].span;
  if (e_[argument].kind != ExprKind::name)
    refuse(e_[argument].span, "'" + name + "' takes a variable, not an expression");
  if (context_.numeric) refuse(span, context_.needed_for + " must be known when the text is read");
  const Reference r = reference(argument);
  const Symbol& s = symbols_[r.symbol];
  if (r.elements.size() != 1) refuse(span, "'" + name + "' takes a single variable");
  const std::uint32_t which = r.elements[0];
  if (s.is_held()) {
    const ContextScope scope(*this);
    context_.new_values = nullptr;
    if (name == "pre") return element(r.symbol, which);
    return call_truth(literal_false);
  }
  if (s.role != Role::discrete && !(s.role == Role::unknown && name == "pre"))
    refuse(span, "'" + name + "' takes a variable that is set by a when-clause" +
                     (s.role == Role::defined ? ", '" + s.name() + "' follows from an equation"
                                              : std::string()));
  if (s.role == Role::unknown) {
    if (!context_.in_when)
      refuse(span, "the value of the continuous variable '" + s.name() +
                       "' before an event has a meaning in when-clauses only");
    // In what a clause does, a state and its value before are the same; algebraic variables are solved for after.
    return call_number(pre(s.numbers[which]));
  }
  if (context_.previous_is_current && name == "pre") return from_kept(s.type, s.numbers[which]);
  const Expr before = pre(s.numbers[which]);
  if (name == "pre") return from_kept(s.type, before);
  const ContextScope scope(*this);
  context_.new_values = nullptr;
  if (name == "change")
    return call_truth(g_.relation(s.numbers[which].id(), Comparison::not_equal, before.id()));
  if (s.type.type != Type::boolean) refuse(span, "'edge' takes a Boolean variable");
  return call_truth(
      g_.conjunction(element(r.symbol, which).truth, negate(from_kept(s.type, before).truth)));
}

Value Translator::sampled(ExprId id) {
  const auto arguments = e_.children(id);
  const double start = constant(arguments[0], "the first moment of 'sample'");
  const double interval = constant(arguments[1], "the interval of 'sample'");
  if (!(interval > 0))
    refuse(e_[arguments[1]].span,
           "the interval of 'sample' must be positive, this is " + to_text(interval));
  if (!clock || !context_.in_trigger)
    refuse(e_[id].span, "'sample' is supported in the conditions of when-clauses only");
  return call_truth(clock(start, interval, e_[id].span).literal());
}

/// The largest Integer that is not above a.
Expr Translator::floor(const Expr& a, Span span) {
  if (a.graph() == nullptr) return std::floor(a.number());
  if (!whole_part)
    refuse(span,
           "a variable cannot be rounded in this expression: declare a variable for the rounded "
           "value");
  return whole_part(a, span);
}

Value Translator::rounding(ExprId id, const std::string& name) {
  const auto arguments = e_.children(id);
  const Span span = e_[id].span;
  expect_arguments(id, 2);
  const Value va = value(arguments[0]), vb = value(arguments[1]);
  const Expr a = as_number(va, e_[arguments[0]].span), b = as_number(vb, e_[arguments[1]].span);
  const Type type = both_integer(va, vb);
  if (b.graph() == nullptr && b.number() == 0)
    refuse(e_[arguments[1]].span, "this divides by zero");
  if (name == "mod") return call_number(a - floor(a / b, span) * b, type);
  // div rounds towards zero.
  const Expr q = a / b;
  Expr whole;
  if (q.graph() == nullptr) {
    whole = std::trunc(q.number());
  } else {
    const Literal negative =
        g_.relation(q.in(g_), Comparison::less, g_.constant(0.0), context_.tracking);
    whole = where(Cond(g_, negative), -floor(-q, span), floor(q, span));
  }
  if (name == "div") return call_number(whole, type);
  return call_number(a - whole * b, type);
}

Value Translator::reduction(ExprId id, const std::string& name) {
  expect_arguments(id, 1);
  const ExprId argument = e_.children(id)[0];
  const Tensor t = e_[argument].kind == ExprKind::loop ? comprehension(argument) : tensor(argument);
  if (t.is_scalar() && name != "sum" && name != "product")
    refuse(e_[id].span, "'" + name + "' of a single argument takes an array");
  if (t.elements.empty()) {
    if (name == "min" || name == "max")
      refuse(e_[id].span, "'" + name + "' of an array without elements");
    return call_number(name == "sum" ? 0.0 : 1.0);
  }
  Expr total = as_number(t.elements[0], e_[id].span);
  Type type = t.elements[0].type;
  for (std::size_t k = 1; k < t.elements.size(); ++k) {
    const Expr next = as_number(t.elements[k], e_[id].span);
    if (name == "sum") {
      total = total + next;
    } else if (name == "product") {
      total = total * next;
    } else {
      total =
          name == "min" ? min(total, next, context_.tracking) : max(total, next, context_.tracking);
    }
    type = both_integer(t.elements[0], t.elements[k]);
  }
  return call_number(total, type == Type::integer ? Type::integer : Type::real);
}

}  // namespace saltus::modelica
