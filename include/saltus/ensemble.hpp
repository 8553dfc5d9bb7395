#pragma once

// Sweeps: many runs of one model.

#include <saltus/ensemble/counter_random.hpp>  // random numbers as functions of a counter
#include <saltus/ensemble/design.hpp>          // the values of each run
#include <saltus/ensemble/distribution.hpp>    // distributions of varied values
#include <saltus/ensemble/failure_kinds.hpp>   // summary of failure reasons
#include <saltus/ensemble/journal.hpp>         // results so far, on disk
#include <saltus/ensemble/kept.hpp>            // the numbers kept of each run
#include <saltus/ensemble/measured.hpp>        // numbers computed from a whole run
#include <saltus/ensemble/run_block.hpp>       // known results of consecutive runs
#include <saltus/ensemble/sweep.hpp>           // all runs of a plan, by any number of workers
#include <saltus/ensemble/sweep_columns.hpp>   // results column by column
#include <saltus/ensemble/sweep_rows.hpp>      // results block by block
#include <saltus/ensemble/sweep_table.hpp>     // results in memory
#include <saltus/ensemble/worker.hpp>          // parts of a sweep for your own workers
