// What a run asks Python now and then: whether Ctrl-C was pressed, and to draw its progress.
#pragma once

#include <memory>

#include <saltus/core/observer.hpp>
#include <saltus/trajectory/solution.hpp>

#include "callback_error.hpp"

namespace saltus::python {

/// Called after every step without the interpreter's lock, which it takes only a few times per second.
class PythonObserver final : public Observer {
 public:
  /// `progress(t, fraction, n_steps)`, or None.
  explicit PythonObserver(py::object progress)
      : progress_(std::move(progress)), has_progress_(!progress_.is_none()) {}

  void message(Severity, std::string_view, std::string_view) override {}  // the report has them

  bool keep_going(const Progress& progress) override {
    if (PendingError::any()) return false;
    if (progress.wall_time_s < next_) return true;
    next_ = progress.wall_time_s + seconds_between_looks;
    py::gil_scoped_acquire lock;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (has_progress_) progress_(progress.t, progress.fraction, progress.n_steps);
      return true;
    } catch (py::error_already_set& error) {
      error_ = std::make_unique<py::error_already_set>(error);
      return false;
    }
  }

  /// Raises what stopped the run, if Python did. The exception has what was computed so far.
  void rethrow(const std::shared_ptr<Solution>& solution) {
    if (!error_) return;
    const auto error = std::move(error_);
    if (solution) error->value().attr("solution") = solution;
    throw py::error_already_set(*error);
  }

 private:
  static constexpr double seconds_between_looks = 0.05;
  py::object progress_;
  bool has_progress_;
  // Not at the first step: most runs are over before.
  double next_ = seconds_between_looks;
  std::unique_ptr<py::error_already_set> error_;
};

}  // namespace saltus::python
