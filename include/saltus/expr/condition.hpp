// Conditions: truth values built from relations by and, or, not.
//
// Conditions form an and-inverter graph of their own beside the value nodes. A literal is a
// condition or its negation (2 * condition + negated); `or` is an `and` of negations. Three-valued
// evaluation (true, false, undecided over an interval) needs no further rules.
#pragma once

#include <cstdint>

#include <saltus/expr/op.hpp>

namespace saltus {

using ConditionId = std::uint32_t;
using Literal = std::uint32_t;

inline constexpr Literal literal_true = 0;
inline constexpr Literal literal_false = 1;

constexpr Literal literal_of(ConditionId condition, bool negated = false) {
  return 2 * condition + (negated ? 1U : 0U);
}
constexpr ConditionId condition_of(Literal literal) { return literal / 2; }
constexpr bool is_negated(Literal literal) { return (literal & 1U) != 0; }
constexpr Literal negate(Literal literal) { return literal ^ 1U; }

/// A comparison as the user wrote it.
enum class Comparison : std::uint8_t { greater, greater_equal, less, less_equal, equal, not_equal };

/// The test a relation makes on g = left - right.
enum class Test : std::uint8_t {
  positive,      // g > 0
  non_negative,  // g >= 0
  negative,      // g < 0
  non_positive,  // g <= 0
  zero,          // g == 0, for held values only
};

/// A comparison inside a conditional: a test of one switching function. Truth and lock are those of
/// the text as first written; the opposite comparison is its negation.
struct Relation {
  NodeId g = none;  // switching function: left minus right
  NodeId left = none;
  NodeId right = none;
  Comparison written = Comparison::greater;
  Test test = Test::positive;
  std::uint16_t shape = 0;
  /// Made by abs, sign, min or max. Its text is replaced if the user writes the same relation.
  bool implied = false;
  SwitchId first_switch = none;  // none: evaluated in place, never locked

  /// Returns whether the relation has a switch: its crossings are events and its value can be
  /// locked.
  bool tracked() const { return first_switch != none; }
};

struct Condition {
  enum class Kind : std::uint8_t { always, relation, conjunction };
  Kind kind = Kind::always;
  std::uint16_t shape = 0;
  Rate rate = Rate::constant;
  std::uint32_t a = 0;  // relation: index of the relation; conjunction: first literal
  std::uint32_t b = 0;  // conjunction: second literal

  friend bool operator==(const Condition&, const Condition&) = default;
};

}  // namespace saltus
