#pragma once

// Solutions in memory.

#include <saltus/trajectory/events.hpp>         // what happened at events, explained
#include <saltus/trajectory/fitted_pieces.hpp>  // functions along a step, as polynomials
#include <saltus/trajectory/report.hpp>         // outcome, decisions, work
#include <saltus/trajectory/sensitivity.hpp>    // derivatives of a solution
#include <saltus/trajectory/solution.hpp>       // all of it, as a run returns it
#include <saltus/trajectory/switching.hpp>      // how far relations were from switching
#include <saltus/trajectory/trajectory.hpp>     // segments, steps, rows
