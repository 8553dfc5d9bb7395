#pragma once

// Runs: smooth stretches joined by events.

#include <saltus/hybrid/event_options.hpp>  // what can be asked about events
#include <saltus/hybrid/follower.hpp>       // a run seen from inside
#include <saltus/hybrid/options.hpp>        // everything that can be asked of a run
#include <saltus/hybrid/run.hpp>            // a run in steps
