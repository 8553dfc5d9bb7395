// Finds the initial point of a run with initial equations.
//
// Solves F_0 … F_{mu+1} of the derivative array and r(t, x, x') = 0 together, with stated unknowns
// held. The null space of their Jacobian contains the directions of x that both leave free. As many
// unknowns as there are such directions keep their guesses: those that move furthest along them,
// preferring unknowns with a derivative. Then everything is solved once more. Where guesses cannot
// be kept, the nearest point is taken.
#pragma once

#include <cstdint>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/reduce/index_analysis.hpp>
#include <saltus/system/initial_equations.hpp>
#include <saltus/system/system.hpp>

namespace saltus {

struct InitialPointOptions {
  /// Treats stated values as desired values that count a thousand times as much as a guess.
  bool relax = false;
};

struct InitialPoint {
  std::vector<double> x;
  std::vector<double> xdot;
  /// Unknowns that start from their guess because nothing else determines them.
  std::vector<std::uint32_t> kept_guesses;
  /// Some directions were free, but no start keeps the guesses: the point is the nearest one.
  bool is_nearest = false;
  std::uint64_t n_evaluations = 0;
};

/// Finds the initial point. `known` is the analysis of the same system at any of its points.
/// Failures name equations that contradict each other or the stated values.
Result<InitialPoint> find_initial_point(const System& system, Workspace& workspace, double t,
                                        const StartValues& stated, const IndexAnalysis& known,
                                        InitialEquations& equations,
                                        const InitialPointOptions& options = {});

}  // namespace saltus
