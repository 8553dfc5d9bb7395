// Enclosures of switching functions along a step, against samples.
#include <algorithm>
#include <array>
#include <cmath>

#include <saltus/core/text.hpp>
#include <saltus/system/switching.hpp>

#include "system/contract/trial.hpp"

namespace saltus::detail {

namespace {

/// A parabola through a trial point, along which unknowns move by a part of themselves.
struct TrialStep {
  TrialStep(const Trial& trial, const TrialPoint& point) {
    const std::size_t n = trial.size();
    constexpr double duration = 0.125;
    coefficients = point.x;
    for (std::size_t j = 0; j < n; ++j) {
      const double bound = 0.125 * magnitude_at(trial, point.x, j);
      coefficients.push_back(std::clamp(duration * point.xdot[j], -bound, bound));
    }
    for (std::size_t j = 0; j < n; ++j) {
      coefficients.push_back(0.03125 * (j % 2 == 0 ? 1.0 : -1.0) * magnitude_at(trial, point.x, j));
    }
    step = {.t_left = trial.t(),
            .t_right = trial.t() + duration,
            .degree = 2,
            .n = static_cast<std::uint32_t>(n),
            .coefficients = coefficients};
  }
  TrialStep(const TrialStep&) = delete;
  TrialStep& operator=(const TrialStep&) = delete;

  std::vector<double> coefficients;
  StepPolynomial step;
};

class EnclosureCheck {
 public:
  EnclosureCheck(Trial& trial, SwitchingFunctions& functions, StepEnclosure& enclosure)
      : trial_(trial), functions_(functions), enclosure_(enclosure), g_(functions.count()) {}

  void run(const TrialPoint& point) {
    if (!enter_side(trial_, *trial_.workspace, point)) return;
    point_ = &point;
    const TrialStep path(trial_, point);
    for (const Interval& part : {Interval(0.0, 1.0), Interval(0.25, 0.5), Interval(0.6, 0.625)}) {
      check_hulls(path.step, part);
      for (std::uint32_t i = 0; i < functions_.count(); ++i) {
        if (functions_.is_active(i)) check_series(i, path.step, part);
      }
    }
  }

 private:
  static constexpr int order_ = 4;
  using Coefficients = std::array<Interval, order_ + 1>;

  bool sample(const StepPolynomial& step, double s) {
    std::vector<double> x(trial_.size()), xdot(trial_.size());
    const double t = step.t_left + s * (step.t_right - step.t_left);
    step.state_at(t, x);
    step.derivative_at(t, xdot);
    return static_cast<bool>(functions_.evaluate(t, x, xdot, g_));
  }

  /// The sample itself is rounded: by as many units as the enclosure is wide at a point, or a few of its
  /// own.
  static bool contains(const Interval& range, double g, double rounding) {
    return range.lo() - rounding <= g && g <= range.hi() + rounding;
  }

  double rounding_at(const StepPolynomial& step, double s, std::uint32_t which) {
    std::vector<Interval> at(functions_.count(), Interval::entire());
    enclosure_.hulls(step, Interval(s), at);
    const double width = at[which].width();
    return 0x1p-48 * std::fabs(g_[which]) + (std::isfinite(width) ? 4.0 * width : 0.0);
  }

  void check_hulls(const StepPolynomial& step, const Interval& part) {
    std::vector<Interval> hull(functions_.count(), Interval::entire());
    enclosure_.hulls(step, part, hull);
    for (int k = 0; k <= 8; ++k) {
      const double s = part.lo() + 0.125 * k * (part.hi() - part.lo());
      if (!sample(step, s)) continue;
      const std::vector<double> sampled = g_;
      for (std::uint32_t i = 0; i < hull.size(); ++i) {
        if (!functions_.is_active(i) || contains(hull[i], sampled[i], 0.0)) continue;
        if (contains(hull[i], sampled[i], rounding_at(step, s, i))) continue;
        report("hulls", i, "should lie in " + text(hull[i]) + ", but is " + to_text(sampled[i]));
      }
    }
  }

  /// Taylor's formula about the middle c of the part: the remainder has a coefficient that is enclosed by
  /// the last one over the part.
  void check_series(std::uint32_t which, const StepPolynomial& step, const Interval& part) {
    Coefficients over, about;
    const double c = part.mid();
    if (!enclosure_.series(which, step, part, order_, over) ||
        !enclosure_.series(which, step, Interval(c), order_, about)) {
      return;
    }
    for (int k = 0; k <= 8; ++k) {
      const double s = part.lo() + 0.125 * k * (part.hi() - part.lo());
      if (!sample(step, s)) continue;
      const double sampled = g_[which];
      const Interval tau = Interval(s) - Interval(c);
      Interval sum = over[order_];
      for (std::size_t j = order_; j-- > 0;) sum = sum * tau + about[j];
      if (contains(sum, sampled, 0.0)) continue;
      if (contains(sum, sampled, rounding_at(step, s, which))) continue;
      report("series", which,
             "lies in " + text(sum) + " by its series, but is " + to_text(sampled));
      return;
    }
    for (std::size_t j = 0; j <= order_; ++j) {
      // Intersect, not contain: both are rounded outward from different operations.
      if (intersect(over[j], about[j])) continue;
      report("series", which,
             "has Taylor coefficient " + std::to_string(j) + " in " + text(over[j]) +
                 " over an interval of time, but in " + text(about[j]) +
                 " in the middle of that interval");
    }
  }

  static std::string text(const Interval& range) {
    return "[" + to_text(range.lo()) + ", " + to_text(range.hi()) + "]";
  }

  void report(const std::string& kind, std::uint32_t which, const std::string& sentence) {
    const std::string name = switch_text(functions_, which);
    trial_.findings.add(kind, name, name + " " + sentence + trial_.where(*point_));
  }

  Trial& trial_;
  SwitchingFunctions& functions_;
  StepEnclosure& enclosure_;
  std::vector<double> g_;
  const TrialPoint* point_ = nullptr;
};

}  // namespace

void check_enclosures(Trial& trial) {
  auto* enclosure = trial.workspace->ability<StepEnclosure>();
  if (enclosure == nullptr) return;
  auto* functions = trial.workspace->ability<SwitchingFunctions>();
  if (functions == nullptr) {
    trial.findings.add("hulls", "", "there are enclosures, but no switching functions");
    return;
  }
  EnclosureCheck check(trial, *functions, *enclosure);
  for (const TrialPoint& point : trial.points) check.run(point);
}

}  // namespace saltus::detail
