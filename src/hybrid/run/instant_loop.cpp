#include "hybrid/run/instant_loop.hpp"

#include <saltus/core/error.hpp>

namespace saltus::detail {

InstantLoop::Passed InstantLoop::pass(Verdict verdict) {
  bool is_event = false, is_limit = false;
  for (;;) {
    if (auto* request = std::get_if<InstantRequest>(&verdict)) {
      is_event = is_event || request->follows_event;
      verdict = at_.instants.pass(*request);
    } else if (auto* instant = std::get_if<SurfaceInstant>(&verdict)) {
      verdict = at_.on_surfaces.decide(*instant);
    } else if (auto* question = std::get_if<Question>(&verdict)) {
      question_ = std::move(*question);
      return std::optional<Ending>();
    } else if (auto* ending = std::get_if<Ending>(&verdict)) {
      return std::optional(std::move(*ending));
    } else if (const auto* failure = std::get_if<Failure>(&verdict)) {
      // What fails beyond the limit of a series is not the fault of its last event.
      if (is_limit) return std::optional(ended_by(*failure));
      return *failure;
    } else {
      const GoOn on = std::get<GoOn>(std::move(verdict));
      is_event = is_event || on.is_event;
      auto used_up = is_event ? ground_.limits.look_at_events(ground_.here.t()) : std::nullopt;
      if (used_up || !on.series) return used_up;
      verdict = at_.series_limits.look(*on.series);
      is_limit = true;
    }
  }
}

Ending InstantLoop::with_last_actions(Ending ending) {
  for (std::uint32_t action = 0; ending.acts_first;) {
    auto request = at_.first_and_last.next_at_end(action);
    if (!request) break;
    Passed passed = pass(std::move(*request));
    if (passed && !*passed) continue;
    ending = passed ? std::move(**passed) : ended_by(passed.failure());
    ending.t_reached = ground_.options.t_end;
  }
  return ending;
}

SurfaceInstant InstantLoop::answer(std::size_t candidate) {
  if (!question_)
    throw Error(
        "the run does not wait for a decision: choose() needs a run that stopped at a surface "
        "(events.surface = stop)");
  const auto& candidates = question_->candidates;
  if (candidate >= candidates.size())
    throw Error("there is no candidate " + std::to_string(candidate) + ": there are " +
                std::to_string(candidates.size()) + ", counted from 0");
  if (!candidates[candidate].consistent)
    throw Error("'" + candidates[candidate].text +
                "' is not possible: " + candidates[candidate].verdict);
  SurfaceInstant instant = std::move(question_->instant);
  question_.reset();
  instant.choice = candidate;
  return instant;
}

}  // namespace saltus::detail
