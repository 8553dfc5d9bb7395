#pragma once

// Contracts between models and numerics.

#include <saltus/system/abilities.hpp>          // optional abilities beyond the residual
#include <saltus/system/configuration.hpp>      // source of systems
#include <saltus/system/contract.hpp>           // tests the contract of your own system
#include <saltus/system/differentiated.hpp>     // equations with their derivatives
#include <saltus/system/directions.hpp>         // exact derivatives along a direction
#include <saltus/system/drift.hpp>              // quantities kept by derivatives only
#include <saltus/system/evaluation.hpp>         // the outcome of one evaluation
#include <saltus/system/formula_hash.hpp>       // formulas without their values
#include <saltus/system/function_system.hpp>    // a system written as plain functions
#include <saltus/system/handing.hpp>            // abilities of a system behind another one
#include <saltus/system/initial_equations.hpp>  // equations that hold only at the start
#include <saltus/system/monitoring.hpp>         // redundant equations, regularity
#include <saltus/system/started_system.hpp>     // a system with another start
#include <saltus/system/step_polynomial.hpp>    // an accepted step
#include <saltus/system/switching.hpp>          // switching functions, locks, actions
#include <saltus/system/system.hpp>             // residual, Jacobian, names
#include <saltus/system/tangents.hpp>           // a switching function with its derivatives
#include <saltus/system/template_system.hpp>    // a system written as a template over its numbers
#include <saltus/system/tracked.hpp>            // the number type of such a template
#include <saltus/system/tracking.hpp>           // comparisons of such a template
#include <saltus/system/transition.hpp>         // transitions between modes
#include <saltus/system/unknown_name.hpp>       // derivatives in names of unknowns
#include <saltus/system/variable_map.hpp>       // maps the engine's vector to the model's variables
#include <saltus/system/work.hpp>               // counts of work
