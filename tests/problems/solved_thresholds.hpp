// Clauses on unknowns that are solved for, not integrated: each is passed once.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <saltus/saltus.hpp>

namespace saltus::problems {

/// What a threshold is on.
enum class SolvedFor : std::uint8_t { implicit, derivative, force, combination };
inline constexpr SolvedFor all_solved_for[] = {SolvedFor::implicit, SolvedFor::derivative,
                                               SolvedFor::force, SolvedFor::combination};

struct SolvedThreshold {
  SolvedFor on = SolvedFor::implicit;
  double level = 0.0;
  bool sets_state = false;
};

/// Levels that are passed once.
inline std::pair<double, double> range_of(SolvedFor on) {
  switch (on) {
    case SolvedFor::implicit:
      return {-0.5, 1.4};
    case SolvedFor::force:
      return {0.0, 25.0};
    default:
      return {0.0, 2.0};
  }
}

inline SolvedThreshold random_threshold(SolvedFor on, std::mt19937_64& random) {
  const double part = std::uniform_real_distribution<>(0.02, 0.98)(random);
  const auto [from, to] = range_of(on);
  return {on, from + part * (to - from), random() % 2 == 0};
}

/// Writes the equations; returns what is watched and until when.
inline std::pair<Expr, double> write_solved_for(Model& m, SolvedFor on) {
  switch (on) {
    case SolvedFor::implicit: {
      const Expr x = m.state("x", 0.0), z = m.algebraic("z", {.start = -0.5});
      m.equation(der(x) == 1.0);
      m.equation(z + exp(z) == x);
      return {z, 6.0};
    }
    case SolvedFor::derivative: {
      const Expr x = m.state("x", 0.0), y = m.state("y", 0.0);
      m.equation(der(y) + 0.2 * der(x) * der(x) * der(x) == x);
      m.equation(der(x) == 1.0 + 0.1 * der(y));
      return {der(y), 3.0};
    }
    case SolvedFor::force: {
      // A pendulum from rest at the height of its pivot: the force in its rod rises from 0 to 3 g at t = 0.5 or so.
      const Expr x = m.state("x", 1.0), y = m.state("y", 0.0), u = m.state("u", 0.0),
                 v = m.state("v", 0.0), force = m.algebraic("force");
      m.equation(der(x) == u);
      m.equation(der(y) == v);
      m.equation(der(u) == -force * x);
      m.equation(der(v) == -force * y - 9.81);
      m.equation(x * x + y * y == 1.0);
      return {force, 0.55};
    }
    default: {
      const Expr x = m.state("x", 0.0), y = m.state("y", 0.0);
      m.equation(der(x) + der(y) == 1.0);
      m.equation(x + 0.2 * x * x * x == y);
      return {x, 6.0};
    }
  }
}

/// How often the clause was carried out, or why the run ended.
inline Result<double> passes_of(const SolvedThreshold& threshold, EngineKind engine,
                                double tolerance) {
  Model m("threshold");
  const Expr n = m.discrete("n", 0.0), kick = m.state("kick", 0.0);
  m.equation(der(kick) == 0.0 * n);
  const auto [watched, t_end] = write_solved_for(m, threshold.on);
  m.when("once", watched > threshold.level,
         threshold.sets_state ? std::vector<Model::Set>{{n, pre(n) + 1.0}, {kick, pre(kick) + 1.0}}
                              : std::vector<Model::Set>{{n, pre(n) + 1.0}});
  RunOptions o;
  o.t_end = t_end;
  o.engine = engine;
  o.rtol = o.atol = tolerance;
  const Solution s = simulate(m, o);
  if (!s.ok()) return Failure{FailureCode::not_converged, s.report.message};
  return s.final("n");
}

}  // namespace saltus::problems
