// Evaluates a measure on one run.
#pragma once

#include <saltus/model/definition.hpp>
#include <saltus/model/measure.hpp>
#include <saltus/trajectory/solution.hpp>

namespace saltus {

/// Returns the value of a measure, computed from the recorded steps of a run (output.dense), each
/// as smooth pieces. Extrema are searched where the slope is zero and at both limits of every
/// event. Integrals are those of polynomials, and the times at which a condition changes are
/// located. Enclosures along a step (intervals, Taylor series) prove that nothing happens between
/// the points examined; otherwise the step is cut. Expressions of variables are followed along a
/// step to 1e-10 of their size there (near a vertical tangent to 1e-7 of their largest value).
/// Variables are as exact as the run.
///
/// In modes without a variable nothing is measured, and a condition on it does not hold. Values
/// that last for no time, between events at one instant, do not count, except those at the end of a
/// run. Returns NaN (absent) for a condition that never held, a time that the run has not reached,
/// or a variable that never existed. Throws Error, giving the time, for an expression that has no
/// value or changes too fast to be followed.
double measured(const Measure& measure, const Solution& run, const ModelDefinition& model);

}  // namespace saltus
