#include "hybrid/controller.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>
#include <saltus/system/initial_equations.hpp>
#include <saltus/system/started_system.hpp>

#include "hybrid/books/opening.hpp"
#include "hybrid/engine_settings.hpp"
#include "hybrid/first_mode.hpp"
#include "hybrid/first_motion.hpp"
#include "hybrid/option_report.hpp"
#include "hybrid/start_policy.hpp"
#include "hybrid/step_part.hpp"

namespace saltus {

Run::Controller::Controller(std::string model_name, std::shared_ptr<ConfigurationSource> source,
                            RunOptions options, Observer& observer, RunFollower* follower)
    : source_(std::move(source)),
      options_(std::move(options)),
      record_(detail::record_of(observer, follower)),
      observer_(record_ ? record_->observer() : observer),
      follower_(record_ ? record_->follower() : follower),
      recording_(here_, follower_),
      ledger_(options_, observer_),
      limits_(options_, observer_, ledger_),
      drift_(here_, ledger_),
      excursions_(here_, options_, ledger_, follower_),
      step_search_(here_, recording_, excursions_, options_, ledger_, follower_),
      series_(here_, recording_, excursions_, options_, ledger_),
      resolution_(here_),
      modes_(*source_, options_),
      search_(modes_, *source_, options_) {
  ledger_.report().options = detail::checked_options(options_);
  if (options_.t_end == options_.t_begin)
    throw OptionError("t_end", "is the same as t_begin: there is nothing to run");
  if (options_.t_end < options_.t_begin && !source_->transitions().empty())
    throw OptionError("t_end", "lies before t_begin: transitions between modes cannot be undone");
  detail::check_mode_names(*source_, options_);
  detail::check_sliding_rule(options_);
  ledger_.report().model = std::move(model_name);
  ledger_.report().t_begin = ledger_.report().t_reached = options_.t_begin;
  ledger_.report().t_requested = options_.t_end;
  here_.begin_at(options_.t_begin);
  const auto first = detail::find_first_mode(*source_, options_);
  here_.enter(modes_.at(first ? first->mode : source_->initial().mode));
  if (!first) {
    end({Outcome::not_started, first.failure().message, first.failure().code});
    return;
  }
  if (!first->reason.empty()) ledger_.note({"first mode", "automatic", here_->name, first->reason});
  for (const std::string& warning : first->warnings) ledger_.warn(warning);
  if (auto begun = begin_first_mode(first->jump); !begun) {
    here_.forget_motion();
    here_->engine.reset();
    end({Outcome::not_started, begun.failure().message, begun.failure().code});
  }
}

// ---- modes -------------------------------------------------------------------------------------------

/// Values that were stated may have to jump before any time has passed.
Result<void> Run::Controller::begin_first_mode(std::optional<Restart> jump) {
  if (auto loaded = here_->load(); !loaded) return loaded;
  recording_.open(std::make_unique<detail::OutputWriter>(
      here_->system->variable_map(), here_->workspace->ability<SwitchingFunctions>(), options_,
      has_modes()));
  recording_.writer().set_own_side([this](const Workspace& workspace, double t,
                                          std::span<const double> x, std::span<const double> xdot,
                                          const auto& evaluate) {
    for (const auto& mode : modes_.all())
      if (mode->workspace.get() == &workspace && mode->continued)
        return mode->continued->on_own_side(t, x, xdot, evaluate);
    return false;
  });
  std::vector<std::string> recorded;
  for (const VariableInfo& v : recording_.writer().trajectory().variables())
    recorded.push_back(v.name);
  ledger_.name_variables(std::move(recorded));
  auto started = detail::apply_start_policy(here_->original, *here_->original_workspace, options_,
                                            ledger_.choices());
  if (!started) return started.failure();
  if (!jump) jump = std::move(started->jump);
  std::shared_ptr<const System> system = started->system;
  const StartValues start = system->start_values();
  const auto& non_negative = here_->engine_options.non_negative;
  for (std::uint32_t i = 0; i < non_negative.size(); ++i) {
    if (non_negative[i] && start.x[i] < 0)
      throw OptionError("non_negative", "'" + here_->system->unknown_name(i) + "' starts at " +
                                            to_text(start.x[i]));
  }
  detail::report_missing_starts(ledger_, *here_, start);
  if (here_->kit) detail::check_names(options_, here_->kit->board, !has_modes());
  const double t_begin = options_.t_begin;
  std::optional<detail::Arrival> arrival;
  if (jump) {
    arrival = {jump->impulses, 0.0};
    for (const std::string& warning : jump->warnings) ledger_.warn(warning);
    system = std::make_shared<StartedSystem>(
        std::move(system), StartValues{jump->x, jump->xdot, start.x_given}, HeldSnapshot{});
  }
  if (auto begun = here_->begin(t_begin, system, arrival ? &*arrival : nullptr); !begun)
    return begun;
  detail::settle_first_motion(*here_, t_begin);
  if (here_->engine_asked == EngineKind::automatic && here_->kit)
    detail::check_sliding_rule_of_dae(*here_->workspace, options_);
  ledger_.take_over_choices(*here_, has_modes());
  here_.begin_at(t_begin);
  detail::report_start(ledger_, *here_, options_, !has_modes(), jump, start);
  tell_of_start(jump.has_value());
  if (watches_events()) {
    detail::report_triggers_at_start(
        ledger_, here_->kit->board, t_begin,
        triggers_as_written(*here_, t_begin, here_->start.x, here_->start.xdot));
    // A mode may be left before any time has passed.
    detail::InstantResult result;
    result.leaving = here_->kit->iteration.holding(ActionKind::transition, here_->start.x);
    if (!result.leaving.empty()) {
      detail::EventPoint point;
      point.t = t_begin;
      point.x = result.start.x = here_->start.x;
      point.xdot = result.start.xdot = here_->start.xdot;
      if (auto noted = note_left_limit(point); !noted) return noted;
      // Clauses of the mode that follows begin with what holds at the start, word for word.
      (void)here_->kit->board.decide(t_begin, point.x, point.xdot);
      return leave_mode(point, {}, result, true);
    }
    if (auto failed = here_->kit->iteration.failed_requirement(t_begin, here_->start.x))
      return *failed;
  }
  StartHint hint;
  hint.step = options_.initial_step;
  auto slides = slide_from_start(t_begin);
  if (!slides) return slides.failure();
  if (*slides)
    ledger_.note({"start on a surface", "", "sliding on " + join(here_->visit.sliding, ", "),
                  "both sides lead to it at t = " + to_text(t_begin)});
  begin_stay(t_begin);
  // What is decided before any time has passed comes before the first row.
  if (!here_->on_surfaces) {
    if (auto acted = act_at_start(); !acted || ended_) return acted;
  }
  if (!here_.in_motion()) {
    if (auto begun = set_in_motion(t_begin, hint); !begun) return begun;
    if (here_->on_surfaces) {
      if (auto acted = act_at_start(); !acted || ended_) return acted;
    }
  }
  return pass_first_departures();
}

/// What a follower may ask of the start: where the run would begin from other stated values.
void Run::Controller::tell_of_start(bool jumps) {
  if (follower_ == nullptr) return;
  FoundStart start;
  start.is_as_stated =
      here_->visit.n_reductions == 0 &&
      (options_.start == StartPolicy::keep || options_.start == StartPolicy::check) &&
      here_->original_workspace->ability<InitialEquations>() == nullptr;
  start.moved = [this](const std::string& unknown,
                       double by) -> std::optional<std::vector<double>> {
    StartValues stated = here_->original->start_values();
    for (std::uint32_t i = 0; i < stated.x.size(); ++i)
      if (here_->original->unknown_name(i) == unknown) stated.x[i] += by;
    std::vector<DecisionRecord> not_reported;
    auto moved = detail::apply_start_policy(
        std::make_shared<StartedSystem>(here_->original, std::move(stated)),
        *here_->original_workspace, options_, not_reported);
    if (!moved) return std::nullopt;
    // Differences would not tell a start with impulses from one without.
    if (moved->jump) return std::nullopt;
    detail::ModeRun there(*source_, options_, here_->configuration);
    if (!there.load() || !there.begin(options_.t_begin, moved->system, nullptr))
      return std::nullopt;
    detail::settle_first_motion(there, options_.t_begin);
    if (there.system->size() != here_->system->size()) return std::nullopt;
    for (std::uint32_t i = 0; i < there.system->size(); ++i)
      if (there.system->unknown_name(i) != here_->system->unknown_name(i)) return std::nullopt;
    if (here_->kit && !std::ranges::equal(here_->kit->board.truths(), there.kit->board.truths()))
      return std::nullopt;
    return std::move(there.start.x);
  };
  follower_->begins(
      {*here_->system, *here_->workspace, options_.t_begin, here_->start.x, here_->start.xdot},
      start);
  if (jumps) follower_->breaks(options_.t_begin, "start values jump by impulses");
  tell_of_moved_constants();
}

/// A parameter whose derivative is asked for is an unknown, and may give way where too much is stated. What follows is
/// the solution for another value of it.
void Run::Controller::tell_of_moved_constants() {
  constexpr double rounding = 1e-12;
  const StartValues stated = here_->original->start_values();
  for (std::uint32_t i = 0; i < stated.x.size(); ++i) {
    const std::uint32_t at = here_->pairing->integrated_as(i);
    if (!here_->original->is_constant(i) || at == detail::UnknownPairing::none) continue;
    const double used = here_->start.x[at];
    if (std::abs(used - stated.x[i]) <= rounding * here_->original->nominal(i)) continue;
    follower_->breaks(
        options_.t_begin,
        "the stated values are not consistent, and the search for a start has moved '" +
            here_->original->unknown_name(i) + "' from " + to_text(stated.x[i]) + " to " +
            to_text(used) + "; state other values, or leave one of them as a guess");
  }
}

Result<void> Run::Controller::start_stay(double t, StartHint hint) {
  begin_stay(t);
  return set_in_motion(t, hint);
}

void Run::Controller::begin_stay(double t) {
  here_.rest_at(t);
  enter_stretch(t);
  ++here_->visit.n_stays;
  recording_.writer().set_non_negative(here_->engine_options.non_negative);
}

Result<void> Run::Controller::set_in_motion(double t, StartHint hint) {
  if (auto started = start_engine(t, hint); !started) return started;
  if (!watches_events()) return {};
  excuse_what_lags();
  excuse_what_left(here_->kit->board.settled_by_motion());
  return {};
}

void Run::Controller::tell_where_it_goes_on(double t) {
  if (follower_ != nullptr)
    follower_->goes_on({*here_->system, *here_->workspace, t, here_->start.x, here_->start.xdot},
                       here_->segment_name().mode);
}

/// What begins at the end of a run is a point, the right limit there, and nothing moves any more.
Result<void> Run::Controller::end_with_start(double t) {
  tell_where_it_goes_on(t);
  here_.rest_at(t);
  return recording_.end_with_point(t, here_->start.x, here_->start.xdot);
}

/// An engine that begins has no step that could be asked for, and counts of its own.
Result<void> Run::Controller::begin_steps(double t, const StartHint& hint) {
  engine_begin_ = t;
  auto begun =
      here_->engine->start({t, here_->start.x, here_->start.xdot}, here_.stretch_end(), hint);
  n_refused_ = here_->engine->work().n_refused_points;
  return begun;
}

/// From the consistent point in here_->start.
Result<void> Run::Controller::start_engine(double t, StartHint hint) {
  if (!here_->engine) choose_and_make_engine(t);
  if (here_->continued) {
    const double step = std::max(std::abs(hint.step), here_->natural_step);
    here_->continued->begin(t, here_->start.x, here_->start.xdot, forward() ? step : -step);
  }
  is_growing_ = hint.step == 0;
  if (here_->kit && hint.step != 0 && detail::may_begin_as_before(here_->engine_kind())) {
    const double known = here_->first_steps.length(here_->kit->board.truths());
    if (known > 0) hint.step = known;
  }
  if (auto ok = begin_steps(t, hint); !ok) return ok;
  here_.set_in_motion();
  tell_where_it_goes_on(t);
  tell_of_relations(t);
  looked_at_ = t;
  resolution_.begin(t);
  n_steps_before_stay_ = ledger_.n_steps();
  note_sizes();
  here_->monitor.begin(*here_->system, *here_->workspace, t, here_->start.x, here_->start.xdot,
                       here_->on_surfaces.has_value());
  if (here_->kit) {
    const double step = std::max(here_->natural_step, here_->engine->work().next_step);
    here_->kit->locator.begin_stretch(t, here_->start.x, here_->start.xdot, step);
    excuse_what_begins_to_leave(t);
  }
  return recording_.begin_segment(t);
}

void Run::Controller::choose_and_make_engine(double t) {
  EngineKind kind = here_->engine_asked;
  if (kind == EngineKind::automatic) {
    EngineChoice choice =
        choose_engine(*here_->system, *here_->workspace, {t, here_->start.x, here_->start.xdot},
                      options_.t_end, here_->engine_options);
    kind = choice.kind;
    if (!detail::offers_sliding_rule(kind, options_) &&
        here_->workspace->ability<ExplicitForm>() != nullptr) {
      choice.reason = "events.sliding_rule = moments needs it; otherwise " +
                      std::string(name(kind)) + ": " + choice.reason;
      kind = EngineKind::dopri5;
    }
    ledger_.inform("engine", "engine " + std::string(name(kind)) + ": " + choice.reason);
    const std::string where = has_modes() ? "; mode '" + here_->name + "'" : "";
    ledger_.note({"engine", "automatic", std::string(name(kind)), choice.reason + where});
  }
  here_->engine = make_engine(kind, *here_->system, here_->field(), here_->engine_options);
}

void Run::Controller::replace_stiff_engine() {
  if (here_->engine_asked != EngineKind::automatic ||
      !detail::offers_sliding_rule(EngineKind::radau, options_)) {
    if (ledger_.has_warned_of("stiffness")) return;
    ledger_.warn_once(
        "stiffness",
        "from t = " + to_text(t()) + " on, steps of " + std::string(name(here_->engine->kind())) +
            " are limited by stability: the model is stiff there, radau or ida will be faster");
    return;
  }
  ledger_.keep_work(*here_);
  here_->start.x.assign(x().begin(), x().end());
  here_->start.xdot.assign(xdot().begin(), xdot().end());
  const double t_now = t();
  const double step = here_->engine->work().next_step;
  const EngineKind before = here_->engine->kind();
  recording_.keep_last_step(*here_->engine, t_now);
  const EngineChoice choice = choose_stiff_engine(*here_->system, here_->engine_options);
  here_->engine = make_engine(choice.kind, *here_->system, here_->field(), here_->engine_options);
  ledger_.note({"engine", std::string(name(before)), std::string(name(choice.kind)),
                choice.reason + " from t = " + to_text(t_now) + " on"});
  StartHint hint;
  hint.step = step;
  if (auto ok = begin_steps(t_now, hint); !ok) end(detail::ended_by(ok.failure()));
}

// ---- around a step -----------------------------------------------------------------------------------

bool Run::Controller::advance() {
  if (ended_ || open_instant_) return false;
  if (const auto kept = put_back_what_drifts(); !kept) end(detail::ended_by(kept.failure()));
  if (ended_ || open_instant_) return !ended_;
  here_.begin_step();
  recording_.forget_step();
  change_form_ = FormChange::none;
  if (here_->kit) here_->kit->locator.set_left(t(), x(), xdot());
  Found found = take_step();
  if (found == Found::nothing && here_->on_surfaces) found = look_again();
  if (found == Found::nothing && watches_events()) {
    const auto group = step_search_.next_interruption();
    if (!group.empty()) found = meet(group);
  }
  if (found == Found::event && !ended_) (void)within(limits_.look(t()));
  if (found != Found::nothing) return found == Found::event;
  if (const auto loss = here_->monitor.look(*here_->engine)) {
    end_at(*loss);
    return false;
  }
  if (const auto recorded = recording_.add_step(); !recorded) {
    end_with_outputs(recorded.failure());
    return false;
  }
  if (stop_) look_after_stop();
  if (change_form_ != FormChange::none && t() != here_.stretch_end()) {
    if (const auto gone = go_on_with_copies(); !gone)
      end(detail::ended_by(gone.failure()));
    else
      (void)within(limits_.look(t()));
    return !ended_;
  }
  continue_from_here();
  return true;
}

/// With what the same branches may begin next time. A step that was only estimated is cautious: those that follow it and
/// grow quickly count as well.
void Run::Controller::note_first_step() {
  if (!here_->kit || !detail::may_begin_as_before(here_->engine_kind())) return;
  const auto truths = here_->kit->board.truths();
  const double next = here_->engine->work().next_step;
  if (ledger_.n_steps() != n_steps_before_stay_ + 1) {
    is_growing_ = is_growing_ && next > 2 * here_->first_steps.length(truths);
    if (!is_growing_) return;
  }
  here_->first_steps.note(truths, next);
}

/// One accepted step of the engine. If it could not be made because of a surface, the event there.
Run::Controller::Found Run::Controller::take_step() {
  const auto stepped = here_->engine->step(step_bound_);
  if (!stepped) {
    if (approach_surface(true)) return Found::event;
    const std::string message = impasse(stepped.failure().message + growth());
    cut_unresolved_end();
    end({Outcome::failed, message, stepped.failure().code});
    // A point that the system refused is not part of the solution.
    ledger_.report().t_reached = recording_.writer().trajectory().t_end();
    return Found::failure;
  }
  ledger_.count_step();
  note_sizes();
  resolution_.note_step();
  note_first_step();
  return Found::nothing;
}

/// What a step without events leads to.
void Run::Controller::continue_from_here() {
  if (t() == options_.t_end) {
    if (watches_events() && t() == here_.stretch_end()) {
      if (const auto passed = pass_scheduled_time(); !passed) {
        end(detail::ended_by(passed.failure()));
      }
      if (ended_) return;
    }
    reach_end();
    limits_.look_last(t());
    return;
  }
  if (!within(limits_.look(t()))) return;
  if (t() == here_.stretch_end()) {
    if (const auto passed = pass_scheduled_time(); !passed) {
      end(detail::ended_by(passed.failure()));
    }
    return;
  }
  if (here_->engine->finds_stiff()) replace_stiff_engine();
  if (watches_events()) (void)approach_surface(false);
}

Result<void> Run::Controller::put_back_what_drifts() {
  auto point = drift_.put_back();
  if (!point) return point.failure();
  if (!*point) return {};
  here_->natural_step = std::max(here_->engine->work().last_step, here_->engine->work().next_step);
  engine_was_cut_ = true;
  return pass_instant(**point, {}, false);
}

/// A step that cannot be recorded as a whole is recorded as far as all outputs exist. The solution itself does not need
/// them, so this is no reason to end before.
void Run::Controller::end_with_outputs(const Failure& failure) {
  const auto undefined = recording_.writer().add_defined_part(*here_->system, *here_->workspace,
                                                              here_->engine->last_step());
  if (undefined) {
    end({Outcome::failed,
         "output '" + undefined->name + "' cannot be evaluated " +
             (undefined->is_last_defined ? "after" : "at") + " t = " + to_text(undefined->t) +
             ": write it so that it exists there (by where, for example), or end the run before",
         failure.code});
  } else {
    end({Outcome::failed, impasse(failure.message), failure.code});
  }
  // The step as a whole is not part of the solution.
  ledger_.report().t_reached = recording_.writer().trajectory().t_end();
}

}  // namespace saltus
