#include "reduce/pencil/pencil_reach.hpp"

#include <limits>

#include "numerics/eigen.hpp"
#include "reduce/matrix/jacobi_svd.hpp"
#include "reduce/matrix/rank_cut.hpp"

namespace saltus::detail {

std::vector<std::complex<double>> eigenvalues_of(const Eigen::MatrixXd& m) {
  if (m.rows() == 0) return {};
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(m, false);
  const auto& values = solver.eigenvalues();
  return {values.data(), values.data() + values.size()};
}

ReachedPart reached_part(const Eigen::MatrixXd& m, const Eigen::MatrixXd& b) {
  const Eigen::Index n = m.rows();
  ReachedPart part;
  part.decision.gap = std::numeric_limits<double>::infinity();
  const double m_scale = std::max(m.norm(), std::numeric_limits<double>::min());
  Eigen::MatrixXd basis(n, 0), candidates = b;
  double scale = std::max(b.norm(), std::numeric_limits<double>::min());
  while (basis.cols() < n && candidates.cols() > 0) {
    // Twice: once leaves errors of the size of the cancellation.
    for (int pass = 0; pass < 2; ++pass) candidates -= basis * (basis.transpose() * candidates);
    const RankedSvd svd = ranked_svd(candidates, scale);
    part.decision.gap = std::min(part.decision.gap, svd.gap);
    if (!decision_of("", svd).note.empty()) part.decision.note = "not clear";
    const Eigen::MatrixXd news = svd.u.leftCols(svd.rank);
    Eigen::MatrixXd longer(n, basis.cols() + news.cols());
    longer << basis, news;
    basis = std::move(longer);
    candidates = m * news;
    scale = m_scale;
  }
  part.dimension = basis.cols();
  part.decision.rank = static_cast<std::uint32_t>(part.dimension);
  if (part.dimension == n) return part;
  // An orthonormal basis whose first columns span the subspace; the rest is orthogonal to it.
  const Eigen::MatrixXd rest = ranked_svd(basis).u.rightCols(n - part.dimension);
  part.not_reached = eigenvalues_of(rest.transpose() * m * rest);
  return part;
}

double hautus_margin(std::complex<double> lambda, const Eigen::MatrixXd& e,
                     const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  Eigen::MatrixXcd both(e.rows(), e.cols() + b.cols());
  both << lambda * e.cast<std::complex<double>>() - a.cast<std::complex<double>>(),
      b.cast<std::complex<double>>();
  const ComplexSvd svd(both);
  const auto& values = svd.singularValues();
  return values.size() > 0 && values[0] > 0.0 ? values[values.size() - 1] / values[0] : 0.0;
}

double eigenvalue_uncertainty(std::complex<double> lambda, const Eigen::MatrixXd& e,
                              const Eigen::MatrixXd& a) {
  const Eigen::MatrixXcd at =
      lambda * e.cast<std::complex<double>>() - a.cast<std::complex<double>>();
  const ComplexSvd svd(at, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const double rounding = static_cast<double>(e.rows()) * std::numeric_limits<double>::epsilon() *
                          (std::abs(lambda) * e.norm() + a.norm());
  Eigen::Index n_vanishing = 1;
  const auto& values = svd.singularValues();
  while (n_vanishing < values.size() && values[values.size() - 1 - n_vanishing] <= 100 * rounding) {
    ++n_vanishing;
  }
  const Eigen::MatrixXcd part = svd.matrixU().rightCols(n_vanishing).adjoint() *
                                e.cast<std::complex<double>>() *
                                svd.matrixV().rightCols(n_vanishing);
  const ComplexSvd inner(part);
  const double sensitivity = inner.singularValues()[n_vanishing - 1];
  return sensitivity > 0.0 ? rounding / sensitivity : std::numeric_limits<double>::infinity();
}

InfinityRanks ranks_at_infinity(const Eigen::MatrixXd& e, const Eigen::MatrixXd& a,
                                const Eigen::MatrixXd& kernel, const Eigen::MatrixXd& b,
                                std::vector<RankDecision>& decisions, const std::string& name) {
  Eigen::MatrixXd plain(e.rows(), e.cols() + b.cols());
  plain << e, b;
  Eigen::MatrixXd with_kernel(e.rows(), e.cols() + kernel.cols() + b.cols());
  with_kernel << e, a * kernel, b;
  const RankedSvd of_plain = ranked_svd(plain), of_kernel = ranked_svd(with_kernel);
  decisions.push_back(decision_of(name == "B" ? "[E, B]" : "[E; C]", of_plain));
  decisions.push_back(decision_of(name == "B" ? "[E, A S, B]" : "[E; T^T A; C]", of_kernel));
  return {of_kernel.rank, of_plain.rank};
}

}  // namespace saltus::detail
