#include "events/refine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace saltus::detail {

namespace {

// Where rounding of t or of G hides a sign that is certain, it shows this many ulp further at the latest.
constexpr int farthest_walk_ulp = 64;

double spacing_at(double t) {
  const double size = std::abs(t);
  return next_up(size) - size;
}

struct Sampled {
  double t = 0.0;
  double value = 0.0;
};

class Refinement {
 public:
  Refinement(WatchedFunction& function, const SideCrossing& crossing)
      : function_(function),
        t_begin_(function.time_at(function.s_from())),
        t_end_(function.time_at(1.0)),
        forward_(t_end_ >= t_begin_ ? 1.0 : -1.0) {
    before_.t = function.time_at(crossing.before);
    after_.t = function.time_at(crossing.after);
    if (crossing.before <= function.s_from()) before_.t = t_begin_;
  }

  std::optional<TimeBracket> run() {
    if (function_.enough() > 0) approach();
    if (!is_wrong(after_) && !walk(after_, forward_, true) && !walk(after_, -forward_, true)) {
      return std::nullopt;
    }
    if (is_wrong(before_)) {
      if (before_.t == t_begin_) return TimeBracket{t_begin_, t_begin_};  // at once
      after_ = before_;
      if (!walk(before_, -forward_, false)) return TimeBracket{before_.t, after_.t};
    } else if (before_.value == 0 && before_.t == t_begin_) {
      // As good as at once: to halve the way back to the begin would take fifty evaluations.
      Sampled next{within(t_begin_ + forward_ * 2 * resolution(t_begin_))};
      if (is_wrong(next)) return TimeBracket{t_begin_, next.t};
    }
    narrow();
    return TimeBracket{before_.t, after_.t};
  }

 private:
  bool is_wrong(Sampled& point) {
    // Undefined beyond its zero: beyond, then.
    if (!function_.evaluate(point.t, point.value))
      point.value = -std::numeric_limits<double>::max();
    return point.value < 0;
  }

  bool is_enough() const {
    const double enough = function_.enough();
    return enough > 0 && before_.value <= enough && after_.value >= -enough;
  }

  /// Where evaluations are dear: the enclosure tells the zero, and two of them whether that is true.
  void approach() {
    const double whole = std::abs(after_.t - before_.t);
    double a = before_.t, b = after_.t;
    Interval here;
    const auto middle_at = [&](double t) {
      if (!function_.estimate(t, here)) return std::numeric_limits<double>::quiet_NaN();
      return 0.5 * (here.lo() + here.hi());
    };
    // False position, with the value of an end that stays halved (Illinois), and a halving whenever that is slow.
    double value_a = middle_at(a), value_b = middle_at(b);
    int stays = 0;  // n: b has stayed n times in a row; -n: a has
    while (std::abs(b - a) > std::max(0x1p-40 * whole, 4 * resolution(a))) {
      const bool has_secant = value_a > 0 && value_b < 0 && std::abs(stays) < 3;
      const double part = has_secant ? value_a / (value_a - value_b) : 0.5;
      const double t = a + part * (b - a);
      if (t == a || t == b) break;
      const double value = middle_at(t);
      if (std::isnan(value)) return;
      if (value < 0) {
        b = t;
        value_b = value;
        if (stays < 0) value_a *= 0.5;
        stays = std::abs(stays) < 3 ? std::min(stays, 0) - 1 : 0;
      } else {
        a = t;
        value_a = value;
        if (stays > 0) value_b *= 0.5;
        stays = std::abs(stays) < 3 ? std::max(stays, 0) + 1 : 0;
      }
    }
    constexpr double part = 1e-3;
    const double left = between(b - forward_ * part * whole);
    const double right = between(b + forward_ * part * whole);
    const double rise = middle_at(right) - middle_at(left);
    const double slope = rise / std::abs(right - left);
    if (!(slope < 0) || !std::isfinite(slope)) return;
    const double away = (0.4 * function_.enough() + here.width()) / -slope;
    Sampled beyond{between(b + forward_ * away)}, inside{between(b - forward_ * away)};
    if (is_wrong(beyond)) {
      after_ = beyond;
      (is_wrong(inside) ? after_ : before_) = inside;
    } else {
      before_ = beyond;
    }
    close_in();
  }

