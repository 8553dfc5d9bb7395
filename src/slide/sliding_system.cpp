#include <saltus/slide/sliding_system.hpp>

#include <algorithm>
#include <utility>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/system/abilities.hpp>

#include "slide/sliding_base.hpp"
#include "slide/sliding_dae.hpp"
#include "slide/sliding_ode.hpp"
#include "slide/sliding_surfaces.hpp"

namespace saltus {

namespace {

using detail::SlidingBase;

SlidingBase sliding_base(std::shared_ptr<const System> system, Workspace& workspace,
                         std::vector<Surface> surfaces, const SlidingPoint& at) {
  SlidingBase base{.system = std::move(system),
                   .surfaces = std::move(surfaces),
                   .t = at.t,
                   .x = {at.x.begin(), at.x.end()},
                   .xdot = {at.xdot.begin(), at.xdot.end()},
                   .locks = {},
                   .held = held_values_of(workspace)};
  if (auto* locks = workspace.ability<Locks>()) {
    base.locks.assign(locks->locks().begin(), locks->locks().end());
  }
  return base;
}

Failure not_a_sliding_motion(double t, const std::string& why) {
  return {FailureCode::singular, "at t = " + to_text(t) + ": " + why};
}

}  // namespace

Result<std::shared_ptr<const System>> sliding_system(std::shared_ptr<const System> base,
                                                     Workspace& workspace,
                                                     std::vector<Surface> surfaces,
                                                     const SlidingPoint& at,
                                                     const SlidingOptions& options) {
  SALTUS_ASSERT(!surfaces.empty() && at.x.size() == base->size());
  SALTUS_ASSERT(workspace.ability<SwitchingFunctions>() != nullptr);
  if (options.form == SlidingForm::mixed || options.form == SlidingForm::blended) {
    return detail::SlidingDae::make(
        sliding_base(std::move(base), workspace, std::move(surfaces), at),
        options.form == SlidingForm::mixed);
  }
  if (workspace.ability<ExplicitForm>() == nullptr) {
    return not_a_sliding_motion(at.t, "the equations are not solved for x', as this form needs");
  }
  auto made = std::make_shared<detail::SlidingOde>(
      sliding_base(std::move(base), workspace, std::move(surfaces), at), options.rule);
  if (!made->complete_start()) {
    return not_a_sliding_motion(
        at.t, "no mixture of the sides stays on " +
                  quote(made->switches()[made->base().surfaces[0].switches[0]].name));
  }
  return std::shared_ptr<const System>(std::move(made));
}

bool project_on_surfaces(const System& base, Workspace& workspace,
                         std::span<const Surface> surfaces, double t, std::span<double> x,
                         std::span<const double> xdot) {
  detail::SlidingSides sides(workspace, surfaces);
  detail::SurfaceFunctions functions(base, sides);
  detail::SurfaceFunctions::BaseProjection of_base;
  std::vector<double> moved_xdot(xdot.begin(), xdot.end());
  if (auto* projection = workspace.ability<StepProjection>()) {
    of_base = [&, projection](std::span<double> point) { return projection->project(t, point); };
  } else if (auto* shown = workspace.ability<OutputProjection>()) {
    of_base = [&, shown](std::span<double> point) {
      double moved = 0.0;
      return shown->project(t, point, moved_xdot, moved);
    };
  }
  return functions.project(t, x, xdot, of_base);
}

SlidingForm form_for(const System&, Workspace&, std::span<const Surface>,
                     std::span<const SlidingPoint>) {
  return SlidingForm::mixed;
}

}  // namespace saltus
