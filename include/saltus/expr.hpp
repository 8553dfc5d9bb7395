// Expressions: the whole engine, in reading order.
#pragma once

// Errors in a model: ModelError, thrown when something is built.
#include <saltus/core/error.hpp>

// Storage: operations, inputs, conditions, black boxes, and the graph that holds them.
#include <saltus/expr/op.hpp>
#include <saltus/expr/input.hpp>
#include <saltus/expr/condition.hpp>
#include <saltus/expr/external.hpp>
#include <saltus/expr/graph.hpp>

// Writing expressions: operators, where, families; and showing them to users.
#include <saltus/expr/expression.hpp>
#include <saltus/expr/text.hpp>

// Analysis: switches and their contexts, incidence of variables.
#include <saltus/expr/switches.hpp>
#include <saltus/expr/incidence.hpp>

// Replacement of inputs.
#include <saltus/expr/substitute.hpp>

// Copies of a part of a graph.
#include <saltus/expr/transplant.hpp>

// Derivatives, as expressions.
#include <saltus/expr/differentiate.hpp>

// Evaluation: programs, and evaluators for each algebra.
#include <saltus/expr/program.hpp>
#include <saltus/expr/needed_inputs.hpp>
#include <saltus/expr/evaluator.hpp>
#include <saltus/expr/derivative_array.hpp>
