#include "ensemble/smooth_pieces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>

#include "ensemble/polynomial_roots.hpp"

namespace saltus::detail {

namespace {

/// Polynomials are off by this part of what they stand for, on the piece. Next to a vertical tangent, sqrt(x) at x = 0,
/// a short piece may be off by more, but not by more than that part of the largest value of the run.
constexpr double fit_tolerance = 1e-10, fit_tolerance_of_few = 1e-7;
/// Crossings of polynomials are as near to those of the functions as that, in lengths of a piece; a hundred times what a
/// function is off that goes straight through.
constexpr double near_crossing = 1e-8;
/// One that is as near to the end of a part, in its lengths, is the one that ends it. A part that is cut in vain costs
/// time and nothing else.
constexpr double end_of_part = 1e-12;
double middle_of(const SmoothPieces::Part& part) {
  return part.t_left + 0.5 * (part.t_right - part.t_left);
}
/// Shorter ones are not cut again: times have no more digits, and next to zero a step is followed to as many.
double shortest(const SmoothPieces::Part& part, const StepPolynomial& step) {
  constexpr double of_time = 16 * std::numeric_limits<double>::epsilon(), of_step = 0x1p-50;
  return std::max(of_time * std::max(std::abs(part.t_left), std::abs(part.t_right)),
                  of_step * std::abs(step.t_right - step.t_left));
}
/// Of a step. Whoever asks for more has an expression that is not meant for this run.
constexpr std::size_t most_parts = 10'000;
/// Of a step: where nothing bounds an expression, as the slope of sqrt(x) at 0, shorter parts are not looked into.
constexpr double shortest_half = 0x1p-24;

}  // namespace

SmoothPieces::SmoothPieces(const Reduced& what, const Trajectory& trajectory,
                           std::span<const double> fixed)
    : what_(what),
      columns_(what.inputs.size(), 0),
      inputs_(fixed.begin(), fixed.end()),
      deciding_(what.deciding),
      decided_(what.decided),
      enclosing_(what.decided),
      smoothness_(what, columns_, inputs_) {
  for (std::size_t i = 0; i < what.inputs.size(); ++i) {
    const MeasureInput& in = what.inputs[i];
    reads_derivatives_ = reads_derivatives_ || in.kind == MeasureInput::Kind::derivative;
    if (in.kind == MeasureInput::Kind::variable || in.kind == MeasureInput::Kind::derivative)
      columns_[i] = trajectory.index_of(in.name);
  }
  deciding_.bind(0, inputs_);
  decided_.bind(0, inputs_);
}

bool SmoothPieces::exists_in(const Segment& segment) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const auto kind = what_.inputs[i].kind;
    if (kind != MeasureInput::Kind::variable && kind != MeasureInput::Kind::derivative) continue;
    if (segment.present[columns_[i]] == 0) return false;
  }
  return true;
}

void SmoothPieces::read(const StepPolynomial& step, double t, std::span<double> inputs) const {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    switch (what_.inputs[i].kind) {
      case MeasureInput::Kind::time:
        inputs[i] = t;
        break;
      case MeasureInput::Kind::variable:
        inputs[i] =
            t == step.t_left ? step.coefficient(0, columns_[i]) : step.value(columns_[i], t);
        break;
      case MeasureInput::Kind::derivative:
        inputs[i] = step.slope(columns_[i], t);
        break;
      default:
        break;
    }
  }
}

void SmoothPieces::has_no_value(double t) const {
  throw Error("'" + what_.text + "' has no value at t = " + to_text(t));
}

double SmoothPieces::value_at(const StepPolynomial& step, double t) {
  read(step, t, inputs_);
  deciding_.run();
  const double v = deciding_.outputs().back();
  if (!std::isfinite(v)) has_no_value(t);
  return v;
}

double SmoothPieces::value_of(std::span<const double> inputs) {
  std::ranges::copy(inputs, inputs_.begin());
  deciding_.run();
  return deciding_.outputs().back();
}

/// By what holds in the middle.
void SmoothPieces::decide(const Part& part) {
  read(step_, middle_of(part), inputs_);
  deciding_.run();
  const auto locks = deciding_.locks();
  for (const SwitchId s : what_.switches) {
    const std::uint8_t lock = locks[s] == lock_true ? lock_true : lock_false;
    decided_.set_lock(s, lock);
    enclosing_.set_lock(s, lock);
    smoothness_.set_lock(s, lock);
  }
  smoothness_.see(deciding_.outputs());
}

