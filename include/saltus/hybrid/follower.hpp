// Sees a run from inside: the pieces of its solution and what happens between them, while systems are as they
// were there. Derivatives of a solution are found so.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <saltus/system/step_polynomial.hpp>
#include <saltus/system/switching.hpp>
#include <saltus/system/system.hpp>

namespace saltus {

/// A point of the solution in unknowns of the system that is integrated there.
struct FollowedPoint {
  const System& system;
  Workspace& workspace;
  double t = 0.0;
  std::span<const double> x;
  std::span<const double> xdot;
};

/// A relation that has crossed at an instant: its number among the SwitchingFunctions of the workspace.
struct FollowedCrossing {
  std::uint32_t which = 0;
  Guarantee guarantee = Guarantee::proven;
  bool only_flips = false;  // it changes nothing that others at the instant do not change
  /// It was to switch earlier, and its dwell time is over: when it had begun.
  std::optional<double> waited_since = std::nullopt;
};

/// Where the solution would go on if its left limit, actions included, were moved by dt and dx, with everything that is
/// decided as it is; nothing if something else would be decided.
using MovedStart =
    std::function<std::optional<std::vector<double>>(double dt, std::span<const double> dx)>;

class RunFollower {
 public:
  virtual ~RunFollower() = default;
  /// The solution begins or goes on from a point, in a part of the model of that name.
  virtual void goes_on(const FollowedPoint& from, const std::string& segment) = 0;
  /// A piece of it, with relations as they are along it. Pieces join.
  virtual void piece(const System& system, Workspace& workspace, const StepPolynomial& piece) = 0;
  /// Truths that equations or results read are about to change, or the run ends: pieces that were kept have to be
  /// dealt with. Before the other calls this is not said.
  virtual void catch_up() = 0;
  /// Near a time of the piece to come it cannot be told whether a relation is met, by its number among the
  /// SwitchingFunctions: touched, or missed by less than errors allow.
  virtual void hardly_misses(std::uint32_t which, double t) = 0;
  /// It comes to an instant: the left limit, with relations as they were before.
  virtual void meets(const FollowedPoint& left, std::span<const FollowedCrossing> crossings) = 0;
  /// Actions are about to set their targets, all of them from values as they are now. Where several set the same, the
  /// first does.
  virtual void acts(EventActions& actions, std::span<const std::uint32_t> due, double t,
                    std::span<const double> x, std::span<const double> xdot) = 0;
  /// The solution goes on in another mode.
  virtual void changes_mode(const FollowedPoint& to, const MovedStart& moved) = 0;
  /// From here on it is not determined by the equations alone, or only as a limit.
  virtual void breaks(double t, const std::string& why) = 0;
};

}  // namespace saltus
