// Surfaces from which nothing is decided, or whose sides cannot be mixed: what is refused, and constraints that
// are blended on request.
#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>
#include <saltus/system/monitoring.hpp>

#include "hybrid/controller.hpp"
#include "hybrid/surface/refusals.hpp"
#include "hybrid/surface/surface_sides.hpp"
#include "hybrid/stay/engine_policy.hpp"
#include "hybrid/stay/excuses.hpp"
#include "hybrid/named_options.hpp"
#include "hybrid/surface/surface_sides.hpp"

namespace saltus {

// ---- no decision ---------------------------------------------------------------------------------------

// ---- sides that differ ---------------------------------------------------------------------------------

/// A relation crossed, and beyond its surface nothing goes on from here.
Result<void> Run::Controller::go_on_between_sides(SurfaceInstant instant) {
  detail::ModeRun& mode = *instant.mode;
  const Failure said = *instant.result.apart;
  const std::vector<std::uint32_t> relations = instant.result.undecided;
  const detail::EventPoint& at = instant.settled;
  const std::string& name = mode.kit->board.info(relations.front()).name;
  if (detail::surface_policy_of(options_.events, name) == SurfacePolicy::cross) return said;
  detail::SurfaceStudy study(mode, {at.t, at.x, at.xdot, 0.0});
  detail::SurfaceWay way;
  way.kept = study.surfaces_of(relations);
  way.who = "'" + name + "'";
  const bool is_named_mode = judge_.action_on_surface(mode, way.kept).has_value();
  if (!is_named_mode) {
    if (options_.events.sliding_field != SlidingField::blended || way.kept.size() > 1)
      return judge_.apart(mode, at, relations, said);
    const EngineKind engine = detail::engine_kind_of(mode, at, options_);
    if (engine != EngineKind::radau && engine != EngineKind::ida)
      return judge_.apart(mode, at, relations,
                          {FailureCode::not_certified, "it takes engine radau or ida"});
    const double margin = mode.kit->locator.margins(at, relations)[relations.front()];
    if (detail::sides_of(mode, at, relations, margin).are_alike()) return said;
  }
  way.options.form = SlidingForm::blended;
  SurfaceCandidateRecord& record = way.records.emplace_back();
  record.text = "sliding on " + name;
  record.consistent = record.taken = true;
  record.motions.push_back({name, std::nullopt, 0.0, 0.0});
  if (!is_named_mode) {
    auto slider = sliders_.prepare(mode, at, way);
    if (!slider) return judge_.apart(mode, at, relations, slider.failure());
    ledger_.note({"sliding on '" + name + "'", "", "constraints of both sides are blended",
                  "events.sliding_field; no theory proves that this motion is unique, from t = " +
                      to_text(at.t) + " on"});
  }
  instant.way = std::move(way);
  return go_on_from_surfaces(std::move(instant));
}

/// Something else happened while constraints are blended: neither side has a point here that could be decided on.
void Run::Controller::stay_between_sides(SurfaceInstant& instant, const detail::ModeRun& slider,
                                         const detail::EventPoint& at) const {
  instant.settled.x = at.x;
  instant.settled.xdot = at.xdot;
  for (const detail::SetValue& s : instant.result.set) {
    if (s.target.is_unknown) instant.settled.x[s.target.index] = s.after;
  }
  detail::SurfaceWay way;
  way.kept = slider.on_surfaces->surfaces;
  way.options = slider.on_surfaces->options;
  way.who = "'" + join(slider.on_surfaces->names, "', '") + "'";
  instant.way = std::move(way);
}

}  // namespace saltus
