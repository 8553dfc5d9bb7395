// Real variables that an equation gives outright, as in v_rel = v - v_belt: names of expressions instead of unknowns. No
// guess is needed for them, no iteration goes through values of theirs that no motion has, and what is an ODE stays one.
#include <algorithm>

#include "modelica/builder.hpp"
#include "modelica/builder_attempt.hpp"
#include "modelica/when.hpp"

namespace saltus::modelica {

/// One that depends on more unknowns than this stays an unknown: put into many equations it would fill their rows.
constexpr std::size_t most_unknowns_of_a_name = 16;

/// Nothing is known of it but its equation: no derivative, value before an event, stated start or range.
bool Builder::can_be_explicit(const Symbol& s) const {
  return s.role == Role::unknown && s.type.type == Type::real && s.size > 0 && !s.has_derivative &&
         !s.is_reinitialized && s.first_previous.length == 0 && modifier(s, "min") == nullptr &&
         modifier(s, "max") == nullptr &&
         std::none_of(s.start_is_given.begin(), s.start_is_given.end(),
                      [](std::uint8_t given) { return given != 0; });
}

bool Builder::mentions_derivative(ExprId root) const {
  std::vector<ExprId> open = {root};
  while (!open.empty()) {
    const ExprId id = open.back();
    open.pop_back();
    if (id == no_expr) continue;
    if (e_[id].kind == ExprKind::call && e_.name(id) == "der") return true;
    const auto parts = e_.children(id);
    open.insert(open.end(), parts.begin(), parts.end());
  }
  return false;
}

/// Equations with such a variable alone on one side, at most one for each of its elements.
void Builder::find_explicit_variables() {
  std::map<std::string, ExprId> assigned;
  for (const Section& section : model_class_->algorithms) find_assigned(section.body, assigned);
  std::unordered_map<std::uint32_t, std::vector<std::uint8_t>> given;
  const auto takes = [&](FlatEquation& q, std::size_t index, bool is_as_written) {
    if (e_[q.left].kind != ExprKind::name || mentions_derivative(q.right)) return false;
    const std::uint32_t k = symbols_.find(e_.name(q.left));
    if (is_as_written && k != SymbolTable::none && symbols_[k].role == Role::defined)
      given_twice_.push_back({symbols_[k].name(), symbols_[k].declaration->span, q.span});
    if (k == SymbolTable::none || !can_be_explicit(symbols_[k]) ||
        assigned.contains(symbols_[k].name()))
      return false;
    const ContextScope scope(*translator_);
    translator_->context().environment = q.environment.get();
    std::vector<std::uint32_t> elements;
    try {
      elements = translator_->reference(q.left).elements;
    } catch (const Refusal&) {
      return false;  // told where the equation is read
    }
    auto& has = given.try_emplace(k, symbols_[k].size, std::uint8_t{0}).first->second;
    if (std::any_of(elements.begin(), elements.end(),
                    [&](std::uint32_t e) { return has[e] != 0; })) {
      const FlatEquation& first = flat_.equations[explicit_[k].front()];
      if (is_as_written && symbols_[k].size == 1)
        given_twice_.push_back({symbols_[k].name(), first.span, q.span});
      return false;
    }
    for (const std::uint32_t e : elements) has[e] = 1;
    explicit_[k].push_back(index);
    return true;
  };
  for (std::size_t index = 0; index < flat_.equations.size(); ++index) {
    FlatEquation& q = flat_.equations[index];
    if (q.is_definition || (q.environment != nullptr && q.environment->lanes > 1)) continue;
    if (takes(q, index, true)) continue;
    std::swap(q.left, q.right);
    if (!takes(q, index, false)) std::swap(q.left, q.right);
  }
  std::erase_if(explicit_, [&](const auto& entry) {
    const auto& has = given[entry.first];
    return std::find(has.begin(), has.end(), std::uint8_t{0}) != has.end();
  });
  break_circles();
  // Where formulas are all there is, they are what is solved.
  const bool others = std::any_of(symbols_.begin(), symbols_.end(), [&](const Symbol& s) {
    return s.role == Role::unknown && !explicit_.contains(symbols_.find(s.name()));
  });
  if (!others) explicit_.clear();
  for (const auto& [k, equations] : explicit_) {
    symbols_[k].role = Role::defined;
    definitions_[k] = equations;
    for (const std::size_t index : equations) flat_.equations[index].is_definition = true;
  }
}

/// Of variables that depend on each other in a circle one stays an unknown. Circles of truth values alone are left: they
/// are told later.
void Builder::break_circles() {
  while (break_some_circles()) continue;
}

bool Builder::break_some_circles() {
  enum class Mark : std::uint8_t { unseen, open, done };
  std::vector<Mark> marks(symbols_.size(), Mark::unseen);
  struct Visit {
    std::uint32_t symbol;
    std::vector<std::uint32_t> needs;
    std::size_t next = 0;
  };
  const auto needs_of = [&](std::uint32_t k) {
    std::vector<std::uint32_t> needs;
    const auto own = explicit_.find(k);
    for (const std::size_t index : own != explicit_.end() ? own->second : definitions_[k])
      translator_->for_each_symbol(flat_.equations[index].right, [&](std::uint32_t other, ExprId) {
        if (explicit_.contains(other) || symbols_[other].role == Role::defined)
          needs.push_back(other);
      });
    return needs;
  };
  bool changed = false;
  std::vector<Visit> path;
  for (std::uint32_t k = 0; k < symbols_.size(); ++k) {
    if (marks[k] != Mark::unseen || !explicit_.contains(k)) continue;
    path.push_back({k, needs_of(k)});
    marks[k] = Mark::open;
    while (!path.empty()) {
      Visit& v = path.back();
      if (v.next == v.needs.size()) {
        marks[v.symbol] = Mark::done;
        path.pop_back();
        continue;
      }
      const std::uint32_t next = v.needs[v.next++];
      if (marks[next] == Mark::open) {
        for (std::size_t j = path.size(); j-- > 0;) {
          const std::uint32_t on_circle = path[j].symbol;
          const bool is_broken = explicit_.erase(on_circle) != 0;
          changed = changed || is_broken;
          if (is_broken || on_circle == next) break;
        }
      } else if (marks[next] == Mark::unseen) {
        marks[next] = Mark::open;
        path.push_back({next, needs_of(next)});
      }
    }
  }
  return changed;
}

/// How many unknowns an expression depends on; counting ends above what is allowed.
std::vector<NodeId> Builder::unknowns_of(NodeId root) {
  const Graph& g = translator_->graph();
  std::vector<NodeId> open = {root}, found;
  std::unordered_set<NodeId> seen = {root};
  while (!open.empty() && found.size() <= most_unknowns_of_a_name) {
    const NodeId id = open.back();
    open.pop_back();
    const auto push = [&](NodeId next) {
      if (seen.insert(next).second) open.push_back(next);
    };
    if (const auto known = unknowns_of_names_.find(id);
        known != unknowns_of_names_.end() && id != root) {
      for (const NodeId unknown : known->second) push(unknown);
      continue;
    }
    const Node& n = g.node(id);
    if (n.op == Op::input) {
      const InputKind kind = g.input(n.a).kind;
      if (kind == InputKind::state || kind == InputKind::algebraic) found.push_back(id);
    }
    g.for_each_child(n, push);
  }
  return found;
}

/// The expressions of a Real variable have been found: they stay, unless they depend on too many unknowns.
void Builder::name_or_unknown(std::uint32_t k) {
  Symbol& s = symbols_[k];
  for (const Expr& value : s.numbers) {
    const NodeId node = value.in(translator_->graph());
    std::vector<NodeId> unknowns = unknowns_of(node);
    if (unknowns.size() > most_unknowns_of_a_name) {
      s.role = Role::unknown;
      for (const std::size_t index : definitions_[k]) flat_.equations[index].is_definition = false;
      declare_variable(k);
      return;
    }
    unknowns_of_names_[node] = std::move(unknowns);
  }
  for (std::uint32_t e = 0; e < s.size; ++e)
    result_.model->output(element_name(s, e), s.numbers[e], text_attribute(s, "unit"),
                          s.declaration->description);
  s.is_known = true;
}

/// Events are called as the text has it: "depth > 0", not by the expression that depth is a name of.
void Builder::name_relation(Literal relation, ExprId id) {
  bool has_name = false;
  translator_->for_each_symbol(
      id, [&](std::uint32_t k, ExprId) { has_name = has_name || explicit_.contains(k); });
  if (!has_name) return;
  const Graph& g = translator_->graph();
  const Condition& c = g.condition(condition_of(relation));
  if (c.kind != Condition::Kind::relation || !g.relation(c.a).tracked() ||
      !named_relations_.insert(c.a).second)
    return;
  const Environment* environment = translator_->context().environment;
  if (environment != nullptr && environment->lanes > 1) return;  // a family
  std::string name = text_on_one_line(source_.text(e_[id].span));
  if (environment != nullptr)
    for (const auto& loop : environment->loops)
      name += ", " + loop.name + " = " + std::to_string(loop.values[0]);
  if (relation_names_.insert(name).second)
    (void)result_.model->named(name, Cond(translator_->graph(), relation));
}

}  // namespace saltus::modelica
