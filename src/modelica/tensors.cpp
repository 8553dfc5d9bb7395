// Arrays, element by element.
#include <algorithm>
#include <array>
#include <limits>

#include "modelica/translator.hpp"

namespace saltus::modelica {

std::string text_of_dimensions(const std::vector<std::uint32_t>& d) {
  if (d.empty()) return "a single value";
  std::string text;
  for (const std::uint32_t n : d) text += (text.empty() ? "" : " x ") + std::to_string(n);
  return d.size() == 1 ? text + " elements" : text;
}

void refuse_sizes(Span where, std::size_t left, std::size_t right) {
  refuse(where, "the two sides have different sizes: " + std::to_string(left) + " and " +
                    std::to_string(right) + (left == 1 || right == 1 ? " element" : " elements"));
}

void refuse_sizes(Span where, const Tensor& left, const Tensor& right) {
  refuse(where, "the two sides have different sizes: " + text_of_dimensions(left.dimensions) +
                    " and " + text_of_dimensions(right.dimensions));
}

namespace {

Value tensor_number(Expr e, Type type = Type::real) {
  Value v;
  v.type = type;
  v.number = e;
  return v;
}

Type type_of_both(const Value& a, const Value& b) {
  return a.type == Type::integer && b.type == Type::integer ? Type::integer : Type::real;
}

const std::vector<std::string> array_functions = {
    "zeros",  "ones",  "fill", "identity", "diagonal",  "linspace",     "transpose",
    "vector", "cross", "skew", "cat",      "symmetric", "outerProduct", "array"};

}  // namespace

bool Translator::is_array(ExprId root) const {
  std::vector<ExprId> open = {root};
  while (!open.empty()) {
    const ExprId id = open.back();
    open.pop_back();
    if (id == no_expr) continue;
    const ExprNode& n = e_[id];
    const auto parts = e_.children(id);
    switch (n.kind) {
      case ExprKind::array:
      case ExprKind::matrix:
      case ExprKind::range:
        return true;
      case ExprKind::relation:
      case ExprKind::all_of:
      case ExprKind::any_of:
      case ExprKind::negation:
      case ExprKind::loop:
        continue;
      case ExprKind::if_else:
        // The values, not the conditions.
        for (std::size_t k = 1; k < parts.size(); k += 2) open.push_back(parts[k]);
        open.push_back(parts.back());
        continue;
      case ExprKind::name: {
        std::size_t rank = 0;
        const std::uint32_t s = symbols_.find(e_.name(id));
        if (s != SymbolTable::none) rank = symbols_[s].dimensions.size();
        if (context_.locals != nullptr) {
          const auto local = context_.locals->all.find(e_.name(id));
          if (local != context_.locals->all.end()) rank = local->second.value.dimensions.size();
        }
        if (rank > parts.size()) return true;
        for (const ExprId part : parts) {
          if (e_[part].kind == ExprKind::colon || e_[part].kind == ExprKind::range) return true;
          if (rank > 0 && e_[part].kind == ExprKind::array) return true;
        }
        continue;
      }
      case ExprKind::call: {
        const std::string& name = e_.name(id);
        if (std::find(array_functions.begin(), array_functions.end(), name) !=
            array_functions.end())
          return true;
        if (name == "sum" || name == "product" || name == "ndims" || name == "scalar") continue;
        if (name == "size") {
          if (parts.size() == 1) return true;
          continue;
        }
        if ((name == "min" || name == "max") && parts.size() == 1) continue;
        if (const auto f = types_.functions.find(name); f != types_.functions.end()) {
          for (const Declaration& d : f->second->declarations) {
            if (d.causality != Causality::output) continue;
            if (!d.dimensions.empty()) return true;
            break;
          }
          continue;
        }
        break;
      }
      case ExprKind::product: {
        // A product of two vectors is a number: look closely.
        break;
      }
      default:
        break;
    }
    open.insert(open.end(), parts.begin(), parts.end());
  }
  return false;
}

/// A single value goes with every element.
Tensor Translator::broadcast(const Tensor& a, const Tensor& b, Span where,
                             const std::function<Value(const Value&, const Value&)>& f) const {
  if (a.is_scalar() == b.is_scalar()) return elementwise(a, b, where, f);
  Tensor t = a.is_scalar() ? b : a;
  for (Value& v : t.elements) v = a.is_scalar() ? f(a.elements[0], v) : f(v, b.elements[0]);
  return t;
}

Tensor Translator::elementwise(const Tensor& a, const Tensor& b, Span where,
                               const std::function<Value(const Value&, const Value&)>& f) const {
  if (a.dimensions != b.dimensions)
    refuse(where, "the sizes do not match: " + text_of_dimensions(a.dimensions) + " and " +
                      text_of_dimensions(b.dimensions));
  Tensor t;
  t.dimensions = a.dimensions;
  t.elements.reserve(a.elements.size());
  for (std::size_t k = 0; k < a.elements.size(); ++k)
    t.elements.push_back(f(a.elements[k], b.elements[k]));
  return t;
}

Tensor Translator::tensor_name(ExprId id) {
  const std::string& name = e_.name(id);
  if (context_.locals != nullptr) {
    const auto local = context_.locals->all.find(name);
    if (local != context_.locals->all.end()) {
      const Tensor& whole = local->second.value;
      if (!local->second.is_set) refuse(e_[id].span, "'" + name + "' has no value yet");
      if (e_.children(id).empty()) return whole;
      Tensor t;
      for (const std::uint32_t e : subscripted(whole.dimensions, id, t.dimensions))
        t.elements.push_back(whole.elements[e]);
      return t;
    }
  }
  if (context_.environment != nullptr && context_.environment->find(name) != nullptr)
    return {{}, {loop_value(*context_.environment->find(name))}};
  const std::uint32_t s = symbols_.find(name);
  if (s == SymbolTable::none || (symbols_[s].dimensions.empty() && e_.children(id).empty())) {
    const ContextScope scope(*this);
    if (context_.locals != nullptr) {
      // A function reads constants of its model, and nothing else.
      if (context_.locals->in_function && s != SymbolTable::none && !symbols_[s].is_held())
        refuse(e_[id].span, "a function cannot read the variable '" + name +
                                "' of the model: make it an argument");
      context_.locals = nullptr;
    }
    return {{}, {name_value(id)}};
  }
  Reference r = reference(id);
  if (r.per_lane) return {{}, {reference_value(r, id)}};
  Tensor t;
  t.dimensions = r.dimensions;
  Reference one = r;
  for (const std::uint32_t e : r.elements) {
    one.elements = {e};
    t.elements.push_back(reference_value(one, id));
  }
  return t;
}

Tensor Translator::tensor(ExprId id) {
  if (!is_array(id)) return {{}, {value(id)}};
  const ExprNode& n = e_[id];
  const auto parts = e_.children(id);
  const auto map = [&](const Tensor& t, auto&& f) {
    Tensor r{t.dimensions, {}};
    for (const Value& v : t.elements) r.elements.push_back(f(v));
    return r;
  };
  switch (n.kind) {
    case ExprKind::name:
      return tensor_name(id);
    case ExprKind::call:
      return tensor_call(id);
    case ExprKind::product:
      return tensor_product(id);
    case ExprKind::negative:
      return map(tensor(parts[0]),
                 [&](const Value& v) { return tensor_number(-as_number(v, n.span), v.type); });
    case ExprKind::sum: {
      Tensor total = tensor(parts[0]);
      for (std::size_t k = 1; k < parts.size(); ++k) {
        const bool minus = e_.is_inverse(id, k);
        const Tensor next = tensor(parts[k]);
        const auto add = [&](const Value& a, const Value& b) {
          const Expr x = as_number(a, n.span), y = as_number(b, n.span);
          return tensor_number(minus ? x - y : x + y, type_of_both(a, b));
        };
        const bool by_element = e_.is_by_element(id, k);
        if (!by_element && total.is_scalar() != next.is_scalar())
          refuse(n.span, "the sizes do not match: " + text_of_dimensions(total.dimensions) +
                             " and " + text_of_dimensions(next.dimensions) +
                             "; to every element a number is added by '" + (minus ? ".-'" : ".+'"));
        total = by_element ? broadcast(total, next, n.span, add)
                           : elementwise(total, next, n.span, add);
      }
      return total;
    }
    case ExprKind::power: {
      const Tensor base = tensor(parts[0]);
      if (!base.is_scalar() && n.op == 0)
        refuse(n.span, "powers of matrices are not supported; element by element it is '.^'");
      const Expr exponent = number(parts[1]);
      return map(
          base, [&](const Value& v) { return tensor_number(pow(as_number(v, n.span), exponent)); });
    }
    case ExprKind::if_else: {
      Tensor t = tensor(parts.back());
      for (std::size_t k = parts.size() - 1; k >= 2; k -= 2)
        t = select(truth(parts[k - 2]), tensor(parts[k - 1]), t, n.span);
      return t;
    }
    case ExprKind::array:
    case ExprKind::matrix: {
      if (parts.size() == 1 && e_[parts[0]].kind == ExprKind::loop) return comprehension(parts[0]);
      Tensor t;
      for (std::size_t k = 0; k < parts.size(); ++k) {
        const Tensor row = tensor(parts[k]);
        if (k == 0) {
          t.dimensions = {static_cast<std::uint32_t>(parts.size())};
          t.dimensions.insert(t.dimensions.end(), row.dimensions.begin(), row.dimensions.end());
        } else if (!std::equal(row.dimensions.begin(), row.dimensions.end(),
                               t.dimensions.begin() + 1, t.dimensions.end())) {
          refuse(e_[parts[k]].span, "the rows of an array differ in size: this one has " +
                                        text_of_dimensions(row.dimensions));
        }
        t.elements.insert(t.elements.end(), row.elements.begin(), row.elements.end());
      }
      if (parts.empty()) t.dimensions = {0};
      return t;
    }
    case ExprKind::range: {
      Tensor t;
      for (const std::int64_t i : range(id))
        t.elements.push_back(tensor_number(static_cast<double>(i), Type::integer));
      t.dimensions = {static_cast<std::uint32_t>(t.elements.size())};
      return t;
    }
    default:
      return {{}, {value(id)}};
  }
}

Tensor Translator::select(Literal condition, const Tensor& a, const Tensor& b, Span where) {
  return elementwise(
      a, b, where, [&](const Value& x, const Value& y) { return select(condition, x, y, where); });
}

/// Scalars with anything; matrices with vectors and matrices; two vectors to a number.
Tensor Translator::tensor_product(ExprId id) {
  const auto parts = e_.children(id);
  const Span span = e_[id].span;
  Tensor total = tensor(parts[0]);
  for (std::size_t k = 1; k < parts.size(); ++k) {
    const Tensor next = tensor(parts[k]);
    const bool by_element = e_.is_by_element(id, k);
    const auto times = [&](const Value& a, const Value& b) {
      return tensor_number(as_number(a, span) * as_number(b, span), type_of_both(a, b));
    };
    if (e_.is_inverse(id, k)) {
      if (!next.is_scalar() && !by_element)
        refuse(span, "division by an array is not defined; element by element it is './'");
      total = broadcast(total, next, span, [&](const Value& a, const Value& b) {
        return tensor_number(as_number(a, span) / as_number(b, span));
      });
      continue;
    }
    if (total.is_scalar() || next.is_scalar()) {
      const Value s = total.is_scalar() ? total.elements[0] : next.elements[0];
      Tensor t = total.is_scalar() ? next : total;
      for (Value& v : t.elements) v = total.is_scalar() ? times(s, v) : times(v, s);
      total = std::move(t);
      continue;
    }
    if (by_element) {
      total = elementwise(total, next, span, times);
      continue;
    }
    // (rows x inner) * (inner x columns); a vector on the left is a row, on the right a column.
    if (total.dimensions.size() > 2 || next.dimensions.size() > 2)
      refuse(span, "products of arrays with more than two dimensions are not defined");
    const bool left_vector = total.dimensions.size() == 1,
               right_vector = next.dimensions.size() == 1;
    const std::uint32_t rows = left_vector ? 1 : total.dimensions[0],
                        inner = total.dimensions.back();
    const std::uint32_t columns = right_vector ? 1 : next.dimensions[1];
    if (next.dimensions[0] != inner)
      refuse(span, "the sizes do not match: " + text_of_dimensions(total.dimensions) + " and " +
                       text_of_dimensions(next.dimensions));
    budget_.work(number_of_elements(std::array{rows, inner, columns}), span);
    Tensor t;
    if (!left_vector) t.dimensions.push_back(rows);
    if (!right_vector) t.dimensions.push_back(columns);
    for (std::uint32_t i = 0; i < rows; ++i) {
      for (std::uint32_t j = 0; j < columns; ++j) {
        Value s = tensor_number(0.0);
        for (std::uint32_t l = 0; l < inner; ++l) {
          const Value p = times(total.elements[i * inner + l], next.elements[l * columns + j]);
          s = l == 0 ? p : tensor_number(s.number + p.number, type_of_both(s, p));
        }
        t.elements.push_back(s);
      }
    }
    total = std::move(t);
  }
  return total;
}

/// expression for i in range, j in range: the last index runs fastest.
Tensor Translator::comprehension(ExprId id) {
  const auto parts = e_.children(id);
  const ContextScope scope(*this);
  Environment environment;
  if (context_.environment != nullptr) environment = *context_.environment;
  if (environment.lanes > 1)
    refuse(e_[id].span, "'for' inside of expressions of for-equations is not supported");
  std::vector<std::vector<std::int64_t>> ranges;
  Tensor t;
  for (std::size_t k = 1; k < parts.size(); ++k) {
    ranges.push_back(range(parts[k]));
    t.dimensions.push_back(static_cast<std::uint32_t>(ranges.back().size()));
    environment.loops.push_back({e_.extra_name(id, k - 1), {0}});
  }
  const std::uint64_t n = number_of_elements(t.dimensions);
  budget_.values(n, e_[id].span);
  context_.environment = &environment;
  const std::size_t first = environment.loops.size() - ranges.size();
  std::vector<std::uint32_t> inner;
  for (std::uint64_t e = 0; e < n; ++e) {
    std::uint64_t rest = e;
    for (std::size_t k = ranges.size(); k-- > 0;) {
      environment.loops[first + k].values[0] = ranges[k][rest % ranges[k].size()];
      rest /= ranges[k].size();
    }
    const Tensor one = tensor(parts[0]);
    if (e == 0) inner = one.dimensions;
    t.elements.insert(t.elements.end(), one.elements.begin(), one.elements.end());
  }
  t.dimensions.insert(t.dimensions.end(), inner.begin(), inner.end());
  return t;
}

Tensor Translator::tensor_call(ExprId id) {
  const std::string& name = e_.name(id);
  const auto arguments = e_.children(id);
  const Span span = e_[id].span;
  const auto sizes = [&](std::size_t from) {
    std::vector<std::uint32_t> d;
    for (std::size_t k = from; k < arguments.size(); ++k) {
      const std::int64_t n = integer(arguments[k], "the size of an array");
      if (n < 0 || n > std::numeric_limits<std::uint32_t>::max())
        refuse(e_[arguments[k]].span, "an array cannot have " + std::to_string(n) + " elements");
      d.push_back(static_cast<std::uint32_t>(n));
    }
    budget_.values(number_of_elements(d), span);
    return d;
  };
  const auto filled = [&](const Value& v, std::vector<std::uint32_t> d) {
    Tensor t;
    t.elements.assign(number_of_elements(d), v);
    t.dimensions = std::move(d);
    return t;
  };
  if (name == "zeros") return filled(tensor_number(0.0, Type::integer), sizes(0));
  if (name == "ones") return filled(tensor_number(1.0, Type::integer), sizes(0));
  if (name == "fill") {
    if (arguments.size() < 2) refuse(span, "'fill' takes a value and sizes");
    return filled(value(arguments[0]), sizes(1));
  }
  if (name == "identity") {
    expect_arguments(id, 1);
    const std::uint32_t n = sizes(0)[0];
    budget_.values(std::uint64_t{n} * n, span);
    Tensor t = filled(tensor_number(0.0, Type::integer), {n, n});
    for (std::uint32_t i = 0; i < n; ++i) t.elements[i * n + i].number = 1.0;
    return t;
  }
  if (name == "diagonal") {
    expect_arguments(id, 1);
    const Tensor d = tensor(arguments[0]);
    const auto n = static_cast<std::uint32_t>(d.elements.size());
    budget_.values(std::uint64_t{n} * n, span);
    Tensor t = filled(tensor_number(0.0), {n, n});
    for (std::uint32_t i = 0; i < n; ++i) t.elements[i * n + i] = d.elements[i];
    return t;
  }
  if (name == "linspace") {
    expect_arguments(id, 3);
    const Expr a = number(arguments[0]), b = number(arguments[1]);
    const std::int64_t n = integer(arguments[2], "the size of an array");
    if (n < 2) refuse(span, "'linspace' makes at least two elements");
    budget_.values(static_cast<std::uint64_t>(n), span);
    Tensor t{{static_cast<std::uint32_t>(n)}, {}};
    for (std::int64_t i = 0; i < n; ++i)
      t.elements.push_back(
          tensor_number(a + (b - a) * static_cast<double>(i) / static_cast<double>(n - 1)));
    return t;
  }
  if (name == "transpose") {
    expect_arguments(id, 1);
    const Tensor a = tensor(arguments[0]);
    if (a.dimensions.size() != 2) refuse(span, "'transpose' takes a matrix");
    Tensor t{{a.dimensions[1], a.dimensions[0]}, {}};
    for (std::uint32_t j = 0; j < a.dimensions[1]; ++j)
      for (std::uint32_t i = 0; i < a.dimensions[0]; ++i)
        t.elements.push_back(a.elements[i * a.dimensions[1] + j]);
    return t;
  }
  if (name == "vector") {
    expect_arguments(id, 1);
    Tensor t = tensor(arguments[0]);
    t.dimensions = {static_cast<std::uint32_t>(t.elements.size())};
    return t;
  }
  if (name == "scalar") {
    expect_arguments(id, 1);
    Tensor t = tensor(arguments[0]);
    if (t.elements.size() != 1) refuse(span, "'scalar' takes an array of one element");
    t.dimensions.clear();
    return t;
  }
  if (name == "cross") {
    expect_arguments(id, 2);
    const Tensor a = tensor(arguments[0]), b = tensor(arguments[1]);
    if (a.elements.size() != 3 || b.elements.size() != 3)
      refuse(span, "'cross' takes two vectors of three elements");
    Tensor t{{3}, {}};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      t.elements.push_back(tensor_number(a.elements[j].number * b.elements[k].number -
                                         a.elements[k].number * b.elements[j].number));
    }
    return t;
  }
  if (name == "size" || name == "ndims") {
    if (arguments.empty() || arguments.size() > 2)
      refuse(span, "'size' takes an array and the number of a dimension");
    std::vector<std::uint32_t> d;
    const std::uint32_t s = e_[arguments[0]].kind == ExprKind::name && context_.locals == nullptr
                                ? symbols_.find(e_.name(arguments[0]))
                                : SymbolTable::none;
    if (s != SymbolTable::none && e_.children(arguments[0]).empty()) {
      d = symbols_[s].dimensions;
    } else {
      d = tensor(arguments[0]).dimensions;
    }
    const auto as_value = [](std::size_t n) {
      return tensor_number(static_cast<double>(n), Type::integer);
    };
    if (name == "ndims") return {{}, {as_value(d.size())}};
    if (arguments.size() == 2) {
      const std::int64_t k = integer(arguments[1], "the number of a dimension");
      if (k < 1 || k > static_cast<std::int64_t>(d.size()))
        refuse(e_[arguments[1]].span,
               "there is no dimension " + std::to_string(k) + " of " + std::to_string(d.size()));
      return {{}, {as_value(d[static_cast<std::size_t>(k - 1)])}};
    }
    Tensor t{{static_cast<std::uint32_t>(d.size())}, {}};
    for (const std::uint32_t n : d) t.elements.push_back(as_value(n));
    return t;
  }
  if (const auto f = types_.functions.find(name); f != types_.functions.end()) {
    std::vector<Tensor> results = inlined(id, *f->second);
    if (results.empty()) refuse(span, "the function '" + name + "' has no result");
    return results[0];
  }
  // Functions of numbers, element by element.
  if (arguments.size() == 1 && is_array(arguments[0])) {
    if (name == "der" || name == "pre") {
      const Tensor t = tensor(arguments[0]);
      Tensor r{t.dimensions, {}};
      for (const Value& v : t.elements) {
        if (v.number.graph() == nullptr) refuse(span, "'" + name + "' takes variables");
        r.elements.push_back(tensor_number(name == "der" ? der(v.number) : pre(v.number)));
      }
      return r;
    }
    Tensor t = tensor(arguments[0]);
    bool known = true;
    for (Value& v : t.elements) {
      const auto applied = unary(name, v, span);
      known = known && applied.has_value();
      if (applied) v = *applied;
    }
    if (known) return t;
    if (name == "noEvent" || name == "homotopy" || name == "smooth") return tensor(arguments[0]);
  }
  unknown_function(id);
}

}  // namespace saltus::modelica
