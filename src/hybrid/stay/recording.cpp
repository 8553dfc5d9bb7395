#include "hybrid/stay/recording.hpp"

#include "hybrid/core/step_part.hpp"

namespace saltus::detail {

Result<void> Recording::begin_segment(double t) {
  recorded_to_ = t;
  return writer_->begin_segment(here_->segment_name(), here_->system, *here_->workspace, t,
                                here_->start.x, here_->start.xdot);
}

Result<void> Recording::end_with_point(double t, std::span<const double> x,
                                       std::span<const double> xdot) {
  return writer_->end_with_point(here_->segment_name(), here_->system, *here_->workspace, t, x,
                                 xdot);
}

Result<void> Recording::add_step() {
  StepPolynomial step;
  const bool is_whole = recorded_to_ == here_.step_left();
  if (writer_->needs_polynomial(here_.t()) || !is_whole || follower_ != nullptr) {
    step = here_->engine->last_step();
  } else {
    step.t_right = here_.t();
  }
  if (!is_whole) return add_piece(step, here_.t(), here_.x(), here_.xdot());
  recorded_to_ = here_.t();
  if (follower_ != nullptr) follower_->piece(*here_->system, here_->field(), step);
  return writer_->add_step(*here_->system, *here_->workspace, step, here_.x(), here_.xdot());
}

Result<void> Recording::add_piece(const StepPolynomial& step, double t_to,
                                  std::span<const double> x, std::span<const double> xdot) {
  const double t_from = recorded_to_;
  if (t_to == t_from) return {};
  recorded_to_ = t_to;
  last_piece_ = part_of(step, t_from, t_to, piece_);
  last_is_piece_ = true;
  if (follower_ != nullptr) follower_->piece(*here_->system, here_->field(), last_piece_);
  return writer_->add_step(*here_->system, *here_->workspace, last_piece_, x, xdot);
}

void Recording::keep_last_step(Engine& engine, double t) {
  if (last_is_piece_) return;
  const StepPolynomial made = engine.last_step();
  last_piece_ = part_of(made, made.t_left, t, piece_);
  last_is_piece_ = true;
}

void Recording::keep_point(const EventPoint& point) {
  piece_ = point.x;
  last_piece_ = {point.t, point.t, 0, static_cast<std::uint32_t>(piece_.size()), piece_};
  last_is_piece_ = true;
}

const StepPolynomial* Recording::piece_that_leads_to(double t) const {
  const bool leads_there = last_is_piece_ && last_piece_.t_right == t && last_piece_.t_left != t;
  return leads_there ? &last_piece_ : nullptr;
}

}  // namespace saltus::detail
