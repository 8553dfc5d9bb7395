#include <algorithm>
#include <cmath>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/trajectory/trajectory.hpp>

namespace saltus {

TrajectoryRecorder::TrajectoryRecorder(std::vector<VariableInfo> variables) {
  Trajectory& t = trajectory_;
  t.variables_ = std::move(variables);
  for (std::uint32_t i = 0; i < t.variables_.size(); ++i) t.by_name_.push_back(i);
  std::sort(t.by_name_.begin(), t.by_name_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return t.variables_[a].name < t.variables_[b].name;
  });
  for (std::size_t i = 1; i < t.by_name_.size(); ++i) {
    const std::string& name = t.variables_[t.by_name_[i]].name;
    if (name == t.variables_[t.by_name_[i - 1]].name)
      throw ModelError("variable " + quote(name), "cannot be recorded: the name occurs twice");
  }
}

void TrajectoryRecorder::set_exact_points(std::shared_ptr<const ExactPoints> points) {
  trajectory_.exact_ = std::move(points);
}

Segment& TrajectoryRecorder::current() {
  SALTUS_ASSERT(!trajectory_.segments_.empty());
  return trajectory_.segments_.back();
}

void TrajectoryRecorder::check_order(double from, double t) {
  SALTUS_ASSERT(std::isfinite(t));
  if (t == from) return;
  if (!directed_) {
    trajectory_.backward_ = t < from;
    directed_ = true;
  }
  SALTUS_ASSERT(trajectory_.earlier(from, t));
}

void TrajectoryRecorder::append(std::span<const double> values, std::vector<double>& to) {
  const std::size_t n = exists_.size();
  const std::size_t begin = to.size();
  to.insert(to.end(), values.begin(), values.end());
  // Values of absent variables are whatever the caller's memory held: equal runs must be equal.
  for (std::size_t i = 0; i < n; ++i) {
    if (exists_[i]) continue;
    for (std::size_t at = begin + i; at < to.size(); at += n) to[at] = 0.0;
    if (current().present[i]) to[begin + i] = last_[i];
  }
}

void TrajectoryRecorder::hold_absent(std::vector<std::uint8_t> which) {
  const std::size_t n = trajectory_.variables_.size();
  SALTUS_ASSERT(which.size() == n && trajectory_.segments_.empty());
  hold_ = std::move(which);
  was_.assign(n, 0);
  last_.assign(n, 0.0);
}

void TrajectoryRecorder::remember(double t, std::span<const double> values) {
  // Rows within a step come after the step itself, whose end is what counts.
  if (hold_.empty() || trajectory_.earlier(t, t_last_)) return;
  t_last_ = t;
  const std::size_t n = hold_.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (!hold_[i] || !exists_[i]) continue;
    double value = 0.0;  // at s = 1
    for (std::size_t k = values.size() / n; k-- > 0;) value += values[k * n + i];
    last_[i] = value;
    was_[i] = 1;
  }
}

void TrajectoryRecorder::pass(double t, std::span<const double> values) {
  SALTUS_ASSERT(values.size() == trajectory_.variables_.size());
  extend_to(t);
  remember(t, values);
}

void TrajectoryRecorder::begin_segment(std::string mode, double t,
                                       std::vector<std::uint8_t> present,
                                       std::vector<std::string> sliding) {
  SALTUS_ASSERT(std::isfinite(t));
  const std::size_t n = trajectory_.variables_.size();
  SALTUS_ASSERT(present.empty() || present.size() == n);
  if (!trajectory_.segments_.empty()) {
    check_order(current().t_end, t);
    current().t_end = t;
  }
  if (present.empty()) present.assign(n, 1);
  exists_ = present;
  for (std::size_t i = 0; i < hold_.size(); ++i)
    if (hold_[i] && was_[i]) present[i] = 1;
  t_last_ = t;
  trajectory_.segments_.push_back({.mode = std::move(mode),
                                   .t_begin = t,
                                   .t_end = t,
                                   .first_step = trajectory_.n_steps(),
                                   .n_steps = 0,
                                   .first_row = trajectory_.n_rows(),
                                   .n_rows = 0,
                                   .present = std::move(present),
                                   .sliding = std::move(sliding)});
}

