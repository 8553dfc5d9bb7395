// The spaces that a reduced system freezes, at its present point.
#pragma once

#include <saltus/numerics/signed_logarithm.hpp>

#include "reduce/reduced/constraint_correction.hpp"
#include "reduce/reduced/reduced_system.hpp"

namespace saltus::detail {

/// Decomposes (I - M M^+) N and E T2 where the array was linearised and M inverted last: the frozen bases of constraints and
/// of differential equations are renewed once these spaces have turned away from them.
class SpacesHere {
 public:
  using Matrix = Eigen::MatrixXd;

  SpacesHere(const ArrayAtPoint& array, const HigherDerivatives& higher,
             const ConstraintCorrection& constraints, const ProjectorRanks& ranks);

  void decompose();
  /// Whether the space of Z2 has left that of (I - M M^+) N, that of Z1 has left E T2, or unknowns that nothing determines
  /// have others.
  bool have_left(const FrozenForm& frozen, UndeterminedUnknowns undetermined);
  /// The product of the volumes of M, (I - M M^+) N and E T2, free of bases.
  SignedLogarithm determinant() const;

  /// Shares of equations and unknowns in the smallest singular value that counts, in (I - M M^+) N or E T2.
  struct Weakest {
    Eigen::VectorXd of_equation, of_unknown;
  };
  Weakest weakest() const;

 private:
  bool undetermined_have_left(const FrozenForm& frozen, UndeterminedUnknowns undetermined) const;

  const ArrayAtPoint& array_;
  const HigherDerivatives& higher_;
  const ConstraintCorrection& constraints_;
  Matrix projected_n_, t2_, e_t2_;  // (I - M M^+) N, the complement of its rows, and E on it
  FixedRankInverse of_n_, of_e_;
  Eigen::HouseholderQR<Matrix> complement_;
  Eigen::RowVectorXd work_;
  /// A frozen basis in the present space.
  struct Seen {
    Matrix cosines, rest;
  };
  Seen seen_n_, seen_e_;
};

}  // namespace saltus::detail
