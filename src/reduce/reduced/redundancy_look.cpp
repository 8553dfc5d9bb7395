#include "reduce/reduced/redundancy_look.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>

#include "reduce/reduced/large_entries.hpp"

namespace saltus::detail {

RedundancyLook::RedundancyLook(const ReducedSystem& system, ArrayAtPoint& array,
                               HigherDerivatives& higher, ConstraintCorrection& constraints)
    : system_(system),
      array_(array),
      higher_(higher),
      constraints_(constraints),
      r2_(system.ranks().a),
      left_over_(array.phi().size()),
      tolerance_(array.xi().size()),
      probe_(system.size()),
      agreed_until_(system.t_start()) {}

/// The largest row of F - Z2 Z2^T F, in units of what the tolerances of x and its derivatives allow.
double RedundancyLook::left_over(std::span<const double> x, const FrozenForm& form) {
  const ReduceOptions& o = system_.options();
  const Eigen::VectorXd& xi = array_.xi();
  const Eigen::Index n = array_.n_unknowns();
  r2_.noalias() = form.basis.z2.transpose() * array_.phi();
  left_over_ = array_.phi();
  left_over_.noalias() -= form.basis.z2 * r2_;
  for (Eigen::Index k = 0; k < xi.size(); ++k) {
    const Eigen::Index j = k % n;
    const double atol = o.atol.size() == 1 ? o.atol[0] : o.atol[static_cast<std::size_t>(j)];
    const double size =
        k < n ? std::abs(x[static_cast<std::size_t>(j)]) / array_.unit()[j] : std::abs(xi[k]);
    tolerance_[k] = o.rtol * size + atol / array_.unit()[j];
  }
  const DenseMatrix<double>& matrix = array_.matrix();
  double worst = 0.0;
  for (Eigen::Index i = 0; i < left_over_.size(); ++i) {
    double allowed = 0.0;
    for (std::size_t k = 0; k < matrix.n_cols(); ++k) {
      allowed += std::abs(matrix(static_cast<std::size_t>(i), k)) *
                 tolerance_[static_cast<Eigen::Index>(k)];
    }
    const double size = std::abs(left_over_[i]);
    // A row without unknowns is a matter of its own size.
    worst = std::max(worst, size / (allowed > 0 ? allowed : o.rtol));
  }
  return worst;
}

RedundancyLook::Answer RedundancyLook::look(double t, std::span<const double> x,
                                            const FrozenForm& form) {
  if (system_.analysis().values.v == 0) return Answer::agree;
  double size = left_over(x, form);
  if (size > 1.0) {
    // The engine meets constraints up to its tolerance only: what is left on them counts.
    std::copy(x.begin(), x.end(), probe_.begin());
    double moved = 0.0;
    higher_.keep();
    const Evaluation done = constraints_.move_onto(form.basis.z2, t, probe_, moved);
    if (done) size = left_over(probe_, form);
    higher_.return_to_kept();
    if (!done || !array_.linearize(t, x)) return Answer::agree;
  }
  if (size > largest_.size) {
    largest_.size = size;
    largest_.t = t;
    if (size > 1.0) {
      const auto m = static_cast<std::uint32_t>(array_.n_equations());
      largest_.equations = names_of_large(left_over_.cwiseAbs(), 0.3, [&](std::uint32_t row) {
        return system_.raw().equation_name(row % m);
      });
    }
  }
  if (size <= 1.0) {
    agreed_until_ = t;
    return Answer::agree;
  }
  return system_.options().redundant == RedundantEquations::refuse ? Answer::contradict
                                                                   : Answer::directions_outdated;
}

Failure RedundancyLook::failure() const {
  const auto& names = largest_.equations;
  const std::string who = names.size() == 1
                              ? "equation " + names[0] + " contradicts the others"
                              : "equations " + listed(names) + " contradict each other";
  return {
      FailureCode::not_converged,
      who + " from t = " + to_text(largest_.t) + " on: " + to_text(largest_.size) +
          " times the tolerance remains as their residual (up to t = " + to_text(agreed_until_) +
          " they agreed); redundant = least_squares makes the residual of all of them as small as "
          "possible"};
}

}  // namespace saltus::detail
