#include "modelica/translator.hpp"

#include <cmath>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>

namespace saltus::modelica {

namespace {

Value of_number(Expr e, Type type = Type::real) {
  Value v;
  v.type = type;
  v.number = e;
  return v;
}
Value of_truth(Literal l) {
  Value v;
  v.type = Type::boolean;
  v.truth = l;
  return v;
}

/// Integer if all operands are.
Type common(Type a, Type b) {
  return a == Type::integer && b == Type::integer ? Type::integer : Type::real;
}

Comparison comparison_of(RelationOp op) {
  switch (op) {
    case RelationOp::less:
      return Comparison::less;
    case RelationOp::less_equal:
      return Comparison::less_equal;
    case RelationOp::greater:
      return Comparison::greater;
    case RelationOp::greater_equal:
      return Comparison::greater_equal;
    case RelationOp::equal:
      return Comparison::equal;
    case RelationOp::not_equal:
      return Comparison::not_equal;
  }
  return Comparison::equal;
}

}  // namespace

Expr Translator::as_number(const Value& v, Span where) const {
  if (v.type == Type::boolean)
    refuse(where, "a number is needed here, this is true or false: write 'if ... then 1 else 0'");
  if (v.type == Type::string) refuse(where, "a number is needed here, this is a String");
  return v.number;
}

Literal Translator::as_truth(const Value& v, Span where) const {
  if (v.type != Type::boolean)
    refuse(where, "a condition is needed here, this is " +
                      std::string(v.type == Type::string ? "a String" : "a number") +
                      ": compare it with something");
  return v.truth;
}

Expr Translator::number(ExprId id) { return as_number(value(id), e_[id].span); }
Literal Translator::truth(ExprId id) { return as_truth(value(id), e_[id].span); }

Expr Translator::as_kept(const Value& v) const {
  if (v.type != Type::boolean) return v.number;
  if (v.truth == literal_true) return 1.0;
  if (v.truth == literal_false) return 0.0;
  return where(Cond(g_, v.truth), 1.0, 0.0);
}

Value Translator::from_kept(const ResolvedType& type, const Expr& kept) {
  Value v;
  v.type = type.type;
  v.enumeration = type.enumeration;
  if (v.type != Type::boolean) {
    v.number = kept;
  } else if (kept.graph() == nullptr) {
    v.truth = kept.number() > 0.5 ? literal_true : literal_false;
  } else {
    v.truth = g_.relation(kept.in(g_), Comparison::greater, g_.constant(0.5));
  }
  return v;
}

double Translator::constant(ExprId id, const std::string& needed_for) {
  const Tensor t = constants(id, needed_for);
  if (!t.is_scalar()) refuse(e_[id].span, needed_for + " must be one number, this is an array");
  return t.elements[0].number.number();
}

/// Booleans as 0 and 1.
Tensor Translator::constants(ExprId id, const std::string& needed_for) {
  const ContextScope scope(*this);
  context_.numeric = true;
  context_.needed_for = needed_for;
  Tensor t = tensor(id);
  for (Value& v : t.elements) {
    if (v.type == Type::string) continue;
    Expr kept = as_kept(v);
    if (kept.graph() != nullptr && g_.is_constant(kept.id())) kept = g_.constant_value(kept.id());
    if (kept.graph() != nullptr)
      refuse(e_[id].span, needed_for + " must be known when the text is read");
    if (!std::isfinite(kept.number()))
      refuse(e_[id].span, needed_for + " is " + to_text(kept.number()) + ", which is not a number");
    v.number = kept;
  }
  return t;
}

std::int64_t Translator::integer(ExprId id, const std::string& needed_for) {
  const double v = constant(id, needed_for);
  constexpr double largest = 1e15;  // exact in a double
  if (v != std::floor(v) || std::abs(v) > largest)
    refuse(e_[id].span, needed_for + " must be an Integer, this is " + to_text(v));
  return static_cast<std::int64_t>(v);
}

std::vector<std::int64_t> Translator::range(ExprId id) {
  std::vector<std::int64_t> all;
  if (e_[id].kind != ExprKind::range) {
    if (!is_array(id)) refuse(e_[id].span, "a range is needed here: first:last");
    for (const Value& v : constants(id, "a range").elements) {
      const double x = v.number.number();
      if (x != std::floor(x)) refuse(e_[id].span, "a loop index must be an Integer");
      all.push_back(static_cast<std::int64_t>(x));
    }
    return all;
  }
  const auto parts = e_.children(id);
  const std::int64_t first = integer(parts[0], "the begin of a range");
  const std::int64_t step = parts.size() == 3 ? integer(parts[1], "the step of a range") : 1;
  const std::int64_t last = integer(parts.back(), "the end of a range");
  if (step == 0) refuse(e_[parts[1]].span, "the step of a range is 0");
  if ((step > 0) == (first <= last) || first == last)
    budget_.values(static_cast<std::uint64_t>((last - first) / step + 1), e_[id].span);
  for (std::int64_t i = first; step > 0 ? i <= last : i >= last; i += step) all.push_back(i);
  return all;
}

Value Translator::value(ExprId id) {
  const ExprNode& n = e_[id];
  budget_.work(1, n.span);
  const auto parts = e_.children(id);
  switch (n.kind) {
    case ExprKind::number:
      return of_number(n.number, n.op == 1 ? Type::integer : Type::real);
    case ExprKind::boolean:
      return of_truth(n.number != 0 ? literal_true : literal_false);
    case ExprKind::string: {
      Value v;
      v.type = Type::string;
      v.text = e_.name(id);
      return v;
    }
    case ExprKind::name:
      return name_value(id);
    case ExprKind::call:
      return call(id);
    case ExprKind::sum:
      return sum(id);
    case ExprKind::product:
      return product(id);
    case ExprKind::power:
      return of_number(pow(number(parts[0]), number(parts[1])));
    case ExprKind::negative: {
      const Value v = value(parts[0]);
      return of_number(-as_number(v, e_[parts[0]].span), common(v.type, v.type));
    }
    case ExprKind::relation:
      return relation(id);
    case ExprKind::all_of:
      return junction(id, true);
    case ExprKind::any_of:
      return junction(id, false);
    case ExprKind::negation:
      return of_truth(negate(truth(parts[0])));
    case ExprKind::if_else:
      return if_else(id);
    case ExprKind::array:
    case ExprKind::matrix:
      refuse(n.span, "a single value is needed here, this is an array");
    case ExprKind::range:
      refuse(n.span, "a range stands in for-loops and subscripts");
    case ExprKind::last:
      if (!last_of_.empty()) return of_number(last_of_.back(), Type::integer);
      refuse(n.span, "'end' has a meaning in subscripts only");
    case ExprKind::colon:
      refuse(n.span, "':' has a meaning in subscripts only");
    case ExprKind::tuple:
      refuse(n.span,
             "several values in parentheses stand only on the left side, for the results of a "
             "function");
    case ExprKind::loop:
      refuse(n.span, "'for' inside of an expression belongs to sum, product, min, max or {...}");
  }
  return {};
}

Value Translator::sum(ExprId id) {
  const auto parts = e_.children(id);
  Value v = value(parts[0]);
  if (v.type == Type::string) {
    for (std::size_t k = 1; k < parts.size(); ++k) {
      const Value next = value(parts[k]);
      if (next.type != Type::string || e_.is_inverse(id, k))
        refuse(e_[parts[k]].span, "only Strings can be appended to a String");
      v.text += next.text;
      budget_.work(v.text.size(), e_[id].span);
    }
    return v;
  }
  Expr total = as_number(v, e_[parts[0]].span);
  Type type = common(v.type, v.type);
  for (std::size_t k = 1; k < parts.size(); ++k) {
    const Value next = value(parts[k]);
    const Expr term = as_number(next, e_[parts[k]].span);
    total = e_.is_inverse(id, k) ? total - term : total + term;
    type = common(type, next.type);
  }
  return of_number(total, type);
}

Value Translator::product(ExprId id) {
  const auto parts = e_.children(id);
  Value v = value(parts[0]);
  Expr total = as_number(v, e_[parts[0]].span);
  Type type = common(v.type, v.type);
  for (std::size_t k = 1; k < parts.size(); ++k) {
    const Value next = value(parts[k]);
    const Expr factor = as_number(next, e_[parts[k]].span);
    type = e_.is_inverse(id, k) ? Type::real : common(type, next.type);
    if (!e_.is_inverse(id, k)) {
      total = total * factor;
      continue;
    }
    if (factor.graph() == nullptr && factor.number() == 0)
      refuse(e_[parts[k]].span, "this divides by zero");
    total = total / factor;
  }
  return of_number(total, type);
}

Value Translator::relation(ExprId id) {
  const auto parts = e_.children(id);
  const auto op = static_cast<RelationOp>(e_[id].op);
  const bool is_equality = op == RelationOp::equal || op == RelationOp::not_equal;
  const Value a = value(parts[0]), b = value(parts[1]);
  const Span where = e_[id].span;
  if (a.type == Type::string || b.type == Type::string) {
    if (a.type != b.type || !is_equality) refuse(where, "Strings are compared with == and <> only");
    return of_truth((a.text == b.text) == (op == RelationOp::equal) ? literal_true : literal_false);
  }
  if (a.type == Type::boolean || b.type == Type::boolean) {
    const Literal x = as_truth(a, e_[parts[0]].span), y = as_truth(b, e_[parts[1]].span);
    if (!is_equality)
      refuse(where, "truth values are compared with == and <> only, or joined by 'and' and 'or'");
    const Literal same = g_.disjunction(g_.conjunction(x, y), g_.conjunction(negate(x), negate(y)));
    return of_truth(op == RelationOp::equal ? same : negate(same));
  }
  if (a.enumeration != b.enumeration)
    refuse(where, "an enumeration is compared with literals of the same one only");
  const NodeId left = a.number.in(g_), right = b.number.in(g_);
  if (is_equality && g_.node(g_.sub(left, right)).rate == Rate::varying) {
    if (a.type == Type::real || b.type == Type::real)
      refuse(where,
             "a quantity that changes with time is compared for equality: it would be true at "
             "single moments only; use <, <=, >, >=");
    const Literal same = equal_whole(left, right, where);
    return of_truth(op == RelationOp::equal ? same : negate(same));
  }
  const Literal l = g_.relation(left, comparison_of(op), right, context_.tracking);
  if (l != literal_true && l != literal_false && context_.locals == nullptr) name_relation(l, id);
  return of_truth(l);
}

/// Of Integers and enumerations that conditions choose: they are equal where the chosen ones are.
Literal Translator::equal_whole(NodeId a, NodeId b, Span where) {
  budget_.work(1, where);
  if (g_.node(g_.sub(a, b)).rate != Rate::varying)
    return g_.relation(a, Comparison::equal, b, context_.tracking);
  if (g_.node(a).op != Op::select) std::swap(a, b);
  const Node n = g_.node(a);
  if (n.op != Op::select || g_.is_array(a) || g_.is_array(b))
    refuse(where,
           "an Integer that changes with time is compared for equality: compare with <, <=, >, >=, "
           "or keep it in a variable that a when-clause sets");
  const Literal c = literal_of(n.c);
  return g_.disjunction(g_.conjunction(c, equal_whole(n.a, b, where)),
                        g_.conjunction(negate(c), equal_whole(n.b, b, where)));
}

Value Translator::junction(ExprId id, bool all) {
  Literal l = all ? literal_true : literal_false;
  for (const ExprId part : e_.children(id)) {
    const Literal next = truth(part);
    l = all ? g_.conjunction(l, next) : g_.disjunction(l, next);
  }
  return of_truth(l);
}

Value Translator::select(Literal condition, const Value& a, const Value& b, Span span) {
  if (condition == literal_true) return a;
  if (condition == literal_false) return b;
  const bool a_is_truth = a.type == Type::boolean, b_is_truth = b.type == Type::boolean;
  if (a.type == Type::string || b.type == Type::string)
    refuse(span, "a String that depends on a condition is not supported");
  if (a_is_truth != b_is_truth) refuse(span, "one branch is a number, another one true or false");
  if (a_is_truth)
    return of_truth(g_.disjunction(g_.conjunction(condition, a.truth),
                                   g_.conjunction(negate(condition), b.truth)));
  if (a.enumeration != b.enumeration) refuse(span, "the branches belong to different enumerations");
  Value v = of_number(where(Cond(g_, condition), a.number, b.number),
                      a.enumeration != nullptr ? Type::enumeration : common(a.type, b.type));
  v.enumeration = a.enumeration;
  return v;
}

Value Translator::if_else(ExprId id) {
  const auto parts = e_.children(id);
  std::vector<Literal> conditions;
  std::vector<Value> values;
  std::size_t k = 0;
  for (; k + 1 < parts.size(); k += 2) {
    const Literal c = truth(parts[k]);
    if (c == literal_false) continue;  // of a branch never taken nothing needs to be known
    conditions.push_back(c);
    values.push_back(value(parts[k + 1]));
    if (c == literal_true) break;
  }
  if (conditions.empty() || conditions.back() != literal_true) {
    conditions.push_back(literal_true);
    values.push_back(value(parts.back()));
  }
  Value v = values.back();
  for (std::size_t j = values.size() - 1; j-- > 0;)
    v = select(conditions[j], values[j], v, e_[id].span);
  return v;
}

}  // namespace saltus::modelica
