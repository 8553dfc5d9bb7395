// Where a run with initial equations begins.
//
// F_0 … F_{mu+1} of the derivative array and r(t, x, x') = 0 are solved together, with the unknowns that were stated in
// place. What both leave free of x is found from the null space of their Jacobian: as many unknowns as there are such
// directions keep their guesses, those that move furthest along them, with a derivative before others; then all is solved once
// more. Where guesses cannot be kept, the nearest point counts.
#pragma once

#include <cstdint>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/reduce/index_analysis.hpp>
#include <saltus/system/initial_equations.hpp>
#include <saltus/system/system.hpp>

namespace saltus {

struct InitialPointOptions {
  /// What was stated is only a wish, that counts a thousand times as much as a guess.
  bool relax = false;
};

struct InitialPoint {
  std::vector<double> x;
  std::vector<double> xdot;
  /// Unknowns that begin at their guess because nothing else determines them.
  std::vector<std::uint32_t> kept_guesses;
  /// There were directions to choose, but no start has the guesses: it is the nearest one.
  bool is_nearest = false;
  std::uint64_t n_evaluations = 0;
};

/// `known` is the analysis of the same system at any of its points. Failures name equations that contradict each other or
/// what was stated.
Result<InitialPoint> find_initial_point(const System& system, Workspace& workspace, double t,
                                        const StartValues& stated, const IndexAnalysis& known,
                                        InitialEquations& equations,
                                        const InitialPointOptions& options = {});

}  // namespace saltus
