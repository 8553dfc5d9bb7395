// An instant on surfaces: what happens there, what is decided, and how it goes on.
#pragma once

#include <span>
#include <vector>

#include "hybrid/instant/stop_watch.hpp"
#include "hybrid/instant/transitions.hpp"
#include "hybrid/instant/verdict.hpp"
#include "hybrid/search/excursions.hpp"
#include "hybrid/stay/last_part.hpp"
#include "hybrid/surface/judge.hpp"

namespace saltus::detail {

class SurfacePassage {
 public:
  /// Parts that it works with. All outlive it.
  struct Parts {
    Motion& motion;
    LeftSide& left;
    LastPart& last_part;
    Excursions& excursions;
    StopWatch& stop_watch;
    SurfaceJudge& judge;
    Sliders& sliders;
    Transitions& transitions;
  };
  SurfacePassage(const Frame& frame, const Parts& parts)
      : frame_(frame),
        here_(frame.here),
        ledger_(frame.ledger),
        options_(frame.options),
        parts_(parts) {}

  /// An instant of a motion on surfaces: everything is looked at in the mode that they are surfaces of.
  Verdict pass(const InstantRequest& request);
  /// Decides, tells what happened, and starts the run that follows. Takes the instant apart.
  Verdict decide(SurfaceInstant& instant);

 private:
  /// What is found out of an instant before anything is carried out.
  struct Met;
  struct TouchedExit {
    Surface surface;
    int side = 1;
  };
  Met meet(const InstantRequest& request, std::span<const Crossing> crossings);
  Result<InstantResult> carry_out(const InstantRequest& request,
                                  std::span<const Crossing> crossings, const Met& met);
  void note_exits(std::span<const std::uint8_t> is_left, SurfaceInstant& instant) const;
  void stay_between_sides(SurfaceInstant& instant, const ModeRun& slider,
                          const EventPoint& at) const;
  Result<void> mix_sides(SurfaceInstant& instant);
  Result<SurfaceWay> find_way(SurfaceInstant& instant);
  Verdict go_on(SurfaceInstant& instant, const SurfaceWay& way);
  Result<ModeRun*> begin_next(SurfaceStudy& study, EventPoint& beside,
                              const SurfaceInstant& instant, const SurfaceWay& way);
  Verdict leave(SurfaceInstant& instant, const SurfaceWay& way);
  std::vector<TouchedExit> stay_on_surfaces(SurfaceInstant& instant, const SurfaceWay& way) const;
  void excuse_exits(std::span<const TouchedExit> touched) const;
  bool turn_back(SurfaceInstant& instant, const SurfaceWay& way);
  Result<void> log(const SurfaceInstant& at, const ModeRun& next, const SurfaceWay& way);

  const Frame& frame_;
  Stay& here_;
  Ledger& ledger_;
  const RunOptions& options_;
  Parts parts_;
};

}  // namespace saltus::detail
