// What the equations of a mode make of each unknown, and what may happen to it when the mode is entered.
//
// At a consistent point, with the constraints R2 x = … (hidden ones included) and the differential content
// W x of consistent_point.hpp, in scaled units:
//   T2   = ker R2           directions that constraints leave free
//   T_u  = ker [W; R2]      u directions that nothing determines
// An unknown is
//   algebraic      if its row of T2 vanishes: constraints dictate it, whether its derivative occurs or not
//   undetermined   else, if its row of T_u does not vanish
//   differential   else, if its column of W does not vanish
//   algebraic      else: it follows from the others.
// Where the equations are not linear, a part that vanishes at one point only (y of a pendulum that hangs
// straight down) does not count as vanishing: a second point nearby is asked.
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
/// "differential", …
std::string to_text(UnknownClass what);

/// What is known of the state before a mode is entered; empty: nothing.
struct EntryKnowledge {
  static constexpr std::uint32_t all_derivatives = ~std::uint32_t{0};
  /// Per equation of the new mode how much of it holds already: 0 nothing, 1 the equation itself (the guard
  /// says so), 2 its first derivative besides, …, all_derivatives (an equation of both modes).
  std::vector<std::uint32_t> holds = {};
  /// Unknowns with a history, one flag each: where they jump, their derivatives are impulses.
  std::vector<std::uint8_t> history = {};
  /// The nearest consistent state is taken: whatever constraints contain moves, and nothing is an impulse.
  bool nearest = false;
};

/// One flag per unknown.
struct EntryEffects {
  std::vector<std::uint8_t> can_jump;
  std::vector<std::uint8_t> can_be_impulsive;  // because something with a history jumps
};

class ModeContent {
 public:
  std::span<const UnknownClass> classes() const { return classes_; }
  /// A mode is entered from a state that need not satisfy its constraints. The jump to one that does is in
  /// the space that integration across the instant erases: the limit of V_0 = 0, V_{k+1} = E^-1 A V_k (Wong),
  /// for E x' = A x of the linearised mode. Constraints that follow from equations that hold already take
  /// their part away. Where unknowns are undetermined, in that of ker W that is orthogonal to T_u; there as well
  /// go unknowns without a history.
  EntryEffects entered(const EntryKnowledge& before) const;
  /// Degrees of freedom that the differential unknowns without a flag do not settle.
  std::uint32_t n_left_open(std::span<const std::uint8_t> free) const;

  struct Point;

 private:
  friend Result<ModeContent> mode_content(const System&, Workspace&, double, const IndexAnalysis&);
  std::vector<UnknownClass> classes_;
  std::vector<std::shared_ptr<const Point>> points_;
};

/// `known` is the analysis of this system at time t. Failures: equations cannot be evaluated there.
Result<ModeContent> mode_content(const System& system, Workspace& workspace, double t,
                                 const IndexAnalysis& known);

}  // namespace saltus
