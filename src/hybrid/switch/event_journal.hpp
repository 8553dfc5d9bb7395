// From what happened at an instant to entries of the event table.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <saltus/integrate/options.hpp>
#include <saltus/trajectory/events.hpp>
#include <saltus/system/system.hpp>

#include "hybrid/switch/event_kit.hpp"

namespace saltus::detail {

struct JournalEntry {
  EventInstant instant;
  std::vector<Event> events;
};

/// `x_minus` are the unknowns before the instant; `crossings` what led to it.
JournalEntry journal_entry(const SwitchBoard& board, const System& system,
                           const EngineOptions& tolerances, const std::string& mode, double t,
                           std::span<const double> x_minus, std::span<const Crossing> crossings,
                           const InstantResult& result);

/// Values that jump although nothing switches: an input does.
JournalEntry jump_entry(const System& system, const EngineOptions& tolerances,
                        const std::string& mode, double t, std::span<const double> x_minus,
                        const InstantResult& result);

/// A relation that crossed without consequences for the equations.
JournalEntry flip_entry(const SwitchBoard& board, const std::string& mode, double t,
                        std::span<const Crossing> crossings);

}  // namespace saltus::detail
