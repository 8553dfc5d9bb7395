#include "hybrid/search/step_cut.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hybrid/search/due.hpp"

namespace saltus::detail {

std::variant<InstantRequest, Ending> StepCut::at(std::span<const Departure> group) {
  const std::uint64_t n_before = here_->engine->work().n_evaluations;
  motion_.note_natural_step();
  InstantRequest request;
  EventPoint& point = request.point;
  for (const Departure& d : group) request.crossings.push_back(search_.crossing_of(d, 0.0));
  motion_.cut();
  point = locate(group);
  if (point.after_step_begin && excursions_.is_flat(point, group.front().which))
    point.guarantee = Guarantee::marginal;
  request.crossings.front().guarantee = point.guarantee;
  add_passed(point, request.crossings);
  // Within a few digits of the end of the stretch, or pushed beyond it by its offset, it takes place there, together with
  // what is known to happen then.
  if (is_at_end_of_stretch(point)) {
    point.t = here_.stretch_end();
    request.inputs_change = add_due(here_, frame_.options.t_end, request.crossings);
  }
  ++ledger_.event_work().n_located;
  ledger_.event_work().n_evaluations_locate += here_->engine->work().n_evaluations - n_before;
  if (auto ending = record(point)) return std::move(*ending);
  return request;
}

std::variant<InstantRequest, Ending> StepCut::at_time(double t) {
  motion_.note_natural_step();
  motion_.cut();
  if (auto cut = here_->engine->shorten(t); !cut) return ended_by(cut.failure());
  InstantRequest request{.point = here_.point()};
  EventPoint& point = request.point;
  if (!traits_of(here_->engine->kind()).is_explicit) {
    // Between the points of its steps an implicit engine has a polynomial only.
    auto found = here_->find_start_on_side(
        t, {point.x, point.xdot, std::vector<std::uint8_t>(point.x.size(), 0)});
    if (!found) return ended_by(found.failure());
    point.x = std::move(found->x);
    point.xdot = std::move(found->xdot);
  }
  if (auto ending = record(point)) return std::move(*ending);
  return request;
}

EventPoint StepCut::locate(std::span<const Departure> group) {
  EventLocator& locator = here_->kit->locator;
  EventLocator::MakeConsistent make_consistent;
  const EngineTraits engine = traits_of(here_->engine->kind());
  const bool is_solved_for =
      here_->start.moves_combinations || std::ranges::any_of(group, [&](const Departure& d) {
        return locator.is_solved_for(d.which);
      });
  if (engine.is_multistep || (!engine.is_explicit && is_solved_for)) {
    make_consistent = [this](double t, std::vector<double>& x, std::vector<double>& xdot) {
      auto found = here_->find_start_on_side(t, {x, xdot, std::vector<std::uint8_t>(x.size(), 0)});
      if (!found) return false;
      ledger_.event_work().n_evaluations_locate +=
          static_cast<std::uint64_t>(found->n_iterations) + 1;
      x = std::move(found->x);
      xdot = std::move(found->xdot);
      return true;
    };
  }
  return locator.locate(*here_->engine, group.front(), make_consistent);
}

/// Relations whose functions are beyond their surfaces at the point as well.
void StepCut::add_passed(const EventPoint& point, std::vector<Crossing>& crossings) const {
  const bool forward = here_.forward();
  for (const std::uint32_t w :
       here_->kit->locator.passed(point, forward ? 1.0 : -1.0, 1e-3 * here_->natural_step)) {
    const int side = here_->kit->board.side(w);
    if (std::ranges::find(crossings, w, &Crossing::which) == crossings.end())
      crossings.push_back({w, forward ? -side : side, point.guarantee, 0.0});
  }
}

bool StepCut::is_at_end_of_stretch(const EventPoint& point) const {
  constexpr double few_digits = 64 * std::numeric_limits<double>::epsilon();
  const double end = here_.stretch_end();
  const double left = (end - point.t) * (here_.forward() ? 1.0 : -1.0);
  return left <= few_digits * std::max(std::abs(point.t), std::abs(end));
}

/// The way to it, unless no time has passed.
std::optional<Ending> StepCut::record(const EventPoint& point) {
  if (!point.after_step_begin) {
    frame_.recording.keep_point(point);
    return std::nullopt;
  }
  if (const auto loss = here_->monitor.look(*here_->engine))
    return last_part_.end_where_singular(*loss);
  const auto recorded =
      frame_.recording.add_piece(here_->engine->last_step(), point.t, point.x, point.xdot);
  if (!recorded) return last_part_.end_with_outputs(recorded.failure());
  return std::nullopt;
}

}  // namespace saltus::detail
