// What makes time stand still.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <saltus/core/outside_input.hpp>

#include "hybrid/switch/event_kit.hpp"

namespace saltus::detail {

/// An input that the caller of the run sets.
struct InputChange {
  const OutsideInput* input = nullptr;
  std::vector<double> values;  // u, u', ...
};

struct InstantRequest {
  EventPoint point;  // its left limit
  std::vector<Crossing> crossings = {};
  /// The equations change in any case (an input has jumped).
  bool inputs_change = false;
  /// To be carried out besides.
  std::optional<std::uint32_t> action = std::nullopt;
  /// What triggers were before, if that was in another mode. Empty: what they are.
  std::vector<std::uint8_t> triggers_before = {};
  /// It follows from an event that counts.
  bool follows_event = false;
  /// What comes from outside: inputs have these values on the right of the instant.
  std::vector<InputChange> inputs = {};

  /// The left limit has been looked at.
  void set_inputs() const {
    for (const InputChange& change : inputs) change.input->set(point.t, change.values);
  }
};

}  // namespace saltus::detail
