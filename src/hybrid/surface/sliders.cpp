#include "hybrid/surface/sliders.hpp"

#include <algorithm>

#include <saltus/core/text.hpp>

#include "hybrid/stay/engine_policy.hpp"
#include "hybrid/stay/follower_port.hpp"
#include "hybrid/surface/refusals.hpp"

namespace saltus::detail {

void hand_to_base(const ModeRun& slider) {
  ModeRun& mode = *slider.on_surfaces->base;
  set_held_values(*mode.workspace, held_values_of(*slider.workspace));
  mode.kit->board.set_truths(slider.kit->board.truths().first(mode.kit->board.count()));
}

Result<ModeRun*> Sliders::prepare(ModeRun& mode, const EventPoint& at, const SurfaceWay& way) {
  if (const auto refused = cannot_mix(mode, way, frame_.options))
    return Failure{refused->code, "at t = " + to_text(at.t) + ", on the surface of " + way.who +
                                      ": " + refused->message};
  tell_of_surfaces(mode, way);
  ModeRun& slider = modes_.on_surfaces(mode, way.kept, way.options);
  if (here_.is_in(slider)) here_.rest_at(at.t);  // its engine is made anew
  slider.engine_asked = engine_kind_of(mode, at, frame_.options);
  if (slider.kit) {
    // What it has done in earlier stays is not lost with its engine.
    frame_.ledger.keep_engine_work(slider);
    frame_.ledger.keep_switches(slider);
    for (auto* counts : {&slider.n_crossings, &slider.n_flips, &slider.n_pardoned})
      std::fill(counts->begin(), counts->end(), 0);
  }
  std::vector<double> x = at.x;
  if (way.options.form != SlidingForm::blended)
    (void)project_on_surfaces(*mode.system, *mode.workspace, way.kept, at.t, x, at.xdot);
  if (auto begun = slider.begin_on_surfaces(at.t, x, at.xdot); !begun)
    return Failure{begun.failure().code, "at t = " + to_text(at.t) + " motion on the surface of '" +
                                             join(slider.on_surfaces->names, "', '") +
                                             "' cannot begin: " + begun.failure().message};
  if (const auto refused = out_of_range(slider)) return *refused;
  if (way.depends_on_rule) warn_of_rule(at.t, slider);
  return &slider;
}

Result<std::optional<SurfaceWay>> Sliders::slide_from_start(double t_here) {
  const std::optional<SurfaceWay> nothing;
  if (!here_->watches_events() || !frame_.options.events.offset) return nothing;
  EventPoint at;
  at.t = t_here;
  at.x = here_->start.x;
  at.xdot = here_->start.xdot;
  const auto margins = here_->kit->locator.margins(at, {});
  const auto met = judge_.on_surface(*here_, at, margins);
  if (met.empty()) return nothing;
  const std::vector<std::uint8_t> truths(here_->kit->board.truths().begin(),
                                         here_->kit->board.truths().end());
  auto way = judge_.find_way(*here_, at, {met});
  if (!way) return way.failure();
  if (way->kind == DecisionKind::several) return no_way(t_here, *way, WayOnto::start);
  if (way->kind == DecisionKind::impossible) {
    // Touching a surface is no news: relations are what the start says.
    here_->kit->board.set_truths(truths);
    return nothing;
  }
  if (way->kept.empty()) {
    const auto now = here_->kit->board.truths();
    if (std::equal(now.begin(), now.end(), truths.begin(), truths.end())) return nothing;
    auto found = here_->find_start_on_side(
        t_here, {at.x, at.xdot, std::vector<std::uint8_t>(at.x.size(), 0)});
    if (!found) return found.failure();
    here_->start = std::move(*found);
    return nothing;
  }
  if (!here_->engine) make_engine_of(frame_, t_here);
  auto slider = prepare(*here_, at, *way);
  if (!slider) return slider.failure();
  (*slider)->natural_step = here_->natural_step;
  here_.enter(**slider);
  return std::optional<SurfaceWay>(std::move(*way));
}

void Sliders::warn_of_rule(double t_here, const ModeRun& slider) {
  frame_.ledger.warn_once("rule",
                          "from t = " + to_text(t_here) + " on, the motion on the surfaces of '" +
                              join(slider.on_surfaces->names, "', '") +
                              "' depends on how their sides are mixed (events.sliding_rule)");
}

/// A follower may have to move what it follows onto them: the solution need not have come through them.
void Sliders::tell_of_surfaces(ModeRun& mode, const SurfaceWay& way) const {
  if (!frame_.follower.is_there() || way.sides.empty()) return;
  const EventPoint& at = way.minus;
  const KeptTruths truths(mode.kit->board);
  SurfaceStudy study(mode, {at.t, at.x, at.xdot, 0.0});
  for (const Surface& surface : way.kept) study.set_side(surface, -1);
  frame_.follower.get()->keeps_to({*mode.system, *mode.workspace, at.t, at.x, at.xdot}, way.sides,
                                  way.each_by_itself);
}

}  // namespace saltus::detail
