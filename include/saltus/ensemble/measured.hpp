// The number that a measure is of one run.
#pragma once

#include <saltus/modelica/measure.hpp>
#include <saltus/trajectory/solution.hpp>

namespace saltus {

/// From the steps that a run has recorded (output.dense), each as smooth pieces: extrema are looked for where the slope
/// is zero and at both limits of every event, integrals are those of polynomials, and moments at which a condition
/// changes are located. Enclosures along a step (intervals, Taylor series) say that nothing happens between the places that
/// are looked at; where they do not, it is cut. What is computed from variables is followed along a step to 1e-10 of its size there (next to a vertical
/// tangent to 1e-7 of its largest value); variables are as exact as the run is.
///
/// Where a variable does not exist (in modes without it) nothing is measured, and a condition does not hold. Values that
/// last for no time, between events at one moment, do not count, but those at the end of a run do. Not a number (absent) where
/// there is nothing: a condition that never held, a time that the run has not reached, a variable that never existed.
/// Throws Error, saying when, for an expression that has no value or changes too fast to be followed.
double measured(const Measure& measure, const Solution& run, const ModelDefinition& model);

}  // namespace saltus
