#include "reduce/start/over_fixed.hpp"

#include <algorithm>
#include <cmath>

#include "reduce/matrix/jacobi_svd.hpp"
#include "reduce/array/projectors.hpp"

namespace saltus::detail {

namespace {

bool any_is_fixed(const GaussNewtonProblem& p) {
  return std::any_of(p.fixed.begin(), p.fixed.end(), [](std::uint8_t f) { return f != 0; });
}

Eigen::MatrixXd without_fixed(const GaussNewtonProblem& p, Eigen::MatrixXd jacobian) {
  for (std::size_t i = 0; i < p.fixed.size(); ++i) {
    if (p.fixed[i]) jacobian.col(static_cast<Eigen::Index>(i)).setZero();
  }
  return jacobian;
}

/// The fixed unknowns with large entries, largest first.
std::vector<std::uint32_t> large_entries(const GaussNewtonProblem& p, const Eigen::VectorXd& pull,
                                         double smallest) {
  constexpr double share = 1e-3;  // of the largest: all that take part in the contradiction
  constexpr std::size_t most = 5;
  std::vector<std::uint32_t> named;
  double largest = 0.0;
  for (std::size_t i = 0; i < p.fixed.size(); ++i) {
    if (!p.fixed[i]) continue;
    const double size = std::abs(pull[static_cast<Eigen::Index>(i)]);
    largest = std::max(largest, size);
    if (size > smallest) named.push_back(static_cast<std::uint32_t>(i));
  }
  std::stable_sort(named.begin(), named.end(), [&](std::uint32_t one, std::uint32_t two) {
    return std::abs(pull[one]) > std::abs(pull[two]);
  });
  std::erase_if(named, [&](std::uint32_t i) { return std::abs(pull[i]) < share * largest; });
  if (named.size() > most) named.resize(most);
  return named;
}

}  // namespace

std::vector<std::uint32_t> fixed_to_blame(const GaussNewtonProblem& p, const Eigen::VectorXd& xi) {
  constexpr double helps = 1e-6;  // |dPhi/dxi . r| / |r| of a value worth naming
  if (!any_is_fixed(p)) return {};
  Eigen::VectorXd residual;
  Eigen::MatrixXd jacobian;
  if (!stacked_residual(p, xi, residual) || !stacked_jacobian(p, xi, jacobian)) return {};
  const Eigen::MatrixXd free = without_fixed(p, jacobian);
  const Eigen::VectorXd left = residual - free * step_decomposition(free).solve(residual);
  return large_entries(p, jacobian.transpose() * left, helps * left.norm());
}

std::vector<std::uint32_t> limits_to_blame(const GaussNewtonProblem& p, const Eigen::VectorXd& xi) {
  constexpr double takes_part = 1e-6, share = 1e-3;  // of what is left, of the largest
  if (p.limit == nullptr) return {};
  Eigen::VectorXd residual;
  Eigen::MatrixXd jacobian;
  if (!stacked_residual(p, xi, residual) || !stacked_jacobian(p, xi, jacobian)) return {};
  const Eigen::MatrixXd free = without_fixed(p, jacobian);
  const Eigen::VectorXd left = residual - free * step_decomposition(free).solve(residual);
  const Eigen::VectorXd of_limits = left.tail(p.limit->count()).cwiseAbs();
  const double least =
      std::max(takes_part * left.norm(), share * of_limits.lpNorm<Eigen::Infinity>());
  std::vector<std::uint32_t> named;
  for (Eigen::Index i = 0; i < of_limits.size(); ++i) {
    if (of_limits[i] > least) named.push_back(static_cast<std::uint32_t>(i));
  }
  return named;
}

std::vector<std::uint32_t> fixed_to_blame_near(const GaussNewtonProblem& p,
                                               const Eigen::VectorXd& consistent) {
  constexpr double null = 1e-11, violated = 1e-9;
  if (!any_is_fixed(p)) return {};
  Eigen::MatrixXd jacobian;
  if (!stacked_jacobian(p, consistent, jacobian)) return {};
  const RealSvd svd(without_fixed(p, jacobian), Eigen::ComputeFullU);
  Eigen::Index rank = 0;
  const auto& sigma = svd.singularValues();
  while (rank < sigma.size() && sigma[rank] > null * sigma[0]) ++rank;
  const Eigen::MatrixXd z = svd.matrixU().rightCols(jacobian.rows() - rank);
  Eigen::VectorXd off = Eigen::VectorXd::Zero(jacobian.cols());
  for (std::size_t i = 0; i < p.fixed.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    if (p.fixed[i]) off[k] = p.wish[k] - consistent[k];
  }
  const Eigen::MatrixXd c = z.transpose() * jacobian;
  return large_entries(p, c.transpose() * (c * off), violated);
}

}  // namespace saltus::detail
