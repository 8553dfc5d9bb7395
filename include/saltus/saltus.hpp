#pragma once

// Saltus: simulation of differential-algebraic systems that switch. This is the table of contents,
// in reading order.

#include <saltus/core.hpp>         // errors, results, options, observers
#include <saltus/numerics.hpp>     // sparse patterns, intervals, Taylor and quad arithmetic
#include <saltus/expr.hpp>         // expressions: graph, derivatives, compiled evaluation
#include <saltus/model.hpp>        // models: variables, parameters, inputs, equations
#include <saltus/structure.hpp>    // structural analysis: equations without numbers
#include <saltus/system.hpp>       // contracts between models and numerics
#include <saltus/reduce.hpp>       // index reduction: systems of any index for engines
#include <saltus/slide.hpp>        // switching surfaces: crossing, sliding, leaving
#include <saltus/contact.hpp>      // several contacts at once: forces and impulses
#include <saltus/lower.hpp>        // compilation of models into systems
#include <saltus/initialize.hpp>   // consistent starts and restarts
#include <saltus/integrate.hpp>    // engines: one smooth system, one step at a time
#include <saltus/events.hpp>       // event detection along a step
#include <saltus/trajectory.hpp>   // solutions in memory, run reports
#include <saltus/hybrid.hpp>       // runs: smooth parts joined by events
#include <saltus/sensitivity.hpp>  // derivatives of runs through their events
#include <saltus/simulate.hpp>     // one call from a model to its solution
#include <saltus/fit.hpp>          // fitting of parameters to measurements
#include <saltus/io.hpp>           // result files: CSV, JSON, HDF5, MAT
#include <saltus/modelica.hpp>     // models from text: flat Modelica and Base Modelica
#include <saltus/ensemble.hpp>     // many runs: designs, journals, sweeps
