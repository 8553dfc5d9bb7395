// Builds a system from plain functions.
//
//   auto decay = make_system({.unknowns = {{"x", 1.0}},
//                             .derivative = [](double, auto x, auto xdot) { xdot[0] = -x[0]; }});
//
// It runs on every engine.
//
// A system that switches says where: g(t, x) of `switching`, one function per name in `switches`. A
// right-hand side that itself decides on which side it is cannot be frozen during a step. It
// therefore runs one-sided: no step uses values from beyond a surface. A right-hand side that takes
// the side as an argument (`locked_…`) is smooth during a step, and may be continued slightly
// beyond a surface.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <saltus/system/abilities.hpp>
#include <saltus/system/system.hpp>

namespace saltus {

struct FunctionUnknown {
  std::string name;
  double start = 0.0;
  /// False: no equation contains its derivative, and start is a guess.
  bool differential = true;
  double nominal = 1.0;
  std::string unit = {};
};

/// A relation g(t, x) > 0.
struct FunctionSwitch {
  std::string name;
  /// False: the equations are the same on both sides, and the switch only triggers actions. If this
  /// holds for all switches, nothing needs to be frozen and the system does not run one-sided.
  bool changes_equations = true;
};

/// An action where a switching function passes zero.
struct FunctionAction {
  using Input = std::span<const double>;
  using Output = std::span<double>;
  enum class When : std::uint8_t { rising, falling, either };

  std::string name;
  std::string trigger;  // the name of a switch
  When when = When::rising;
  /// Sets the unknowns after the event; `after` arrives as a copy of x.
  std::function<void(double t, Input x, Output after)> set = {};
  /// Names of the unknowns that `set` changes; values that it writes to others are ignored. Empty:
  /// all.
  std::vector<std::string> targets = {};
  int priority = 0;       // of several actions that change the same unknown the highest wins
  bool terminal = false;  // ends the run here
  std::string message = {};
};

/// Provide one of `residual`, `derivative`, `locked_residual`, `locked_derivative`. Functions are
/// called from one thread per workspace: if several threads run the system, they must be callable
/// at the same time. A function that writes NaN or infinity or throws std::domain_error is out of
/// its domain there. One that throws anything else fails the evaluation.
struct SystemFunctions {
  using Input = std::span<const double>;
  using Output = std::span<double>;
  using Truth = std::span<const std::uint8_t>;

  std::vector<FunctionUnknown> unknowns;
  /// Computes f = F(t, x, x').
  std::function<void(double t, Input x, Input xdot, Output f)> residual = {};
  /// Computes x' = f(t, x), all unknowns differential: offers ExplicitForm. Alone, the residual is
  /// x' - f(t, x).
  std::function<void(double t, Input x, Output xdot)> derivative = {};
  /// Moves x onto constraints that x' = f(t, x) keeps: offers StepProjection; needs `derivative`.
  std::function<void(double t, Output x)> project = {};
  /// Computes values on `pattern` of dF/dx and dF/dx'; both arrive filled with zeros. Missing:
  /// differences, columns grouped by the pattern.
  std::function<void(double t, Input x, Input xdot, Output df_dx, Output df_dxdot)> jacobian = {};
  /// The pattern of dF/dx and dF/dx' together. Missing: full. The residual x' - f(t, x) adds the
  /// diagonal to it.
  std::optional<CscPattern> pattern = {};
  /// Names, one per equation; missing: "equation 1", …
  std::vector<std::string> equations = {};
  /// The relations on which the equations or actions depend: offers SwitchingFunctions, with rates
  /// and gradients by differences of g. Their order is that of g.
  std::vector<FunctionSwitch> switches = {};
  std::function<void(double t, Input x, Output g)> switching = {};
  /// Returns whether a switch matters on these sides of the others (1: the side where g > 0). A
  /// switch that does not matter is not monitored, and its function need not be defined there.
  /// Missing: all matter always.
  std::function<bool(std::uint32_t which, Truth sides)> matters = {};
  /// Like `residual` and `derivative`, but with the side of every switch to which the equations
  /// belong (1: the side where g > 0). They must use this side whatever the sign of g is: offers
  /// Locks.
  std::function<void(double t, Input x, Input xdot, Truth locks, Output f)> locked_residual = {};
  std::function<void(double t, Input x, Truth locks, Output xdot)> locked_derivative = {};
  /// Offers EventActions.
  std::vector<FunctionAction> actions = {};
  /// Offers StepRefresh. If it throws, all later evaluations of the workspace fail.
  std::function<StepRefresh::Answer(double t, Input x, Input xdot)> step_accepted = {};
};

/// Builds the system. Throws ModelError if the functions do not fit together.
std::shared_ptr<const System> make_system(SystemFunctions functions);

}  // namespace saltus
