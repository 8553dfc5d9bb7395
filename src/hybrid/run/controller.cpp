#include "hybrid/run/controller.hpp"

#include <saltus/core/text.hpp>

#include "hybrid/books/closing.hpp"
#include "hybrid/core/engine_settings.hpp"
#include "hybrid/mode/first_mode.hpp"
#include "hybrid/core/option_report.hpp"
#include "hybrid/run/first_start.hpp"

namespace saltus {

using detail::Ending;
using detail::InstantRequest;
using detail::Question;
using detail::SurfaceInstant;
using detail::Verdict;

// ---- the start -----------------------------------------------------------------------------------------

Run::Controller::Controller(std::string model_name, std::shared_ptr<ConfigurationSource> source,
                            RunOptions options, Observer& observer, RunFollower* follower)
    : ground_(std::move(source), std::move(options), observer, follower),
      here_(ground_.here),
      step_(ground_),
      at_(ground_, step_) {
  check_and_report(std::move(model_name));
  here_.begin_at(ground_.options.t_begin);
  const auto first = detail::find_first_mode(*ground_.source, ground_.options);
  here_.enter(ground_.modes.at(first ? first->mode : ground_.source->initial().mode));
  if (!first) {
    end({Outcome::not_started, first.failure().message, first.failure().code});
    return;
  }
  if (!first->reason.empty())
    ground_.ledger.note({"first mode", "automatic", here_->name, first->reason});
  for (const std::string& warning : first->warnings) ground_.ledger.warn(warning);
  if (auto begun = begin(first->jump); !begun) {
    here_.forget_motion();
    here_->engine.reset();
    end({Outcome::not_started, begun.failure().message, begun.failure().code});
  }
}

void Run::Controller::check_and_report(std::string model_name) {
  const RunOptions& options = ground_.options;
  RunReport& report = ground_.ledger.report();
  report.options = detail::checked_options(options);
  if (options.t_end == options.t_begin)
    throw OptionError("t_end", "is the same as t_begin: there is nothing to run");
  if (options.t_end < options.t_begin && !ground_.source->transitions().empty())
    throw OptionError("t_end", "lies before t_begin: transitions between modes cannot be undone");
  detail::check_mode_names(*ground_.source, options);
  detail::check_sliding_rule(options);
  report.model = std::move(model_name);
  report.t_begin = report.t_reached = options.t_begin;
  report.t_requested = options.t_end;
}

Result<void> Run::Controller::begin(std::optional<Restart> jump) {
  if (auto begun = detail::begin_first_mode(ground_.frame, ground_.modes, std::move(jump)); !begun)
    return begun;
  if (!here_->watches_events()) return begin_motion();
  auto left = detail::left_at_start(ground_.frame);
  if (!left) return left.failure();
  if (left->leaving.empty()) return begin_motion();
  detail::EventPoint point = here_.point();
  if (auto noted = at_.left.note(point); !noted) return noted;
  // Clauses of the mode that follows begin with what holds at the start, word for word.
  (void)here_->kit->board.decide(point.t, point.x, point.xdot);
  return pass_at_start(at_.transitions.leave({std::move(point), {}, std::move(*left), true}));
}

Result<void> Run::Controller::begin_motion() {
  const double t_begin = ground_.options.t_begin;
  auto slides = step_.sliders.slide_from_start(t_begin);
  if (!slides) return slides.failure();
  if (*slides)
    ground_.ledger.note({"start on a surface", "", "sliding on " + join(here_->visit.sliding, ", "),
                         "both sides lead to it at t = " + to_text(t_begin)});
  step_.motion.begin_stay(t_begin);
  // What is decided before any time has passed comes before the first row.
  if (!here_->on_surfaces) {
    if (auto acted = act_at_start(); !acted || ended_) return acted;
  }
  if (!here_.in_motion()) {
    StartHint hint;
    hint.step = ground_.options.initial_step;
    if (auto begun = step_.motion.set_in_motion(t_begin, hint); !begun) return begun;
    if (here_->on_surfaces) {
      if (auto acted = act_at_start(); !acted || ended_) return acted;
    }
  }
  if (question_) return {};
  auto departures = at_.first_and_last.first_departures();
  if (!departures) return {};
  return pass_at_start(at_.instants.pass(std::move(*departures)));
}

Result<void> Run::Controller::act_at_start() {
  for (std::uint32_t action = 0; !ended_;) {
    auto request = at_.first_and_last.next_at_start(action);
    if (!request) break;
    if (auto passed = pass_at_start(at_.instants.pass(std::move(*request))); !passed) return passed;
  }
  return {};
}

// ---- around a step -------------------------------------------------------------------------------------

bool Run::Controller::advance() {
  if (ended_ || question_) return false;
  if (!put_back_what_drifts()) return !ended_;
  here_.begin_step();
  ground_.recording.forget_step();
  step_.sliding_watch.begin_step();
  if (here_->kit) here_->kit->locator.set_left(here_.t(), here_.x(), here_.xdot());
  if (const auto made = step_.motion.step(); !made) {
    if (!pass_surface_ahead(true)) return end(step_.last_part.end_with_step(made.failure()));
    look_at_limits();
    return true;
  }
  if (const auto why = step_.sliding_watch.look()) return end(*why);
  if (here_->watches_events()) {
    const auto group = step_.search.next_interruption();
    if (!group.empty()) return pass_crossings(group);
  }
  if (const auto loss = here_->monitor.look(*here_->engine))
    return end(step_.last_part.end_where_singular(*loss));
  if (const auto recorded = ground_.recording.add_step(); !recorded)
    return end(step_.last_part.end_with_outputs(recorded.failure()));
  at_.stop_watch.look();
  if (step_.sliding_watch.changes_form() && here_.t() != here_.stretch_end())
    return go_on_with_copies();
  go_on();
  return true;
}

/// True if a step can be made.
bool Run::Controller::put_back_what_drifts() {
  auto point = step_.drift.put_back();
  if (!point) return end(detail::ended_by(point.failure()));
  if (*point) {
    step_.motion.note_natural_step();
    step_.motion.cut();
    settle(pass(InstantRequest{.point = std::move(**point)}));
  }
  return !ended_ && !question_;
}

bool Run::Controller::pass_crossings(std::span<const Departure> group) {
  auto cut = step_.cut.at(group);
  if (const auto* ending = std::get_if<Ending>(&cut)) return end(*ending);
  auto& request = std::get<InstantRequest>(cut);
  at_.series.measure(request.point, request.crossings);
  const std::vector<detail::Crossing> crossings = request.crossings;
  if (!pass_event(std::move(request), crossings)) return false;
  look_at_limits();
  return true;
}

/// A surface beyond which nothing can be evaluated, if it is as near as makes no difference. False if there is none.
bool Run::Controller::pass_surface_ahead(bool step_failed) {
  auto bridge = step_.approach.look(step_failed);
  if (!bridge) return false;
  at_.series.measure(bridge->event.point, bridge->event.crossings);
  const std::vector<detail::Crossing> crossings = bridge->event.crossings;
  if (bridge->recorded)
    (void)pass_event(std::move(bridge->event), crossings);
  else
    (void)pass_event(bridge->recorded.failure(), crossings);
  return true;
}

/// False if the run fails there.
bool Run::Controller::pass_event(Result<InstantRequest> event,
                                 std::span<const detail::Crossing> crossings) {
  const detail::ModeRun& before = *here_;
  const bool is_at_end = event && event->point.t == ground_.options.t_end;
  const Passed passed = event ? pass(std::move(*event)) : Passed(event.failure());
  if (!passed) {
    Ending ending = at_.series.ending_of(before, passed.failure(), crossings);
    ending.as_recorded = true;
    return end(ending);
  }
  settle(passed);
  if (is_at_end && !ended_) conclude(at_end());
  return true;
}

bool Run::Controller::go_on_with_copies() {
  if (const auto gone = step_.sliding_watch.go_on_with_copies(); !gone)
    return end(detail::ended_by(gone.failure()));
  look_at_limits();
  return !ended_;
}

/// What a step without events leads to.
void Run::Controller::go_on() {
  const bool is_at_end = here_.t() == ground_.options.t_end,
             is_due = here_.t() == here_.stretch_end();
  if (!is_at_end) look_at_limits();
  if (ended_) return;
  if (is_due && (!is_at_end || here_->watches_events()))
    settle(pass(at_.instants.pass_end_of_stretch()));
  if (ended_) return;
  if (is_at_end) {
    conclude(at_end());
    ground_.limits.look_last(here_.t());
  } else if (!is_due) {
    if (const auto replaced = step_.motion.replace_if_stiff(); !replaced)
      end(detail::ended_by(replaced.failure()));
    (void)pass_surface_ahead(false);
  }
}

void Run::Controller::look_at_limits() {
  if (ended_) return;
  if (const auto used_up = ground_.limits.look(here_.t())) end(*used_up);
}

// ---- at an instant -------------------------------------------------------------------------------------

/// Time stands still until the run goes on, waits for a decision, or ends.
Run::Controller::Passed Run::Controller::pass(Verdict verdict) {
  bool is_event = false, is_limit = false;
  for (;;) {
    if (auto* request = std::get_if<InstantRequest>(&verdict)) {
      is_event = is_event || request->follows_event;
      verdict = at_.instants.pass(std::move(*request));
    } else if (auto* instant = std::get_if<SurfaceInstant>(&verdict)) {
      verdict = at_.on_surfaces.decide(std::move(*instant));
    } else if (auto* question = std::get_if<Question>(&verdict)) {
      question_ = std::move(*question);
      return std::optional<Ending>();
    } else if (auto* ending = std::get_if<Ending>(&verdict)) {
      return std::optional(std::move(*ending));
    } else if (const auto* failure = std::get_if<Failure>(&verdict)) {
      // What fails beyond the limit of a series is not the fault of its last event.
      if (is_limit) return std::optional(detail::ended_by(*failure));
      return *failure;
    } else {
      const detail::GoOn on = std::get<detail::GoOn>(std::move(verdict));
      is_event = is_event || on.is_event;
      auto used_up = is_event ? ground_.limits.look_at_events(here_.t()) : std::nullopt;
      if (used_up || !on.series) return used_up;
      verdict = at_.series_limits.look(*on.series);
      is_limit = true;
    }
  }
}

Result<void> Run::Controller::pass_at_start(Verdict verdict) {
  Passed passed = pass(std::move(verdict));
  if (!passed) return passed.failure();
  settle(passed);
  return {};
}

void Run::Controller::settle(const Passed& passed) {
  if (!passed)
    end(detail::ended_by(passed.failure()));
  else if (*passed)
    conclude(**passed);
}

void Run::Controller::choose(std::size_t candidate) {
  if (!question_)
    throw Error(
        "the run does not wait for a decision: choose() needs a run that stopped at a surface "
        "(events.surface = stop)");
  const auto& candidates = question_->candidates;
  if (candidate >= candidates.size())
    throw Error("there is no candidate " + std::to_string(candidate) + ": there are " +
                std::to_string(candidates.size()) + ", counted from 0");
  if (!candidates[candidate].consistent)
    throw Error("'" + candidates[candidate].text +
                "' is not possible: " + candidates[candidate].verdict);
  SurfaceInstant instant = std::move(question_->instant);
  question_.reset();
  instant.choice = candidate;
  settle(pass(std::move(instant)));
}

std::span<const SurfaceCandidateRecord> Run::Controller::decision() const {
  if (!question_) return {};
  return question_->candidates;
}

// ---- the end -------------------------------------------------------------------------------------------

/// The end that was asked for.
Ending Run::Controller::at_end() const {
  Ending ending;
  ending.t_reached = ground_.options.t_end;
  ending.acts_first = true;
  return ending;
}

/// Ends the run, after the actions of its last instant if it has one. An ending among these counts instead.
void Run::Controller::conclude(Ending ending) {
  for (std::uint32_t action = 0; ending.acts_first;) {
    auto request = at_.first_and_last.next_at_end(action);
    if (!request) break;
    Passed passed = pass(at_.instants.pass(std::move(*request)));
    if (passed && !*passed) continue;
    ending = passed ? std::move(**passed) : detail::ended_by(passed.failure());
    ending.t_reached = ground_.options.t_end;
  }
  end(ending);
}

/// Always false: the run does not go on.
bool Run::Controller::end(const Ending& ending) {
  if (ended_) return false;  // the first reason counts
  ended_ = true;
  ground_.follower.catch_up();
  // A run that was cut short says nothing about what would have been.
  const bool is_cut =
      ending.outcome == Outcome::step_limit || ending.outcome == Outcome::event_limit ||
      ending.outcome == Outcome::wall_time_limit || ending.outcome == Outcome::stopped;
  detail::Ledger& ledger = ground_.ledger;
  detail::Recording& recording = ground_.recording;
  if (!is_cut) detail::warn_of_uncontrolled(ledger, *here_);
  // A stretch without a step is where it began: the engine may have gone on, but not as part of the solution.
  if (here_.in_motion() && recording.is_open())
    (void)recording.writer().close(*here_->system, *here_->workspace, here_.stretch_begin(),
                                   here_->start.x, here_->start.xdot);
  detail::report_writing(ledger, recording.writer_if_any());
  step_.drift.report();
  detail::report_end(ledger, ground_.modes, *here_, *ground_.source, ground_.options);
  RunReport& report = ledger.report();
  report.outcome = ending.outcome;
  report.message = ending.message;
  report.failure = ending.failure;
  report.t_reached = ending.as_recorded ? recording.writer().trajectory().t_end()
                                        : ending.t_reached.value_or(here_.t());
  report.wall_time_s = ground_.limits.seconds();
  return false;
}

const RunReport& Run::Controller::report() {
  RunReport& report = ground_.ledger.report();
  if (!ended_) {
    report.t_reached = here_.t();
    report.wall_time_s = ground_.limits.seconds();
    report.outcome = Outcome::stopped;
    report.message = "the run is still going on";
  }
  if (ground_.recording.is_open()) report.invariants = ground_.recording.writer().invariants();
  ground_.ledger.bring_up_to_date(ground_.modes, *here_, here_.duration(),
                                  ground_.frame.has_modes());
  report.event_names = detail::names_of_events(ground_.modes, *ground_.source);
  return report;
}

Solution Run::Controller::finish() {
  if (question_) {
    end({Outcome::undecided, "at t = " + to_text(question_->instant.point.t) +
                                 " the solution came to a surface at which the run was to stop "
                                 "(events.surface); " +
                                 ways_text(question_->candidates)});
  }
  if (!ended_) end({Outcome::stopped, "the run was ended early"});
  report();
  Solution solution;
  if (ground_.recording.is_open()) solution.trajectory = ground_.recording.writer().take();
  solution.report = ground_.ledger.report();
  solution.event_log = ground_.ledger.take_log();
  if (ground_.record) ground_.record->ends(solution);
  return solution;
}

}  // namespace saltus
