// What IDA's return codes mean to a user.
#pragma once

#include "integrate/problem.hpp"
#include "integrate/sundials/newton_matrix.hpp"

namespace saltus::detail::sundials {

/// `flag` is a negative code of IDASolve; t is where the step began. A code without a meaning of its
/// own to a user is given by its name.
Failure failure_of(int flag, void* ida, const Problem& problem, const NewtonMatrix& matrix,
                   double t);

}  // namespace saltus::detail::sundials
