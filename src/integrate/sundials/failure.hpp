// What IDA's return codes mean to a user.
#pragma once

#include "integrate/problem.hpp"
#include "integrate/sundials/newton_matrix.hpp"

namespace saltus::detail::sundials {

/// `flag` is a negative code of IDASolve; t is where the step began. A code that only a mistake of
/// ours can cause is an InternalError.
Failure failure_of(int flag, void* ida, const Problem& problem, const NewtonMatrix& matrix,
                   double t);

}  // namespace saltus::detail::sundials
