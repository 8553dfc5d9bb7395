#pragma once

// From a model to its solution.

#include <saltus/simulate/analyze.hpp>              // what can be said before it runs
#include <saltus/simulate/gradient.hpp>             // of what a run comes to
#include <saltus/simulate/linearize.hpp>            // near one point of a solution
#include <saltus/simulate/simulate.hpp>             // one call
#include <saltus/simulate/transition_analysis.hpp>  // what transitions may do
