#pragma once

// Many runs of one model.

#include <saltus/ensemble/counter_random.hpp>  // random numbers as functions of a counter
#include <saltus/ensemble/design.hpp>          // which values each run has
#include <saltus/ensemble/distribution.hpp>    // how they are distributed
#include <saltus/ensemble/failure_kinds.hpp>   // why runs failed, in few lines
#include <saltus/ensemble/journal.hpp>         // what was done, on disk
#include <saltus/ensemble/kept.hpp>            // what is kept of a run
#include <saltus/ensemble/measured.hpp>        // numbers made of a whole run
#include <saltus/ensemble/run_block.hpp>       // some runs that follow each other
#include <saltus/ensemble/sweep.hpp>           // all runs of a plan, by any number of workers
#include <saltus/ensemble/sweep_columns.hpp>   // what they gave, column by column
#include <saltus/ensemble/sweep_rows.hpp>      // what they gave, block by block
#include <saltus/ensemble/sweep_table.hpp>     // what they gave, in memory
#include <saltus/ensemble/worker.hpp>          // for workers of one's own
