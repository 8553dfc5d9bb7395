// When Newton's iteration has converged, where IDA's own answer is not good enough.
//
// IDA ends an iteration once rate/(1 - rate) |last correction| is small enough, with the rate of whatever earlier
// step took a second iteration with this matrix. Where a derivative is as free as an unknown without one
// (ChosenStates::stand_ins()) the first correction is mostly of unknowns in which the equations are linear: the
// rate looks like 1e-4, the next steps end after one iteration, and what follows those derivatives, multipliers of
// constraints say, has not moved yet. It stays off by the error of a derivative, which is one of an unknown
// divided by the step: no shorter step makes it smaller.
//
// And where corrections do not get smaller because the equations are not known better: unknowns that are computed from
// large terms, as accelerations are, and pass through zero have a tolerance there below their rounding.
#pragma once

#include <memory>
#include <type_traits>

#include <sundials/sundials_nonlinearsolver.h>

#include "integrate/sundials/handles.hpp"

namespace saltus::detail::sundials {

/// IDA's Newton iteration. It ends where corrections are rounding; and the rate may be measured in every step, where no rate
/// is believed that is too good.
class MeasuredConvergence {
 public:
  /// `like` has the size of the unknowns.
  MeasuredConvergence(const Vector& like, double tolerance, const Context& context);

  enum class Rate { of_ida, measured };
  /// Makes IDA use it. `ida` has been initialised. This object must outlive it, and stay where it is.
  void attach_to(void* ida, Rate rate);

 private:
  static int on_test(SUNNonlinearSolver solver, N_Vector x, N_Vector correction, double tolerance,
                     N_Vector weights, void* self);
  int judge(int iteration, double norm);
  bool is_rounding(int iteration, double norm) const;

  struct Free {
    void operator()(SUNNonlinearSolver solver) const { SUNNonlinSolFree(solver); }
  };
  std::unique_ptr<std::remove_pointer_t<SUNNonlinearSolver>, Free> solver_;
  double tolerance_;
  double first_norm_ = 0.0;
  // IDA's own test, if the rate is its.
  SUNNonlinSolConvTestFn own_test_ = nullptr;
  void* own_data_ = nullptr;
};

}  // namespace saltus::detail::sundials
