// Corrects drift from constraints that the equations impose by their derivatives only.
#pragma once

#include <span>

#include <saltus/system/evaluation.hpp>

namespace saltus {

/// An ability of systems that keep a quantity at zero by keeping its derivatives there (a closed
/// gap by its acceleration). Integration errors then accumulate in it. A run checks the drift
/// between steps. If it exceeds a few tolerances, the run restarts from a corrected point.
class DriftCorrection {
 public:
  virtual ~DriftCorrection() = default;
  /// Returns how far the constrained quantities are from zero at a point, in tolerances of the
  /// unknowns that would have to move. 0 where there is no constraint, or where the drift cannot be
  /// determined.
  virtual double drift(double t, std::span<const double> x, std::span<const double> xdot,
                       std::span<const double> tolerance) = 0;
  /// Moves x so that the constrained quantities and their first derivatives are zero. If it fails,
  /// x is unchanged.
  virtual Evaluation put_back(double t, std::span<double> x) = 0;
};

}  // namespace saltus
