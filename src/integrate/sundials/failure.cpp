#include "integrate/sundials/failure.hpp"

#include <cstdlib>
#include <memory>

#include <saltus/core/text.hpp>

namespace saltus::detail::sundials {

namespace {

std::string name_of_code(int flag) {
  struct FreeText {
    void operator()(char* text) const { std::free(text); }
  };
  const std::unique_ptr<char, FreeText> name(IDAGetReturnFlagName(flag));
  return name ? name.get() : std::to_string(flag);
}

}  // namespace

Failure failure_of(int flag, void* ida, const Problem& problem, const NewtonMatrix& matrix,
                   double t) {
  double h = 0.0;
  must_succeed(IDAGetCurrentStep(ida, &h));
  switch (flag) {
    case IDA_ERR_FAIL:
      return problem.step_too_small("the error test fails however small the step", t, h);
    case IDA_CONV_FAIL:
      if (const auto column = matrix.singular_column()) {
        const auto unknown = static_cast<std::uint32_t>(*column);
        return problem.failure(FailureCode::singular,
                               "the Jacobian is singular, its equations do not determine '" +
                                   problem.system().unknown_name(unknown) + "'",
                               t, h);
      }
      if (!problem.trouble()) {
        return problem.step_too_small("no step is small enough", t, h);
      }
      return problem.failure(FailureCode::not_converged,
                             "Newton's iteration does not converge however small the step", t, h);
    case IDA_REP_RES_ERR:
      return problem.step_too_small("no step is small enough", t, h);
    case IDA_CONSTR_FAIL:
      return problem.failure(FailureCode::step_too_small,
                             "a value becomes negative, among " + problem.names_of_non_negative(),
                             t, h);
    case IDA_RES_FAIL:
    case IDA_LSETUP_FAIL:
    case IDA_LSOLVE_FAIL:
      return problem.failure(FailureCode::external_failed, "an evaluation failed", t, h);
    case IDA_TOO_MUCH_ACC: {
      double factor = 1.0;
      must_succeed(IDAGetTolScaleFactor(ida, &factor));
      return problem.failure(FailureCode::not_converged,
                             "the tolerances ask for more digits than numbers have; they must be " +
                                 to_text(factor) + " times as large",
                             t, h);
    }
    default:
      break;
  }
  // Among them IDA_ILL_INPUT where products of times underflow: runs of less than 1e-150.
  return problem.failure(FailureCode::not_converged,
                         "IDA gives up (" + name_of_code(flag) + "); engine radau may help", t, h);
}

}  // namespace saltus::detail::sundials
