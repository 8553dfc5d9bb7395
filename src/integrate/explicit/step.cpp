#include "integrate/explicit/step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "integrate/explicit/interpolant.hpp"

namespace saltus::detail {

ExplicitScheme::ExplicitScheme(const ExplicitTableau& of)
    : tableau(of),
      rows(1),
      error_rows(of.error.begin(), of.error.end()),
      dense_rows(of.dense.begin(), of.dense.end()),
      error_needs_new_point(of.error_needs_new_point()) {
  for (std::size_t i = 1; i < of.a.size(); ++i) rows.emplace_back(of.a[i]);
}

ExplicitStep::ExplicitStep(std::shared_ptr<const ExplicitScheme> scheme, std::uint32_t n)
    : n_(n),
      scheme_(std::move(scheme)),
      tableau_(scheme_->tableau),
      rows_(scheme_->rows),
      error_rows_(scheme_->error_rows),
      dense_rows_(scheme_->dense_rows),
      error_needs_new_point_(scheme_->error_needs_new_point) {
  // Three nodes of two vectors, the argument of a stage, a copy, and the stages that belong to no node.
  const std::size_t n_slots = tableau_.a.size();
  storage_.resize((8 + n_slots - 2) * n_);
  double* next = storage_.data();
  const auto take = [&] { return std::exchange(next, next + n_); };
  for (Node* node : {&left_, &now_, &trial_}) *node = {0.0, take(), take()};
  stage_x_ = take();
  before_projection_ = take();
  k_.resize(n_slots);
  for (std::size_t i = 1; i < n_slots; ++i) {
    if (i != index(tableau_.new_point())) k_[i] = take();
  }
  k_[0] = now_.f;
  k_[index(tableau_.new_point())] = trial_.f;
  coefficients_.resize((index(tableau_.degree()) + 1) * n_);
}

double ExplicitStep::stage_time(int stage) const {
  const double c = tableau_.c[index(stage)];
  // t + 1 h need not be the end of the step in rounded arithmetic.
  return c == 1.0 ? to_ : from_.t + c * h_;
}

Evaluation ExplicitStep::evaluate_stage(Problem& problem, int stage) {
  combine(n_, from_.x, h_, rows_[index(stage)], k_, stage_x_);
  return problem.derivative(stage_time(stage), vector(stage_x_), vector(k_[index(stage)]));
}

void ExplicitStep::place_trial(double t, std::span<const double> x) {
  std::copy(x.begin(), x.end(), trial_.x);
  trial_.t = t;
}

Evaluation ExplicitStep::evaluate_start(Problem& problem) {
  StageCheck check = std::move(problem.stage_check);
  problem.stage_check = nullptr;
  const Evaluation evaluation = problem.derivative(trial_.t, vector(trial_.x), vector(trial_.f));
  problem.stage_check = std::move(check);
  return evaluation;
}

void ExplicitStep::set_start_derivative(std::span<const double> f) {
  std::copy(f.begin(), f.end(), trial_.f);
}

Evaluation ExplicitStep::attempt(Problem& problem, const Node& from, double t, bool error_wanted) {
  from_ = from;
  to_ = t;
  h_ = t - from.t;
  trial_.t = t;
  degree_ = 0;
  completed_ = false;
  k_[0] = from.f;
  k_[index(tableau_.new_point())] = trial_.f;
  for (int stage = 1; stage < tableau_.n_stages; ++stage) {
    if (const Evaluation done = evaluate_stage(problem, stage); !done) return done;
  }
  combine(n_, from.x, h_, rows_[index(tableau_.new_point())], k_, trial_.x);
  return error_wanted && error_needs_new_point_ ? complete(problem, false) : Evaluation::ok();
}

// The higher coefficients of the continuous extension are combinations of stages, with and without the
// projection: what it adds to them is h times the shift, far below the error of the extension. So
// the point is not "corrected", and the extension keeps its order.
Evaluation ExplicitStep::project(Problem& problem, Shift& shift) {
  const double roundings =
      std::max(64.0 * std::numeric_limits<double>::epsilon(), problem.projection_accuracy());
  std::copy(trial_.x, trial_.x + n_, before_projection_);
  completed_ = false;
  if (const Evaluation done = problem.project(trial_.t, vector(trial_.x)); !done) return done;
  double moved = 0.0, size = 0.0;
  for (std::size_t i = 0; i < n_; ++i) {
    const double x = std::abs(before_projection_[i]);
    const double weight =
        1.0 / (problem.options().rtol * x + problem.atol(static_cast<std::uint32_t>(i)));
    if (problem.system().is_constant(static_cast<std::uint32_t>(i))) continue;
    const double change = weight * (trial_.x[i] - before_projection_[i]);
    moved += change * change;
    size += weight * x * (weight * x);
  }
  const double n = problem.n_measured();
  shift = {std::sqrt(moved / n), roundings * std::sqrt(size / n)};
  return Evaluation::ok();
}

Evaluation ExplicitStep::complete(Problem& problem, bool anew) {
  trial_corrected_ = anew;
  if (completed_ && !anew) return Evaluation::ok();
  completed_ = true;
  return problem.derivative(trial_.t, vector(trial_.x), vector(trial_.f));
}

double ExplicitStep::error(const Problem& problem) const {
  const EngineOptions& options = problem.options();
  const auto sums = error_sums(n_, error_rows_, k_, from_.x, trial_.x, options.rtol, options.atol);
  const double n = problem.n_measured();  // constants have no error
  if (error_rows_.size() == 1) return std::abs(h_) * std::sqrt(sums[0] / n);
  const double mixed = sums[0] + 0.01 * sums[1];
  return mixed > 0.0 ? std::abs(h_) * sums[0] / std::sqrt(mixed * n) : 0.0;
}

double ExplicitStep::h_lambda() const {
  const double of_x = squared_distance(n_, trial_.x, stage_x_);
  if (!(of_x > 0.0)) return 0.0;
  const double* last_stage = k_[index(tableau_.n_stages - 1)];
  return std::abs(h_) * std::sqrt(squared_distance(n_, trial_.f, last_stage) / of_x);
}

void ExplicitStep::accept() {
  const Node free = left_;
  left_ = now_;
  now_ = trial_;
  trial_ = free;
  corrected_ = trial_corrected_;
}

void ExplicitStep::accept_start() {
  std::swap(now_, trial_);
  degree_ = 0;
}

void ExplicitStep::replace_by_trial() {
  std::swap(now_, trial_);
  corrected_ = trial_corrected_;
}

void ExplicitStep::restore(Problem& problem) {
  const bool restored = static_cast<bool>(attempt(problem, left_, now_.t, false));
  k_[index(tableau_.new_point())] = now_.f;
  if (!restored) make_polynomial(3);
}

void ExplicitStep::make_polynomial(int degree) {
  degree_ = degree;
  for (int k = 4; k <= degree_; ++k) {
    combine(n_, h_, dense_rows_[index(k - 4)], k_, coefficients_.data() + index(k) * n_);
  }
  to_powers(n_, degree_, {left_.x, left_.f, now_.x, now_.f, h_}, coefficients_);
}

StepPolynomial ExplicitStep::polynomial(Problem& problem) {
  if (degree_ == 0) {
    // The stages lead to the point before it was corrected: only both ends and their slopes hold.
    int degree = corrected_ ? 3 : tableau_.degree();
    const int first = tableau_.new_point() + 1;
    for (int stage = first; !corrected_ && stage < first + tableau_.n_dense; ++stage) {
      if (!evaluate_stage(problem, stage)) {
        degree = 3;
        break;
      }
    }
    make_polynomial(degree);
  }
  return {left_.t, now_.t, degree_, static_cast<std::uint32_t>(n_),
          std::span<const double>(coefficients_).first((index(degree_) + 1) * n_)};
}

}  // namespace saltus::detail
