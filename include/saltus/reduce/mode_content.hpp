// Classifies the unknowns of a mode, and finds what may happen to each when the mode is entered.
//
// At a consistent point, let R2 x = … be the constraints (hidden ones included) and W x the
// differential content of consistent_point.hpp, in scaled units:
//   T2   = ker R2           directions that constraints leave free
//   T_u  = ker [W; R2]      u directions that nothing determines
// An unknown is
//   algebraic      if its row of T2 vanishes: constraints determine it, whether or not its
//                  derivative occurs
//   undetermined   else, if its row of T_u does not vanish
//   differential   else, if its column of W does not vanish
//   algebraic      else: it follows from the others.
// In nonlinear equations an entry may vanish at one point only (y of a pendulum that hangs straight
// down) and then does not count as zero: a second point nearby is checked.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/reduce/index_analysis.hpp>
#include <saltus/system/system.hpp>

namespace saltus {

enum class UnknownClass : std::uint8_t { differential, algebraic, undetermined, absent };
/// Returns "differential", …
std::string to_text(UnknownClass what);

/// Describes the state before a mode is entered; empty: nothing is known.
struct EntryKnowledge {
  static constexpr std::uint32_t all_derivatives = ~std::uint32_t{0};
  /// How much of each equation of the new mode holds already: 0 nothing, 1 the equation itself (the
  /// guard implies it), 2 its first derivative as well, …, all_derivatives (an equation of both
  /// modes).
  std::vector<std::uint32_t> holds = {};
  /// Unknowns with a history, one flag each: where they jump, their derivatives are impulses.
  std::vector<std::uint8_t> history = {};
  /// Takes the nearest consistent state: everything that constraints contain moves, and nothing is
  /// an impulse.
  bool nearest = false;
};

/// One flag per unknown.
struct EntryEffects {
  std::vector<std::uint8_t> can_jump;
  std::vector<std::uint8_t> can_be_impulsive;  // because an unknown with a history jumps
};

class ModeContent {
 public:
  std::span<const UnknownClass> classes() const { return classes_; }
  /// Returns what may happen when the mode is entered from a state that need not satisfy its
  /// constraints. The jump to a consistent state is in the space that integration across the
  /// instant erases: the limit of V_0 = 0, V_{k+1} = E^-1 A V_k (Wong), for E x' = A x of the
  /// linearised mode. Constraints that follow from equations that hold already are removed from it.
  /// If some unknowns are undetermined, the space is the part of ker W that is orthogonal to T_u;
  /// the same applies to unknowns without a history.
  EntryEffects entered(const EntryKnowledge& before) const;
  /// Returns the degrees of freedom that the differential unknowns without a flag do not determine.
  std::uint32_t n_left_open(std::span<const std::uint8_t> free) const;

  struct Point;

 private:
  friend Result<ModeContent> mode_content(const System&, Workspace&, double, const IndexAnalysis&);
  std::vector<UnknownClass> classes_;
  std::vector<std::shared_ptr<const Point>> points_;
};

/// Classifies the unknowns at time t. `known` is the analysis of this system at that time.
/// Failures: equations that cannot be evaluated there.
Result<ModeContent> mode_content(const System& system, Workspace& workspace, double t,
                                 const IndexAnalysis& known);

}  // namespace saltus
