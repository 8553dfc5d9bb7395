// When-clauses.
#include <algorithm>
#include <utility>

#include <saltus/core/text.hpp>
#include <saltus/expr/text.hpp>

#include "modelica/builder.hpp"
#include "modelica/builder_attempt.hpp"
#include "modelica/ordering.hpp"
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
  for (const FlatStatement& w : flat_.whens) {
    ++when_number_;
    attempt(w.statement->span, [&] {
      for (Clause& c : clauses_of(w)) clauses_.push_back(std::move(c));
    });
  }
  if (messages_.has_errors()) return;
  join_equal_conditions(clauses_);
  for (std::size_t c = 0; c < clauses_.size(); ++c)
    for (std::size_t k = 0; k < clauses_[c].sets.size(); ++k)
      if (!clauses_[c].sets[k].is_reinit)
        setters_[{clauses_[c].sets[k].symbol, clauses_[c].sets[k].element}].emplace_back(c, k);
  std::vector<ClauseSet> order;
  if (!attempt(model_class_->span, [&] { order = sets_in_order(); })) return;
  set_at_start(order);
  set_at_events(order);
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
      messages_.warning(
          e_[t].span,
          "this always holds: it never becomes true, so the when-clause is never carried out");
    if (l == literal_true || l == literal_false) continue;
    c.conditions.emplace_back(translator_->graph(), l);
    // A sampling moment that is the beginning of the run counts as one.
    if (is_call && e_.name(t) == "sample" && !(c.at_start && c.start_condition == literal_true)) {
      const auto arguments = e_.children(t);
      const double start = translator_->constant(arguments[0], "the first moment of 'sample'");
      const double interval = translator_->constant(arguments[1], "the interval of 'sample'");
      for (const ExprId a : arguments)
        pin(a, "decides when 'sample' becomes true", Pinned::value_and_derivatives);
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
    c.algorithm = w.algorithm;
    c.place = w.place;
    c.priority = static_cast<int>(s.branches.size() - 1 - k);
    c.name =
        unique_name(text_on_one_line(source_.text(b.span)), b.span, w.environment, clause_names_);
    find_triggers(b.condition, c);
    if (starts) c.at_start = false;  // the first one wins
    starts = starts || c.at_start;
    collect_branch(b, c);
    clauses.push_back(std::move(c));
  }
  // Of several branches at one moment only the first is carried out: it also keeps what others would set.
  for (std::size_t k = 0; k + 1 < clauses.size(); ++k) {
    for (std::size_t other = k + 1; other < clauses.size(); ++other) {
      for (const Set& set : clauses[other].sets) {
        if (!clauses[k].targets.emplace(set.symbol, set.element).second) continue;
        clauses[k].sets.push_back(
            {set.symbol, set.element, no_expr, 0, set.span, set.is_reinit, {}, false});
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
    const bool is_alone = c.priority == 0 && !key.empty() && c.statements.empty();
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
    to.checks.insert(to.checks.end(), c.checks.begin(), c.checks.end());
  }
  clauses = std::move(joined);
}

void Builder::collect_branch(const Branch& b, Clause& c) {
  const bool is_algorithm = std::any_of(b.body.begin(), b.body.end(), [](const Statement& one) {
    return one.kind == StatementKind::assign;
  });
  if (is_algorithm) {
    // What is checked or ends the run is no assignment; the rest is carried out in order.
    std::vector<Statement> rest;
    for (const Statement& s : b.body) {
      const bool is_call = s.kind == StatementKind::call &&
                           (e_.name(s.left) == "assert" || e_.name(s.left) == "terminate");
      if (!is_call) {
        rest.push_back(s);
        continue;
      }
      collect_call({&s, c.environment}, c);
    }
    collect_statements(rest, c);
    return;
  }
  FlatSection body;
  as_families_ = false;
  flatten(b.body, c.environment, body);
  as_families_ = true;
  if (!body.whens.empty())
    refuse(body.whens[0].statement->span,
           "a when-clause inside of a when-clause: join their conditions by 'and'");
  for (const FlatEquation& q : body.equations) collect_equation(q, c);
  for (const FlatStatement& call : body.calls) collect_call(call, c);
}

void Builder::collect_equation(const FlatEquation& q, Clause& c) {
  if (e_[q.left].kind != ExprKind::name)
    refuse(e_[q.left].span, "an equation of a when-clause has a variable on its left side");
  const ContextScope scope(*translator_);
  translator_->context().environment = q.environment.get();
  const Translator::Reference r = translator_->reference(q.left);
  const Symbol& symbol = symbols_[r.symbol];
  if (symbol.is_held())
    refuse(e_[q.left].span, "'" + symbol.name() + "' does not change during a run");
  for (std::size_t k = 0; k < r.elements.size(); ++k)
    add_set(c, {r.symbol, r.elements[k], q.right, k, q.span, false, q.environment});
}

void Builder::add_set(Clause& c, Set set) {
  budget_.keep(1, set.span);
  if (!c.targets.emplace(set.symbol, set.element).second)
    refuse(set.span, "'" + element_name(symbols_[set.symbol], set.element) +
                         "' is set twice in this when-clause");
  if (!set.is_reinit) {
    const auto [first, is_new] =
        set_by_.try_emplace({set.symbol, set.element}, std::pair(c.span, when_number_));
    if (!is_new && first->second.second != when_number_)
      refuse(set.span, "'" + element_name(symbols_[set.symbol], set.element) +
                           "' is set by two when-clauses, the other one in line " +
                           std::to_string(source_.line_of(first->second.first.begin)) +
                           ": join them by 'elsewhen'");
  }
  c.sets.push_back(std::move(set));
}

void Builder::collect_call(const FlatStatement& call, Clause& c) {
  const Statement& s = *call.statement;
  const ContextScope scope(*translator_);
  translator_->context().environment = call.environment.get();
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
                                        "' is not a state: 'reinit' takes variables "
                                        "that occur with 'der'");
    for (std::size_t k = 0; k < r.elements.size(); ++k)
      add_set(c, {r.symbol, r.elements[k], arguments[1], k, s.span, true, call.environment});
  } else if (name == "terminate") {
    if (arguments.size() != 1) refuse(s.span, "'terminate' takes a message");
    const Value v = translator_->value(arguments[0]);
    if (v.type != Type::string) refuse(e_[arguments[0]].span, "'terminate' takes a message");
    c.ends.push_back(v.text);
  } else if (name == "assert") {
    add_check(call, c);
  } else {
    refuse(s.span,
           "a call of '" + name + "' does nothing here: write 'variable = " + name + "(...)'");
  }
}

