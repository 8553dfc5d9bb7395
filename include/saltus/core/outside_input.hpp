// Inputs that the caller of a run sets while the run goes on.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace saltus {

/// A function of time that is a polynomial from each change to the next. It belongs to one run: two
/// runs that share one would change each other's past.
class OutsideInput {
 public:
  virtual ~OutsideInput() = default;
  /// Returns value and derivatives at t, as they were set last: u(t), u'(t), ...
  virtual std::vector<double> at(double t) const = 0;
  /// Sets them from t on; those that are not given are zero. No change lies after t, and there are
  /// at most most_derivatives() + 1 numbers.
  virtual void set(double t, std::span<const double> derivatives) const = 0;
  virtual std::size_t most_derivatives() const = 0;
};

struct NamedInput {
  std::string name;
  const OutsideInput* input = nullptr;
};

}  // namespace saltus
