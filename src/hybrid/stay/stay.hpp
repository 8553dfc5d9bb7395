// Where a run is: in which part of the model, in motion or at rest, and in which stretch of time.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "hybrid/switch/event_location.hpp"
#include "hybrid/mode/mode_run.hpp"

namespace saltus::detail {

class Stay {
 public:
  /// The part of the model; it outlives the stay.
  ModeRun* operator->() const { return mode_; }
  ModeRun& operator*() const { return *mode_; }
  bool is_in(const ModeRun& part) const { return &part == mode_; }
  /// Nothing moves there yet.
  void enter(ModeRun& part) { mode_ = &part; }

  double t() const { return in_motion_ ? mode_->engine->t() : rests_at_; }
  std::span<const double> x() const { return in_motion_ ? mode_->engine->x() : mode_->start.x; }
  std::span<const double> xdot() const {
    return in_motion_ ? mode_->engine->xdot() : mode_->start.xdot;
  }
  EventPoint point() const {
    EventPoint here;
    here.t = t();
    here.x.assign(x().begin(), x().end());
    here.xdot.assign(xdot().begin(), xdot().end());
    return here;
  }

  /// Its engine has been started, and is where the run is.
  bool in_motion() const { return in_motion_; }
  void set_in_motion() { in_motion_ = true; }
  /// No engine has led here yet.
  void begin_at(double t) { rests_at_ = t; }
  /// Nothing moves from here on, until an engine is started.
  void rest_at(double t) {
    mode_->visit.duration += std::abs(t - rests_at_);
    begin_at(t);
    in_motion_ = false;
  }
  /// An engine that could not be started is where nothing is.
  void forget_motion() { in_motion_ = false; }
  bool forward() const { return mode_->forward(); }
  /// Since it was last at rest.
  double duration() const { return std::abs(t() - rests_at_); }

  /// From t to the next known time at which something is not smooth.
  void enter_stretch(double t) {
    stretch_begin_ = t;
    stretch_end_ = mode_->enter_stretch(t);
  }
  double stretch_begin() const { return stretch_begin_; }
  double stretch_end() const { return stretch_end_; }

  /// Where the engine's last step began.
  double step_left() const { return step_left_; }
  void begin_step() { step_left_ = t(); }

  /// How large each unknown has been.
  void note_sizes() const {
    const auto now = x();
    for (std::size_t i = 0; i < now.size(); ++i)
      mode_->largest[i] = std::max(mode_->largest[i], std::abs(now[i]));
  }

 private:
  ModeRun* mode_ = nullptr;
  bool in_motion_ = false;
  double rests_at_ = 0.0;
  double stretch_begin_ = 0.0, stretch_end_ = 0.0;
  double step_left_ = 0.0;
};

}  // namespace saltus::detail
