#pragma once

// Implements truncated Taylor arithmetic on raw coefficient arrays.
//
// An array a of K + 1 coefficients stands for a(t) = sum_k a[k] t^k + O(t^(K+1)), so
// a[k] = (d^k a / dt^k) / k! ("normalised"). Each kernel writes the coefficients of its result.
//
// T is double, Quad, or Interval; the kernels without a branch on values (all but abs, min, max)
// also take Batch. For Interval every coefficient encloses the coefficient of every function whose
// own coefficients lie in the operands'.
//
// Contract
//  * K >= 0; arrays hold K + 1 elements; r (and s, c) alias no operand and no scratch.
//  * Kernels with a trailing `scratch` need scratch_size(K) elements there, contents irrelevant.
//  * r[0] is computed by the scalar function of T alone: a sweep with K = 0 gives the bits of plain
//    evaluation, and so does coefficient 0 of any sweep.
//  * Singular points give what IEEE arithmetic gives: sqrt at a[0] = 0 yields inf or NaN from order
//    1 on; in Interval such coefficients are entire().
// The recurrences are those of Griewank & Walther, Evaluating Derivatives, 2nd ed., section 13.2,
// tables 13.1 and 13.2: with r' = q(r) a' written out by coefficients, k r_k = sum_j j a_j q_{k-j}.
// Sums run in ascending j; this order is fixed, so all tiers agree to the last bit.

#include <saltus/numerics/taylor/arithmetic.hpp>
#include <saltus/numerics/taylor/branches.hpp>
#include <saltus/numerics/taylor/elementary.hpp>
#include <saltus/numerics/taylor/powers.hpp>
