// Errors in three tiers: InternalError, ModelError and OptionError, and Failure as a value.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace saltus {

// Errors come in three tiers, and each is reported in one way.
//
//  1. A bug of Saltus: SALTUS_ASSERT(condition) throws InternalError with the expression, the file
//     and the line. It is active in every build and never aborts, so that a host program survives.
//  2. A mistake in the model or in the options: ModelError and OptionError, thrown while something
//     is built, never while it runs. The message names the equation, variable, mode or field.
//  3. Numerical trouble at run time: a value. A Newton iteration that does not converge throws
//     nothing; it returns a Failure, carried by Result<T> (result.hpp).

class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// Base of all errors that a user can repair, so that one handler is enough.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ModelError : public Error {
 public:
  explicit ModelError(const std::string& message) : Error(message) {}
  // `subject` names the place of the mistake, e.g. "equation 'pendulum_x'".
  ModelError(std::string subject, const std::string& reason);

  const std::string& subject() const noexcept { return subject_; }

 private:
  std::string subject_;
};

class OptionError : public Error {
 public:
  // `field` is the full name of the option, e.g. "newton.rtol".
  OptionError(std::string field, const std::string& reason);

  const std::string& field() const noexcept { return field_; }

 private:
  std::string field_;
};

// There is no option of that name.
class UnknownOptionError : public OptionError {
 public:
  using OptionError::OptionError;
};

enum class FailureCode {
  not_converged,    ///< an iteration reached its limit or diverged
  singular,         ///< a matrix has no usable inverse
  not_finite,       ///< an evaluation gave NaN or infinity
  out_of_domain,    ///< an argument lies outside the domain of a function
  not_certified,    ///< an enclosure was too wide to prove what was asked
  step_too_small,   ///< a step of the smallest length still fails
  limit_reached,    ///< a limit set by the user (steps, time, memory) was reached
  external_failed,  ///< a function supplied by the user reported a failure
  interrupted       ///< the user asked to stop
};

std::string_view name(FailureCode code) noexcept;

// The third tier: a code, and a message that tells the user what happened.
struct Failure {
  FailureCode code = FailureCode::not_converged;
  std::string message;

  friend bool operator==(const Failure&, const Failure&) = default;
};

namespace detail {
// Not inline, so that an assertion costs its caller one comparison and one cold call.
[[noreturn]] void assertion_failed(const char* expression, const char* file, int line);
}  // namespace detail

}  // namespace saltus

#define SALTUS_ASSERT(condition)      \
  ((condition) ? static_cast<void>(0) \
               : ::saltus::detail::assertion_failed(#condition, __FILE__, __LINE__))
