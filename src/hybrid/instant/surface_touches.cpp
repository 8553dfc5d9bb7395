// Surfaces that a solution touches: what crossed by the error of a step only, and is not to cross again at once.
#include <algorithm>

#include "hybrid/instant/event_series.hpp"
#include "hybrid/instant/surface_passage.hpp"

namespace saltus::detail {

/// Exits that were met although the decision keeps their surface: the multiplier came to the end of its range and
/// turns back. Such a surface is not left.
std::vector<SurfacePassage::TouchedExit> SurfacePassage::stay_on_surfaces(
    SurfaceInstant& instant, const SurfaceWay& way) const {
  std::vector<TouchedExit> touched;
  if (!here_->on_surfaces) return touched;
  for (const Crossing& c : instant.crossings) {
    if (c.which < instant.mode->kit->board.count()) continue;
    const ModeRun::Exit exit = here_->exit_of(c.which);
    const Surface& surface = here_->on_surfaces->surfaces[exit.surface];
    if (std::find(way.kept.begin(), way.kept.end(), surface) == way.kept.end()) continue;
    touched.push_back({surface, exit.side});
    for (std::size_t i = instant.left.size(); i-- > 0;) {
      const auto& its = surface.switches;
      if (std::find(its.begin(), its.end(), instant.left[i]) == its.end()) continue;
      instant.left.erase(instant.left.begin() + static_cast<std::ptrdiff_t>(i));
      instant.beside.erase(instant.beside.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return touched;
}

/// Their multipliers may begin beyond their range by what two ways to find them differ in.
void SurfacePassage::excuse_exits(std::span<const TouchedExit> touched) const {
  if (!here_->on_surfaces) return;
  SwitchBoard& board = here_->kit->board;
  const std::vector<Surface>& surfaces = here_->on_surfaces->surfaces;
  for (const TouchedExit& exit : touched) {
    const auto at = std::find(surfaces.begin(), surfaces.end(), exit.surface);
    if (at == surfaces.end()) continue;
    const auto k = static_cast<std::uint32_t>(at - surfaces.begin());
    const std::uint32_t which =
        here_->on_surfaces->base->kit->board.count() + 2 * k + (exit.side > 0 ? 0 : 1);
    double g = 0.0;
    if (!board.functions().evaluate_one(which, here_.t(), here_.x(), here_.xdot(), g)) continue;
    const double error = here_->kit->locator.uncertainties()[which];
    const double beyond = std::max(error, 2 * std::max(0.0, -board.side(which) * g));
    board.excuse(which, beyond, beyond);
  }
}

/// True if every relation that crossed is where it was before: the solution leads away from the surface on the
/// side it came from, on the surfaces it was on, and what crossed was the error of a step. That is no event, but not
/// proven either.
bool SurfacePassage::turn_back(SurfaceInstant& instant, const SurfaceWay& way) {
  ModeRun& mode = *instant.mode;
  const std::vector<Surface> kept =
      here_->on_surfaces ? here_->on_surfaces->surfaces : std::vector<Surface>();
  if (way.kept != kept || instant.crossings.empty() || instant.left_range) return false;
  if (!instant.result.fired.empty() || instant.result.terminal) return false;
  // All surfaces are kept: an exit among these came back as well.
  const auto is_exit = [&](const Crossing& c) { return c.which >= mode.kit->board.count(); };
  for (const Crossing& c : instant.crossings) {
    if (!is_exit(c) && !is_turned_back(mode.kit->board, c, here_.forward())) return false;
  }
  constexpr double beside = 1e-2;
  parts_.excursions.mark_touches(instant.crossings, instant.point.t);
  for (const Crossing& c : instant.crossings) {
    if (is_exit(c)) continue;
    instant.left.push_back(c.which);
    instant.beside.push_back(beside * mode.kit->locator.uncertainties()[c.which]);
  }
  return true;
}

}  // namespace saltus::detail
