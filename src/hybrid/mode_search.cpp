#include "hybrid/mode_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include <saltus/core/text.hpp>
#include <saltus/system/switching.hpp>

namespace saltus::detail {

namespace {

constexpr double no_history = std::numeric_limits<double>::infinity();

std::string unit_of_variable(const System& system, const std::string& variable) {
  for (const VariableInfo& v : system.variable_map().variables()) {
    if (v.name == variable) return v.unit;
  }
  return {};
}

}  // namespace

std::vector<ImpulseRecord> impulse_records(const System& system,
                                           std::span<const Impulse> impulses) {
  std::vector<ImpulseRecord> records;
  for (const Impulse& i : impulses)
    records.push_back({i.name, i.order, i.strength, unit_of_variable(system, i.name)});
  return records;
}

namespace {

std::vector<std::uint8_t> equation_branches(Workspace& workspace) {
  auto* locks = workspace.ability<Locks>();
  if (locks == nullptr) return {};
  std::vector<std::uint8_t> truth(locks->n_branches());
  locks->branches(truth);
  truth.resize(locks->n_equation_branches());
  return truth;
}

/// Four digits are enough to recognise a number by.
std::string few_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

/// ", while iD gets an impulse of -0.2453": of a candidate that is rejected.
std::string impulses_text(std::span<const ImpulseRecord> impulses) {
  std::vector<std::string> parts;
  constexpr std::size_t most = 4;
  for (const ImpulseRecord& i : impulses) {
    if (parts.size() == most) break;
    std::string unit = i.unit.empty() ? "" : " " + i.unit + " s";
    if (i.order > 0 && !unit.empty()) unit += "^" + std::to_string(i.order + 1);
    parts.push_back(i.variable + " gets an impulse of " + few_digits(i.strength) + unit +
                    (i.order > 0 ? " (order " + std::to_string(i.order) + ")" : ""));
  }
  return parts.empty() ? "" : ", while " + join(parts, ", ");
}

/// Free unknowns without equations of the transition.
class NoLimitEquations final : public LimitEquations {
 public:
  std::uint32_t count() const override { return 0; }
  std::string name(std::uint32_t) const override { return {}; }
  Evaluation residual(std::span<const double>, std::span<double>) override {
    return Evaluation::ok();
  }
  Evaluation jacobian(std::span<const double>, std::span<double>) override {
    return Evaluation::ok();
  }
};

std::string requirement_text(const EventKit& kit, const FiredAction& failed) {
  return "it requires " + kit.board.actions()->info(failed.action).name + ", which does not hold";
}

}  // namespace

ModeRun& ModeSet::at(std::uint32_t mode) {
  for (const auto& known : modes_) {
    if (known->configuration.mode == mode) return *known;
  }
  Configuration configuration = source_.initial();
  configuration.mode = mode;
  modes_.push_back(std::make_unique<ModeRun>(source_, options_, configuration));
  return *modes_.back();
}

Result<ModeChange> ModeSearch::run(ModeRun& from, const LeftLimit& left,
                                   std::span<const FiredAction> leaving) {
  chain_ = {from.configuration.mode};
  first_ = from.original.get();
  first_left_ = &left;
  went_round_ = false;
  records_.clear();
  warnings_.clear();
  n_evaluations_ = n_evaluations_analyse_ = 0;
  Link link{&from, &left, {}};
  for (std::size_t i = 0; i < left.x.size(); ++i)
    link.unknowns.push_back({UnknownStart::held, true, left.x[i]});
  auto found = follow(link, leaving);
  if (!found) return found;
  for (CandidateRecord& record : records_) {
    // Of the transitions that were taken, each mode on the way but the last was left at once.
    record.taken = &record == &records_[found->record];
  }
  found->candidates = std::move(records_);
  found->warnings = std::move(warnings_);
  found->n_evaluations = n_evaluations_;
  found->n_evaluations_analyse = n_evaluations_analyse_;
  return found;
}

Result<ModeChange> ModeSearch::again(ModeRun& mode, const LeftLimit& left) {
  n_evaluations_ = n_evaluations_analyse_ = 0;
  RestartOptions options;
  options.policy = options_.restart;
  for (std::size_t i = 0; i < left.x.size(); ++i) {
    const bool counts = left.has_history[i] || options.policy == RestartPolicy::impulse;
    options.history.push_back(counts ? left.movement[i] : no_history);
  }
  const StartValues wish{left.x, left.xdot, std::vector<std::uint8_t>(left.x.size(), 1)};
  auto restarted = enter(mode, left, wish, options);
  if (!restarted) return restarted.failure();
  ModeChange change;
  change.to = &mode;
  change.start = mode.start;
  change.restart = std::move(*restarted);
  change.n_evaluations = n_evaluations_;
  return change;
}

/// Of several the one with the highest priority.
Result<const FiredAction*> ModeSearch::choose(ModeRun& from,
                                              std::span<const FiredAction> leaving) const {
  const auto info = [&](const FiredAction& f) -> const TransitionInfo& {
    return source_.transitions()[from.kit->board.actions()->info(f.action).transition];
  };
  const FiredAction* best = &leaving.front();
  for (const FiredAction& f : leaving.subspan(1)) {
    if (info(f).priority > info(*best).priority) best = &f;
  }
  for (const FiredAction& f : leaving) {
    const TransitionInfo &one = info(*best), &other = info(f);
    if (&f == best || other.priority < one.priority || other.candidates == one.candidates) continue;
    return Failure{FailureCode::not_certified,
                   "transitions '" + one.name + "' and '" + other.name +
                       "' both lead out of mode '" + from.name +
                       "' at the same instant, to different modes: give one of them the higher "
                       "priority"};
  }
  return best;
}

Result<ModeChange> ModeSearch::follow(const Link& link, std::span<const FiredAction> leaving) {
  auto chosen = choose(*link.mode, leaving);
  if (!chosen) {
    return Failure{chosen.failure().code,
                   "at t = " + to_text(link.left->t) + " " + chosen.failure().message};
  }
  const EventActions& actions = *link.mode->kit->board.actions();
  const std::uint32_t transition = actions.info((*chosen)->action).transition;
  const TransitionInfo& info = source_.transitions()[transition];
  const std::string cause = (*chosen)->trigger != FiredAction::no_trigger
                                ? actions.trigger_text((*chosen)->trigger)
                                : std::string();
  const std::size_t first_record = records_.size();
  std::vector<ModeChange> possible;
  for (const std::uint32_t candidate : info.candidates) {
    auto tried = try_candidate(link, info, transition, candidate);
    if (!tried) continue;
    tried->path.insert(tried->path.begin(), {transition, cause});
    possible.push_back(std::move(*tried));
  }
  if (possible.empty()) return nowhere(*link.mode, info.name, link.left->t, first_record);
  const auto best = std::find_if(possible.begin(), possible.end(),
                                 [](const ModeChange& c) { return !c.has_impulses(); });
  ModeChange& taken = best != possible.end() ? *best : possible.front();
  for (const ModeChange& other : possible) {
    if (&other == &taken) continue;
    records_[other.record].verdict = other.has_impulses() && !taken.has_impulses()
                                         ? "it would take impulses, and another one takes none"
                                         : "it is possible as well, but was written later";
    if (other.to == taken.to || other.has_impulses() != taken.has_impulses()) continue;
    warnings_.push_back("at t = " + to_text(link.left->t) + " transition '" + info.name +
                        "' is not unique: modes '" + taken.to->name + "' and '" + other.to->name +
                        "' are both possible; '" + taken.to->name + "', written first, was taken");
  }
  return std::move(taken);
}

Result<ModeChange> ModeSearch::try_candidate(const Link& link, const TransitionInfo& info,
                                             std::uint32_t transition, std::uint32_t candidate) {
  const LeftLimit& left = *link.left;
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
                  "' would start from a value that is no number");
  }
  const auto starts = (*map)->starts();
  const auto same = (*map)->same_before();
  const auto carries = mode.original->carries_derivative();
  RestartOptions options;
  options.policy = info.restart.value_or(options_.restart);
  NoLimitEquations none_written;
  options.equations = (*map)->equations();
  const bool takes_all = options.policy == RestartPolicy::impulse;
  std::vector<double> movement;
  std::vector<std::uint8_t> has_history;
  ModeChange change;
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
    movement.push_back(may_move);
    has_history.push_back(history);
    // Under policy impulse all of the left limit is one.
    options.history.push_back(history || takes_all ? may_move : no_history);
    if (some_free || options.equations != nullptr) {
      const bool stays = unknown.start == UnknownStart::held || starts[i] == UnknownStart::mapped;
      options.fixed.push_back(stays && carries[i] ? 1 : 0);
    }
    change.unknowns.push_back(unknown);
  }
  // What is free must be determined, by the constraints alone if there are no equations.
  const bool keeps = options.policy == RestartPolicy::keep || options.policy == RestartPolicy::map;
  if (some_free && keeps && options.equations == nullptr) options.equations = &none_written;
  auto restarted = enter(mode, left, wish, options);
  if (!restarted) return reject(restarted.failure().message);
  if (options.policy != RestartPolicy::impulse && options.policy != RestartPolicy::least_squares) {
    if (auto broken = broken_map(mode, change, wish, *restarted)) return reject(*broken);
  }
  records_[place].impulses = impulse_records(*mode.original, restarted->impulses);
  if (mode.kit) {
    const auto failed = mode.kit->iteration.holding(ActionKind::requirement, mode.start.x);
    if (!failed.empty()) {
      ++mode.visit.n_tentative;
      return reject(requirement_text(*mode.kit, failed.front()) +
                    impulses_text(records_[place].impulses));
    }
    const auto leaving = mode.kit->iteration.holding(ActionKind::transition, mode.start.x);
    if (!leaving.empty()) {
      ++mode.visit.n_tentative;
      const std::uint32_t next = mode.kit->board.actions()->info(leaving.front().action).transition;
      std::string why = "'" + source_.transitions()[next].name + "' led on at once, because '" +
                        mode.kit->board.actions()->trigger_text(leaving.front().trigger) +
                        "' held" + impulses_text(records_[place].impulses);
      const bool again = std::find(chain_.begin(), chain_.end(), candidate) != chain_.end();
      const bool too_many =
          chain_.size() >= static_cast<std::size_t>(options_.events.max_micro_steps);
      went_round_ = went_round_ || again;
      if (again || too_many) {
        return reject(why + (again ? ", back to where the search has been"
                                   : ", after as many modes as events.max_micro_steps allows"));
      }
      records_[place].verdict = why;
      records_[place].passed = true;
      LeftLimit through{left.t,      wish.x,    wish.xdot,        movement,
                        has_history, left.held, left.natural_step};
      chain_.push_back(candidate);
      auto followed = follow({&mode, &through, change.unknowns}, leaving);
      chain_.pop_back();
      if (!followed && records_.size() == place + 1)
        records_[place].verdict += "; " + followed.failure().message;
      return followed;
    }
  }
  change.to = &mode;
  change.record = place;
  change.start = mode.start;
  if (mode.kit)
    change.truths.assign(mode.kit->board.truths().begin(), mode.kit->board.truths().end());
  change.restart = std::move(*restarted);
  return change;
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
std::optional<std::string> ModeSearch::broken_map(const ModeRun& mode, const ModeChange& change,
                                                  const StartValues& wish,
                                                  const Restart& found) const {
  constexpr double noticeable = 100.0;  // tolerances
  const auto carries = mode.original->carries_derivative();
  for (std::uint32_t i = 0; i < wish.x.size(); ++i) {
    if (change.unknowns[i].start != UnknownStart::mapped || !carries[i]) continue;
    const double allowed = noticeable * (options_.rtol * std::abs(wish.x[i]) +
                                         options_.atol * mode.original->nominal(i));
    if (std::abs(found.x[i] - wish.x[i]) <= allowed) continue;
    return "its map gives '" + mode.original->unknown_name(i) + "' the value " +
           few_digits(wish.x[i]) + ", but the equations of the mode would make that " +
           few_digits(found.x[i]) + ": map or free the unknowns that stand in its way";
  }
  return std::nullopt;
}

