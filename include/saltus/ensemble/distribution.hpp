// The distribution of a varied value.
#pragma once

#include <string>

namespace saltus {

enum class DistributionKind { uniform, log_uniform, normal };

struct Distribution {
  std::string name;  // of a parameter, or of a state for its start value
  DistributionKind kind = DistributionKind::uniform;
  /// Bounds, or mean and standard deviation of a normal distribution.
  double a = 0.0, b = 1.0;

  /// Throws OptionError for bounds in the wrong order, logarithms of non-positive values and the
  /// like.
  void check() const;
  /// Returns the value below which a fraction 0 < u < 1 of all values lies.
  double quantile(double u) const;
};

/// For the normal distribution with mean 0 and standard deviation 1.
double normal_quantile(double u);
double normal_probability(double z);

}  // namespace saltus
