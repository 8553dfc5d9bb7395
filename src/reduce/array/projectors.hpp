// Bases of the parts of a strangeness-free form, from a derivative array of known ranks.
#pragma once

#include "numerics/eigen.hpp"
#include "reduce/matrix/dense_matrix.hpp"
#include "reduce/array/level_ranks.hpp"

namespace saltus::detail {

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ArrayBlock = Eigen::Ref<const RowMajorMatrix, 0, Eigen::OuterStride<>>;

/// A derivative array with the rows of E below it, seen as its blocks [N M; E 0].
struct ArrayBlocks {
  ArrayBlock n;  // by x_0
  ArrayBlock m;  // by x_1 …
  ArrayBlock e;
};
ArrayBlocks blocks_of(const DenseMatrix<double>& array, std::size_t n_equations,
                      std::size_t n_unknowns);

struct ProjectorRanks {
  Eigen::Index m = 0;  // of M
  Eigen::Index a = 0;
  Eigen::Index d = 0;
};

/// Orthonormal columns, in scaled equations and unknowns.
struct Projectors {
  Eigen::MatrixXd z2;  // Z2^T Phi = 0 are the a algebraic equations
  Eigen::MatrixXd t2;  // n - a directions that they leave free
  Eigen::MatrixXd z1;  // Z1^T Phi_0 = 0 are the d differential equations
  Eigen::MatrixXd w;   // Z1^T E: the differential content of x is w x
  /// How clearly the ranks stand out: the smallest singular value that counts over the largest, the
  /// worst of the decompositions.
  double clearness = 1.0;

  /// Turns z1 and z2 so that they lie as close as possible to another's: a Newton matrix built with
  /// the other stays good.
  void align_with(const Projectors& other);
};

/// Ranks are taken as decided: the first singular vectors count.
Projectors projectors(const ArrayBlocks& array, const ProjectorRanks& ranks);
/// `array`: as for level_ranks.
Projectors projectors(const DenseMatrix<double>& array, std::size_t n_unknowns,
                      const LevelRanks& ranks);

/// n - rank(rows) directions that no row sees; every row counts as one, whatever its size.
Eigen::MatrixXd unseen_directions(Eigen::MatrixXd rows);

Eigen::MatrixXd to_eigen(const DenseMatrix<double>& matrix);

}  // namespace saltus::detail
