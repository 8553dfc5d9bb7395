// Observes a run: each smooth piece and each instant between pieces, while the system is in the
// state it had there. Sensitivities are computed through this interface.
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

/// A point of the solution, in unknowns of the integrated system.
struct FollowedPoint {
  const System& system;
  Workspace& workspace;
  double t = 0.0;
  std::span<const double> x;
  std::span<const double> xdot;
};

/// A relation that crossed at an instant, by its number among the SwitchingFunctions of the
/// workspace.
struct FollowedCrossing {
  std::uint32_t which = 0;
  Guarantee guarantee = Guarantee::proven;
  /// Its crossing changes nothing beyond the changes by others at the instant.
  bool only_flips = false;
  /// It would change something if it came before them.
  bool matters_first = false;
  /// Set if the relation waited for the end of its dwell time: the time when waiting began.
  std::optional<double> waited_since = std::nullopt;
};

/// An action that is carried out, and the targets that get their value from it. If several actions
/// set a target, those with the highest priority do.
struct FollowedAction {
  std::uint32_t action = 0;
  std::vector<std::uint8_t> sets;  // one flag per target
};

/// A surface on which the solution stays. `across` is x' on its + side minus x' on its - side;
/// `rates` holds the same differences for the rates of the functions of all kept surfaces.
struct KeptSurface {
  std::uint32_t which = 0;
  std::vector<double> across, rates;
};

/// Returns the point at which the solution would continue if its left limit, actions included, were
/// moved by dt and dx, with all decisions unchanged. Returns nothing if a decision would change.
using MovedStart =
    std::function<std::optional<std::vector<double>>(double dt, std::span<const double> dx)>;

/// How a start was found from the stated values.
struct FoundStart {
  /// Unknowns with derivatives start at their stated values, and no equation relates them.
  /// Otherwise equations were differentiated, or stated values were moved to fit.
  bool is_as_stated = false;
  /// Repeats the search for a start with one stated value moved and all decisions unchanged.
  /// Returns all unknowns of the integrated system at the begin of the run, or nothing if a
  /// decision would change or no start was found.
  std::function<std::optional<std::vector<double>>(const std::string& unknown, double by)> moved;
};

class RunFollower {
 public:
  virtual ~RunFollower() = default;
  /// The run has a consistent start. Called before all other functions.
  virtual void begins(const FollowedPoint& at, const FoundStart& start) = 0;
  /// The solution begins or continues at a point, in the named part of the model.
  virtual void goes_on(const FollowedPoint& from, const std::string& segment) = 0;
  /// A piece of the solution, with relations in their state along it. Pieces join.
  virtual void piece(const System& system, Workspace& workspace, const StepPolynomial& piece) = 0;
  /// Truths read by equations or results are about to change, or the run ends: the follower must
  /// process all pieces it has kept. Other functions are called without a preceding catch_up().
  virtual void catch_up() = 0;
  /// Near a time of the next piece it is undecidable whether a relation is met: it touches, or
  /// misses by less than the error. `which` is its number among the SwitchingFunctions.
  virtual void hardly_misses(std::uint32_t which, double t) = 0;
  /// The solution reaches an instant: the left limit, with relations as they were before. `matters`
  /// returns whether another relation that switches just before or after the crossings would change
  /// anything.
  virtual void meets(const FollowedPoint& left, std::span<const FollowedCrossing> crossings,
                     const std::function<bool(std::uint32_t which)>& matters) = 0;
  /// Actions are about to set their targets, all from the current values.
  virtual void acts(EventActions& actions, std::span<const FollowedAction> together, double t,
                    std::span<const double> x, std::span<const double> xdot) = 0;
  /// Equations hold again at the instant; these values are read from here on. While the solution
  /// moves on surfaces, `now` is in unknowns of the mode that has the surfaces; these come first.
  virtual void settles(const FollowedPoint& now) = 0;
  /// The solution continues in another mode.
  virtual void changes_mode(const FollowedPoint& to, const MovedStart& moved) = 0;
  /// The solution is about to move on surfaces, from a point on the - side of each, in unknowns of
  /// the mode that has them. `by_itself`: each surface adds a part of its own to the motion, and
  /// these parts are known.
  virtual void keeps_to(const FollowedPoint& at, std::span<const KeptSurface> surfaces,
                        bool by_itself) = 0;
  /// The solution has left the surface of a relation, or a point as near to it as rounding allows.
  /// `matters` returns whether it would differ from the other side.
  virtual void stands_on(const FollowedPoint& at, std::uint32_t which,
                         const std::function<bool()>& matters) = 0;
  /// From here on the equations alone do not determine the solution, or only as a limit.
  virtual void breaks(double t, const std::string& why) = 0;
};

}  // namespace saltus
