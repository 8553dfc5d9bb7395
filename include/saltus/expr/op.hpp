// The operations of nodes of the expression graph.
//
// A node takes 16 bytes: an operation and up to three 32-bit operands. Their meaning is written
// beside each operation. Only operations that carry a condition or a switch use `c`.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace saltus {

using NodeId = std::uint32_t;
using InputId = std::uint32_t;
using SwitchId = std::uint32_t;

/// "No node", "no switch", "no table".
inline constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

enum class Op : std::uint8_t {
  // leaves
  constant,  // a: index into the pool of constants
  input,     // a: InputId
  lanes,     // a: table of scalar nodes, one per lane (an array leaf)
  // arithmetic
  add,   // a + b
  sub,   // a - b
  mul,   // a * b
  div,   // a / b
  neg,   // -a
  sqr,   // a * a
  powi,  // a to the integer power b (stored as int32)
  pow,   // a to the real power b
  // elementary functions of a
  sqrt,
  exp,
  log,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  atan2,  // atan2(a, b)
  // conditionals; c is a condition (select) or a switch or `none` (the others)
  select,  // c ? a : b
  abs,     // |a|;       switch on a > 0
  sign,    // +1 or -1;  switch on a > 0
  min,     // min(a, b); switch on a - b > 0
  max,     // max(a, b); switch on a - b > 0
  // arrays
  take,  // a: array, b: table of lane numbers
  sum,   // a: array; adds the lanes in order
  // black boxes
  external,  // a: call, b: which of its outputs
};

inline constexpr int n_ops = static_cast<int>(Op::external) + 1;

/// Returns the number of node operands (a, then b). `lanes` and `external` keep theirs in side
/// tables.
constexpr int arity(Op op) {
  switch (op) {
    case Op::constant:
    case Op::input:
    case Op::lanes:
    case Op::external:
      return 0;
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div:
    case Op::pow:
    case Op::atan2:
    case Op::select:
    case Op::min:
    case Op::max:
      return 2;
    default:
      return 1;
  }
}

/// Returns whether an operation is a function of one argument, smooth inside its domain.
constexpr bool is_elementary(Op op) { return op >= Op::sqrt && op <= Op::tanh; }

/// Returns whether an operation may carry a switch of its own.
constexpr bool carries_switch(Op op) { return op >= Op::abs && op <= Op::max; }

/// Returns the name as a user would write it.
std::string_view name_of(Op op);

/// How often a value can change. Parameters, discrete variables and previous values are held
/// between events, so work that depends on nothing else is done once per event.
enum class Rate : std::uint8_t { constant = 0, held = 1, varying = 2 };

/// One node. Children always have smaller ids than their parents.
struct Node {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  Op op = Op::constant;
  Rate rate = Rate::constant;
  std::uint16_t shape = 0;  // 0: scalar; otherwise an array, see Graph::lane_count

  friend bool operator==(const Node&, const Node&) = default;
};
static_assert(sizeof(Node) == 16);

}  // namespace saltus
