// Python functions that are called while the library computes.
#pragma once

#include <pybind11/pybind11.h>

#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace saltus::python {

namespace py = pybind11;

/// The first exception that a Python function raised during a call of the library on this thread. The library sees a
/// value that is none and ends the run; whoever called it raises this instead.
class PendingError {
 public:
  /// Nothing is pending at its begin; what is at its end is forgotten.
  PendingError();
  ~PendingError();
  PendingError(const PendingError&) = delete;
  PendingError& operator=(const PendingError&) = delete;
  /// Throws what was raised, if anything was. Needs the interpreter's lock.
  void rethrow();
  /// Whether something was raised: a run need not go on.
  static bool any();
  /// Called in a catch clause for error_already_set, with the lock.
  static void keep(py::error_already_set& error, const std::string& who, double t);

 private:
  std::unique_ptr<py::error_already_set> error_;
  PendingError* outer_;
};

/// Shared by everything that was made from one Python function: released with the lock, wherever the last owner dies.
class PythonFunction {
 public:
  PythonFunction(const py::function& function, std::string who)
      : function_(new py::function(function),
                  [](py::function* f) {
                    py::gil_scoped_acquire lock;
                    delete f;
                  }),
        who_(std::move(who)) {}

  /// A number, or NaN where it raised.
  template <class... Arguments>
  double number(double t, Arguments... arguments) const {
    py::gil_scoped_acquire lock;
    try {
      return (*function_)(arguments...).template cast<double>();
    } catch (py::error_already_set& error) {
      PendingError::keep(error, who_, t);
    } catch (const py::cast_error&) {
      refuse_type(t, "a number");
    }
    return std::numeric_limits<double>::quiet_NaN();
  }

  /// Whatever `read` makes of what is returned; false where it raised.
  template <class Read, class... Arguments>
  bool call(double t, Read&& read, Arguments&&... arguments) const {
    try {
      read((*function_)(std::forward<Arguments>(arguments)...));
      return true;
    } catch (py::error_already_set& error) {
      PendingError::keep(error, who_, t);
    } catch (const py::cast_error&) {
      refuse_type(t, "numbers");
    } catch (const py::builtin_exception& error) {  // of `read`
      keep_builtin(t, error);
    }
    return false;
  }

 private:
  /// Keeps a TypeError: it returned something else than was expected.
  void refuse_type(double t, const char* expected) const;
  void keep_builtin(double t, const py::builtin_exception& error) const;

  std::shared_ptr<py::function> function_;
  std::string who_;
};

}  // namespace saltus::python
