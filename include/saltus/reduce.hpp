#pragma once

// Index reduction: systems of any index become systems that engines can integrate.

#include <saltus/reduce/consistent_point.hpp>  // consistent points of systems with known index
#include <saltus/reduce/dependence.hpp>        // dependent equations
#include <saltus/reduce/impulse_blocks.hpp>    // jumps and impulses for constant coefficients
#include <saltus/reduce/index_analysis.hpp>    // characteristic values
#include <saltus/reduce/initial_point.hpp>     // start with initial equations
#include <saltus/reduce/mode_content.hpp>      // classes of unknowns, jumps into a mode
#include <saltus/reduce/pencil.hpp>            // modes of linear systems
#include <saltus/reduce/reduced_system.hpp>    // index 1, same solution
#include <saltus/reduce/second_order.hpp>      // counts of first and second order separately
#include <saltus/reduce/selected_states.hpp>   // index 1 by structure, sparse
#include <saltus/reduce/underlying_ode.hpp>    // index 0 with constraints, for explicit engines