  /// Between two points next to the zero a function is as good as straight: where the line through them is zero, and a
  /// little on the other side of that.
  void close_in() {
    constexpr int most_rounds = 2;
    for (int round = 0; round < most_rounds && !is_enough(); ++round) {
      const double drop = before_.value - after_.value;
      if (!(before_.value > 0 && after_.value < 0 && std::isfinite(drop))) return;
      const double way = after_.t - before_.t;
      Sampled zero{before_.t + way * (before_.value / drop)};
      const bool is_beyond = is_wrong(zero);
      (is_beyond ? after_ : before_) = zero;
      const double step = 0.5 * function_.enough() / drop * way;
      Sampled other{between(zero.t + (is_beyond ? -step : step))};
      (is_wrong(other) ? after_ : before_) = other;
    }
  }

  double between(double t) const {
    return std::clamp(t, std::min(before_.t, after_.t), std::max(before_.t, after_.t));
  }

  /// Times closer than this are the same to the step, or as good as the same.
  double resolution(double t) const {
    const StepPolynomial& step = function_.step();
    return std::max({spacing_at(t), spacing_at(t - step.t_left),
                     0x1p-64 * std::abs(step.t_right - step.t_left)});
  }

  double within(double t) const {
    return std::clamp(t, std::min(t_begin_, t_end_), std::max(t_begin_, t_end_));
  }

  /// Tries 1, 2, 4 … ulp away until the sign is the wanted one.
  bool walk(Sampled& point, double direction, bool wanted) {
    const double start = point.t;
    const double unit = resolution(start);
    for (int far = 1; far <= farthest_walk_ulp; far *= 2) {
      const double t = within(start + direction * far * unit);
      if (t == point.t) continue;
      point.t = t;
      if (is_wrong(point) == wanted) return true;
    }
    point.t = start;
    return false;
  }

  /// The method of interpolation, truncation and projection (Oliveira and Takahashi, ACM Trans. Math.
  /// Softw. 47(1), 2020, algorithm 1) with k1 = 0.2/(b - a), k2 = 2, n0 = 1: at most one evaluation more
  /// than bisection, and far fewer on smooth functions.
  void narrow() {
    const double whole = std::abs(after_.t - before_.t);
    const double least = 2 * std::min(resolution(before_.t), resolution(after_.t));
    const double k1 = 0.2 / whole;
    const double levels = std::ceil(std::log2(std::max(whole / least, 1.0))) + 1;
    double reach = least * std::exp2(levels);  // halved each time, which is exact
    for (;; reach *= 0.5) {
      const double a = before_.t, b = after_.t;
      const double width = std::abs(b - a);
      const double unit = std::max(resolution(a), resolution(b));
      if (width <= 2 * unit || is_enough()) return;
      const double half = a + 0.5 * (b - a);
      const double radius = 0.5 * (reach - width);
      // A value of zero has no secant: with large values in G, zeros are stretches of time.
      const bool has_secant =
          before_.value > 0 && after_.value > -std::numeric_limits<double>::max();
      double t = half;
      if (has_secant && radius > 0) {
        const double secant = a + (b - a) * (before_.value / (before_.value - after_.value));
        const double to_half = half >= secant ? 1.0 : -1.0;
        const double delta = std::max(k1 * width * width, unit);
        const double truncated = delta <= std::abs(half - secant) ? secant + to_half * delta : half;
        t = std::abs(truncated - half) <= radius ? truncated : half - to_half * radius;
      }
      // Strictly inside, or there would be no end.
      t = std::clamp(t, std::min(a, b) + 0.5 * unit, std::max(a, b) - 0.5 * unit);
      if (t == a || t == b) return;
      Sampled point{t};
      (is_wrong(point) ? after_ : before_) = point;
    }
  }

  WatchedFunction& function_;
  double t_begin_;
  double t_end_;
  double forward_;
  Sampled before_, after_;
};

}  // namespace

std::optional<TimeBracket> refine(WatchedFunction& function, const SideCrossing& crossing) {
  return Refinement(function, crossing).run();
}

}  // namespace saltus::detail
