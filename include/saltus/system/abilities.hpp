// Defines abilities: what a system may offer beyond residual and Jacobian. Each ability is an
// interface that a workspace returns (Workspace::ability); a system offers those that it supports.
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

/// The explicit form x' = f(t, x), which explicit engines need.
class ExplicitForm {
 public:
  virtual ~ExplicitForm() = default;
  virtual Evaluation derivative(double t, std::span<const double> x, std::span<double> xdot) = 0;
};

/// Projects steps onto constraints that exact solutions of x' = f(t, x) satisfy and that a
/// numerical step violates by its error. Explicit engines project the end of each step. They reject
/// a step that the projection moves by more than the step's own error estimate, since that would
/// steer the solution. Implicit engines do not need this ability: their equations contain the
/// constraints.
class StepProjection {
 public:
  virtual ~StepProjection() = default;
  /// Moves x onto the constraints, up to rounding and by as little as possible.
  virtual Evaluation project(double t, std::span<double> x) = 0;
  /// Returns how accurately f satisfies the constraints, in parts of x: 0 up to rounding. Larger
  /// where their derivatives are differences.
  virtual double accuracy() const { return 0.0; }
};

/// Updates internals that follow the solution: engines call it once after each accepted step, in
/// order, with the point at which the step ended. A system may refresh frozen quantities
/// (projectors, a choice of states). The solution it defines must stay the same, so no restart is
/// needed.
class StepRefresh {
 public:
  enum class Answer : std::uint8_t {
    unchanged,
    new_jacobian,  // factorised Jacobians are stale
    restart,       // the solution set itself has changed: the engine must restart
    stop,          // this point is not part of the solution: stop_reason() gives the reason
  };
  virtual ~StepRefresh() = default;
  virtual Answer step_accepted(double t, std::span<const double> x,
                               std::span<const double> xdot) = 0;
  /// Returns the reason after `stop`.
  virtual Failure stop_reason() const {
    return {FailureCode::external_failed, "the system ended the run"};
  }
};

/// Tells which unknowns are integrated now: the system determines their derivatives, and the others
/// follow from equations without derivatives. Without this ability, carries_derivative() applies.
class ChosenStates {
 public:
  virtual ~ChosenStates() = default;
  /// Returns one flag per unknown; may change in StepRefresh::step_accepted().
  virtual std::span<const std::uint8_t> chosen() const = 0;
  /// Returns unknowns that occur only by their derivative, which stands for the derivative of an
  /// unknown that is not integrated. After chosen() has changed they stand for another one. Nothing
  /// depends on their values, so their errors do not count for the step size. One flag per unknown,
  /// always the same; empty: none.
  virtual std::span<const std::uint8_t> stand_ins() const { return {}; }
};

/// Tells which unknowns are the time derivative of others (a reduced system has such). Where
/// equations need a derivative of an unknown that is not integrated, it is one of these.
class DerivativeUnknowns {
 public:
  static constexpr std::uint32_t none = 0xffffffffU;
  virtual ~DerivativeUnknowns() = default;
  /// Returns, per unknown, the unknown that is its derivative, or none.
  virtual std::span<const std::uint32_t> derivative_unknown() const = 0;
};

/// Lists known times at which the equations are not smooth (samples of a table, say). Between two
/// of them the workspace evaluates the smooth piece; at one of them, it evaluates the piece that
/// was entered.
class ScheduledTimes {
 public:
  virtual ~ScheduledTimes() = default;
  /// Returns the first such time strictly after t on the way to t_end, or t_end if there is none.
  virtual double next(double t, double t_end) const = 0;
  /// Makes all later evaluations belong to the piece from t_from to t_to (which may be the
  /// smaller).
  virtual void enter_stretch(double t_from, double t_to) = 0;
};

/// Gives access to values that are constant between events: parameters and discrete variables.
class HeldValues {
 public:
  virtual ~HeldValues() = default;
  virtual std::span<double> parameters() = 0;
  virtual std::span<double> discrete() = 0;
};

/// Lists which derivative of which unknown occurs in which equation, for structural analysis.
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

/// Evaluates F and its Jacobians along a path x(t + tau) = sum_j x_j tau^j, in Taylor coefficients,
/// for index analysis. F_k and x_j are derivatives divided by k! and j!, and
///
///   dF_k / dx_j = A_{k-j} + j B_{k-j+1},
///
/// where A_i and B_i are the coefficients of dF/dx and dF/dx' along the path (terms with a negative
/// index are zero). T is double, or Quad for decisions about ranks.
template <class T>
class DerivativeLevels {
 public:
  virtual ~DerivativeLevels() = default;
  /// Evaluates F along the path. path[j n + i] is x_j of unknown i, j = 0 … level + 1; f[k m + i]
  /// receives F_k of equation i, k = 0 … level.
  virtual Evaluation residuals(double t, std::span<const T> path, int level, std::span<T> f) = 0;
  /// Evaluates the Jacobians: a[k nnz + slot] and b[k nnz + slot] receive A_k and B_k on the
  /// pattern of the system.
  virtual Evaluation jacobians(double t, std::span<const T> path, int level, std::span<T> a,
                               std::span<T> b) = 0;
};

/// Evaluates dF/dp for the parameters of HeldValues, column by column on its own pattern.
class ParameterDerivatives {
 public:
  virtual ~ParameterDerivatives() = default;
  virtual const CscPattern& pattern() const = 0;
  virtual Evaluation evaluate(double t, std::span<const double> x, std::span<const double> xdot,
                              std::span<double> df_dp) = 0;
};

/// Evaluates dF/du for the inputs that drive the system from outside, on its own pattern. An input
/// is a signal, or a derivative of one that the equations contain ("der(u)").
class InputDerivatives {
 public:
  virtual ~InputDerivatives() = default;
  virtual std::span<const std::string> inputs() const = 0;
  virtual const CscPattern& pattern() const = 0;  // equations by inputs
  virtual Evaluation evaluate(double t, std::span<const double> x, std::span<const double> xdot,
                              std::span<double> df_du) = 0;
};

/// Evaluates derivatives of the outputs y(t, x, x', u) that the user declared.
class OutputDerivatives {
 public:
  virtual ~OutputDerivatives() = default;
  virtual std::span<const std::string> outputs() const = 0;
  virtual const CscPattern& pattern() const = 0;  // outputs by (x, x', u), side by side
  virtual Evaluation evaluate(double t, std::span<const double> x, std::span<const double> xdot,
                              std::span<double> dy) = 0;
};

/// Moves a point for output onto the constraints; the engine's own history is not touched. Returns
/// the largest change in units of the tolerance through `moved`.
class OutputProjection {
 public:
  virtual ~OutputProjection() = default;
  virtual Evaluation project(double t, std::span<double> x, std::span<double> xdot,
                             double& moved) = 0;

  // Points may be projected after the run, in a workspace that has not seen it.
  /// Returns where this workspace would start its search for the quantities that the unknowns
  /// determine.
  virtual std::vector<double> search_start() const { return {}; }
  /// Announces that the next points lie in the step that ends here; `search_start` is the value
  /// that another workspace returned there. Earlier points of this workspace no longer matter.
  /// Returns false if no points can be found from here.
  virtual bool begin_step(double t, std::span<const double> x, std::span<const double> xdot,
                          std::span<const double> search_start) {
    (void)t, (void)x, (void)xdot, (void)search_start;
    return true;
  }
};

}  // namespace saltus
