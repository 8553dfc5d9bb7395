// Surfaces that a solution stays on, in words: why it stays, why it leaves, what else was possible.
#pragma once

#include <string>
#include <vector>

#include <saltus/trajectory/events.hpp>

namespace saltus::detail {

/// Why the surface of an event was crossed, stayed on or left: how fast the switching function of its relation moves
/// with the relation true and false, all else as in the way that was taken. Empty if the log does not say.
std::string surface_sentence(const EventInstant& instant, const Event& event);

/// The solution would slide on the surface of this relation, and a mode that the model has for this was entered
/// instead.
bool is_replaced_by_mode(const EventInstant& instant, const std::string& relation);

/// On which surfaces it slides from here on, where the event itself does not say it. Empty if on none.
std::string sliding_sentence(const EventInstant& instant, const Event& event);

/// For tables: "sliding on v > 0 and w > 0", "now true, still sliding on w > 0"; empty for events of other kinds.
std::string sliding_change(const EventInstant& instant, const Event& event);

/// All ways to go on from the surfaces, with what speaks against them: a heading and a line each. Nothing if
/// there was no choice.
std::vector<std::string> surface_table(const EventInstant& instant);

/// What `name` gives, with blanks: "enter sliding".
std::string kind_words(EventKind kind);

}  // namespace saltus::detail
