// How a run goes on from surfaces: decides there, stays on them, leaves them.
#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>

#include "hybrid/controller.hpp"
#include "hybrid/surface/refusals.hpp"
#include "hybrid/surface/surface_sides.hpp"
#include "hybrid/stay/engine_policy.hpp"
#include "hybrid/stay/excuses.hpp"
#include "hybrid/engine_settings.hpp"
#include "hybrid/named_options.hpp"

namespace saltus {

namespace {

bool is_on(std::span<const Surface> surfaces, std::uint32_t which) {
  return std::ranges::any_of(surfaces, [&](const Surface& s) {
    return std::ranges::find(s.switches, which) != s.switches.end();
  });
}

}  // namespace

/// At an instant on surfaces everything is looked at in the mode that they are surfaces of.
Result<void> Run::Controller::pass_instant_on_surfaces(
    const detail::EventPoint& point, std::vector<detail::Crossing> crossings, bool inputs_change,
    std::optional<std::uint32_t> action, std::span<const std::uint8_t> triggers_before) {
  detail::ModeRun& slider = *here_;
  detail::ModeRun& mode = *slider.on_surfaces->base;
  detail::SwitchBoard& board = mode.kit->board;
  if (auto noted = left_.note(point, crossings); !noted) return noted;
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
  detail::hand_to_base(slider);
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
  mode.kit->iteration.set_follower(follower_.get(), *mode.workspace);
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
  if (result->apart) return judge_.apart(mode, at, result->undecided, *result->apart);
  ledger_.event_work().n_evaluations_iterate += result->n_evaluations;
  if (!result->leaving.empty() && !left_range) {
    motion_.move_to(mode, point.t);
    std::vector<detail::Crossing> of_mode = crossings;
    std::erase_if(of_mode, [&](const detail::Crossing& c) { return c.which >= board.count(); });
    if (auto left = leave_mode(at, of_mode, *result, !action); !left) return left;
    (void)within(limits_.look_at_events(t()));
    return {};
  }
  stop_watch_.note(mode, at, crossings, *result);
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
  instant.met = judge_.on_surface(mode, instant.settled, margins);
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
  detail::SurfaceWay way;
  if (instant.way) {
    way = *instant.way;
  } else if (!instant.met.empty()) {
    auto found = judge_.find_way(mode, settled,
                                 {instant.met, choice, instant.known, instant.fresh, instant.left});
    if (!found) return found.failure();
    way = std::move(*found);
    if (way.asks) {
      open_candidates_ = std::move(way.records);
      open_instant_ = std::move(instant);
      return {};
    }
    if (way.kind != DecisionKind::unique && !way.flat.empty())
      return detail::flat_surface(t_here, way);
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
      return detail::no_way(t_here, way);
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
    if (const auto action = judge_.action_on_surface(mode, way.kept)) {
      instant.result.leaving = {{*action, detail::FiredAction::no_trigger, 0}};
      return leave_from_surface(instant, way);
    }
    auto slider = sliders_.prepare(mode, beside, way);
    if (!slider) return slider.failure();
    next = *slider;
  } else {
    std::vector<std::uint32_t> near = instant.met;
    near.insert(near.end(), instant.left.begin(), instant.left.end());
    auto found = study.start_beside(near, t_here, beside.x, beside.xdot);
    if (!found && found.failure().code == FailureCode::singular && !near.empty())
      return judge_.apart(mode, settled, near, found.failure());
    if (!found) return found.failure();
    ledger_.event_work().n_evaluations_iterate += study.n_evaluations();
    mode.start = std::move(*found);
  }
  instant.result.restart = true;
  if (!only_touched) {
    if (auto logged = log_surface_instant(instant, *next, way); !logged) return logged;
  }
  if (instant.left_range || instant.result.terminal) {
    motion_.move_to(mode, t_here);
    return end_at_event(settled, instant.result, instant.left_range);
  }
  const double step = before.natural_step;
  motion_.move_to(*next, t_here);
  next->natural_step = step;
  motion_.forget_cut();
  if (t_here == options_.t_end) {
    ++here_->visit.n_stays;
    return motion_.end_with_start(t_here);
  }
  StartHint hint = detail::step_carried_over(step, detail::engine_kind_of(mode, settled, options_));
  hint.derivative_known = here_->workspace->ability<ExplicitForm>() != nullptr;
  if (auto begun = motion_.start_stay(t_here, hint); !begun) return begun;
  detail::excuse_what_left(here_, std::span(instant.left).first(n_left));
  detail::excuse_what_touched(here_, std::span(instant.left).subspan(n_left));
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
  detail::look_where_crossed(here_, crossed, here_->kit->locator.margins(here, crossed));
  // What begins a stay is no event of a series.
  std::erase_if(instant.crossings,
                [&](const detail::Crossing& c) { return is_on(way.kept, c.which); });
  if (within(limits_.look_at_events(t())) && !rest_where_stopped())
    look_for_end(t_here, instant.crossings);
  return {};
}

/// By a transition, from the mode that the surfaces are of. Its left limit is what the solution came with: what a
/// side makes of it is no part of it.
Result<void> Run::Controller::leave_from_surface(SurfaceInstant& instant,
                                                 const detail::SurfaceWay& way) {
  detail::ModeRun& mode = *instant.mode;
  motion_.move_to(mode, instant.point.t);
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
  motion_.cut();
  follower_.breaks(t(), "events accumulate");
  auto passed = recording_.add_piece(straight, t_limit, instant.point.x, instant.point.xdot);
  if (passed) passed = left_.note(instant.point);
  if (passed) passed = go_on_from_surfaces(std::move(instant));
  if (!passed) end(detail::ended_by(passed.failure()));
}

}  // namespace saltus
