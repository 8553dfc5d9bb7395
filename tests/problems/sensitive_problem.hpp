// A model whose derivatives are asked for, and what they are held against: a reference, or differences of runs that
// have the same events.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <saltus/lower/compile_model.hpp>
#include <saltus/model/parameters_as_states.hpp>
#include <saltus/saltus.hpp>
#include <saltus/sensitivity/forward.hpp>

namespace saltus::problems {

struct SensitiveProblem {
  std::string name;
  /// By the names under which derivatives are asked for; states stand for their start values.
  std::vector<Named<double>> parameters = {};
  std::function<void(Model&, std::span<const double> values)> write = {};
  double t_end = 1.0;
  std::vector<std::string> variables = {};  // whose derivatives are compared
  bool explicit_engines = true;
  double step = 3e-4;                       // of differences, as a part of |value| + 0.01
  double tolerance_of_differences = 1e-13;  // of their runs
  double tolerance = 1e-9;                  // of the run with derivatives
  /// The same without constraints, if that can be integrated by explicit engines: for differences.
  std::function<void(Model&, std::span<const double> values)> write_explicit = {};

  std::vector<double> values() const {
    std::vector<double> all;
    for (const auto& p : parameters) all.push_back(p.value);
    return all;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& p : parameters) all.push_back(p.name);
    return all;
  }
  std::vector<EngineKind> engines() const {
    if (!explicit_engines) return {EngineKind::radau, EngineKind::ida};
    return {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau, EngineKind::ida};
  }
  std::shared_ptr<const ModelDefinition> model(std::span<const double> at) const {
    Model m(name);
    write(m, at);
    return m.build();
  }
};

inline RunOptions options_of(const SensitiveProblem& p, EngineKind engine, double tolerance) {
  RunOptions o;
  o.t_end = p.t_end;
  o.rtol = o.atol = tolerance;
  o.engine = engine;
  return o;
}

inline Solution with_derivatives(const SensitiveProblem& p, EngineKind engine, double tolerance) {
  RunOptions o = options_of(p, engine, tolerance);
  o.sensitivities = p.names();
  return simulate(p.model(p.values()), o);
}

/// The same with S going on through events as if nothing had happened: what must be wrong.
inline Solution without_jumps(const SensitiveProblem& p, EngineKind engine, double tolerance) {
  const RunOptions o = options_of(p, engine, tolerance);
  const auto model = p.model(p.values());
  std::vector<std::string> turned;
  for (const std::string& n : p.names()) {
    const Variable* v = model->find(n.substr(0, n.find('[')));
    if (v == nullptr || v->kind != InputKind::state) turned.push_back(n);
  }
  SensitivityOptions wrong{tolerance, tolerance};
  wrong.at_events = false;
  ForwardSensitivities follower(p.names(), wrong);
  Run run(p.name, compile_model(with_parameters_as_states(model, turned).model), o, null_observer(),
          &follower);
  while (run.advance()) {
  }
  Solution s = run.finish();
  s.sensitivities = follower.take();
  return s;
}

inline constexpr double no_error_known = std::numeric_limits<double>::infinity();

}  // namespace saltus::problems
