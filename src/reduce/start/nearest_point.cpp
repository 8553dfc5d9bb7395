#include "reduce/start/nearest_point.hpp"

#include <algorithm>

#include "reduce/array/projectors.hpp"

namespace saltus::detail {

namespace {

/// Orthonormal columns: what no row of the matrix sees, without the unknowns that must not move.
Eigen::MatrixXd free_directions(const GaussNewtonProblem& p, const Eigen::MatrixXd& jacobian) {
  const Eigen::MatrixXd matrix = step_matrix(p, jacobian);
  std::vector<Eigen::Index> movable;
  for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
    const auto i = static_cast<std::size_t>(j);
    if (i >= p.fixed.size() || !p.fixed[i]) movable.push_back(j);
  }
  const auto n_movable = static_cast<Eigen::Index>(movable.size());
  Eigen::MatrixXd reduced(matrix.rows(), n_movable);
  for (Eigen::Index k = 0; k < n_movable; ++k) {
    reduced.col(k) = matrix.col(movable[static_cast<std::size_t>(k)]);
  }
  const auto decomposition = step_decomposition(reduced);
  const Eigen::Index n_free = n_movable - decomposition.rank();
  const Eigen::MatrixXd turned = decomposition.matrixZ().transpose();
  const Eigen::MatrixXd null = decomposition.colsPermutation() * turned.rightCols(n_free);
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(matrix.cols(), n_free);
  for (Eigen::Index k = 0; k < n_movable; ++k) {
    all.row(movable[static_cast<std::size_t>(k)]) = null.row(k);
  }
  return all;
}

}  // namespace

void move_to_nearest(GaussNewtonProblem p, const Eigen::VectorXd& weight, Eigen::VectorXd& xi) {
  constexpr int max_steps = 100;
  constexpr double tolerance = 1e-12, on_the_set = 1e-9, smallest = 1.0 / 64;
  const Eigen::Index n = p.wish.size();
  p.x_moves = true;
  const auto distance = [&](const Eigen::VectorXd& at) {
    return weight.cwiseProduct(at.head(n) - p.wish).eval();
  };
  Eigen::MatrixXd jacobian;
  for (int k = 0; k < max_steps; ++k) {
    if (!stacked_jacobian(p, xi, jacobian)) return;
    const Eigen::MatrixXd free = free_directions(p, jacobian);
    if (free.cols() == 0) return;
    const Eigen::VectorXd now = distance(xi);
    const Eigen::MatrixXd seen = weight.asDiagonal() * free.topRows(n);
    const Eigen::VectorXd along = step_decomposition(seen).solve(now);
    const Eigen::VectorXd step = -free * along;
    if ((seen * along).norm() <= tolerance * (now.norm() + weight.cwiseProduct(p.wish).norm())) {
      return;
    }
    bool closer = false;
    for (double lambda = 1.0; lambda >= smallest && !closer; lambda /= 2) {
      Eigen::VectorXd trial = xi + lambda * step;
      const GaussNewtonEnd end = gauss_newton(p, trial);
      closer = end.trouble && end.worst() <= on_the_set && distance(trial).norm() < now.norm();
      if (closer) xi = trial;
    }
    if (!closer) return;
  }
}

}  // namespace saltus::detail
