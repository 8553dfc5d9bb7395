#include "reduce/start/limit_freedom.hpp"

#include <algorithm>

namespace saltus::detail {

namespace {

// Bases are orthonormal up to rounding times the condition of an array: 1e-16 times 1e6 at most where it
// matters.
constexpr double seen_by_limits = 1e-9;

Eigen::Index rank_of(const Eigen::MatrixXd& rows) {
  if (rows.size() == 0) return 0;
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(rows);
  return (svd.singularValues().array() > seen_by_limits).count();
}

}  // namespace

LimitFreedom limit_freedom(const Eigen::MatrixXd& t2, const Eigen::MatrixXd& equations,
                           const std::vector<std::uint8_t>& fixed, const Eigen::MatrixXd& content) {
  constexpr double share = 0.1;  // of the largest
  const auto n_fixed = std::count_if(fixed.begin(), fixed.end(), [](auto f) { return f != 0; });
  Eigen::MatrixXd stated(equations.rows() + n_fixed, t2.cols());
  stated.topRows(equations.rows()) = equations * t2;
  Eigen::Index row = equations.rows();
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    if (fixed[i]) stated.row(row++) = t2.row(static_cast<Eigen::Index>(i));
  }
  Eigen::MatrixXd all(stated.rows() + content.rows(), t2.cols());
  all << stated, content * t2;
  LimitFreedom freedom;
  const Eigen::Index rank = rank_of(stated);
  freedom.n_missing = static_cast<std::uint32_t>(std::max<Eigen::Index>(rank_of(all) - rank, 0));
  if (freedom.n_missing == 0) return freedom;
  // Of the directions that nothing stated sees, those that are content.
  Eigen::MatrixXd unseen = Eigen::MatrixXd::Identity(t2.cols(), t2.cols());
  if (stated.rows() > 0) {
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(stated, Eigen::ComputeFullV);
    unseen = svd.matrixV().rightCols(t2.cols() - rank);
  }
  const Eigen::JacobiSVD<Eigen::MatrixXd> seen(content * t2 * unseen, Eigen::ComputeFullV);
  const Eigen::MatrixXd moves = t2 * unseen * seen.matrixV().leftCols(freedom.n_missing);
  const Eigen::VectorXd size = moves.rowwise().norm();
  for (Eigen::Index i = 0; i < size.size(); ++i) {
    if (size[i] > share * size.maxCoeff()) {
      freedom.unknowns.push_back(static_cast<std::uint32_t>(i));
    }
  }
  std::stable_sort(freedom.unknowns.begin(), freedom.unknowns.end(),
                   [&](std::uint32_t one, std::uint32_t two) { return size[one] > size[two]; });
  return freedom;
}

}  // namespace saltus::detail
