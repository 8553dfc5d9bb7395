// A short motion of a mode from its start, as accurate as it can be made: to see what values and rates there do not tell.
#pragma once

#include <memory>
#include <span>

#include "hybrid/mode/mode_run.hpp"

namespace saltus::detail {

/// Under the relations that its board has. The mode is left as it was.
class AccurateMotion {
 public:
  static constexpr double tolerance = 1e-12;

  AccurateMotion(ModeRun& mode, double t, const ConsistentStart& start, double bound,
                 double first_step);
  ~AccurateMotion();
  AccurateMotion(const AccurateMotion&) = delete;
  AccurateMotion& operator=(const AccurateMotion&) = delete;

  /// False where a step cannot be made.
  bool go_to(double t);
  double t() const { return engine_->t(); }
  std::span<const double> x() const { return engine_->x(); }
  std::span<const double> xdot() const { return engine_->xdot(); }

 private:
  ModeRun& mode_;
  double t_begin_;
  const ConsistentStart& start_;
  std::unique_ptr<Engine> engine_;
  bool goes_on_ = false;
};

}  // namespace saltus::detail
