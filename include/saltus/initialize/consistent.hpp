// Consistent starts.
//
// An engine begins at a point with F(t, x, x') = 0. Here x' and those parts of x that no derivative
// determines are found, everything else is kept: with E = dF/dx' and Q the projector on the null
// space of E, Newton's method moves (I - Q) x' and Q x only, by
//
//   (E + dF/dx Q) w = -F,   x' <- x' + (I - Q) w,   x <- x + Q w.                          (I.1)
//
// The matrix is regular exactly if the system has index 1 there; anything else is refused, naming
// equations and unknowns. If the unknowns without derivative span the null space, Q only selects
// columns and the sparse pattern is kept. A system with an explicit form needs no search: x' = f(t, x).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/system/system.hpp>

namespace saltus {

struct InitializeOptions {
  /// The iteration has converged once the weighted norm of its last step is <= tolerance (weights of
  /// the integration); it goes on from there as long as steps at least halve, to rounding.
  double tolerance = 1e-3;
  int max_iterations = 50;
  /// Length of the run, with its sign: derivatives of unknowns without derivative are differences
  /// over a small part of it. They only help an engine to predict its first step.
  double time_scale = 1.0;
  /// Those derivatives are to be compared: differences of order 4, and what they may be off by.
  bool compares_derivatives = false;
};

/// A start value the search could not keep.
struct StartChange {
  std::uint32_t unknown = 0;
  std::string name;
  double given = 0.0;
  double used = 0.0;
};

struct ConsistentStart {
  std::vector<double> x;
  std::vector<double> xdot;  // those of unknowns without derivative included
  /// What parts of x' that are differences may be off by; empty if none is, or if they are not to be compared.
  std::vector<double> xdot_error;
  std::vector<StartChange> changes;
  int n_iterations = 0;
  /// Of the equations or their Jacobian, at one point each.
  std::uint64_t n_evaluations = 0;
  /// Combinations of unknowns were solved for, not only unknowns without derivative: E has fewer independent rows than
  /// unknowns that carry derivatives.
  bool moves_combinations = false;
};

/// From `guess` at time t. `weights` as in wrms_norm.
Result<ConsistentStart> find_consistent_start(const System& system, Workspace& workspace, double t,
                                              const StartValues& guess,
                                              std::span<const double> weights,
                                              const InitializeOptions& options = {});

}  // namespace saltus
