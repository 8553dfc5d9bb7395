#include "events/oracle.hpp"

#include <cmath>
#include <limits>

namespace saltus::bench {

using problems::Choices;
using problems::NamedState;

namespace {

/// Choices with several lanes are parameters of the frozen model; the others change its equations.
std::string structure_of(const Choices& choices) {
  std::string key;
  for (const auto& [name, lanes] : choices) {
    if (lanes.size() == 1) key += name + "=" + to_text(lanes[0]) + ";";
  }
  return key;
}

}  // namespace

/// One smooth stretch: a system of its own, entered with a state.
struct Oracle::Stretch {
  Stretch(std::shared_ptr<const System> s, const ModelDefinition& definition,
          const Choices& choices, const OracleOptions& options)
      : system(std::move(s)), workspace(system->workspace()) {
    auto* held = workspace->ability<HeldValues>();
    for (const auto& [name, lanes] : choices) {
      if (lanes.size() == 1) continue;
      const Variable* parameter = definition.find(name);
      for (std::size_t i = 0; i < lanes.size(); ++i)
        held->parameters()[parameter->first + i] = lanes[i];
    }
    EngineOptions o;
    o.rtol = options.tolerance;
    o.atol.resize(system->size());
    for (std::uint32_t i = 0; i < system->size(); ++i)
      o.atol[i] = options.tolerance * system->nominal(i);
    engine = make_engine(options.engine, *system, *workspace, o);
    weights.resize(system->size());
  }

  /// Consistent values from x; what they cost is added to the work.
  Result<void> enter(double t, std::vector<double> x, double t_bound, double step,
                     WorkCounts& work) {
    const double rtol = 1e-6;  // weighs the search for algebraic unknowns only
    for (std::uint32_t i = 0; i < system->size(); ++i)
      weights[i] = 1.0 / (rtol * (std::abs(x[i]) + system->nominal(i)));
    StartValues guess{std::move(x), std::vector<double>(system->size(), 0.0),
                      std::vector<std::uint8_t>(system->size(), 0)};
    InitializeOptions search;
    search.time_scale = t_bound - t;
    auto found = find_consistent_start(*system, *workspace, t, guess, weights, search);
    if (!found) return found.failure();
    work.n_evaluations += static_cast<std::uint64_t>(found->n_iterations) + 1;
    StartHint hint;
    hint.step = step;
    return engine->start({t, found->x, found->xdot}, t_bound, hint);
  }

  /// Steps to t_bound. Returns the step it would have gone on with had it not been for the bound.
  Result<double> integrate(double t_bound) {
    double natural = 0.0;
    while (engine->t() != t_bound) {
      const double planned = engine->work().n_steps > 0 ? std::abs(engine->work().next_step) : 0.0;
      if (auto ok = engine->step(t_bound); !ok) return ok.failure();
      const double taken = std::abs(engine->work().last_step);
      natural = std::max(taken, engine->t() == t_bound ? planned : 0.0);
    }
    return natural;
  }

  NamedState named() const {
    NamedState state;
    for (std::uint32_t i = 0; i < system->size(); ++i)
      state[system->unknown_name(i)] = engine->x()[i];
    return state;
  }

  std::shared_ptr<const System> system;
  std::unique_ptr<Workspace> workspace;
  std::unique_ptr<Engine> engine;
  std::vector<double> weights;
};

Oracle::Oracle(problems::SwitchedProblem problem) : problem_(std::move(problem)) {}
Oracle::~Oracle() = default;

const Oracle::Frozen& Oracle::frozen_for(const Choices& choices) {
  const auto [place, is_new] = systems_.try_emplace(structure_of(choices));
  if (is_new) {
    place->second.definition = problems::write_model(problem_, &choices).definition;
    place->second.system = *compile_model(place->second.definition)->system({});
  }
  return place->second;
}

OracleRun Oracle::run(const OracleOptions& options) {
  OracleRun result;
  Choices choices = problem_.choices;
  NamedState state;
  double t = 0.0, step = 0.0;
  const std::size_t n_events = std::min(options.max_events, problem_.events.size());
  for (std::size_t k = 0; k <= n_events; ++k) {
    if (k == n_events && options.max_events < problem_.events.size()) break;
    const double t_bound = k < n_events ? problem_.events[k].t : problem_.t_end;
    const Frozen& frozen = frozen_for(choices);
    Stretch stretch(frozen.system, *frozen.definition, choices, options);
    std::vector<double> x = frozen.system->start_values().x;
    for (std::uint32_t i = 0; i < x.size() && !state.empty(); ++i)
      x[i] = state.at(frozen.system->unknown_name(i));
    const std::uint64_t before = result.work.n_evaluations;
    auto entered = stretch.enter(t, std::move(x), t_bound, step, result.work);
    const auto natural = entered ? stretch.integrate(t_bound) : Result<double>(entered.failure());
    result.work += stretch.engine->work();
    result.n_side_evaluations +=
        static_cast<double>(result.work.n_evaluations - before) * (sides ? sides(k) : 1);
    if (!natural) {
      result.message = natural.failure().message;
      return result;
    }
    t = t_bound;
    // A stretch that was shorter than one step says nothing about steps.
    if (options.carry_step)
      step = std::max(*natural, stretch.engine->work().n_steps > 1 ? 0.0 : step);
    state = stretch.named();
    if (k == n_events) break;
    if (on_event) on_event(k, *stretch.engine);
    if (problem_.switch_at) problem_.switch_at(k, choices);
    if (problem_.jump_at) problem_.jump_at(k, state);
  }
  result.ok = true;
  for (const auto& [name, value] : problem_.final_values) {
    const auto found = state.find(name);
    if (found == state.end()) continue;
    result.end_error =
        std::max(result.end_error, std::abs(found->second - value) / (1.0 + std::abs(value)));
  }
  return result;
}

OracleRun Oracle::best(OracleOptions options) {
  options.carry_step = true;
  OracleRun carried = run(options);
  options.carry_step = false;
  OracleRun fresh = run(options);
  const bool take_fresh =
      fresh.ok && (!carried.ok || fresh.work.n_evaluations < carried.work.n_evaluations);
  OracleRun& cheap = take_fresh ? fresh : carried;
  const OracleRun& other = take_fresh ? carried : fresh;
  if (other.ok) cheap.end_error = std::min(cheap.end_error, other.end_error);
  return cheap;
}

}  // namespace saltus::bench
