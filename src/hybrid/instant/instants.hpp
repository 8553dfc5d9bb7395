// An instant, from what makes time stand still to what comes of it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hybrid/instant/impulses.hpp"
#include "hybrid/instant/surface_passage.hpp"
#include "hybrid/instant/transitions.hpp"
#include "hybrid/instant/verdict.hpp"
#include "hybrid/instant/order_watch.hpp"

namespace saltus::detail {

class Instants {
 public:
  /// Parts that it works with. All outlive it.
  struct Parts {
    Motion& motion;
    LeftSide& left;
    LastPart& last_part;
    Limits& limits;
    Excursions& excursions;
    StopWatch& stop_watch;
    SurfaceJudge& judge;
    Transitions& transitions;
    Impulses& impulses;
    SurfacePassage& on_surfaces;
  };
  Instants(const Frame& frame, const Parts& parts)
      : frame_(frame),
        here_(frame.here),
        ledger_(frame.ledger),
        options_(frame.options),
        parts_(parts) {}

  /// Takes the request apart.
  Verdict pass(InstantRequest& request);
  /// The end of a stretch: an input is not smooth, a relation of time changes, a dwell time is over.
  Verdict pass_end_of_stretch();

 private:
  /// What is known of an instant while it is passed.
  struct Passing {
    InstantRequest& request;
    std::vector<std::uint32_t> crossed = {};
    std::optional<std::uint32_t> left_range = {};  // at which the run is to stop
    std::span<const double> margins = {};          // those that the locator has found last
    std::vector<std::uint8_t> fresh = {};          // relations that did not matter before
    InstantResult result = {};
  };
  Result<void> meet(Passing& now);
  Result<InstantResult> carry_out(const Passing& now);
  Result<InstantResult> settle(const InstantEntry& entry);
  void note_flips(Passing& now);
  Verdict go_on(Passing& now);
  Verdict ask_surfaces(Passing& now, std::span<const double> margins);
  Result<void> refuse_ambiguous_reset(const EventPoint& point, const InstantResult& result);
  bool is_only_a_touch(const Passing& now) const;
  Verdict pass_breakpoint(const InstantRequest& request);
  Result<void> log(const EventPoint& point, std::span<const Crossing> crossings,
                   const InstantResult& result);

  const Frame& frame_;
  Stay& here_;
  Ledger& ledger_;
  const RunOptions& options_;
  Parts parts_;
  OrderWatch order_;
};

}  // namespace saltus::detail
