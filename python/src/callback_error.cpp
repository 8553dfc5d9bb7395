#include "callback_error.hpp"

#include <saltus/core/text.hpp>

namespace saltus::python {

namespace {
thread_local PendingError* innermost = nullptr;
}  // namespace

PendingError::PendingError() : outer_(innermost) { innermost = this; }

PendingError::~PendingError() {
  innermost = outer_;
  if (error_) {
    py::gil_scoped_acquire lock;
    error_.reset();
  }
}

void PendingError::rethrow() {
  if (!error_) return;
  const auto error = std::move(error_);
  throw py::error_already_set(*error);
}

bool PendingError::any() { return innermost != nullptr && innermost->error_ != nullptr; }

void PendingError::keep(py::error_already_set& error, const std::string& who, double t) {
  const std::string note = "raised by " + who + " at t = " + to_text(t);
  if (py::hasattr(error.value(), "add_note")) error.value().attr("add_note")(note);
  if (innermost != nullptr && !innermost->error_)
    innermost->error_ = std::make_unique<py::error_already_set>(error);
}

void PythonFunction::refuse_type(double t, const char* expected) const {
  keep_builtin(t, py::type_error(who_ + " must return " + expected + " and did not"));
}

void PythonFunction::keep_builtin(double t, const py::builtin_exception& error) const {
  try {
    error.set_error();
    throw py::error_already_set();
  } catch (py::error_already_set& raised) {
    PendingError::keep(raised, who_, t);
  }
}

}  // namespace saltus::python
