// What is told of a run on a terminal.
#pragma once

#include <string>

#include <saltus/trajectory/solution.hpp>

namespace saltus::app {

/// "finished", "ended by the model", "stopped", …: words instead of names of values.
std::string ending(Outcome outcome);

/// "belt: finished at t = 15 s, 91 steps, 7 events, 0.01 s", and why if the model or a limit ended it.
std::string summary_line(const Solution& solution);

/// Clauses that never acted because their condition holds from the start, a line each.
std::string waiting_clauses_text(const Solution& solution);

/// Derivatives where the run, or they themselves, end: a row per variable, a column per parameter. Empty if none
/// were asked for.
std::string derivatives_text(const Solution& solution);

}  // namespace saltus::app
