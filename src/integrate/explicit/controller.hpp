// How long the next step is.
#pragma once

#include <cmath>

#include "integrate/explicit/tableau.hpp"

namespace saltus::detail {

/// PI control (HNW IV.2, (2.43b) with the constants of the tableau). Lengths are positive here.
class StepController {
 public:
  explicit StepController(const ExplicitTableau& tableau)
      : exponent_(tableau.exponent),
        beta_(tableau.beta),
        min_factor_(tableau.min_factor),
        max_factor_(tableau.max_factor) {}

  void reset() { log_error_before_ = std::log(smallest_error); }

  /// After a step of length h whose error was `error` <= 1 in units of the tolerance. A step that had
  /// to be repeated is followed by none that is longer.
  double after_accepted(double h, double error, bool repeated);
  /// After one whose error was too large, possibly infinite or not a number.
  double after_rejected(double h, double error) const;

 private:
  static constexpr double safety = 0.9;
  // Errors below this carry no information for the next step.
  static constexpr double smallest_error = 1e-4;

  double exponent_;
  double beta_;
  double min_factor_;
  double max_factor_;
  double log_error_before_ = std::log(smallest_error);
};

}  // namespace saltus::detail
