#include "hybrid/mode/mode_search.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>

#include "hybrid/core/candidate_groups.hpp"
#include "hybrid/mode/moment_later.hpp"
#include "hybrid/core/variable_lookup.hpp"

namespace saltus::detail {

std::vector<ImpulseRecord> impulse_records(const System& system,
                                           std::span<const Impulse> impulses) {
  std::vector<ImpulseRecord> records;
  for (const Impulse& i : impulses)
    records.push_back({i.name, i.order, i.strength, unit_of(system, i.name)});
  return records;
}

std::string impulse_unit(const ImpulseRecord& impulse) {
  std::string text = impulse.unit.empty() ? "" : " " + impulse.unit + " s";
  if (impulse.order == 0) return text;
  if (!text.empty()) text += "^" + std::to_string(impulse.order + 1);
  return text + " (order " + std::to_string(impulse.order) + ")";
}

namespace {

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

}  // namespace

ModeSearch::ModeSearch(ModeSet& modes, ConfigurationSource& source, const RunOptions& options)
    : modes_(modes),
      source_(source),
      options_(options),
      no_equations_(std::make_unique<NoLimitEquations>()) {}

ModeRun& ModeSet::at(std::uint32_t mode) {
  for (const auto& known : modes_) {
    if (known->configuration.mode == mode && !known->on_surfaces) return *known;
  }
  Configuration configuration = source_.initial();
  configuration.mode = mode;
  modes_.push_back(std::make_unique<ModeRun>(source_, options_, configuration));
  return *modes_.back();
}

ModeRun& ModeSet::on_surfaces(ModeRun& base, std::vector<Surface> surfaces,
                              const SlidingOptions& how) {
  for (const auto& known : modes_) {
    if (known->on_surfaces && known->on_surfaces->base == &base &&
        known->on_surfaces->surfaces == surfaces && known->on_surfaces->options.form == how.form)
      return *known;
  }
  Configuration configuration = base.configuration;
  for (const Surface& s : surfaces) configuration.sliding.push_back(s.switches.front());
  auto made = std::make_unique<ModeRun>(source_, options_, configuration);
  std::vector<std::string> names;
  for (const Surface& s : surfaces) names.push_back(base.kit->board.info(s.switches.front()).name);
  made->visit.sliding = names;
  made->visit.form = name(how.form);
  made->on_surfaces = ModeRun::OnSurfaces{&base, std::move(surfaces), how, std::move(names)};
  modes_.push_back(std::move(made));
  return *modes_.back();
}

Result<ModeChange> ModeSearch::run(ModeRun& from, const LeftState& left,
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

Result<ModeChange> ModeSearch::again(ModeRun& mode, const LeftState& left) {
  n_evaluations_ = n_evaluations_analyse_ = 0;
  RestartOptions options;
  options.policy = options_.restart;
  options.every_jump = left.every_jump;
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
  bool is_found = false;
  CandidateGroups groups(info.group_ends);
  for (std::uint32_t i = 0; i < info.candidates.size(); ++i) {
    if (!groups.goes_on(i, !possible.empty(), is_found)) break;
    auto tried = try_candidate(link, info, transition, info.candidates[i]);
    if (!tried) continue;
    is_found = is_found || !tried->has_impulses();
    tried->path.insert(tried->path.begin(), {transition, cause});
    possible.push_back(std::move(*tried));
  }
  if (possible.empty()) return nowhere(*link.mode, info.name, link.left->t, first_record);
  // Of candidates without groups the order is what whoever wrote them prefers.
  if (!info.group_ends.empty()) look_a_moment_later(*link.left, possible);
  const auto best = std::find_if(possible.begin(), possible.end(),
                                 [](const ModeChange& c) { return !c.has_impulses(); });
  ModeChange& taken = best != possible.end() ? *best : possible.front();
  for (const ModeChange& other : possible) {
    if (&other == &taken) continue;
    const bool needs_impulses = other.has_impulses() && !taken.has_impulses();
    records_[other.record].verdict_tells_impulses = needs_impulses;
    records_[other.record].verdict = needs_impulses
                                         ? "it would need impulses, and another mode needs none"
                                         : "it is possible as well, but was written later";
    if (other.to == taken.to || other.has_impulses() != taken.has_impulses()) continue;
    warnings_.push_back("at t = " + to_text(link.left->t) + " transition '" + info.name +
                        "' is not unique: modes '" + taken.to->name + "' and '" + other.to->name +
                        "' are both possible; '" + taken.to->name + "', written first, was taken");
  }
  return std::move(taken);
}

/// Of several that are possible without impulses, those that are not a moment later are taken out.
void ModeSearch::look_a_moment_later(const LeftState& left, std::vector<ModeChange>& possible) {
  std::vector<PossibleMode> modes;
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < possible.size(); ++k) {
    const ModeChange& c = possible[k];
    if (c.has_impulses() || std::ranges::count(modes, c.to, &PossibleMode::mode) > 0) continue;
    modes.push_back({c.to, &c.start, c.truths});
    places.push_back(k);
  }
  if (modes.size() < 2) return;
  for (const PossibleMode& m : modes) set_held_values(*m.mode->workspace, left.held);
  const std::vector<std::uint8_t> stays =
      possible_a_moment_later(modes, left.t, moment_after(left.t, left.natural_step, options_));
  for (std::size_t k = places.size(); k-- > 0;) {
    if (stays[k]) continue;
    records_[possible[places[k]].record].verdict = "it is possible here, but not a moment later";
    possible.erase(possible.begin() + static_cast<std::ptrdiff_t>(places[k]));
  }
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
  if (records_.size() == first_record)
    text +=
        " no other mode is left (combinations of states that contradict the equations do not "
        "count)";
  for (std::size_t i = first_record; i < records_.size(); ++i) {
    text += (i > first_record ? "; '" : " '") + records_[i].mode + "': " + records_[i].verdict;
  }
  if (went_round_) {
    text +=
        ". These modes lead back to each other: separate their guards (a hysteresis). If both lead "
        "to the same surface, the solution stays on it (sliding): that is followed where both "
        "sides "
        "are one mode, with where() or sign() in its equations, or write the motion on the surface "
        "as a third mode";
  }
  return {FailureCode::not_certified, text};
}

}  // namespace saltus::detail
