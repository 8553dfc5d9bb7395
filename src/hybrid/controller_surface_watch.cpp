// What was judged where motion on surfaces began is judged again along it.
//
// Two judgements are made at the first point: that mixing the equations is Filippov's motion (the form `mixed`),
// and that the motion on several surfaces does not depend on the rule by which their sides are mixed. Coefficients
// that vanish there, or of terms that are still too small, may make them wrong later.
//
// "Differs" means: by a rate that would change a state by more than its tolerance if it lasted as long as the whole
// run, or, for an unknown without derivative, by more than its tolerance.
#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>

#include "hybrid/controller.hpp"
#include "hybrid/engine_settings.hpp"
#include "hybrid/step_part.hpp"

namespace saltus {

namespace {

constexpr std::size_t most_watched = 4;  // surfaces; of more not all vertices are known

}  // namespace

/// The form every step at first, as a step may be as long as all before, later every few short ones; the rule at
/// growing intervals: it changes nothing of the motion.
Run::Controller::SurfaceLook Run::Controller::look_due() const {
  SurfaceLook due;
  if (!here_->on_surfaces || here_->on_surfaces->surfaces.size() > most_watched) return due;
  const SlidingOptions& how = here_->on_surfaces->options;
  if (how.form == SlidingForm::blended) return due;
  constexpr std::uint64_t every_step = 16, then_every = 4, seldom = 64;
  const std::uint64_t n = ledger_.n_steps() - n_steps_before_stay_;
  const bool last = t() == options_.t_end;
  constexpr double soon = 0.01;  // of the run: longer ones are not left unseen
  const double unseen = std::abs(t() - looked_at_);
  due.is_other_motion = how.form == SlidingForm::mixed &&
                        options_.events.sliding_field == SlidingField::filippov &&
                        (last || n <= every_step || n % then_every == 0 ||
                         unseen > soon * std::abs(options_.t_end - options_.t_begin));
  due.depends_on_rule = here_->on_surfaces->surfaces.size() > 1 &&
                        (!ledger_.has_warned_of("rule") || how.rule == SlidingRule::reject) &&
                        (last || (n > 1 && (n & (n - 1)) == 0) || n % seldom == 0);
  return due;
}

/// At a point of the present motion on surfaces.
Run::Controller::SurfaceLook Run::Controller::look_at_sides(const SurfaceLook& due, double t_there,
                                                            std::span<const double> x_there,
                                                            std::span<const double> xdot_there) {
  detail::ModeRun& slider = *here_;
  detail::ModeRun& mode = *slider.on_surfaces->base;
  const std::vector<Surface>& surfaces = slider.on_surfaces->surfaces;
  const std::size_t n = mode.system->size();
  std::vector<double> x_base(x_there.begin(), x_there.begin() + static_cast<std::ptrdiff_t>(n));
  const std::span<const double> xdot_base = xdot_there.first(n);
  set_held_values(*mode.workspace, held_values_of(*slider.workspace));
  mode.kit->board.set_truths(slider.kit->board.truths().first(mode.kit->board.count()));
  (void)mode.enter_stretch(here_.stretch_begin());
  (void)project_on_surfaces(*mode.system, *mode.workspace, surfaces, t_there, x_base, xdot_base);
  detail::SurfaceStudy study(mode, {t_there, x_base, xdot_base, 0.0});
  SurfaceLook seen;
  const auto vertices = study.look_at(surfaces);
  ledger_.event_work().n_evaluations_iterate += study.n_evaluations();
  seen.is_known = static_cast<bool>(vertices);
  if (!vertices) return seen;
  const std::vector<double> tolerance = mode.tolerances_at(x_base);
  const std::vector<double> rate = study.unimportant_rates();
  seen.depends_on_rule =
      due.depends_on_rule && !detail::motions_add_up(*mode.system, *vertices, rate);
  if (!due.is_other_motion ||
      form_for(*mode.system, *mode.workspace, surfaces, *vertices) == SlidingForm::mixed)
    return seen;
  // Coefficients are not the same: does it matter?
  const auto now = slider.find_start(t_there, {{x_there.begin(), x_there.end()},
                                               {xdot_there.begin(), xdot_there.end()},
                                               std::vector<std::uint8_t>(x_there.size(), 0)});
  seen.is_known = static_cast<bool>(now);
  if (!now) return seen;
  ledger_.event_work().n_evaluations_iterate += now->n_evaluations;
  const auto u_now = slider.workspace->ability<Sliding>()->multipliers(now->x, now->xdot);
  std::vector<double> u(u_now.begin(), u_now.end()), w(vertices->size());
  seen.is_known = solve_multipliers(study.velocities(), u);
  if (!seen.is_known) return seen;
  vertex_weights(u, w);
  const auto carries = mode.system->carries_derivative();
  for (std::size_t i = 0; i < n; ++i) {
    double off = carries[i] ? -now->xdot[i] : -now->x[i];
    for (std::size_t b = 0; b < w.size(); ++b)
      off += w[b] * (carries[i] ? (*vertices)[b].xdot[i] : (*vertices)[b].x[i]);
    seen.is_other_motion =
        seen.is_other_motion || !(std::abs(off) <= (carries[i] ? rate[i] : tolerance[i]));
  }
  return seen;
}

/// After a step of an engine on surfaces, before anything else is made of it. A step along which mixed equations
/// cease to be Filippov's motion ends where they do.
Run::Controller::Found Run::Controller::look_again() {
  const SurfaceLook due = look_due();
  if (!due.depends_on_rule && !due.is_other_motion) return Found::nothing;
  const SurfaceLook seen = look_at_sides(due, t(), x(), xdot());
  const double t_seen = t();
  if (seen.depends_on_rule) {
    SurfaceWay way;
    way.options = here_->on_surfaces->options;
    way.depends_on_rule = true;
    if (const auto refused = cannot_mix(*here_->on_surfaces->base, way)) {
      end({Outcome::failed,
           "at t = " + to_text(t_seen) + ", on the surface of '" +
               join(here_->on_surfaces->names, "', '") + "': " + refused->message,
           refused->code});
      ledger_.report().t_reached = recording_.writer().trajectory().t_end();
      return Found::failure;
    }
    warn_of_rule(t_seen, *here_);
  }
  if (!due.is_other_motion || (seen.is_known && !seen.is_other_motion)) {
    if (due.is_other_motion) looked_at_ = t_seen;
    return Found::nothing;
  }
  const StepPolynomial step = here_->engine->last_step();
  std::vector<double> point(x().size()), slope(x().size());
  const SurfaceLook form_only{.depends_on_rule = false, .is_other_motion = true, .is_known = true};
  const auto differs_at = [&](double time) {
    step.state_at(time, point);
    step.derivative_at(time, slope);
    return look_at_sides(form_only, time, point, slope).is_other_motion;
  };
  here_->natural_step = std::max(here_->engine->work().next_step, here_->engine->work().last_step);
  double same = here_.step_left(), other = t_seen;
  // Sides whose motion is not found so far away may be found nearer.
  constexpr int most_halvings = 8;
  bool differs = seen.is_other_motion;
  for (int i = 0; i < most_halvings && !differs; ++i) {
    other = here_.step_left() + (other - here_.step_left()) / 2;
    differs = differs_at(other);
  }
  if (!differs) return Found::nothing;
  if (looked_at_ != here_.step_left() && here_.step_left() != here_.stretch_begin() &&
      differs_at(same)) {
    change_form_ = FormChange::late;
    ledger_.warn("the motion on the surface of '" + join(here_->on_surfaces->names, "', '") +
                 "' between t = " + to_text(looked_at_) + " and t = " + to_text(t_seen) +
                 " follows the mixed equations, no longer Filippov's motion");
    return Found::nothing;
  }
  constexpr double narrow = 1e-6;  // of a step: the difference is still as small as it was
  while (std::abs(other - same) > narrow * std::abs(t_seen - here_.step_left())) {
    const double middle = same + (other - same) / 2;
    (differs_at(middle) ? other : same) = middle;
  }
  change_form_ = FormChange::in_time;
  if (other == t_seen) return Found::nothing;
  // What is left of it may still contain an event.
  if (auto cut = here_->engine->shorten(other); !cut) {
    end(detail::ended_by(cut.failure()));
    return Found::failure;
  }
  return Found::nothing;
}

/// Goes on from the end of the last step with a copy of the motion of every side: the same surfaces, no event.
Result<void> Run::Controller::go_on_with_copies() {
  detail::ModeRun& slider = *here_;
  detail::ModeRun& mode = *slider.on_surfaces->base;
  const double t_here = t();
  detail::EventPoint at;
  at.t = t_here;
  at.x.assign(x().begin(), x().begin() + static_cast<std::ptrdiff_t>(mode.system->size()));
  at.xdot.assign(xdot().begin(), xdot().begin() + static_cast<std::ptrdiff_t>(mode.system->size()));
  recording_.keep_last_step(*slider.engine, t_here);
  set_held_values(*mode.workspace, held_values_of(*slider.workspace));
  mode.kit->board.set_truths(slider.kit->board.truths().first(mode.kit->board.count()));
  (void)mode.enter_stretch(t_here);
  SurfaceWay way;
  way.kept = slider.on_surfaces->surfaces;
  way.options = slider.on_surfaces->options;
  way.options.form = SlidingForm::copies;
  way.who = "'" + join(slider.on_surfaces->names, "', '") + "'";
  const std::string why =
      "mixing the equations of the sides is no longer mixing their motions (events.sliding_field)";
  auto next = prepare_slider(mode, at, way);
  if (!next)
    return Failure{next.failure().code, "at t = " + to_text(t_here) + ", on the surface of " +
                                            way.who + ", " + why + ": " + next.failure().message};
  ledger_.note(
      {"form of the motion on " + way.who, "mixed", "copies",
       why + ", from t = " + to_text(t_here) + " on" +
           (change_form_ == FormChange::late
                ? "; looked at before at t = " + to_text(looked_at_) + ", not certain in between"
                : "")});
  const double step = slider.natural_step;
  const EngineKind kind = slider.engine->kind();
  move_to(**next, t_here);
  here_->natural_step = step;
  engine_was_cut_ = false;
  StartHint hint = detail::step_carried_over(step, kind);
  return start_stay(t_here, hint);
}

void Run::Controller::warn_of_rule(double t_here, const detail::ModeRun& slider) {
  ledger_.warn_once("rule", "from t = " + to_text(t_here) + " on, the motion on the surfaces of '" +
                                join(slider.on_surfaces->names, "', '") +
                                "' depends on how their sides are mixed (events.sliding_rule)");
}

}  // namespace saltus
