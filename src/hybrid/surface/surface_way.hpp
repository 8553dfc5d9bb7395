// The decision at a point on surfaces: how it goes on from there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <saltus/hybrid/follower.hpp>
#include <saltus/slide/decide.hpp>
#include <saltus/slide/sliding_system.hpp>
#include <saltus/trajectory/events.hpp>

#include "hybrid/switch/event_location.hpp"

namespace saltus::detail {

struct SurfaceWay {
  DecisionKind kind = DecisionKind::unique;
  std::vector<Surface> kept;
  SlidingOptions options;
  bool depends_on_rule = false;
  std::vector<SurfaceCandidateRecord> records;
  std::string who;       // surfaces, in words
  bool touches = false;  // a velocity vanishes and nothing decides
  bool asks = false;     // the run was asked to stop here
  std::string flat;      // a relation whose gradient vanishes: why nothing decides
  /// For a follower: what crossing each of those that are kept changes, and the motion on the - side of all of them.
  std::vector<KeptSurface> sides = {};
  bool each_by_itself = false;
  EventPoint minus = {};
};

/// Whether a relation is that of one of these surfaces.
bool is_on(std::span<const Surface> surfaces, std::uint32_t which);

/// Relations that meet at a point of a mode, and what is known of them there.
struct SurfaceCase {
  std::span<const std::uint32_t> met;
  /// One of the candidates that was chosen.
  std::optional<std::size_t> choice = std::nullopt;
  /// Flags of relations, see SurfaceStudy.
  std::vector<std::uint8_t> known = {}, fresh = {};
  /// Relations of surfaces whose exit was met.
  std::span<const std::uint32_t> released = {};
};

}  // namespace saltus::detail
