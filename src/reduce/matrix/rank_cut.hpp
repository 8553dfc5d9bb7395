// Ranks from singular values, with what they are worth.
#pragma once

#include <string>
#include <vector>

#include <saltus/numerics/matrix.hpp>
#include <saltus/reduce/index_analysis.hpp>

#include "numerics/eigen.hpp"

namespace saltus::detail {

/// U S V^T with square U and V, also of matrices without rows or columns; values above
/// rank_tolerance * scale count.
struct RankedSvd {
  Eigen::MatrixXd u, v;
  Eigen::VectorXd values;
  Eigen::Index rank = 0;
  /// The smallest value that counts over the largest that does not; what is below rounding counts as
  /// rounding, so the best there is is 1 / (n eps).
  double gap = 0.0;
  bool looks_like_rounding = true;  // what does not count, in units of n eps
};

// The matrices have entries of size one and come from a chain of orthogonal transformations, whose
// errors are multiples of n eps = 1e-13 for n = 500.
inline constexpr double rank_tolerance = 1e-11;
inline constexpr double clear_gap = 1e3;

RankedSvd ranked_svd(const Eigen::MatrixXd& m, double scale);
/// Its own largest singular value is the scale.
RankedSvd ranked_svd(const Eigen::MatrixXd& m);

RankDecision decision_of(std::string matrix, const RankedSvd& svd);

Eigen::MatrixXd to_eigen(const Matrix& m);

}  // namespace saltus::detail
