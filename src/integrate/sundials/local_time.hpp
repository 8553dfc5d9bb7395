// The time IDA sees: tau = t - t_start, zero at every start.
//
// IDA adds up its steps, t += h, and each sum is rounded to half an ulp of t. Far from zero the sums
// drift away from the steps that the differences were made for: at t = 1.7e9 (seconds since 1970)
// ulp(t) = 2.4e-7, and after 50 periods of an oscillator the phase is off by 2e-3 whatever the
// tolerance. In tau the same run makes the same steps wherever it starts.
#pragma once

namespace saltus::detail::sundials {

class LocalTime {
 public:
  void start_at(double t) { start_ = bound_ = t, local_bound_ = 0.0; }
  /// No point lies beyond the bound until the next one is set.
  void set_bound(double t_bound) {
    bound_ = t_bound;
    local_bound_ = to_local(t_bound);
  }

  double to_local(double t) const { return t - start_; }
  double local_bound() const { return local_bound_; }
  /// start + tau, but the bound itself where tau reaches it and never what rounding puts beyond: the
  /// equations may be others there.
  double of(double tau) const {
    const double t = start_ + tau;
    if (local_bound_ >= 0.0) return tau >= local_bound_ || t > bound_ ? bound_ : t;
    return tau <= local_bound_ || t < bound_ ? bound_ : t;
  }

 private:
  double start_ = 0.0;
  double bound_ = 0.0;
  double local_bound_ = 0.0;
};

}  // namespace saltus::detail::sundials
