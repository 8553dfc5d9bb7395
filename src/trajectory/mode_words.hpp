// Transitions between modes in words: what was tried, what impulses there were, what was conserved.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <saltus/trajectory/events.hpp>

namespace saltus::detail {

/// Of the strength of an impulse: "A" and order 0 give "A s", "m/s" gives "m". Empty if the variable has
/// no unit.
std::string strength_unit(const std::string& unit, int order);

/// "-0.2453 A s in 'iD', order 0 (delta)".
std::string impulse_text(const ImpulseRecord& impulse);
/// For tables: "-0.2453 A s in iD".
std::string short_impulse_text(const ImpulseRecord& impulse);

/// The candidate that a transition led to: taken, or passed on the way; null if the log does not say.
const CandidateRecord* destination(const EventInstant& instant, std::span<const Event> events,
                                   const Event& transition);

/// Where a transition led from and to: "from mode 'a' to mode 'b'".
std::string way_of(const EventInstant& instant, std::span<const Event> events,
                   const Event& transition);

/// A sentence each for the candidates that were not taken and concern the event: all of them, unless it is
/// a transition itself; then its own and those that followed.
std::vector<std::string> candidate_sentences(const EventInstant& instant,
                                             std::span<const Event> events, const Event& event);

/// Sentences, or nothing.
std::string impulse_sentence(const EventInstant& instant);
std::string conserved_sentence(const EventInstant& instant);
std::string presence_sentence(const EventLog& log, const EventInstant& instant);

/// Ends with a full stop, whatever it ended with; empty stays empty.
std::string sentence(std::string text);

}  // namespace saltus::detail
