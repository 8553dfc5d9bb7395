// Finds the start of a run that has initial equations.
//
// Equations that give a value directly (one unknown with a derivative, everything else known) are
// solved one by one, in a suitable order. If no others remain and the system has index 1, the rest
// is a consistent start from stated values. For more than 100 unknowns and index 1, the residual r
// of the initial equations is solved as a function of the unknowns with a derivative. Everything
// else is solved together with the derivative array (initial_point.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/system/initial_equations.hpp>
#include <saltus/system/system.hpp>

namespace saltus {

struct InitialStartOptions {
  /// Treats stated values that contradict the equations as guesses; otherwise they are refused by
  /// name.
  bool relax = false;
  /// Length of the run, with its sign; as in InitializeOptions.
  double time_scale = 1.0;
};

struct InitialStart {
  std::vector<double> x;
  std::vector<double> xdot;
  /// Unknowns with a derivative that begin at their guess because nothing else determines them.
  std::vector<std::uint32_t> kept_guesses;
  /// Guesses were needed, but no start satisfies them: this is the nearest one.
  bool is_nearest = false;
};

/// Finds the start, under the locks and held values of the workspace. x_given marks stated values,
/// which must stay.
Result<InitialStart> find_initial_start(const System& system, Workspace& workspace, double t,
                                        const StartValues& stated, InitialEquations& equations,
                                        const InitialStartOptions& options = {});

}  // namespace saltus
