// What comes of an instant, or of a part of it: who looks at it next.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include <saltus/core/result.hpp>

#include "hybrid/books/ending.hpp"
#include "hybrid/stay/instant_request.hpp"
#include "hybrid/surface/surface_way.hpp"

namespace saltus::detail {

/// An instant on surfaces, up to the decision.
struct SurfaceInstant {
  ModeRun* mode = nullptr;  // they are surfaces of its relations
  EventPoint point;         // of what is integrated
  EventPoint settled;       // of the mode, after actions
  std::vector<Crossing> crossings;
  InstantResult result;
  std::vector<std::uint32_t> met;   // relations to decide on
  std::vector<std::uint8_t> known;  // flags of relations whose truth is, see SurfaceStudy
  std::vector<std::uint8_t> fresh;  // flags of those that did not matter before
  /// Relations of surfaces whose exit was met, and how far beside its surface each begins.
  std::vector<std::uint32_t> left;
  std::vector<double> beside;
  std::optional<std::uint32_t> left_range;
  std::optional<SurfaceWay> way;      // if it is known
  std::optional<std::size_t> choice;  // one of its candidates, if one was chosen
};

/// The solution goes on.
struct GoOn {
  bool is_event = false;  // which counts
  /// Relations whose series of events may have come to its end.
  struct Series {
    double t = 0.0;
    std::vector<Crossing> crossings;
  };
  std::optional<Series> series = std::nullopt;
};

/// It waits for Run::choose().
struct Question {
  SurfaceInstant instant;
  std::vector<SurfaceCandidateRecord> candidates;
};

using Verdict = std::variant<GoOn, InstantRequest, SurfaceInstant, Question, Ending, Failure>;

}  // namespace saltus::detail
