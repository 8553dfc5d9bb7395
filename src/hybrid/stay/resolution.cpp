#include "hybrid/stay/resolution.hpp"

#include <algorithm>
#include <cmath>

#include "hybrid/books/time_resolution.hpp"

namespace saltus::detail {

void TimeResolution::begin(double t) {
  resolved_to_ = t;
  at_start_ = 0.0;
}

void TimeResolution::note_step() {
  const double t = here_.t();
  const double resolution = ulp(t);
  const double rtol = here_->engine_options.rtol;
  // A step seldom changes an unknown by more than a hundred times its size, which is 1 / rtol tolerances.
  constexpr double most_change = 100.0;
  if (std::abs(t - here_.step_left()) * rtol > most_change * resolution) {
    resolved_to_ = t;
    return;
  }
  // Of algebraic unknowns an engine knows no x' that could be relied upon.
  const auto differential = here_->system->carries_derivative();
  double tolerances = 0.0;
  for (std::uint32_t i = 0; i < here_.x().size(); ++i) {
    if (!differential[i]) continue;
    const double tolerance = rtol * std::abs(here_.x()[i]) + here_->engine_options.atol[i];
    tolerances = std::max(tolerances, std::abs(here_.xdot()[i]) * resolution / tolerance);
  }
  if (resolved_to_ == here_.stretch_begin() && at_start_ == 0.0) at_start_ = tolerances;
  constexpr double much_worse = 10.0;
  if (tolerances > std::max(1.0, much_worse * at_start_)) return;
  resolved_to_ = t;
  here_->moved.resize(here_.x().size());
  for (std::size_t i = 0; i < here_.x().size(); ++i) {
    if (!differential[i]) continue;
    const double moved = std::abs(here_.xdot()[i]) * resolution;
    if (moved > here_->moved[i].by) here_->moved[i] = {moved, t};
  }
}

}  // namespace saltus::detail
