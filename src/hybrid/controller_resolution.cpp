// What a run does where time has too few digits: numbers near t are ulp(t) apart, and a solution that moves by more than
// its tolerance within that distance is not known to its tolerance, whatever the estimate of a step says.
#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/core/text.hpp>

#include "hybrid/books/time_resolution.hpp"
#include "hybrid/controller.hpp"

namespace saltus {

/// After a step: by how much unknowns move within ulp(t).
void Run::Controller::note_resolution() {
  const double resolution = detail::ulp(t());
  const double rtol = here_->engine_options.rtol;
  // A step seldom changes an unknown by more than a hundred times its size, which is 1 / rtol tolerances.
  constexpr double most_change = 100.0;
  if (std::abs(t() - here_.step_left()) * rtol > most_change * resolution) {
    resolved_to_ = t();
    return;
  }
  // Of algebraic unknowns an engine knows no x' that could be relied upon.
  const auto differential = here_->system->carries_derivative();
  double tolerances = 0.0;
  for (std::uint32_t i = 0; i < x().size(); ++i) {
    if (!differential[i]) continue;
    const double tolerance = rtol * std::abs(x()[i]) + here_->engine_options.atol[i];
    tolerances = std::max(tolerances, std::abs(xdot()[i]) * resolution / tolerance);
  }
  if (resolved_to_ == here_.stretch_begin() && resolution_at_start_ == 0.0)
    resolution_at_start_ = tolerances;
  constexpr double much_worse = 10.0;
  if (tolerances > std::max(1.0, much_worse * resolution_at_start_)) return;
  resolved_to_ = t();
  here_->moved.resize(x().size());
  for (std::size_t i = 0; i < x().size(); ++i) {
    if (!differential[i]) continue;
    const double moved = std::abs(xdot()[i]) * resolution;
    if (moved > here_->moved[i].by) here_->moved[i] = {moved, t()};
  }
}

/// A run that fails because steps have become as short as the resolution of time: what these steps led to is not part of the
/// solution.
void Run::Controller::cut_unresolved_end() {
  if (!recording_.is_open() || recording_.writer().trajectory().empty()) return;
  const double direction = forward() ? 1.0 : -1.0;
  if ((recording_.writer().trajectory().t_end() - resolved_to_) * direction > 0)
    recording_.writer().cut_back_to(resolved_to_);
}

/// The part of a step up to a singular point, by steps with an error test of their own: the step itself went across, so
/// its stages say nothing about this part.
void Run::Controller::step_up_to(double t_last) {
  const StepPolynomial whole = here_->engine->last_step();
  const double t_left = whole.t_left;
  std::vector<double> left(x().size()), slope(x().size());
  whole.state_at(t_left, left);
  whole.derivative_at(t_left, slope);
  auto start = find_start(t_left, {left, slope, std::vector<std::uint8_t>(left.size(), 0)});
  if (start) slope = std::move(start->xdot);
  StartHint hint;
  hint.step = 0.5 * std::abs(t_last - t_left);
  if (!here_->engine->start({t_left, left, slope}, t_last, hint)) return;
  // Each step halves the distance at least, until it is the resolution of time.
  constexpr int most_steps = 2000;
  for (int k = 0; k < most_steps && t() != t_last; ++k) {
    here_.begin_step();
    if (!here_->engine->step(t_last)) return;
    ledger_.count_step();
    note_sizes();
    note_resolution();
    if (resolved_to_ != t()) return;
    // A part may have been recorded before, up to a relation that matters to outputs only.
    if ((t() - recording_.recorded_to()) * (forward() ? 1.0 : -1.0) <= 0) continue;
    if (!recording_.add_step()) return;
  }
}

}  // namespace saltus
