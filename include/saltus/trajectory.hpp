#pragma once

// Solutions in memory.

#include <saltus/trajectory/events.hpp>         // explains the changes at events
#include <saltus/trajectory/fitted_pieces.hpp>  // functions along a step, as polynomials
#include <saltus/trajectory/report.hpp>         // outcome, decisions, work of a run
#include <saltus/trajectory/sensitivity.hpp>    // derivatives of a solution
#include <saltus/trajectory/solution.hpp>       // the whole result of a run
#include <saltus/trajectory/switching.hpp>      // distances of relations from switching
#include <saltus/trajectory/trajectory.hpp>     // segments, steps, rows
