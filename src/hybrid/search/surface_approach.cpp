#include "hybrid/search/surface_approach.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::detail {

std::optional<SurfaceApproach::Bridge> SurfaceApproach::look(bool step_failed) {
  if (!here_->watches_events()) return std::nullopt;
  const std::uint64_t n_refused = motion_.n_newly_refused();
  ledger_.event_work().n_one_sided_steps += n_refused;
  motion_.set_bound(here_.stretch_end());
  if (!step_failed && n_refused == 0 && !approaching_) return std::nullopt;
  approaching_ = false;

  const auto met =
      here_->kit->locator.next_meeting(here_.t(), here_.x(), here_.xdot(), here_.forward());
  if (!met) return std::nullopt;
  const bool has_step = here_.t() != motion_.engine_began_at();
  const double direction = here_.forward() ? 1.0 : -1.0;
  const double duration =
      has_step ? here_->kit->locator.refine_meeting(here_->engine->last_step(), *met, direction)
               : met->duration;
  const double reach = std::max(here_->engine->work().next_step, here_->engine->work().last_step);
  constexpr double nothing = 1e-9;  // of the time, where no step tells how curved the solution is
  // The polynomial of a step tells how curved the solution is for about as long as the step was.
  const auto is_near = [&](double time) {
    constexpr double as_long = 10;
    if (!has_step) return time <= nothing * std::max(1.0, std::abs(here_.t()));
    const StepPolynomial step = here_->engine->last_step();
    if (time > as_long * std::abs(step.t_right - step.t_left)) return false;
    return here_->kit->locator.is_negligible(step, here_.t(), time, here_.x());
  };
  if (!is_near(duration)) {
    if (step_failed || duration > 2 * reach) return std::nullopt;
    approaching_ = true;
    motion_.set_bound(here_.t() + direction * 0.95 * duration);
    return std::nullopt;
  }
  here_->natural_step = std::max(here_->natural_step, reach);
  const int side = here_->kit->board.side(met->which);
  std::vector<Crossing> crossings{
      {met->which, here_.forward() ? -side : side,
       here_->kit->board.enclosure() ? Guarantee::proven : Guarantee::heuristic, 0.0}};
  EventPoint point = here_->kit->locator.extrapolate(here_.t(), here_.x(), here_.xdot(), met->which,
                                                     direction * duration);
  if ((point.t - here_.t()) * direction < 0) {  // it is beyond the surface already
    point.t = here_.t();
    point.x.assign(here_.x().begin(), here_.x().end());
    point.xdot.assign(here_.xdot().begin(), here_.xdot().end());
  }
  // Where a function is far from straight its tangent may lead anywhere.
  if ((here_.stretch_end() - point.t) * direction < 0 || !is_near(std::abs(point.t - here_.t())))
    return std::nullopt;
  ++ledger_.event_work().n_located;
  motion_.cut();
  StepPolynomial straight{here_.t(), point.t, 1, static_cast<std::uint32_t>(point.x.size()), {}};
  std::vector<double> line(here_.x().begin(), here_.x().end());
  for (std::size_t i = 0; i < point.x.size(); ++i) line.push_back(point.x[i] - here_.x()[i]);
  straight.coefficients = line;
  auto recorded = recording_.add_piece(straight, point.t, point.x, point.xdot);
  return Bridge{{std::move(point), std::move(crossings)}, std::move(recorded)};
}

}  // namespace saltus::detail
