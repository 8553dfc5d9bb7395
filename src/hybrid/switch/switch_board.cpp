#include "hybrid/switch/switch_board.hpp"

#include <algorithm>
#include <utility>
#include <limits>

#include <saltus/core/text.hpp>
#include <saltus/slide/sliding_system.hpp>
#include <saltus/system/abilities.hpp>

namespace saltus::detail {

namespace {

SwitchingFunctions& functions_of(Workspace& workspace) {
  auto* functions = workspace.ability<SwitchingFunctions>();
  SALTUS_ASSERT(functions != nullptr);
  return *functions;
}

/// Only a trigger that becomes true leads to anything; backward in time, also one that was.
bool triggers_turn(std::span<const std::uint8_t> now, std::span<const std::uint8_t> then,
                   bool forward) {
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (then[i] && !now[i]) return true;
    if (!forward && now[i] && !then[i]) return true;
  }
  return false;
}

}  // namespace

SwitchBoard::SwitchBoard(Workspace& workspace, const EventOptions& options, bool forward,
                         bool only_mode)
    : functions_(functions_of(workspace)),
      locks_(workspace.ability<Locks>()),
      enclosure_(workspace.ability<StepEnclosure>()),
      actions_(workspace.ability<EventActions>()),
      sliding_(workspace.ability<Sliding>()),
      held_(workspace.ability<HeldValues>()),
      forward_(forward),
      watches_ranges_(options.range != RangePolicy::ignore),
      truth_(functions_.count(), 0),
      slack_(by_name("events.hysteresis", options.hysteresis, only_mode)),
      dwell_(by_name("events.dwell", options.dwell, only_mode)),
      silent_until_(functions_.count(), forward ? -std::numeric_limits<double>::infinity()
                                                : std::numeric_limits<double>::infinity()),
      search_slack_(slack_),
      sides_(functions_.count(), 0),
      values_(functions_.count(), 0.0) {
  if (locks_ != nullptr) {
    branches_.resize(locks_->n_branches());
    other_branches_.resize(locks_->n_branches());
  }
  if (actions_ != nullptr) {
    triggers_.resize(actions_->n_triggers());
    other_triggers_.resize(actions_->n_triggers());
  }
}

std::vector<double> SwitchBoard::by_name(const char* field,
                                         const std::vector<Named<double>>& values,
                                         bool only_mode) const {
  std::vector<double> found(functions_.count(), 0.0);
  if (values.empty()) return found;
  std::vector<std::string> names;
  for (std::uint32_t w = 0; w < count(); ++w) names.push_back(info(w).name);
  for (const Named<double>& value : values) {
    const auto it = std::find(names.begin(), names.end(), value.name);
    if (it == names.end() && !only_mode) continue;
    if (it == names.end()) {
      const auto near = nearest_name(value.name, names);
      throw OptionError(field, quote(value.name) + " is not a relation of the model" +
                                   (near ? ", did you mean " + quote(*near) + "?" : ""));
    }
    found[static_cast<std::size_t>(it - names.begin())] = value.value;
  }
  return found;
}

/// To systems that cannot know them otherwise. Ranges, holds and exits are no relations.
void SwitchBoard::tell_relations() {
  if (locks_ != nullptr) return;
  relations_.clear();
  for (std::uint32_t w = 0; w < count(); ++w) {
    if (info(w).kind == SwitchKind::relation) relations_.push_back(truth_[w]);
  }
  functions_.set_relations(relations_);
}

void SwitchBoard::set_truth(std::uint32_t which, bool truth) {
  truth_[which] = truth ? 1 : 0;
  tell_relations();
  if (locks_ != nullptr && info(which).kind == SwitchKind::relation) locks_->set_lock(which, truth);
}

void SwitchBoard::set_truths(std::span<const std::uint8_t> truths) {
  for (std::uint32_t w = 0; w < count(); ++w) {
    if (truth_[w] != truths[w]) set_truth(w, truths[w] != 0);
  }
}

Evaluation SwitchBoard::decide(double t, std::span<const double> x, std::span<const double> xdot) {
  if (locks_ != nullptr) {
    const Evaluation decided = locks_->decide(t, x, xdot);
    if (!decided) return decided;
    std::copy(locks_->locks().begin(), locks_->locks().end(), truth_.begin());
  }
  const Evaluation evaluated = functions_.evaluate(t, x, xdot, values_);
  if (!evaluated) return evaluated;
  for (std::uint32_t w = 0; w < count(); ++w) {
    if (locks_ != nullptr && info(w).kind == SwitchKind::relation) continue;
    // A range includes its ends.
    truth_[w] = info(w).truth(values_[w]) ? 1 : 0;
  }
  tell_relations();
  return Evaluation::ok();
}

