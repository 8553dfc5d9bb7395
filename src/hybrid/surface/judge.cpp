#include "hybrid/surface/judge.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>

#include "hybrid/core/named_options.hpp"
#include "hybrid/stay/engine_policy.hpp"
#include "hybrid/stay/follower_port.hpp"
#include "hybrid/surface/refusals.hpp"

namespace saltus::detail {

/// Relations of `mode` within their margin at a point that choose equations there: under the present truths, or on
/// a side of the surfaces of those.
bool SurfaceJudge::may_hold(const SwitchBoard& board, std::uint32_t which, double t) const {
  return board.info(which).kind == SwitchKind::relation && !board.functions().is_timed(which) &&
         !(board.slack(which) > 0) && !board.is_silent(which, t) &&
         surface_policy_of(options_.events, board.info(which).name) != SurfacePolicy::cross;
}

std::vector<std::uint32_t> SurfaceJudge::on_surface(ModeRun& mode, const EventPoint& at,
                                                    std::span<const double> margin) const {
  std::vector<std::uint32_t> found;
  SwitchBoard& board = mode.kit->board;
  const auto is_candidate = [&](std::uint32_t w) {
    return may_hold(board, w, at.t) && std::find(found.begin(), found.end(), w) == found.end();
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
  SurfaceStudy study(mode, {at.t, at.x, at.xdot, 0.0});
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

std::vector<std::uint32_t> SurfaceJudge::held_on_surface(const EventPoint& at,
                                                         std::span<const double> margin) const {
  const SwitchBoard& board = here_->kit->board;
  bool some_hold = false;
  for (std::uint32_t w = 0; w < board.count() && !some_hold; ++w)
    some_hold = board.info(w).hold != SwitchInfo::no_hold;
  if (!some_hold) return {};
  std::vector<std::uint32_t> held = on_surface(*here_, at, margin);
  std::erase_if(held, [&](std::uint32_t w) { return board.info(w).hold == SwitchInfo::no_hold; });
  return held;
}

Result<SurfaceWay> SurfaceJudge::find_way(ModeRun& mode, const EventPoint& at,
                                          const SurfaceCase& what) {
  // Far above rounding, far below a step.
  constexpr double part_of_step = 1e-4, part_of_run = 1e-7;
  const double short_time = mode.natural_step > 0
                                ? part_of_step * mode.natural_step
                                : part_of_run * std::abs(options_.t_end - options_.t_begin);
  SurfaceStudy study(mode, {at.t, at.x, at.xdot, short_time});
  SurfaceWay way;
  const auto decided = decide(study, mode, at, what, way);
  if (!decided) return decided.failure();
  const auto note_flat = [&](const Surface& s) {
    if (way.flat.empty() && study.is_flat(s.switches.front())) way.flat = study.name_of(s);
  };
  if (way.kind != DecisionKind::unique) {
    for (const Surface& s : study.surfaces()) note_flat(s);
    return way;
  }
  const std::size_t number = what.choice.value_or(0);
  way.records[number].taken = true;
  const SurfaceCandidate& taken = decided->candidates[number];
  way.asks = way.asks && !what.choice && taken.n_kept() > 0;
  if (way.asks) return way;
  for (std::uint32_t k = 0; k < taken.state.size(); ++k) {
    if (taken.state[k] != 0) {
      study.set_side(study.surfaces()[k], taken.state[k]);
      continue;
    }
    way.kept.push_back(study.surfaces()[k]);
    note_flat(way.kept.back());
  }
  if (way.kept.empty()) return way;
  if (!way.flat.empty()) return flat_surface(at.t, way);
  way.depends_on_rule = decided->depends_on_rule;
  way.options.rule = options_.events.sliding_rule;
  if (auto found = keep(study, mode, at, taken, way); !found) return found.failure();
  return way;
}

/// What there is to choose from, in words.
Result<SurfaceDecision> SurfaceJudge::decide(SurfaceStudy& study, ModeRun& mode,
                                             const EventPoint& at, const SurfaceCase& what,
                                             SurfaceWay& way) {
  study.set_known(what.known);
  study.set_fresh(what.fresh);
  study.set_released(what.released, here_->natural_step);
  const std::vector<Surface> met = study.surfaces_of(what.met);
  warn_of_close_surfaces(mode, at.t, study.apart());
  auto decided = study.decide(met, options_.events.sliding_rule);
  std::vector<std::string> names;
  for (const Surface& s : met) names.push_back("'" + study.name_of(s) + "'");
  way.who = join(names, ", ");
  if (!decided && decided.failure().code == FailureCode::singular)
    return apart(mode, at, what.met, decided.failure());
  if (!decided)
    return Failure{decided.failure().code, "at t = " + to_text(at.t) + ", on the surface of " +
                                               way.who + ": " + decided.failure().message};
  ledger_.event_work().n_evaluations_iterate += study.n_evaluations();
  if (decided->depends_on_hold)
    ledger_.warn_once("holds", "at t = " + to_text(at.t) + " " + way.who +
                                   ": their static friction is exceeded if all of them rest, and "
                                   "suffices for some if others "
                                   "slip; those that can stick are taken to stick");
  way.kind = what.choice ? DecisionKind::unique : decided->kind;
  for (const SurfaceCandidate& candidate : decided->candidates) {
    way.records.push_back(study.record_of(candidate));
    way.touches = way.touches || (candidate.by_second_order && !candidate.consistent);
  }
  for (const Surface& s : study.surfaces())
    way.asks =
        way.asks || surface_policy_of(options_.events, study.name_of(s)) == SurfacePolicy::stop;
  return decided;
}

/// Motion on the surfaces that are kept.
Result<void> SurfaceJudge::keep(SurfaceStudy& study, ModeRun& mode, const EventPoint& at,
                                const SurfaceCandidate& taken, SurfaceWay& way) {
  std::vector<std::uint32_t> kept;  // numbers
  std::uint32_t vertex = 0;
  for (std::uint32_t k = 0; k < taken.state.size(); ++k) {
    if (taken.state[k] == 0) kept.push_back(k);
    if (taken.state[k] > 0) vertex |= 1U << k;
  }
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
  const bool adds_up = motions_add_up(*mode.system, vertices, study.unimportant_rates());
  way.each_by_itself = !vertices.empty() && adds_up;
  way.depends_on_rule = way.depends_on_rule || !adds_up;
  if (follower_.is_there()) tell_sides(study, mode, at, vertices, kept, vertex, way);
  if (study.has_different_states())
    return apart(mode, at, way.kept.front().switches,
                 {FailureCode::not_certified, "their states differ"});
  way.options.form = form_of(mode, at, way.kept, vertices);
  return {};
}

void SurfaceJudge::tell_sides(const SurfaceStudy& study, const ModeRun& mode, const EventPoint& at,
                              std::span<const SlidingPoint> vertices,
                              std::span<const std::uint32_t> kept, std::uint32_t vertex,
                              SurfaceWay& way) {
  way.minus = at;
  if (!vertices.empty()) {
    way.minus = {at.t, {vertices[0].x.begin(), vertices[0].x.end()}, {}};
    way.minus.xdot.assign(vertices[0].xdot.begin(), vertices[0].xdot.end());
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    KeptSurface side{way.kept[i].switches.front(), {}, {}};
    for (std::size_t k = 0; !vertices.empty() && k < mode.system->size(); ++k)
      side.across.push_back(vertices[std::size_t{1} << i].xdot[k] - vertices[0].xdot[k]);
    for (const std::uint32_t k : kept) {
      if (!vertices.empty())
        side.rates.push_back(study.velocities()(vertex | (1U << kept[i]), k) -
                             study.velocities()(vertex, k));
    }
    way.sides.push_back(std::move(side));
  }
}

SlidingForm SurfaceJudge::form_of(const ModeRun& mode, const EventPoint& at,
                                  std::span<const Surface> kept,
                                  std::span<const SlidingPoint> vertices) const {
  if (traits_of(engine_kind_of(mode, at, options_)).is_explicit) return SlidingForm::eliminated;
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

void SurfaceJudge::warn_of_close_surfaces(const ModeRun& mode, double t_here,
                                          std::span<const SurfaceStudy::Apart> pairs) {
  for (const SurfaceStudy::Apart& pair : pairs) {
    const std::string names = "'" + mode.kit->board.info(pair.one).name + "' and '" +
                              mode.kit->board.info(pair.other).name + "'";
    ledger_.warn_once(
        "surfaces of " + names,
        "at t = " + to_text(t_here) + " the surfaces of " + names + " are met together and are " +
            to_text(pair.distance) +
            " apart (in nominal values of the unknowns), too little to tell them apart: they are "
            "treated as one, and the equations between them are ignored");
  }
}

void SurfaceJudge::switch_what_must_cross(std::span<const std::uint32_t> undecided,
                                          const EventPoint& at) {
  SwitchBoard& board = here_->kit->board;
  for (const std::uint32_t w : undecided) {
    double g = 0.0;
    if (surface_policy_of(options_.events, board.info(w).name) != SurfacePolicy::cross) continue;
    if (board.functions().evaluate_one(w, at.t, at.x, at.xdot, g))
      board.set_truth(w, board.info(w).truth(g));
  }
}

std::optional<std::uint32_t> SurfaceJudge::action_on_surface(const ModeRun& mode,
                                                             std::span<const Surface> kept) {
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

Failure SurfaceJudge::apart(ModeRun& mode, const EventPoint& at,
                            std::span<const std::uint32_t> relations, const Failure& said) const {
  const bool is_kept = here_->on_surfaces && here_->on_surfaces->base == &mode;
  return detail::apart(mode, at, relations, said, is_kept, options_);
}

}  // namespace saltus::detail
