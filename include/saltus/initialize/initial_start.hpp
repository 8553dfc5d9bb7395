// The start of a run that has initial equations.
//
// Equations that say a value outright (one unknown with a derivative, everything else in them is known) are solved one by
// one, in an order that lets them. Where that is all of them and the system has index 1, what is left is a consistent start
// from stated values. Of more than 100 unknowns and index 1, r is solved as a function of the unknowns with a derivative. Everything else
// is solved together with the derivative array (initial_point.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/system/initial_equations.hpp>
#include <saltus/system/system.hpp>

namespace saltus {

struct InitialStartOptions {
  /// Stated values that contradict the equations are wishes; else they are refused by name.
  bool relax = false;
  /// Length of the run, with its sign; as in InitializeOptions.
  double time_scale = 1.0;
};

struct InitialStart {
  std::vector<double> x;
  std::vector<double> xdot;
  /// Unknowns with a derivative that begin at their guess because nothing else determines them.
  std::vector<std::uint32_t> kept_guesses;
  /// Guesses would have been needed, but no start has them: it is the nearest one.
  bool is_nearest = false;
};

/// Under the locks and held values of the workspace. x_given marks what is stated and must stay.
Result<InitialStart> find_initial_start(const System& system, Workspace& workspace, double t,
                                        const StartValues& stated, InitialEquations& equations,
                                        const InitialStartOptions& options = {});

}  // namespace saltus
