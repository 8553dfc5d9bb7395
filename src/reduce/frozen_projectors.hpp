// Projectors of the reduced system at a point, with the ranks of the analysis.
#pragma once

#include <saltus/reduce/index_analysis.hpp>

#include "reduce/reduced_array.hpp"

namespace saltus::detail {

struct FrozenProjectors {
  using Matrix = Eigen::MatrixXd;

  Matrix z1;      // m x d, for rows of F scaled as in the array
  Matrix z2;      // rows of the array x a
  Matrix t3;      // n x u
  Matrix m_plus;  // pseudo-inverse of M
  /// How clearly the ranks stand out here: the smallest singular value that counts over the largest,
  /// the worst of the decompositions.
  double clearness = 1.0;

  /// Turns the bases so that they lie as close as possible to another's: a Newton matrix built with
  /// the other stays good.
  void align_with(const FrozenProjectors& other);
  /// Smallest cosine between the spaces of two sets; 1 if they are the same.
  double agreement_with(const FrozenProjectors& other) const;
};

/// `array` has been linearised at the point.
FrozenProjectors projectors_at(const ReducedArray& array, const CharacteristicValues& values,
                               std::uint32_t rank_of_m);
/// M^+ alone.
Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& m, std::uint32_t rank);

}  // namespace saltus::detail
