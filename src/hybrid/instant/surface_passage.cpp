#include "hybrid/instant/surface_passage.hpp"

#include <algorithm>

#include "hybrid/core/engine_settings.hpp"
#include "hybrid/core/named_options.hpp"
#include "hybrid/instant/crossings.hpp"
#include "hybrid/stay/engine_policy.hpp"
#include "hybrid/stay/excuses.hpp"
#include "hybrid/stay/follower_port.hpp"
#include "hybrid/surface/refusals.hpp"
#include "hybrid/surface/surface_sides.hpp"

namespace saltus::detail {

namespace {

/// Exits have numbers of their own.
void leave_out_exits(const ModeRun& mode, std::vector<Crossing>& crossings) {
  std::erase_if(crossings, [&](const Crossing& c) { return c.which >= mode.kit->board.count(); });
}

}  // namespace

struct SurfacePassage::Met {
  EventPoint at;                            // of the mode, on the surfaces
  std::vector<double> watched;              // by actions
  std::vector<std::uint32_t> crossed;       // relations of the mode
  std::optional<std::uint32_t> left_range;  // at which the run is to stop
  std::vector<std::uint8_t> kept;           // flags of relations of surfaces
  std::vector<std::uint8_t> is_left;        // flags of surfaces whose exit was met
  std::vector<double> margins;
  std::vector<std::uint8_t> known;  // as in SurfaceInstant
};

// ---- an instant ----------------------------------------------------------------------------------------

Verdict SurfacePassage::pass(const InstantRequest& request) {
  ModeRun& slider = *here_;
  ModeRun& mode = *slider.on_surfaces->base;
  const EventPoint& point = request.point;
  std::vector<Crossing> crossings = request.crossings;
  if (auto noted = parts_.left.note(point, crossings); !noted) return noted.failure();
  (void)slider.kit->locator.margins(point, {});
  put_in_order(here_, point, crossings);
  Met met = meet(request, crossings);
  auto result = carry_out(request, crossings, met);
  if (!result) return result.failure();
  for (const std::string& said : result->remarks) ledger_.warn(said);
  if (result->apart) return parts_.judge.apart(mode, met.at, result->undecided, *result->apart);
  ledger_.event_work().n_evaluations_iterate += result->n_evaluations;
  if (!result->leaving.empty() && !met.left_range) {
    parts_.motion.move_to(mode, point.t);
    leave_out_exits(mode, crossings);
    return parts_.transitions.leave(
        {met.at, std::move(crossings), std::move(*result), !request.action});
  }
  parts_.stop_watch.note(mode, met.at, crossings, *result);
  if (request.inputs_change || !result->set.empty()) {
    // Or it was: what has jumped may be anywhere.
    for (std::uint32_t w = 0; w < mode.kit->board.count(); ++w)
      if (std::ranges::find(met.crossed, w) == met.crossed.end()) met.known[w] = 0;
  }
  SurfaceInstant instant;
  instant.known = std::move(met.known);
  instant.mode = &mode;
  instant.point = point;
  instant.settled = met.at;
  instant.crossings = std::move(crossings);
  instant.result = std::move(*result);
  instant.left_range = met.left_range;
  instant.settled.x = instant.result.start.x;
  instant.settled.xdot = instant.result.start.xdot;
  instant.met = parts_.judge.on_surface(mode, instant.settled, met.margins);
  note_exits(met.is_left, instant);
  const bool is_blended = slider.on_surfaces->options.form == SlidingForm::blended;
  if (is_blended && instant.left.empty()) stay_between_sides(instant, slider, met.at);
  return instant;
}

/// Everything is looked at in the mode that the surfaces are of.
SurfacePassage::Met SurfacePassage::meet(const InstantRequest& request,
                                         std::span<const Crossing> crossings) {
  ModeRun& slider = *here_;
  ModeRun& mode = *slider.on_surfaces->base;
  SwitchBoard& board = mode.kit->board;
  const EventPoint& point = request.point;
  // An implicit engine keeps to its surfaces up to the error of its iteration only. Inputs may take the surfaces
  // elsewhere at this instant: they are still those of before.
  Met met;
  met.at = point;
  if (auto* surfaces = slider.workspace->ability<OutputProjection>()) {
    double moved = 0.0;
    if (!surfaces->project(met.at.t, met.at.x, met.at.xdot, moved)) met.at = point;
  }
  met.watched = watched_before(here_, met.at, request.action);
  met.at.x.resize(mode.system->size());
  met.at.xdot.resize(mode.system->size());
  hand_to_base(slider);
  if (mode.natural_step == 0) mode.natural_step = slider.natural_step;
  request.set_inputs();
  if (point.t != options_.t_end) (void)mode.enter_stretch(point.t);
  SurfaceStudy sides(mode, {met.at.t, met.at.x, met.at.xdot, 0.0});
  met.kept.assign(board.count(), 0);
  met.is_left.assign(slider.on_surfaces->surfaces.size(), 0);
  for (const Crossing& c : crossings) {
    ++slider.n_crossings[c.which];
    if (c.which < board.count()) {
      met.crossed.push_back(c.which);
      board.note_switched(c.which, point.t);
      const bool leaves = is_range(board.info(c.which).kind) && board.truth(c.which);
      if (leaves && options_.events.range == RangePolicy::stop) met.left_range = c.which;
      continue;
    }
    const ModeRun::Exit exit = slider.exit_of(c.which);
    met.is_left[exit.surface] = 1;
    sides.set_side(slider.on_surfaces->surfaces[exit.surface], exit.side);
  }
  // What may be off its surface by more than rounding.
  std::vector<std::uint32_t> wide = met.crossed;
  for (const Surface& surface : slider.on_surfaces->surfaces) {
    // Also those that are left: along a tangent, whose side no rate tells.
    for (const std::uint32_t w : surface.switches) {
      met.kept[w] = 1;
      wide.push_back(w);
    }
  }
  const auto margins = mode.kit->locator.margins(met.at, wide);
  met.margins.assign(margins.begin(), margins.end());
  // Relations that matter on another side only: their truth is known, for the motion on the surfaces depends on it.
  const auto margins_on_surfaces = slider.kit->locator.margins(point, wide);
  met.known.assign(board.count(), 0);
  for (std::uint32_t w = 0; w < board.count(); ++w) {
    if (board.functions().is_active(w) || !slider.kit->board.functions().is_active(w)) continue;
    met.margins[w] = margins_on_surfaces[w];
    met.known[w] = 1;
  }
  return met;
}

Result<InstantResult> SurfacePassage::carry_out(const InstantRequest& request,
                                                std::span<const Crossing> crossings,
                                                const Met& met) {
  const ModeRun& slider = *here_;
  ModeRun& mode = *slider.on_surfaces->base;
  EventIteration& iteration = mode.kit->iteration;
  iteration.set_at_once(1e-3 * slider.natural_step);
  iteration.actions().set_follower(frame_.follower.get(), *mode.workspace);
  return iteration.run({.t = request.point.t,
                        .x = met.at.x,
                        .xdot = met.at.xdot,
                        .crossed = met.crossed,
                        .margin = met.margins,
                        .inputs_change = request.inputs_change,
                        .action = request.action,
                        .triggers_before = request.triggers_before,
                        .kept = met.kept,
                        .is_blended = slider.on_surfaces->options.form == SlidingForm::blended,
                        .watched = met.watched,
                        .time_error = error_of_time(here_, crossings)});
}

/// Where they begin: so far beside their surfaces that no stage of a first step has to look beyond.
void SurfacePassage::note_exits(std::span<const std::uint8_t> is_left,
                                SurfaceInstant& instant) const {
  constexpr double beside = 1e-2;
  const std::vector<Surface>& surfaces = here_->on_surfaces->surfaces;
  const auto error = instant.mode->kit->locator.uncertainties();
  for (std::size_t k = 0; k < is_left.size(); ++k) {
    if (!is_left[k]) continue;
    for (const std::uint32_t w : surfaces[k].switches) {
      instant.left.push_back(w);
      // The others have the same surface.
      const bool is_first = w == surfaces[k].switches.front();
      instant.beside.push_back(is_first ? beside * error[w] : 0.0);
    }
  }
  // Where it was the only one, an exit that was met is decided: its multiplier has left its range.
  const bool others = std::ranges::any_of(instant.met, [&](std::uint32_t w) {
    return std::ranges::find(instant.left, w) == instant.left.end();
  });
  if (!others) instant.met.clear();
}

/// Something else happened while constraints are blended: neither side has a point here that could be decided on.
void SurfacePassage::stay_between_sides(SurfaceInstant& instant, const ModeRun& slider,
                                        const EventPoint& at) const {
  instant.settled.x = at.x;
  instant.settled.xdot = at.xdot;
  for (const SetValue& s : instant.result.set) {
    if (s.target.is_unknown) instant.settled.x[s.target.index] = s.after;
  }
  SurfaceWay way;
  way.kept = slider.on_surfaces->surfaces;
  way.options = slider.on_surfaces->options;
  way.who = "'" + join(slider.on_surfaces->names, "', '") + "'";
  instant.way = std::move(way);
}

// ---- the decision --------------------------------------------------------------------------------------

Verdict SurfacePassage::decide(SurfaceInstant& instant) {
  if (instant.result.apart && !instant.way) {
    if (auto found = mix_sides(instant); !found) return found.failure();
  }
  auto found = find_way(instant);
  if (!found) return found.failure();
  if (found->asks) return Question{std::move(instant), std::move(found->records)};
  return go_on(instant, *found);
}

/// A relation crossed, and beyond its surface nothing goes on from here.
Result<void> SurfacePassage::mix_sides(SurfaceInstant& instant) {
  ModeRun& mode = *instant.mode;
  const Failure said = *instant.result.apart;
  const std::vector<std::uint32_t> relations = instant.result.undecided;
  const EventPoint& at = instant.settled;
  const std::string& name = mode.kit->board.info(relations.front()).name;
  if (surface_policy_of(options_.events, name) == SurfacePolicy::cross) return said;
  SurfaceStudy study(mode, {at.t, at.x, at.xdot, 0.0});
  SurfaceWay way;
  way.kept = study.surfaces_of(relations);
  way.who = "'" + name + "'";
  const bool is_named_mode = SurfaceJudge::action_on_surface(mode, way.kept).has_value();
  if (!is_named_mode) {
    if (options_.events.sliding_field != SlidingField::blended || way.kept.size() > 1)
      return parts_.judge.apart(mode, at, relations, said);
    const EngineKind engine = engine_kind_of(mode, at, options_);
    if (traits_of(engine).is_explicit)
      return parts_.judge.apart(mode, at, relations,
                                {FailureCode::not_certified, "it takes engine radau or ida"});
    const double margin = mode.kit->locator.margins(at, relations)[relations.front()];
    if (sides_of(mode, at, relations, margin).are_alike()) return said;
  }
  way.options.form = SlidingForm::blended;
  SurfaceCandidateRecord& record = way.records.emplace_back();
  record.text = "sliding on " + name;
  record.consistent = record.taken = true;
  record.motions.push_back({name, std::nullopt, 0.0, 0.0});
  if (!is_named_mode) {
    auto slider = parts_.sliders.prepare(mode, at, way);
    if (!slider) return parts_.judge.apart(mode, at, relations, slider.failure());
    ledger_.note({"sliding on '" + name + "'", "", "constraints of both sides are blended",
                  "events.sliding_field; no theory proves that this motion is unique, from t = " +
                      to_text(at.t) + " on"});
  }
  instant.way = std::move(way);
  return {};
}

Result<SurfaceWay> SurfacePassage::find_way(SurfaceInstant& instant) {
  if (instant.way) return *instant.way;
  if (instant.met.empty()) return SurfaceWay{};
  ModeRun& mode = *instant.mode;
  auto way = parts_.judge.find_way(
      mode, instant.settled,
      {instant.met, instant.choice, instant.known, instant.fresh, instant.left});
  if (!way || way->asks || way->kind == DecisionKind::unique) return way;
  if (!way->flat.empty()) return flat_surface(instant.point.t, *way);
  if (way->kind != DecisionKind::impossible || !way->touches || !here_.is_in(mode))
    return no_way(instant.point.t, *way);
  // Along a tangent, as far as anybody can tell: the relations that crossed have crossed.
  for (Crossing& c : instant.crossings) {
    if (std::ranges::find(instant.met, c.which) == instant.met.end()) continue;
    c.guarantee = Guarantee::marginal;
    mode.kit->board.set_truth(c.which, (c.direction * (here_.forward() ? 1 : -1) > 0) ==
                                           mode.kit->board.info(c.which).true_if_positive);
  }
  return way;
}

// ---- how it goes on ------------------------------------------------------------------------------------

Verdict SurfacePassage::go_on(SurfaceInstant& instant, const SurfaceWay& way) {
  ModeRun& mode = *instant.mode;
  const ModeRun& before = *here_;
  const double t = instant.point.t;
  const std::vector<TouchedExit> touched = stay_on_surfaces(instant, way);
  const std::size_t n_left = instant.left.size();
  const bool only_touched = turn_back(instant, way);
  SurfaceStudy study(mode, {t, instant.settled.x, instant.settled.xdot, 0.0});
  EventPoint beside = instant.settled;
  for (std::size_t i = 0; i < instant.left.size(); ++i)
    study.put_beside(instant.left[i], instant.beside[i], t, beside.x, beside.xdot);
  const auto action = SurfaceJudge::action_on_surface(mode, way.kept);
  if (action) {
    instant.result.leaving = {{*action, FiredAction::no_trigger, 0}};
    return leave(instant, way);
  }
  const auto next = begin_next(study, beside, instant, way);
  if (!next) return next.failure();
  instant.result.restart = true;
  if (!only_touched) {
    if (auto logged = log(instant, **next, way); !logged) return logged.failure();
  }
  if (instant.left_range || instant.result.terminal) {
    parts_.motion.move_to(mode, t);
    auto ending = parts_.last_part.end_at_event(t, instant.result, instant.left_range);
    if (!ending) return ending.failure();
    return std::move(*ending);
  }
  const double step = before.natural_step;
  parts_.motion.move_to(**next, t);
  (*next)->natural_step = step;
  parts_.motion.forget_cut();
  if (t == options_.t_end) {
    ++here_->visit.n_stays;
    if (auto ended = parts_.motion.end_with_start(t); !ended) return ended.failure();
    return GoOn{};
  }
  StartHint hint = step_carried_over(step, engine_kind_of(mode, instant.settled, options_));
  hint.derivative_known = here_->workspace->ability<ExplicitForm>() != nullptr;
  if (auto begun = parts_.motion.start_stay(t, hint); !begun) return begun.failure();
  excuse_what_left(here_, std::span(instant.left).first(n_left));
  excuse_what_touched(here_, std::span(instant.left).subspan(n_left));
  excuse_exits(touched);
  leave_out_exits(mode, instant.crossings);
  std::vector<std::uint32_t> crossed;
  for (const Crossing& c : instant.crossings) crossed.push_back(c.which);
  EventPoint here = here_.point();
  here.t = t;
  look_where_crossed(here_, crossed, here_->kit->locator.margins(here, crossed));
  // What begins a stay is no event of a series.
  std::erase_if(instant.crossings, [&](const Crossing& c) { return is_on(way.kept, c.which); });
  return GoOn{.is_event = true, .series = GoOn::Series{t, std::move(instant.crossings)}};
}

/// On surfaces, or beside all of them: where it starts.
Result<ModeRun*> SurfacePassage::begin_next(SurfaceStudy& study, EventPoint& beside,
                                            const SurfaceInstant& instant, const SurfaceWay& way) {
  ModeRun& mode = *instant.mode;
  if (!way.kept.empty()) return parts_.sliders.prepare(mode, beside, way);
  std::vector<std::uint32_t> near = instant.met;
  near.insert(near.end(), instant.left.begin(), instant.left.end());
  auto found = study.start_beside(near, instant.point.t, beside.x, beside.xdot);
  if (!found && found.failure().code == FailureCode::singular && !near.empty())
    return parts_.judge.apart(mode, instant.settled, near, found.failure());
  if (!found) return found.failure();
  ledger_.event_work().n_evaluations_iterate += study.n_evaluations();
  mode.start = std::move(*found);
  return &mode;
}

/// By a transition, from the mode that the surfaces are of. Its left limit is what the solution came with: what a
/// side makes of it is no part of it.
Verdict SurfacePassage::leave(SurfaceInstant& instant, const SurfaceWay& way) {
  ModeRun& mode = *instant.mode;
  parts_.motion.move_to(mode, instant.point.t);
  leave_out_exits(mode, instant.crossings);
  EventPoint left = instant.point;
  left.x.resize(mode.system->size());
  left.xdot.resize(mode.system->size());
  instant.result.start.x = left.x;
  instant.result.start.xdot = left.xdot;
  for (const SetValue& s : instant.result.set) {
    if (s.target.is_unknown) instant.result.start.x[s.target.index] = s.after;
  }
  return parts_.transitions.leave(
      {std::move(left), std::move(instant.crossings), std::move(instant.result), true, &way});
}

}  // namespace saltus::detail
