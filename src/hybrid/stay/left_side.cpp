#include "hybrid/stay/left_side.hpp"

#include <cmath>

#include "hybrid/stay/follower_port.hpp"

namespace saltus::detail {

Result<void> LeftSide::note(const EventPoint& point, std::span<const Crossing> crossings) {
  frame_.follower.meets(point, crossings);
  sliding_ = here_->on_surfaces ? here_->on_surfaces->names : std::vector<std::string>();
  if (frame_.has_modes())
    written_ =
        here_->pairing->original(*here_->system, *here_->workspace, point.t, point.x, point.xdot);
  if (!options_.events.keep) return {};
  auto values = recording_.writer().recorded_values(*here_->system, *here_->workspace, point.t,
                                                    point.x, point.xdot);
  if (!values) return values.failure();
  values_ = std::move(*values);
  present_ = recording_.writer().recorded_flags(*here_->system, *here_->workspace);
  return {};
}

/// What only an input did has no other name.
Result<void> LeftSide::log(JournalEntry entry, double t_here, const ModeRun& next,
                           const ConsistentStart& start) {
  if (entry.events.empty()) {
    Event breakpoint;
    breakpoint.kind = EventKind::scheduled;
    breakpoint.t = t_here;
    breakpoint.name = "breakpoint of an input";
    entry.events.push_back(std::move(breakpoint));
  }
  if (options_.events.keep) {
    auto values = recording_.writer().recorded_values(*next.system, *next.workspace, t_here,
                                                      start.x, start.xdot);
    if (!values) return values.failure();
    entry.instant.x_minus = values_;
    entry.instant.minus_present = present_;
    entry.instant.x_plus = std::move(*values);
    entry.instant.plus_present = recording_.writer().recorded_flags(*next.system, *next.workspace);
  }
  frame_.ledger.log(std::move(entry));
  return {};
}

LeftState LeftSide::state(const EventPoint& point, std::span<const double> x_with_actions,
                          bool has_history) const {
  LeftState left;
  left.t = point.t;
  auto original = here_->pairing->original(*here_->system, *here_->workspace, point.t,
                                           x_with_actions, point.xdot);
  left.x = std::move(original.x);
  left.xdot = std::move(original.xdot);
  const auto carries = here_->original->carries_derivative();
  const double rtol = here_->engine_options.rtol;
  for (std::uint32_t i = 0; i < left.x.size(); ++i) {
    const std::uint32_t at = here_->pairing->integrated_as(i);
    // What is only computed from the rest: with relations and inputs as they were, which may have changed since.
    if (at == UnknownPairing::none && !carries[i] && !written_.x.empty()) left.x[i] = written_.x[i];
    // What is not integrated follows from the rest, as accurately as that.
    const double atol = at != UnknownPairing::none ? here_->engine_options.atol[at]
                                                   : options_.atol * here_->original->nominal(i);
    left.movement.push_back(noticeable_jump * (rtol * std::abs(left.x[i]) + atol));
    left.has_history.push_back(carries[i] && has_history ? 1 : 0);
  }
  left.held = held_values_of(*here_->workspace);
  left.natural_step = here_->natural_step;
  return left;
}

}  // namespace saltus::detail
