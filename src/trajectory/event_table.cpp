// The events of a run as a table.
#include <algorithm>

#include <saltus/trajectory/events.hpp>

#include "trajectory/jumps.hpp"
#include "trajectory/words.hpp"

namespace saltus {

namespace {

using detail::rounded;

std::string direction_word(int direction) {
  return direction == 0 ? "-" : direction > 0 ? "rising" : "falling";
}

/// Of what was looked for along a step; scheduled times are hit, and actions follow.
std::string guarantee_word(const Event& event) {
  if (event.kind == EventKind::scheduled && event.micro_step == 0) return "exact";
  return event.direction == 0 || event.micro_step > 0 ? "-" : std::string(name(event.guarantee));
}

std::string arrow_text(const Jump& jump) {
  const auto [before, after] = detail::told_apart(jump.before, jump.after, 4);
  return jump.variable + ": " + before + " -> " + after +
         (jump.unit.empty() ? "" : " " + jump.unit);
}

void add_equations_part(const EventInstant& instant, std::vector<std::string>& parts) {
  constexpr std::size_t most_shown = 2;
  for (const JumpCause cause : {JumpCause::impulse, JumpCause::consistency}) {
    std::vector<std::string> texts;
    for (const Jump* jump : detail::largest_first(instant.jumps, cause))
      if (!detail::is_unnoticeable(*jump)) texts.push_back(arrow_text(*jump));
    if (!texts.empty())
      parts.push_back(std::string(name(cause)) + " " + detail::enumeration(texts, most_shown));
  }
  if (instant.mode_before != instant.mode_after)
    parts.push_back("mode " + instant.mode_before + " -> " + instant.mode_after);
}

}  // namespace

std::string changes_text(const EventLog& log, const Event& event) {
  const EventInstant& instant = log.instant_of(event);
  std::vector<std::string> parts;
  for (const LockChange& lock : instant.locks) {
    if (lock.relation != event.name) continue;
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
  const Event& first = log.events_of(instant).front();
  if (first.name == event.name && first.micro_step == event.micro_step)
    add_equations_part(instant, parts);
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
      rows.push_back({rounded(event.t, 10), std::string(name(event.kind)),
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
