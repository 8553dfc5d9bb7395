// What a run does where its system ceases to be what it was.
#include <algorithm>

#include <saltus/core/text.hpp>
#include <saltus/reduce.hpp>

#include "hybrid/controller.hpp"

namespace saltus {

namespace {

/// Beyond this size an index analysis takes seconds: too long for a message.
constexpr std::uint32_t largest_analysed = 40;

}  // namespace

/// The characteristic values of the model as it was written, from a point of the solution.
std::string Run::Controller::values_at(double t, std::span<const double> x,
                                       std::span<const double> xdot) {
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

std::string Run::Controller::values_before_and_at(double t, std::span<const double> x,
                                                  std::span<const double> xdot) {
  const std::string before = values_at(here_.stretch_begin(), here_->start.x, here_->start.xdot);
  if (before.empty()) return {};
  return "; the characteristic values (mu, d, a, v, u) were " + before +
         " at t = " + to_text(here_.stretch_begin()) + " and are " + values_at(t, x, xdot) +
         " there";
}

/// Where a surface that holds the solution ceases to attract; nothing if the loss is not one of surfaces.
std::string Run::Controller::end_of_surface(const detail::RegularityLoss& loss) const {
  // What the motion on surfaces says of itself, and not of the equations beside them.
  if (!here_->on_surfaces || !loss.who.starts_with("the surface of ")) return {};
  return std::string(loss.located ? "at t = " : "at about t = ") + to_text(loss.t) + " " +
         loss.who +
         ". Beyond this point (a two-fold) the solution is not unique, and Saltus chooses no way "
         "on, on the surface of '" +
         join(here_->on_surfaces->names, "', '") +
         "' or off it. To end the run there on purpose, stop before it (t_end, or a terminal "
         "when-clause); to go on, say how: give the relation a hysteresis (events.hysteresis), or "
         "write the motion on the surface as a mode of its own (a transition with .at_sliding = "
         "true)";
}

/// The trajectory ends where the system is still regular.
void Run::Controller::end_at(const detail::RegularityLoss& loss) {
  const StepPolynomial step = here_->engine->last_step();
  std::vector<double> point(x().size()), slope(x().size());
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
  if (!loss.who.empty()) message += ": " + loss.who;
  if (loss.located) {
    message =
        of_surface.empty() ? message + values_before_and_at(loss.t, point, slope) : of_surface;
    const bool inside = (loss.t_before - step.t_left) * (step.t_right - loss.t_before) > 0;
    if (inside) step_up_to(loss.t_before);
  } else {
    (void)recording_.add_step();
  }
  end({Outcome::failed, message, FailureCode::singular});
  ledger_.report().t_reached = recording_.writer().trajectory().t_end();
}

/// A step that failed, perhaps where the equations are nearly singular.
std::string Run::Controller::impasse(const std::string& said) {
  auto loss = here_->monitor.explain(t(), x(), xdot());
  if (!loss) return said;
  loss->located = false;
  if (std::string of_surface = end_of_surface(*loss); !of_surface.empty()) return of_surface;
  std::string message = said + "; the equations become singular at about t = " + to_text(loss->t);
  if (!loss->who.empty()) message += ": " + loss->who;
  message += values_before_and_at(t(), x(), xdot());
  return message + "; the solution ends in an impasse point or branches";
}

}  // namespace saltus
