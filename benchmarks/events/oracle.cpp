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

  /// Steps to t_bound, or to where `ends` says so. Returns the step it would have gone on with had it not been for that.
  Result<double> integrate(double t_bound, const std::function<bool()>& ends) {
    double natural = 0.0;
    while (engine->t() != t_bound && !(natural > 0.0 && ends && ends())) {
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

/// The time in the engine's last step at which the function of the event changes its sign, from which the engine's step is
/// taken again. Not before half of the stretch has passed: a function may begin on its surface.
std::optional<double> Oracle::find_event(std::size_t event, Engine& engine, double t_begin) const {
  const StepPolynomial step = engine.last_step();
  std::vector<double> x(step.n);
  const auto sign_at = [&](double t) {
    step.state_at(t, x);
    return surface(event, t, x) > 0.0;
  };
  double before = std::max(step.t_left, 0.5 * (t_begin + problem_.events[event].t));
  double after = step.t_right;
  if (before >= after || sign_at(before) == sign_at(after)) return std::nullopt;
  const bool sign = sign_at(before);
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (before + after);
    (sign_at(middle) == sign ? before : after) = middle;
  }
  if (after > step.t_left && after < step.t_right && !engine.shorten(after)) return std::nullopt;
  return after;
}

OracleRun Oracle::run(const OracleOptions& options) {
  OracleRun result;
  time_errors_.clear();
  Choices choices = problem_.choices;
  NamedState state;
  double t = 0.0, step = 0.0;
  const std::size_t n_events = std::min(options.max_events, problem_.events.size());
  for (std::size_t k = 0; k <= n_events; ++k) {
    if (k == n_events && options.max_events < problem_.events.size()) break;
    const bool looks = surface && k < problem_.events.size();
    const double t_told = k < n_events ? problem_.events[k].t : problem_.t_end;
    const double t_next = k + 1 < n_events ? problem_.events[k + 1].t : problem_.t_end;
    const double t_bound = looks ? 0.5 * (t_told + t_next) : t_told;
    std::optional<double> found;
    const Frozen& frozen = frozen_for(choices);
    Stretch stretch(frozen.system, *frozen.definition, choices, options);
    std::vector<double> x = frozen.system->start_values().x;
    for (std::uint32_t i = 0; i < x.size() && !state.empty(); ++i)
      x[i] = state.at(frozen.system->unknown_name(i));
    const std::uint64_t before = result.work.n_evaluations;
    auto entered = stretch.enter(t, std::move(x), t_bound, step, result.work);
    const std::function<bool()> ends = [&] {
      found = find_event(k, *stretch.engine, t);
      return found.has_value();
    };
    const auto natural = entered ? stretch.integrate(t_bound, looks ? ends : nullptr)
                                 : Result<double>(entered.failure());
    result.work += stretch.engine->work();
    result.n_side_evaluations +=
        static_cast<double>(result.work.n_evaluations - before) * (sides ? sides(k) : 1);
    if (!natural) {
      result.message = natural.failure().message;
      return result;
    }
    if (looks && !found) {
      result.message = "event " + std::to_string(k + 1) + " does not come";
      return result;
    }
    if (found) time_errors_.push_back(std::abs(*found - t_told));
    t = found.value_or(t_bound);
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
