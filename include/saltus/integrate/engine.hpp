// One interface for everything that integrates a smooth system.
//
//   auto engine = make_engine(EngineKind::radau, system, workspace, options);
//   engine->start({t0, x0, xdot0}, t_end);
//   while (engine->t() != t_end) {
//     if (auto done = engine->step(t_end); !done) return done.failure();
//     use(engine->last_step());
//   }
//
// An engine knows one system and nothing of events, modes or output. Steps go forward or backward in
// time. No member function allocates after the first accepted step, failures excepted.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <saltus/core/result.hpp>
#include <saltus/integrate/options.hpp>
#include <saltus/system/step_polynomial.hpp>
#include <saltus/system/system.hpp>
#include <saltus/system/work.hpp>

namespace saltus {

/// A consistent point: F(t, x, x') = 0.
struct EnginePoint {
  double t = 0.0;
  std::span<const double> x;
  std::span<const double> xdot;
};

/// What is known when an engine starts anew.
struct StartHint {
  /// First step to try; 0 lets the engine find one. Its sign does not matter.
  double step = 0.0;
  /// The Jacobian has not changed much since the last step (a restart after a small jump): engines
  /// that can, keep their factors.
  bool keep_jacobian = false;
  /// x' of the point is what the system gives at its x, to the last digit: explicit engines need not
  /// evaluate it again.
  bool derivative_known = false;
};

/// Asked before the system is evaluated at a point inside a step. False refuses the point as if it
/// were out of domain: the step is repeated smaller.
using StageCheck = std::function<bool(double t, std::span<const double> x)>;

class Engine {
 public:
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  virtual EngineKind kind() const = 0;

  /// Begins, or begins again, towards t_towards. Forgets history; keeps counts and memory.
  virtual Result<void> start(const EnginePoint& point, double t_towards,
                             const StartHint& hint = {}) = 0;

  /// One accepted step towards t_bound, which is hit exactly if the step reaches it. After a failure
  /// t(), x() and xdot() are still those of the last accepted point, or, if the system refused to go on
  /// (StepRefresh), of the point it refused.
  virtual Result<void> step(double t_bound) = 0;

  /// The last accepted step. Valid until the next call that is not const; made on demand.
  virtual StepPolynomial last_step() = 0;

  /// Ends the last accepted step at t instead, t strictly inside it: one-step engines take the step
  /// again from its left end, a multistep engine reads its polynomial. The engine must be started
  /// before its next step. It may be called again with another t of the *original* step.
  virtual Result<void> shorten(double t) = 0;

  /// The point reached.
  virtual double t() const = 0;
  virtual std::span<const double> x() const = 0;
  virtual std::span<const double> xdot() const = 0;

  virtual const WorkCounts& work() const = 0;

  /// Empty: every point is allowed.
  virtual void set_stage_check(StageCheck check) = 0;

  /// The factorisation in use; empty for explicit engines.
  virtual std::optional<LinearSolverKind> linear_solver() const { return std::nullopt; }

  /// True once an explicit engine finds its steps limited by stability instead of accuracy.
  virtual bool finds_stiff() const { return false; }

 protected:
  Engine() = default;
};

/// Engines for the system; `workspace` is one of its workspaces and outlives the engine, as does the
/// system. Refuses (OptionError) what does not fit: an explicit engine for a system without
/// ExplicitForm names the first equation that stands in the way. `automatic` is refused: see
/// choose_engine.
std::unique_ptr<Engine> make_engine(EngineKind kind, const System& system, Workspace& workspace,
                                    const EngineOptions& options);

}  // namespace saltus
