// From mode to mode.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hybrid/books/limits.hpp"
#include "hybrid/instant/verdict.hpp"
#include "hybrid/mode/mode_search.hpp"
#include "hybrid/stay/left_side.hpp"
#include "hybrid/stay/motion.hpp"
#include "hybrid/surface/sliders.hpp"

namespace saltus::detail {

class Transitions {
 public:
  /// All outlive it.
  Transitions(const Frame& frame, Motion& motion, LeftSide& left, ModeSearch& search,
              Sliders& sliders, Limits& limits)
      : frame_(frame),
        here_(frame.here),
        ledger_(frame.ledger),
        options_(frame.options),
        source_(frame.source),
        motion_(motion),
        left_(left),
        search_(search),
        sliders_(sliders),
        limits_(limits) {}

  /// What a transition leaves.
  struct Leaving {
    EventPoint point;
    std::vector<Crossing> crossings = {};
    InstantResult result;
    bool has_history = true;
    /// A motion on surfaces that the mode stands for.
    const SurfaceWay* instead_of = nullptr;
  };
  /// A transition holds: on with the mode it leads to.
  Verdict leave(const Leaving& from);

 private:
  void tell_of_change(const Leaving& from, const ModeChange& change);
  Result<void> enter(const ModeChange& change, JournalEntry entry, const SurfaceWay* instead_of);
  JournalEntry entry_of(const Leaving& from, const ModeChange& change);
  void add_transitions(JournalEntry& entry, const Leaving& from, const ModeChange& change) const;
  void add_surfaces(JournalEntry& entry, std::span<const TakenTransition> path) const;
  void add_jumps(JournalEntry& entry, const ModeChange& change) const;
  void compare_conserved(const ModeChange& change, const EventPoint& point, EventInstant& instant);
  std::vector<NamedTruth> named_truths(std::span<const std::uint8_t> triggers = {}) const;
  Verdict act_on_changes(std::span<const NamedTruth> before);
  void warn_of_torn_values(double t, const ModeChange& change);
  void warn_of_dropped_equations(double t, const ModeChange& change);

  const Frame& frame_;
  Stay& here_;
  Ledger& ledger_;
  const RunOptions& options_;
  ConfigurationSource& source_;
  Motion& motion_;
  LeftSide& left_;
  ModeSearch& search_;
  Sliders& sliders_;
  Limits& limits_;
};

}  // namespace saltus::detail
