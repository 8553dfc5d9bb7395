#include "integrate/sundials/measured_convergence.hpp"

#include <sunnonlinsol/sunnonlinsol_newton.h>

#include <algorithm>
#include <cmath>
#include <new>

namespace saltus::detail::sundials {

namespace {

// Rates below this are not believed. The relay-driven pendulum with gravity (tests/regression/sliding_pendulum_test.cpp)
// at 1e-6, 1e-8, 1e-10:
//   least rate    0                  0.03               0.1                0.3
//   steps         196, 450, 1333     196, 453, 1093     196, 504, 1061     213, 474, 973
//   residuals     394, 1052, 4015    409, 1050, 3106    450, 1440, 3191    512, 1573, 3176
constexpr double least_rate = 0.03;

// IDA's, for an iteration that does not converge.
constexpr double largest_rate = 0.9;

// A first correction that needs no second one, in parts of the tolerance; IDA's.
constexpr double nothing = 1e-8;

// Corrections that do not fall although the matrix is that of this very point, and are this small in parts of what the error
// of a step may be, are rounding.
constexpr double rounding = 0.5;

SUNNonlinearSolverContent_Newton content_of(SUNNonlinearSolver solver) {
  return static_cast<SUNNonlinearSolverContent_Newton>(solver->content);
}

}  // namespace

MeasuredConvergence::MeasuredConvergence(const Vector& like, double tolerance,
                                         const Context& context)
    : solver_(SUNNonlinSol_Newton(like.get(), context.get())), tolerance_(tolerance) {
  if (!solver_) throw std::bad_alloc();
}

void MeasuredConvergence::attach_to(void* ida, Rate rate) {
  must_succeed(IDASetNonlinearSolver(ida, solver_.get()));
  own_test_ = rate == Rate::of_ida ? content_of(solver_.get())->CTest : nullptr;
  own_data_ = content_of(solver_.get())->ctest_data;
  must_succeed(SUNNonlinSolSetConvTestFn(solver_.get(), &on_test, this));
}

int MeasuredConvergence::on_test(SUNNonlinearSolver solver, N_Vector x, N_Vector correction,
                                 double tolerance, N_Vector weights, void* data) {
  auto& self = *static_cast<MeasuredConvergence*>(data);
  int iteration = 0;
  (void)SUNNonlinSolGetCurIter(solver, &iteration);  // cannot fail
  const double norm = N_VWrmsNorm(correction, weights);
  const int said = self.own_test_ != nullptr
                       ? self.own_test_(solver, x, correction, tolerance, weights, self.own_data_)
                       : self.judge(iteration, norm);
  return said == SUN_NLS_CONV_RECVR && self.is_rounding(iteration, norm) ? SUN_NLS_SUCCESS : said;
}

bool MeasuredConvergence::is_rounding(int iteration, double norm) const {
  return iteration > 0 && norm <= rounding && content_of(solver_.get())->jcur != 0;
}

int MeasuredConvergence::judge(int iteration, double norm) {
  if (iteration == 0) {
    first_norm_ = norm;
    return norm <= nothing * tolerance_ ? SUN_NLS_SUCCESS : SUN_NLS_CONTINUE;
  }
  const auto converges_at = [&](double rate) { return rate / (1.0 - rate) * norm <= tolerance_; };
  // In tiny steps all corrections are rounding, and have no rate.
  if (converges_at(largest_rate)) return SUN_NLS_SUCCESS;
  const double rate = std::pow(norm / first_norm_, 1.0 / iteration);
  if (!(rate <= largest_rate)) return SUN_NLS_CONV_RECVR;
  return converges_at(std::max(rate, least_rate)) ? SUN_NLS_SUCCESS : SUN_NLS_CONTINUE;
}

}  // namespace saltus::detail::sundials
