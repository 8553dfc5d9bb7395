// The left limit of an instant: what the log, the next mode and the surfaces need of it once it has passed.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "hybrid/switch/event_journal.hpp"
#include "hybrid/mode/mode_search.hpp"
#include "hybrid/stay/frame.hpp"

namespace saltus::detail {

/// Movements below so many tolerances are what integration and location leave, not jumps.
constexpr double noticeable_jump = 100.0;

class LeftSide {
 public:
  explicit LeftSide(const Frame& frame)
      : frame_(frame), here_(frame.here), recording_(frame.recording), options_(frame.options) {}

  /// While workspaces still are on this side of the instant.
  Result<void> note(const EventPoint& point, std::span<const Crossing> crossings = {});
  /// Surfaces that held the solution.
  const std::vector<std::string>& sliding() const { return sliding_; }
  /// In unknowns as they were written, with what actions have set.
  LeftState state(const EventPoint& point, std::span<const double> x_with_actions,
                  bool has_history) const;
  /// An instant after which the run goes on in a part of the model from a start; its left limit was noted before.
  Result<void> log(JournalEntry entry, double t, const ModeRun& next, const ConsistentStart& start);

 private:
  const Frame& frame_;
  const Stay& here_;
  Recording& recording_;
  const RunOptions& options_;
  std::vector<double> values_;         // of what is recorded
  std::vector<std::uint8_t> present_;  // of it, flags
  UnknownPairing::Point written_;      // kept only where modes may change
  std::vector<std::string> sliding_;
};

}  // namespace saltus::detail
