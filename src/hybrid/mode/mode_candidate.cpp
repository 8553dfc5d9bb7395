// One candidate of a transition: how its unknowns start, whether it is possible, whether it lasts.
#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>
#include <saltus/system/switching.hpp>

#include "hybrid/core/few_digits.hpp"
#include "hybrid/mode/first_motion.hpp"
#include "hybrid/mode/mode_search.hpp"

namespace saltus::detail {

namespace {

std::vector<std::uint8_t> equation_branches(Workspace& workspace) {
  auto* locks = workspace.ability<Locks>();
  if (locks == nullptr) return {};
  std::vector<std::uint8_t> truth(locks->n_branches());
  locks->branches(truth);
  truth.resize(locks->n_equation_branches());
  return truth;
}

/// ", while iD gets an impulse of -0.2453": of a candidate that is rejected.
std::string impulses_text(std::span<const ImpulseRecord> impulses) {
  std::vector<std::string> parts;
  constexpr std::size_t most = 4;
  for (const ImpulseRecord& i : impulses) {
    if (parts.size() == most) break;
    parts.push_back(i.variable + " gets an impulse of " + few_digits(i.strength) + impulse_unit(i));
  }
  return parts.empty() ? "" : ", while " + join(parts, ", ");
}

DroppedEquations dropped_equations(const TransitionInfo& info, const ModeRun& mode,
                                   const LimitEquations& equations) {
  DroppedEquations dropped{info.name, mode.name, {}};
  for (std::uint32_t k = 0; k < equations.count(); ++k)
    dropped.equations.push_back(quote(equations.name(k)));
  return dropped;
}

std::string requirement_text(const EventKit& kit, const FiredAction& failed) {
  return "it requires " + kit.board.actions()->info(failed.action).name + ", which does not hold";
}

}  // namespace

Result<ModeChange> ModeSearch::try_candidate(const Link& link, const TransitionInfo& info,
                                             std::uint32_t transition, std::uint32_t candidate) {
  const LeftState& left = *link.left;
  const std::size_t place = records_.size();
  records_.push_back({source_.mode_name(candidate),
                      info.name,
                      static_cast<std::uint32_t>(chain_.size()),
                      false,
                      "",
                      {}});
  const auto reject = [&](std::string why, FailureCode code = FailureCode::not_certified) {
    records_[place].verdict = why;
    return Failure{code, std::move(why)};
  };
  ModeRun& mode = modes_.at(candidate);
  if (!mode.original) {
    if (auto loaded = mode.load(); !loaded) return reject(loaded.failure().message);
  }
  auto map = map_of(transition, candidate);
  if (!map) return reject(map.failure().message);
  (*map)->set_left(left.t, left.x, left.xdot, left.held.parameters, left.held.discrete);
  StartValues wish = mode.original->start_values();
  if (const Evaluation ok = (*map)->wish(wish); !ok) {
    return reject("'" + mode.original->unknown_name(ok.row()) +
                  "' would start from a value that is not a number");
  }
  Beginning begins = beginning_of(link, info, mode, **map, wish);
  auto restarted = enter(mode, left, wish, begins.options);
  if (!restarted) return reject(restarted.failure().message);
  if (auto broken = broken_map(mode, begins, wish, *restarted)) return reject(*broken);
  if (left.t == options_.t_begin) settle_first_motion(mode, left.t);
  records_[place].impulses = impulse_records(*mode.original, restarted->impulses);
  if (mode.kit) {
    const auto failed =
        mode.kit->iteration.actions().holding(ActionKind::requirement, mode.start.x);
    if (!failed.empty()) {
      ++mode.visit.n_tentative;
      records_[place].verdict_tells_impulses = true;
      return reject(requirement_text(*mode.kit, failed.front()) +
                    impulses_text(records_[place].impulses));
    }
    const auto leaving =
        mode.kit->iteration.actions().holding(ActionKind::transition, mode.start.x);
    if (!leaving.empty()) {
      LeftState through;
      through.t = left.t;
      through.x = wish.x;
      through.xdot = wish.xdot;
      through.movement = begins.movement;
      through.has_history = begins.has_history;
      through.held = left.held;
      through.natural_step = left.natural_step;
      through.every_jump = left.every_jump;
      auto passed = pass_through({&mode, &through, begins.unknowns}, leaving, place);
      if (passed && (*map)->equations() != nullptr)
        passed->dropped.push_back(dropped_equations(info, mode, *(*map)->equations()));
      return passed;
    }
  }
  ModeChange change;
  change.unknowns = std::move(begins.unknowns);
  change.by_equations = (*map)->equations() != nullptr;
  change.to = &mode;
  change.record = place;
  change.start = mode.start;
  if (mode.kit)
    change.truths.assign(mode.kit->board.truths().begin(), mode.kit->board.truths().end());
  change.restart = std::move(*restarted);
  return change;
}

/// How the unknowns of a candidate start, and what that means for its restart.
ModeSearch::Beginning ModeSearch::beginning_of(const Link& link, const TransitionInfo& info,
                                               const ModeRun& mode, TransitionMap& map,
                                               StartValues& wish) {
  const LeftState& left = *link.left;
  const auto starts = map.starts();
  const auto same = map.same_before();
  const auto carries = mode.original->carries_derivative();
  Beginning begins;
  RestartOptions& options = begins.options;
  options.policy = info.restart.value_or(options_.restart);
  options.every_jump = left.every_jump;
  options.equations = map.equations();
  const bool takes_all = options.policy == RestartPolicy::impulse;
  const bool some_free =
      std::find(starts.begin(), starts.end(), UnknownStart::free) != starts.end();
  for (std::uint32_t i = 0; i < starts.size(); ++i) {
    ModeChange::Unknown unknown{starts[i], false, 0.0};
    double may_move = no_history;
    std::uint8_t history = 0;
    if (const std::uint32_t at = same[i]; at != UnknownPairing::none) {
      const ModeChange::Unknown& before = link.unknowns[at];
      unknown.existed = before.existed;
      unknown.before = before.before;
      if (starts[i] == UnknownStart::held) {
        unknown.start = before.start;
        may_move = left.movement[at];
        history = left.has_history[at];
      }
    } else if (const std::uint32_t first = unknown_of_first(*mode.original, i);
               starts[i] == UnknownStart::fresh && first != UnknownPairing::none) {
      // A mode that was passed on the way does not have it: it is not lost for that.
      unknown = {UnknownStart::held, true, first_left_->x[first]};
      wish.x[i] = first_left_->x[first];
      wish.x_given[i] = 1;
      may_move = first_left_->movement[first];
      history = first_left_->has_history[first];
    }
    begins.movement.push_back(may_move);
    begins.has_history.push_back(history);
    // Under policy impulse all of the left limit is one.
    options.history.push_back(history || takes_all ? may_move : no_history);
    if (some_free || options.equations != nullptr) {
      const bool stays = unknown.start == UnknownStart::held || starts[i] == UnknownStart::mapped;
      options.fixed.push_back(stays && carries[i] ? 1 : 0);
    }
    begins.unknowns.push_back(unknown);
  }
  // What is free must be determined, by the constraints alone if there are no equations.
  const bool keeps = options.policy == RestartPolicy::keep || options.policy == RestartPolicy::map;
  if (some_free && keeps && options.equations == nullptr) options.equations = no_equations_.get();
  return begins;
}

/// A candidate whose own transitions hold lasts no time.
Result<ModeChange> ModeSearch::pass_through(const Link& link, std::span<const FiredAction> leaving,
                                            std::size_t place) {
  ModeRun& mode = *link.mode;
  ++mode.visit.n_tentative;
  const EventActions& actions = *mode.kit->board.actions();
  const TransitionInfo& next =
      source_.transitions()[actions.info(leaving.front().action).transition];
  records_[place].verdict = "'" + next.name + "' led on at once, because '" +
                            actions.trigger_text(leaving.front().trigger) + "' held" +
                            impulses_text(records_[place].impulses);
  records_[place].verdict_tells_impulses = true;
  const std::uint32_t candidate = mode.configuration.mode;
  const bool again = std::find(chain_.begin(), chain_.end(), candidate) != chain_.end();
  went_round_ = went_round_ || again;
  if (again || chain_.size() >= static_cast<std::size_t>(options_.events.max_micro_steps)) {
    records_[place].verdict += again ? ", back to a mode that the search had visited"
                                     : ", after as many modes as events.max_micro_steps allows";
    return Failure{FailureCode::not_certified, records_[place].verdict};
  }
  records_[place].passed = true;
  chain_.push_back(candidate);
  auto followed = follow(link, leaving);
  chain_.pop_back();
  if (!followed && records_.size() == place + 1)
    records_[place].verdict += "; " + followed.failure().message;
  return followed;
}

/// The unknown of the mode that is left first which has the same name, beyond modes that were passed.
std::uint32_t ModeSearch::unknown_of_first(const System& system, std::uint32_t unknown) const {
  if (chain_.size() < 2) return UnknownPairing::none;
  const std::string name = system.unknown_name(unknown);
  for (std::uint32_t i = 0; i < first_->size(); ++i) {
    if (first_->unknown_name(i) == name) return i;
  }
  return UnknownPairing::none;
}

/// A value that a transition states is not changed: the first one that the equations do not allow.
std::optional<std::string> ModeSearch::broken_map(const ModeRun& mode, const Beginning& begins,
                                                  const StartValues& wish,
                                                  const Restart& found) const {
  const RestartPolicy policy = begins.options.policy;
  if (policy == RestartPolicy::impulse || policy == RestartPolicy::least_squares)
    return std::nullopt;
  constexpr double noticeable = 100.0;  // tolerances
  const auto carries = mode.original->carries_derivative();
  for (std::uint32_t i = 0; i < wish.x.size(); ++i) {
    if (begins.unknowns[i].start != UnknownStart::mapped || !carries[i]) continue;
    const double allowed = noticeable * (options_.rtol * std::abs(wish.x[i]) +
                                         options_.atol * mode.original->nominal(i));
    if (std::abs(found.x[i] - wish.x[i]) <= allowed) continue;
    return "its map gives '" + mode.original->unknown_name(i) + "' the value " +
           few_digits(wish.x[i]) + ", but the equations of the mode would make that " +
           few_digits(found.x[i]) + ": map or free the unknowns that prevent it";
  }
  return std::nullopt;
}

/// A consistent start under the branches that hold there.
Result<Restart> ModeSearch::enter(ModeRun& mode, const LeftState& left, const StartValues& wish,
                                  RestartOptions& options) {
  Workspace& original = *mode.original_workspace;
  set_held_values(original, left.held);
  if (auto* scheduled = original.ability<ScheduledTimes>())
    scheduled->enter_stretch(left.t, scheduled->next(left.t, options_.t_end));
  decide_locks(original, left.t, wish.x, wish.xdot);
  if (mode.has_begun() && mode.has_other_index(left.t, wish.x, wish.xdot)) mode.forget();
  options.time_scale = options_.t_end - left.t;
  constexpr int most_rounds = 10;
  for (int round = 0; round < most_rounds; ++round) {
    options.known = mode.analysis ? &*mode.analysis : nullptr;
    auto restarted = restart(*mode.original, original, left.t, wish, options);
    if (!restarted) return restarted;
    n_evaluations_ += restarted->n_evaluations;
    if (!mode.analysis && restarted->analysis) {
      mode.analysis = restarted->analysis;
      ++mode.visit.n_analyses;
      n_evaluations_ -= mode.analysis->n_evaluations;
      n_evaluations_analyse_ += mode.analysis->n_evaluations;
    }
    const std::vector<std::uint8_t> assumed = equation_branches(original);
    const Arrival arrival{restarted->impulses, left.natural_step};
    Result<void> begun;
    if (mode.has_begun()) {
      set_held_values(*mode.workspace, left.held);
      begun = mode.begin_again(left.t, *restarted, arrival);
    } else {
      StartValues start{restarted->x, restarted->xdot, wish.x_given};
      if (mode.analysis) mode.analysis = restarted->analysis;
      begun = mode.begin(left.t, std::make_shared<StartedSystem>(mode.original, start, left.held),
                         &arrival);
    }
    if (!begun) return begun.failure();
    n_evaluations_ += mode.start.n_evaluations;
    // Where both sides of a surface lead to it, each would hand over to the other without end.
    if (equation_branches(*mode.workspace) == assumed || mode.starts_between_sides)
      return restarted;
    mode.tell_original();
  }
  return Failure{FailureCode::not_converged, "no branches of its relations fit its start"};
}

}  // namespace saltus::detail
