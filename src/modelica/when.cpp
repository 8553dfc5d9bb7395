// When-clauses.
#include <algorithm>

#include <saltus/core/text.hpp>

#include "modelica/builder.hpp"
#include "modelica/builder_attempt.hpp"
#include "modelica/when.hpp"
#include "modelica/whole_part.hpp"

namespace saltus::modelica {

Cond Builder::clock(double start, double interval, Span) {
  const auto found = clocks_.find({start, interval});
  if (found != clocks_.end()) return found->second;
  const std::string name = "sample(" + to_text(start) + ", " + to_text(interval) + ")";
  const Cond c = result_.model->every(name, start, interval);
  clocks_.emplace(std::pair(start, interval), c);
  return c;
}

Expr Builder::whole_part(const Expr& argument, Span where) {
  Graph& g = translator_->graph();
  const bool is_watched =
      g.node(argument.in(g)).rate == Rate::varying && !translator_->context().in_when;
  if (is_watched)
    refuse(where,
           "rounding of a quantity that changes with time is supported in when-clauses only");
  const NodeId node = argument.in(g);
  return {g, g.external(whole_part_function(), std::span(&node, 1), 0)};
}

void Builder::add_when_clauses() {
  for (const FlatStatement& w : flat_.whens) {
    ++when_number_;
    attempt(w.statement->span, [&] { add_when(w); });
  }
}

namespace {

/// {a, b, c} or a single one.
std::vector<ExprId> triggers_of(const Expressions& e, ExprId condition) {
  if (e[condition].kind != ExprKind::array) return {condition};
  const auto parts = e.children(condition);
  return {parts.begin(), parts.end()};
}

}  // namespace

void Builder::add_when(const FlatStatement& w) {
  const ContextScope scope(*translator_);
  translator_->context().environment = w.environment.get();
  const Statement& s = *w.statement;
  std::vector<Clause> clauses;
  for (std::size_t k = 0; k < s.branches.size(); ++k) {
    const Branch& b = s.branches[k];
    Clause c;
    c.span = b.span;
    c.environment = w.environment;
    c.priority = static_cast<int>(s.branches.size() - 1 - k);
    c.name =
        unique_name(text_on_one_line(source_.text(b.span)), b.span, w.environment, clause_names_);
    {
      const ContextScope in_trigger(*translator_);
      translator_->context().in_trigger = true;
      for (const ExprId t : triggers_of(e_, b.condition)) {
        const Literal l = translator_->truth(t);
        if (l == literal_true)
          messages_.warning(e_[t].span, "this always holds: it never becomes true");
        if (l != literal_true && l != literal_false)
          c.conditions.emplace_back(translator_->graph(), l);
      }
    }
    collect_body(b.body, c);
    clauses.push_back(std::move(c));
  }
  // Of several branches at one moment only the first is carried out: it also keeps what others would set.
  for (std::size_t k = 0; k + 1 < clauses.size(); ++k) {
    for (std::size_t other = k + 1; other < clauses.size(); ++other) {
      for (const Set& set : clauses[other].sets) {
        const bool has =
            std::any_of(clauses[k].sets.begin(), clauses[k].sets.end(), [&](const Set& mine) {
              return mine.symbol == set.symbol && mine.element == set.element;
            });
        if (!has) clauses[k].sets.push_back({set.symbol, set.element, no_expr, 0, set.span, true});
      }
    }
  }
  for (const Clause& c : clauses) emit(c);
}

void Builder::collect_body(const std::vector<Statement>& body, Clause& c) {
  for (const Statement& s : body) {
    switch (s.kind) {
      case StatementKind::equality: {
        const ExprId target = s.left;
        if (e_[target].kind != ExprKind::name)
          refuse(e_[target].span, "an equation of a when-clause has a variable on its left side");
        const Translator::Reference r = translator_->reference(target);
        const Symbol& symbol = symbols_[r.symbol];
        if (symbol.is_held())
          refuse(e_[target].span, "'" + symbol.name() + "' does not change during a run");
        for (std::size_t k = 0; k < r.elements.size(); ++k)
          add_set(c, {r.symbol, r.elements[k], s.right, k, s.span, false});
        break;
      }
      case StatementKind::call:
        collect_call(s, c);
        break;
      default:
        refuse(s.span, "this is not supported inside of a when-clause");
    }
  }
}

void Builder::add_set(Clause& c, Set set) {
  for (const Set& other : c.sets) {
    if (other.symbol == set.symbol && other.element == set.element)
      refuse(set.span, "'" + element_name(symbols_[set.symbol], set.element) +
                           "' is set twice in this when-clause");
  }
  if (!set.is_reinit) {
    const auto [first, is_new] =
        set_by_.try_emplace({set.symbol, set.element}, std::pair(c.span, when_number_));
    if (!is_new && first->second.second != when_number_)
      refuse(set.span, "'" + element_name(symbols_[set.symbol], set.element) +
                           "' is set by two when-clauses, the other one in line " +
                           std::to_string(source_.line_of(first->second.first.begin)) +
                           ": join them by 'elsewhen'");
  }
  c.sets.push_back(set);
}

void Builder::collect_call(const Statement& s, Clause& c) {
  const std::string& name = e_.name(s.left);
  const auto arguments = e_.children(s.left);
  if (name == "reinit") {
    if (arguments.size() != 2) refuse(s.span, "'reinit' takes a state and its new value");
    if (e_[arguments[0]].kind != ExprKind::name)
      refuse(e_[arguments[0]].span, "'reinit' takes a variable first");
    const Translator::Reference r = translator_->reference(arguments[0]);
    const Symbol& symbol = symbols_[r.symbol];
    if (symbol.role != Role::unknown || !symbol.has_derivative)
      refuse(e_[arguments[0]].span, "'" + symbol.name() +
                                        "' is no state: 'reinit' takes variables "
                                        "that occur with 'der'");
    for (std::size_t k = 0; k < r.elements.size(); ++k)
      add_set(c, {r.symbol, r.elements[k], arguments[1], k, s.span, true});
  } else if (name == "terminate") {
    if (arguments.size() != 1) refuse(s.span, "'terminate' takes a message");
    const Value v = translator_->value(arguments[0]);
    if (v.type != Type::string) refuse(e_[arguments[0]].span, "'terminate' takes a message");
    c.ends.push_back(v.text);
  } else if (name == "assert") {
    refuse(s.span, "'assert' inside of a when-clause is not supported yet");
  } else {
    refuse(s.span,
           "a call of '" + name + "' does nothing here: 'variable = " + name + "(...)' does");
  }
}

/// What it sets, each after what it reads of the others: all hold at the same moment.
std::vector<std::size_t> Builder::sets_in_order(const Clause& c) {
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> of_symbol;
  for (std::size_t k = 0; k < c.sets.size(); ++k)
    if (!c.sets[k].is_reinit) of_symbol[c.sets[k].symbol].push_back(k);
  std::vector<std::uint8_t> marks(c.sets.size(), 0);  // 1: open, 2: done
  std::vector<std::size_t> order;
  struct Visit {
    std::size_t set;
    std::vector<std::size_t> needs;
    std::size_t next = 0;
  };
  const auto needs_of = [&](std::size_t k) {
    std::vector<std::size_t> needs;
    if (c.sets[k].value == no_expr) return needs;
    translator_->for_each_symbol(
        c.sets[k].value,
        [&](std::uint32_t s, ExprId name) {
          const auto found = of_symbol.find(s);
          if (found == of_symbol.end()) return;
          const Translator::Reference r = translator_->reference(name);
          for (const std::size_t other : found->second)
            if (std::find(r.elements.begin(), r.elements.end(), c.sets[other].element) !=
                r.elements.end())
              needs.push_back(other);
        },
        true);
    return needs;
  };
  for (std::size_t k = 0; k < c.sets.size(); ++k) {
    if (marks[k] != 0) continue;
    std::vector<Visit> path = {{k, needs_of(k)}};
    marks[k] = 1;
    while (!path.empty()) {
      Visit& v = path.back();
      if (v.next == v.needs.size()) {
        marks[v.set] = 2;
        order.push_back(v.set);
        path.pop_back();
        continue;
      }
      const std::size_t next = v.needs[v.next++];
      if (marks[next] == 2) continue;
      if (marks[next] == 1) {
        const std::string name = element_name(symbols_[c.sets[next].symbol], c.sets[next].element);
        refuse(c.sets[next].span, "the new value of '" + name + "' depends on itself: write pre(" +
                                      name + ") for the value before the event");
      }
      marks[next] = 1;
      path.push_back({next, needs_of(next)});
    }
  }
  return order;
}

void Builder::emit(const Clause& c) {
  if (c.conditions.empty()) return;
  Model& m = *result_.model;
  const ContextScope scope(*translator_);
  translator_->context().in_when = true;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Value> known;
  const std::function<const Value*(std::uint32_t, std::uint32_t)> new_values =
      [&](std::uint32_t s, std::uint32_t e) -> const Value* {
    const auto found = known.find({s, e});
    return found == known.end() ? nullptr : &found->second;
  };
  translator_->context().new_values = &new_values;
  std::vector<Model::Set> sets;
  for (const std::size_t k : sets_in_order(c)) {
    const Set& set = c.sets[k];
    const Symbol& s = symbols_[set.symbol];
    const Expr& variable = s.numbers[set.element];
    if (set.value == no_expr) {
      sets.push_back({variable, s.role == Role::discrete ? pre(variable) : variable});
      continue;
    }
    const Tensor t = translator_->tensor(set.value);
    const Span where = e_[set.value].span;
    if (!t.is_scalar() && set.which >= t.elements.size())
      refuse(where, "the two sides have different sizes");
    Value v = t.elements[t.is_scalar() ? 0 : set.which];
    const bool is_truth = s.type.type == Type::boolean;
    if (is_truth) {
      translator_->as_truth(v, where);
    } else {
      translator_->as_number(v, where);
      if (v.enumeration != s.type.enumeration)
        refuse(where,
               "'" + s.name() + "' is " +
                   (s.type.enumeration != nullptr ? "an enumeration, this is no literal of it"
                                                  : "a number, this is an enumeration"));
      if (s.type.type == Type::integer && v.type == Type::real)
        refuse(where, "'" + s.name() +
                          "' is an Integer, this is a Real number: use "
                          "'integer(...)'");
    }
    const Expr kept = translator_->as_kept(v);
    sets.push_back({variable, kept});
    if (!set.is_reinit) known[{set.symbol, set.element}] = v;
  }
  if (!sets.empty()) m.when_any(c.name, c.conditions, std::move(sets), {.priority = c.priority});
  int n = 0;
  for (const std::string& message : c.ends) {
    for (const Cond& condition : c.conditions) {
      std::string name = sets.empty() && n == 0 && c.sets.empty() ? c.name : c.name + ": terminate";
      if (n > 0) name += " " + std::to_string(n + 1);
      m.terminate_when(name, condition, message);
      ++n;
    }
  }
}

}  // namespace saltus::modelica
