// Fixed points p = g(p) of a map whose iterates do not contract, or slowly: Anderson's mixing.
//
// With residuals r_k = g(p_k) - p_k of the last points, the next point is g(p_k) less the combination of differences of
// the g(p_j) whose differences of residuals are nearest to r_k. In as many directions as there are points it is a
// secant method.
#pragma once

#include <vector>

#include "numerics/eigen.hpp"

namespace saltus::detail {

class FixedPointMixing {
 public:
  /// Residuals are measured in the first n_measured entries.
  explicit FixedPointMixing(Eigen::Index n_measured) : n_(n_measured) {}

  /// The point to map next, after `point` was mapped to `image`.
  Eigen::VectorXd next(const Eigen::VectorXd& point, const Eigen::VectorXd& image) {
    constexpr std::size_t most = 6;
    constexpr double dependent = 1e-8;
    residual_.push_back((image - point).head(n_));
    image_.push_back(image);
    if (residual_.size() > most) {
      residual_.erase(residual_.begin());
      image_.erase(image_.begin());
    }
    const auto n_before = static_cast<Eigen::Index>(residual_.size()) - 1;
    if (n_before == 0) return image;
    Eigen::MatrixXd of_residual(n_, n_before), of_image(image.size(), n_before);
    for (Eigen::Index k = 0; k < n_before; ++k) {
      const auto at = static_cast<std::size_t>(k);
      of_residual.col(k) = residual_[at + 1] - residual_[at];
      of_image.col(k) = image_[at + 1] - image_[at];
    }
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
    decomposition.setThreshold(dependent);
    decomposition.compute(of_residual);
    return image - of_image * decomposition.solve(residual_.back());
  }

  void forget() {
    residual_.clear();
    image_.clear();
  }

 private:
  Eigen::Index n_;
  std::vector<Eigen::VectorXd> residual_, image_;
};

}  // namespace saltus::detail
