#pragma once

// Integration of one smooth system.

#include <saltus/integrate/choose.hpp>    // which engine fits
#include <saltus/integrate/contract.hpp>  // the contract of an engine as a test
#include <saltus/integrate/engine.hpp>    // start, step, shorten, look
#include <saltus/integrate/options.hpp>   // tolerances, steps, solvers
