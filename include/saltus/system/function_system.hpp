// A system written as plain functions.
//
//   auto decay = make_system({.unknowns = {{"x", 1.0}},
//                             .derivative = [](double, auto x, auto xdot) { xdot[0] = -x[0]; }});
//
// runs on every engine.
#pragma once

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

/// Either `residual` or `derivative` is needed. Functions are called from one thread per workspace:
/// if several threads run the system, they must be callable at the same time. A function that throws
/// fails the evaluation; one that writes NaN or infinity is out of its domain there.
struct SystemFunctions {
  using Input = std::span<const double>;
  using Output = std::span<double>;

  std::vector<FunctionUnknown> unknowns;
  /// f = F(t, x, x').
  std::function<void(double t, Input x, Input xdot, Output f)> residual = {};
  /// x' = f(t, x), all unknowns differential: offers ExplicitForm; alone, the residual is
  /// x' - f(t, x).
  std::function<void(double t, Input x, Output xdot)> derivative = {};
  /// Moves x onto constraints that x' = f(t, x) keeps: offers StepProjection; needs `derivative`.
  std::function<void(double t, Output x)> project = {};
  /// Values on `pattern` of dF/dx and dF/dx'; both arrive filled with zeros. Missing: differences,
  /// columns grouped by the pattern.
  std::function<void(double t, Input x, Input xdot, Output df_dx, Output df_dxdot)> jacobian = {};
  /// Of dF/dx and dF/dx' together. Missing: full. The residual x' - f(t, x) adds the diagonal to it.
  std::optional<CscPattern> pattern = {};
  /// One per equation; missing: "equation 1", …
  std::vector<std::string> equations = {};
  /// Offers StepRefresh. If it throws, all later evaluations of the workspace fail.
  std::function<StepRefresh::Answer(double t, Input x, Input xdot)> step_accepted = {};
};

/// Refuses (ModelError) what does not fit together.
std::shared_ptr<const System> make_system(SystemFunctions functions);

}  // namespace saltus
