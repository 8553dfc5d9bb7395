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
      follower_(here_, options_, record_ ? record_->follower() : follower),
      recording_(here_, follower_.get()),
      ledger_(options_, observer_),
      frame_{*source_, options_, ledger_, here_, recording_, follower_},
      resolution_(here_),
      motion_(frame_, resolution_),
      left_(frame_),
      last_part_(frame_, resolution_),
      approach_(frame_, motion_),
      stop_watch_(here_, ledger_),
      limits_(options_, observer_, ledger_),
      drift_(here_, ledger_),
      excursions_(here_, options_, ledger_, follower_.get()),
      step_search_(here_, recording_, excursions_, options_, ledger_, follower_.get()),
      series_(here_, recording_, excursions_, options_, ledger_),
      modes_(*source_, options_),
      search_(modes_, *source_, options_),
      judge_(frame_),
      sliders_(frame_, modes_, judge_),
      sliding_watch_(frame_, motion_, sliders_) {
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
  follower_.begins(*source_, jump.has_value());
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
      if (auto noted = left_.note(point); !noted) return noted;
      // Clauses of the mode that follows begin with what holds at the start, word for word.
      (void)here_->kit->board.decide(t_begin, point.x, point.xdot);
      return leave_mode(point, {}, result, true);
    }
    if (auto failed = here_->kit->iteration.failed_requirement(t_begin, here_->start.x))
      return *failed;
  }
  StartHint hint;
  hint.step = options_.initial_step;
  auto slides = sliders_.slide_from_start(t_begin);
  if (!slides) return slides.failure();
  if (*slides)
    ledger_.note({"start on a surface", "", "sliding on " + join(here_->visit.sliding, ", "),
                  "both sides lead to it at t = " + to_text(t_begin)});
  motion_.begin_stay(t_begin);
  // What is decided before any time has passed comes before the first row.
  if (!here_->on_surfaces) {
    if (auto acted = act_at_start(); !acted || ended_) return acted;
  }
  if (!here_.in_motion()) {
    if (auto begun = motion_.set_in_motion(t_begin, hint); !begun) return begun;
    if (here_->on_surfaces) {
      if (auto acted = act_at_start(); !acted || ended_) return acted;
    }
  }
  return pass_first_departures();
}

// ---- around a step -----------------------------------------------------------------------------------

bool Run::Controller::advance() {
  if (ended_ || open_instant_) return false;
  if (const auto kept = put_back_what_drifts(); !kept) end(detail::ended_by(kept.failure()));
  if (ended_ || open_instant_) return !ended_;
  here_.begin_step();
  recording_.forget_step();
  sliding_watch_.begin_step();
  if (here_->kit) here_->kit->locator.set_left(t(), x(), xdot());
  Found found = take_step();
  if (found == Found::nothing && here_->on_surfaces) {
    if (const auto why = sliding_watch_.look()) {
      end(*why);
      found = Found::failure;
    }
  }
  if (found == Found::nothing && watches_events()) {
    const auto group = step_search_.next_interruption();
    if (!group.empty()) found = meet(group);
  }
  if (found == Found::event && !ended_) (void)within(limits_.look(t()));
  if (found != Found::nothing) return found == Found::event;
  if (const auto loss = here_->monitor.look(*here_->engine)) {
    end(last_part_.end_where_singular(*loss));
    return false;
  }
  if (const auto recorded = recording_.add_step(); !recorded) {
    end(last_part_.end_with_outputs(recorded.failure()));
    return false;
  }
  stop_watch_.look();
  if (sliding_watch_.changes_form() && t() != here_.stretch_end()) {
    if (const auto gone = sliding_watch_.go_on_with_copies(); !gone)
      end(detail::ended_by(gone.failure()));
    else
      (void)within(limits_.look(t()));
    return !ended_;
  }
  continue_from_here();
  return true;
}

/// One accepted step of the engine. If it could not be made because of a surface, the event there.
Run::Controller::Found Run::Controller::take_step() {
  if (const auto stepped = motion_.step(); !stepped) {
    if (bridge_to_surface(true)) return Found::event;
    end(last_part_.end_with_step(stepped.failure()));
    return Found::failure;
  }
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
  if (const auto replaced = motion_.replace_if_stiff(); !replaced)
    end(detail::ended_by(replaced.failure()));
  (void)bridge_to_surface(false);
}

bool Run::Controller::bridge_to_surface(bool step_failed) {
  auto bridge = approach_.look(step_failed);
  if (!bridge) return false;
  const detail::ModeRun& here = *here_;
  auto passed = bridge->recorded;
  series_.measure(bridge->point, bridge->crossings);
  if (passed) passed = pass_instant(bridge->point, bridge->crossings, false);
  if (!passed) end(series_.ending_of(here, passed.failure(), bridge->crossings));
  return true;
}

Result<void> Run::Controller::put_back_what_drifts() {
  auto point = drift_.put_back();
  if (!point) return point.failure();
  if (!*point) return {};
  motion_.note_natural_step();
  motion_.cut();
  return pass_instant(**point, {}, false);
}

}  // namespace saltus
