#include "reduce/matrix/rank_cut.hpp"

#include <algorithm>
#include <limits>

#include "reduce/matrix/jacobi_svd.hpp"

namespace saltus::detail {

namespace {

RankedSvd cut_at(const Eigen::MatrixXd& m, double scale, bool own_scale) {
  RankedSvd svd;
  svd.u = Eigen::MatrixXd::Identity(m.rows(), m.rows());
  svd.v = Eigen::MatrixXd::Identity(m.cols(), m.cols());
  if (m.size() > 0) {
    const RealSvd found(m, Eigen::ComputeFullU | Eigen::ComputeFullV);
    svd.u = found.matrixU();
    svd.v = found.matrixV();
    svd.values = found.singularValues();
  }
  if (own_scale) scale = svd.values.size() > 0 ? svd.values[0] : 0.0;
  const double rounding = static_cast<double>(std::max(m.rows(), m.cols())) *
                          std::numeric_limits<double>::epsilon() * scale;
  double smallest = scale, largest_left = rounding;
  for (const double value : svd.values) {
    if (value > rank_tolerance * scale) {
      ++svd.rank;
      smallest = std::min(smallest, value);
    } else {
      largest_left = std::max(largest_left, value);
    }
  }
  svd.looks_like_rounding = largest_left <= clear_gap * rounding;
  svd.gap = largest_left > 0.0 ? smallest / largest_left : std::numeric_limits<double>::infinity();
  return svd;
}

}  // namespace

RankedSvd ranked_svd(const Eigen::MatrixXd& m, double scale) { return cut_at(m, scale, false); }
RankedSvd ranked_svd(const Eigen::MatrixXd& m) { return cut_at(m, 0.0, true); }

RankDecision decision_of(std::string matrix, const RankedSvd& svd) {
  return {std::move(matrix), static_cast<std::uint32_t>(svd.rank), svd.gap,
          svd.gap < clear_gap || !svd.looks_like_rounding ? "not clear" : ""};
}

Eigen::MatrixXd to_eigen(const Matrix& m) {
  Eigen::MatrixXd out(static_cast<Eigen::Index>(m.n_rows), static_cast<Eigen::Index>(m.n_cols));
  for (std::uint32_t i = 0; i < m.n_rows; ++i) {
    for (std::uint32_t j = 0; j < m.n_cols; ++j) {
      out(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = m(i, j);
    }
  }
  return out;
}

}  // namespace saltus::detail
