// What makes time stand still.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hybrid/switch/event_kit.hpp"

namespace saltus::detail {

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
};

}  // namespace saltus::detail
