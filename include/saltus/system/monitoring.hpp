// Defines abilities to monitor the assumptions of a solution, like those of abilities.hpp.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <saltus/numerics/signed_logarithm.hpp>
#include <saltus/system/evaluation.hpp>

namespace saltus {

/// Monitors redundant equations: how far they have ceased to follow from the others.
class RedundancyWatch {
 public:
  struct Contradiction {
    double size = 0.0;  // the remainder of the equations, in units of the tolerance
    double t = 0.0;
    std::vector<std::string> equations;
  };
  virtual ~RedundancyWatch() = default;
  /// Returns the largest contradiction so far.
  virtual const Contradiction& largest_contradiction() const = 0;
};

/// Computes the determinant of the matrix whose regularity gives the system its characteristic
/// values, in units that stay the same during a run. A zero is a point at which these values
/// change.
class Regularity {
 public:
  virtual ~Regularity() = default;
  /// Returns false if only the size of the determinant is known; its sign is then 1 wherever it
  /// does not vanish.
  virtual bool is_signed() const { return true; }
  virtual Evaluation determinant(double t, std::span<const double> x, std::span<const double> xdot,
                                 SignedLogarithm& value) = 0;
  /// Returns whether the values change at a point where the determinant vanishes. Otherwise the
  /// zero is an effect of outdated units, which are then renewed.
  virtual bool confirm(double, std::span<const double>, std::span<const double>) { return true; }
  struct Loss {
    std::string who;              // a sentence without its end; empty: not known
    bool is_of_surfaces = false;  // that hold the solution, and not of the equations beside them
  };
  /// Describes which equations fail to determine which unknowns at a point where the determinant
  /// nearly vanishes.
  virtual Loss describe_loss(double t, std::span<const double> x, std::span<const double> xdot) = 0;
};

/// Returns "equations 'a' and 'b' do not determine 'x'", for names in quotes.
std::string undetermined_text(std::span<const std::string> equations,
                              std::span<const std::string> unknowns);

}  // namespace saltus
