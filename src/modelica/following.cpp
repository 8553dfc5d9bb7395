// Variables that change at events because an equation says so: they remember their value, so that the equation may
// read what it was before. And what happens at the very beginning of a run.
#include "modelica/builder.hpp"
#include "modelica/builder_attempt.hpp"
#include "modelica/when.hpp"
#include "modelica/whole_part.hpp"

namespace saltus::modelica {

void Builder::follow_equations() {
  for (std::uint32_t k = 0; k < symbols_.size(); ++k) {
    if (!symbols_[k].follows) continue;
    attempt(symbols_[k].declaration->span, [&] { follow(k); });
  }
}

void Builder::follow(std::uint32_t k) {
  const Symbol& s = symbols_[k];
  std::vector<std::uint8_t> has_equation(s.size, 0);
  for (const std::size_t index : definitions_[k]) {
    const FlatEquation& q = flat_.equations[index];
    const ContextScope scope(*translator_);
    translator_->context().environment = q.environment.get();
    const Translator::Reference r = translator_->reference(q.left);
    for (std::size_t j = 0; j < r.elements.size(); ++j) {
      if (has_equation[r.elements[j]]++ != 0)
        refuse(q.span, "'" + element_name(s, r.elements[j]) + "' has two equations");
      follow_element(s, r.elements[j], q, q.right, j);
    }
  }
  for (std::uint32_t e = 0; e < s.size; ++e)
    if (has_equation[e] == 0)
      refuse(s.declaration->span, "'" + element_name(s, e) + "' has no equation");
}

/// v = f(pre(v), relations): one clause for each value that f can have, carried out where it differs from v. Events
/// are iterated until it does not.
void Builder::follow_element(const Symbol& s, std::uint32_t element, const FlatEquation& q,
                             ExprId value, std::size_t which) {
  Graph& g = translator_->graph();
  Model& m = *result_.model;
  const ContextScope scope(*translator_);
  translator_->context().previous_is_current = true;
  const Expr& variable = s.numbers[element];
  const std::string name =
      unique_name(text_on_one_line(source_.text(q.span)), q.span, q.environment, clause_names_);
  const auto one_of = [&](ExprId id) {
    const Tensor t = translator_->tensor(id);
    if (!t.is_scalar() && which >= t.elements.size())
      refuse_sizes(q.span, s.size, t.elements.size());
    const Value v = t.elements[t.is_scalar() ? 0 : which];
    check_type(s, v, e_[id].span);
    return v;
  };
  const Value whole = one_of(value);
  add_start(variable, translator_->as_kept(whole));
  if (s.type.type == Type::boolean) {
    const Literal now = translator_->from_kept(s.type, variable).truth;
    const Cond rises(g, g.conjunction(whole.truth, negate(now)));
    const Cond falls(g, g.conjunction(negate(whole.truth), now));
    if (rises.literal() != literal_false) m.when(name + ": true", rises, {{variable, 1.0}});
    if (falls.literal() != literal_false) m.when(name + ": false", falls, {{variable, 0.0}});
    return;
  }
  struct Leaf {
    Literal under;
    ExprId value;
  };
  std::vector<Leaf> open = {{literal_true, value}};
  int n = 0;
  while (!open.empty()) {
    const Leaf leaf = open.back();
    open.pop_back();
    if (leaf.under == literal_false) continue;
    if (e_[leaf.value].kind == ExprKind::if_else) {
      const auto parts = e_.children(leaf.value);
      Literal rest = leaf.under;
      for (std::size_t k = 0; k + 1 < parts.size(); k += 2) {
        const Literal c = translator_->truth(parts[k]);
        open.push_back({g.conjunction(rest, c), parts[k + 1]});
        rest = g.conjunction(rest, negate(c));
      }
      open.push_back({rest, parts.back()});
      continue;
    }
    const Value v = one_of(leaf.value);
    const NodeId node = v.number.in(g);
    if (g.node(node).rate == Rate::varying)
      refuse(e_[leaf.value].span, "'" + s.name() +
                                      "' changes at events only, this changes with "
                                      "time: set it by a when-clause");
    const Literal differs = g.relation(node, Comparison::not_equal, variable.id());
    const Literal trigger = g.conjunction(leaf.under, differs);
    if (trigger == literal_false) continue;
    m.when(name + (++n > 1 ? ", case " + std::to_string(n) : ""), Cond(g, trigger),
           {{variable, v.number}});
  }
}

/// A number that changes where its argument passes an Integer.
Expr Builder::whole_part(const Expr& argument, Span where) {
  Graph& g = translator_->graph();
  const NodeId node = argument.in(g);
  const Expr at_once(g, g.external(whole_part_function(), std::span(&node, 1), 0));
  const Context& context = translator_->context();
  if (g.node(node).rate != Rate::varying || context.in_when ||
      context.tracking == Tracking::untracked)
    return at_once;
  if (argument.is_array())
    refuse(
        where,
        "rounding inside of for-equations is not supported: write these equations without a loop");
  if (const auto known = rounded_.find(node); known != rounded_.end()) return known->second;
  Model& m = *result_.model;
  const std::string name =
      unique_name(text_on_one_line(source_.text(where)), where, nullptr, clause_names_);
  const Expr kept = m.discrete(name, 0.0);
  m.hide(kept);
  // At the start the argument may stand on an Integer and leave it downward: a condition that holds from there on
  // has to become true once more, after the first value is known.
  if (!started_) {
    started_ = m.discrete(unique_name("the run has begun", where, nullptr, clause_names_), 0.0);
    m.hide(*started_);
    add_start(*started_, 1.0);
  }
  const Cond begun = *started_ > 0.5;
  // However far it has jumped, and even if the event lies a little before the Integer.
  m.when(name + ": up", argument >= kept + 1.0 && begun,
         {{kept, max(at_once, pre(kept) + 1.0, Tracking::untracked)}});
  m.when(name + ": down", argument < kept && begun,
         {{kept, min(at_once, pre(kept) - 1.0, Tracking::untracked)}});
  add_start(kept, at_once);
  rounded_.emplace(node, kept);
  return kept;
}

/// A variable that the last instant sets.
Cond Builder::is_over() {
  if (!over_) {
    Model& m = *result_.model;
    over_ =
        m.discrete(unique_name("the run is over", model_class_->span, nullptr, clause_names_), 0.0);
    m.hide(*over_);
    m.at_end(unique_name("terminal()", model_class_->span, nullptr, clause_names_),
             {{*over_, 1.0}});
  }
  return *over_ > 0.5;
}

void Builder::finish_start() {
  if (start_sets_.empty() || messages_.has_errors()) return;
  attempt(model_class_->span, [&] { result_.model->at_start("start", std::move(start_sets_)); });
}

}  // namespace saltus::modelica
