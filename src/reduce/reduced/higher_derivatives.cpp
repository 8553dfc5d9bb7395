#include "reduce/reduced/higher_derivatives.hpp"

#include <cmath>

namespace saltus::detail {

namespace {

// An inexact y degrades everything built on it.
constexpr double inner_tolerance = 1e-13;
constexpr int most_inner_iterations = 20;
constexpr double slow_contraction = 0.2;

}  // namespace

HigherDerivatives::HigherDerivatives(ArrayAtPoint& array, const ProjectorRanks& ranks, double t)
    : array_(array),
      first_constraint_(static_cast<std::uint32_t>(ranks.d)),
      of_engine_{FixedRankInverse(array.n_equations() * (array.level() + 1),
                                  array.n_unknowns() * (array.level() + 1), ranks.m),
                 Eigen::MatrixXd(array.n_unknowns(), ranks.a), false},
      local_(of_engine_),
      m_(array.n_equations() * (array.level() + 1), array.n_unknowns() * (array.level() + 1)),
      t_y_(t),
      accepted_{array.y(), t},
      kept_(accepted_),
      step_(array.n_unknowns() * (array.level() + 1)) {}

/// y at another time, along its own series; then without what M does not see.
void HigherDerivatives::shift_to(double t) {
  const Eigen::Index n = array_.n_unknowns();
  const double dt = t - t_y_;
  const int top = array_.level() + 1;
  auto present = array_.y();
  if (dt != 0.0) {
    // x_j(t + dt) = sum_i C(i, j) x_i dt^(i - j), in scaled coefficients.
    const double step = std::ldexp(dt, -array_.scaling().time_exponent);
    for (int j = 1; j <= top; ++j) {
      for (Eigen::Index k = 0; k < n; ++k) {
        double sum = 0.0, binomial = 1.0, power = 1.0;
        for (int i = j; i <= top; ++i) {
          sum += binomial * power * present[(i - 1) * n + k];
          binomial = binomial * (i + 1) / (i + 1 - j);
          power *= step;
        }
        step_[(j - 1) * n + k] = sum;
      }
    }
    present = step_;
  }
  step_.noalias() = inverses_->m.row_space() * present;
  present = step_;
  t_y_ = t;
}

void HigherDerivatives::invert_here() {
  m_ = array_.blocks().m;
  inverses_->m.compute(m_);
  inverses_->has_correction = false;
}

Evaluation HigherDerivatives::renew(double t, std::span<const double> x) {
  const Evaluation done = array_.linearize(t, x);
  if (done) invert_here();
  return done;
}

/// y <- y - M^+ F(t, x, y) with the frozen inverse. True once converged; false if it has to be tried
/// with another. The values of the array are those before the last step.
bool HigherDerivatives::iterate(double t, std::span<const double> x, bool& out_of_domain) {
  double last = 0.0;
  auto present = array_.y();
  for (int k = 0; k < most_inner_iterations; ++k) {
    if (!array_.evaluate(t, x)) {
      out_of_domain = true;
      return false;
    }
    step_.noalias() = inverses_->m.inverse() * array_.phi();
    const double size = step_.norm();
    if (!std::isfinite(size)) return false;
    present -= step_;
    const double scale = 1.0 + present.norm();
    if (size <= inner_tolerance * scale) return true;
    // Rounding: it does not get any smaller.
    if (k > 0 && size > 0.5 * last && size <= 100 * inner_tolerance * scale) return true;
    if (k > 0 && size > slow_contraction * last) return false;
    last = size;
  }
  return false;
}

Evaluation HigherDerivatives::find(double t, std::span<const double> x, Precision precision) {
  for (int attempt = 0; attempt < 4; ++attempt) {
    if (attempt == 0) shift_to(t);
    bool out_of_domain = false;
    if (iterate(t, x, out_of_domain)) {
      // With the y converged to, what is left of the array is what is left of the constraints.
      if (precision == Precision::exact && !array_.evaluate(t, x)) break;
      return Evaluation::ok();
    }
    was_slow_ = true;
    if (out_of_domain || !array_.xi().allFinite()) {
      array_.y() = accepted_.y;
      t_y_ = accepted_.t;
      shift_to(t);
    }
    if (!renew(t, x)) break;
  }
  array_.y() = accepted_.y;
  t_y_ = accepted_.t;
  return Evaluation::out_of_domain(first_constraint_);
}

void HigherDerivatives::accept() {
  accepted_.y = array_.y();
  accepted_.t = t_y_;
}

void HigherDerivatives::begin_again(const Beginning& beginning) {
  accepted_ = beginning;
  t_y_ = accepted_.t;
  array_.y() = accepted_.y;
  inverses_ = &of_engine_;
}

void HigherDerivatives::keep() {
  kept_.y = array_.y();
  kept_.t = t_y_;
}

void HigherDerivatives::return_to_kept() {
  array_.y() = kept_.y;
  t_y_ = kept_.t;
  inverses_ = &of_engine_;
}

}  // namespace saltus::detail
