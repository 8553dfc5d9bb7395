#pragma once

// Saltus: simulation of differential-algebraic systems that switch.
// This is the table of contents, in reading order.

#include <saltus/core.hpp>      // errors, results, options, observers
#include <saltus/numerics.hpp>  // sparse patterns, intervals, Taylor and quad arithmetic
#include <saltus/expr.hpp>      // expressions: graph, derivatives, compiled evaluation
#include <saltus/model.hpp>     // models: variables, parameters, inputs, equations