WatchList SwitchBoard::watch(double t) {
  const auto is_watched = [&](std::uint32_t w) {
    if (!functions_.is_active(w) || functions_.is_timed(w)) return false;
    if (is_range(info(w).kind) && !watches_ranges_) return false;
    return info(w).kind != SwitchKind::hold && !is_silent(w, t);
  };
  for (std::uint32_t w = 0; w < count(); ++w) {
    sides_[w] = is_watched(w) ? static_cast<std::int8_t>(side(w)) : std::int8_t{0};
  }
  // The polynomial of a step is off by less between its ends.
  constexpr double reach = 300.0;
  return {sides_, search_slack_, uncertainty_, reach, slack_, leaves_};
}

void SwitchBoard::note_switched(std::uint32_t which, double t) {
  if (dwell_[which] > 0) silent_until_[which] = forward_ ? t + dwell_[which] : t - dwell_[which];
}

double SwitchBoard::next_dwell_end(double t, double t_end) const {
  double next = t_end;
  for (std::uint32_t w = 0; w < count(); ++w) {
    if (dwell_[w] == 0) continue;
    const double end = silent_until_[w];
    if (forward_ ? (end > t && end < next) : (end < t && end > next)) next = end;
  }
  return next;
}

void SwitchBoard::pardon(std::uint32_t which, double error) {
  pardoned_.push_back({which, error});
  renew_search_slack(which);
}

void SwitchBoard::forget_excursions() {
  const std::vector<Excuse> over = std::exchange(pardoned_, {});
  for (const Excuse& p : over) renew_search_slack(p.which);
}

/// By what a function may be on the wrong side: its own slack, an excuse, and what the step was pardoned.
void SwitchBoard::renew_search_slack(std::uint32_t which) {
  search_slack_[which] = slack_[which];
  for (const std::vector<Excuse>* reasons : {&excused_, &pardoned_}) {
    for (const Excuse& e : *reasons)
      if (e.which == which) search_slack_[which] += e.distance;
  }
}

void SwitchBoard::excuse(std::uint32_t which, double distance, double until) {
  std::erase_if(excused_, [&](const Excuse& e) { return e.which == which; });
  excused_.push_back({which, distance, std::max(distance, until)});
  renew_search_slack(which);
  if (!leaves_.empty()) leaves_[which] = 0;
}

void SwitchBoard::excuse_what_leaves(std::uint32_t which, double distance) {
  excuse(which, distance);
  leaves_.resize(count(), 0);
  leaves_[which] = 1;
}

void SwitchBoard::settle_by_motion(std::uint32_t which, bool truth) {
  set_truth(which, truth);
  settled_.push_back(which);
}

bool SwitchBoard::is_settled_by_motion(std::uint32_t which) const {
  return std::find(settled_.begin(), settled_.end(), which) != settled_.end();
}

void SwitchBoard::end_excuses(double t, std::span<const double> x, std::span<const double> xdot) {
  forget_settled();
  const auto is_over = [&](const Excuse& e) {
    double g = 0.0;
    return !functions_.evaluate_one(e.which, t, x, xdot, g) || side(e.which) * g > e.until;
  };
  for (std::size_t k = excused_.size(); k-- > 0;) {
    const Excuse e = excused_[k];
    if (!is_over(e)) continue;
    excused_.erase(excused_.begin() + static_cast<std::ptrdiff_t>(k));
    renew_search_slack(e.which);
    if (!leaves_.empty()) leaves_[e.which] = 0;
  }
}

void SwitchBoard::note_active() {
  was_active_.resize(count());
  for (std::uint32_t w = 0; w < count(); ++w) was_active_[w] = functions_.is_active(w) ? 1 : 0;
}

void SwitchBoard::decide_new(double t, std::span<const double> x, std::span<const double> xdot) {
  // One that is decided may lead to others.
  for (bool settled = false; !settled;) {
    settled = true;
    for (std::uint32_t w = 0; w < count(); ++w) {
      if (was_active_[w] != 0 || !functions_.is_active(w)) continue;
      was_active_[w] = 1;
      settled = false;
      double g = 0.0;
      if (functions_.evaluate_one(w, t, x, xdot, g)) set_truth(w, info(w).truth(g));
    }
  }
}

