#pragma once

// Simulation and analysis of models.

#include <saltus/simulate/analysis_json.hpp>        // analyses, linearisations as JSON
#include <saltus/simulate/analyze.hpp>              // analysis before a run
#include <saltus/simulate/gradient.hpp>             // gradients of results of a run
#include <saltus/simulate/linearize.hpp>            // linearisation near one point of a solution
#include <saltus/simulate/simulate.hpp>             // one call from a model to its solution
#include <saltus/simulate/transition_analysis.hpp>  // analysis of transitions between modes
