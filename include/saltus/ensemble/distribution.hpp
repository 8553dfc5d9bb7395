// How a varied value is distributed.
#pragma once

#include <string>

namespace saltus {

enum class DistributionKind { uniform, log_uniform, normal };

struct Distribution {
  std::string name;  // of a parameter, or of a state for its start value
  DistributionKind kind = DistributionKind::uniform;
  /// Bounds; of a normal distribution its mean and its standard deviation.
  double a = 0.0, b = 1.0;

  /// Refuses (OptionError) bounds in the wrong order, logarithms of what is not positive and the like.
  void check() const;
  /// The value below which a part 0 < u < 1 of all values lies.
  double quantile(double u) const;
};

/// Of the normal distribution with mean 0 and deviation 1.
double normal_quantile(double u);
double normal_probability(double z);

}  // namespace saltus
