// The length of the next step, Hairer & Wanner II, (IV.8.21) to (IV.8.25).
#pragma once

namespace saltus::detail {

class RadauController {
 public:
  /// No step has been accepted: the classical controller decides until there is a history.
  void start() { has_history_ = false; }

  /// After a step of length h > 0 with error norm < 1.
  double after_success(double h, double error, int iterations, int max_iterations);
  /// After an error norm >= 1: shorter than h by a tenth at least.
  double after_failure(double h, double error, int iterations, int max_iterations) const;

 private:
  bool has_history_ = false;
  double last_h_ = 0.0;
  double last_error_ = 0.0;
};

}  // namespace saltus::detail
