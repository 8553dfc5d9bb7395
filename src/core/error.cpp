#include <saltus/core/error.hpp>

#include <saltus/core/text.hpp>
#include <utility>

namespace saltus {

ModelError::ModelError(std::string subject, const std::string& reason)
    : Error(subject + ": " + reason), subject_(std::move(subject)) {}

OptionError::OptionError(std::string field, const std::string& reason)
    : Error("option " + quote(field) + ": " + reason), field_(std::move(field)) {}

std::string_view name(FailureCode code) noexcept {
  switch (code) {
    case FailureCode::not_converged:
      return "not_converged";
    case FailureCode::singular:
      return "singular";
    case FailureCode::not_finite:
      return "not_finite";
    case FailureCode::out_of_domain:
      return "out_of_domain";
    case FailureCode::step_too_small:
      return "step_too_small";
    case FailureCode::not_certified:
      return "not_certified";
    case FailureCode::limit_reached:
      return "limit_reached";
    case FailureCode::external_failed:
      return "external_failed";
    case FailureCode::interrupted:
      return "interrupted";
  }
  return "unknown";
}

namespace detail {

void assertion_failed(const char* expression, const char* file, int line) {
  // The folder of the build machine tells a reader nothing.
  std::string_view path = file;
  path.remove_prefix(path.find_last_of("/\\") + 1);  // npos + 1 == 0
  throw InternalError("internal error: assertion '" + std::string(expression) + "' failed at " +
                      std::string(path) + ':' + std::to_string(line));
}

}  // namespace detail
}  // namespace saltus
