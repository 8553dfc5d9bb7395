// The events of a run as a table.
#include <algorithm>
#include <array>

#include <saltus/trajectory/events.hpp>

#include "trajectory/jumps.hpp"
#include "trajectory/mode_words.hpp"
#include "trajectory/sliding_words.hpp"
#include "trajectory/words.hpp"

namespace saltus {

namespace {

using detail::rounded;

std::string direction_word(int direction) {
  return direction == 0 ? "-" : direction > 0 ? "rising" : "falling";
}

std::string arrow_text(const Jump& jump) {
  const auto [before, after] = detail::told_apart(jump.before, jump.after, 4);
  return jump.variable + ": " +
         (jump.before == jump.after ? "stays " + after : before + " -> " + after) +
         (jump.unit.empty() ? "" : " " + jump.unit);
}

void add_equations_part(const EventInstant& instant, std::vector<std::string>& parts) {
  constexpr std::size_t most_shown = 2;
  constexpr std::array causes{JumpCause::map, JumpCause::equation, JumpCause::impulse,
                              JumpCause::least_squares, JumpCause::consistency};
  if (!instant.impulses.empty()) {
    std::vector<std::string> texts;
    for (const ImpulseRecord& impulse : instant.impulses)
      texts.push_back(detail::short_impulse_text(impulse));
    parts.push_back("impulse " + detail::enumeration(texts, most_shown));
  }
  for (const JumpCause cause : causes) {
    std::vector<std::string> texts;
    for (const Jump* jump : detail::largest_first(instant.jumps, cause))
      if (!detail::is_unnoticeable(*jump)) texts.push_back(arrow_text(*jump));
    if (texts.empty()) continue;
    const std::string word =
        cause == JumpCause::least_squares ? "least squares" : std::string(name(cause));
    parts.push_back(word + " " + detail::enumeration(texts, most_shown));
  }
  const auto n_rejected = std::ranges::count_if(instant.candidates, &CandidateRecord::rejected);
  if (n_rejected > 0)
    parts.push_back(detail::counted(static_cast<std::uint64_t>(n_rejected), "candidate") +
                    " rejected");
  for (const ConservedRecord& quantity : instant.conserved)
    if (!quantity.kept) parts.push_back(quantity.name + " not conserved");
}

/// The event whose line tells what belongs to the whole instant.
const Event& spokesman(std::span<const Event> events) {
  const Event* last = nullptr;
  for (const Event& event : events)
    if (event.kind == EventKind::structural) last = &event;
  return last != nullptr ? *last : events.front();
}

/// Of a transition that is not the last one: what it passed through.
std::string mode_part(const EventInstant& instant, std::span<const Event> events,
                      const Event& event, bool speaks) {
  if (!speaks) {
    const CandidateRecord* stop =
        event.kind == EventKind::structural ? detail::destination(instant, events, event) : nullptr;
    return stop != nullptr ? "passed mode " + stop->mode : "";
  }
  if (instant.mode_before == instant.mode_after && event.kind != EventKind::structural) return "";
  return "mode " + instant.mode_before + " -> " + instant.mode_after;
}

}  // namespace

std::string guarantee_word(const Event& event) {
  if (event.kind == EventKind::scheduled && event.micro_step == 0) return "exact";
  return event.direction == 0 || event.micro_step > 0 ? "-" : std::string(name(event.guarantee));
}

std::string changes_text(const EventLog& log, const Event& event) {
  const EventInstant& instant = log.instant_of(event);
  std::vector<std::string> parts;
  const bool slides =
      event.kind == EventKind::enter_sliding || event.kind == EventKind::exit_sliding;
  if (const std::string sliding = detail::sliding_change(instant, event); !sliding.empty())
    parts.push_back(sliding);
  for (const LockChange& lock : instant.locks) {
    // A lock says little while a surface holds the solution.
    if (lock.relation != event.name || slides) continue;
    if (lock.before != lock.after) {
      parts.emplace_back(lock.after ? "now true" : "now false");
    } else {
      parts.emplace_back(lock.after ? "false, then true again" : "true, then false again");
    }
  }
  for (const Jump& jump : instant.jumps) {
    const bool then = jump.micro_step == 0 || jump.micro_step == event.micro_step;
    if (jump.cause == JumpCause::action && event.kind == EventKind::action &&
        jump.by == event.name && then)
      parts.push_back(arrow_text(jump));
  }
  const auto events = log.events_of(instant);
  const Event& speaker = spokesman(events);
  const auto is_event = [&](const Event& e) {
    return e.name == event.name && e.kind == event.kind && e.micro_step == event.micro_step;
  };
  const bool speaks = is_event(speaker);
  // A copy of an event is one too.
  const auto own = std::ranges::find_if(events, is_event);
  if (const std::string mode =
          mode_part(instant, events, own != events.end() ? *own : event, speaks);
      !mode.empty())
    parts.push_back(mode);
  if (speaks) add_equations_part(instant, parts);
  if (event.terminal) parts.emplace_back("ends the run");
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

std::string to_text(const EventLog& log, std::size_t max_rows) {
  constexpr std::size_t widest_name = 40, widest_change = 80;
  if (log.n_events() == 0) return "no events\n";
  std::string out;
  const auto events = log.events().first(std::min(max_rows, log.events().size()));
  if (!events.empty()) {
    std::vector<std::vector<std::string>> rows{
        {"t", "kind", "event", "direction", "guarantee", "what changed"}};
    for (const Event& event : events) {
      // What followed stands below what it followed from.
      const std::string indent(2 * std::min<std::size_t>(event.micro_step, 4), ' ');
      rows.push_back({rounded(event.t, 10), detail::kind_words(event.kind),
                      indent + detail::cut(event.name, widest_name),
                      direction_word(event.direction), guarantee_word(event),
                      detail::cut(changes_text(log, event), widest_change)});
    }
    out = detail::aligned(rows, 0);
  }
  const std::size_t n_more = log.events().size() - events.size();
  if (n_more > 0) out += "... and " + std::to_string(n_more) + " more\n";
  if (log.n_not_kept() > 0)
    out += (log.events().empty() ? "" : "... and ") + detail::counted(log.n_not_kept(), "event") +
           (log.n_not_kept() == 1 ? " that was" : " that were") + " counted, but not kept\n";
  return out;
}

}  // namespace saltus
