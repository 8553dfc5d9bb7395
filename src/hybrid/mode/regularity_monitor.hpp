// Watches whether the characteristic values of a system stay what they are while it is integrated.
//
// They change where the determinant D(t) of Regularity vanishes along the solution. After an accepted step
//
//   D has another sign than before                    -> a zero of odd order, by bisection;
//   D falls at the left end of the step and rises at its right end, so fast that a zero of order p >= 2
//   explains it: near t*, d log|D| / dt = p / (t - t*), so the distances p / |d log|D|/dt| to both ends
//   add up to the step                                -> a zero of even order, by minimising |D|,
//                                                        if |D| falls by 1e5 within the step, and
//                                                        near the minimum like a power of the distance.
//
// If only |D| is known, zeros of all orders are found in the second way.
//
// A point is taken on the polynomial of the step. Where the solution cannot be continued at all (an impasse
// point), steps shrink to nothing instead: explain() recognises it by D, which has nearly vanished.
//
// Systems of up to 100 unknowns that offer their derivatives are looked at after every step, others after
// every tenth: a sign that has changed is then found, but not where in these ten steps.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <saltus/integrate/engine.hpp>
#include <saltus/system/monitoring.hpp>
#include <saltus/system/system.hpp>

namespace saltus::detail {

/// Where the characteristic values change.
struct RegularityLoss {
  double t_before = 0.0;  // still regular; the solution is valid up to here
  double t = 0.0;
  bool located = true;  // otherwise somewhere between the two
  Regularity::Loss of = {};
};

class RegularityMonitor {
 public:
  /// From a consistent point on. `only_own`: what the system itself offers to be watched, or nothing.
  void begin(const System& system, Workspace& workspace, double t, std::span<const double> x,
             std::span<const double> xdot, bool only_own = false);

  /// After an accepted step.
  std::optional<RegularityLoss> look(Engine& engine);

  /// After a step that failed, at the last accepted point: whether D has nearly vanished, and where it
  /// will, if it goes on as a power of the distance.
  std::optional<RegularityLoss> explain(double t, std::span<const double> x,
                                        std::span<const double> xdot);

 private:
  struct Reading {
    double t = 0.0;
    SignedLogarithm value;
  };

  bool read(const StepPolynomial& step, double t, SignedLogarithm& value);
  std::optional<RegularityLoss> bisect(const StepPolynomial& step, int sign_before);
  std::optional<RegularityLoss> minimise(const StepPolynomial& step, const Reading& right);
  double extrapolated(const Reading& now) const;
  RegularityLoss loss_at(const StepPolynomial& step, double t_before, double t);

  std::unique_ptr<Regularity> own_;
  Regularity* watched_ = nullptr;  // null: nothing can change
  int steps_between_looks_ = 1, steps_since_look_ = 0;
  bool is_constant_ = false;  // one look is enough
  Reading last_, before_last_;
  std::array<Reading, 3> trail_;  // earlier ones, log|D| at least one apart
  double largest_ = 0.0;          // of log|D|
  std::vector<double> x_, xdot_;
};

}  // namespace saltus::detail
