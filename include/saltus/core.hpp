#pragma once

// core: what every other part needs and no user model ever sees.

#include <saltus/core/error.hpp>           // the three tiers of errors, SALTUS_ASSERT
#include <saltus/core/result.hpp>          // a value or a failure
#include <saltus/core/options.hpp>         // one list per options struct
#include <saltus/core/observer.hpp>        // where diagnostics go
#include <saltus/core/impact_law.hpp>      // several impacts at once
#include <saltus/core/restart_policy.hpp>  // how modes start
#include <saltus/core/side.hpp>            // left and right limits
#include <saltus/core/text.hpp>            // numbers as text, nearest names
#include <saltus/core/version.hpp>
