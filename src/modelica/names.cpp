// What names stand for.
#include <algorithm>

#include "modelica/translator.hpp"

namespace saltus::modelica {

namespace {
const std::vector<std::string>& built_in_names() {
  static const std::vector<std::string> names = {"time"};
  return names;
}
}  // namespace

std::uint32_t Translator::symbol_of(ExprId id) const {
  const std::string& name = e_.name(id);
  const std::uint32_t found = symbols_.find(name);
  if (found == SymbolTable::none)
    refuse(e_[id].span,
           "'" + name + "' is not declared" + symbols_.suggestion(name, built_in_names()));
  return found;
}

void Translator::for_each_symbol(ExprId root,
                                 const std::function<void(std::uint32_t, ExprId)>& visit,
                                 bool but_previous) const {
  std::vector<ExprId> open = {root};
  while (!open.empty()) {
    const ExprId id = open.back();
    open.pop_back();
    if (id == no_expr) continue;
    if (but_previous && e_[id].kind == ExprKind::call &&
        (e_.name(id) == "pre" || e_.name(id) == "edge" || e_.name(id) == "change"))
      continue;
    if (e_[id].kind == ExprKind::name) {
      const std::uint32_t s = symbols_.find(e_.name(id));
      if (s != SymbolTable::none) visit(s, id);
    }
    const auto parts = e_.children(id);
    open.insert(open.end(), parts.rbegin(), parts.rend());
  }
}

/// Numbers of elements, one per lane (or a single one) and per element that slices leave.
std::vector<std::uint32_t> Translator::subscripted(const std::vector<std::uint32_t>& dimensions,
                                                   ExprId id, std::vector<std::uint32_t>& left) {
  const auto subscripts = e_.children(id);
  const Span span = e_[id].span;
  const std::string& name = e_.name(id);
  if (subscripts.size() > dimensions.size())
    refuse(span, "'" + name + "' has " + std::to_string(dimensions.size()) +
                     (dimensions.size() == 1 ? " dimension, but " : " dimensions, but ") +
                     std::to_string(subscripts.size()) + " subscripts" +
                     (dimensions.empty() ? ": it is not an array" : ""));
  const std::uint32_t lanes =
      std::max<std::uint32_t>(1, context_.environment != nullptr ? context_.environment->lanes : 0);
  std::vector<std::uint32_t> elements(1, 0);
  bool per_lane = false;
  for (std::size_t k = 0; k < dimensions.size(); ++k) {
    const std::uint32_t size = dimensions[k];
    const ExprId s = k < subscripts.size() ? subscripts[k] : no_expr;
    const auto check = [&](std::int64_t i) {
      if (i >= 1 && i <= size) return static_cast<std::uint32_t>(i - 1);
      refuse(e_[s].span, "'" + name + "' has elements 1 to " + std::to_string(size) +
                             (dimensions.size() > 1 ? " in this dimension" : "") + ", this is " +
                             std::to_string(i));
    };
    std::vector<std::uint32_t> chosen;
    if (s == no_expr || e_[s].kind == ExprKind::colon) {
      budget_.work(size, span);
      for (std::uint32_t i = 0; i < size; ++i) chosen.push_back(i);
      left.push_back(size);
    } else {
      const LastScope last(*this, size);
      if (e_[s].kind == ExprKind::range || is_array(s)) {
        for (const std::int64_t i : range(s)) chosen.push_back(check(i));
        left.push_back(static_cast<std::uint32_t>(chosen.size()));
      } else if (lanes > 1 && depends_on_loop(s)) {
        // One element per lane.
        if (!left.empty()) refuse(span, "slices inside of for-equations are not supported");
        if (elements.size() == 1 && !per_lane) elements.assign(lanes, elements[0]);
        per_lane = true;
        const std::vector<std::int64_t> all = integers_per_lane(s);
        for (std::uint32_t j = 0; j < lanes; ++j) elements[j] = elements[j] * size + check(all[j]);
        continue;
      } else {
        chosen.push_back(check(integer(s, "a subscript")));
      }
    }
    if (per_lane && chosen.size() != 1)
      refuse(span, "slices inside of for-equations are not supported");
    if (per_lane) {
      for (std::uint32_t& e : elements) e = e * size + chosen[0];
      continue;
    }
    std::vector<std::uint32_t> next;
    budget_.values(elements.size() * chosen.size(), span);
    next.reserve(elements.size() * chosen.size());
    for (const std::uint32_t e : elements)
      for (const std::uint32_t i : chosen) next.push_back(e * size + i);
    elements = std::move(next);
  }
  return elements;
}

bool Translator::depends_on_loop(ExprId root) const {
  if (context_.environment == nullptr) return false;
  std::vector<ExprId> open = {root};
  while (!open.empty()) {
    const ExprId id = open.back();
    open.pop_back();
    if (e_[id].kind == ExprKind::name && context_.environment->find(e_.name(id)) != nullptr)
      return true;
    const auto parts = e_.children(id);
    open.insert(open.end(), parts.begin(), parts.end());
  }
  return false;
}

/// A subscript in a family, lane by lane.
std::vector<std::int64_t> Translator::integers_per_lane(ExprId id) {
  const Environment& family = *context_.environment;
  std::vector<std::int64_t> all(family.lanes);
  // The usual forms: i, i + 1, i - 1, without looking at every lane anew.
  const ExprNode& n = e_[id];
  if (n.kind == ExprKind::name) {
    if (const auto* loop = family.find(e_.name(id)); loop != nullptr && loop->values.size() > 1)
      return loop->values;
  }
  if (n.kind == ExprKind::sum && n.count == 2) {
    const auto parts = e_.children(id);
    const auto* loop =
        e_[parts[0]].kind == ExprKind::name ? family.find(e_.name(parts[0])) : nullptr;
    if (loop != nullptr && loop->values.size() > 1 && e_[parts[1]].kind == ExprKind::number &&
        e_[parts[1]].op == 1) {
      const auto shift =
          static_cast<std::int64_t>(e_[parts[1]].number) * (e_.is_inverse(id, 1) ? -1 : 1);
      for (std::uint32_t j = 0; j < family.lanes; ++j) all[j] = loop->values[j] + shift;
      return all;
    }
  }
  const ContextScope scope(*this);
  Environment one = family;
  one.lanes = 0;
  context_.environment = &one;
  for (std::uint32_t j = 0; j < family.lanes; ++j) {
    for (std::size_t k = 0; k < one.loops.size(); ++k)
      if (family.loops[k].values.size() > 1) one.loops[k].values = {family.loops[k].values[j]};
    all[j] = integer(id, "a subscript");
  }
  return all;
}

Translator::Reference Translator::reference(ExprId id) {
  Reference r;
  r.symbol = symbol_of(id);
  Symbol& s = symbols_[r.symbol];
  const bool whole_scalar = s.dimensions.empty() && e_.children(id).empty();
  if (whole_scalar) {
    r.elements = {0};
    return r;
  }
  r.elements = subscripted(s.dimensions, id, r.dimensions);
  r.per_lane = r.dimensions.empty() && r.elements.size() > 1;
  return r;
}

Value Translator::element(std::uint32_t symbol, std::uint32_t which) {
  const Symbol& s = symbols_[symbol];
  Value v;
  v.type = s.type.type;
  v.enumeration = s.type.enumeration;
  if (context_.new_values) {
    if (const auto next = context_.new_values(symbol, which)) return *next;
  }
  if (context_.numeric && s.is_held()) {
    return from_kept(s.type, s.values[which]);
  }
  if (v.type == Type::boolean) {
    v.truth = s.truths[which];
  } else {
    v.number = s.numbers[which];
  }
  return v;
}

Value Translator::loop_value(const Environment::Loop& loop) {
  Value v;
  v.type = Type::integer;
  if (loop.values.size() == 1) {
    v.number = static_cast<double>(loop.values[0]);
    return v;
  }
  std::vector<NodeId> nodes;
  nodes.reserve(loop.values.size());
  for (const std::int64_t i : loop.values) nodes.push_back(g_.constant(static_cast<double>(i)));
  v.number = Expr(g_, g_.lanes(nodes));
  return v;
}

Value Translator::name_value(ExprId id) {
  const std::string& name = e_.name(id);
  const Span span = e_[id].span;
  if (context_.locals != nullptr) {
    const Tensor t = tensor_name(id);
    if (!t.is_scalar()) refuse(span, "a single value is needed here, '" + name + "' is an array");
    return t.elements[0];
  }
  if (context_.environment != nullptr) {
    if (const auto* loop = context_.environment->find(name)) {
      if (!e_.children(id).empty()) refuse(span, "the loop index '" + name + "' is not an array");
      return loop_value(*loop);
    }
  }
  if (symbols_.find(name) == SymbolTable::none) {
    if (name == "time") {
      if (context_.numeric) refuse(span, context_.needed_for + " cannot depend on time");
      Value v;
      v.number = m_.time();
      return v;
    }
    // E.literal
    if (const std::size_t dot = name.rfind('.'); dot != std::string::npos) {
      const auto type = types_.types.find(name.substr(0, dot));
      if (type != types_.types.end() && !type->second->literals.empty()) {
        const auto& literals = type->second->literals;
        const auto found = std::find(literals.begin(), literals.end(), name.substr(dot + 1));
        if (found == literals.end())
          refuse(span, "the enumeration '" + name.substr(0, dot) + "' has no literal '" +
                           name.substr(dot + 1) + "'");
        Value v;
        v.type = Type::enumeration;
        v.enumeration = type->second;
        v.number = static_cast<double>(found - literals.begin() + 1);
        return v;
      }
    }
    if (name == "Modelica.Constants.pi") {
      Value v;
      v.number = 3.14159265358979323846;
      return v;
    }
  }
  const Reference r = reference(id);
  if (!r.dimensions.empty())
    refuse(span,
           "a single value is needed here, '" + name + "' is an array: write '" + name + "[...]'");
  return reference_value(r, id);
}

Value Translator::reference_value(const Reference& r, ExprId id) {
  const Symbol& s = symbols_[r.symbol];
  const Span span = e_[id].span;
  if (s.type.type == Type::string) {
    Value v;
    v.type = Type::string;
    if (s.declaration->binding == no_expr || !s.is_held())
      refuse(span, "String variables are not supported");
    return value(s.declaration->binding);
  }
  if (context_.numeric && !s.is_held())
    refuse(span, context_.needed_for + " must be known when the text is read, but '" + s.name() +
                     "' is a variable");
  if (!(context_.numeric && s.is_held()) && !s.is_known)
    refuse(span, "'" + s.name() + "' cannot be read here: its value depends on this one");
  if (r.elements.size() == 1) return element(r.symbol, r.elements[0]);
  // A family.
  std::vector<NodeId> nodes;
  nodes.reserve(r.elements.size());
  Value v = element(r.symbol, r.elements[0]);
  if (v.type == Type::boolean)
    refuse(span, "Boolean arrays inside of for-equations of numbers are not supported");
  for (const std::uint32_t e : r.elements) nodes.push_back(element(r.symbol, e).number.in(g_));
  v.number = Expr(g_, g_.lanes(nodes));
  return v;
}

}  // namespace saltus::modelica
