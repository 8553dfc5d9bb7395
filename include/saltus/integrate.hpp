#pragma once

// Integration of one smooth system.

#include <saltus/integrate/choose.hpp>    // choice of an engine
#include <saltus/integrate/contract.hpp>  // tests your own engine
#include <saltus/integrate/engine.hpp>    // the interface of all engines
#include <saltus/integrate/options.hpp>   // tolerances, steps, solvers
