#include "hybrid/surface/sliding_watch.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>

#include "hybrid/core/engine_settings.hpp"
#include "hybrid/core/step_part.hpp"
#include "hybrid/surface/refusals.hpp"

namespace saltus::detail {

namespace {

constexpr std::size_t most_watched = 4;  // surfaces; of more not all vertices are known

}  // namespace

/// Where the form was right for certain.
double SlidingWatch::last_look() const {
  const double began = motion_.began_at();
  const bool is_since = looked_at_ && (*looked_at_ - began) * (here_.forward() ? 1.0 : -1.0) > 0;
  return is_since ? *looked_at_ : began;
}

/// The form every step at first, as a step may be as long as all before, later every few short ones; the rule at
/// growing intervals: it changes nothing of the motion.
SlidingWatch::Look SlidingWatch::what_is_due() const {
  Look due;
  if (!here_->on_surfaces || here_->on_surfaces->surfaces.size() > most_watched) return due;
  const SlidingOptions& how = here_->on_surfaces->options;
  if (how.form == SlidingForm::blended) return due;
  constexpr std::uint64_t every_step = 16, then_every = 4, seldom = 64;
  const std::uint64_t n = motion_.n_steps();
  const bool last = here_.t() == options_.t_end;
  constexpr double soon = 0.01;  // of the run: longer ones are not left unseen
  const double unseen = std::abs(here_.t() - last_look());
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
SlidingWatch::Look SlidingWatch::look_at_sides(const Look& due, double t_there,
                                               std::span<const double> x_there,
                                               std::span<const double> xdot_there) {
  ModeRun& slider = *here_;
  ModeRun& mode = *slider.on_surfaces->base;
  const std::vector<Surface>& surfaces = slider.on_surfaces->surfaces;
  const std::size_t n = mode.system->size();
  std::vector<double> x_base(x_there.begin(), x_there.begin() + static_cast<std::ptrdiff_t>(n));
  const std::span<const double> xdot_base = xdot_there.first(n);
  hand_to_base(slider);
  (void)mode.enter_stretch(here_.stretch_begin());
  (void)project_on_surfaces(*mode.system, *mode.workspace, surfaces, t_there, x_base, xdot_base);
  SurfaceStudy study(mode, {t_there, x_base, xdot_base, 0.0});
  Look seen;
  const auto vertices = study.look_at(surfaces);
  ledger_.event_work().n_evaluations_iterate += study.n_evaluations();
  seen.is_known = static_cast<bool>(vertices);
  if (!vertices) return seen;
  seen.depends_on_rule =
      due.depends_on_rule && !motions_add_up(*mode.system, *vertices, study.unimportant_rates());
  if (!due.is_other_motion ||
      form_for(*mode.system, *mode.workspace, surfaces, *vertices) == SlidingForm::mixed)
    return seen;
  // Coefficients are not the same: does it matter?
  const StartValues at{{x_there.begin(), x_there.end()},
                       {xdot_there.begin(), xdot_there.end()},
                       std::vector<std::uint8_t>(x_there.size(), 0)};
  const auto now = slider.find_start(t_there, at);
  seen.is_known = static_cast<bool>(now);
  if (!now) return seen;
  ledger_.event_work().n_evaluations_iterate += now->n_evaluations;
  const auto u_now = slider.workspace->ability<Sliding>()->multipliers(now->x, now->xdot);
  std::vector<double> u(u_now.begin(), u_now.end()), w(vertices->size());
  seen.is_known = solve_multipliers(study.velocities(), u);
  if (!seen.is_known) return seen;
  vertex_weights(u, w);
  const std::vector<double> tolerance = mode.tolerances_at(x_base);
  const std::vector<double> rate = study.unimportant_rates();
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

std::optional<Ending> SlidingWatch::look() {
  const Look due = what_is_due();
  if (!due.depends_on_rule && !due.is_other_motion) return std::nullopt;
  const double t_seen = here_.t();
  const Look seen = look_at_sides(due, t_seen, here_.x(), here_.xdot());
  if (seen.depends_on_rule) {
    SurfaceWay way;
    way.options = here_->on_surfaces->options;
    way.depends_on_rule = true;
    if (const auto refused = cannot_mix(*here_->on_surfaces->base, way, options_))
      return Ending{Outcome::failed,
                    "at t = " + to_text(t_seen) + ", on the surface of '" +
                        join(here_->on_surfaces->names, "', '") + "': " + refused->message,
                    refused->code, true};
    sliders_.warn_of_rule(t_seen, *here_);
  }
  if (!due.is_other_motion) return std::nullopt;
  if (!seen.is_known || seen.is_other_motion) return find_change(seen.is_other_motion);
  looked_at_ = t_seen;
  return std::nullopt;
}

/// Along the last step. `differs`: at its end for certain.
std::optional<Ending> SlidingWatch::find_change(bool differs) {
  const double t_seen = here_.t(), t_left = here_.step_left();
  const StepPolynomial step = here_->engine->last_step();
  std::vector<double> point(here_.x().size()), slope(here_.x().size());
  const Look form_only{.depends_on_rule = false, .is_other_motion = true, .is_known = true};
  const auto differs_at = [&](double time) {
    step.state_at(time, point);
    step.derivative_at(time, slope);
    return look_at_sides(form_only, time, point, slope).is_other_motion;
  };
  motion_.note_natural_step();
  double same = t_left, other = t_seen;
  // Sides whose motion is not found so far away may be found nearer.
  constexpr int most_halvings = 8;
  for (int i = 0; i < most_halvings && !differs; ++i) {
    other = t_left + (other - t_left) / 2;
    differs = differs_at(other);
  }
  if (!differs) return std::nullopt;
  if (last_look() != t_left && t_left != here_.stretch_begin() && differs_at(same)) {
    change_ = FormChange::late;
    ledger_.warn("the motion on the surface of '" + join(here_->on_surfaces->names, "', '") +
                 "' between t = " + to_text(last_look()) + " and t = " + to_text(t_seen) +
                 " follows the mixed equations, no longer Filippov's motion");
    return std::nullopt;
  }
  constexpr double narrow = 1e-6;  // of a step: the difference is still as small as it was
  while (std::abs(other - same) > narrow * std::abs(t_seen - t_left)) {
    const double middle = same + (other - same) / 2;
    (differs_at(middle) ? other : same) = middle;
  }
  change_ = FormChange::in_time;
  if (other == t_seen) return std::nullopt;
  // What is left of it may still contain an event.
  if (auto cut = here_->engine->shorten(other); !cut) return ended_by(cut.failure());
  return std::nullopt;
}

Result<void> SlidingWatch::go_on_with_copies() {
  ModeRun& slider = *here_;
  ModeRun& mode = *slider.on_surfaces->base;
  const double t_here = here_.t();
  EventPoint at;
  at.t = t_here;
  at.x.assign(here_.x().begin(),
              here_.x().begin() + static_cast<std::ptrdiff_t>(mode.system->size()));
  at.xdot.assign(here_.xdot().begin(),
                 here_.xdot().begin() + static_cast<std::ptrdiff_t>(mode.system->size()));
  recording_.keep_last_step(*slider.engine, t_here);
  hand_to_base(slider);
  (void)mode.enter_stretch(t_here);
  SurfaceWay way;
  way.kept = slider.on_surfaces->surfaces;
  way.options = slider.on_surfaces->options;
  way.options.form = SlidingForm::copies;
  way.who = "'" + join(slider.on_surfaces->names, "', '") + "'";
  const std::string why =
      "mixing the equations of the sides is no longer mixing their motions (events.sliding_field)";
  auto next = sliders_.prepare(mode, at, way);
  if (!next)
    return Failure{next.failure().code, "at t = " + to_text(t_here) + ", on the surface of " +
                                            way.who + ", " + why + ": " + next.failure().message};
  ledger_.note(
      {"form of the motion on " + way.who, "mixed", "copies",
       why + ", from t = " + to_text(t_here) + " on" +
           (change_ == FormChange::late
                ? "; looked at before at t = " + to_text(last_look()) + ", not certain in between"
                : "")});
  const double step = slider.natural_step;
  const EngineKind kind = slider.engine->kind();
  motion_.move_to(**next, t_here);
  here_->natural_step = step;
  motion_.forget_cut();
  StartHint hint = step_carried_over(step, kind);
  return motion_.start_stay(t_here, hint);
}

}  // namespace saltus::detail
