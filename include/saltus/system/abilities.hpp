// What a system may offer beyond residual and Jacobian. Each ability is an interface that a
// workspace hands out (Workspace::ability); a system offers those it can keep.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <saltus/core/error.hpp>
#include <saltus/numerics/quad.hpp>
#include <saltus/numerics/sparse.hpp>
#include <saltus/system/evaluation.hpp>

namespace saltus {

/// x' = f(t, x). Explicit engines need it.
class ExplicitForm {
 public:
  virtual ~ExplicitForm() = default;
  virtual Evaluation derivative(double t, std::span<const double> x, std::span<double> xdot) = 0;
};

/// Constraints that x' = f(t, x) keeps along exact solutions, and that a numerical step leaves by its
/// error. Explicit engines project the end of each step, and do not take a step that this moves by more
/// than the step's own error estimate: it would steer the solution. Implicit engines need no such thing,
/// their equations contain the constraints.
class StepProjection {
 public:
  virtual ~StepProjection() = default;
  /// Moves x onto the constraints, up to rounding and by as little as possible.
  virtual Evaluation project(double t, std::span<double> x) = 0;
  /// How well f keeps the constraints, in parts of x: 0 up to rounding. Larger where their derivatives are
  /// differences.
  virtual double accuracy() const { return 0.0; }
};

/// Internals that follow the solution: called once after each accepted step, in order, with the
/// point the step ended at. A system may refresh what it froze (projectors, a choice of states); the
/// solution it defines must stay the same, so no restart is needed.
class StepRefresh {
 public:
  enum class Answer : std::uint8_t {
    unchanged,
    new_jacobian,  // factorised Jacobians are stale
    restart,       // the solution set itself has changed: the engine must be started anew
    stop,          // this point is no part of the solution: stop_reason() says why
  };
  virtual ~StepRefresh() = default;
  virtual Answer step_accepted(double t, std::span<const double> x,
                               std::span<const double> xdot) = 0;
  /// After `stop`.
  virtual Failure stop_reason() const {
    return {FailureCode::external_failed, "the system ended the run"};
  }
};

/// Which unknowns are integrated now: the system determines their derivatives, and the others follow
/// from equations without derivatives. A system without it means its carries_derivative().
class ChosenStates {
 public:
  virtual ~ChosenStates() = default;
  /// One flag per unknown; may change in StepRefresh::step_accepted().
  virtual std::span<const std::uint8_t> chosen() const = 0;
  /// Unknowns that occur by their derivative only, which stands for that of an unknown that is not integrated:
  /// of another one after chosen() has changed. Nothing depends on their values, so that errors of these are no
  /// measure of steps. One flag per unknown, always the same; empty: none.
  virtual std::span<const std::uint8_t> stand_ins() const { return {}; }
};

/// Unknowns that are the time derivative of others (a reduced system has them): where equations need a
/// derivative of what is not integrated, it is one of these.
class DerivativeUnknowns {
 public:
  static constexpr std::uint32_t none = 0xffffffffU;
  virtual ~DerivativeUnknowns() = default;
  /// Per unknown the one that is its derivative, or none.
  virtual std::span<const std::uint32_t> derivative_unknown() const = 0;
};

/// Known times at which the equations are not smooth (samples of a table, say). Between two of them
/// the workspace evaluates the smooth piece; at one of them, the piece it was told to be in.
class ScheduledTimes {
 public:
  virtual ~ScheduledTimes() = default;
  /// The first such time strictly after t on the way to t_end, or t_end if there is none.
  virtual double next(double t, double t_end) const = 0;
  /// All later evaluations belong to the stretch from t_from to t_to (which may be the smaller).
  virtual void enter_stretch(double t_from, double t_to) = 0;
};

/// Values that are constant during a stretch: parameters and discrete variables.
class HeldValues {
 public:
  virtual ~HeldValues() = default;
  virtual std::span<double> parameters() = 0;
  virtual std::span<double> discrete() = 0;
};

/// Which derivative of which unknown occurs in which equation: for structural analysis.
class IncidenceOrders {
 public:
  struct Entry {
    std::uint32_t row;
    std::uint32_t unknown;
    std::uint32_t order;  // the highest
  };
  virtual ~IncidenceOrders() = default;
  virtual std::span<const Entry> entries() const = 0;
};

/// F and its Jacobians along a path x(t + tau) = sum_j x_j tau^j, in Taylor coefficients: what an
/// index analysis looks at. F_k and x_j are derivatives divided by k! and j!, and
///
///   dF_k / dx_j = A_{k-j} + j B_{k-j+1},
///
/// where A_i and B_i are the coefficients of dF/dx and dF/dx' along the path (terms with a negative
/// index are zero). T is double, or Quad for decisions about ranks.
template <class T>
class DerivativeLevels {
 public:
  virtual ~DerivativeLevels() = default;
  /// path[j n + i] is x_j of unknown i, j = 0 … level + 1; f[k m + i] gets F_k of equation i,
  /// k = 0 … level.
  virtual Evaluation residuals(double t, std::span<const T> path, int level, std::span<T> f) = 0;
  /// a[k nnz + slot] and b[k nnz + slot] get A_k and B_k on the pattern of the system.
  virtual Evaluation jacobians(double t, std::span<const T> path, int level, std::span<T> a,
                               std::span<T> b) = 0;
};

/// dF/dp for the parameters of HeldValues, column by column on its own pattern.
class ParameterDerivatives {
 public:
  virtual ~ParameterDerivatives() = default;
  virtual const CscPattern& pattern() const = 0;
  virtual Evaluation evaluate(double t, std::span<const double> x, std::span<const double> xdot,
                              std::span<double> df_dp) = 0;
};

/// dF/du for the inputs that drive the system from outside, on its own pattern. An input is a signal,
/// or a derivative of one that the equations contain ("der(u)").
class InputDerivatives {
 public:
  virtual ~InputDerivatives() = default;
  virtual std::span<const std::string> inputs() const = 0;
  virtual const CscPattern& pattern() const = 0;  // equations by inputs
  virtual Evaluation evaluate(double t, std::span<const double> x, std::span<const double> xdot,
                              std::span<double> df_du) = 0;
};

/// Derivatives of the expressions y(t, x, x', u) that a user asked for.
class OutputDerivatives {
 public:
  virtual ~OutputDerivatives() = default;
  virtual std::span<const std::string> outputs() const = 0;
  virtual const CscPattern& pattern() const = 0;  // outputs by (x, x', u), side by side
  virtual Evaluation evaluate(double t, std::span<const double> x, std::span<const double> xdot,
                              std::span<double> dy) = 0;
};

/// Moves a point that will be shown to a user onto the constraints; the engine's own history is not
/// touched. Returns the largest change in units of the tolerance through `moved`.
class OutputProjection {
 public:
  virtual ~OutputProjection() = default;
  virtual Evaluation project(double t, std::span<double> x, std::span<double> xdot,
                             double& moved) = 0;

  // Points may be asked for after the run, in a workspace that has not seen it.
  /// From where this one would begin its search for what the unknowns determine.
  virtual std::vector<double> search_start() const { return {}; }
  /// The next points lie in the step that ends here; `search_start` is what another workspace said there.
  /// What this one has seen before does not matter any more. False: no points can be found from here.
  virtual bool begin_step(double t, std::span<const double> x, std::span<const double> xdot,
                          std::span<const double> search_start) {
    (void)t, (void)x, (void)xdot, (void)search_start;
    return true;
  }
};

}  // namespace saltus
