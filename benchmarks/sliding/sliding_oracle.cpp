#include "sliding/sliding_oracle.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::bench {

using problems::SlidingProblem;

SlidingOracle::SlidingOracle(const SlidingProblem& problem)
    : problem_(problem), oracle_(problems::as_switched(problem)) {
  oracle_.sides = [this](std::size_t n_events) { return 1 << problem_.n_sliding(n_events); };
}
SlidingOracle::~SlidingOracle() = default;

std::shared_ptr<const System> SlidingOracle::system_for(const std::string& mode) {
  std::shared_ptr<const System>& known = systems_[mode];
  if (known == nullptr) {
    Model m(problem_.name);
    problem_.write_stretch(m, mode, problem_.start);
    known = *compile_model(m.build())->system({});
  }
  return known;
}

SlidingOracle::State SlidingOracle::named(const System& system, std::span<const double> x) const {
  State state;
  for (std::uint32_t i = 0; i < system.size(); ++i) state[system.unknown_name(i)] = x[i];
  return state;
}

/// On the far side of the event's zero.
bool SlidingOracle::has_passed(std::size_t event, double t, const State& state) const {
  const problems::SlidingEvent& e = problem_.events[event];
  // What is left of a multiplier goes to zero from the side the solution leaves to.
  const int after = e.kind == EventKind::exit_sliding ? -e.direction : e.direction;
  return problem_.vanishes(event, t, state) * after > 0.0;
}

/// A third of the way to what comes before or after event k, beyond it.
double SlidingOracle::look_until(std::size_t event) const {
  const std::vector<problems::SlidingEvent>& all = problem_.events;
  if (event == all.size()) return problem_.t_end;
  const double t = all[event].t;
  const double before = event == 0 ? t : t - all[event - 1].t;
  const double after = (event + 1 == all.size() ? problem_.t_end : all[event + 1].t) - t;
  return t + std::min(before, after) / 3;
}

double SlidingOracle::find_event(std::size_t event, const System& system,
                                 const StepPolynomial& step) const {
  std::vector<double> x(step.n);
  double before = step.t_left, after = step.t_right;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (before + after);
    step.state_at(middle, x);
    (has_passed(event, middle, named(system, x)) ? after : before) = middle;
  }
  return after;
}

/// Newton's method on the unknown that moves the function most.
void SlidingOracle::land_on_surface(std::size_t event, double t, State& state) const {
  for (int i = 0; i < 3; ++i) {
    const double value = problem_.vanishes(event, t, state);
    std::string strongest;
    double slope = 0.0;
    for (const auto& [name, at] : state) {
      State moved = state;
      const double h = 1e-6;
      moved[name] = at + h;
      const double rate = (problem_.vanishes(event, t, moved) - value) / h;
      if (std::abs(rate) > std::abs(slope)) slope = rate, strongest = name;
    }
    if (slope == 0.0) return;
    state[strongest] -= value / slope;
  }
}

/// One smooth stretch on its way.
struct SlidingOracle::Stretch {
  Stretch(std::shared_ptr<const System> s, EngineKind kind, double rtol, double atol)
      : system(std::move(s)), workspace(system->workspace()) {
    EngineOptions o;
    o.rtol = rtol;
    o.atol.assign(system->size(), atol);
    engine = make_engine(kind, *system, *workspace, o);
  }

  Result<void> enter(double t, const State& state, double t_end, double step) {
    std::vector<double> x(system->size()), weights(system->size());
    for (std::uint32_t i = 0; i < system->size(); ++i) {
      x[i] = state.at(system->unknown_name(i));
      weights[i] = 1e6 / (std::abs(x[i]) + 1.0);
    }
    StartValues guess{std::move(x), std::vector<double>(system->size(), 0.0),
                      std::vector<std::uint8_t>(system->size(), 0)};
    auto found = find_consistent_start(*system, *workspace, t, guess, weights, {});
    if (!found) return found.failure();
    StartHint hint;
    hint.step = step;
    return engine->start({t, found->x, found->xdot}, t_end, hint);
  }

  std::shared_ptr<const System> system;
  std::unique_ptr<Workspace> workspace;
  std::unique_ptr<Engine> engine;
};

LocatedRun SlidingOracle::located(EngineKind kind, double rtol, double atol) {
  LocatedRun result;
  const auto fail = [&](const Failure& failure) {
    result.message = failure.message;
    return result;
  };
  State state = problem_.start;
  double t = 0.0, length = 0.0;
  for (std::size_t k = 0; k <= problem_.events.size(); ++k) {
    const bool is_last = k == problem_.events.size();
    Stretch stretch(system_for(problem_.modes[k]), kind, rtol, atol);
    if (auto ok = stretch.enter(t, state, problem_.t_end, length); !ok) return fail(ok.failure());
    Engine& engine = *stretch.engine;
    // A surface that was just left may be on any side for a while, and may be met again soon after.
    const double look_from = is_last ? problem_.t_end : 0.5 * (t + problem_.events[k].t);
    const double t_bound = look_until(k);
    bool passed = false;
    while (!passed && engine.t() != t_bound) {
      if (auto ok = engine.step(t_bound); !ok) return fail(ok.failure());
      passed = !is_last && engine.t() > look_from &&
               has_passed(k, engine.t(), named(*stretch.system, engine.x()));
    }
    length = std::abs(engine.work().last_step);
    if (passed) {
      const StepPolynomial step = engine.last_step();
      t = find_event(k, *stretch.system, step);
      if (t > step.t_left && t < step.t_right) {
        if (auto ok = engine.shorten(t); !ok) return fail(ok.failure());
      }
    } else if (!is_last) {
      result.message = "event " + std::to_string(k + 1) + " does not come";
      return result;
    }
    state = named(*stretch.system, engine.x());
    if (is_last) break;
    result.time_errors.push_back(std::abs(t - problem_.events[k].t));
    if (problem_.events[k].kind == EventKind::enter_sliding) land_on_surface(k, t, state);
  }
  result.ok = true;
  for (const auto& [name, value] : problem_.final_values) {
    result.end_error =
        std::max(result.end_error, std::abs(state.at(name) - value) / (1.0 + std::abs(value)));
  }
  return result;
}

}  // namespace saltus::bench
