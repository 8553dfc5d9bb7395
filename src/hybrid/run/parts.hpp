// The parts of a run, each built from those before it.
#pragma once

#include <memory>

#include <saltus/core/observer.hpp>
#include <saltus/hybrid/follower.hpp>

#include "hybrid/books/limits.hpp"
#include "hybrid/instant/first_and_last.hpp"
#include "hybrid/instant/instants.hpp"
#include "hybrid/instant/series_limits.hpp"
#include "hybrid/run/run_recorder.hpp"
#include "hybrid/search/step_cut.hpp"
#include "hybrid/search/surface_approach.hpp"
#include "hybrid/stay/drift.hpp"
#include "hybrid/stay/follower_port.hpp"
#include "hybrid/surface/sliding_watch.hpp"

namespace saltus::detail {

/// What a run is about, where it is, and what it says.
struct Ground {
  Ground(std::shared_ptr<ConfigurationSource> source_of_modes, RunOptions asked, Observer& observer,
         RunFollower* follower_of_run)
      : source(std::move(source_of_modes)),
        options(std::move(asked)),
        record(record_of(observer, follower_of_run)),
        follower(here, options, record ? record->follower() : follower_of_run),
        recording(here, follower.get()),
        ledger(options, record ? record->observer() : observer),
        limits(options, record ? record->observer() : observer, ledger),
        modes(*source, options),
        frame{*source, options, ledger, here, recording, follower} {}
  // Parts hold references to each other.
  Ground(const Ground&) = delete;
  Ground& operator=(const Ground&) = delete;

  std::shared_ptr<ConfigurationSource> source;
  RunOptions options;
  std::unique_ptr<RunRecord> record;  // none, but where builds are compared
  Stay here;
  FollowerPort follower;
  Recording recording;
  Ledger ledger;
  Limits limits;
  ModeSet modes;
  Frame frame;
};

/// What a step takes.
struct StepParts {
  explicit StepParts(Ground& ground)
      : resolution(ground.here),
        motion(ground.frame, resolution),
        last_part(ground.frame, resolution),
        drift(ground.here, ground.ledger),
        approach(ground.frame, motion),
        excursions(ground.here, ground.options, ground.ledger, ground.follower.get()),
        search(ground.here, ground.recording, excursions, ground.options, ground.ledger,
               ground.follower.get()),
        cut(ground.frame, motion, last_part, excursions, search),
        judge(ground.frame),
        sliders(ground.frame, ground.modes, judge),
        sliding_watch(ground.frame, motion, sliders) {}

  TimeResolution resolution;
  Motion motion;
  LastPart last_part;
  DriftKeeper drift;
  SurfaceApproach approach;
  Excursions excursions;
  StepSearch search;
  StepCut cut;
  SurfaceJudge judge;
  Sliders sliders;
  SlidingWatch sliding_watch;
};

/// What an instant takes.
struct InstantParts {
  InstantParts(Ground& ground, StepParts& step)
      : left(ground.frame),
        stop_watch(ground.here, ground.ledger),
        series(ground.here, ground.recording, step.excursions, ground.options, ground.ledger),
        search(ground.modes, *ground.source, ground.options),
        transitions(ground.frame, step.motion, left, search, step.sliders, ground.limits),
        impulses(ground.frame, left, search),
        on_surfaces(ground.frame, {step.motion, left, step.last_part, step.excursions, stop_watch,
                                   step.judge, step.sliders, transitions}),
        instants(ground.frame, {step.motion, left, step.last_part, ground.limits, step.excursions,
                                stop_watch, step.judge, transitions, impulses, on_surfaces}),
        series_limits(ground.frame, step.motion, left, series, stop_watch),
        first_and_last(ground.frame) {}

  LeftSide left;
  StopWatch stop_watch;
  EventSeries series;
  ModeSearch search;
  Transitions transitions;
  Impulses impulses;
  SurfacePassage on_surfaces;
  Instants instants;
  SeriesLimits series_limits;
  FirstAndLast first_and_last;
};

}  // namespace saltus::detail
