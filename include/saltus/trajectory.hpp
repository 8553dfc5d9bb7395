#pragma once

// Solutions in memory.

#include <saltus/trajectory/events.hpp>      // what happened at events, explained
#include <saltus/trajectory/report.hpp>      // outcome, decisions, work
#include <saltus/trajectory/solution.hpp>    // both, as a run returns them
#include <saltus/trajectory/trajectory.hpp>  // segments, steps, rows
