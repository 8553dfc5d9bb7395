// Describes the effect of a transition between two modes on the unknowns, before anything runs.
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
  bool carries_derivative = false;  // the derivative occurs in an equation of the mode

  friend bool operator==(const ClassifiedUnknown&, const ClassifiedUnknown&) = default;
};

/// Says how the characteristic values change at a transition. Unknowns that are absent count as
/// undetermined, so that d + a + u stays the same.
struct CharacteristicChange {
  int d = 0;
  int a = 0;
  int u = 0;

  /// Returns the case by the signs of d, a, u, numbered 1 … 12: (0,0,0), (0,+,-), (0,-,+), (-,+,0),
  /// (-,0,+), (-,+,+), (-,-,+), (-,+,-), (+,-,0), (+,0,-), (+,-,-), (+,-,+). In 2, 4, 6, 8
  /// something becomes algebraic and may jump. In 3, 5, 6, 7, 12 something becomes undetermined. In
  /// 9 … 12 something becomes differential and is continuous. (Table 5.1 of L. Wunderlich, Analysis
  /// and Numerical Solution of Structured and Switched Differential-Algebraic Systems, TU Berlin
  /// 2008.) 13 is (+,+,-), which that table omits.
  int number() const;

  friend bool operator==(const CharacteristicChange&, const CharacteristicChange&) = default;
};

struct UnknownChange {
  std::string name;
  UnknownClass before = UnknownClass::absent;
  UnknownClass after = UnknownClass::absent;
  /// Empty if the unknown is absent after.
  std::optional<UnknownStart> start;
  /// The unknown is held, and its derivative occurs in the mode before (or the policy is impulse).
  bool has_history = false;
  /// Both limits may differ. Never true of unknowns that are absent on one side.
  bool can_jump = false;
  /// True where another unknown with a history jumps.
  bool can_be_impulsive = false;
};

/// The analysis of one transition into one of its candidates.
struct TransitionAnalysis {
  std::string name;
  std::string from;
  std::string to;
  std::string guard;
  int priority = 0;
  bool one_of_several = false;  // candidates
  bool at_accumulation = false;
  bool at_sliding = false;

  /// Both modes were analysed. Otherwise none of the following is known.
  bool compared = false;
  /// Classes of at least one of both modes come from structure: the statements are likely, not
  /// certain.
  bool by_structure = false;
  std::optional<CharacteristicChange> change;
  std::vector<UnknownChange> unknowns;  // of both modes
  /// An unknown with a history may have to jump.
  bool impulses_possible = false;
  /// Nothing that was differential or undetermined before can jump, is mapped or free.
  bool can_be_continuous = false;
  /// Nothing is undetermined after, and no equation is missing.
  bool unique = false;
  /// Degrees of freedom that free unknowns leave open, minus equations between both limits: missing
  /// equations if positive, too many if negative.
  int n_missing_equations = 0;
  std::vector<std::string> remarks;
};

}  // namespace saltus