void SmoothPieces::find_noise(const Part& part) {
  // Values of polynomials are off by some units in the last place; functions of them may differ by their range.
  constexpr double units = 4 * std::numeric_limits<double>::epsilon();
  constexpr int n_points = 8;  // as many as decide about what is smooth
  const std::size_t n = what_.switches.size();
  is_noise_.assign(n, 1);
  rounding_.assign(n + 1, 0.0);
  for (int k = 0; k < n_points; ++k) {
    read(step_, part.t_left + (k + 0.5) / n_points * (part.t_right - part.t_left), inputs_);
    decided_.run();
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const double off = units * std::abs(inputs_[i]);
      enclosing_.input(0)[i] = Interval(inputs_[i] - off, inputs_[i] + off);
    }
    enclosing_.run();
    for (std::size_t j = 0; j <= n; ++j) {
      const Interval range = enclosing_.outputs()[j];
      const double g = decided_.outputs()[j];
      if (j < n && !(std::abs(g) <= range.hi() - range.lo())) is_noise_[j] = 0;
      if (range.is_bounded()) rounding_[j] = std::max(rounding_[j], range.hi() - range.lo());
    }
  }
}

bool SmoothPieces::evaluate(const Part& part, double t) {
  // sqrt(x) while x > 0, where x is -1e-17
  const double length = part.t_right - part.t_left;
  const double of_step = std::abs(step_.t_right - step_.t_left);
  const bool is_left = t - part.t_left < part.t_right - t;
  for (const double inwards : {0.0, 0x1p-50, 0x1p-44, 0x1p-38, 0x1p-32}) {
    const double by = std::min(inwards * of_step, 0x1p-8 * length);
    const double there = is_left ? t + by : t - by;
    read(step_, there, inputs_);
    decided_.run();
    if (std::ranges::all_of(decided_.outputs(), [](double v) { return std::isfinite(v); }))
      return true;
    if (t - part.t_left > 0x1p-20 * length && part.t_right - t > 0x1p-20 * length) return false;
  }
  return false;
}

double SmoothPieces::value(const Part& part, double t) {
  decide(part);
  if (!evaluate(part, t)) has_no_value(t);
  return decided_.outputs().back();
}

const FittedPieces& SmoothPieces::fit(const Part& part) {
  decide(part);
  double last = part.t_left;
  const double allowed = fit_tolerance * smoothness_.size(what_.switches.size());
  const bool fitted = expression_.fit(part.t_left, part.t_right, step_.degree, fit_tolerance,
                                      {{allowed}}, [&](double t, std::span<double> values) {
                                        last = t;
                                        if (!evaluate(part, t)) return false;
                                        values[0] = decided_.outputs().back();
                                        largest_ = std::max(largest_, std::abs(values[0]));
                                        return true;
                                      });
  if (!fitted) has_no_value(last);
  if (const auto& missed = expression_.missed();
      missed && (!missed_ || missed->error > missed_->error))
    missed_ = missed;
  return expression_;
}

void SmoothPieces::check() const {
  if (missed_ && missed_->error > fit_tolerance_of_few * largest_)
    throw Error("'" + what_.text + "' changes too fast near t = " + to_text(missed_->t) +
                " to be followed: its error there is " + to_text(missed_->error) +
                ", and its largest value is " + to_text(largest_));
}

// ---- where branches change ---------------------------------------------------------------------------

/// On the way from one place to the other, by the function itself. Polynomials say that there is one crossing.
double SmoothPieces::located(const Part& part, std::size_t function, double left, double right) {
  const auto at = [&](double t) {
    return evaluate(part, t) ? decided_.outputs()[function]
                             : std::numeric_limits<double>::quiet_NaN();
  };
  double g_left = at(left), g_right = at(right);
  if (!(g_left < 0 ? g_right > 0 : g_left > 0 && g_right < 0)) return left + 0.5 * (right - left);
  for (int k = 0; k < 200; ++k) {
    // Secants, halving in between, so that it ends.
    double t = left + 0.5 * (right - left);
    if (k % 3 != 2) t = left + (right - left) * (g_left / (g_left - g_right));
    if (!(t > left && t < right)) t = left + 0.5 * (right - left);
    if (!(t > left && t < right)) return t;
    const double g = at(t);
    if (!(g < 0 || g > 0)) return t;
    if ((g < 0) == (g_left < 0)) {
      left = t;
      g_left = g;
    } else {
      right = t;
      g_right = g;
    }
  }
  return left + 0.5 * (right - left);
}