/// assert(condition, message, level), looked at when the clause is carried out: its result is remembered in a variable
/// of its own, and that is what fails.
void Builder::add_check(const FlatStatement& call, Clause& c) {
  const Assertion a = assertion_of(*call.statement);
  Model& m = *result_.model;
  const std::string name =
      unique_name(text_on_one_line("assert " + std::string(source_.text(e_[a.condition].span))) +
                      " in '" + c.name + "'",
                  call.statement->span, call.environment, clause_names_);
  const Expr failed = m.discrete(name, 0.0);
  m.hide(failed);
  if (a.is_warning) {
    m.when(name + ": " + a.message, failed > 0.5, {{failed, 0.0}});
  } else {
    m.assert_always(name, failed < 0.5,
                    a.message.empty() ? "the condition does not hold" : a.message);
  }
  c.checks.push_back({failed, a.condition, call.environment});
}

/// What clauses set, each after what it reads of the others: all that happens at a moment holds together.
std::vector<Builder::ClauseSet> Builder::sets_in_order() {
  std::vector<ClauseSet> all;
  std::map<ClauseSet, std::uint32_t> number;
  for (std::size_t c = 0; c < clauses_.size(); ++c)
    for (std::size_t k = 0; k < clauses_[c].sets.size(); ++k) {
      number.emplace(ClauseSet{c, k}, static_cast<std::uint32_t>(all.size()));
      all.emplace_back(c, k);
    }
  const auto needs_of = [&](std::uint32_t item) {
    std::vector<std::uint32_t> needs;
    const auto [c, k] = all[item];
    const Clause& clause = clauses_[c];
    const Set& set = clause.sets[k];
    if (set.value == no_expr) return needs;
    if (set.is_by_statements) {
      for_each_read(clause.statements, [&](std::uint32_t s, ExprId) {
        for (std::uint32_t e = 0; symbols_[s].role == Role::discrete && e < symbols_[s].size; ++e) {
          const auto found = setters_.find({s, e});
          if (found == setters_.end() || clause.targets.contains({s, e}) ||
              reads_old_value(clause, {s, e}))
            continue;
          for (const ClauseSet& other : found->second) needs.push_back(number.at(other));
        }
      });
      return needs;
    }
    const ContextScope scope(*translator_);
    translator_->context().environment = set.environment.get();
    translator_->for_each_symbol(
        set.value,
        [&](std::uint32_t s, ExprId name) {
          if (symbols_[s].role != Role::discrete) return;
          for (const std::uint32_t e : translator_->reference(name).elements) {
            const auto found = setters_.find({s, e});
            if (found == setters_.end()) continue;
            for (const ClauseSet& other : found->second) needs.push_back(number.at(other));
          }
        },
        true);
    return needs;
  };
  const Ordering found = in_order(static_cast<std::uint32_t>(all.size()), needs_of);
  if (!found.circle.empty()) {
    std::string path;
    std::vector<Span> spans;
    const auto name_of = [&](std::uint32_t item) {
      const Set& set = clauses_[all[item].first].sets[all[item].second];
      return element_name(symbols_[set.symbol], set.element);
    };
    for (const std::uint32_t item : found.circle) {
      path += name_of(item) + " -> ";
      spans.push_back(clauses_[all[item].first].sets[all[item].second].span);
    }
    const std::string first = name_of(found.circle.front());
    const std::string read = name_of(found.circle.size() > 1 ? found.circle[1] : found.circle[0]);
    refuse(spans.front(), "the new value of '" + first + "' depends on itself: " + path + first +
                              " (" + lines_of(spans) + "); write pre(" + read +
                              ") here for the value of '" + read + "' before the event");
  }
  std::vector<ClauseSet> order;
  for (const std::uint32_t item : found.order) order.push_back(all[item]);
  return order;
}

