#include "hybrid/switch/event_iteration.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <saltus/core/text.hpp>

#include "hybrid/switch/across_surface.hpp"

namespace saltus::detail {

namespace {

/// Of the limit on rounds: what acted in the last ones.
Failure too_many_rounds(const SwitchBoard& board, double t, const InstantResult& result,
                        std::uint32_t n_rounds) {
  std::set<std::string> last;
  for (const FiredAction& fired : result.fired)
    if (fired.micro_step + 2 >= n_rounds)
      last.insert(quote(board.actions()->info(fired.action).name));
  return {FailureCode::limit_reached,
          "at t = " + to_text(t) + " events followed each other through " +
              std::to_string(n_rounds) +
              " micro-steps without time passing (events.max_micro_steps), at last " +
              (last.empty() ? "of relations alone" : join(last, ", ")) +
              "; do they set each other off?"};
}

std::vector<std::uint8_t> copy_of(std::span<const std::uint8_t> from) {
  return {from.begin(), from.end()};
}

}  // namespace

EventIteration::EventIteration(SwitchBoard& board, const System& system,
                               const EventOptions& options, bool forward, FindStart find_start)
    : board_(board),
      system_(system),
      actions_(board, forward),
      max_micro_steps_(options.max_micro_steps),
      uses_rates_(options.offset),
      direction_(forward ? 1.0 : -1.0),
      find_start_(std::move(find_start)),
      g_(board.count()),
      rate_(board.count()) {}

// ---- the rounds ----------------------------------------------------------------------------------------

struct EventIteration::Rounds {
  InstantResult result;
  StartValues now;
  std::uint32_t micro_step = 0;
  /// What pre() means.
  std::vector<double> before_x, before_discrete;
  std::vector<std::uint8_t> branches, triggers;
  std::vector<std::uint8_t> truth_before;  // at the beginning
  std::vector<std::uint8_t> truth;         // of the next round
  std::vector<std::uint32_t> due;          // actions of this round
  std::vector<std::uint32_t> waiting;      // actions that come last
  std::vector<Snapshot> seen;
  bool must_search = false;
  bool must_go_on = false;  // what a turned relation sets off is due in the next round
};

Result<InstantResult> EventIteration::run(const InstantEntry& entry) {
  Rounds r = begin_rounds(entry);
  for (;; ++r.micro_step) {
    if (r.micro_step >= most_micro_steps())
      return too_many_rounds(board_, entry.t, r.result, r.micro_step);
    if (auto taken = take_truths(entry, r); !taken) return taken.failure();
    const std::size_t n_set = r.result.set.size();
    if (auto fired = fire(entry, r); !fired) return fired.failure();
    if (!r.result.leaving.empty() && !r.result.terminal) {
      leave(entry, r);
      return std::move(r.result);
    }
    // A variable that is set to the value it has changes nothing.
    const bool sets =
        std::any_of(r.result.set.begin() + static_cast<std::ptrdiff_t>(n_set), r.result.set.end(),
                    [](const SetValue& value) { return value.after != value.before; });
    const auto found = make_consistent(entry, sets, r);
    if (!found) return found.failure();
    if (*found == Round::last) return std::move(r.result);
    const auto looked = look_at_truths(entry, r);
    if (!looked) return looked.failure();
    if (*looked == Round::last) return std::move(r.result);
  }
}

EventIteration::Rounds EventIteration::begin_rounds(const InstantEntry& entry) {
  is_crossed_.assign(board_.count(), 0);
  for (const std::uint32_t w : entry.crossed) is_crossed_[w] = 1;
  Rounds r;
  r.now.x.assign(entry.x.begin(), entry.x.end());
  r.now.xdot.assign(entry.xdot.begin(), entry.xdot.end());
  r.now.x_given.assign(r.now.x.size(), 0);
  r.result.start.x = r.now.x;
  r.result.start.xdot = r.now.xdot;
  r.before_x = r.now.x;
  r.before_discrete.assign(board_.discrete().begin(), board_.discrete().end());
  r.branches = copy_of(board_.equation_branches());
  r.triggers =
      copy_of(entry.triggers_before.empty() ? board_.triggers(r.before_x, r.before_discrete)
                                            : entry.triggers_before);
  r.truth_before = copy_of(board_.truths());
  r.truth = r.truth_before;
  for (const std::uint32_t w : entry.crossed) r.truth[w] = r.truth[w] ? 0 : 1;
  if (board_.actions() != nullptr) board_.actions()->compare_with(entry.watched, entry.time_error);
  r.must_search = entry.inputs_change;
  return r;
}

/// The truths of the round, and what they set off.
Result<void> EventIteration::take_truths(const InstantEntry& entry, Rounds& r) {
  for (std::uint32_t w = 0; w < board_.count(); ++w) {
    if ((r.truth[w] != 0) != board_.truth(w)) r.result.flips.push_back({w, r.micro_step});
  }
  board_.note_active();
  board_.set_truths(r.truth);
  board_.decide_new(entry.t, r.now.x, r.now.xdot);
  std::vector<std::uint8_t> triggers = copy_of(board_.triggers(r.before_x, r.before_discrete));
  r.due = actions_.due(r.triggers, triggers, r.result, r.micro_step);
  r.result.leaving = actions_.holding(ActionKind::transition, triggers, r.micro_step);
  if (r.micro_step == 0 && entry.action) {
    const FiredAction asked{*entry.action, FiredAction::no_trigger, 0, {}};
    if (board_.actions()->info(*entry.action).kind == ActionKind::transition) {
      r.result.leaving.push_back(asked);
    } else {
      r.due.push_back(*entry.action);
      r.result.fired.push_back(asked);
    }
  }
  r.due = actions_.last_in_turn(r.due, r.waiting);
  if (auto undone = actions_.cannot_be_undone(entry.t, r.triggers, triggers)) return *undone;
  r.triggers = std::move(triggers);
  return {};
}

Result<void> EventIteration::fire(const InstantEntry& entry, Rounds& r) {
  r.before_x = r.now.x;
  r.before_discrete.assign(board_.discrete().begin(), board_.discrete().end());
  if (r.due.empty()) return {};
  if (auto done = actions_.carry_out(entry, r.due, r.micro_step, r.result, r.now); !done)
    return done;
  // What an action has just set may lead out of the mode as well.
  if (r.result.leaving.empty())
    r.result.leaving = actions_.holding(
        ActionKind::transition, board_.triggers(r.before_x, r.before_discrete), r.micro_step);
  return {};
}

/// The state before the event, with what was set on purpose: what this mode would have made of it is no part of it.
void EventIteration::leave(const InstantEntry& entry, Rounds& r) {
  InstantResult& result = r.result;
  result.start.x.assign(entry.x.begin(), entry.x.end());
  result.start.xdot.assign(entry.xdot.begin(), entry.xdot.end());
  for (const SetValue& s : result.set) {
    if (s.target.is_unknown) result.start.x[s.target.index] = s.after;
  }
  result.n_micro_steps = r.micro_step + 1;
  result.restart = true;
  result.followed = std::move(r.triggers);
}

/// The state with the equations of this round.
Result<EventIteration::Round> EventIteration::make_consistent(const InstantEntry& entry, bool sets,
                                                              Rounds& r) {
  r.must_go_on = false;
  std::vector<std::uint8_t> branches = copy_of(board_.equation_branches());
  const bool searches = sets || r.must_search || branches != r.branches;
  if (searches) r.result.restart = true;
  if (searches && !entry.is_blended) {
    r.branches = std::move(branches);
    r.must_search = false;
    const auto round = search(entry, r);
    if (!round || *round == Round::last) return round;
  }
  // What they did themselves is no jump to them.
  const bool had_last = std::any_of(r.due.begin(), r.due.end(), [&](std::uint32_t action) {
    return board_.actions()->info(action).comes_last;
  });
  if (had_last) {
    board_.actions()->compare_with(board_.actions()->watched(entry.t, r.now.x, r.now.xdot),
                                   entry.time_error);
  }
  r.result.n_micro_steps = r.micro_step + 1;
  return r.result.terminal ? Round::last : Round::one;
}

Result<EventIteration::Round> EventIteration::search(const InstantEntry& entry, Rounds& r) {
  InstantResult& result = r.result;
  ++result.n_searches;
  auto found = find_start_(entry.t, r.now);
  const bool has_no_value = !found && found.failure().code == FailureCode::out_of_domain;
  if (has_no_value && put_across(board_, entry.crossed, entry.margin, entry.t, r.now.x, r.now.xdot))
    found = find_start_(entry.t, r.now);
  if (!found && has_no_value &&
      turn_what_is_left_behind(entry, r.now, r.micro_step, result, found)) {
    r.branches = copy_of(board_.equation_branches());
    r.must_go_on = true;
  }
  if (!found) {
    // A side that cannot be evaluated from beyond its surface: both lead to it.
    result.undecided = turned_on_surface(entry, result);
    if (found.failure().code == FailureCode::out_of_domain && !result.undecided.empty())
      return Round::last;
    if (found.failure().code == FailureCode::singular &&
        stand_apart(entry, r.truth_before, found.failure(), result))
      return Round::last;
    if (has_no_value && !entry.crossed.empty())
      return not_entered(board_, entry.crossed, entry.t, found.failure());
    return found.failure();
  }
  result.n_evaluations += static_cast<std::uint64_t>(found->n_iterations) + 1;
  result.start = std::move(*found);
  r.now.x = result.start.x;
  r.now.xdot = result.start.xdot;
  actions_.tell_of_state(system_, entry.t, r.now);
  return Round::one;
}

/// Whether anything is left to do: truths that turn, or jumps that are to be followed.
Result<EventIteration::Round> EventIteration::look_at_truths(const InstantEntry& entry, Rounds& r) {
  if (auto settled = settle_truths(entry, r.result.start, r.due.empty(), r.truth); !settled)
    return settled.failure();
  const bool same = std::equal(r.truth.begin(), r.truth.end(), board_.truths().begin());
  if (same && r.due.empty() && !r.must_go_on) {
    auto follow = actions_.follow_jumps(entry, r.now, r.micro_step, r.result);
    if (!follow) return follow.failure();
    r.waiting = std::move(*follow);
    // Each jump leads to one decision: what it leaves as it was is no cycle.
    r.seen.clear();
    if (!r.waiting.empty()) return Round::one;
    if (auto failed = actions_.failed_requirement(entry.t, r.now.x)) return *failed;
    return Round::last;
  }
  if (board_.is_one_sided() && r.due.empty()) {
    // Which side is evaluated is not for truths to say: that both lead back shows elsewhere.
    for (const std::uint32_t w : entry.crossed) {
      if ((r.truth[w] != 0) != board_.truth(w) && std::abs(g_[w]) <= entry.margin[w])
        r.result.undecided.push_back(w);
    }
    if (!r.result.undecided.empty()) return Round::last;
  }
  return look_for_cycle(entry, r);
}

Result<EventIteration::Round> EventIteration::look_for_cycle(const InstantEntry& entry, Rounds& r) {
  Snapshot next{r.truth, {board_.discrete().begin(), board_.discrete().end()}, r.now.x, r.waiting};
  if (!r.due.empty()) {
    next.triggers = r.triggers;
    next.discrete_before = r.before_discrete;
    next.x_before = r.before_x;
  }
  for (const Snapshot& earlier : r.seen) {
    if (!is_same(earlier, next)) continue;
    auto turning = cycle(next, entry, r.result);
    if (!turning && stand_apart(entry, r.truth_before, turning.failure(), r.result))
      return Round::last;
    if (!turning) return turning.failure();
    r.result.undecided = std::move(*turning);
    return Round::last;
  }
  r.seen.push_back(std::move(next));
  return Round::one;
}

/// The equations have no value at what actions have set: relations that are no longer what they were are turned round.
/// What has switched at this instant already is not turned back.
bool EventIteration::turn_what_is_left_behind(const InstantEntry& entry, const StartValues& now,
                                              std::uint32_t micro_step, InstantResult& result,
                                              Result<ConsistentStart>& found) {
  if (result.set.empty()) return false;
  std::vector<std::uint8_t> decided = is_crossed_;
  for (const LockFlip& flip : result.flips) decided[flip.which] = 1;
  for (std::uint32_t w = 0; w < decided.size(); ++w)
    if (entry.is_kept(w)) decided[w] = 1;
  auto behind = left_behind(board_, decided, entry.margin, entry.t, now, find_start_);
  if (!behind) return false;
  for (const std::uint32_t w : behind->relations) {
    board_.set_truth(w, !board_.truth(w));
    result.flips.push_back({w, micro_step});
  }
  board_.decide_new(entry.t, now.x, now.xdot);
  found = std::move(behind->state);
  return true;
}

/// Truth just after the instant. A function on its surface belongs to the side it is going to; where that
/// is is known once everything that is clear has been settled and no action is to follow.
Result<void> EventIteration::settle_truths(const InstantEntry& entry, const ConsistentStart& at,
                                           bool actions_are_done,
                                           std::vector<std::uint8_t>& truth) {
  SwitchingFunctions& functions = board_.functions();
  const Evaluation evaluated = functions.rates(entry.t, at.x, at.xdot, g_, rate_);
  if (!evaluated) {
    return Failure{FailureCode::out_of_domain, "at t = " + to_text(entry.t) + " relation '" +
                                                   board_.info(evaluated.row()).name +
                                                   "' cannot be evaluated"};
  }
  for (std::uint32_t w = 0; w < board_.count(); ++w) {
    truth[w] = board_.truth(w) ? 1 : 0;
    if (!functions.is_active(w)) continue;
    if (entry.has_impulse(w)) {
      if (std::isnan(entry.impulse[w])) {
        return Failure{FailureCode::not_certified,
                       "at t = " + to_text(entry.t) + " relation '" + board_.info(w).name +
                           "' contains the derivative of an impulse, which has no sign"};
      }
      truth[w] = (entry.impulse[w] > 0) == board_.info(w).true_if_positive ? 1 : 0;
      continue;
    }
    if (functions.is_timed(w)) {
      // Just after the instant: on the surface, time goes on.
      const double g = g_[w] == 0 ? rate_[w] * direction_ : g_[w];
      if (g != 0) truth[w] = (g > 0) == board_.info(w).true_if_positive ? 1 : 0;
      continue;
    }
    if (!stays(w, entry, false)) truth[w] = truth[w] ? 0 : 1;
  }
  const bool is_clear = std::equal(truth.begin(), truth.end(), board_.truths().begin());
  if (!is_clear || !actions_are_done || !uses_rates_ || !entry.kept.empty()) return {};
  for (std::uint32_t w = 0; w < board_.count(); ++w) {
    if (!functions.is_active(w) || functions.is_timed(w) || entry.has_impulse(w)) continue;
    if (!stays(w, entry, true)) truth[w] = truth[w] ? 0 : 1;
  }
  return {};
}

bool EventIteration::stays(std::uint32_t which, const InstantEntry& entry, bool by_rates) const {
  const double slack = is_crossed_[which] ? board_.slack(which) : board_.search_slack(which);
  const double inside = board_.side(which) * g_[which] + slack;
  const double margin = entry.margin[which];
  if (entry.is_kept(which) && std::abs(g_[which]) <= margin) return true;
  if (!uses_rates_) return inside >= 0;
  if (board_.is_silent(which, entry.t)) return true;
  if (std::abs(inside) > margin) return inside > 0;
  if (!by_rates || board_.is_silent(which, entry.t)) return true;
  if (g_[which] == 0 && rate_[which] == 0) {
    return board_.is_settled_by_motion(which) ||
           board_.truth(which) == board_.info(which).true_at_zero;
  }
  const double inward = board_.side(which) * rate_[which] * direction_;
  if (inward >= 0) return true;
  // However slowly it goes back: if both sides do, the solution stays on the surface.
  if (board_.chooses_equations(which, entry.t, entry.x, entry.xdot)) return false;
  return margin > -inward * at_once_;
}

/// Relations on their surface that followed their rate back to where they came from.
std::vector<std::uint32_t> EventIteration::turned_on_surface(const InstantEntry& entry,
                                                             const InstantResult& result) const {
  std::vector<std::uint32_t> turned;
  for (const LockFlip& flip : result.flips) {
    if (flip.micro_step == 0 || std::abs(g_[flip.which]) > entry.margin[flip.which]) continue;
    if (std::find(turned.begin(), turned.end(), flip.which) == turned.end())
      turned.push_back(flip.which);
  }
  return turned;
}

/// Relations that crossed and choose equations: whether their two sides can be mixed is another question.
bool EventIteration::stand_apart(const InstantEntry& entry,
                                 std::span<const std::uint8_t> truth_before, const Failure& said,
                                 InstantResult& result) {
  if (!result.fired.empty()) return false;
  board_.set_truths(truth_before);
  result.undecided.clear();
  for (const std::uint32_t w : entry.crossed) {
    if (!board_.functions().is_timed(w) &&
        board_.chooses_equations(w, entry.t, entry.x, entry.xdot))
      result.undecided.push_back(w);
  }
  if (result.undecided.empty()) return false;
  result.apart = said;
  result.start.x.assign(entry.x.begin(), entry.x.end());
  result.start.xdot.assign(entry.xdot.begin(), entry.xdot.end());
  return true;
}

/// A chain of actions, each of which sets off the next, takes one for each of them and one that finds nothing left.
std::uint32_t EventIteration::most_micro_steps() const {
  const std::uint32_t n_actions = board_.actions() == nullptr ? 0 : board_.actions()->count();
  return std::max(static_cast<std::uint32_t>(max_micro_steps_), 2 * n_actions);
}

/// A micro-step in which actions were carried out comes back with what set them off. Others are judged by their values
/// alone: relations that turn to and fro on their surface would set off actions again and again.
bool EventIteration::is_same(const Snapshot& earlier, const Snapshot& now) const {
  if (earlier.truth != now.truth || earlier.discrete != now.discrete ||
      earlier.waiting != now.waiting || !are_same(earlier.x, now.x))
    return false;
  return now.triggers.empty() ||
         (earlier.triggers == now.triggers && earlier.discrete_before == now.discrete_before &&
          are_same(earlier.x_before, now.x_before));
}

/// Values that a search for a consistent state has found anew differ by its rounding.
bool EventIteration::are_same(std::span<const double> one, std::span<const double> other) const {
  constexpr double rounding = 1e-9;
  if (one.size() != other.size()) return false;
  for (std::uint32_t i = 0; i < one.size(); ++i) {
    const double size = std::abs(one[i]) + system_.nominal(i);
    if (!(std::abs(one[i] - other[i]) <= rounding * size)) return false;
  }
  return true;
}

Result<std::vector<std::uint32_t>> EventIteration::cycle(const Snapshot& earlier,
                                                         const InstantEntry& entry,
                                                         const InstantResult& result) const {
  std::vector<std::string> names;
  std::vector<std::uint32_t> turning;
  bool on_surface = true;
  for (std::uint32_t w = 0; w < board_.count(); ++w) {
    if (board_.truth(w) == (earlier.truth[w] != 0)) continue;
    names.push_back("'" + board_.info(w).name + "'");
    turning.push_back(w);
    on_surface = on_surface && std::abs(g_[w]) <= entry.margin[w];
  }
  if (on_surface && !names.empty()) return turning;
  // Relations are what they were: actions set each other off, for these reasons.
  std::vector<std::string> actions;
  for (const FiredAction& fired : result.fired) {
    if (!names.empty()) break;
    std::string action = "'" + board_.actions()->info(fired.action).name + "'";
    if (fired.trigger != FiredAction::no_trigger)
      action += " (by '" + board_.actions()->trigger_text(fired.trigger) + "')";
    if (std::find(actions.begin(), actions.end(), action) == actions.end())
      actions.push_back(std::move(action));
  }
  constexpr std::size_t most = 10;
  if (actions.size() > most) {
    const std::size_t n_more = actions.size() - most;
    actions.resize(most);
    actions.push_back("and " + std::to_string(n_more) + " more");
  }
  names.insert(names.end(), actions.begin(), actions.end());
  return Failure{
      FailureCode::not_certified,
      "at t = " + to_text(entry.t) + " " + (names.empty() ? "actions" : join(names, ", ")) +
          (names.size() == 1 ? " switches" : " switch") +
          " without end while no time passes: each of the values leads to the "
          "other; separate their conditions (a hysteresis), or read the value before by pre()"};
}

}  // namespace saltus::detail
