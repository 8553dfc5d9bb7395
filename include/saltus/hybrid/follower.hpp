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
  bool only_flips = false;     // it changes nothing that others at the instant do not change,
  bool matters_first = false;  // but would if it came before them
  /// It was to switch earlier, and its dwell time is over: when it had begun.
  std::optional<double> waited_since = std::nullopt;
};

/// An action that is carried out, and which of its targets get their value from it: of several that set one, those with
/// the highest priority.
struct FollowedAction {
  std::uint32_t action = 0;
  std::vector<std::uint8_t> sets;  // one flag per target
};

/// A surface that the solution keeps to: its function, how x' on its + side differs from x' on its - side, and how the rates
/// of the functions of all surfaces that are kept do.
struct KeptSurface {
  std::uint32_t which = 0;
  std::vector<double> across, rates;
};

/// Where the solution would go on if its left limit, actions included, were moved by dt and dx, with everything that is
/// decided as it is; nothing if something else would be decided.
using MovedStart =
    std::function<std::optional<std::vector<double>>(double dt, std::span<const double> dx)>;

/// How a start was found from the values that were stated.
struct FoundStart {
  /// Unknowns with derivatives start where they were stated to, and no equation between them has a say. Else equations
  /// were differentiated, or stated values were moved to fit.
  bool is_as_stated = false;
  /// All unknowns of the system that is integrated where the run would begin if the value stated for one of them were
  /// moved, with everything that is decided as it is: the whole search for a start once more. Nothing if something else
  /// would be decided, or no start found.
  std::function<std::optional<std::vector<double>>(const std::string& unknown, double by)> moved;
};

class RunFollower {
 public:
  virtual ~RunFollower() = default;
  /// The run has a consistent start. Comes before all other calls.
  virtual void begins(const FollowedPoint& at, const FoundStart& start) = 0;
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
  /// `matters`: whether another relation, switching just before or just after those, would change anything.
  virtual void meets(const FollowedPoint& left, std::span<const FollowedCrossing> crossings,
                     const std::function<bool(std::uint32_t which)>& matters) = 0;
  /// Actions are about to set their targets, all from values as they are now.
  virtual void acts(EventActions& actions, std::span<const FollowedAction> together, double t,
                    std::span<const double> x, std::span<const double> xdot) = 0;
  /// At the instant, equations hold again: from here on these values are read. While the solution moves on surfaces this
  /// is said in unknowns of the mode that they are surfaces of, which come first.
  virtual void settles(const FollowedPoint& now) = 0;
  /// The solution goes on in another mode.
  virtual void changes_mode(const FollowedPoint& to, const MovedStart& moved) = 0;
  /// It is about to move on surfaces, from a point in unknowns of the mode that they are surfaces of, on the - side of
  /// each. `by_itself`: each adds its own part to the motion, and these parts are known.
  virtual void keeps_to(const FollowedPoint& at, std::span<const KeptSurface> surfaces,
                        bool by_itself) = 0;
  /// It has gone on from the surface of a relation, or from as near as rounding allows. `matters`: whether it would be
  /// another solution from the other side.
  virtual void stands_on(const FollowedPoint& at, std::uint32_t which,
                         const std::function<bool()>& matters) = 0;
  /// From here on it is not determined by the equations alone, or only as a limit.
  virtual void breaks(double t, const std::string& why) = 0;
};

}  // namespace saltus
