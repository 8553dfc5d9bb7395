#pragma once

// Many runs of one model.

#include <saltus/ensemble/counter_random.hpp>  // random numbers as functions of a counter
#include <saltus/ensemble/design.hpp>          // which values each run has
#include <saltus/ensemble/distribution.hpp>    // how they are distributed
#include <saltus/ensemble/journal.hpp>         // what was done, on disk
#include <saltus/ensemble/kept.hpp>            // what is kept of a run
#include <saltus/ensemble/sweep.hpp>           // all runs of a plan, by any number of workers
#include <saltus/ensemble/sweep_table.hpp>     // what they gave
#include <saltus/ensemble/worker.hpp>          // for workers of one's own
