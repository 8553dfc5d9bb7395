// How a run goes on from surfaces: decides there, stays on them, leaves them.
#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>

#include "hybrid/controller.hpp"
#include "hybrid/engine_settings.hpp"
#include "hybrid/named_options.hpp"

namespace saltus {

namespace {

bool is_explicit(EngineKind kind) {
  return kind == EngineKind::dopri5 || kind == EngineKind::dop853;
}

bool is_on(std::span<const Surface> surfaces, std::uint32_t which) {
  return std::ranges::any_of(surfaces, [&](const Surface& s) {
    return std::ranges::find(s.switches, which) != s.switches.end();
  });
}

}  // namespace

/// Relations of `mode` within their margin at a point that choose equations there: under the present truths, or on
/// a side of the surfaces of those.
std::vector<std::uint32_t> Run::Controller::on_surface(detail::ModeRun& mode,
                                                       const detail::EventPoint& at,
                                                       std::span<const double> margin) {
  std::vector<std::uint32_t> found;
  detail::SwitchBoard& board = mode.kit->board;
  const auto is_candidate = [&](std::uint32_t w) {
    return board.info(w).kind == SwitchKind::relation && !board.functions().is_timed(w) &&
           !(board.slack(w) > 0) && !board.is_silent(w, at.t) &&
           std::find(found.begin(), found.end(), w) == found.end() &&
           detail::surface_policy_of(options_.events, board.info(w).name) != SurfacePolicy::cross;
  };
  std::vector<double> g(board.count()), margins(margin.begin(), margin.end());
  if (!board.functions().evaluate(at.t, at.x, at.xdot, g)) return found;
  bool may_be_more = false;
  for (std::uint32_t w = 0; w < board.count(); ++w) {
    if (!is_candidate(w)) continue;
    const bool is_active = board.functions().is_active(w);
    if (is_active && std::abs(g[w]) > margins[w]) continue;
    may_be_more = true;
    if (is_active && board.chooses_equations(w, at.t, at.x, at.xdot)) found.push_back(w);
  }
  if (found.empty() || !may_be_more) return found;
  detail::SurfaceStudy study(mode, {at.t, at.x, at.xdot, 0.0});
  std::vector<std::uint8_t> was_active(board.count());
  for (std::uint32_t w = 0; w < board.count(); ++w)
    was_active[w] = board.functions().is_active(w) ? 1 : 0;
  for (std::size_t n_before = 0; n_before < found.size();) {
    n_before = found.size();
    const std::vector<Surface> surfaces = study.surfaces_of(found);
    study.on_sides(surfaces, [&] {
      if (!board.functions().evaluate(at.t, at.x, at.xdot, g)) return;
      std::span<const double> here;  // of functions that matter on this side only
      for (std::uint32_t w = 0; w < board.count(); ++w) {
        if (!board.functions().is_active(w) || !is_candidate(w)) continue;
        if (was_active[w] == 0 && here.empty()) here = mode.kit->locator.margins(at, {});
        const double within = was_active[w] ? margins[w] : std::max(margins[w], here[w]);
        if (std::abs(g[w]) > within) continue;
        if (board.chooses_equations(w, at.t, at.x, at.xdot)) found.push_back(w);
      }
    });
  }
  (void)mode.kit->locator.margins(at, {});
  return found;
}

/// The decision, and the relations of `mode` on the sides it takes.
Result<Run::Controller::SurfaceWay> Run::Controller::find_way(
    detail::ModeRun& mode, const detail::EventPoint& at, std::span<const std::uint32_t> switches,
    std::optional<std::size_t> choice, const std::vector<std::uint8_t>& known,
    const std::vector<std::uint8_t>& fresh, std::span<const std::uint32_t> released) {
  SurfaceWay way;
  // Far above rounding, far below a step.
  constexpr double part_of_step = 1e-4, part_of_run = 1e-7;
  const double short_time = mode.natural_step > 0
                                ? part_of_step * mode.natural_step
                                : part_of_run * std::abs(options_.t_end - options_.t_begin);
  detail::SurfaceStudy study(mode, {at.t, at.x, at.xdot, short_time});
  study.set_known(known);
  study.set_fresh(fresh);
  study.set_released(released, here_->natural_step);
  const std::vector<Surface> met = study.surfaces_of(switches);
  warn_of_close_surfaces(mode, at.t, study.apart());
  auto decided = study.decide(met, options_.events.sliding_rule);
  std::vector<std::string> names;
  for (const Surface& s : met) names.push_back("'" + study.name_of(s) + "'");
  way.who = join(names, ", ");
  if (!decided && decided.failure().code == FailureCode::singular)
    return apart(mode, at, switches, decided.failure());
  if (!decided)
    return Failure{decided.failure().code, "at t = " + to_text(at.t) + ", on the surface of " +
                                               way.who + ": " + decided.failure().message};
  ledger_.event_work().n_evaluations_iterate += study.n_evaluations();
  if (decided->depends_on_hold)
    ledger_.warn_once("holds", "at t = " + to_text(at.t) + " " + way.who +
                                   ": their static friction is exceeded if all of them rest, and "
                                   "suffices for some if others "
                                   "slip; those that can stick are taken to stick");
  way.kind = choice ? DecisionKind::unique : decided->kind;
  for (const SurfaceCandidate& candidate : decided->candidates)
    way.records.push_back(study.record_of(candidate));
  for (const Surface& s : study.surfaces())
    way.asks = way.asks ||
               detail::surface_policy_of(options_.events, study.name_of(s)) == SurfacePolicy::stop;
  for (const SurfaceCandidate& candidate : decided->candidates)
    way.touches = way.touches || (candidate.by_second_order && !candidate.consistent);
  const auto note_flat = [&](const Surface& s) {
    if (way.flat.empty() && study.is_flat(s.switches.front())) way.flat = study.name_of(s);
  };
  if (way.kind != DecisionKind::unique) {
    for (const Surface& s : study.surfaces()) note_flat(s);
    return way;
  }
  const std::size_t number = choice.value_or(0);
  way.records[number].taken = true;
  const SurfaceCandidate& taken = decided->candidates[number];
  way.asks = way.asks && !choice && taken.n_kept() > 0;
  if (way.asks) return way;
  std::vector<std::uint32_t> kept;
  std::uint32_t vertex = 0;
  for (std::uint32_t k = 0; k < taken.state.size(); ++k) {
    if (taken.state[k] == 0) {
      kept.push_back(k);
      way.kept.push_back(study.surfaces()[k]);
      note_flat(way.kept.back());
      continue;
    }
    study.set_side(study.surfaces()[k], taken.state[k]);
    if (taken.state[k] > 0) vertex |= 1U << k;
  }
  if (kept.empty()) return way;
  if (!way.flat.empty()) return flat_surface(at.t, way);
  way.depends_on_rule = decided->depends_on_rule;
  way.options.rule = options_.events.sliding_rule;
  // Of all vertices, those of the surfaces that are kept.
  const std::vector<SlidingPoint> all = study.vertex_points();
  std::vector<SlidingPoint> vertices;
  for (std::uint32_t b = 0; b < (1U << kept.size()) && !all.empty(); ++b) {
    std::uint32_t of_all = vertex;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if ((b >> i) & 1U) of_all |= 1U << kept[i];
    }
    vertices.push_back(all[of_all]);
  }
  const bool adds_up = detail::motions_add_up(*mode.system, vertices, study.unimportant_rates());
  way.each_by_itself = !vertices.empty() && adds_up;
  way.depends_on_rule = way.depends_on_rule || !adds_up;
  for (std::size_t i = 0; i < kept.size() && follower_ != nullptr; ++i) {
    KeptSurface side{way.kept[i].switches.front(), {}, {}};
    if (!vertices.empty()) {
      way.minus = {at.t, {vertices[0].x.begin(), vertices[0].x.end()}, {}};
      way.minus.xdot.assign(vertices[0].xdot.begin(), vertices[0].xdot.end());
      for (std::size_t k = 0; k < mode.system->size(); ++k)
        side.across.push_back(vertices[std::size_t{1} << i].xdot[k] - vertices[0].xdot[k]);
      for (const std::uint32_t k : kept)
        side.rates.push_back(study.velocities()(vertex | (1U << kept[i]), k) -
                             study.velocities()(vertex, k));
    } else {
      way.minus = at;
    }
    way.sides.push_back(std::move(side));
  }
  if (study.has_different_states())
    return apart(mode, at, way.kept.front().switches,
                 {FailureCode::not_certified, "their states differ"});
  way.options.form = form_of(mode, at, way.kept, vertices);
  return way;
}