/// What a clause gives to a variable.
Value Builder::value_of(Clause& c, const Set& set) {
  const Symbol& s = symbols_[set.symbol];
  translator_->context().environment = set.environment.get();
  const Tensor t = set.is_by_statements ? Tensor{{}, {outcome_of_statements(c, set)}}
                                        : translator_->tensor(set.value);
  const Span where = e_[set.value].span;
  if (!t.is_scalar() && set.which >= t.elements.size())
    refuse(where, "the two sides have different sizes");
  const Value& v = t.elements[t.is_scalar() ? 0 : set.which];
  check_type(s, v, where);
  return v;
}

/// Whether a condition has become true at this very moment: it holds, and did not before.
Literal Builder::becomes_true(const Cond& condition) {
  Model& m = *result_.model;
  Graph& g = translator_->graph();
  auto found = held_before_.find(condition.literal());
  if (found == held_before_.end()) {
    const std::string name =
        unique_name("whether " + condition_text(g, condition.literal()) + " held before",
                    model_class_->span, nullptr, clause_names_);
    const Expr before = m.discrete(name, 0.0);
    m.hide(before);
    m.when(name + ": yes", condition, {{before, 1.0}});
    m.when(name + ": no", !condition, {{before, 0.0}});
    add_start(before, where(condition, 1.0, 0.0));
    found = held_before_.emplace(condition.literal(), before).first;
  }
  return g.conjunction(condition.literal(), (found->second < 0.5).literal());
}

/// The value of a variable at this moment, as others read it: new if a clause that sets it is carried out.
Value Builder::value_now(std::uint32_t symbol, std::uint32_t element) {
  const auto known = values_now_.find({symbol, element});
  if (known != values_now_.end()) return known->second;
  Graph& g = translator_->graph();
  const Symbol& s = symbols_[symbol];
  Value v = translator_->from_kept(s.type, s.numbers[element]);
  std::vector<ClauseSet> setters = setters_.at({symbol, element});
  // Of several branches the first one wins.
  std::stable_sort(setters.begin(), setters.end(), [&](const ClauseSet& a, const ClauseSet& b) {
    return clauses_[a.first].priority < clauses_[b.first].priority;
  });
  const Value before = v;
  for (const ClauseSet& at : setters) {
    const Clause& c = clauses_[at.first];
    Literal happens = literal_false;
    for (const Cond& condition : c.conditions)
      happens = g.disjunction(happens, becomes_true(condition));
    const auto given = given_.find({at.first, {symbol, element}});
    v = translator_->select(happens, given == given_.end() ? before : given->second, v, c.span);
  }
  values_now_.emplace(std::pair(symbol, element), v);
  return v;
}

