// Redundant equations of a reduced system: whether they still follow from the others.
#pragma once

#include <span>
#include <vector>

#include <saltus/system/monitoring.hpp>

#include "reduce/reduced/constraint_correction.hpp"
#include "reduce/reduced/reduced_system.hpp"

namespace saltus::detail {

class RedundancyLook {
 public:
  enum class Answer : std::uint8_t {
    agree,
    directions_outdated,  // frozen directions are not those of the least squares any more
    contradict            // the run must not go on
  };

  RedundancyLook(const ReducedSystem& system, ArrayAtPoint& array, HigherDerivatives& higher,
                 ConstraintCorrection& constraints);

  /// Where the array was linearised last, with the values of the y found there.
  Answer look(double t, std::span<const double> x, const FrozenForm& form);
  const RedundancyWatch::Contradiction& largest() const { return largest_; }
  Failure failure() const;

 private:
  double left_over(std::span<const double> x, const FrozenForm& form);

  const ReducedSystem& system_;
  ArrayAtPoint& array_;
  HigherDerivatives& higher_;
  ConstraintCorrection& constraints_;
  Eigen::VectorXd r2_, left_over_, tolerance_;
  std::vector<double> probe_;
  RedundancyWatch::Contradiction largest_;
  double agreed_until_;
};

}  // namespace saltus::detail