Consequence SwitchBoard::consequence(std::span<const std::uint32_t> flips, double t,
                                     std::span<const double> x, std::span<const double> xdot) {
  const auto are = [&](auto&& kind_is) {
    return [&, kind_is](std::uint32_t w) { return kind_is(info(w).kind); };
  };
  if (std::all_of(flips.begin(), flips.end(), are(is_range))) return Consequence::none;
  const auto is_exit = [](SwitchKind kind) { return kind == SwitchKind::exit; };
  if (locks_ == nullptr || std::any_of(flips.begin(), flips.end(), are(is_exit)))
    return Consequence::equations;
  look_across(flips, t, x, xdot);
  const auto n_equations = static_cast<std::ptrdiff_t>(locks_->n_equation_branches());
  const auto middle = branches_.begin() + n_equations;
  if (!std::equal(branches_.begin(), middle, other_branches_.begin()))
    return Consequence::equations;
  if (triggers_turn(triggers_, other_triggers_, forward_)) return Consequence::equations;
  if (!std::equal(middle, branches_.end(), other_branches_.begin() + n_equations))
    return Consequence::outputs;
  return Consequence::none;
}

/// Branches and triggers as they are, and with these relations on their other sides.
void SwitchBoard::look_across(std::span<const std::uint32_t> flips, double t,
                              std::span<const double> x, std::span<const double> xdot) {
  const auto read = [&](std::vector<std::uint8_t>& branches, std::vector<std::uint8_t>& triggers) {
    if (locks_ != nullptr) locks_->branches(branches);
    if (actions_ != nullptr) actions_->triggers(x, discrete(), triggers);
  };
  before_.truth = truth_;
  before_.was_active = was_active_;
  note_active();
  read(branches_, triggers_);
  for (const std::uint32_t w : flips) {
    if (info(w).kind == SwitchKind::relation) set_truth(w, !truth(w));
  }
  decide_new(t, x, xdot);
  read(other_branches_, other_triggers_);
  set_truths(before_.truth);
  was_active_ = before_.was_active;
}

bool SwitchBoard::sets_off_actions(std::span<const std::uint32_t> flips, double t,
                                   std::span<const double> x, std::span<const double> xdot) {
  const auto is_relation = [&](std::uint32_t w) { return info(w).kind == SwitchKind::relation; };
  if (actions_ == nullptr || std::ranges::none_of(flips, is_relation)) return false;
  look_across(flips, t, x, xdot);
  return triggers_turn(triggers_, other_triggers_, forward_);
}

std::vector<std::uint32_t> SwitchBoard::actions_set_off(std::span<const std::uint32_t> flips,
                                                        double t, std::span<const double> x,
                                                        std::span<const double> xdot) {
  std::vector<std::uint32_t> set_off;
  if (!sets_off_actions(flips, t, x, xdot)) return set_off;
  for (std::uint32_t trigger = 0; trigger < triggers_.size(); ++trigger) {
    if (!other_triggers_[trigger] || triggers_[trigger]) continue;
    const std::uint32_t action = actions_->action_of(trigger);
    const ActionInfo& info = actions_->info(action);
    if (info.by_laws || info.comes_last || info.kind == ActionKind::requirement) continue;
    const bool does_something =
        !info.targets.empty() || info.terminal || info.kind == ActionKind::transition;
    if (does_something && (set_off.empty() || set_off.back() != action)) set_off.push_back(action);
  }
  return set_off;
}

bool SwitchBoard::chooses_equations(std::uint32_t which, double t, std::span<const double> x,
                                    std::span<const double> xdot) {
  if (info(which).kind != SwitchKind::relation) return false;
  if (locks_ == nullptr) return true;
  look_across({&which, 1}, t, x, xdot);
  const auto middle =
      branches_.begin() + static_cast<std::ptrdiff_t>(locks_->n_equation_branches());
  return !std::equal(branches_.begin(), middle, other_branches_.begin());
}

std::span<const std::uint8_t> SwitchBoard::equation_branches() {
  if (locks_ == nullptr) return truth_;
  locks_->branches(branches_);
  return std::span<const std::uint8_t>(branches_).first(locks_->n_equation_branches());
}

std::span<const std::uint8_t> SwitchBoard::triggers(std::span<const double> before_x,
                                                    std::span<const double> before_discrete) {
  if (actions_ == nullptr) return triggers_;
  actions_->triggers(before_x, before_discrete, triggers_);
  return triggers_;
}

std::span<double> SwitchBoard::discrete() const {
  return held_ == nullptr ? std::span<double>() : held_->discrete();
}

bool SwitchBoard::are_unchanged(Circumstances& seen) const {
  bool same = true;
  const auto compare = [&](auto& before, const auto& now) {
    if (std::ranges::equal(before, now)) return;
    before.assign(now.begin(), now.end());
    same = false;
  };
  compare(seen.truths, truth_);
  if (locks_ != nullptr) compare(seen.locks, locks_->locks());
  if (held_ != nullptr) {
    compare(seen.parameters, held_->parameters());
    compare(seen.discrete, held_->discrete());
  }
  return same;
}

}  // namespace saltus::detail
