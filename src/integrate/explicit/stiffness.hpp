// Notices when stability, not accuracy, limits an explicit method.
#pragma once

#include <cstdint>

namespace saltus::detail {

/// The last stage and the new point belong to the same time, so h ‖f - f'‖ / ‖x - x'‖ estimates
/// h |lambda| of the dominant eigenvalue (HNW IV.2, (2.20)). An engine that is limited by stability
/// keeps it near the border of the stability domain, step after step.
class StiffnessTest {
 public:
  explicit StiffnessTest(double stability_limit) : limit_(stability_limit) {}

  /// The estimate costs one pass over the unknowns: now and then is enough until it hits.
  bool is_due(std::uint64_t n_steps) const { return hits_ > 0 || n_steps % period == 0; }
  void observe(double h_lambda) {
    if (h_lambda > limit_) {
      misses_ = 0;
      found_ = found_ || ++hits_ >= hits_needed;
    } else if (hits_ > 0 && ++misses_ >= misses_allowed) {
      hits_ = 0;
      misses_ = 0;
    }
  }
  void forget_history() { hits_ = misses_ = 0; }
  bool found() const { return found_; }

 private:
  static constexpr std::uint64_t period = 8;
  static constexpr int hits_needed = 15;
  static constexpr int misses_allowed = 6;

  double limit_;
  int hits_ = 0;
  int misses_ = 0;
  bool found_ = false;
};

}  // namespace saltus::detail
