// Finds consistent starts.
//
// An engine begins at a point with F(t, x, x') = 0. The search finds x' and those parts of x that
// no derivative determines, and keeps everything else. With E = dF/dx' and Q the projector on the
// null space of E, Newton's method moves only (I - Q) x' and Q x, by
//
//   (E + dF/dx Q) w = -F,   x' <- x' + (I - Q) w,   x <- x + Q w.                          (I.1)
//
// The matrix is regular exactly if the system has index 1 there. Any other system is refused,
// naming equations and unknowns. If the unknowns without derivative span the null space, Q only
// selects columns and the sparse pattern is kept. A system with an explicit form needs no search:
// x' = f(t, x).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/system/system.hpp>

namespace saltus {

struct InitializeOptions {
  /// The iteration has converged once the weighted norm of its last step is <= tolerance (weights
  /// of the integration). It continues to rounding as long as steps at least halve.
  double tolerance = 1e-3;
  int max_iterations = 50;
  /// Length of the run, with its sign. Derivatives of unknowns without derivative are differences
  /// over a small part of it. They only help an engine to predict its first step.
  double time_scale = 1.0;
  /// Set if those derivatives will be compared: differences then have order 4, with an error bound.
  bool compares_derivatives = false;
};

/// A start value that the search could not keep.
struct StartChange {
  std::uint32_t unknown = 0;
  std::string name;
  double given = 0.0;
  double used = 0.0;
};

struct ConsistentStart {
  std::vector<double> x;
  std::vector<double> xdot;  // including those of unknowns without derivative
  /// Error bounds for the parts of x' that are differences. Empty if there are none, or if they are
  /// not to be compared.
  std::vector<double> xdot_error;
  std::vector<StartChange> changes;
  int n_iterations = 0;
  /// Evaluations of the equations or their Jacobian, at one point each.
  std::uint64_t n_evaluations = 0;
  /// The search solved for combinations of unknowns, not only for unknowns without derivative. E
  /// has fewer independent rows than unknowns that carry derivatives.
  bool moves_combinations = false;
};

/// Finds a consistent start from `guess` at time t. `weights` as in wrms_norm.
Result<ConsistentStart> find_consistent_start(const System& system, Workspace& workspace, double t,
                                              const StartValues& guess,
                                              std::span<const double> weights,
                                              const InitializeOptions& options = {});

}  // namespace saltus
