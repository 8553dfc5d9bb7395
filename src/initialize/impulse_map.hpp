// The jump that conserves what the equations conserve, and the impulses that go with it.
//
// Implicit Euler steps of length h across the instant,
//
//   F(t + k h, x_k, (x_k - x_{k-1}) / h) = 0,   k = 1 … nu,  nu = mu + 1,  x_0 the left limit,     (I.3)
//
// erase the nilpotent part after nu steps and change the rest by O(h): x_nu tends to the consistency
// projection of x_0 as h -> 0. The impulses on the way are the moments of the steps,
//
//   x = … + sum_j c_j delta^(j),   c_j = (-1)^j / j! sum_k h (k h)^j x_k.                          (I.4)
//
// Both for h, 2h, … 32h, extrapolated to h = 0 by a polynomial. Steps are solved in quad precision: index 3
// divides by h^2, and in double precision nothing would be left of it.
//
// Where coefficients do not change across the instant no step is needed: (I.6) of reduce/impulse_blocks.hpp.
#pragma once

#include <string>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/reduce/impulse_blocks.hpp>
#include <saltus/reduce/index_analysis.hpp>
#include <saltus/system/system.hpp>

namespace saltus::detail {

/// By (I.6) where that decides, else by steps.
Result<ImpulsiveJump> impulsive_jump(const System& system, Workspace& workspace, double t,
                                     const std::vector<double>& left_limit,
                                     const IndexAnalysis& known);

/// (I.3) and (I.4). A limit that does not exist (what is extrapolated does not settle) is a failure that names
/// an unknown.
Result<ImpulsiveJump> jump_of_steps(const System& system, Workspace& workspace, double t,
                                    const std::vector<double>& left_limit,
                                    const IndexAnalysis& known);

/// Equations in which a jump meets a coefficient that jumps with it: dF/dx' times the jump, or dF/dx times
/// an impulse, differs between both sides of the instant. Products of this kind have no value of
/// their own; the steps above take one of many paths. Rows, the worst first.
std::vector<std::uint32_t> path_dependent_rows(const System& system, Workspace& workspace, double t,
                                               const std::vector<double>& left_limit,
                                               const ImpulsiveJump& jump,
                                               const std::vector<double>& xdot_after);

}  // namespace saltus::detail
