// What all forms of a sliding system keep of the system below.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <saltus/slide/surface.hpp>
#include <saltus/system/handing.hpp>
#include <saltus/system/monitoring.hpp>
#include <saltus/system/started_system.hpp>
#include <saltus/system/switching.hpp>
#include <saltus/system/system.hpp>

#include "slide/surface/sliding_sides.hpp"

namespace saltus::detail {

struct SlidingBase {
  std::shared_ptr<const System> system;
  std::vector<Surface> surfaces;
  /// Where sliding begins, and as what the base was running there.
  double t = 0.0;
  std::vector<double> x, xdot;
  std::vector<std::uint8_t> locks;
  HeldSnapshot held;

  /// A workspace as the one that was running.
  std::unique_ptr<Workspace> workspace() const;
  /// The text of the first relation of a surface.
  std::string surface_name(std::uint32_t k, const SwitchingFunctions& functions) const {
    return functions.info(surfaces[k].switches.front()).name;
  }
};

/// Inputs of another stretch give other motions at the same point.
class NoticedTimes final : public ScheduledTimes {
 public:
  NoticedTimes(ScheduledTimes& base, SlidingSides& sides) : base_(base), sides_(sides) {}
  double next(double t, double t_end) const override { return base_.next(t, t_end); }
  void enter_stretch(double t_from, double t_to) override {
    if (t_from != t_from_ || t_to != t_to_) sides_.note_change();
    t_from_ = t_from;
    t_to_ = t_to;
    base_.enter_stretch(t_from, t_to);
  }

 private:
  ScheduledTimes& base_;
  SlidingSides& sides_;
  double t_from_ = 0.0, t_to_ = 0.0;
};

/// Of the base, if it has any.
std::optional<NoticedTimes> noticed_times(Workspace& base, SlidingSides& sides);

/// What the base offers, for motion on surfaces that is integrated explicitly.
struct SlidingOdeHanding {
  using HandsOn = AbilityList<HeldValues, RedundancyWatch>;
  using Transforms =
      AbilityList<ScheduledTimes, SwitchingFunctions, StepEnclosure, Locks, EventActions>;
  using Adds = AbilityList<ExplicitForm, StepProjection, StepRefresh, OutputProjection, Regularity>;
  /// Derivatives of the residual, of outputs and what belongs to them are those of one side. Drift of contacts is asked of
  /// the base, and so is what is asked before a run begins. There are no surfaces of a motion on surfaces.
  using EndsHere =
      AbilityList<ChosenStates, DerivativeUnknowns, IncidenceOrders, DerivativeLevels<double>,
                  DerivativeLevels<Quad>, ParameterDerivatives, InputDerivatives, OutputDerivatives,
                  OutputDirections, DriftCorrection, InitialEquations, SwitchingTangents>;
};
static_assert(decides_every_ability<SlidingOdeHanding>);

/// The same for implicit engines. Derivatives that are unknowns of the base are none here.
struct SlidingDaeHanding {
  using HandsOn = SlidingOdeHanding::HandsOn;
  using Transforms = SlidingOdeHanding::Transforms;
  using Adds = AbilityList<StepRefresh, ChosenStates, OutputProjection, Regularity>;
  using EndsHere =
      AbilityList<ExplicitForm, StepProjection, DerivativeUnknowns, IncidenceOrders,
                  DerivativeLevels<double>, DerivativeLevels<Quad>, ParameterDerivatives,
                  InputDerivatives, OutputDerivatives, OutputDirections, DriftCorrection,
                  InitialEquations, SwitchingTangents>;
};
static_assert(decides_every_ability<SlidingDaeHanding>);

}  // namespace saltus::detail
