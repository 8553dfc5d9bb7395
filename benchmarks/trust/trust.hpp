// What a run may be trusted with, item by item. Each function measures and prints its line.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace saltus::bench {

bool show_random_hybrids(int item);     // 2: random hybrid DAEs on three engines
bool show_solved_thresholds(int item);  // 3: thresholds on what is solved for are passed once
bool show_clock_pairs(int item);        // 4: clocks meet
bool show_seen_constraints(int item);   // 6: constraints hold wherever a solution is seen
bool show_surface_starts(int item);     // 7: starts exactly on surfaces
bool show_restarts_of_ida(int item);    // 8: restarts of ida beside an oracle

// 1 and 5 are tests: tools/topics/trust runs them.

/// A size from the environment, or the one that was asked for.
inline std::uint64_t size_of(const char* variable, std::uint64_t asked) {
  const char* const given = std::getenv(variable);
  return given != nullptr ? std::strtoull(given, nullptr, 10) : asked;
}

}  // namespace saltus::bench