void Builder::set_at_start(const std::vector<ClauseSet>& order) {
  const ContextScope scope(*translator_);
  translator_->context().in_when = true;
  translator_->context().new_values = [&](std::uint32_t s,
                                          std::uint32_t e) -> std::optional<Value> {
    const auto found = known_at_start_.find({s, e});
    if (found == known_at_start_.end()) return std::nullopt;
    return found->second;
  };
  for (const auto& [at, k] : order) {
    Clause& c = clauses_[at];
    const Set& set = c.sets[k];
    if (!c.at_start || set.value == no_expr) continue;
    attempt(c.span, [&] {
      const Symbol& s = symbols_[set.symbol];
      const Expr& variable = s.numbers[set.element];
      Value v = value_of(c, set);
      v = translator_->select(c.start_condition, v, translator_->from_kept(s.type, variable),
                              set.span);
      start_sets_.push_back({variable, translator_->as_kept(v)});
      if (!set.is_reinit) known_at_start_[{set.symbol, set.element}] = v;
    });
  }
  for (const Clause& c : clauses_) {
    if (!c.at_start) continue;
    attempt(c.span, [&] {
      for (const Check& check : c.checks) {
        translator_->context().environment = check.environment.get();
        const Literal fails = translator_->graph().conjunction(
            c.start_condition, negate(translator_->truth(check.condition)));
        start_sets_.push_back({check.failed, where(Cond(translator_->graph(), fails), 1.0, 0.0)});
      }
      if (!c.ends.empty())
        refuse(c.span, "'terminate' in 'when initial()' would end the run at its very beginning");
    });
  }
}

void Builder::set_at_events(const std::vector<ClauseSet>& order) {
  std::size_t here = 0;
  for (Clause& c : clauses_) c.outcome.reset();  // of the start
  const ContextScope scope(*translator_);
  translator_->context().in_when = true;
  translator_->context().new_values = [&](std::uint32_t s,
                                          std::uint32_t e) -> std::optional<Value> {
    // Of its own clause, or of one that may be carried out at the same moment.
    const auto own = given_.find({here, {s, e}});
    if (own != given_.end()) return own->second;
    if (!setters_.contains({s, e}) || reads_old_value(clauses_[here], {s, e})) return std::nullopt;
    return value_now(s, e);
  };
  std::vector<std::vector<Model::Set>> sets(clauses_.size());
  for (const auto& [number, k] : order) {
    here = number;
    Clause& c = clauses_[here];
    const Set& set = c.sets[k];
    if (c.conditions.empty()) continue;
    attempt(c.span, [&] {
      const Symbol& s = symbols_[set.symbol];
      const Expr& variable = s.numbers[set.element];
      if (set.value == no_expr) {
        sets[here].push_back({variable, s.role == Role::discrete ? pre(variable) : variable});
        if (!set.is_reinit)
          given_[{here, {set.symbol, set.element}}] = translator_->from_kept(s.type, variable);
        return;
      }
      const Value v = value_of(c, set);
      sets[here].push_back({variable, translator_->as_kept(v)});
      if (!set.is_reinit) given_[{here, {set.symbol, set.element}}] = v;
    });
  }
  for (here = 0; here < clauses_.size(); ++here) {
    const Clause& c = clauses_[here];
    if (c.conditions.empty()) continue;
    attempt(c.span, [&] {
      for (const Check& check : c.checks) {
        translator_->context().environment = check.environment.get();
        const Cond fails(translator_->graph(), negate(translator_->truth(check.condition)));
        sets[here].push_back({check.failed, fails.literal() == literal_false ? Expr(0.0)
                                            : fails.literal() == literal_true
                                                ? Expr(1.0)
                                                : where(fails, 1.0, 0.0)});
      }
      emit(c, std::move(sets[here]));
    });
  }
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
                      (s.type.enumeration != nullptr ? "an enumeration, this is not a literal of it"
                                                     : "a number, this is an enumeration"));
  if (s.type.type == Type::integer && v.type == Type::real)
    refuse(where, "'" + s.name() + "' is an Integer, this is a Real number: use 'integer(...)'");
}

void Builder::emit(const Clause& c, std::vector<Model::Set> sets) {
  Model& m = *result_.model;
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
