// Expressions: the whole engine, in reading order.
#pragma once

// How a wrong model is refused: ModelError, when something is built.
#include <saltus/core/error.hpp>

// What is stored: operations, inputs, conditions, black boxes, and the graph that holds them.
#include <saltus/expr/op.hpp>
#include <saltus/expr/input.hpp>
#include <saltus/expr/condition.hpp>
#include <saltus/expr/external.hpp>
#include <saltus/expr/graph.hpp>

// How users write it: operators, where, families; and how it is shown to them.
#include <saltus/expr/expression.hpp>
#include <saltus/expr/text.hpp>

// What is known about it: switches and their contexts, which variable occurs where.
#include <saltus/expr/switches.hpp>
#include <saltus/expr/incidence.hpp>

// The same with something else in place of some inputs.
#include <saltus/expr/substitute.hpp>

// A part of it on its own.
#include <saltus/expr/transplant.hpp>

// Derivatives, as expressions.
#include <saltus/expr/differentiate.hpp>

// Evaluation: programs, and evaluators for each algebra.
#include <saltus/expr/program.hpp>
#include <saltus/expr/needed_inputs.hpp>
#include <saltus/expr/evaluator.hpp>
#include <saltus/expr/derivative_array.hpp>
