#pragma once

// The foundations of all other parts: errors, results, options, observers.

#include <saltus/core/error.hpp>           // the three tiers of errors, SALTUS_ASSERT
#include <saltus/core/result.hpp>          // a value or a failure
#include <saltus/core/options.hpp>         // one list per options struct
#include <saltus/core/json_writer.hpp>     // JSON text, one value after the other
#include <saltus/core/observer.hpp>        // receives diagnostics
#include <saltus/core/outside_input.hpp>   // inputs that the caller of a run sets
#include <saltus/core/impact_law.hpp>      // laws for several impacts at once
#include <saltus/core/restart_policy.hpp>  // policies for the start of a mode
#include <saltus/core/side.hpp>            // left and right limits
#include <saltus/core/text.hpp>            // numbers as text, nearest names
#include <saltus/core/version.hpp>
