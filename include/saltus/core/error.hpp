#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace saltus {

// What can go wrong comes in three tiers, and each has one way to be told.
//
//  1. Our bug: SALTUS_ASSERT(condition) throws InternalError with the expression, the file and
//     the line. It is active in every build and never aborts: a host program with other work to
//     do must survive our mistakes.
//  2. The user's model or options: ModelError and OptionError, thrown while something is built,
//     never while it runs. The message names the equation, variable, mode or field.
//  3. Numerics at run time: a value. A Newton iteration that does not converge is no exception
//     to anything; it is a Failure, carried by Result<T> (result.hpp).

class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// Base of everything a user can repair, so that one handler is enough.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ModelError : public Error {
 public:
  explicit ModelError(const std::string& message) : Error(message) {}
  // `subject` is what the user has to look at, e.g. "equation 'pendulum_x'".
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

enum class FailureCode {
  not_converged,    ///< an iteration met its limit or diverged
  singular,         ///< a matrix has no usable inverse
  not_finite,       ///< an evaluation gave NaN or infinity
  out_of_domain,    ///< an argument lies outside the domain of a function
  not_certified,    ///< an enclosure was too wide to prove what was asked
  step_too_small,   ///< a step of the smallest length still fails
  limit_reached,    ///< a limit set by the user (steps, time, memory) was met
  external_failed,  ///< a function supplied by the user reported a failure
  interrupted       ///< the user asked to stop
};

std::string_view name(FailureCode code) noexcept;

// The third tier: says what happened in words a user can act on.
struct Failure {
  FailureCode code = FailureCode::not_converged;
  std::string message;

  friend bool operator==(const Failure&, const Failure&) = default;
};

namespace detail {
// Out of line, so that an assertion costs its caller one compare and one cold call.
[[noreturn]] void assertion_failed(const char* expression, const char* file, int line);
}  // namespace detail

}  // namespace saltus

#define SALTUS_ASSERT(condition)      \
  ((condition) ? static_cast<void>(0) \
               : ::saltus::detail::assertion_failed(#condition, __FILE__, __LINE__))
