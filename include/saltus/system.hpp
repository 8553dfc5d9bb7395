#pragma once

// The waist between models and numerics: contracts only.

#include <saltus/system/abilities.hpp>          // what a system may offer beyond its residual
#include <saltus/system/configuration.hpp>      // where systems come from
#include <saltus/system/contract.hpp>           // the contract as a test of your own system
#include <saltus/system/differentiated.hpp>     // equations with their derivatives
#include <saltus/system/directions.hpp>         // exact derivatives along a direction
#include <saltus/system/drift.hpp>              // what is kept by derivatives only
#include <saltus/system/evaluation.hpp>         // what one evaluation reports back
#include <saltus/system/formula_hash.hpp>       // what a formula is, without its value
#include <saltus/system/function_system.hpp>    // a system written as plain functions
#include <saltus/system/initial_equations.hpp>  // what holds at the start only
#include <saltus/system/monitoring.hpp>         // redundant equations, regularity
#include <saltus/system/started_system.hpp>     // a system that begins elsewhere
#include <saltus/system/step_polynomial.hpp>    // an accepted step
#include <saltus/system/switching.hpp>          // switching functions, locks, actions
#include <saltus/system/system.hpp>             // residual, Jacobian, names
#include <saltus/system/tangents.hpp>           // a switching function with its derivatives
#include <saltus/system/template_system.hpp>    // a system written as a template over its numbers
#include <saltus/system/tracked.hpp>            // the number that such a template runs with
#include <saltus/system/tracking.hpp>           // its comparisons
#include <saltus/system/transition.hpp>         // from mode to mode
#include <saltus/system/unknown_name.hpp>       // derivatives in names of unknowns
#include <saltus/system/variable_map.hpp>       // engine's vector -> model's variables
#include <saltus/system/work.hpp>               // counts
