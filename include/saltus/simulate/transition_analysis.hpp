// What a transition between two modes does to the unknowns, said before anything runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <saltus/reduce/mode_content.hpp>
#include <saltus/system/transition.hpp>

namespace saltus {

/// An unknown of a mode in first-order form, "x" or "der(x)".
struct ClassifiedUnknown {
  std::string name;
  UnknownClass what = UnknownClass::algebraic;
  bool carries_derivative = false;  // it occurs in an equation of the mode

  friend bool operator==(const ClassifiedUnknown&, const ClassifiedUnknown&) = default;
};

/// How the characteristic values differ after a transition. Unknowns that are absent count as
/// undetermined, so that d + a + u stays the same.
struct CharacteristicChange {
  int d = 0;
  int a = 0;
  int u = 0;

  /// Signs of d, a, u numbered 1 … 12: (0,0,0), (0,+,-), (0,-,+), (-,+,0), (-,0,+), (-,+,+), (-,-,+),
  /// (-,+,-), (+,-,0), (+,0,-), (+,-,-), (+,-,+). In 2, 4, 6, 8 something becomes algebraic and may jump; in 3,
  /// 5, 6, 7, 12 something becomes undetermined; in 9 … 12 something becomes differential and is
  /// continuous. (Table 5.1 of L. Wunderlich, Analysis and Numerical Solution of Structured and Switched
  /// Differential-Algebraic Systems, TU Berlin 2008.) 13 is (+,+,-), which that table leaves out.
  int number() const;

  friend bool operator==(const CharacteristicChange&, const CharacteristicChange&) = default;
};

struct UnknownChange {
  std::string name;
  UnknownClass before = UnknownClass::absent;
  UnknownClass after = UnknownClass::absent;
  /// Empty if it is absent after.
  std::optional<UnknownStart> start;
  /// It is held, and its derivative occurs in the mode before (or the policy is impulse).
  bool has_history = false;
  /// Both limits may differ. Never of unknowns that are absent on one side.
  bool can_jump = false;
  /// Because something with a history jumps.
  bool can_be_impulsive = false;
};

/// Of one transition into one of its candidates.
struct TransitionAnalysis {
  std::string name;
  std::string from;
  std::string to;
  std::string guard;
  int priority = 0;
  bool one_of_several = false;  // candidates
  bool at_accumulation = false;
  bool at_sliding = false;

  /// Both modes were analysed; nothing that follows is known otherwise.
  bool compared = false;
  /// Classes of at least one of both modes come from structure: what is said is likely, not sure.
  bool by_structure = false;
  std::optional<CharacteristicChange> change;
  std::vector<UnknownChange> unknowns;  // of both modes
  /// Something with a history may have to jump.
  bool impulses_possible = false;
  /// Nothing that was differential or undetermined before can jump, is mapped or free.
  bool can_be_continuous = false;
  /// Nothing is undetermined after, and nothing is missing.
  bool unique = false;
  /// Equations between both limits against degrees of freedom that free unknowns leave open: missing
  /// if positive, too many if negative.
  int n_missing_equations = 0;
  std::vector<std::string> remarks;
};

}  // namespace saltus
