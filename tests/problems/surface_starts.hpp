// Starts exactly on surfaces. The rule: what is false at the start and true right after has fired.
//
// A quantity q begins at a level and goes q = level + c t^k from there, k = 1, 2 or 3, or stays. It is a state, an
// algebraic unknown, a difference of two states, the height of a motion of second order, or holds a product of two
// states, whose gradient vanishes. Something else may be set at the start. What tests q <, <=, > or
// >= level is a clause or a termination, the guard of a transition, either of them after a mode that is left at once, the
// opposite of an assertion, or a branch of the equations.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>

#include <saltus/saltus.hpp>

namespace saltus::problems {

struct SurfaceStart {
  enum class Quantity : std::uint8_t { state, algebraic, difference, height, product };
  enum class Reaction : std::uint8_t {
    clause,
    clause_of_next_mode,
    termination,
    transition,
    transition_of_next_mode,
    assertion,
    branch
  };
  Quantity quantity = Quantity::state;
  Reaction reaction = Reaction::clause;
  double level = 0.0;
  double speed = 0.0;  // c; 0: it stays
  int power = 1;       // k
  int relation = 0;    // <, <=, >, >=
  EngineKind engine = EngineKind::radau;
  bool sets_at_start = false;
  double atol = 1e-6;

  /// False at the start, true right after.
  bool fires() const { return (relation == 0 && speed < 0) || (relation == 2 && speed > 0); }
  bool holds_after() const {
    return fires() || (relation == 1 && speed <= 0) || (relation == 3 && speed >= 0);
  }
  /// Clauses and terminations are carried out where a condition becomes true; the others only ask whether it is.
  bool acts() const {
    const bool becomes = reaction <= Reaction::termination;
    return becomes ? fires() : holds_after();
  }
};

inline SurfaceStart random_surface_start(std::mt19937_64& random) {
  SurfaceStart s;
  s.quantity = static_cast<SurfaceStart::Quantity>(random() % 5);
  s.reaction = static_cast<SurfaceStart::Reaction>(random() % 7);
  s.level = std::uniform_real_distribution<>(-3.0, 3.0)(random);
  s.speed = static_cast<double>(static_cast<int>(random() % 3) - 1) *
            std::uniform_real_distribution<>(0.5, 2.0)(random);
  s.power = 1 + static_cast<int>(random() % 3);
  s.relation = static_cast<int>(random() % 4);
  constexpr EngineKind engines[] = {EngineKind::radau, EngineKind::ida, EngineKind::dopri5};
  s.engine = engines[random() % (s.quantity == SurfaceStart::Quantity::algebraic ? 2 : 3)];
  s.sets_at_start = random() % 4 == 0;
  s.atol = random() % 2 == 0 ? 1e-6 : 1e-11;
  return s;
}

/// With y' = 1, or 2 once a transition is taken or while a branch holds.
inline void write_reaction(Model& m, SurfaceStart::Reaction reaction, const Cond& condition,
                           const Expr& n) {
  using Reaction = SurfaceStart::Reaction;
  const Expr y = m.state("y", 0.0);
  const bool is_next =
      reaction == Reaction::clause_of_next_mode || reaction == Reaction::transition_of_next_mode;
  if (is_next || reaction == Reaction::transition) {
    const ModeId left = m.mode("left at once"), before = m.mode("before"), after = m.mode("after");
    m.equation(left, der(y) == 3.0);
    m.equation(before, der(y) == 1.0);
    m.equation(after, der(y) == 2.0);
    m.transition("at once", left, before, y > -1.0);
    if (!is_next) m.start_in(before);
    if (reaction == Reaction::clause_of_next_mode)
      m.when("it", condition, {{n, pre(n) + 1.0}});
    else
      m.transition("it", before, after, condition);
    return;
  }
  m.equation(der(y) ==
             (reaction == Reaction::branch ? where(condition, Expr(2.0), Expr(1.0)) : Expr(1.0)));
  if (reaction == Reaction::clause) m.when("it", condition, {{n, pre(n) + 1.0}});
  if (reaction == Reaction::termination) m.terminate_when("it", condition);
  if (reaction == Reaction::assertion) m.assert_always("it", !condition, "it holds");
}

/// Whether it acted, at the start and once; a failure if something else happened.
inline Result<bool> what_happened(SurfaceStart::Reaction reaction, const Solution& run,
                                  const RunOptions& o) {
  using Reaction = SurfaceStart::Reaction;
  const bool ended = run.report.outcome == Outcome::terminal_event;
  const bool refused = run.report.message.find("'it' fails") != std::string::npos;
  if (reaction == Reaction::assertion && refused && run.report.t_reached == 0.0) return true;
  if (!run.ok() && !ended) return Failure{FailureCode::not_converged, run.report.message};
  for (const Event& e : run.events())
    if (e.t != 0.0)
      return Failure{FailureCode::not_certified, "an event of " + e.name + " at " + to_text(e.t)};
  if (run.final("n") > 1.0)
    return Failure{FailureCode::not_certified, "it was carried out more than once"};
  if (reaction <= Reaction::clause_of_next_mode) return run.final("n") == 1.0;
  if (reaction == Reaction::termination) return ended;
  if (reaction == Reaction::assertion) return false;
  // From the start or never: y is 0.5 or 1 at its end.
  const double y = run.final("y") / o.t_end;
  if (std::abs(y - std::round(y)) > 10 * o.rtol)
    return Failure{FailureCode::not_certified, "y' changes on the way: y ends at " + to_text(y)};
  return y > 1.5;
}

/// Whether it acted, at the start and once; a failure if something else happened.
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
    case SurfaceStart::Quantity::product: {
      const Expr one = m.state("one", 0.0), other = m.state("other", 0.0);
      m.equation(der(x) == 0.0 * n);
      m.equation(der(one) == s.speed);
      m.equation(der(other) == 1.0);
      q = x + one * other;
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
  write_reaction(m, s.reaction, condition, n);
  RunOptions o;
  o.engine = s.engine;
  o.t_end = 0.5;
  o.atol = s.atol;
  if (s.sets_at_start) m.at_start("beginning", {{m.discrete("u", 0.0), Expr(1.0)}});
  return what_happened(s.reaction, simulate(m, o), o);
}

}  // namespace saltus::problems
