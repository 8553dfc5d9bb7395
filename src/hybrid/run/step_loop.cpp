#include "hybrid/run/step_loop.hpp"

#include <algorithm>

namespace saltus::detail {

// ---- a step --------------------------------------------------------------------------------------------

/// True if a step can be made.
bool StepLoop::put_back_what_drifts() {
  auto point = step_.drift.put_back();
  if (!point) return end_.reach(ended_by(point.failure()));
  if (*point) {
    step_.motion.note_natural_step();
    step_.motion.cut();
    settle(instants_.pass(InstantRequest{.point = std::move(**point)}));
  }
  return !is_over();
}

bool StepLoop::change_inputs(std::vector<InputChange> changes) {
  InstantRequest request;
  if (open_) {
    auto cut = step_.cut.at_time(open_->look->t);
    open_.reset();
    if (const auto* ending = std::get_if<Ending>(&cut)) return end_.reach(*ending);
    request = std::move(std::get<InstantRequest>(cut));
  } else {
    step_.motion.note_natural_step();
    step_.motion.cut();
    request.point = here_.point();
  }
  request.inputs = std::move(changes);
  request.inputs_change = true;
  settle(instants_.pass(std::move(request)));
  look_at_limits();
  return !is_over();
}

Made StepLoop::make() {
  if (!put_back_what_drifts()) return end_.is_reached() ? Made::none : Made::instant;
  here_.begin_step();
  ground_.recording.forget_step();
  step_.sliding_watch.begin_step();
  if (here_->kit) here_->kit->locator.set_left(here_.t(), here_.x(), here_.xdot());
  if (const auto made = step_.motion.step(); !made) {
    if (pass_surface_ahead(true)) {
      look_at_limits();
      return Made::instant;
    }
    end_.reach(step_.last_part.end_with_step(made.failure()));
    return Made::none;
  }
  if (const auto why = step_.sliding_watch.look()) {
    end_.reach(*why);
    return Made::none;
  }
  if (here_->watches_events()) step_.search.begin();
  open_ = OpenStep{};
  return Made::step;
}

Made StepLoop::finish(std::optional<double> t_limit) {
  while (here_->watches_events()) {
    if (!open_->ahead) open_->ahead = step_.search.next();
    if (open_->ahead->empty()) break;
    if (t_limit && !has_crossed(*open_->ahead, *t_limit)) return Made::step;
    const std::vector<Departure> group = std::move(*open_->ahead);
    open_->ahead.reset();
    if (step_.search.pass(group)) continue;
    open_.reset();
    return pass_crossings(group) ? Made::instant : Made::none;
  }
  const bool is_inside = t_limit && (here_.forward() ? *t_limit < here_.t() : *t_limit > here_.t());
  if (is_inside) return Made::step;
  open_.reset();
  return add_step();
}

/// Whether the first of these has crossed at a time inside the step.
bool StepLoop::has_crossed(const std::vector<Departure>& group, double t) const {
  const Departure& first = group.front();
  const double direction = here_.forward() ? 1.0 : -1.0;
  const StepPolynomial step = here_->engine->last_step();
  if ((t - first.t_after) * direction >= 0) return true;
  if (step.position_of(t) <= first.s_before) return false;
  std::vector<double> x(step.n), xdot(step.n);
  step.state_at(t, x);
  step.derivative_at(t, xdot);
  SwitchBoard& board = here_->kit->board;
  double g = 0.0;
  return board.functions().evaluate_one(first.which, t, x, xdot, g) &&
         board.side(first.which) * g < 0;
}

void StepLoop::look(double t) {
  const StepPolynomial step = here_->engine->last_step();
  EventPoint look;
  look.t = t;
  look.x.resize(step.n);
  look.xdot.resize(step.n);
  step.state_at(t, look.x);
  step.derivative_at(t, look.xdot);
  open_->look = std::move(look);
}

Made StepLoop::add_step() {
  if (const auto loss = here_->monitor.look(*here_->engine)) {
    end_.reach(step_.last_part.end_where_singular(*loss));
    return Made::none;
  }
  if (const auto recorded = ground_.recording.add_step(); !recorded) {
    end_.reach(step_.last_part.end_with_outputs(recorded.failure()));
    return Made::none;
  }
  at_.stop_watch.look();
  if (!step_.sliding_watch.changes_form() || here_.t() == here_.stretch_end()) {
    pass_end_of_step();
    return Made::instant;
  }
  if (const auto gone = step_.sliding_watch.go_on_with_copies(); !gone)
    end_.reach(ended_by(gone.failure()));
  look_at_limits();
  return end_.is_reached() ? Made::none : Made::instant;
}

bool StepLoop::pass_crossings(std::span<const Departure> group) {
  auto cut = step_.cut.at(group);
  if (const auto* ending = std::get_if<Ending>(&cut)) return end_.reach(*ending);
  auto& request = std::get<InstantRequest>(cut);
  at_.series.measure(request.point, request.crossings);
  const std::vector<Crossing> crossings = request.crossings;
  if (!pass_event(std::move(request), crossings)) return false;
  look_at_limits();
  return true;
}

/// A surface beyond which nothing can be evaluated, if it is as near as makes no difference. False if there is none.
bool StepLoop::pass_surface_ahead(bool step_failed) {
  auto bridge = step_.approach.look(step_failed);
  if (!bridge) return false;
  at_.series.measure(bridge->event.point, bridge->event.crossings);
  const std::vector<Crossing> crossings = bridge->event.crossings;
  if (bridge->recorded)
    (void)pass_event(std::move(bridge->event), crossings);
  else
    (void)pass_event(bridge->recorded.failure(), crossings);
  return true;
}

/// False if the run fails there.
bool StepLoop::pass_event(Result<InstantRequest> event, std::span<const Crossing> crossings) {
  using Passed = InstantLoop::Passed;
  const ModeRun& before = *here_;
  const bool is_at_end = event && event->point.t == ground_.options.t_end;
  const Passed passed = event ? instants_.pass(std::move(*event)) : Passed(event.failure());
  if (!passed) {
    Ending ending = at_.series.ending_of(before, passed.failure(), crossings);
    ending.as_recorded = true;
    return end_.reach(ending);
  }
  settle(passed);
  if (is_at_end && !end_.is_reached()) reach_end();
  return true;
}

/// What a step without events leads to.
void StepLoop::pass_end_of_step() {
  const bool is_at_end = here_.t() == ground_.options.t_end;
  const bool is_due = here_.t() == here_.stretch_end();
  if (!is_at_end) look_at_limits();
  if (end_.is_reached()) return;
  if (is_due && (!is_at_end || here_->watches_events()))
    settle(instants_.pass(at_.instants.pass_end_of_stretch()));
  if (end_.is_reached()) return;
  if (is_at_end) {
    reach_end();
    ground_.limits.look_last(here_.t());
  } else if (!is_due) {
    if (const auto replaced = step_.motion.replace_if_stiff(); !replaced)
      end_.reach(ended_by(replaced.failure()));
    (void)pass_surface_ahead(false);
  }
}

void StepLoop::look_at_limits() {
  if (end_.is_reached()) return;
  if (const auto used_up = ground_.limits.look(here_.t())) end_.reach(*used_up);
}

// ---- at an instant -------------------------------------------------------------------------------------

void StepLoop::settle(const InstantLoop::Passed& passed) {
  if (!passed)
    end_.reach(ended_by(passed.failure()));
  else if (*passed)
    end_.reach(instants_.with_last_actions(**passed));
}

/// The end that was asked for.
void StepLoop::reach_end() {
  Ending ending;
  ending.t_reached = ground_.options.t_end;
  ending.acts_first = true;
  end_.reach(instants_.with_last_actions(std::move(ending)));
}

}  // namespace saltus::detail
