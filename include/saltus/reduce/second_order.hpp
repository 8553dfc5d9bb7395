// Computes the characteristic values of a system as one of second order.
//
// An unknown v that an equation x' = v defines (a model with der(x, 2) has such) does not count as
// an unknown, nor does that equation count: the remaining system is F(t, x, x', x'') = 0. Its
// derivative array F_0 … F_L has, on the solution set and with M by x_2 … x_{L+2}, L by x_1, N by
// x_0:
//   corank [M L N] (new at this level)       = v,  redundant equations
//   rank [M L N] - rank [M L]                = a,  algebraic equations
//   rank of Z3^T L where those hold          = d1, differential equations of first order
//   rank of dF/dx'' where both hold          = d2, differential equations of second order,
// where Z3 is a basis of the left null space of M; mu is the first level with d2 + d1 + a + v = m
// (L. Wunderlich, Analysis and Numerical Solution of Structured and Switched Differential-Algebraic
// Systems, 2008, Hypothesis 3.26). Written with first derivatives only, the same model may have a
// higher index.
//
// By this definition an equation that determines a multiplier from velocities is of first order:
// the pendulum has no second-order equation left, (3, 0, 2, 1, 0, 0). This counting is that of the
// literature; integration uses the values of the first-order form alone.
#pragma once

#include <cstdint>
#include <string>

#include <saltus/core/result.hpp>
#include <saltus/reduce/index_analysis.hpp>
#include <saltus/system/system.hpp>

namespace saltus {

struct SecondOrderValues {
  int mu = 0;
  std::uint32_t d2 = 0;
  std::uint32_t d1 = 0;
  std::uint32_t a = 0;
  std::uint32_t v = 0;
  std::uint32_t u = 0;

  friend bool operator==(const SecondOrderValues&, const SecondOrderValues&) = default;
};
/// Returns "(2, 1, 0, 2, 0, 0)", in the order mu, d2, d1, a, v, u.
std::string to_text(const SecondOrderValues& values);

/// Computes the values at the point of an analysis of the same system at time t. Failures:
/// not_certified (ranks are not clear, or 2 d2 + d1 is not the d of the analysis although nothing
/// is undetermined), out_of_domain, not_converged.
Result<SecondOrderValues> analyze_second_order(const System& system, Workspace& workspace, double t,
                                               const IndexAnalysis& analysis);

}  // namespace saltus
