#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include <saltus/core/error.hpp>
#include <saltus/trajectory/events.hpp>

namespace saltus {

std::string_view name(EventKind kind) noexcept {
  const auto number = static_cast<std::size_t>(kind);
  return number < n_event_kinds ? event_kind_names[number] : "unknown";
}

std::string_view name(Guarantee guarantee) noexcept {
  switch (guarantee) {
    case Guarantee::proven:
      return "proven";
    case Guarantee::heuristic:
      return "heuristic";
    case Guarantee::marginal:
      return "marginal";
  }
  return "unknown";
}

std::string_view name(JumpCause cause) noexcept {
  switch (cause) {
    case JumpCause::action:
      return "action";
    case JumpCause::consistency:
      return "consistency";
    case JumpCause::impulse:
      return "impulse";
    case JumpCause::map:
      return "map";
    case JumpCause::equation:
      return "equation";
    case JumpCause::least_squares:
      return "least_squares";
  }
  return "unknown";
}

std::uint64_t EventCounts::total() const {
  return std::accumulate(of_kind.begin(), of_kind.end(), std::uint64_t{0});
}

namespace {

/// Nothing that is no number is kept: it becomes 0 and a flag.
void mask_missing(std::vector<double>& values, std::vector<std::uint8_t>& present) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool is_absent = std::isnan(values[i]) || (!present.empty() && present[i] == 0);
    if (!is_absent) continue;
    if (present.empty()) present.assign(values.size(), 1);
    values[i] = 0.0;
    present[i] = 0;
  }
}

void count_modes(const EventInstant& instant, EventCounts& counts) {
  for (const CandidateRecord& candidate : instant.candidates) {
    counts.n_rejected += candidate.rejected() ? 1 : 0;
    counts.n_passed += candidate.passed ? 1 : 0;
  }
  counts.n_impulses += instant.impulses.size();
  for (const ConservedRecord& quantity : instant.conserved)
    counts.n_not_conserved += quantity.kept ? 0 : 1;
}

}  // namespace

void EventLog::add(EventInstant instant, std::vector<Event> events, bool keep) {
  SALTUS_ASSERT(instant.minus_present.empty() ||
                instant.minus_present.size() == instant.x_minus.size());
  SALTUS_ASSERT(instant.plus_present.empty() ||
                instant.plus_present.size() == instant.x_plus.size());
  ++counts_.n_instants;
  counts_.n_restarts += instant.restarted ? 1 : 0;
  counts_.n_micro_steps += instant.n_micro_steps;
  counts_.n_iterations += instant.n_iterations;
  count_modes(instant, counts_);
  std::uint32_t n_crossings = 0;
  // Without an event: an input made values jump.
  bool interrupts = instant.restarted || events.empty();
  for (const Event& event : events) {
    ++counts_.of_kind[static_cast<std::size_t>(event.kind)];
    counts_.n_heuristic += event.guarantee == Guarantee::heuristic ? 1 : 0;
    counts_.n_marginal += event.guarantee == Guarantee::marginal ? 1 : 0;
    interrupts = interrupts || (event.kind != EventKind::lock && event.kind != EventKind::limit);
    // Where it comes to a surface to stay, that relation crossed by itself, too.
    const bool arrives = event.kind == EventKind::state || event.kind == EventKind::enter_sliding;
    n_crossings += event.micro_step == 0 && arrives ? 1 : 0;
  }
  counts_.n_interruptions += interrupts ? 1 : 0;
  counts_.n_simultaneous += n_crossings > 1 ? 1 : 0;
  if (!keep) return;

  mask_missing(instant.x_minus, instant.minus_present);
  mask_missing(instant.x_plus, instant.plus_present);
  instant.first_event = static_cast<std::uint32_t>(events_.size());
  instant.n_events = static_cast<std::uint32_t>(events.size());
  for (Event& event : events) event.instant = static_cast<std::uint32_t>(instants_.size());
  std::move(events.begin(), events.end(), std::back_inserter(events_));
  instants_.push_back(std::move(instant));
}

}  // namespace saltus
