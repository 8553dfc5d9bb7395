// Where time has too few digits: numbers near t are ulp(t) apart, and a solution that moves by more than its tolerance within
// that distance is not known to its tolerance, whatever the estimate of a step says.
#pragma once

#include "hybrid/stay/stay.hpp"

namespace saltus::detail {

class TimeResolution {
 public:
  /// Which outlives it.
  explicit TimeResolution(const Stay& here) : here_(here) {}
  /// An engine begins.
  void begin(double t);
  /// After a step: by how much unknowns move within ulp(t).
  void note_step();
  /// The last end of a step where the resolution of time did not matter.
  double resolved_to() const { return resolved_to_; }

 private:
  const Stay& here_;
  double resolved_to_ = 0.0;
  double at_start_ = 0.0;  // of the stretch, in tolerances
};

}  // namespace saltus::detail