SlidingForm Run::Controller::form_of(detail::ModeRun& mode, const detail::EventPoint& at,
                                     std::span<const Surface> kept,
                                     std::span<const SlidingPoint> vertices) {
  if (is_explicit(engine_kind_of(mode, at))) return SlidingForm::eliminated;
  switch (options_.events.sliding_field) {
    case SlidingField::equivalent_control:
    case SlidingField::blended:  // where only equations of motion differ
      return SlidingForm::mixed;
    case SlidingField::filippov:
      break;
  }
  // Of many surfaces not all vertices are known; there each has a force of its own.
  return vertices.empty() ? SlidingForm::mixed
                          : form_for(*mode.system, *mode.workspace, kept, vertices);
}

/// What a mode is integrated with, also where it has not been yet.
EngineKind Run::Controller::engine_kind_of(detail::ModeRun& mode, const detail::EventPoint& at) {
  if (mode.engine) return mode.engine->kind();
  if (mode.engine_asked != EngineKind::automatic) return mode.engine_asked;
  return choose_engine(*mode.system, *mode.workspace, {at.t, at.x, at.xdot}, options_.t_end,
                       mode.engine_options)
      .kind;
}

/// The run that moves on surfaces of a mode, ready to start at a point of it.
Result<detail::ModeRun*> Run::Controller::prepare_slider(detail::ModeRun& mode,
                                                         const detail::EventPoint& at,
                                                         const SurfaceWay& way) {
  if (const auto refused = cannot_mix(mode, way))
    return Failure{refused->code, "at t = " + to_text(at.t) + ", on the surface of " + way.who +
                                      ": " + refused->message};
  tell_of_surfaces(mode, way);
  detail::ModeRun& slider = modes_.on_surfaces(mode, way.kept, way.options);
  if (here_.is_in(slider)) here_.rest_at(at.t);  // its engine is made anew
  slider.engine_asked = engine_kind_of(mode, at);
  if (slider.kit) {
    // What it has done in earlier stays is not lost with its engine.
    ledger_.keep_engine_work(slider);
    ledger_.keep_switches(slider);
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

/// A mode may begin on surfaces: then it may begin with motion on them, which is told.
Result<std::optional<Run::Controller::SurfaceWay>> Run::Controller::slide_from_start(
    double t_here) {
  const std::optional<SurfaceWay> nothing;
  if (!watches_events() || !options_.events.offset) return nothing;
  detail::EventPoint at;
  at.t = t_here;
  at.x = here_->start.x;
  at.xdot = here_->start.xdot;
  const auto margins = here_->kit->locator.margins(at, {});
  const auto met = on_surface(*here_, at, margins);
  if (met.empty()) return nothing;
  const std::vector<std::uint8_t> truths(here_->kit->board.truths().begin(),
                                         here_->kit->board.truths().end());
  auto way = find_way(*here_, at, met);
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
    auto found = find_start(t_here, {at.x, at.xdot, std::vector<std::uint8_t>(at.x.size(), 0)});
    if (!found) return found.failure();
    here_->start = std::move(*found);
    return nothing;
  }
  if (!here_->engine) choose_and_make_engine(t_here);
  auto slider = prepare_slider(*here_, at, *way);
  if (!slider) return slider.failure();
  (*slider)->natural_step = here_->natural_step;
  here_.enter(**slider);
  return std::optional<SurfaceWay>(std::move(*way));
}

/// At an instant on surfaces everything is looked at in the mode that they are surfaces of.
Result<void> Run::Controller::pass_instant_on_surfaces(
    const detail::EventPoint& point, std::vector<detail::Crossing> crossings, bool inputs_change,
    std::optional<std::uint32_t> action, std::span<const std::uint8_t> triggers_before) {
  detail::ModeRun& slider = *here_;
  detail::ModeRun& mode = *slider.on_surfaces->base;
  detail::SwitchBoard& board = mode.kit->board;
  if (auto noted = note_left_limit(point, crossings); !noted) return noted;
  (void)slider.kit->locator.margins(point, {});
  put_in_order(point, crossings);

  // An implicit engine keeps to its surfaces up to the error of its iteration only. Inputs may take the surfaces
  // elsewhere at this instant: they are still those of before.
  detail::EventPoint at = point;
  if (auto* surfaces = slider.workspace->ability<OutputProjection>()) {
    double moved = 0.0;
    if (!surfaces->project(at.t, at.x, at.xdot, moved)) at = point;
  }
  const std::vector<double> watched = watched_before(at, action);
  at.x.resize(mode.system->size());
  at.xdot.resize(mode.system->size());
  set_held_values(*mode.workspace, held_values_of(*slider.workspace));
  board.set_truths(slider.kit->board.truths().first(board.count()));
  if (mode.natural_step == 0) mode.natural_step = slider.natural_step;
  if (point.t != options_.t_end) (void)mode.enter_stretch(point.t);
  detail::SurfaceStudy sides(mode, {at.t, at.x, at.xdot, 0.0});
  std::vector<std::uint8_t> kept(board.count(), 0);
  std::vector<std::uint8_t> is_left(slider.on_surfaces->surfaces.size(), 0);
  std::vector<std::uint32_t> crossed;
  std::optional<std::uint32_t> left_range;
  for (const detail::Crossing& c : crossings) {
    ++slider.n_crossings[c.which];
    if (c.which < board.count()) {
      crossed.push_back(c.which);
      board.note_switched(c.which, point.t);
      const bool leaves = is_range(board.info(c.which).kind) && board.truth(c.which);
      if (leaves && options_.events.range == RangePolicy::stop) left_range = c.which;
      continue;
    }
    const detail::ModeRun::Exit exit = slider.exit_of(c.which);
    is_left[exit.surface] = 1;
    sides.set_side(slider.on_surfaces->surfaces[exit.surface], exit.side);
  }
  std::vector<std::uint32_t> wide = crossed;  // what may be off its surface by more than rounding
  for (const Surface& surface : slider.on_surfaces->surfaces) {
    // Also those that are left: along a tangent, whose side no rate tells.
    for (const std::uint32_t w : surface.switches) {
      kept[w] = 1;
      wide.push_back(w);
    }
  }
  const auto margin_span = mode.kit->locator.margins(at, wide);
  std::vector<double> margins(margin_span.begin(), margin_span.end());
  // Relations that matter on another side only: their truth is known, for the motion on the surfaces depends on it.
  const auto margins_on_surfaces = slider.kit->locator.margins(point, wide);
  std::vector<std::uint8_t> known(board.count(), 0);
  for (std::uint32_t w = 0; w < board.count(); ++w) {
    if (board.functions().is_active(w) || !slider.kit->board.functions().is_active(w)) continue;
    margins[w] = margins_on_surfaces[w];
    known[w] = 1;
  }
  mode.kit->iteration.set_at_once(1e-3 * slider.natural_step);
  mode.kit->iteration.set_follower(follower_, *mode.workspace);
  const bool is_blended = slider.on_surfaces->options.form == SlidingForm::blended;
  auto result = mode.kit->iteration.run({point.t,
                                         at.x,
                                         at.xdot,
                                         crossed,
                                         margins,
                                         inputs_change,
                                         action,
                                         {},
                                         triggers_before,
                                         kept,
                                         is_blended,
                                         watched,
                                         error_of_time(crossings)});
  if (!result) return result.failure();
  for (const std::string& said : result->remarks) ledger_.warn(said);
  if (result->apart) return apart(mode, at, result->undecided, *result->apart);
  ledger_.event_work().n_evaluations_iterate += result->n_evaluations;
  if (!result->leaving.empty() && !left_range) {
    move_to(mode, point.t);
    std::vector<detail::Crossing> of_mode = crossings;
    std::erase_if(of_mode, [&](const detail::Crossing& c) { return c.which >= board.count(); });
    if (auto left = leave_mode(at, of_mode, *result, !action); !left) return left;
    (void)within(limits_.look_at_events(t()));
    return {};
  }
  note_stop(mode, at, crossings, *result);
  if (inputs_change || !result->set.empty()) {
    // Or it was: what has jumped may be anywhere.
    for (std::uint32_t w = 0; w < board.count(); ++w)
      known[w] = std::find(crossed.begin(), crossed.end(), w) != crossed.end() ? known[w] : 0;
  }
  SurfaceInstant instant;
  instant.known = std::move(known);
  instant.mode = &mode;
  instant.point = point;
  instant.settled = at;
  instant.crossings = std::move(crossings);
  instant.result = std::move(*result);
  instant.left_range = left_range;
  instant.settled.x = instant.result.start.x;
  instant.settled.xdot = instant.result.start.xdot;
  instant.met = on_surface(mode, instant.settled, margins);
  // It begins so far beside its surface that no stage of a first step has to look beyond.
  constexpr double beside = 1e-2;
  for (std::size_t k = 0; k < is_left.size(); ++k) {
    if (!is_left[k]) continue;
    for (const std::uint32_t w : slider.on_surfaces->surfaces[k].switches) {
      instant.left.push_back(w);
      // The others have the same surface.
      const bool is_first = w == slider.on_surfaces->surfaces[k].switches.front();
      instant.beside.push_back(is_first ? beside * mode.kit->locator.uncertainties()[w] : 0.0);
    }
  }
  // Where it was the only one, an exit that was met is decided: its multiplier has left its range.
  const bool others = std::any_of(instant.met.begin(), instant.met.end(), [&](std::uint32_t w) {
    return std::find(instant.left.begin(), instant.left.end(), w) == instant.left.end();
  });
  if (!others) instant.met.clear();
  if (is_blended && instant.left.empty()) stay_between_sides(instant, slider, at);
  return go_on_from_surfaces(std::move(instant));
}

/// Relations that are to switch although both sides lead back.
void Run::Controller::switch_what_must_cross(std::span<const std::uint32_t> undecided,
                                             const detail::EventPoint& at) {
  detail::SwitchBoard& board = here_->kit->board;
  for (const std::uint32_t w : undecided) {
    double g = 0.0;
    if (detail::surface_policy_of(options_.events, board.info(w).name) != SurfacePolicy::cross)
      continue;
    if (board.functions().evaluate_one(w, at.t, at.x, at.xdot, g))
      board.set_truth(w, board.info(w).truth(g));
  }
}

void Run::Controller::choose(std::size_t candidate) {
  if (!open_instant_)
    throw Error(
        "the run does not wait for a decision: choose() needs a run that stopped at a surface "
        "(events.surface = stop)");
  if (candidate >= open_candidates_.size())
    throw Error("there is no candidate " + std::to_string(candidate) + ": there are " +
                std::to_string(open_candidates_.size()) + ", counted from 0");
  if (!open_candidates_[candidate].consistent)
    throw Error("'" + open_candidates_[candidate].text +
                "' is not possible: " + open_candidates_[candidate].verdict);
  SurfaceInstant instant = std::move(*open_instant_);
  open_instant_.reset();
  open_candidates_.clear();
  if (auto gone = go_on_from_surfaces(std::move(instant), candidate); !gone)
    end(detail::ended_by(gone.failure()));
}

/// Decides, tells what happened, and starts the run that follows.
Result<void> Run::Controller::go_on_from_surfaces(SurfaceInstant instant,
                                                  std::optional<std::size_t> choice) {
  detail::ModeRun& mode = *instant.mode;
  detail::ModeRun& before = *here_;
  const detail::EventPoint& settled = instant.settled;
  const double t_here = instant.point.t;
  SurfaceWay way;
  if (instant.way) {
    way = *instant.way;
  } else if (!instant.met.empty()) {
    auto found =
        find_way(mode, settled, instant.met, choice, instant.known, instant.fresh, instant.left);
    if (!found) return found.failure();
    way = std::move(*found);
    if (way.asks) {
      open_candidates_ = std::move(way.records);
      open_instant_ = std::move(instant);
      return {};
    }
    if (way.kind != DecisionKind::unique && !way.flat.empty()) return flat_surface(t_here, way);
    if (way.kind == DecisionKind::impossible && way.touches && here_.is_in(mode)) {
      // Along a tangent, as far as anybody can tell: the relations that crossed have crossed.
      for (detail::Crossing& c : instant.crossings) {
        if (std::find(instant.met.begin(), instant.met.end(), c.which) == instant.met.end())
          continue;
        c.guarantee = Guarantee::marginal;
        mode.kit->board.set_truth(c.which, (c.direction * (forward() ? 1 : -1) > 0) ==
                                               mode.kit->board.info(c.which).true_if_positive);
      }
    } else if (way.kind != DecisionKind::unique) {
      return no_way(t_here, way);
    }
  }
  const std::vector<TouchedExit> touched = stay_on_surfaces(instant, way);
  const std::size_t n_left = instant.left.size();
  const bool only_touched = turn_back(instant, way);
  detail::SurfaceStudy study(mode, {t_here, settled.x, settled.xdot, 0.0});
  detail::EventPoint beside = settled;
  for (std::size_t i = 0; i < instant.left.size(); ++i)
    study.put_beside(instant.left[i], instant.beside[i], t_here, beside.x, beside.xdot);
  detail::ModeRun* next = &mode;
  if (!way.kept.empty()) {
    if (const auto action = action_on_surface(mode, way.kept)) {
      instant.result.leaving = {{*action, detail::FiredAction::no_trigger, 0}};
      return leave_from_surface(instant, way);
    }
    auto slider = prepare_slider(mode, beside, way);
    if (!slider) return slider.failure();
    next = *slider;
  } else {
    std::vector<std::uint32_t> near = instant.met;
    near.insert(near.end(), instant.left.begin(), instant.left.end());
    auto found = study.start_beside(near, t_here, beside.x, beside.xdot);
    if (!found && found.failure().code == FailureCode::singular && !near.empty())
      return apart(mode, settled, near, found.failure());
    if (!found) return found.failure();
    ledger_.event_work().n_evaluations_iterate += study.n_evaluations();
    mode.start = std::move(*found);
  }
  instant.result.restart = true;
  if (!only_touched) {
    if (auto logged = log_surface_instant(instant, *next, way); !logged) return logged;
  }
  if (instant.left_range || instant.result.terminal) {
    move_to(mode, t_here);
    return end_at_event(settled, instant.result, instant.left_range);
  }
  const double step = before.natural_step;
  move_to(*next, t_here);
  next->natural_step = step;
  engine_was_cut_ = false;
  if (t_here == options_.t_end) {
    ++here_->visit.n_stays;
    return end_with_start(t_here);
  }
  StartHint hint = detail::step_carried_over(step, engine_kind_of(mode, settled));
  hint.derivative_known = here_->workspace->ability<ExplicitForm>() != nullptr;
  if (auto begun = start_stay(t_here, hint); !begun) return begun;
  excuse_what_left(std::span(instant.left).first(n_left));
  excuse_what_touched(std::span(instant.left).subspan(n_left));
  excuse_exits(touched);
  std::erase_if(instant.crossings, [&](const detail::Crossing& c) {
    return c.which >= mode.kit->board.count();  // exits
  });
  std::vector<std::uint32_t> crossed;
  for (const detail::Crossing& c : instant.crossings) crossed.push_back(c.which);
  detail::EventPoint here;
  here.t = t_here;
  here.x.assign(x().begin(), x().end());
  here.xdot.assign(xdot().begin(), xdot().end());
  look_where_crossed(crossed, here_->kit->locator.margins(here, crossed));
  // What begins a stay is no event of a series.
  std::erase_if(instant.crossings,
                [&](const detail::Crossing& c) { return is_on(way.kept, c.which); });
  if (within(limits_.look_at_events(t())) && !rest_where_stopped())
    look_for_end(t_here, instant.crossings);
  return {};
}

/// By a transition, from the mode that the surfaces are of. Its left limit is what the solution came with: what a
/// side makes of it is no part of it.
Result<void> Run::Controller::leave_from_surface(SurfaceInstant& instant, const SurfaceWay& way) {
  detail::ModeRun& mode = *instant.mode;
  move_to(mode, instant.point.t);
  std::erase_if(instant.crossings,
                [&](const detail::Crossing& c) { return c.which >= mode.kit->board.count(); });
  detail::EventPoint left = instant.point;
  left.x.resize(mode.system->size());
  left.xdot.resize(mode.system->size());
  instant.result.start.x = left.x;
  instant.result.start.xdot = left.xdot;
  for (const detail::SetValue& s : instant.result.set) {
    if (s.target.is_unknown) instant.result.start.x[s.target.index] = s.after;
  }
  if (auto gone = leave_mode(left, instant.crossings, instant.result, true, &way); !gone)
    return gone;
  (void)within(limits_.look_at_events(t()));
  return {};
}

/// Where two surfaces are crossed in turn, ever faster, the solution comes to their corner, and how it goes on
/// from there is decided there.
void Run::Controller::continue_at_corner(std::uint32_t first, std::uint32_t second,
                                         double t_limit) {
  detail::SwitchBoard& board = here_->kit->board;
  // Crossings that can be told apart are not left out.
  constexpr double many = 1000;  // tolerances
  for (std::size_t i = 0; i < x().size(); ++i) {
    const double tolerance =
        here_->engine_options.rtol * std::abs(x()[i]) + here_->engine_options.atol[i];
    if (std::abs(xdot()[i] * (t_limit - t())) > many * tolerance) return;
  }
  SurfaceInstant instant;
  std::vector<Surface> surfaces;
  for (const std::uint32_t w : {first, second}) {
    surfaces.push_back({{w}, {1}});
    instant.met.push_back(w);
  }
  instant.mode = &*here_;
  instant.point.t = t_limit;
  instant.point.x.assign(x().begin(), x().end());
  instant.point.xdot.assign(xdot().begin(), xdot().end());
  if (!project_on_surfaces(*here_->system, *here_->workspace, surfaces, t_limit, instant.point.x,
                           instant.point.xdot))
    return;
  instant.settled = instant.point;
  instant.result.start.x = instant.point.x;
  instant.result.start.xdot = instant.point.xdot;
  ledger_.note(
      {"accumulation of '" + board.info(first).name + "' and '" + board.info(second).name + "'", "",
       to_text(t_limit),
       "decided at their corner; from t = " + to_text(t()) + " to there straight on"});
  std::vector<double> line(x().begin(), x().end());
  for (std::size_t i = 0; i < instant.point.x.size(); ++i)
    line.push_back(instant.point.x[i] - line[i]);
  const StepPolynomial straight{t(), t_limit, 1, static_cast<std::uint32_t>(instant.point.x.size()),
                                line};
  engine_was_cut_ = true;
  if (follower_ != nullptr) follower_->breaks(t(), "events accumulate");
  auto passed = recording_.add_piece(straight, t_limit, instant.point.x, instant.point.xdot);
  if (passed) passed = note_left_limit(instant.point);
  if (passed) passed = go_on_from_surfaces(std::move(instant));
  if (!passed) end(detail::ended_by(passed.failure()));
}

/// From one part of a mode to another one.
void Run::Controller::move_to(detail::ModeRun& part, double t_here) {
  if (here_.is_in(part)) return;
  here_.rest_at(t_here);
  here_.enter(part);
  n_steps_at_start_ = ledger_.n_steps();
}

/// A transition of the mode that is the motion on one of these surfaces.
std::optional<std::uint32_t> Run::Controller::action_on_surface(
    const detail::ModeRun& mode, std::span<const Surface> kept) const {
  const EventActions* actions = mode.kit->board.actions();
  for (std::uint32_t a = 0; actions != nullptr && a < actions->count(); ++a) {
    for (const std::string& name : actions->info(a).at_sliding_of) {
      for (const Surface& s : kept) {
        for (const std::uint32_t w : s.switches) {
          if (mode.kit->board.info(w).name == name) return a;
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace saltus
