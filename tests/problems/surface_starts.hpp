// Starts exactly on surfaces. The rule: what is false at the start and true right after has fired.
//
// A quantity q begins at a level and goes q = level + c t^k from there, k = 1, 2 or 3, or stays. It is a state, an
// algebraic unknown, a difference of two states, or the height of a motion of second order; the clause or
// termination tests q <, <=, > or >= level.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>

#include <saltus/saltus.hpp>

namespace saltus::problems {

struct SurfaceStart {
  enum class Quantity : std::uint8_t { state, algebraic, difference, height };
  enum class Reaction : std::uint8_t { clause, termination };
  Quantity quantity = Quantity::state;
  Reaction reaction = Reaction::clause;
  double level = 0.0;
  double speed = 0.0;  // c; 0: it stays
  int power = 1;       // k
  int relation = 0;    // <, <=, >, >=
  EngineKind engine = EngineKind::radau;

  bool fires() const { return (relation == 0 && speed < 0) || (relation == 2 && speed > 0); }
};

inline SurfaceStart random_surface_start(std::mt19937_64& random) {
  SurfaceStart s;
  s.quantity = static_cast<SurfaceStart::Quantity>(random() % 4);
  s.reaction = static_cast<SurfaceStart::Reaction>(random() % 2);
  s.level = std::uniform_real_distribution<>(-3.0, 3.0)(random);
  s.speed = static_cast<double>(static_cast<int>(random() % 3) - 1) *
            std::uniform_real_distribution<>(0.5, 2.0)(random);
  s.power = 1 + static_cast<int>(random() % 3);
  s.relation = static_cast<int>(random() % 4);
  constexpr EngineKind engines[] = {EngineKind::radau, EngineKind::ida, EngineKind::dopri5};
  s.engine = engines[random() % (s.quantity == SurfaceStart::Quantity::algebraic ? 2 : 3)];
  return s;
}

/// Whether it fired, at the start and once; a failure if something else happened.
inline Result<bool> run_surface_start(const SurfaceStart& s) {
  Model m("start");
  const Expr n = m.discrete("n", 0.0), t = m.time();
  const Expr x = m.state("x", s.level);
  const Expr slope = s.speed * s.power * pow(t, s.power - 1) + 0.0 * n;
  Expr q = x;
  switch (s.quantity) {
    case SurfaceStart::Quantity::state:
      m.equation(der(x) == slope);
      break;
    case SurfaceStart::Quantity::algebraic: {
      m.equation(der(x) == slope);
      q = m.algebraic("q", {.start = s.level});
      m.equation(q == x);
      break;
    }
    case SurfaceStart::Quantity::difference: {
      const Expr other = m.state("other", 0.0);
      m.equation(der(x) == slope + 1.0);
      m.equation(der(other) == 1.0);
      q = x - other;
      break;
    }
    case SurfaceStart::Quantity::height: {
      const Expr v = m.state("v", s.power == 1 ? s.speed : 0.0);
      m.equation(der(x) == v);
      m.equation(der(v) == (s.power > 1 ? s.speed * s.power * (s.power - 1) * pow(t, s.power - 2)
                                        : Expr(0.0)) +
                               0.0 * n);
      break;
    }
  }
  const Cond condition = s.relation == 0   ? q < s.level
                         : s.relation == 1 ? q <= s.level
                         : s.relation == 2 ? q > s.level
                                           : q >= s.level;
  if (s.reaction == SurfaceStart::Reaction::clause)
    m.when("it", condition, {{n, pre(n) + 1.0}});
  else
    m.terminate_when("it", condition);
  RunOptions o;
  o.engine = s.engine;
  o.t_end = 0.5;
  const Solution run = simulate(m, o);
  const bool ended = run.report.outcome == Outcome::terminal_event;
  if (!run.ok() && !ended) return Failure{FailureCode::not_converged, run.report.message};
  const auto times = run.event_times("it");
  if (times.size() > 1 || (times.size() == 1 && times[0] != 0.0))
    return Failure{FailureCode::not_certified,
                   std::to_string(times.size()) + " events, the last at " + to_text(times.back())};
  return s.reaction == SurfaceStart::Reaction::clause ? run.final("n") == 1.0 : ended;
}

}  // namespace saltus::problems
