// The matrix of Newton's iteration, as the pair of objects IDA wants: a matrix and its solver.
//
// With xdot = cj x + (known) a step solves F(t, x, xdot) = 0, so the matrix is
//   J = dF/dx + cj dF/dx'.
// Both parts are kept: after a restart with unchanged equations another cj needs no evaluation.
#pragma once

#include <optional>
#include <vector>

#include <saltus/numerics/linear_solver.hpp>

#include "integrate/problem.hpp"
#include "integrate/sundials/handles.hpp"
#include "integrate/sundials/local_time.hpp"

namespace saltus::detail::sundials {

/// What SUNDIALS makes of an evaluation: 0, recoverable (> 0) or hopeless (< 0).
int code_of(const Evaluation& evaluation);

class NewtonMatrix {
 public:
  NewtonMatrix(Problem& problem, const LocalTime& clock, ExceptionFence& fence,
               const Context& context);

  LinearSolverKind kind() const { return factors_.kind(); }

  /// Makes IDA use this matrix. `ida` has been initialised.
  void attach_to(void* ida);

  /// The factors belong to equations that have changed since: the next solution begins with a new
  /// evaluation and factorisation, although IDA sees no reason for one.
  void mark_stale() { stale_ = true; }
  /// The next time IDA asks for a matrix, the two parts last evaluated serve once more.
  void keep_parts_once() { keep_parts_ = have_parts_; }

  void forget_trouble() { singular_column_.reset(); }
  /// Set if the last factorisation failed.
  std::optional<index_t> singular_column() const { return singular_column_; }

 private:
  // What IDA calls, in its order: evaluate (a Jacobian function), factor (setup), solve.
  static int on_evaluate(double tau, double cj, N_Vector x, N_Vector xdot, N_Vector residual,
                         SUNMatrix matrix, void* user, N_Vector, N_Vector, N_Vector);
  static int on_factor(SUNLinearSolver solver, SUNMatrix matrix);
  static int on_solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b,
                      double tolerance);

  int evaluate(double tau, double cj, N_Vector x, N_Vector xdot);
  int factor();
  int solve(std::span<double> x, std::span<const double> b);
  int refresh();

  Problem& problem_;
  const LocalTime& clock_;
  ExceptionFence& fence_;
  void* ida_ = nullptr;
  LinearSolver<double> factors_;
  std::vector<double> df_dx_, df_dxdot_, sum_;
  double cj_ = 0.0;  // of sum_ and of the factors
  bool have_parts_ = false;
  bool keep_parts_ = false;
  bool stale_ = false;
  bool factored_ = false;
  std::optional<index_t> singular_column_;
  MatrixShell matrix_;
  SolverShell solver_;
};

}  // namespace saltus::detail::sundials