bool TrajectoryRecorder::is_empty_segment(std::string_view mode,
                                          std::span<const std::uint8_t> present,
                                          std::span<const std::string> sliding) const {
  if (trajectory_.segments_.empty()) return false;
  const Segment& last = trajectory_.segments_.back();
  return last.mode == mode && last.n_steps == 0 && last.n_rows == 0 &&
         std::ranges::equal(present, exists_) && std::ranges::equal(sliding, last.sliding);
}

void TrajectoryRecorder::add_step(const StepPolynomial& step) {
  Segment& segment = current();
  const std::size_t size = (static_cast<std::size_t>(step.degree) + 1) * step.n;
  SALTUS_ASSERT(step.degree >= 0 && step.n == trajectory_.variables_.size());
  SALTUS_ASSERT(step.coefficients.size() >= size);
  SALTUS_ASSERT(step.t_left != step.t_right);
  SALTUS_ASSERT(step.t_left ==
                (segment.n_steps > 0 ? trajectory_.steps_.back().t_right : segment.t_begin));
  check_order(step.t_left, step.t_right);
  trajectory_.steps_.push_back({step.t_left, step.t_right, trajectory_.coefficients_.size()});
  append(step.coefficients.first(size), trajectory_.coefficients_);
  ++segment.n_steps;
  extend_to(step.t_right);
  remember(step.t_right, step.coefficients.first(size));
}

void TrajectoryRecorder::add_point(std::span<const double> values) {
  Segment& segment = current();
  SALTUS_ASSERT(segment.n_steps == 0 && values.size() == trajectory_.variables_.size());
  trajectory_.steps_.push_back(
      {segment.t_begin, segment.t_begin, trajectory_.coefficients_.size()});
  append(values, trajectory_.coefficients_);
  ++segment.n_steps;
  remember(segment.t_begin, values);
}

void TrajectoryRecorder::add_row(double t, std::span<const double> values) {
  Segment& segment = current();
  SALTUS_ASSERT(values.size() == trajectory_.variables_.size());
  check_order(segment.n_rows > 0 ? trajectory_.row_times_.back() : segment.t_begin, t);
  trajectory_.row_times_.push_back(t);
  append(values, trajectory_.row_values_);
  ++segment.n_rows;
  extend_to(t);
  remember(t, values);
}

void TrajectoryRecorder::extend_to(double t) {
  Segment& segment = current();
  check_order(segment.t_begin, t);
  if (trajectory_.earlier(segment.t_end, t)) segment.t_end = t;
}

void TrajectoryRecorder::cut_back_to(double t) {
  Segment& segment = current();
  while (segment.n_steps > 0 && trajectory_.earlier(t, trajectory_.steps_.back().t_right)) {
    trajectory_.coefficients_.resize(trajectory_.steps_.back().offset);
    trajectory_.steps_.pop_back();
    --segment.n_steps;
  }
  while (segment.n_rows > 0 && trajectory_.earlier(t, trajectory_.row_times_.back())) {
    trajectory_.row_times_.pop_back();
    trajectory_.row_values_.resize(trajectory_.row_values_.size() - trajectory_.variables_.size());
    --segment.n_rows;
  }
  if (trajectory_.earlier(t, segment.t_end)) segment.t_end = t;
}

Trajectory TrajectoryRecorder::take() {
  Trajectory& t = trajectory_;
  t.segments_.shrink_to_fit();
  t.steps_.shrink_to_fit();
  t.coefficients_.shrink_to_fit();
  t.row_times_.shrink_to_fit();
  t.row_values_.shrink_to_fit();
  return std::move(trajectory_);
}

}  // namespace saltus
