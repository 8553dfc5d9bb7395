// The inputs of expressions: time, variables, parameters, signals.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <saltus/expr/op.hpp>

namespace saltus {

/// Kinds of inputs. A derivative of any order is the same variable with `order` > 0, so that the
/// total time derivative of (kind, index, order) is simply (kind, index, order + 1).
enum class InputKind : std::uint8_t {
  time,
  state,      // an unknown that may appear with derivatives
  algebraic,  // an unknown expected without derivatives (index reduction may still need them)
  signal,     // an external input u(t)
  parameter,  // held during a run
  discrete,   // held between events
  previous,   // pre(x): the value before the event
};
inline constexpr int n_input_kinds = static_cast<int>(InputKind::previous) + 1;

/// Parameters, discrete variables and previous values change at events only.
constexpr Rate rate_of(InputKind kind) {
  return kind >= InputKind::parameter ? Rate::held : Rate::varying;
}

/// Returns whether a kind has time derivatives of its own.
constexpr bool has_derivatives(InputKind kind) {
  return kind == InputKind::state || kind == InputKind::algebraic || kind == InputKind::signal;
}

std::string_view name_of(InputKind kind);

/// One input of a graph.
struct Input {
  InputKind kind = InputKind::time;
  std::uint32_t index = 0;  // number of the variable among those of its kind
  std::uint32_t order = 0;  // derivative order

  friend bool operator==(const Input&, const Input&) = default;
};

/// `count` consecutive variables of one kind and order: names many inputs at once.
struct InputRange {
  InputKind kind = InputKind::time;
  std::uint32_t first = 0;
  std::uint32_t count = 1;
  std::uint32_t order = 0;
};

/// A block of an evaluator's argument list: consecutive ranges.
using InputSegment = std::vector<InputRange>;

}  // namespace saltus
