// The motion on surfaces, as a part of the mode that they are surfaces of.
#pragma once

#include <optional>

#include "hybrid/mode/mode_search.hpp"
#include "hybrid/stay/frame.hpp"
#include "hybrid/surface/judge.hpp"
#include "hybrid/surface/surface_way.hpp"

namespace saltus::detail {

/// What a slider knows, told to the mode that its surfaces are of: held values, and the sides of its relations.
void hand_to_base(const ModeRun& slider);

class Sliders {
 public:
  /// All outlive it.
  Sliders(const Frame& frame, ModeSet& modes, SurfaceJudge& judge)
      : frame_(frame), here_(frame.here), modes_(modes), judge_(judge) {}

  /// The run that moves on surfaces of a mode, ready to start at a point of it.
  Result<ModeRun*> prepare(ModeRun& mode, const EventPoint& at, const SurfaceWay& way);
  /// A mode may begin on surfaces: then it may begin with motion on them, which is told.
  Result<std::optional<SurfaceWay>> slide_from_start(double t);
  /// Only the first time.
  void warn_of_rule(double t, const ModeRun& slider);

 private:
  void tell_of_surfaces(ModeRun& mode, const SurfaceWay& way) const;

  const Frame& frame_;
  Stay& here_;
  ModeSet& modes_;
  SurfaceJudge& judge_;
};

}  // namespace saltus::detail
