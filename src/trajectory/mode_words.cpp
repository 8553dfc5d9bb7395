#include "trajectory/mode_words.hpp"

#include <algorithm>
#include <optional>

#include <saltus/core/text.hpp>

#include "trajectory/words.hpp"

namespace saltus::detail {

namespace {

std::string power_of_seconds(int power) {
  if (power == 0) return "";
  return power == 1 ? "s" : "s^" + std::to_string(power);
}

/// "delta", "delta'", "delta''", "delta^(3)".
std::string delta_text(int order) {
  if (order > 2) return "delta^(" + std::to_string(order) + ")";
  return "delta" + std::string(static_cast<std::size_t>(std::max(order, 0)), '\'');
}

std::string with_unit(const std::string& number, const std::string& unit) {
  return unit.empty() ? number : number + " " + unit;
}

std::string strength_text(const ImpulseRecord& impulse) {
  return with_unit(rounded(impulse.strength, 4), strength_unit(impulse.unit, impulse.order));
}

bool is_transition(const Event& event) { return event.kind == EventKind::structural; }

/// Number of a transition in the chain of those of its instant.
std::size_t link_of(std::span<const Event> events, const Event& transition) {
  std::size_t link = 0;
  for (const Event& event : events) {
    if (&event == &transition) break;
    link += is_transition(event) ? 1 : 0;
  }
  return link;
}

/// The same of a candidate: micro-steps count from wherever the chain began.
std::size_t link_of(const EventInstant& instant, const CandidateRecord& candidate) {
  std::uint32_t first = candidate.micro_step;
  for (const CandidateRecord& other : instant.candidates) first = std::min(first, other.micro_step);
  return candidate.micro_step - first;
}

std::string rejection(const CandidateRecord& candidate) {
  std::string text = "Mode " + quote(candidate.mode) + " was tried and rejected";
  if (!candidate.verdict.empty()) text += ": " + candidate.verdict;
  // Impulses that the verdict does not speak of.
  if (candidate.impulses.empty() || candidate.verdict_tells_impulses) return sentence(text);
  std::vector<std::string> impulses;
  for (const ImpulseRecord& impulse : candidate.impulses) impulses.push_back(impulse_text(impulse));
  return sentence(text) + " It would have had " +
         (impulses.size() == 1 ? "an impulse of " : "impulses of ") + enumeration(impulses) + ".";
}

std::string passage(const CandidateRecord& candidate) {
  std::string text = "Mode " + quote(candidate.mode) + " was passed without time";
  if (!candidate.verdict.empty()) text += ": " + candidate.verdict;
  return sentence(text) +
         " The next mode started from the state before the event, not from this mode.";
}

}  // namespace

std::string sentence(std::string text) {
  if (!text.empty() && text.back() != '.') text += '.';
  return text;
}

std::string strength_unit(const std::string& unit, int order) {
  if (unit.empty()) return "";
  const int power = order + 1;
  // "m/s", "m/s^2" and "m/s2" lose seconds below the line before they get some above it.
  const std::size_t line = unit.rfind('/');
  if (line != std::string::npos) {
    const std::string above = unit.substr(0, line), below = unit.substr(line + 1);
    const std::string caret = below.starts_with("s^") ? "^" : "";
    const auto exponent = below == "s"             ? std::optional<int>(1)
                          : below.starts_with("s") ? read_int(below.substr(1 + caret.size()))
                                                   : std::nullopt;
    if (exponent && *exponent > power)
      return above + "/s" +
             (*exponent == power + 1 ? "" : caret + std::to_string(*exponent - power));
    if (exponent && *exponent > 0) {
      std::string rest = power_of_seconds(power - *exponent);
      if (above == "1") return rest;
      return above + (rest.empty() ? "" : " ") + rest;
    }
    return "(" + unit + ") " + power_of_seconds(power);
  }
  return unit + " " + power_of_seconds(power);
}

std::string impulse_text(const ImpulseRecord& impulse) {
  return strength_text(impulse) + " in " + quote(impulse.variable) + ", order " +
         std::to_string(impulse.order) + " (" + delta_text(impulse.order) + ")";
}

std::string short_impulse_text(const ImpulseRecord& impulse) {
  return strength_text(impulse) + " in " + impulse.variable +
         (impulse.order == 0 ? "" : " (" + delta_text(impulse.order) + ")");
}

const CandidateRecord* destination(const EventInstant& instant, std::span<const Event> events,
                                   const Event& transition) {
  const CandidateRecord* found = nullptr;
  for (const CandidateRecord& candidate : instant.candidates) {
    if (candidate.transition != transition.name || candidate.rejected()) continue;
    // The same transition may be taken twice in a chain.
    if (found == nullptr || link_of(instant, candidate) == link_of(events, transition))
      found = &candidate;
  }
  return found;
}

std::string way_of(const EventInstant& instant, std::span<const Event> events,
                   const Event& transition) {
  std::string from = instant.mode_before, to = instant.mode_after;
  const auto stop_of = [&](const Event& link) {
    const CandidateRecord* stop = destination(instant, events, link);
    return stop != nullptr ? stop->mode : std::string();
  };
  bool is_past = false;
  for (const Event& event : events) {
    if (!is_transition(event)) continue;
    if (is_past) {
      to = stop_of(transition);
      break;
    }
    is_past = &event == &transition;
    if (!is_past) from = stop_of(event);
  }
  std::string text = from.empty() ? "" : "from mode " + quote(from);
  if (!to.empty()) text += (text.empty() ? "to mode " : " to mode ") + quote(to);
  return text.empty() ? "to another mode" : text;
}

std::vector<std::string> candidate_sentences(const EventInstant& instant,
                                             std::span<const Event> events, const Event& event) {
  constexpr std::size_t most_shown = 8;
  std::vector<std::string> sentences;
  for (const CandidateRecord& candidate : instant.candidates) {
    const bool concerns =
        !is_transition(event) || link_of(instant, candidate) >= link_of(events, event);
    if (candidate.taken || !concerns) continue;
    sentences.push_back(candidate.passed ? passage(candidate) : rejection(candidate));
  }
  if (sentences.size() > most_shown) {
    const std::size_t n_more = sentences.size() - most_shown;
    sentences.resize(most_shown);
    sentences.push_back("In the same way, " + counted(n_more, "more mode") +
                        (n_more == 1 ? " was" : " were") + " tried.");
  }
  return sentences;
}

std::string impulse_sentence(const EventInstant& instant) {
  if (instant.impulses.empty()) return "";
  std::vector<std::string> texts;
  for (const ImpulseRecord& impulse : instant.impulses) texts.push_back(impulse_text(impulse));
  return (texts.size() == 1 ? "There was an impulse of " : "There were impulses of ") +
         enumeration(texts) + ".";
}

std::string conserved_sentence(const EventInstant& instant) {
  std::vector<std::string> kept, lost;
  for (const ConservedRecord& quantity : instant.conserved) {
    if (quantity.kept) {
      kept.push_back(quote(quantity.name) + " (" +
                     with_unit(rounded(quantity.after, 6), quantity.unit) + ")");
      continue;
    }
    const auto [before, after] = told_apart(quantity.before, quantity.after);
    lost.push_back(quote(quantity.name) + " changed from " + before + " to " +
                   with_unit(after, quantity.unit) + " (by " +
                   with_unit(rounded(quantity.after - quantity.before), quantity.unit) + ")");
  }
  std::string text;
  if (!kept.empty()) text = "Conserved, as declared: " + enumeration(kept) + ".";
  if (!lost.empty())
    text += (text.empty() ? "" : " ") +
            std::string("Declared as conserved, but not kept within the tolerances: ") +
            enumeration(lost) + ".";
  return text;
}

std::string presence_sentence(const EventLog& log, const EventInstant& instant) {
  std::vector<std::string> came, went;
  for (std::size_t v = 0; v < log.variables().size(); ++v) {
    // What was not recorded on one side says nothing.
    if (v >= instant.x_minus.size() || v >= instant.x_plus.size()) break;
    const bool before = instant.exists_before(v), after = instant.exists_after(v);
    if (after && !before) came.push_back(quote(log.variables()[v]));
    if (before && !after) went.push_back(quote(log.variables()[v]));
  }
  std::string text;
  if (!came.empty())
    text = "New" + (instant.mode_after.empty() ? "" : " in mode " + quote(instant.mode_after)) +
           ": " + enumeration(came) + ".";
  if (!went.empty())
    text += (text.empty() ? "" : " ") + std::string("No longer there: ") + enumeration(went) + ".";
  return text;
}

}  // namespace saltus::detail
