#include "hybrid/stay/last_part.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>
#include <saltus/reduce.hpp>

namespace saltus::detail {

namespace {

/// Beyond this size an index analysis takes seconds: too long for a message.
constexpr std::uint32_t largest_analysed = 40;

}  // namespace

/// The characteristic values of the model as it was written, from a point of the solution.
std::string LastPart::values_at(double t, std::span<const double> x, std::span<const double> xdot) {
  if (!here_->has_begun()) return {};
  const System& system = *here_->original;
  Workspace& workspace = *here_->original_workspace;
  if (system.size() > largest_analysed ||
      workspace.ability<DerivativeLevels<double>>() == nullptr ||
      workspace.ability<DerivativeLevels<Quad>>() == nullptr) {
    return {};
  }
  if (auto* scheduled = workspace.ability<ScheduledTimes>()) {
    scheduled->enter_stretch(t, here_.stretch_end());
  }
  here_->tell_original();
  auto point = here_->pairing->original(*here_->system, *here_->workspace, t, x, xdot);
  const StartValues guess{std::move(point.x), std::move(point.xdot),
                          std::vector<std::uint8_t>(system.size(), 0)};
  const auto analysis = analyze_index(system, workspace, t, guess);
  if (analysis) return to_text(analysis->values);
  return "not certain (" + analysis.failure().message + ")";
}

std::string LastPart::values_before_and_at(double t, std::span<const double> x,
                                           std::span<const double> xdot) {
  const std::string before = values_at(here_.stretch_begin(), here_->start.x, here_->start.xdot);
  if (before.empty()) return {};
  return "; the characteristic values (mu, d, a, v, u) were " + before +
         " at t = " + to_text(here_.stretch_begin()) + " and are " + values_at(t, x, xdot) +
         " there";
}

/// Where a surface that holds the solution ceases to attract; nothing if the loss is not one of surfaces.
std::string LastPart::end_of_surface(const RegularityLoss& loss) const {
  // What the motion on surfaces says of itself, and not of the equations beside them.
  if (!here_->on_surfaces || !loss.of.is_of_surfaces) return {};
  return std::string(loss.located ? "at t = " : "at about t = ") + to_text(loss.t) + " " +
         loss.of.who +
         ". Beyond this point (a two-fold) the solution is not unique, and Saltus chooses no way "
         "on, on the surface of '" +
         join(here_->on_surfaces->names, "', '") +
         "' or off it. To end the run there on purpose, stop before it (t_end, or a terminal "
         "when-clause); to go on, say how: give the relation a hysteresis (events.hysteresis), or "
         "write the motion on the surface as a mode of its own (a transition with .at_sliding = "
         "true)";
}

/// A step that failed, perhaps where the equations are nearly singular.
std::string LastPart::impasse(const std::string& said) {
  auto loss = here_->monitor.explain(here_.t(), here_.x(), here_.xdot());
  if (!loss) return said;
  loss->located = false;
  if (std::string of_surface = end_of_surface(*loss); !of_surface.empty()) return of_surface;
  std::string message = said + "; the equations become singular at about t = " + to_text(loss->t);
  if (!loss->of.who.empty()) message += ": " + loss->of.who;
  message += values_before_and_at(here_.t(), here_.x(), here_.xdot());
  return message + "; the solution ends in an impasse point or branches";
}

/// A solution that goes to infinity ends in steps that are too small: the words for it.
std::string LastPart::growth() const {
  constexpr double suspicious = 1e6;
  std::size_t worst = 0;
  double most = 0.0;
  for (std::size_t i = 0; i < here_->largest.size(); ++i) {
    const double start = std::max(std::abs(here_->start.x[i]),
                                  here_->system->nominal(static_cast<std::uint32_t>(i)));
    if (here_->largest[i] / start > most) {
      most = here_->largest[i] / start;
      worst = i;
    }
  }
  if (most < suspicious) return {};
  return "; '" + here_->system->unknown_name(static_cast<std::uint32_t>(worst)) +
         "' has grown to " + to_text(here_.x()[worst]) + ": the solution may go to infinity here";
}

/// A run that fails because steps have become as short as the resolution of time: what these steps led to is not part of the
/// solution.
void LastPart::cut_unresolved_end() {
  if (!recording_.is_open() || recording_.writer().trajectory().empty()) return;
  const double direction = here_.forward() ? 1.0 : -1.0;
  if ((recording_.writer().trajectory().t_end() - resolution_.resolved_to()) * direction > 0)
    recording_.writer().cut_back_to(resolution_.resolved_to());
}

/// The part of a step up to a singular point, by steps with an error test of their own: the step itself went across, so
/// its stages say nothing about this part.
void LastPart::step_up_to(double t_last) {
  const StepPolynomial whole = here_->engine->last_step();
  const double t_left = whole.t_left;
  std::vector<double> left(here_.x().size()), slope(here_.x().size());
  whole.state_at(t_left, left);
  whole.derivative_at(t_left, slope);
  auto start =
      here_->find_start_on_side(t_left, {left, slope, std::vector<std::uint8_t>(left.size(), 0)});
  if (start) slope = std::move(start->xdot);
  StartHint hint;
  hint.step = 0.5 * std::abs(t_last - t_left);
  if (!here_->engine->start({t_left, left, slope}, t_last, hint)) return;
  // Each step halves the distance at least, until it is the resolution of time.
  constexpr int most_steps = 2000;
  for (int k = 0; k < most_steps && here_.t() != t_last; ++k) {
    here_.begin_step();
    if (!here_->engine->step(t_last)) return;
    ledger_.count_step();
    here_.note_sizes();
    resolution_.note_step();
    if (resolution_.resolved_to() != here_.t()) return;
    // A part may have been recorded before, up to a relation that matters to outputs only.
    if ((here_.t() - recording_.recorded_to()) * (here_.forward() ? 1.0 : -1.0) <= 0) continue;
    if (!recording_.add_step()) return;
  }
}

/// The trajectory ends where the system is still regular.
Ending LastPart::end_where_singular(const RegularityLoss& loss) {
  const StepPolynomial step = here_->engine->last_step();
  std::vector<double> point(here_.x().size()), slope(here_.x().size());
  step.state_at(loss.t, point);
  step.derivative_at(loss.t, slope);
  const std::string of_surface = end_of_surface(loss);
  std::string message;
  if (loss.located) {
    message = "at t = " + to_text(loss.t) + " the equations become singular";
  } else {
    message = "between t = " + to_text(loss.t_before) + " and t = " + to_text(loss.t) +
              " the equations become singular; from there on the trajectory is not certain";
  }
  if (!loss.of.who.empty()) message += ": " + loss.of.who;
  if (loss.located) {
    message =
        of_surface.empty() ? message + values_before_and_at(loss.t, point, slope) : of_surface;
    const bool inside = (loss.t_before - step.t_left) * (step.t_right - loss.t_before) > 0;
    if (inside) step_up_to(loss.t_before);
  } else {
    (void)recording_.add_step();
  }
  return {Outcome::failed, message, FailureCode::singular, true};
}

/// A step that cannot be recorded as a whole is recorded as far as all outputs exist. The solution itself does not need
/// them, so this is no reason to end before.
Ending LastPart::end_with_outputs(const Failure& failure) {
  const auto undefined = recording_.writer().add_defined_part(*here_->system, *here_->workspace,
                                                              here_->engine->last_step());
  // The step as a whole is not part of the solution.
  if (!undefined) return {Outcome::failed, impasse(failure.message), failure.code, true};
  return {Outcome::failed,
          "output '" + undefined->name + "' cannot be evaluated " +
              (undefined->is_last_defined ? "after" : "at") + " t = " + to_text(undefined->t) +
              ": write it so that it exists there (by where, for example), or end the run before",
          failure.code, true};
}

/// A point that the system refused is not part of the solution.
Ending LastPart::end_with_step(const Failure& failure) {
  const std::string message = impasse(failure.message + growth());
  cut_unresolved_end();
  return {Outcome::failed, message, failure.code, true};
}

Result<Ending> LastPart::end_at_event(double t, const InstantResult& result,
                                      std::optional<std::uint32_t> left_range) {
  if (auto written = recording_.end_with_point(t, result.start.x, result.start.xdot); !written)
    return written.failure();
  here_->start = result.start;
  here_.rest_at(t);
  Ending ending;
  ending.outcome = Outcome::terminal_event;
  ending.t_reached = t;
  if (left_range) {
    ending.message = "'" + here_->kit->board.info(*left_range).name +
                     "' was passed at t = " + to_text(t) + " (events.range = stop)";
    return ending;
  }
  const ActionInfo info = here_->kit->board.actions()->info(*result.terminal);
  // The end is here.
  options_.t_end = t;
  ending.acts_first = true;
  ending.message = "'" + info.name + "' ended the run at t = " + to_text(t) +
                   (info.message.empty() ? "" : ": " + info.message);
  return ending;
}

}  // namespace saltus::detail
