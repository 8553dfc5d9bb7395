// How a run finds its events along a step.
#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/core/text.hpp>

#include "hybrid/controller.hpp"
#include "hybrid/step_part.hpp"

namespace saltus {

/// An event inside the step: the engine is taken back to it.
Run::Controller::Found Run::Controller::meet(std::span<const Departure> group) {
  const WorkCounts before = here_->engine->work();
  motion_.note_natural_step();
  detail::EventLocator::MakeConsistent make_consistent;
  const EngineKind kind = here_->engine->kind();
  const bool is_solved_for = here_->start.moves_combinations ||
                             std::any_of(group.begin(), group.end(), [&](const Departure& d) {
                               return here_->kit->locator.is_solved_for(d.which);
                             });
  if (kind == EngineKind::ida || (kind == EngineKind::radau && is_solved_for)) {
    make_consistent = [this](double at, std::vector<double>& point, std::vector<double>& slope) {
      auto found = find_start(at, {point, slope, std::vector<std::uint8_t>(point.size(), 0)});
      if (!found) return false;
      ledger_.event_work().n_evaluations_locate +=
          static_cast<std::uint64_t>(found->n_iterations) + 1;
      point = std::move(found->x);
      slope = std::move(found->xdot);
      return true;
    };
  }
  std::vector<detail::Crossing> crossings;
  for (const Departure& d : group) {
    crossings.push_back(step_search_.crossing_of(d, 0.0));
  }
  motion_.cut();
  detail::EventPoint point =
      here_->kit->locator.locate(*here_->engine, group.front(), make_consistent);
  if (point.after_step_begin && excursions_.is_flat(point, group.front().which))
    point.guarantee = Guarantee::marginal;
  crossings.front().guarantee = point.guarantee;
  for (const std::uint32_t w :
       here_->kit->locator.passed(point, forward() ? 1.0 : -1.0, 1e-3 * here_->natural_step)) {
    const bool known = std::any_of(crossings.begin(), crossings.end(),
                                   [&](const detail::Crossing& c) { return c.which == w; });
    const int side = here_->kit->board.side(w);
    if (!known) crossings.push_back({w, forward() ? -side : side, point.guarantee, 0.0});
  }
  const bool inputs_change = join_scheduled_time(point, crossings);
  ++ledger_.event_work().n_located;
  ledger_.event_work().n_evaluations_locate +=
      here_->engine->work().n_evaluations - before.n_evaluations;
  if (point.after_step_begin) {
    if (const auto loss = here_->monitor.look(*here_->engine)) {
      end(last_part_.end_where_singular(*loss));
      return Found::failure;
    }
    if (auto ok = recording_.add_piece(here_->engine->last_step(), point.t, point.x, point.xdot);
        !ok) {
      end(last_part_.end_with_outputs(ok.failure()));
      return Found::failure;
    }
  }
  if (!point.after_step_begin) {
    // No time has passed.
    recording_.keep_point(point);
  }
  series_.measure(point, crossings);
  const detail::ModeRun& here = *here_;
  if (auto passed = pass_instant(point, crossings, inputs_change); !passed) {
    end(series_.ending_of(here, passed.failure(), crossings));
    ledger_.report().t_reached = recording_.writer().trajectory().t_end();
    return Found::failure;
  }
  if (point.t == options_.t_end && !ended_) reach_end();
  return Found::event;
}

/// An event within a few digits of the end of the stretch, or pushed beyond it by its offset, takes place
/// there, together with what is known to happen then. True if inputs cease to be smooth.
bool Run::Controller::join_scheduled_time(detail::EventPoint& point,
                                          std::vector<detail::Crossing>& crossings) {
  constexpr double few_digits = 64 * std::numeric_limits<double>::epsilon();
  const double left = (here_.stretch_end() - point.t) * (forward() ? 1.0 : -1.0);
  if (left > few_digits * std::max(std::abs(point.t), std::abs(here_.stretch_end()))) return false;
  point.t = here_.stretch_end();
  return add_due(crossings);
}

/// Relations of time that change at the end of the stretch. True if inputs cease to be smooth there.
bool Run::Controller::add_due(std::vector<detail::Crossing>& crossings) {
  SwitchingFunctions& functions = here_->kit->board.functions();
  for (std::uint32_t w = 0; w < functions.count(); ++w) {
    if (!functions.is_timed(w) || !functions.is_due(w, here_.stretch_end())) continue;
    const int side = here_->kit->board.side(w);
    crossings.push_back({w, forward() ? -side : side, Guarantee::proven, 0.0});
  }
  return here_->scheduled != nullptr && here_.stretch_end() != options_.t_end &&
         here_->scheduled->next(here_.stretch_begin(), options_.t_end) == here_.stretch_end();
}

}  // namespace saltus
