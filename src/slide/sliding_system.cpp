#include <saltus/slide/sliding_system.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/slide/decide.hpp>
#include <saltus/system/abilities.hpp>

#include "slide/equations/sliding_base.hpp"
#include "slide/dae/sliding_dae.hpp"
#include "slide/ode/sliding_ode.hpp"
#include "slide/surface/sliding_surfaces.hpp"

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

/// Per unknown: x' of a state, or x of another, is not the same on all sides.
std::vector<std::uint8_t> differing_unknowns(const System& base, Workspace& workspace,
                                             std::span<const SlidingPoint> points) {
  constexpr double same = 1e-9;
  const auto is_state = detail::states_of(base, workspace);
  std::vector<std::uint8_t> differs(base.size(), 0);
  for (std::uint32_t j = 0; j < base.size(); ++j) {
    const auto value = [&](const SlidingPoint& p) { return is_state[j] != 0 ? p.xdot[j] : p.x[j]; };
    const double first = value(points.front());
    for (const SlidingPoint& p : points) {
      const double scale = std::max({std::abs(first), std::abs(value(p)), base.nominal(j)});
      if (!(std::abs(value(p) - first) <= same * scale)) differs[j] = 1;
    }
  }
  return differs;
}

/// Jacobian columns of what differs, against the first ones seen.
class CoefficientComparison {
 public:
  CoefficientComparison(const System& base, std::span<const std::uint8_t> is_state,
                        std::vector<std::uint8_t> differs)
      : pattern_(base.pattern()),
        is_state_(is_state.begin(), is_state.end()),
        differs_(std::move(differs)) {}

  bool is_same(std::span<const double> df_dx, std::span<const double> df_dxdot) {
    // Half of the digits: Jacobians may be differences.
    constexpr double same = 1e-6;
    const bool is_first = first_.empty();
    if (is_first) first_.assign(df_dx.size(), 0.0);
    for (std::size_t j = 0; j < differs_.size(); ++j) {
      if (differs_[j] == 0) continue;
      const std::span<const double> part = is_state_[j] != 0 ? df_dxdot : df_dx;
      const auto begin = static_cast<std::size_t>(pattern_.column_start[j]);
      const auto end = static_cast<std::size_t>(pattern_.column_start[j + 1]);
      double largest = 0.0, change = 0.0;
      for (auto s = begin; s < end; ++s) {
        if (is_first) first_[s] = part[s];
        largest = std::max({largest, std::abs(part[s]), std::abs(first_[s])});
        change = std::max(change, std::abs(part[s] - first_[s]));
      }
      if (!(change <= same * largest)) return false;
    }
    return true;
  }

 private:
  const CscPattern& pattern_;
  std::vector<std::uint8_t> is_state_, differs_;
  std::vector<double> first_;
};

}  // namespace

Result<std::shared_ptr<const System>> sliding_system(std::shared_ptr<const System> base,
                                                     Workspace& workspace,
                                                     std::vector<Surface> surfaces,
                                                     const SlidingPoint& at,
                                                     const SlidingOptions& options) {
  SALTUS_ASSERT(!surfaces.empty() && at.x.size() == base->size());
  SALTUS_ASSERT(workspace.ability<SwitchingFunctions>() != nullptr);
  if (options.form != SlidingForm::eliminated) {
    return detail::SlidingDae::make(
        sliding_base(std::move(base), workspace, std::move(surfaces), at), options.form);
  }
  if (workspace.ability<ExplicitForm>() == nullptr) {
    return not_a_sliding_motion(at.t, "the equations are not solved for x', as this form needs");
  }
  auto made = std::make_shared<detail::SlidingOde>(
      sliding_base(std::move(base), workspace, std::move(surfaces), at), workspace, options.rule);
  if (!made->complete_start()) {
    return not_a_sliding_motion(
        at.t, "no mixture of the sides stays on " +
                  quote(made->switches()[made->base().surfaces[0].switches[0]].name));
  }
  return std::shared_ptr<const System>(std::move(made));
}

std::optional<StartValues> slide_again(const System& sliding, Workspace& workspace,
                                       const System& base, Workspace& base_workspace,
                                       const SlidingPoint& at, const SlidingOptions& options) {
  const auto* system = dynamic_cast<const detail::SlidingOde*>(&sliding);
  auto* own = dynamic_cast<detail::SlidingOdeWorkspace*>(&workspace);
  if (system == nullptr || own == nullptr || &own->system() != system ||
      system->base().system.get() != &base || options.form != SlidingForm::eliminated ||
      options.rule != system->rule() || base_workspace.ability<ChosenStates>() != nullptr)
    return std::nullopt;
  StartValues start = system->start_at(at);
  if (!own->begin_again(base_workspace, start, at)) return std::nullopt;
  return start;
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

/// Both are the same where equations are affine, with the same coefficients on all sides, in what differs
/// between them: x' of states and the other unknowns. Coefficients are compared at the points of all sides
/// and at mixtures of them.
SlidingForm form_for(const System& base, Workspace& workspace, std::span<const Surface> surfaces,
                     std::span<const SlidingPoint> vertex_points) {
  detail::SlidingSides sides(workspace, surfaces);
  detail::SurfaceFunctions functions(base, sides);
  detail::SideEquations equations(base, workspace, sides, functions);
  SALTUS_ASSERT(vertex_points.size() == sides.n_vertices());
  const std::vector<std::uint8_t> differs = differing_unknowns(base, workspace, vertex_points);
  CoefficientComparison comparison(base, detail::states_of(base, workspace), differs);
  const auto is_same_at = [&](double t, std::span<const double> x, std::span<const double> xdot) {
    if (!equations.jacobians(t, x, xdot)) return false;
    for (std::uint32_t b = 0; b < sides.n_vertices(); ++b) {
      if (!comparison.is_same(equations.df_dx(b), equations.df_dxdot(b))) return false;
    }
    return true;
  };
  for (const SlidingPoint& point : vertex_points) {
    if (!is_same_at(point.t, point.x, point.xdot)) return SlidingForm::copies;
  }
  // Uneven mixtures: odd powers have the same slopes on both sides.
  std::vector<double> weights(vertex_points.size());
  for (const double u : {0.3, -0.6}) {
    vertex_weights(std::vector<double>(surfaces.size(), u), weights);
    std::vector<double> x(base.size(), 0.0), xdot(base.size(), 0.0);
    for (std::size_t b = 0; b < weights.size(); ++b) {
      for (std::size_t j = 0; j < x.size(); ++j) {
        x[j] += weights[b] * vertex_points[b].x[j];
        xdot[j] += weights[b] * vertex_points[b].xdot[j];
      }
    }
    if (!is_same_at(vertex_points.front().t, x, xdot)) return SlidingForm::copies;
  }
  return SlidingForm::mixed;
}

}  // namespace saltus
