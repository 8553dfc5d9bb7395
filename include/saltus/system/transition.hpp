// Defines transitions between the modes of a model, and how the unknowns of the new mode start.
//
// A transition out of a mode is taken as soon as its guard holds, also right when the mode is
// entered. Its guard is a trigger of EventActions (ActionInfo::kind). It leads to one mode, or to
// one of several candidates. Each candidate is entered tentatively from the same state before the
// event, and the requirements of the mode, on values and on impulses, decide.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <saltus/core/restart_policy.hpp>
#include <saltus/system/evaluation.hpp>
#include <saltus/system/system.hpp>

namespace saltus {

struct TransitionInfo {
  std::string name;
  std::uint32_t from = 0;                 // mode
  std::vector<std::uint32_t> candidates;  // modes, in order of preference
  int priority = 0;                       // of several at one instant the highest wins
  std::optional<RestartPolicy> restart;   // empty: the policy of the run
  /// Variables (outputs, say) that have the same value on both sides.
  std::vector<std::string> conserved;
  /// The ends of the groups of candidates. Candidates of a later group are tried only if no earlier
  /// one is possible without impulses. Those after an empty group (the same end twice) are tried
  /// only if no earlier one is possible at all. Empty: all candidates form one group.
  std::vector<std::uint32_t> group_ends;
};

/// Says how an unknown of the new mode starts.
enum class UnknownStart : std::uint8_t {
  held,    // from its value before
  mapped,  // from an expression of the values before
  free,    // determined by the equations; its value before, if any, is a guess
  fresh,   // it did not exist before: from its start value or guess
};

/// Equations r(x_minus, x_plus) = 0 between both limits, with the left one given.
class LimitEquations {
 public:
  virtual ~LimitEquations() = default;
  virtual std::uint32_t count() const = 0;
  virtual std::string name(std::uint32_t equation) const = 0;
  virtual Evaluation residual(std::span<const double> x_plus, std::span<double> r) = 0;
  /// Computes dr/dx_plus, row by row: count() times the number of unknowns.
  virtual Evaluation jacobian(std::span<const double> x_plus, std::span<double> dr) = 0;
};

/// One transition into one of its candidate modes. Not shared between threads. Unknowns are those
/// of the systems as the source supplies them, before any reduction.
class TransitionMap {
 public:
  virtual ~TransitionMap() = default;
  /// Returns one per unknown of the new mode.
  virtual std::span<const UnknownStart> starts() const = 0;
  /// Returns, per unknown of the new mode, the same unknown of the old one; none if there is none.
  virtual std::span<const std::uint32_t> same_before() const = 0;
  /// Sets the left limit; the spans are read during the call only.
  virtual void set_left(double t, std::span<const double> x, std::span<const double> xdot,
                        std::span<const double> parameters, std::span<const double> discrete) = 0;
  /// Computes the desired start of the unknowns of the new mode, which its equations may change.
  /// `row` of a failed evaluation is the unknown.
  virtual Evaluation wish(StartValues& start) = 0;
  /// Returns the equations for the last set_left(); null if the transition has none.
  virtual LimitEquations* equations() = 0;
};

}  // namespace saltus
