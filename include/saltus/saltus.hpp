#pragma once

// Saltus: simulation of differential-algebraic systems that switch.
// This is the table of contents, in reading order.

#include <saltus/core.hpp>         // errors, results, options, observers
#include <saltus/numerics.hpp>     // sparse patterns, intervals, Taylor and quad arithmetic
#include <saltus/expr.hpp>         // expressions: graph, derivatives, compiled evaluation
#include <saltus/model.hpp>        // models: variables, parameters, inputs, equations
#include <saltus/structure.hpp>    // what equations say before any number is known
#include <saltus/system.hpp>       // the waist: what a mode can evaluate
#include <saltus/reduce.hpp>       // systems of any index become systems to integrate
#include <saltus/slide.hpp>        // what happens on a switching surface
#include <saltus/contact.hpp>      // several contacts at once: forces and impulses
#include <saltus/lower.hpp>        // models become systems
#include <saltus/initialize.hpp>   // consistent starts
#include <saltus/integrate.hpp>    // engines: one smooth system, one step at a time
#include <saltus/events.hpp>       // where switching functions change side along a step
#include <saltus/trajectory.hpp>   // solutions in memory, run reports
#include <saltus/hybrid.hpp>       // runs: smooth stretches joined by events
#include <saltus/sensitivity.hpp>  // derivatives of runs through their events
#include <saltus/simulate.hpp>     // one call from a model to its solution
#include <saltus/fit.hpp>          // parameters from measurements
#include <saltus/io.hpp>           // CSV, JSON, HDF5, MAT
#include <saltus/modelica.hpp>     // models from text: flat Modelica
#include <saltus/ensemble.hpp>     // many runs: designs, journals, sweeps