/// A consistent start under the branches that hold there.
Result<Restart> ModeSearch::enter(ModeRun& mode, const LeftLimit& left, const StartValues& wish,
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
    if (equation_branches(*mode.workspace) == assumed) return restarted;
    mode.tell_original();
  }
  return Failure{FailureCode::not_converged, "no branches of its relations fit its start"};
}

Result<TransitionMap*> ModeSearch::map_of(std::uint32_t transition, std::uint32_t candidate) {
  auto& map = maps_[{transition, candidate}];
  if (!map) {
    auto made = source_.transition_map(transition, candidate);
    if (!made) return made.failure();
    map = std::move(*made);
  }
  return map.get();
}

Failure ModeSearch::nowhere(const ModeRun& from, const std::string& transition, double t,
                            std::size_t first_record) const {
  std::string text = "at t = " + to_text(t) + " transition '" + transition + "' out of mode '" +
                     from.name + "' leads nowhere:";
  for (std::size_t i = first_record; i < records_.size(); ++i) {
    text += (i > first_record ? "; '" : " '") + records_[i].mode + "': " + records_[i].verdict;
  }
  if (went_round_) {
    text +=
        ". These modes lead back to each other: separate their guards (a hysteresis). If both lead "
        "to the "
        "same surface, the solution stays on it (sliding), which this version cannot follow";
  }
  return {FailureCode::not_certified, text};
}

}  // namespace saltus::detail
