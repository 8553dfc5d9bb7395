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

std::string rejection(const CandidateRecord& candidate) {
  std::string text = "Mode " + quote(candidate.mode) + " was tried and rejected";
  if (!candidate.verdict.empty()) text += ": " + candidate.verdict;
  // Impulses that the verdict does not speak of.
  if (candidate.impulses.empty() || candidate.verdict.find("impulse") != std::string::npos)
    return sentence(text);
  std::vector<std::string> impulses;
  for (const ImpulseRecord& impulse : candidate.impulses) impulses.push_back(impulse_text(impulse));
  return sentence(text) + " It would have had " +
         (impulses.size() == 1 ? "an impulse of " : "impulses of ") + enumeration(impulses) + ".";
}

std::string passage(const CandidateRecord& candidate) {
  std::string text = "Mode " + quote(candidate.mode) + " was passed without time";
  if (!candidate.verdict.empty()) text += ": " + candidate.verdict;
  return sentence(text) +
         " What came next started from the state before the event, not from there.";
}

}  // namespace

std::string sentence(std::string text) {
  if (!text.empty() && text.back() != '.') text += '.';
  return text;
}

std::string strength_unit(const std::string& unit, int order) {
  if (unit.empty()) return "";
  const int power = order + 1;
  // "m/s" and "m/s^2" lose seconds below the line before they get some above it.
  const std::size_t line = unit.rfind('/');
  if (line != std::string::npos) {
    const std::string below = unit.substr(line + 1);
    const auto exponent = below.starts_with("s^") ? read_int(below.substr(2))
                                                  : std::optional<int>(below == "s" ? 1 : 0);
    if (exponent && *exponent > 0) {
      const std::string above = unit.substr(0, line) == "1" ? "" : unit.substr(0, line);
      if (*exponent > power)
        return unit.substr(0, line) + "/" + power_of_seconds(*exponent - power);
      const std::string rest = power_of_seconds(power - *exponent);
      return above + (above.empty() || rest.empty() ? "" : " ") + rest;
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

const CandidateRecord* destination(const EventInstant& instant, const Event& transition) {
  const CandidateRecord* found = nullptr;
  for (const CandidateRecord& candidate : instant.candidates) {
    if (candidate.transition != transition.name || candidate.rejected()) continue;
    // The same transition may be taken twice in a chain; then micro-steps tell them apart.
    if (found == nullptr || candidate.micro_step == transition.micro_step) found = &candidate;
  }
  return found;
}

std::string way_of(const EventInstant& instant, std::span<const Event> events,
                   const Event& transition) {
  std::string from = instant.mode_before, to = instant.mode_after;
  const Event* earlier = nullptr;
  bool is_last = true;
  for (const Event& event : events) {
    if (!is_transition(event) || &event == &transition) continue;
    if (event.micro_step < transition.micro_step &&
        (earlier == nullptr || earlier->micro_step <= event.micro_step))
      earlier = &event;
    is_last = is_last && event.micro_step < transition.micro_step;
  }
  if (earlier != nullptr) {
    const CandidateRecord* stop = destination(instant, *earlier);
    from = stop != nullptr ? stop->mode : "";
  }
  if (!is_last) {
    const CandidateRecord* stop = destination(instant, transition);
    to = stop != nullptr ? stop->mode : "";
  }
  std::string text = from.empty() ? "" : "from mode " + quote(from);
  if (!to.empty()) text += (text.empty() ? "to mode " : " to mode ") + quote(to);
  return text.empty() ? "to another mode" : text;
}

std::vector<std::string> candidate_sentences(const EventInstant& instant,
                                             std::span<const Event> events, const Event& event) {
  const auto n_transitions = std::ranges::count_if(events, is_transition);
  constexpr std::size_t most_shown = 8;
  std::vector<std::string> sentences;
  for (const CandidateRecord& candidate : instant.candidates) {
    const bool concerns = !is_transition(event) || n_transitions < 2 ||
                          candidate.transition == event.name ||
                          candidate.micro_step > event.micro_step;
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
