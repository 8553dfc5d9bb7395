#include "reduce/reduced/spaces_here.hpp"

#include <cmath>

namespace saltus::detail {

namespace {

// Projectors are renewed when a direction has turned by 3 degrees: Newton's method wants that (0007).
constexpr double largest_sine_squared = 0.0025;
// What is as small as possible, and not only its changes, follows its directions more closely.
constexpr double norm_sine_squared = 1e-4;

double largest_squared(const Eigen::MatrixXd& matrix) {
  const double sum = matrix.squaredNorm();
  if (sum < largest_sine_squared || matrix.rows() <= 1) return sum;
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(matrix);
  return svd.singularValues()[0] * svd.singularValues()[0];
}

}  // namespace

SpacesHere::SpacesHere(const ArrayAtPoint& array, const HigherDerivatives& higher,
                       const ConstraintCorrection& constraints, const ProjectorRanks& ranks)
    : array_(array),
      higher_(higher),
      constraints_(constraints),
      projected_n_(array.n_equations() * (array.level() + 1), array.n_unknowns()),
      t2_(array.n_unknowns(), array.n_unknowns() - ranks.a),
      e_t2_(array.n_equations(), array.n_unknowns() - ranks.a),
      of_n_(projected_n_.rows(), array.n_unknowns(), ranks.a),
      of_e_(array.n_equations(), array.n_unknowns() - ranks.a, ranks.d),
      complement_(array.n_unknowns(), ranks.a),
      work_(array.n_unknowns()),
      seen_n_{Matrix(ranks.a, ranks.a), Matrix(projected_n_.rows(), ranks.a)},
      seen_e_{Matrix(ranks.d, ranks.d), Matrix(array.n_equations(), ranks.d)} {}

void SpacesHere::decompose() {
  const Eigen::Index a = of_n_.rank();
  const ArrayBlocks b = array_.blocks();
  projected_n_ = b.n;
  projected_n_.noalias() -= higher_.m() * constraints_.m_plus_n();
  of_n_.decompose(projected_n_);
  t2_.setZero();
  t2_.bottomRows(t2_.cols()).setIdentity();
  if (a > 0) {
    complement_.compute(of_n_.row_range());
    complement_.householderQ().applyThisOnTheLeft(t2_, work_);
  }
  e_t2_.noalias() = b.e * t2_;
  of_e_.decompose(e_t2_);
}

bool SpacesHere::have_left(const FrozenForm& frozen, UndeterminedUnknowns undetermined) {
  const auto has_left = [](const Matrix& basis, const FixedRankInverse& now, Seen& seen) {
    if (now.rank() == 0) return false;
    seen.cosines.noalias() = now.range().transpose() * basis;
    seen.rest = basis;
    seen.rest.noalias() -= now.range() * seen.cosines;
    return largest_squared(seen.rest) >= largest_sine_squared;
  };
  if (has_left(frozen.basis.z2, of_n_, seen_n_)) return true;
  if (has_left(frozen.basis.z1, of_e_, seen_e_)) return true;
  return frozen.r3.rows() > 0 && undetermined_have_left(frozen, undetermined);
}

bool SpacesHere::undetermined_have_left(const FrozenForm& frozen,
                                        UndeterminedUnknowns undetermined) const {
  const ArrayBlocks b = array_.blocks();
  const Eigen::Index n = array_.n_unknowns();
  Matrix determined(n - frozen.r3.rows(), n);
  determined << frozen.basis.z1.transpose() * b.e, constraints_.jacobian();
  determined = determined * array_.nominal().cwiseQuotient(array_.unit()).asDiagonal();
  const Matrix now = unseen_directions(determined);
  const Matrix before = (frozen.r3 * array_.nominal().asDiagonal()).transpose();
  const Matrix rest = before - now * (now.transpose() * before);
  const bool norm = undetermined == UndeterminedUnknowns::minimum_norm;
  const double bound = norm ? norm_sine_squared : largest_sine_squared;
  return rest.squaredNorm() >= bound && (norm || largest_squared(rest) >= bound);
}

SignedLogarithm SpacesHere::determinant() const {
  const double sum = higher_.of_engine().m.log_volume() + of_n_.log_volume() + of_e_.log_volume();
  return std::isfinite(sum) ? SignedLogarithm{1, sum} : SignedLogarithm{};
}

SpacesHere::Weakest SpacesHere::weakest() const {
  const Eigen::Index a = of_n_.rank(), d = of_e_.rank(), m = array_.n_equations();
  constexpr unsigned thin = Eigen::ComputeThinU | Eigen::ComputeThinV;
  const Eigen::JacobiSVD<Matrix> of_n(projected_n_, thin), of_e(e_t2_, thin);
  const auto share = [](const auto& svd, Eigen::Index rank) {
    return rank == 0 ? 1.0 : svd.singularValues()[rank - 1] / svd.singularValues()[0];
  };
  if (a > 0 && (d == 0 || share(of_n, a) <= share(of_e, d))) {
    Weakest found{Eigen::VectorXd::Zero(m), of_n.matrixV().col(a - 1).cwiseAbs()};
    const Eigen::VectorXd row = of_n.matrixU().col(a - 1).cwiseAbs();
    for (Eigen::Index i = 0; i < row.size(); ++i) found.of_equation[i % m] += row[i];
    return found;
  }
  return {of_e.matrixU().col(d - 1).cwiseAbs(), (t2_ * of_e.matrixV().col(d - 1)).cwiseAbs()};
}

}  // namespace saltus::detail
