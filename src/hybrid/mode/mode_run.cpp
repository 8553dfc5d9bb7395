#include "hybrid/mode/mode_run.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <saltus/core/text.hpp>
#include <saltus/system/abilities.hpp>

#include "hybrid/core/engine_settings.hpp"

namespace saltus::detail {

ModeRun::ModeRun(ConfigurationSource& from, const RunOptions& run_options, Configuration which)
    : source(from), options(run_options) {
  configuration = std::move(which);
  visit.mode = name = source.mode_name(configuration.mode);
}

Result<void> ModeRun::load() {
  auto taken = source.system(configuration);
  if (!taken) return taken.failure();
  original = std::move(*taken);
  original_workspace = original->workspace();
  engine_asked = engine_kind_for(name, options);
  adopt(original);
  is_fresh_ = true;
  return {};
}

void ModeRun::adopt(std::shared_ptr<const System> taken) {
  engine.reset();
  continued.reset();
  kit.reset();
  workspace.reset();
  system = std::move(taken);
  workspace = system->workspace();
  furnish();
}

void ModeRun::furnish() {
  scheduled = workspace->ability<ScheduledTimes>();
  const bool only_mode = source.n_modes() == 1;
  engine_options = engine_options_for(*system, name, options);
  largest.assign(system->size(), 0.0);
  moved.clear();
  const auto* functions = workspace->ability<SwitchingFunctions>();
  if (functions == nullptr) return;
  if (functions->count() == 0 && workspace->ability<EventActions>() == nullptr) return;
  kit = std::make_unique<EventKit>(
      *workspace, *system, engine_options, options.events, forward(), only_mode,
      [this](double t, const StartValues& guess) { return find_start(t, guess); });
  kit->iteration.actions().set_mode(name);
  // On surfaces it is not needed where sides are chosen by locks: those are evaluated at points of their own.
  if (options.events.handling == EventHandling::on && (!on_surfaces || kit->board.is_one_sided()))
    continued = std::make_unique<ContinuedWorkspace>(*system, *workspace, kit->board,
                                                     options.events.beyond);
  n_crossings.resize(functions->count(), 0);
  n_flips.resize(functions->count(), 0);
  n_pardoned.resize(functions->count(), 0);
}

/// As the equations stand, or reduced to index 1.
Result<void> ModeRun::begin(double t, const std::shared_ptr<const System>& started,
                            const Arrival* arrival) {
  if (!is_fresh_ || started != system) adopt(started);
  is_fresh_ = false;
  IndexOptions index_options = index_options_for(options, engine_options);
  if (arrival != nullptr) index_options.expected.reset();  // that is of the first mode
  Reducer reducer(source, configuration, started, {t, options.t_end}, std::move(index_options),
                  reduce_options_for(options, engine_options));
  if (analysis) reducer.use(*analysis);
  const HeldSnapshot held = held_values_of(*workspace);
  reducer.hold(held);
  const ReductionKind asked = options.reduction;
  Result<void> begun = reducer.as_expected();
  if (!begun) return begun;
  std::string refusals;
  const auto done = [&] {
    if (!analysis && reducer.found() != nullptr) {
      analysis = *reducer.found();
      ++visit.n_analyses;
    }
    if (analysis) visit.values = to_text(analysis->values);
    pairing.emplace(*original, *system);
    const auto at = pairing->original(*system, *workspace, t, start.x, start.xdot);
    tell_original();
    vanishing = {vanishing_entries(t, at.x, at.xdot)};
    return Result<void>();
  };
  if (asked == ReductionKind::ranks || !reducer.structure_asks()) {
    begun = begin_at(t, system->start_values(), arrival);
    if (begun) return done();
    const bool is_square = system->n_equations() == system->size();
    if (begun.failure().code != FailureCode::singular && is_square) return begun;
    refusals = begun.failure().message;
  } else {
    const bool is_explicit = traits_of(engine_asked).is_explicit;
    auto reduced = is_explicit ? reducer.as_ode() : reducer.by_structure();
    begun = reduced ? begin_reduced(*reduced, t, arrival) : Result<void>(reduced.failure());
    if (begun) return done();
    if (is_explicit || asked == ReductionKind::structure) return begun;
    refusals = "reduction by structure: " + begun.failure().message;
  }
  auto reduced = reducer.by_ranks();
  if (!reduced) {
    return Failure{reduced.failure().code,
                   refusals + "; index analysis: " + reduced.failure().message};
  }
  begun = begin_reduced(*reduced, t, arrival);
  return begun ? done() : begun;
}

Result<void> ModeRun::begin_reduced(const Reduction& reduction, double t, const Arrival* arrival) {
  const std::shared_ptr<const System> before = system;
  const HeldSnapshot held = held_values_of(*workspace);
  adopt(reduction.system);
  set_held_values(*workspace, held);
  engine_options.rtol *= reduction.tolerance_factor;
  for (double& atol : engine_options.atol) atol *= reduction.tolerance_factor;
  const std::size_t n_choices = choices.size();
  choices.insert(choices.end(), reduction.choices.begin(), reduction.choices.end());
  auto begun = begin_at(t, system->start_values(), arrival);
  if (begun) {
    ++visit.n_reductions;
    warnings.insert(warnings.end(), reduction.warnings.begin(), reduction.warnings.end());
  } else {
    choices.resize(n_choices);
    adopt(before);
  }
  return begun;
}

/// Of dF/dx and dF/dx': zero at the point and at two nearby, so that the values of unknowns do not matter.
std::vector<std::uint8_t> ModeRun::vanishing_entries(double t, std::span<const double> x,
                                                     std::span<const double> xdot) {
  const auto nnz = static_cast<std::size_t>(original->pattern().nnz());
  std::vector<std::uint8_t> vanishing_here(2 * nnz, 1);
  std::vector<double> df_dx(nnz), df_dxdot(nnz);
  std::vector<double> x_there(x.begin(), x.end()), xdot_there(xdot.begin(), xdot.end());
  constexpr double nearby[] = {0.0, 0.1, -0.07};
  for (const double distance : nearby) {
    for (std::uint32_t i = 0; i < x.size(); ++i) {
      // Neither equal nor in a simple ratio to each other.
      const double way = distance * (1.0 + 0.618 * std::sin(1.0 + 1.7 * i));
      x_there[i] = x[i] + way * (std::abs(x[i]) + original->nominal(i));
      xdot_there[i] = xdot[i] + way * (std::abs(xdot[i]) + original->nominal(i));
    }
    if (!original_workspace->jacobian(t, x_there, xdot_there, df_dx, df_dxdot)) continue;
    for (std::size_t s = 0; s < nnz; ++s) {
      if (df_dx[s] != 0) vanishing_here[s] = 0;
      if (df_dxdot[s] != 0) vanishing_here[nnz + s] = 0;
    }
  }
  return vanishing_here;
}

bool ModeRun::has_other_index(double t, std::span<const double> x, std::span<const double> xdot) {
  std::vector<std::uint8_t> now = vanishing_entries(t, x, xdot);
  if (std::find(vanishing.begin(), vanishing.end(), now) != vanishing.end()) return false;
  if (original_workspace->ability<DerivativeLevels<double>>() == nullptr ||
      original_workspace->ability<DerivativeLevels<Quad>>() == nullptr)
    return false;
  const StartValues at{
      {x.begin(), x.end()}, {xdot.begin(), xdot.end()}, std::vector<std::uint8_t>(x.size(), 0)};
  const auto found = analyze_index(*original, *original_workspace, t, at);
  ++visit.n_analyses;
  const bool other = found && (analysis ? found->values != analysis->values : found->values.mu > 0);
  if (!other) vanishing.push_back(std::move(now));
  return other;
}

void ModeRun::forget() {
  pairing.reset();
  analysis.reset();
  vanishing.clear();
}

Result<void> ModeRun::begin_again(double t, const Restart& at, const Arrival& arrival) {
  (void)enter_stretch(t);
  StartValues guess = pairing->integrated(*system, at);
  if (auto* refresh = workspace->ability<StepRefresh>()) {
    // What was frozen at the last step of the last stay is made for another point.
    if (kit) (void)kit->board.decide(t, guess.x, guess.xdot);
    if (refresh->step_accepted(t, guess.x, guess.xdot) == StepRefresh::Answer::stop)
      return refresh->stop_reason();
  }
  return begin_at(t, guess, &arrival);
}

/// What the relations say at a start is found together with it.
Result<void> ModeRun::begin_at(double t, const StartValues& guess, const Arrival* arrival) {
  (void)enter_stretch(t);
  starts_between_sides = false;
  if (!kit) {
    auto found = find_start(t, guess);
    if (!found) return found.failure();
    start = std::move(*found);
    return {};
  }
  kit->board.forget_settled();
  StartOfRelations relations;
  const bool is_first = arrival == nullptr || t == options.t_begin;
  const bool has_exits = !source.transitions().empty();
  if ((arrival != nullptr || has_exits) && kit->board.decide(t, guess.x, guess.xdot)) {
    EventPoint point;
    point.t = t;
    point.x = guess.x;
    point.xdot = guess.xdot;
    std::vector<std::uint32_t> all(kit->board.count());
    std::iota(all.begin(), all.end(), 0U);
    const auto margins = kit->locator.margins(point, all);
    const auto uncertain = kit->locator.uncertainties();
    if (is_first) {
      // At the start of a run values are taken as they are, up to what an iteration leaves.
      constexpr double accurate = 1e-11;
      relations.uncertainty = kit->locator.uncertainties_at(point.x, accurate);
    } else {
      relations.margin.assign(margins.begin(), margins.end());
      relations.uncertainty.assign(uncertain.begin(), uncertain.end());
    }
  }
  if (arrival != nullptr) relations.impulse = impulses_of_functions(t, *arrival, guess);
  // At the start of a run no step tells how soon anything happens.
  constexpr double short_time = 1e-3;
  const double step =
      is_first ? short_time * std::abs(options.t_end - options.t_begin) : arrival->natural_step;
  if (arrival != nullptr || has_exits) kit->iteration.set_at_once(1e-3 * step);
  auto found = kit->iteration.begin(t, guess, relations);
  if (!found) return found.failure();
  start = std::move(found->start);
  starts_between_sides = !found->undecided.empty();
  (void)enter_stretch(t);
  return {};
}

Result<void> ModeRun::begin_on_surfaces(double t, std::span<const double> x,
                                        std::span<const double> xdot) {
  ModeRun& base = *on_surfaces->base;
  StartValues guess;
  auto again = system ? slide_again(*system, *workspace, *base.system, *base.workspace,
                                    {t, x, xdot}, on_surfaces->options)
                      : std::nullopt;
  if (again) {
    engine.reset();
    kit.reset();
    furnish();
    guess = std::move(*again);
  } else {
    const HeldSnapshot held = held_values_of(*base.workspace);
    auto made = sliding_system(base.system, *base.workspace, on_surfaces->surfaces, {t, x, xdot},
                               on_surfaces->options);
    if (!made) return made.failure();
    original = base.original;
    if (!original_workspace) original_workspace = original->workspace();
    adopt(std::move(*made));
    set_held_values(*workspace, held);
    pairing.emplace(*original, *system);
    guess = system->start_values();
  }
  const std::size_t n = base.system->size();
  engine_options.rtol = base.engine_options.rtol;
  std::copy_n(base.engine_options.atol.begin(), n, engine_options.atol.begin());
  // Relations as they are in base; it is on the surfaces.
  std::vector<std::uint8_t> truths(base.kit->board.truths().begin(),
                                   base.kit->board.truths().end());
  truths.resize(kit->board.count(), 1);
  kit->board.set_truths(truths);
  (void)enter_stretch(t);
  auto found = find_start(t, guess);
  if (!found && base.workspace->ability<StepEnclosure>() == nullptr &&
      found.failure().code == FailureCode::not_converged) {
    // Derivatives of g are differences: the guess solves the equations as well as these can tell.
    start = {};
    start.x = guess.x;
    start.xdot = guess.xdot;
    return {};
  }
  if (!found) return found.failure();
  start = std::move(*found);
  return {};
}

std::vector<double> ModeRun::tolerances_at(std::span<const double> x) const {
  std::vector<double> allowed(system->size());
  for (std::size_t i = 0; i < allowed.size(); ++i)
    allowed[i] = engine_options.rtol * std::abs(x[i]) + engine_options.atol[i];
  return allowed;
}

Result<ConsistentStart> ModeRun::find_start(Workspace& at, double t, const StartValues& guess,
                                            InitializeOptions search) {
  std::vector<double> weights = tolerances_at(guess.x);
  for (double& w : weights) w = 1.0 / w;
  search.time_scale = options.t_end - options.t_begin;
  return find_consistent_start(*system, at, t, guess, weights, search);
}

double ModeRun::enter_stretch(double t) {
  double stretch_end = scheduled ? scheduled->next(t, options.t_end) : options.t_end;
  if (watches_events()) {
    stretch_end = kit->board.functions().next_time(t, stretch_end);
    stretch_end = kit->board.next_dwell_end(t, stretch_end);
    kit->locator.enter_stretch(stretch_end);
  }
  if (scheduled) scheduled->enter_stretch(t, stretch_end);
  return stretch_end;
}

void ModeRun::tell_original() { set_as_in(*original_workspace, *workspace); }

/// What every switching function becomes under the impulses of x, which outweigh every value: its value far
/// out along them, under the branches that hold there; 0 for those that do not grow with them.
std::vector<double> ModeRun::impulses_of_functions(double t, const Arrival& arrival,
                                                   const StartValues& at) {
  std::vector<double> of_function(kit->board.count(), 0.0);
  if (arrival.impulses.empty()) return of_function;
  SwitchingFunctions& functions = kit->board.functions();
  const UnknownPairing here(*original, *system);
  double size = 1.0, strongest = 0.0;
  for (const double value : at.x) size = std::max(size, std::abs(value));
  for (const Impulse& impulse : arrival.impulses)
    strongest = std::max(strongest, std::abs(impulse.strength));
  constexpr double far_out = 1e8, grows = 1e3;
  const auto values_out = [&](int order, std::vector<double>& g) {
    std::vector<double> x = at.x;
    for (const Impulse& impulse : arrival.impulses) {
      const std::uint32_t unknown = here.integrated_as(impulse.unknown);
      if (unknown == UnknownPairing::none || impulse.order != order) continue;
      x[unknown] += far_out * size * impulse.strength / strongest;
    }
    return kit->board.decide(t, x, at.xdot) && functions.evaluate(t, x, at.xdot, g);
  };
  std::vector<double> near(of_function.size(), 0.0), far(of_function.size(), 0.0);
  if (!values_out(-1, near)) return of_function;
  const int highest = std::ranges::max(arrival.impulses, {}, &Impulse::order).order;
  for (int order = 0; order <= highest; ++order) {
    far.assign(far.size(), 0.0);
    if (!values_out(order, far)) continue;
    for (std::size_t w = 0; w < far.size(); ++w) {
      if (std::abs(far[w] - near[w]) <= grows * std::abs(near[w])) continue;
      // Derivatives of impulses have no sign.
      of_function[w] = order == 0 ? far[w] : std::nan("");
    }
  }
  return of_function;
}

}  // namespace saltus::detail