bool SmoothPieces::is_smooth(const Part& part, std::size_t output) {
  if (smoothness_.is_smooth(output, 0.0)) return true;
  const double of_step = std::abs(step_.t_right - step_.t_left);
  if (!smoothness_.is_bounded(output) && part.t_right - part.t_left <= shortest_half * of_step)
    return true;
  if (rounding_.empty()) find_noise(part);
  return smoothness_.is_smooth(output, rounding_[output]);
}

void SmoothPieces::find_cuts(const Part& part, std::vector<double>& found) {
  decide(part);
  smoothness_.enclose(step_, part.t_left, part.t_right);
  rounding_.clear();
  const std::size_t n = what_.switches.size();
  if (n > 0) find_crossings(part, found);
  // Where it has no value a fit says so.
  const bool has_value = std::isfinite(deciding_.outputs().back());
  if (found.empty() && has_value && !is_smooth(part, n)) found.push_back(middle_of(part));
}

void SmoothPieces::find_crossings(const Part& part, std::vector<double>& found) {
  find_noise(part);
  const std::size_t n = what_.switches.size();
  for (std::size_t j = 0; j < n; ++j)
    if (!is_smooth(part, j)) return found.push_back(middle_of(part));
  const bool fitted = functions_.fit(
      part.t_left, part.t_right, step_.degree, fit_tolerance, std::vector<double>(n, 0.0),
      [&](double t, std::span<double> values) {
        read(step_, t, inputs_);
        decided_.run();
        for (std::size_t j = 0; j < n; ++j)
          values[j] = is_noise_[j] != 0 ? 0.0 : decided_.outputs()[j];
        return std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
      });
  if (!fitted || functions_.missed()) {
    // Beyond a crossing functions of others may not exist, or be something else: nearer to it they do.
    found.push_back(middle_of(part));
    return;
  }
  std::vector<double> coefficients;
  for (std::size_t k = 0; k < functions_.n_pieces(); ++k) {
    const StepPolynomial p = functions_.piece(k);
    for (std::uint32_t j = 0; j < n; ++j) {
      coefficients.clear();
      for (int i = 0; i <= p.degree; ++i) coefficients.push_back(p.coefficient(i, j));
      for (const double s : polynomial_roots(coefficients)) {
        const double h = p.t_right - p.t_left, around = near_crossing * h;
        const double t = p.t_left + s * h;
        found.push_back(located(part, j, std::max(t - around, part.t_left),
                                std::min(t + around, part.t_right)));
      }
    }
  }
  const double near = end_of_part * (part.t_right - part.t_left);
  std::erase_if(found,
                [&](double t) { return !(t - part.t_left > near && part.t_right - t > near); });
  std::ranges::sort(found);
}

std::vector<SmoothPieces::Part> SmoothPieces::parts(const StepPolynomial& step, double t_left,
                                                    double t_right) {
  step_ = step;
  smoothness_.forget();
  // All of a length before shorter ones: what is large is seen before much is asked of what is small.
  std::vector<Part> done, open = {{t_left, t_right}}, next;
  std::vector<double> cuts;
  for (; !open.empty(); std::swap(open, next), next.clear()) {
    for (std::size_t k = 0; k < open.size(); ++k) {
      const Part& part = open[k];
      if (done.size() + next.size() + (open.size() - k) > most_parts)
        throw Error("'" + what_.text + "' changes too fast near t = " + to_text(part.t_left) +
                    " to be followed: a step would have to be cut into more than " +
                    std::to_string(most_parts) + " parts");
      cuts.clear();
      if (part.t_right - part.t_left > shortest(part, step_)) find_cuts(part, cuts);
      (cuts.empty() ? done : next).push_back(part);
      for (const double t : cuts) {
        if (!(next.back().t_left < t)) continue;
        next.push_back({t, next.back().t_right});
        next[next.size() - 2].t_right = t;
      }
    }
  }
  std::ranges::sort(done, {}, &Part::t_left);
  return done;
}

}  // namespace saltus::detail
