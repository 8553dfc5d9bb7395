// What inputs reach; for outputs, everything is transposed.
#pragma once

#include <complex>
#include <vector>

#include <saltus/reduce/pencil.hpp>

#include "numerics/eigen.hpp"

namespace saltus::detail {

struct ReachedPart {
  Eigen::Index dimension = 0;
  std::vector<std::complex<double>> not_reached;  // eigenvalues of the rest, in scaled time
  RankDecision decision;                          // the least clear one
};
/// The smallest subspace that contains the columns of b and is invariant under m: orthonormal bases
/// block by block (the staircase of controllability), with no eigenvalue involved.
ReachedPart reached_part(const Eigen::MatrixXd& m, const Eigen::MatrixXd& b);

/// Smallest over largest singular value of [lambda e - a, b].
double hautus_margin(std::complex<double> lambda, const Eigen::MatrixXd& e,
                     const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

/// How far an eigenvalue lambda of lambda e - a may be moved by rounding in e and a. With U and V the
/// singular vectors of the singular values that vanish there, d lambda = |dA| / smallest(U^H e V).
double eigenvalue_uncertainty(std::complex<double> lambda, const Eigen::MatrixXd& e,
                              const Eigen::MatrixXd& a);

/// Ranks of [E, A kernel, B] and [E, B].
struct InfinityRanks {
  Eigen::Index with_kernel = 0;
  Eigen::Index plain = 0;
};
InfinityRanks ranks_at_infinity(const Eigen::MatrixXd& e, const Eigen::MatrixXd& a,
                                const Eigen::MatrixXd& kernel, const Eigen::MatrixXd& b,
                                std::vector<RankDecision>& decisions, const std::string& name);

std::vector<std::complex<double>> eigenvalues_of(const Eigen::MatrixXd& m);

}  // namespace saltus::detail
