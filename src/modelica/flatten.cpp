// Equations out of their loops and branches.
#include <algorithm>

#include "modelica/builder.hpp"
#include "modelica/builder_attempt.hpp"
#include "modelica/translator.hpp"

namespace saltus::modelica {

FlatSection Builder::flatten(const std::vector<Section>& sections, bool initial) {
  FlatSection out;
  if (!initial) {
    for (const Symbol& s : symbols_) {
      if (s.is_held() || s.declaration->binding == no_expr) continue;
      FlatEquation q;
      q.left = name_expression(s);
      q.right = s.declaration->binding;
      q.span = from_to(s.declaration->span, e_[q.right].span);
      out.equations.push_back(std::move(q));
    }
  }
  for (const Section& s : sections)
    if (s.is_initial == initial) flatten(s.body, nullptr, out);
  return out;
}

ExprId Builder::name_expression(const Symbol& s) {
  ExprNode n;
  n.kind = ExprKind::name;
  n.name = e_.add_name(s.name());
  n.span = s.declaration->span;
  return e_.add(n);
}

void Builder::flatten(const std::vector<Statement>& body, const EnvironmentPointer& environment,
                      FlatSection& out) {
  for (const Statement& s : body) {
    attempt(s.span, [&] {
      budget_.keep(environment == nullptr ? 1 : std::max(1U, environment->lanes), s.span);
      switch (s.kind) {
        case StatementKind::equality:
          out.equations.push_back({s.left, s.right, s.span, environment, false});
          break;
        case StatementKind::call:
          out.calls.push_back({&s, environment});
          break;
        case StatementKind::when:
          out.whens.push_back({&s, environment});
          break;
        case StatementKind::for_loop:
          flatten_loop(s, environment, out);
          break;
        case StatementKind::if_else:
          flatten_if(s, environment, out);
          break;
        default:
          refuse(s.span, "this statement belongs in an algorithm section, not among equations");
      }
    });
  }
}

/// Only equations between Real variables, nothing in them that needs the number of a loop index at once.
bool Builder::can_be_family(const Statement& loop) const {
  for (const Statement& s : loop.branches[0].body) {
    if (s.kind == StatementKind::for_loop) {
      if (!can_be_family(s)) return false;
      continue;
    }
    if (s.kind != StatementKind::equality) return false;
    bool plain = true;
    std::vector<ExprId> open = {s.left, s.right};
    while (!open.empty() && plain) {
      const ExprId id = open.back();
      open.pop_back();
      const ExprKind kind = e_[id].kind;
      const auto parts = e_.children(id);
      if (kind == ExprKind::name) {
        const std::uint32_t k = symbols_.find(e_.name(id));
        if (k != SymbolTable::none)
          plain = symbols_[k].type.type == Type::real && symbols_[k].role != Role::defined &&
                  symbols_[k].dimensions.size() == parts.size();
        for (const ExprId subscript : parts)
          plain = plain && e_[subscript].kind != ExprKind::colon &&
                  e_[subscript].kind != ExprKind::range;
        continue;  // subscripts are numbers per lane
      }
      if (kind == ExprKind::call) {
        static const std::vector<std::string> simple = {
            "der", "abs", "sign", "min", "max", "noEvent", "atan2", "smooth", "homotopy"};
        plain = (is_elementary(e_.name(id)) ||
                 std::find(simple.begin(), simple.end(), e_.name(id)) != simple.end()) &&
                (parts.size() > 1 || (e_.name(id) != "min" && e_.name(id) != "max"));
      } else if (kind == ExprKind::relation) {
        // A comparison with the index itself chooses equations while the text is read.
        for (const ExprId side : parts)
          plain = plain &&
                  (e_[side].kind != ExprKind::name ||
                   symbols_.find(e_.name(side)) != SymbolTable::none || e_.name(side) == "time");
      } else {
        plain = kind == ExprKind::number || kind == ExprKind::sum || kind == ExprKind::product ||
                kind == ExprKind::power || kind == ExprKind::negative ||
                kind == ExprKind::if_else || kind == ExprKind::all_of || kind == ExprKind::any_of ||
                kind == ExprKind::negation;
      }
      open.insert(open.end(), parts.begin(), parts.end());
    }
    if (!plain) return false;
  }
  return true;
}

void Builder::flatten_loop(const Statement& s, const EnvironmentPointer& outer, FlatSection& out) {
  const bool in_family = outer != nullptr && outer->lanes > 1;
  const bool family = in_family || (as_families_ && can_be_family(s));
  std::vector<EnvironmentPointer> now = {outer != nullptr ? outer
                                                          : std::make_shared<const Environment>()};
  for (const LoopIndex& index : s.indices) {
    std::vector<EnvironmentPointer> next;
    for (const EnvironmentPointer& e : now) {
      if (e->find(index.name) != nullptr)
        refuse(index.span, "two loops around this have the same index '" + index.name + "'");
      const ContextScope scope(*translator_);
      if (e->lanes > 1) {
        // The range may depend on the outer index: lane by lane.
        Environment wide;
        wide.loops.resize(e->loops.size() + 1);
        for (std::size_t k = 0; k < e->loops.size(); ++k) wide.loops[k].name = e->loops[k].name;
        wide.loops.back().name = index.name;
        Environment one = *e;
        one.lanes = 0;
        for (std::uint32_t lane = 0; lane < e->lanes; ++lane) {
          for (std::size_t k = 0; k < one.loops.size(); ++k)
            if (e->loops[k].values.size() > 1) one.loops[k].values = {e->loops[k].values[lane]};
          translator_->context().environment = &one;
          for (const std::int64_t i : translator_->range(index.range)) {
            budget_.values(one.loops.size(), index.span);
            for (std::size_t k = 0; k < one.loops.size(); ++k)
              wide.loops[k].values.push_back(one.loops[k].values[0]);
            wide.loops.back().values.push_back(i);
          }
        }
        wide.lanes = static_cast<std::uint32_t>(wide.loops.back().values.size());
        if (wide.lanes == 0) continue;
        next.push_back(std::make_shared<const Environment>(std::move(wide)));
        continue;
      }
      translator_->context().environment = e.get();
      const std::vector<std::int64_t> values = translator_->range(index.range);
      if (family && values.size() > 1) {
        Environment wide = *e;
        for (auto& loop : wide.loops) loop.values.assign(values.size(), loop.values[0]);
        wide.loops.push_back({index.name, values});
        wide.lanes = static_cast<std::uint32_t>(values.size());
        next.push_back(std::make_shared<const Environment>(std::move(wide)));
        continue;
      }
      for (const std::int64_t i : values) {
        budget_.values(e->loops.size() + 1, index.span);
        Environment one = *e;
        one.loops.push_back({index.name, {i}});
        next.push_back(std::make_shared<const Environment>(std::move(one)));
      }
    }
    now = std::move(next);
  }
  for (const EnvironmentPointer& e : now) flatten(s.branches[0].body, e, out);
}

// ---- branches --------------------------------------------------------------------------------------

bool Builder::same_text(ExprId a, ExprId b) const {
  return e_[a].kind == ExprKind::name && e_[b].kind == ExprKind::name &&
         source_.text(e_[a].span) == source_.text(e_[b].span);
}

ExprId Builder::if_expression(const std::vector<Branch>& branches,
                              const std::vector<ExprId>& values, Span span) {
  std::vector<ExprId> parts;
  for (std::size_t k = 0; k + 1 < branches.size(); ++k) {
    parts.push_back(branches[k].condition);
    parts.push_back(values[k]);
  }
  parts.push_back(values.back());
  ExprNode n;
  n.kind = ExprKind::if_else;
  n.span = span;
  return e_.add(n, parts);
}

/// Which variables have an equation in one branch only.
std::string Builder::missing_in(const FlatSection& branch, const FlatSection& first) const {
  const auto names = [&](const FlatSection& of) {
    std::set<std::string> all;
    for (const FlatEquation& q : of.equations)
      if (e_[q.left].kind == ExprKind::name) all.insert(std::string(source_.text(e_[q.left].span)));
    return all;
  };
  const bool has_fewer = branch.equations.size() < first.equations.size();
  const std::set<std::string> fewer = names(has_fewer ? branch : first);
  for (const std::string& name : names(has_fewer ? first : branch))
    if (!fewer.contains(name))
      return std::string("; write one for '") + name + "' in " +
             (has_fewer ? "this branch" : "the first one") + ", too";
  return "";
}

/// A condition that is known now chooses one branch; others choose between the equations of the branches in
/// turn.
void Builder::flatten_if(const Statement& s, const EnvironmentPointer& environment,
                         FlatSection& out) {
  const auto is_known = [&](ExprId condition) {
    bool known = true;
    translator_->for_each_symbol(
        condition, [&](std::uint32_t k, ExprId) { known = known && symbols_[k].is_held(); });
    std::vector<ExprId> open = {condition};
    while (!open.empty()) {
      const ExprId id = open.back();
      open.pop_back();
      if (e_[id].kind == ExprKind::name && e_.name(id) == "time") known = false;
      if (e_[id].kind == ExprKind::call && e_.name(id) == "initial")
        refuse(e_[id].span, "'initial()' is supported as the condition of a when-clause only");
      if (e_[id].kind == ExprKind::call && e_.name(id) == "terminal") known = false;
      const auto parts = e_.children(id);
      open.insert(open.end(), parts.begin(), parts.end());
    }
    return known;
  };
  std::vector<const Branch*> left;
  for (const Branch& b : s.branches) {
    if (b.condition != no_expr && is_known(b.condition)) {
      const ContextScope scope(*translator_);
      translator_->context().environment = environment.get();
      if (translator_->constant(b.condition, "the condition of an if-equation") == 0) continue;
      left.push_back(&b);
      break;
    }
    left.push_back(&b);
    if (b.condition == no_expr) break;
  }
  if (left.empty()) return;
  if (left.size() == 1 && (left[0]->condition == no_expr || is_known(left[0]->condition))) {
    flatten(left[0]->body, environment, out);
    return;
  }
  const bool has_else = left.back()->condition == no_expr || is_known(left.back()->condition);
  std::vector<FlatSection> parts;
  for (const Branch* b : left) {
    FlatSection part;
    flatten(b->body, environment, part);
    if (!part.whens.empty())
      refuse(part.whens[0].statement->span,
             "a when-clause inside of an if-equation: put the "
             "condition into the when-clause");
    if (!part.calls.empty())
      refuse(part.calls[0].statement->span,
             "this is inside of an if-equation: put the condition into its own condition");
    parts.push_back(std::move(part));
  }
  const std::size_t n = parts[0].equations.size();
  if (!has_else && n > 0)
    refuse(s.span, "this if-equation has no 'else': where no condition holds, " +
                       std::to_string(n) + (n == 1 ? " equation is" : " equations are") +
                       " missing; write an 'else' with as many equations");
  std::vector<Branch> chosen;
  for (std::size_t k = 0; k < left.size(); ++k) {
    if (parts[k].equations.size() != n)
      refuse(left[k]->span,
             "the branches of an if-equation need the same number of equations: "
             "this one has " +
                 std::to_string(parts[k].equations.size()) + ", the first one (line " +
                 std::to_string(source_.line_of(left[0]->span.begin)) + ") " + std::to_string(n) +
                 missing_in(parts[k], parts[0]));
    chosen.push_back({left[k]->condition, left[k]->span, {}});
  }
  for (std::size_t i = 0; i < n; ++i) {
    bool same_left = true;
    for (const FlatSection& p : parts)
      same_left = same_left && same_text(p.equations[i].left, parts[0].equations[i].left);
    std::vector<ExprId> values;
    for (const FlatSection& p : parts) {
      const FlatEquation& q = p.equations[i];
      if (same_left) {
        values.push_back(q.right);
        continue;
      }
      const std::vector<ExprId> sides = {q.left, q.right};
      const std::vector<std::uint8_t> signs = {0, 1};
      ExprNode difference;
      difference.kind = ExprKind::sum;
      difference.span = q.span;
      difference.extra = e_.add_signs(signs);
      values.push_back(e_.add(difference, sides));
    }
    FlatEquation q;
    q.span = parts[0].equations[i].span;
    q.environment = parts[0].equations[i].environment;
    q.right = if_expression(chosen, values, s.span);
    if (same_left) {
      q.left = parts[0].equations[i].left;
    } else {
      ExprNode zero;
      zero.kind = ExprKind::number;
      zero.span = q.span;
      q.left = e_.add(zero);
    }
    out.equations.push_back(std::move(q));
  }
}

}  // namespace saltus::modelica
