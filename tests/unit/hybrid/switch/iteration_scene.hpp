// The iteration at an instant, around relations that a test writes down.
#pragma once

#include <memory>

#include <saltus/system/function_system.hpp>

#include "fake_switches.hpp"
#include "hybrid/switch/event_iteration.hpp"

namespace saltus::hybrid_test {

/// 'a' is x > 0 and chooses equations. One unknown, one discrete variable.
inline FakeParts one_relation() {
  return {.functions = {{.info = {.name = "a"}, .by_x = {1.0}}},
          .discrete = {0.0},
          .of_equations = {0}};
}

struct IterationScene {
  explicit IterationScene(FakeParts parts, const EventOptions& options = {}, bool forward = true)
      : fake(std::move(parts)),
        board(fake, options, forward),
        system(make_system({.unknowns = {{.name = "x"}},
                            .derivative = [](double, auto, auto xdot) { xdot[0] = 0.0; }})),
        iteration(board, *system, options, forward, [this](double, const StartValues& values) {
          ++n_searches;
          last = values;
          return find(values);
        }) {}
  /// The state that was asked for, which moves with this speed.
  static Result<ConsistentStart> state(double x, double speed = 0.0) {
    ConsistentStart start;
    start.x = {x};
    start.xdot = {speed};
    return start;
  }
  static Failure no_value() { return {FailureCode::out_of_domain, "log(x) of 0"}; }

  detail::InstantEntry entry(std::span<const std::uint32_t> crossed) {
    detail::InstantEntry entry;
    entry.t = 0.5;
    entry.x = x;
    entry.xdot = xdot;
    entry.crossed = crossed;
    margin.resize(board.count(), 1e-3);
    entry.margin = margin;
    return entry;
  }
  Result<detail::InstantResult> run(std::vector<std::uint32_t> crossed = {0}) {
    return iteration.run(entry(crossed));
  }
  Result<detail::InstantResult> run_action(std::uint32_t action) {
    auto asked = entry({});
    asked.action = action;
    return iteration.run(asked);
  }
  Result<detail::InstantResult> begin(const detail::StartOfRelations& relations = {}) {
    return iteration.begin(0.5, {x, xdot, {1}}, relations);
  }

  FakeSwitches fake;
  detail::SwitchBoard board;
  std::shared_ptr<const System> system;
  std::vector<double> x{0.0}, xdot{0.0}, margin;
  std::function<Result<ConsistentStart>(const StartValues&)> find = [](const StartValues& values) {
    return state(values.x[0], values.xdot[0]);
  };
  int n_searches = 0;
  StartValues last;
  detail::EventIteration iteration;
};

/// What it says if it fails.
template <class T>
std::string said_by(const Result<T>& result) {
  return result ? "nothing" : result.failure().message;
}

}  // namespace saltus::hybrid_test
