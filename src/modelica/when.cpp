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

void Builder::add_when_clauses() {
  std::vector<Clause> all;
  for (const FlatStatement& w : flat_.whens) {
    ++when_number_;
    attempt(w.statement->span, [&] {
      for (Clause& c : clauses_of(w)) all.push_back(std::move(c));
    });
  }
  if (messages_.has_errors()) return;
  join_equal_conditions(all);
  for (const Clause& c : all)
    attempt(c.span, [&] {
      if (c.at_start) emit_start(c);
      emit(c);
    });
}

void Builder::find_triggers(ExprId condition, Clause& c) {
  const ContextScope scope(*translator_);
  translator_->context().in_trigger = true;
  std::vector<ExprId> triggers = {condition};
  if (e_[condition].kind == ExprKind::array) {
    const auto parts = e_.children(condition);
    triggers.assign(parts.begin(), parts.end());
  }
  for (const ExprId t : triggers) {
    const bool is_call = e_[t].kind == ExprKind::call;
    if (is_call && e_.name(t) == "initial") {
      c.at_start = true;
      c.start_condition = literal_true;
      continue;
    }
    const Literal l = translator_->truth(t);
    if (l == literal_true)
      messages_.warning(e_[t].span, "this always holds: it never becomes true");
    if (l == literal_true || l == literal_false) continue;
    c.conditions.emplace_back(translator_->graph(), l);
    // A sampling moment that is the beginning of the run counts as one.
    if (is_call && e_.name(t) == "sample" && !(c.at_start && c.start_condition == literal_true)) {
      const auto arguments = e_.children(t);
      const double start = translator_->constant(arguments[0], "the first moment of 'sample'");
      const double interval = translator_->constant(arguments[1], "the interval of 'sample'");
      for (const ExprId a : arguments) pin(a, "decides when 'sample' becomes true");
      if (start > begin_of_run()) continue;
      Graph& g = translator_->graph();
      const Expr ticks = (result_.model->time() - start) / interval;
      const NodeId node = ticks.in(g);
      const Expr whole(g, g.external(whole_part_function(), std::span(&node, 1), 0));
      const Cond is_tick = untracked(ticks, Comparison::less_equal, whole) &&
                           untracked(ticks, Comparison::greater_equal, 0.0);
      c.start_condition =
          c.at_start ? g.disjunction(c.start_condition, is_tick.literal()) : is_tick.literal();
      c.at_start = true;
    }
  }
}

double Builder::begin_of_run() {
  for (const Modifier& m : model_class_->experiment)
    if (m.name == "StartTime" && m.value != no_expr)
      return translator_->constant(m.value, "'StartTime'");
  return 0.0;
}

std::vector<Builder::Clause> Builder::clauses_of(const FlatStatement& w) {
  const ContextScope scope(*translator_);
  translator_->context().environment = w.environment.get();
  const Statement& s = *w.statement;
  std::vector<Clause> clauses;
  bool starts = false;
  for (std::size_t k = 0; k < s.branches.size(); ++k) {
    const Branch& b = s.branches[k];
    Clause c;
    c.span = b.span;
    c.environment = w.environment;
    c.priority = static_cast<int>(s.branches.size() - 1 - k);
    c.name =
        unique_name(text_on_one_line(source_.text(b.span)), b.span, w.environment, clause_names_);
    find_triggers(b.condition, c);
    if (starts) c.at_start = false;  // the first one wins
    starts = starts || c.at_start;
    const bool is_algorithm = std::any_of(b.body.begin(), b.body.end(), [](const Statement& one) {
      return one.kind == StatementKind::assign;
    });
    if (is_algorithm) {
      collect_statements(b.body, c);
    } else {
      collect_body(b.body, c);
    }
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
        if (!has)
          clauses[k].sets.push_back({set.symbol, set.element, no_expr, 0, set.span, true, {}, {}});
      }
    }
  }
  return clauses;
}

