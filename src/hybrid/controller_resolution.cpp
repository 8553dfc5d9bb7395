// The end of a run where time has too few digits.
#include <algorithm>
#include <cmath>

#include "hybrid/controller.hpp"

namespace saltus {

/// A run that fails because steps have become as short as the resolution of time: what these steps led to is not part of the
/// solution.
void Run::Controller::cut_unresolved_end() {
  if (!recording_.is_open() || recording_.writer().trajectory().empty()) return;
  const double direction = forward() ? 1.0 : -1.0;
  if ((recording_.writer().trajectory().t_end() - resolution_.resolved_to()) * direction > 0)
    recording_.writer().cut_back_to(resolution_.resolved_to());
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
    resolution_.note_step();
    if (resolution_.resolved_to() != t()) return;
    // A part may have been recorded before, up to a relation that matters to outputs only.
    if ((t() - recording_.recorded_to()) * (forward() ? 1.0 : -1.0) <= 0) continue;
    if (!recording_.add_step()) return;
  }
}

}  // namespace saltus
