// Surfaces beyond which the equations must not, or cannot, be evaluated.
//
// As a rule they are continued inside a step (continued_workspace.hpp). Where they are not, a step that would pass such
// a surface is refused and made smaller. Once that has happened, the time of the crossing is predicted at the
// end of each step, the next step may only come close to it, and the last bit, far below the tolerance, is
// bridged along x'.
#include <algorithm>
#include <cmath>
#include <limits>

#include "hybrid/controller.hpp"

namespace saltus {

/// True if an event has taken place at a surface that is as near as makes no difference.
bool Run::Controller::approach_surface(bool step_failed) {
  if (!watches_events()) return false;
  const std::uint64_t n_refused = here_->engine->work().n_refused_points;
  const bool refused = n_refused != n_refused_;
  ledger_.event_work().n_one_sided_steps += n_refused - n_refused_;
  n_refused_ = n_refused;
  step_bound_ = here_.stretch_end();
  if (!step_failed && !refused && !approaching_) return false;
  approaching_ = false;

  const auto met = here_->kit->locator.next_meeting(t(), x(), xdot(), forward());
  if (!met) return false;
  const bool has_step = t() != engine_begin_;
  const double direction = forward() ? 1.0 : -1.0;
  const double duration =
      has_step ? here_->kit->locator.refine_meeting(here_->engine->last_step(), *met, direction)
               : met->duration;
  const double reach = std::max(here_->engine->work().next_step, here_->engine->work().last_step);
  constexpr double nothing = 1e-9;  // of the time, where no step tells how curved the solution is
  // The polynomial of a step tells how curved the solution is for about as long as the step was.
  const auto is_near = [&](double time) {
    constexpr double as_long = 10;
    if (!has_step) return time <= nothing * std::max(1.0, std::abs(t()));
    const StepPolynomial step = here_->engine->last_step();
    if (time > as_long * std::abs(step.t_right - step.t_left)) return false;
    return here_->kit->locator.is_negligible(step, t(), time, x());
  };
  if (!is_near(duration)) {
    if (step_failed || duration > 2 * reach) return false;
    approaching_ = true;
    step_bound_ = t() + direction * 0.95 * duration;
    return false;
  }
  here_->natural_step = std::max(here_->natural_step, reach);
  const int side = here_->kit->board.side(met->which);
  std::vector<detail::Crossing> crossings{
      {met->which, forward() ? -side : side,
       here_->kit->board.enclosure() ? Guarantee::proven : Guarantee::heuristic, 0.0}};
  detail::EventPoint point =
      here_->kit->locator.extrapolate(t(), x(), xdot(), met->which, direction * duration);
  if ((point.t - t()) * direction < 0) {  // it is beyond the surface already
    point.t = t();
    point.x.assign(x().begin(), x().end());
    point.xdot.assign(xdot().begin(), xdot().end());
  }
  // Where a function is far from straight its tangent may lead anywhere.
  if ((here_.stretch_end() - point.t) * direction < 0 || !is_near(std::abs(point.t - t())))
    return false;
  ++ledger_.event_work().n_located;
  engine_was_cut_ = true;
  StepPolynomial straight{t(), point.t, 1, static_cast<std::uint32_t>(point.x.size()), {}};
  std::vector<double> line(x().begin(), x().end());
  for (std::size_t i = 0; i < point.x.size(); ++i) line.push_back(point.x[i] - x()[i]);
  straight.coefficients = line;
  const detail::ModeRun& here = *here_;
  auto passed = recording_.add_piece(straight, point.t, point.x, point.xdot);
  series_.measure(point, crossings);
  if (passed) passed = pass_instant(point, crossings, false);
  if (!passed) end(series_.ending_of(here, passed.failure(), crossings));
  return true;
}

}  // namespace saltus
