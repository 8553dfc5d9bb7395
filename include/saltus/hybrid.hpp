#pragma once

// Runs: smooth parts joined by events.

#include <saltus/hybrid/event_options.hpp>  // options of events
#include <saltus/hybrid/follower.hpp>       // interface to observe a run from inside
#include <saltus/hybrid/options.hpp>        // options of a run
#include <saltus/hybrid/run.hpp>            // a run step by step
