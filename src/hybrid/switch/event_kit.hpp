// What a run of one configuration needs to handle its events.
#pragma once

#include <limits>
#include <utility>

#include <saltus/events/departure.hpp>

#include "hybrid/switch/accumulation.hpp"
#include "hybrid/switch/event_iteration.hpp"
#include "hybrid/switch/event_location.hpp"
#include "hybrid/switch/switch_board.hpp"

namespace saltus::detail {

/// Belongs to one workspace. `only_mode`: relations that options name must be among its own.
struct EventKit {
  EventKit(Workspace& workspace, const System& system, const EngineOptions& tolerances,
           const EventOptions& options, bool forward, bool only_mode,
           EventIteration::FindStart find_start)
      : board(workspace, options, forward, only_mode),
        search(board.functions(), options.prove ? board.enclosure() : nullptr,
               {options.samples_per_step, options.prove}),
        locator(board, system, tolerances, options),
        iteration(board, system, options, forward, std::move(find_start)),
        accumulation(board.count(), options.accumulation_window) {}

  SwitchBoard board;
  DepartureSearch search;
  EventLocator locator;
  EventIteration iteration;
  AccumulationWatch accumulation;
};

/// One relation that interrupts the solution.
struct Crossing {
  std::uint32_t which = 0;
  int direction = 0;  // of g, as time increases
  Guarantee guarantee = Guarantee::proven;
  double time_width = 0.0;
  double t_zero = 0.0;         // about where g is zero: of several, the order in which they cross
  bool only_flips = false;     // without it the same equations and actions would follow,
  bool matters_first = false;  // but not if it came before the others
  bool waited = false;         // until the end of its dwell time
  // Since its event before, if there was one; see AccumulationWatch::Sighting.
  double excursion = std::numeric_limits<double>::infinity();
  double resolution = 0.0, distance = 0.0, error = 0.0, time_error = 0.0, lost = 0.0;
  bool is_close = false;  // see AccumulationWatch::note_close()
};

}  // namespace saltus::detail
