#pragma once

// Systems of any index become systems that engines integrate.

#include <saltus/reduce/consistent_point.hpp>  // consistent points once the index is known
#include <saltus/reduce/dependence.hpp>        // equations that say the same
#include <saltus/reduce/impulse_blocks.hpp>    // jumps and impulses of constant coefficients
#include <saltus/reduce/index_analysis.hpp>    // characteristic values
#include <saltus/reduce/initial_point.hpp>     // where a run with initial equations begins
#include <saltus/reduce/mode_content.hpp>      // classes of unknowns, jumps into a mode
#include <saltus/reduce/pencil.hpp>            // modes of linear systems
#include <saltus/reduce/reduced_system.hpp>    // index 1, same solution
#include <saltus/reduce/second_order.hpp>      // counts of first and second order apart
#include <saltus/reduce/selected_states.hpp>   // index 1 by structure, sparse
#include <saltus/reduce/underlying_ode.hpp>    // index 0 with constraints, for explicit engines
