#include "integrate/sundials/newton_matrix.hpp"

#include <ida/ida_ls.h>

#include <algorithm>
#include <new>

namespace saltus::detail::sundials {

int code_of(const Evaluation& evaluation) {
  switch (evaluation.status()) {
    case Evaluation::Status::ok:
      return 0;
    case Evaluation::Status::out_of_domain:
      return 1;
    case Evaluation::Status::failed:
      break;
  }
  return -1;
}

NewtonMatrix::NewtonMatrix(Problem& problem, const LocalTime& clock, ExceptionFence& fence,
                           const Context& context)
    : problem_(problem),
      clock_(clock),
      fence_(fence),
      factors_(problem.system().pattern(), problem.options().linear_solver),
      df_dx_(static_cast<std::size_t>(problem.system().pattern().nnz())),
      df_dxdot_(df_dx_.size()),
      sum_(df_dx_.size()),
      matrix_(SUNMatNewEmpty(context.get())),
      solver_(SUNLinSolNewEmpty(context.get())) {
  if (!matrix_ || !solver_) throw std::bad_alloc();
  matrix_->content = this;
  matrix_->ops->getid = [](SUNMatrix) { return SUNMATRIX_CUSTOM; };
  // IDA clears a matrix before it is evaluated; ours is overwritten.
  matrix_->ops->zero = [](SUNMatrix) { return SUNMAT_SUCCESS; };
  solver_->content = this;
  solver_->ops->gettype = [](SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; };
  solver_->ops->getid = [](SUNLinearSolver) { return SUNLINEARSOLVER_CUSTOM; };
  solver_->ops->setup = &on_factor;
  solver_->ops->solve = &on_solve;
}

void NewtonMatrix::attach_to(void* ida) {
  ida_ = ida;
  must_succeed(IDASetLinearSolver(ida, solver_.get(), matrix_.get()));
  must_succeed(IDASetJacFn(ida, &on_evaluate));
  // IDA scales solutions by the cj of the matrix it ordered itself, which ours may not be.
  must_succeed(IDASetLinearSolutionScaling(ida, SUNFALSE));
}

int NewtonMatrix::on_evaluate(double tau, double cj, N_Vector x, N_Vector xdot, N_Vector,
                              SUNMatrix matrix, void*, N_Vector, N_Vector, N_Vector) {
  auto& self = *static_cast<NewtonMatrix*>(matrix->content);
  return self.fence_.hold([&] { return self.evaluate(tau, cj, x, xdot); });
}

int NewtonMatrix::on_factor(SUNLinearSolver solver, SUNMatrix) {
  auto& self = *static_cast<NewtonMatrix*>(solver->content);
  return self.fence_.hold([&] { return self.factor(); });
}

int NewtonMatrix::on_solve(SUNLinearSolver solver, SUNMatrix, N_Vector x, N_Vector b, double) {
  auto& self = *static_cast<NewtonMatrix*>(solver->content);
  const int code = self.fence_.hold([&] { return self.solve(values_of(x), values_of(b)); });
  if (code == 0) return SUNLS_SUCCESS;
  return code > 0 ? SUNLS_PACKAGE_FAIL_REC : SUNLS_PACKAGE_FAIL_UNREC;
}

int NewtonMatrix::evaluate(double tau, double cj, N_Vector x, N_Vector xdot) {
  if (!std::exchange(keep_parts_, false) || stale_) {
    have_parts_ = false;
    const Evaluation done =
        problem_.jacobian(clock_.of(tau), values_of(x), values_of(xdot), df_dx_, df_dxdot_);
    if (!done) return code_of(done);
    have_parts_ = true;
  }
  for (std::size_t s = 0; s < sum_.size(); ++s) sum_[s] = df_dx_[s] + cj * df_dxdot_[s];
  cj_ = cj;
  return 0;
}

int NewtonMatrix::factor() {
  ++problem_.work.n_factorizations;
  factored_ = factors_.factor(sum_);
  if (!factored_) {
    singular_column_ = factors_.singular_column();
    return 1;  // another step has another cj
  }
  singular_column_.reset();
  stale_ = false;
  return 0;
}

int NewtonMatrix::solve(std::span<double> x, std::span<const double> b) {
  if (stale_) {
    if (const int code = refresh(); code != 0) return code;
  }
  // IDA may go on with what it takes for an old matrix after one that could not be factored.
  if (!factored_) return 1;
  std::copy(b.begin(), b.end(), x.begin());
  factors_.solve(x);
  // For a matrix of another step, 2/(1 + cj/cj_matrix) makes the iteration converge fastest when
  // dF/dx' dominates (Brenan, Campbell, Petzold 1996, section 5.2).
  double cj = 0.0;
  must_succeed(IDAGetCurrentCj(ida_, &cj));
  if (cj != cj_) {
    const double scale = 2.0 / (1.0 + cj / cj_);
    for (double& value : x) value *= scale;
  }
  return 0;
}

int NewtonMatrix::refresh() {
  double tau = 0.0;
  double cj = 0.0;
  N_Vector x = nullptr;
  N_Vector xdot = nullptr;
  must_succeed(IDAGetCurrentTime(ida_, &tau));
  must_succeed(IDAGetCurrentCj(ida_, &cj));
  must_succeed(IDAGetCurrentY(ida_, &x));
  must_succeed(IDAGetCurrentYp(ida_, &xdot));
  if (const int code = evaluate(tau, cj, x, xdot); code != 0) return code;
  return factor();
}

}  // namespace saltus::detail::sundials
