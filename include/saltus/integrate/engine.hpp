// The interface of all engines: each integrates one smooth system.
//
//   auto engine = make_engine(EngineKind::radau, system, workspace, options);
//   engine->start({t0, x0, xdot0}, t_end);
//   while (engine->t() != t_end) {
//     if (auto done = engine->step(t_end); !done) return done.failure();
//     use(engine->last_step());
//   }
//
// An engine is independent of events, modes and output. Steps go forward or backward in time.
// Except for failures, no member function allocates after the first accepted step.
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

/// Information for an engine that starts again.
struct StartHint {
  /// First step to try; 0 lets the engine find one. Its sign is ignored.
  double step = 0.0;
  /// The Jacobian has changed little since the last step (a restart after a small jump). Engines
  /// keep their factors if they can.
  bool keep_jacobian = false;
  /// x' of the point is exactly the value that the system gives at x, so explicit engines need not
  /// evaluate it again.
  bool derivative_known = false;
};

/// Called before the system is evaluated at a point inside a step. Returning false refuses the
/// point as if it were out of domain: the step is repeated smaller.
using StageCheck = std::function<bool(double t, std::span<const double> x)>;

class Engine {
 public:
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  virtual EngineKind kind() const = 0;

  /// Begins, or begins again, towards t_towards. Discards history; keeps counts and memory.
  virtual Result<void> start(const EnginePoint& point, double t_towards,
                             const StartHint& hint = {}) = 0;

  /// Takes one accepted step towards t_bound, which is hit exactly if the step reaches it. After a
  /// failure t(), x() and xdot() are those of the last accepted point. If the system refused to
  /// continue (StepRefresh), they are those of the refused point.
  virtual Result<void> step(double t_bound) = 0;

  /// Returns the last accepted step, computed on demand. Valid until the next non-const call.
  virtual StepPolynomial last_step() = 0;

  /// Ends the last accepted step at t instead, with t strictly inside it. One-step engines repeat
  /// the step from its left end; a multistep engine evaluates its polynomial. The engine must be
  /// started before its next step. May be called again with another t of the *original* step.
  virtual Result<void> shorten(double t) = 0;

  /// Return the point reached.
  virtual double t() const = 0;
  virtual std::span<const double> x() const = 0;
  virtual std::span<const double> xdot() const = 0;

  virtual const WorkCounts& work() const = 0;

  /// An empty check allows every point.
  virtual void set_stage_check(StageCheck check) = 0;

  /// Returns the factorisation in use; none for explicit engines.
  virtual std::optional<LinearSolverKind> linear_solver() const { return std::nullopt; }

  /// Returns true once an explicit engine finds its steps limited by stability instead of accuracy.
  virtual bool finds_stiff() const { return false; }

 protected:
  Engine() = default;
};

/// Makes an engine for the system. `workspace` is one of its workspaces; both must outlive the
/// engine. Throws OptionError if the engine does not fit: for an explicit engine and a system
/// without ExplicitForm, the message names the first equation in the way. Also throws for
/// `automatic`; see choose_engine.
std::unique_ptr<Engine> make_engine(EngineKind kind, const System& system, Workspace& workspace,
                                    const EngineOptions& options);

}  // namespace saltus
