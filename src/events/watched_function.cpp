#include "events/watched_function.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "events/cost.hpp"

namespace saltus::detail {

namespace {

// Order of the Taylor models. At least the step's own degree and a little more, so that functions linear
// in the unknowns are represented exactly; the rest is a compromise between the cost of a model, which
// grows like the square, and the number of models, which falls with it.
constexpr int least_model_degree = 7;
constexpr int most_model_degree = 15;
// On ordinary steps a function that comes near zero is settled with less.
constexpr int quick_model_degree = 4;

int model_degree(int step_degree) {
  return std::clamp(step_degree + 1, least_model_degree, most_model_degree);
}

}  // namespace

WatchedFunction::WatchedFunction(SwitchingFunctions& functions, StepEnclosure* enclosure)
    : functions_(functions), enclosure_(enclosure) {}

void WatchedFunction::look_at(const StepPolynomial& step, double s_from) {
  step_ = step;
  s_from_ = s_from;
  x_.resize(step.n);
  xdot_.resize(step.n);
  for (Shared& shared : shared_) shared.is_known = false;
}

void WatchedFunction::select(std::uint32_t which, int side, double slack, double enough) {
  which_ = which;
  side_ = side;
  slack_ = slack;
  enough_ = enough;
  work_ = 0.0;
}

double WatchedFunction::time_at(double s) const {
  if (s >= 1.0) return step_.t_right;
  return step_.t_left + s * (step_.t_right - step_.t_left);
}

double WatchedFunction::position_of(double t) const {
  return std::clamp(step_.position_of(t), s_from_, 1.0);
}

/// What StepPolynomial::state_at and derivative_at give, to the last bit, with the loops exchanged: the
/// position is computed once, and unknowns go abreast.
void WatchedFunction::read_step(double t, std::span<double> x, std::span<double> xdot) const {
  const double s = step_.position_of(t);
  const double length = step_.t_right - step_.t_left;
  const std::size_t n = step_.n;
  const double* c = step_.coefficients.data() + n * static_cast<std::size_t>(step_.degree);
  std::copy(c, c + n, x.begin());
  std::fill(xdot.begin(), xdot.end(), 0.0);
  for (int k = step_.degree; k >= 1; --k) {
    const double* lower = c - n;
    for (std::size_t i = 0; i < n; ++i) {
      xdot[i] = xdot[i] * s + k * c[i];
      x[i] = x[i] * s + lower[i];
    }
    c = lower;
  }
  for (std::size_t i = 0; i < n; ++i) xdot[i] /= length;
}

bool WatchedFunction::evaluate(double t, double& value) {
  work_ += 1.0;
  read_step(t, x_, xdot_);
  double g = 0.0;
  if (!functions_.evaluate_one(which_, t, x_, xdot_, g)) return false;
  value = side_ * g + slack_;
  return true;
}

/// Without enclosures every watched function is sampled: one evaluation of all is then the cheapest, unless
/// one of them is outside its domain.
void WatchedFunction::fill(Shared& shared, double t) {
  shared.is_known = true;
  shared.x.resize(step_.n);
  shared.xdot.resize(step_.n);
  read_step(t, shared.x, shared.xdot);
  if (enclosure_ != nullptr) return;
  shared.g.resize(functions_.count());
  shared.has_values = static_cast<bool>(functions_.evaluate(t, shared.x, shared.xdot, shared.g));
}

bool WatchedFunction::evaluate_shared(std::size_t place, double t, double& value) {
  work_ += 1.0;
  if (shared_.size() <= place) shared_.resize(place + 1);
  Shared& shared = shared_[place];
  if (!shared.is_known) fill(shared, t);
  double g = 0.0;
  if (shared.has_values) {
    g = shared.g[which_];
  } else if (!functions_.evaluate_one(which_, t, shared.x, shared.xdot, g)) {
    return false;
  }
  value = side_ * g + slack_;
  return true;
}

bool WatchedFunction::estimate(double t, Interval& value) {
  if (enclosure_ == nullptr) return false;
  std::array<Interval, 1> g;
  work_ += series_cost(0);
  if (!enclosure_->series(which_, step_, Interval(position_of(t)), 0, g)) return false;
  value = of_side(g[0]);
  return std::isfinite(value.lo()) && std::isfinite(value.hi());
}

int WatchedFunction::certain_sign(const Interval& g) const {
  const Interval value = of_side(g);
  if (value.certainly_positive()) return 1;
  return value.certainly_negative() ? -1 : 0;
}

bool WatchedFunction::set_trend(double a, double b, Trend& trend) {
  if (enclosure_ == nullptr) return false;
  std::array<Interval, 2> over;
  work_ += series_cost(1);
  if (!enclosure_->series(which_, step_, Interval(a, b), 1, over)) return false;
  trend.range = of_side(over[0]);
  const Interval slope = side_ < 0 ? -over[1] : over[1];
  trend.slope = slope.certainly_positive() ? 1 : slope.certainly_negative() ? -1 : 0;
  if (trend.slope == 0) return true;
  if (trend.range.certainly_positive()) {
    trend.left = trend.right = 1;
    return true;
  }
  std::array<Interval, 1> end;
  work_ += 2 * series_cost(0);
  if (!enclosure_->series(which_, step_, Interval(a), 0, end)) return false;
  trend.left = certain_sign(end[0]);
  if (!enclosure_->series(which_, step_, Interval(b), 0, end)) return false;
  trend.right = certain_sign(end[0]);
  return true;
}

bool WatchedFunction::has_series_at(double s) {
  if (enclosure_ == nullptr) return false;
  std::array<Interval, 2> point;
  work_ += series_cost(1);
  return enclosure_->series(which_, step_, Interval(s), 1, point);
}

bool WatchedFunction::set_model(Piece& piece) {
  if (enclosure_ == nullptr) return false;
  const int degree = piece.is_quick ? quick_model_degree : model_degree(step_.degree);
  const auto n = static_cast<std::size_t>(degree) + 1;
  std::array<Interval, most_model_degree + 1> centre;
  std::array<Interval, most_model_degree + 2> over;
  const double c = 0.5 * (piece.a + piece.b);
  work_ += series_cost(degree) + series_cost(degree + 1);
  if (!enclosure_->series(which_, step_, Interval(piece.a, piece.b), degree + 1,
                          std::span(over.data(), n + 1)) ||
      !enclosure_->series(which_, step_, Interval(c), degree, std::span(centre.data(), n))) {
    return false;
  }
  if (side_ < 0) {
    for (Interval& x : centre) x = -x;
    for (Interval& x : over) x = -x;
  }
  centre[0] += Interval(slack_);
  over[0] += Interval(slack_);
  return set_taylor_model(piece, std::span(centre.data(), n), std::span(over.data(), n + 1));
}

}  // namespace saltus::detail
