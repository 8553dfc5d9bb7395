// What equations keep by its derivatives only.
#pragma once

#include <span>

#include <saltus/system/evaluation.hpp>

namespace saltus {

/// An ability of systems that keep something at zero by keeping its derivatives there (a closed gap by its acceleration).
/// Errors of integration then add up in it. A run asks between steps how far it has come, and from a few
/// tolerances on goes on from a point that was put back.
class DriftCorrection {
 public:
  virtual ~DriftCorrection() = default;
  /// How far what is kept is off zero at a point: in tolerances of the unknowns that would have to move. 0 where nothing
  /// is kept, or where it cannot be told.
  virtual double drift(double t, std::span<const double> x, std::span<const double> xdot,
                       std::span<const double> tolerance) = 0;
  /// Moves x so that what is kept, and its first derivative, are zero. If it fails x is what it was.
  virtual Evaluation put_back(double t, std::span<double> x) = 0;
};

}  // namespace saltus