/// Clauses with the same conditions happen together, and their equations hold together.
void Builder::join_equal_conditions(std::vector<Clause>& clauses) const {
  std::map<std::vector<Literal>, std::size_t> first_with;
  std::vector<Clause> joined;
  for (Clause& c : clauses) {
    std::vector<Literal> key;
    for (const Cond& condition : c.conditions) key.push_back(condition.literal());
    std::sort(key.begin(), key.end());
    const bool is_alone = c.priority == 0 && !key.empty();
    const auto found = is_alone ? first_with.find(key) : first_with.end();
    const bool joins = found != first_with.end() && joined[found->second].priority == 0 &&
                       joined[found->second].at_start == c.at_start;
    if (!joins) {
      if (is_alone) first_with[key] = joined.size();
      joined.push_back(std::move(c));
      continue;
    }
    Clause& to = joined[found->second];
    to.sets.insert(to.sets.end(), c.sets.begin(), c.sets.end());
    to.ends.insert(to.ends.end(), c.ends.begin(), c.ends.end());
  }
  clauses = std::move(joined);
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
          add_set(c, {r.symbol, r.elements[k], s.right, k, s.span, false, c.environment});
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
      add_set(c, {r.symbol, r.elements[k], arguments[1], k, s.span, true, c.environment});
  } else if (name == "terminate") {
    if (arguments.size() != 1) refuse(s.span, "'terminate' takes a message");
    const Value v = translator_->value(arguments[0]);
    if (v.type != Type::string) refuse(e_[arguments[0]].span, "'terminate' takes a message");
    c.ends.push_back(v.text);
  } else if (name == "assert") {
    refuse(s.span,
           "'assert' inside of a when-clause is not supported: it holds all the time "
           "where it stands among the equations");
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
    if (c.sets[k].value == no_expr || c.sets[k].computed) return needs;
    const ContextScope scope(*translator_);
    translator_->context().environment = c.sets[k].environment.get();
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

std::vector<Model::Set> Builder::values_of(
    const Clause& c, std::map<std::pair<std::uint32_t, std::uint32_t>, Value>& known) {
  const ContextScope scope(*translator_);
  translator_->context().in_when = true;
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
    translator_->context().environment = set.environment.get();
    const Tensor t = set.computed ? Tensor{{}, {*set.computed}} : translator_->tensor(set.value);
    const Span where = e_[set.value].span;
    if (!t.is_scalar() && set.which >= t.elements.size())
      refuse(where, "the two sides have different sizes");
    const Value& v = t.elements[t.is_scalar() ? 0 : set.which];
    check_type(s, v, where);
    sets.push_back({variable, translator_->as_kept(v)});
    if (!set.is_reinit) known[{set.symbol, set.element}] = v;
  }
  return sets;
}

/// Whether a variable can have a value.
void Builder::check_type(const Symbol& s, const Value& v, Span where) const {
  if (s.type.type == Type::boolean) {
    (void)translator_->as_truth(v, where);
    return;
  }
  (void)translator_->as_number(v, where);
  if (v.enumeration != s.type.enumeration)
    refuse(where, "'" + s.name() + "' is " +
                      (s.type.enumeration != nullptr ? "an enumeration, this is no literal of it"
                                                     : "a number, this is an enumeration"));
  if (s.type.type == Type::integer && v.type == Type::real)
    refuse(where, "'" + s.name() + "' is an Integer, this is a Real number: use 'integer(...)'");
}

void Builder::emit_start(const Clause& c) {
  std::vector<Model::Set> sets = values_of(c, known_at_start_);
  for (Model::Set& set : sets) {
    if (c.start_condition != literal_true)
      set.value = where(Cond(translator_->graph(), c.start_condition), set.value, set.variable);
    start_sets_.push_back(set);
  }
  if (!c.ends.empty())
    refuse(c.span, "a run that ends at its very beginning: 'terminate' in 'when initial()'");
}

void Builder::emit(const Clause& c) {
  if (c.conditions.empty()) return;
  Model& m = *result_.model;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Value> known;
  std::vector<Model::Set> sets = values_of(c, known);
  const bool has_sets = !sets.empty();
  if (has_sets) m.when_any(c.name, c.conditions, std::move(sets), {.priority = c.priority});
  int n = 0;
  for (const std::string& message : c.ends) {
    for (const Cond& condition : c.conditions) {
      std::string name = !has_sets && n == 0 ? c.name : c.name + ": terminate";
      if (n > 0) name += " " + std::to_string(n + 1);
      m.terminate_when(name, condition, message);
      ++n;
    }
  }
}

}  // namespace saltus::modelica
