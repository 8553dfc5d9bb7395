// From steps of an engine to the rows and pieces of a trajectory, and to a follower.
#pragma once

#include <memory>
#include <vector>

#include <saltus/hybrid/follower.hpp>

#include "hybrid/output/output_writer.hpp"
#include "hybrid/stay/stay.hpp"

namespace saltus::detail {

class Recording {
 public:
  /// Both outlive it. No follower: nobody is told.
  Recording(const Stay& here, RunFollower* follower) : here_(here), follower_(follower) {}

  void open(std::unique_ptr<OutputWriter> writer) { writer_ = std::move(writer); }
  bool is_open() const { return writer_ != nullptr; }
  OutputWriter& writer() const { return *writer_; }
  const OutputWriter* writer_if_any() const { return writer_.get(); }
  /// Empty before it is open.
  const Trajectory& trajectory() const {
    static const Trajectory nothing;
    return writer_ ? writer_->trajectory() : nothing;
  }

  /// A segment begins where the run is.
  Result<void> begin_segment(double t);
  /// What begins at t and lasts no time is a point there.
  Result<void> end_with_point(double t, std::span<const double> x, std::span<const double> xdot);
  /// The engine's last step, from where it is not recorded yet.
  Result<void> add_step();
  /// The part of a step from recorded_to() to t_to, which may lie a little beyond its end.
  Result<void> add_piece(const StepPolynomial& step, double t_to, std::span<const double> x,
                         std::span<const double> xdot);
  /// How far the last step is part of the trajectory.
  double recorded_to() const { return recorded_to_; }

  /// The next step has not been made.
  void forget_step() { last_is_piece_ = false; }
  /// Another engine goes on from t: the step made last can still be asked for.
  void keep_last_step(Engine& engine, double t);
  /// No time has passed since the step that was made last began.
  void keep_point(const EventPoint& point);
  /// The engine's, or the part of it that led to an event.
  StepPolynomial last_step() const {
    return last_is_piece_ ? last_piece_ : here_->engine->last_step();
  }
  /// The piece that leads to t, if time has passed on it.
  const StepPolynomial* piece_that_leads_to(double t) const;

 private:
  const Stay& here_;
  RunFollower* follower_;
  std::unique_ptr<OutputWriter> writer_;
  double recorded_to_ = 0.0;
  bool last_is_piece_ = false;  // the last step ended at an event
  StepPolynomial last_piece_;
  std::vector<double> piece_;
};

}  // namespace saltus::detail
