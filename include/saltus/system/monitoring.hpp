// What a system can say about the ground its solution rests on; abilities like those of abilities.hpp.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <saltus/numerics/signed_logarithm.hpp>
#include <saltus/system/evaluation.hpp>

namespace saltus {

/// Redundant equations stay in view: here is how far they have ceased to follow from the others.
class RedundancyWatch {
 public:
  struct Contradiction {
    double size = 0.0;  // what is left of the equations, in units of the tolerance
    double t = 0.0;
    std::vector<std::string> equations;
  };
  virtual ~RedundancyWatch() = default;
  /// The largest so far.
  virtual const Contradiction& largest_contradiction() const = 0;
};

/// The determinant of the matrix whose regularity gives the system its characteristic values, in units
/// that stay the same during a run: a zero is a point at which they change.
class Regularity {
 public:
  virtual ~Regularity() = default;
  /// False: only the size of the determinant is known, and the sign is 1 wherever it does not vanish.
  virtual bool is_signed() const { return true; }
  virtual Evaluation determinant(double t, std::span<const double> x, std::span<const double> xdot,
                                 SignedLogarithm& value) = 0;
  /// Whether a point at which the determinant vanishes is one at which the values change, and not an
  /// effect of units that have aged; if it is not, the units are new ones.
  virtual bool confirm(double, std::span<const double>, std::span<const double>) { return true; }
  /// Which equations fail to determine which unknowns at a point where the determinant nearly vanishes.
  virtual std::string describe_loss(double t, std::span<const double> x,
                                    std::span<const double> xdot) = 0;
};

}  // namespace saltus
