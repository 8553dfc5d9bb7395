#include "model/pair_expansion.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/expr/text.hpp>

#include "model/mode_unknowns.hpp"

namespace saltus::detail {

namespace {

// Transitions that are written by hand come before those of pairs: they lead to all states of the pairs. Those of
// pairs lead to the same modes, in another order; of several the first.
constexpr int priority_of_pairs = -1000;

std::size_t n_states(const SwitchingPair& pair) {
  return pair.kind == SwitchingPair::Kind::thyristor ? 3 : 2;
}

}  // namespace

PairExpansion::PairExpansion(ModelDefinition& model, Graph& graph)
    : m_(model),
      g_(graph),
      declared_(std::move(model.modes_)),
      declared_transitions_(std::move(model.transitions_)),
      declared_first_(model.first_mode_) {
  std::vector<Equation> in_all;
  for (Equation& q : model.equations_)
    (q.mode == none ? in_all : declared_equations_).push_back(std::move(q));
  model.equations_ = std::move(in_all);
  model.modes_.clear();
  model.transitions_.clear();
}

void PairExpansion::operator()() {
  check_size();
  for (std::size_t k = 0; k < std::max<std::size_t>(1, declared_.size()); ++k) check_count(k);
  make_modes();
  if (m_.modes_.empty())
    throw ModelError("model '" + m_.name_ + "' has no possible state of its diodes and switches: " +
                     join(impossible_, "; "));
  check_switches();
  fill_candidates();
  choose_first_modes();
}

/// A switch goes where its condition tells it: it must be able to. (A diode that never conducts does no harm.)
void PairExpansion::check_switches() {
  for (std::size_t k = 0; k < m_.pairs_.size(); ++k) {
    const SwitchingPair& p = m_.pairs_[k];
    if (p.kind != SwitchingPair::Kind::ideal_switch) continue;
    for (const State state : {State::on, State::off}) {
      const bool is_closed = conducts(state);
      if (std::ranges::any_of(made_, [&](const Made& made) { return made.states[k] == state; }))
        continue;
      States states(m_.pairs_.size(), State::off);
      states[k] = state;
      throw ModelError(
          "switch '" + p.name + "'",
          std::string("can never be ") + (is_closed ? "closed" : "open") + ": " +
              to_text(g_, zero_of(k, state)) + " == 0 contradicts " +
              join(contradicted(0, states), ", ") +
              (is_closed ? ". An ideal switch shorts what it is connected to: put a resistor in "
                           "series with it"
                         : ". A current that has to flow on needs another path: put a resistor or "
                           "a diode "
                           "beside it"));
    }
  }
}

/// Equations without which these states are possible: "'source' (v == 5)".
std::vector<std::string> PairExpansion::contradicted(std::size_t declared, const States& states) {
  std::vector<std::string> names;
  for (std::size_t without = 0; without < m_.equations_.size(); ++without) {
    const Equation& q = m_.equations_[without];
    if (q.mode != none || !rows_in(rows_of(declared, without), states)) continue;
    const std::string text = to_text(g_, q.left) + " == " + to_text(g_, q.right);
    names.push_back(q.name == text ? "'" + text + "'" : "'" + q.name + "' (" + text + ")");
  }
  if (names.empty()) names.push_back("the other equations");
  return names;
}

void PairExpansion::check_size() const {
  if (m_.pairs_.size() <= most_pairs) return;
  throw ModelError("model '" + m_.name_ + "' has " + std::to_string(m_.pairs_.size()) +
                   " diodes, switches and thyristors, from '" + m_.pairs_.front().name + "' to '" +
                   m_.pairs_.back().name + "': every combination of their states is a mode, so " +
                   "at most " + std::to_string(most_pairs) +
                   " are allowed. Write those that always switch together as one, or declare the "
                   "modes that occur");
}

/// In every state the equations are as many as here, and no unknown may be missing: so the count is told before
/// states are looked at, which would all be impossible with an equation too many.
void PairExpansion::check_count(std::size_t declared) const {
  std::vector<NodeId> rows;
  std::size_t n_rows = m_.pairs_.size();
  const auto count = [&](const Equation& q) {
    rows.push_back(q.residual);
    n_rows += q.count;
  };
  std::ranges::for_each(m_.equations_, count);
  for (const Equation& q : declared_equations_)
    if (q.mode == declared) count(q);
  for (const SwitchingPair& p : m_.pairs_) rows.insert(rows.end(), {p.voltage, p.current});
  std::set<std::pair<InputKind, std::uint32_t>> met;
  for (const Input& in : incidence(g_, rows).inputs)
    if (is_unknown_kind(in.kind)) met.emplace(in.kind, in.index);
  if (n_rows == met.size() || m_.unequal_counts_) return;
  const std::size_t n = n_rows > met.size() ? n_rows - met.size() : met.size() - n_rows;
  throw ModelError(
      "model '" + m_.name_ + "'" +
      (declared_.empty() ? "" : ", mode '" + declared_[declared].name + "'") + " has " +
      std::to_string(met.size()) + " unknowns but " + std::to_string(n_rows) +
      " equations, of which each diode, switch and " + "thyristor is one: " + std::to_string(n) +
      (n == 1 ? " equation" : " equations") + (n_rows > met.size() ? " too many" : " missing"));
}

// ---- equations of a combination of states ----------------------------------------------------------

NodeId PairExpansion::zero_of(std::size_t pair, State state) const {
  return conducts(state) ? m_.pairs_[pair].voltage : m_.pairs_[pair].current;
}
NodeId PairExpansion::partner_of(std::size_t pair, State state) const {
  return conducts(state) ? m_.pairs_[pair].current : m_.pairs_[pair].voltage;
}

const LinearForm& PairExpansion::form(NodeId node) {
  auto [at, is_new] = forms_.try_emplace(node);
  if (is_new) at->second = linear_form(g_, node);
  return at->second;
}

/// The equations that hold whatever the pairs do. Arrays of equations are not looked into.
RowSpace PairExpansion::rows_of(std::size_t declared, std::size_t without) const {
  RowSpace rows(g_);
  const auto add = [&](const Equation& q) {
    if (!g_.is_array(q.residual)) (void)rows.add(linear_form(g_, q.residual), none);
  };
  for (std::size_t k = 0; k < m_.equations_.size(); ++k)
    if (m_.equations_[k].mode == none && k != without) add(m_.equations_[k]);
  for (const Equation& q : declared_equations_)
    if (q.mode == declared) add(q);
  return rows;
}

/// The sum of factors times what is not zero in the states, with equal terms put together.
NodeId PairExpansion::combined(const RowSpace::Combination& factors, const States& states) {
  LinearForm terms;
  for (const auto& [pair, factor] : factors)
    for (const auto& [term, of_pair] : form(partner_of(pair, states[pair])))
      terms[term] += factor * of_pair;
  NodeId sum = g_.constant(0.0);
  for (const auto& [term, factor] : terms) {
    const NodeId scaled =
        term == none ? g_.constant(factor) : g_.mul(g_.constant(std::abs(factor)), term);
    sum = term != none && factor < 0 ? g_.sub(sum, scaled) : g_.add(sum, scaled);
  }
  return sum;
}

Equation PairExpansion::equation_of(std::string name, NodeId left) {
  Equation q;
  q.name = std::move(name);
  q.left = left;
  q.right = g_.constant(0.0);
  q.residual = g_.sub(q.left, q.right);
  return q;
}

/// Empty if the states contradict each other.
std::optional<PairExpansion::Rows> PairExpansion::rows_in(const RowSpace& given,
                                                          const States& states) {
  RowSpace space = given;
  Rows rows;
  const auto all_are_like = [&](const RowSpace::Combination& factors, State like) {
    return std::ranges::all_of(factors, [&](const auto& entry) {
      return conducts(states[entry.first]) == conducts(like);
    });
  };
  for (std::uint32_t k = 0; k < states.size(); ++k) {
    const NodeId zero = zero_of(k, states[k]);
    const auto added = space.add(form(zero), k);
    if (added.kind == RowSpace::Kind::contradictory) return std::nullopt;
    const bool is_limit =
        added.kind == RowSpace::Kind::dependent && all_are_like(added.of_others, states[k]);
    if (!is_limit) {
      rows.equations.push_back(equation_of(m_.pairs_[k].name, zero));
      continue;
    }
    RowSpace::Combination cancels{{k, 1.0}};
    for (const auto& [other, factor] : added.of_others) cancels[other] = -factor;
    std::vector<std::string> names;
    for (const auto& [pair, factor] : cancels) names.push_back(m_.pairs_[pair].name);
    const char* limit = conducts(states[k]) ? " resist" : " leak";
    const NodeId sum = combined(cancels, states);
    rows.equations.push_back(
        equation_of(join(names, ", ") + limit + (names.size() > 1 ? " alike" : "s"), sum));
    if (space.add(form(sum), none).kind != RowSpace::Kind::independent) return std::nullopt;
  }
  for (std::size_t k = 0; k < states.size(); ++k) {
    const State opposite = conducts(states[k]) ? State::off : State::on;
    NodeId watched = partner_of(k, states[k]);
    auto found = space.reduce(form(watched));
    const bool is_free = m_.pairs_[k].kind != SwitchingPair::Kind::ideal_switch;
    const bool is_idle = is_free && found.rest.empty() && !found.of_rows.empty() &&
                         all_are_like(found.of_rows, opposite);
    if (is_idle) {
      watched = combined(found.of_rows, states);
      found = space.reduce(form(watched));
    }
    if (is_free && found.rest.empty() && found.of_rows.empty()) {
      // Voltage and current are both zero whatever it does: one state is enough.
      if (conducts(states[k])) return std::nullopt;
      rows.watched.push_back(none);
      continue;
    }
    rows.watched.push_back(watched);
    rows.n_idle += is_idle ? 1 : 0;
  }
  return rows;
}

// ---- modes -----------------------------------------------------------------------------------------

std::string PairExpansion::text(std::size_t pair, State state) const {
  const SwitchingPair& p = m_.pairs_[pair];
  if (p.kind == SwitchingPair::Kind::ideal_switch)
    return p.name + (conducts(state) ? " closed" : " open");
  if (p.kind == SwitchingPair::Kind::thyristor && state == State::on) return p.name + " gated";
  return p.name + (conducts(state) ? " conducts" : " blocks");
}

std::vector<std::string> PairExpansion::parts_of(const Made& mode) const {
  std::vector<std::string> parts;
  if (!declared_.empty()) parts.push_back(declared_[mode.declared].name);
  for (std::size_t k = 0; k < mode.states.size(); ++k) parts.push_back(text(k, mode.states[k]));
  return parts;
}

/// The next combination of states; false after the last.
bool PairExpansion::next(States& states) const {
  for (std::size_t k = 0; k < states.size(); ++k) {
    const auto number = static_cast<std::size_t>(states[k]) + 1;
    if (number < n_states(m_.pairs_[k])) {
      states[k] = static_cast<State>(number);
      return true;
    }
    states[k] = State::off;
  }
  return false;
}

void PairExpansion::make_modes() {
  for (std::size_t declared = 0; declared < std::max<std::size_t>(1, declared_.size());
       ++declared) {
    const RowSpace given = rows_of(declared);
    States states(m_.pairs_.size(), State::off);
    do {
      Made mode{declared, states, 0};
      auto rows = rows_in(given, states);
      if (rows) {
        mode.n_idle = rows->n_idle;
        add_mode(std::move(mode), std::move(*rows));
      } else {
        impossible_.push_back(quote(join(parts_of(mode), ", ")) +
                              " contradicts the other equations");
      }
    } while (next(states));
  }
}

void PairExpansion::add_mode(Made mode, Rows rows) {
  if (made_.size() == most_modes_of_pairs)
    throw ModelError("model '" + m_.name_ + "': its diodes, switches and thyristors ('" +
                     m_.pairs_.front().name + "' to '" + m_.pairs_.back().name +
                     "') have more than " + std::to_string(most_modes_of_pairs) +
                     " possible combinations of states, each of which is a mode. Write those that "
                     "always switch together as one, or declare the modes that occur");
  const auto id = static_cast<ModeId>(made_.size());
  std::vector<std::string> parts = parts_of(mode);
  m_.modes_.push_back({join(parts, ", "), {}, std::move(parts)});
  made_.push_back(std::move(mode));
  for (Equation& q : rows.equations) {
    q.mode = id;
    m_.equations_.push_back(std::move(q));
  }
  copy_declared(made_.back().declared);
  const States states = made_.back().states;
  // A switch that is not as it is told is the simplest reason why a mode is not possible: it is given first.
  const auto is_switch = [&](std::size_t k) {
    return m_.pairs_[k].kind == SwitchingPair::Kind::ideal_switch;
  };
  for (const bool switches : {true, false})
    for (std::size_t k = 0; k < states.size(); ++k)
      if (is_switch(k) == switches) require(k, states[k], rows.watched[k]);
  for (std::size_t k = 0; k < m_.pairs_.size(); ++k) {
    const std::string name = m_.pairs_[k].name + ".conducts";
    const auto output = std::ranges::find(m_.outputs_, name, &NamedExpression::name);
    output->by_mode.push_back(g_.constant(conducts(states[k]) ? 1.0 : 0.0));
  }
}

void PairExpansion::leave(std::size_t pair, const std::string& name, Literal requirement) {
  m_.modes_.back().requirements.push_back(requirement);
  Transition t;
  t.name = name;
  t.from = static_cast<ModeId>(m_.modes_.size() - 1);
  t.guard = negate(requirement);
  t.priority = priority_of_pairs - static_cast<int>(pair);
  pair_of_transition_[m_.transitions_.size()] = pair;
  m_.transitions_.push_back(std::move(t));
}

/// What a state requires, and what ends it.
void PairExpansion::require(std::size_t pair, State state, NodeId watched) {
  const SwitchingPair& p = m_.pairs_[pair];
  const NodeId zero = g_.constant(0.0);
  if (p.kind == SwitchingPair::Kind::ideal_switch) {
    if (conducts(state)) return leave(pair, p.name + " opens", p.condition);
    return leave(pair, p.name + " closes", negate(p.condition));
  }
  if (watched == none) return;
  if (conducts(state)) {
    leave(pair, p.name + " ceases to conduct",
          negate(g_.relation(watched, Comparison::less, zero)));
    if (p.kind == SwitchingPair::Kind::thyristor && state == State::on)
      leave(pair, "gate of " + p.name + " goes off", p.condition);
    return;
  }
  const Literal forward = g_.relation(watched, Comparison::greater, zero);
  if (p.kind == SwitchingPair::Kind::diode)
    return leave(pair, p.name + " begins to conduct", negate(forward));
  leave(pair, p.name + " is fired", negate(g_.conjunction(forward, p.condition)));
}

/// Equations, requirements and transitions of the mode that the last one made is part of.
void PairExpansion::copy_declared(std::size_t declared) {
  if (declared_.empty()) return;
  const auto id = static_cast<ModeId>(m_.modes_.size() - 1);
  m_.modes_.back().requirements = declared_[declared].requirements;
  for (const Equation& q : declared_equations_) {
    if (q.mode != declared) continue;
    m_.equations_.push_back(q);
    m_.equations_.back().mode = id;
  }
  for (const Transition& t : declared_transitions_) {
    if (t.from != declared) continue;
    m_.transitions_.push_back(t);
    m_.transitions_.back().from = id;
  }
}

// ---- transitions -----------------------------------------------------------------------------------

/// A thyristor is fired by its gate and holds without it.
bool PairExpansion::allows(const States& from, const States& to) const {
  for (std::size_t k = 0; k < from.size(); ++k) {
    if (from[k] == State::off && to[k] == State::latched) return false;
    if (from[k] == State::latched && to[k] == State::on) return false;
  }
  return true;
}

/// Every mode of diodes that is possible is a solution, and where the whole is passive its voltages and currents
/// are those of any other: the order decides what is tried in vain, and what is taken on a boundary. There the pair
/// that cannot go on is just beyond it, and within the error it could: so modes in which it changes come first.
/// Diodes in series all stop at once, and if one stops alone the others are idle: that counts as a change, so that
/// all of these are in one group, where a moment later decides. A thyristor, though, would be possible without its current at any time: it is
/// only turned off if it cannot go on.
PairExpansion::Rank PairExpansion::rank(const States& from, std::size_t leaving,
                                        ModeId mode) const {
  const States& to = made_[mode].states;
  Rank found;
  found.n_idle = made_[mode].n_idle;
  found.n_changes = found.n_idle > 0 ? 1 : 0;
  found.keeps_leaving = leaving != none && from[leaving] == to[leaving];
  for (std::size_t k = 0; k < from.size(); ++k) {
    if (conducts(from[k]) == conducts(to[k])) continue;
    ++found.n_changes;
    if (m_.pairs_[k].kind == SwitchingPair::Kind::thyristor && conducts(from[k]))
      ++found.n_turned_off;
  }
  return found;
}

void PairExpansion::sort_into_groups(std::vector<ModeId>& candidates, const States& from,
                                     std::size_t leaving,
                                     std::vector<std::uint32_t>& group_ends) const {
  std::ranges::stable_sort(candidates, {}, [&](ModeId mode) { return rank(from, leaving, mode); });
  for (std::uint32_t i = 1; i <= candidates.size(); ++i) {
    const Rank last = rank(from, leaving, candidates[i - 1]);
    if (i == candidates.size()) {
      group_ends.push_back(i);
    } else if (const Rank next_one = rank(from, leaving, candidates[i]);
               !last.is_grouped_with(next_one)) {
      group_ends.push_back(i);
      if (next_one.n_turned_off != last.n_turned_off) group_ends.push_back(i);
    }
  }
}

void PairExpansion::fill_candidates() {
  for (std::size_t number = 0; number < m_.transitions_.size(); ++number) {
    Transition& t = m_.transitions_[number];
    const Made& from = made_[t.from];
    const auto pair = pair_of_transition_.find(number);
    const bool is_of_pair = pair != pair_of_transition_.end();
    std::vector<ModeId> declared = std::move(t.candidates);
    if (is_of_pair) declared = {static_cast<ModeId>(from.declared)};
    t.candidates.clear();
    for (const ModeId to : declared)
      for (ModeId id = 0; id < made_.size(); ++id) {
        const bool stays = is_of_pair && id == t.from;
        if (made_[id].declared == to && !stays && allows(from.states, made_[id].states))
          t.candidates.push_back(id);
      }
    sort_into_groups(t.candidates, from.states, is_of_pair ? pair->second : none, t.group_ends);
  }
}

void PairExpansion::choose_first_modes() {
  const States all_off(m_.pairs_.size(), State::off);
  for (ModeId id = 0; id < made_.size(); ++id)
    if (made_[id].declared == declared_first_ && allows(all_off, made_[id].states))
      m_.first_modes_.push_back(id);
  sort_into_groups(m_.first_modes_, all_off, none, m_.first_group_ends_);
  m_.first_mode_ = m_.first_modes_.front();
}

}  // namespace saltus::detail
