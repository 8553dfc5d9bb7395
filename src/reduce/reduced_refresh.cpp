// What a reduced system does after an accepted step.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <saltus/core/text.hpp>

#include "numerics/eigen.hpp"
#include "reduce/reduced_workspace.hpp"

namespace saltus::detail {

namespace {

// Projectors are renewed when a direction has turned by 3 degrees: Newton's method wants that (0007). They are looked at after every step
// where that is cheap: at loose tolerances a pendulum turns by a radian in two steps. Large arrays
// are looked at every so many steps, and whenever the inner iteration was slow.
constexpr double largest_sine_squared = 0.0025;
constexpr std::size_t cheap_rows = 150;
constexpr int steps_between_looks = 5;
// What is as small as possible, and not only its changes, follows its directions more closely.
constexpr double norm_sine_squared = 1e-4;

double largest_squared(const Eigen::MatrixXd& matrix) {
  const double sum = matrix.squaredNorm();
  if (sum < largest_sine_squared || matrix.rows() <= 1) return sum;
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(matrix);
  return svd.singularValues()[0] * svd.singularValues()[0];
}

/// Names behind the large entries, largest first, each once.
template <class Name>
std::vector<std::string> names_of_large(const Eigen::VectorXd& sizes, double share, Name&& name) {
  constexpr std::size_t most = 4;
  std::vector<Eigen::Index> order(static_cast<std::size_t>(sizes.size()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Eigen::Index a, Eigen::Index b) { return sizes[a] > sizes[b]; });
  std::vector<std::string> names;
  for (const Eigen::Index i : order) {
    if (names.size() == most || sizes[i] < share * sizes[order[0]]) break;
    const std::string text = "'" + name(static_cast<std::uint32_t>(i)) + "'";
    if (std::find(names.begin(), names.end(), text) == names.end()) names.push_back(text);
  }
  return names;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k) {
    text += (k == 0 ? "" : k + 1 == names.size() ? " and " : ", ") + names[k];
  }
  return text;
}

}  // namespace

StepRefresh::Answer ReducedWorkspace::step_accepted(double t, std::span<const double> x,
                                                    std::span<const double>) {
  t_accepted_ = std::numeric_limits<double>::quiet_NaN();
  if (!find_higher(t, x, Precision::exact)) return Answer::unchanged;
  y_good_ = y();
  t_good_ = t_y_;
  const bool cheap = phi_.size() <= cheap_rows;
  if (++steps_since_look_ < steps_between_looks && !slow_ && !cheap) return Answer::unchanged;
  steps_since_look_ = 0;
  slow_ = false;
  if (!linearize(t, x)) return Answer::unchanged;
  if (contradicts(t, x)) return Answer::stop;
  m_copy_ = blocks().m;
  frozen_.m.compute(m_copy_);
  write_constraint_jacobian();
  write_correction();
  decompose_here();
  at_accepted_ = determinant_here();
  t_accepted_ = t;
  if (!forced_refresh_ && !has_turned()) return Answer::unchanged;
  refresh(x);
  return Answer::new_jacobian;
}

// ---- after the run -------------------------------------------------------------------------------------

std::vector<double> ReducedWorkspace::search_start() const {
  std::vector<double> numbers(1, t_good_);
  numbers.insert(numbers.end(), y_good_.begin(), y_good_.end());
  return numbers;
}

bool ReducedWorkspace::begin_step(double t, std::span<const double> x, std::span<const double>,
                                  std::span<const double> search_start) {
  t_y_ = t_good_ = search_start[0];
  y_good_ = Eigen::Map<const Vector>(search_start.data() + 1, y_good_.size());
  y() = y_good_;
  inverses_ = &frozen_;
  locks_have_changed_ = false;
  if (locks_) locks_->branches(branches_);
  // The first inverse is for finding y, that of the y found for what is frozen.
  if (!renew_inverse(t, x) || !find_higher(t, x, Precision::exact) || !renew_inverse(t, x))
    return false;
  write_constraint_jacobian();
  write_correction();
  decompose_here();
  refresh(x);
  y_good_ = y();
  t_good_ = t_y_;
  return true;
}

// ---- projectors ----------------------------------------------------------------------------------------

void ReducedWorkspace::decompose_here() {
  const auto a = system_.ranks().a;
  const ArrayBlocks b = blocks();
  projected_n_ = b.n;
  projected_n_.noalias() -= m_copy_ * m_plus_n_;
  of_n_.decompose(projected_n_);
  t2_.setZero();
  t2_.bottomRows(n_ - a).setIdentity();
  if (a > 0) {
    complement_.compute(of_n_.row_range());
    complement_.householderQ().applyThisOnTheLeft(t2_, work_);
  }
  e_t2_.noalias() = b.e * t2_;
  of_e_.decompose(e_t2_);
}

/// Whether the space of Z2 has left that of (I - M M^+) N, or that of Z1 has left E T2.
bool ReducedWorkspace::has_turned() {
  const auto has_left = [](const Matrix& frozen, const FixedRankInverse& now, Matrix& cosines,
                           Matrix& rest) {
    if (now.rank() == 0) return false;
    cosines.noalias() = now.range().transpose() * frozen;
    rest = frozen;
    rest.noalias() -= now.range() * cosines;
    return largest_squared(rest) >= largest_sine_squared;
  };
  if (has_left(form_.basis.z2, of_n_, cosines_n_, rest_n_)) return true;
  if (has_left(form_.basis.z1, of_e_, cosines_e_, rest_e_)) return true;
  return form_.r3.rows() > 0 && undetermined_has_turned();
}

bool ReducedWorkspace::undetermined_has_turned() const {
  const ArrayBlocks b = blocks();
  Matrix determined(n_ - form_.r3.rows(), n_);
  determined << form_.basis.z1.transpose() * b.e, by_constraints_;
  determined = determined * nominal_.cwiseQuotient(unit_).asDiagonal();
  const Matrix now = unseen_directions(determined);
  const Matrix frozen = (form_.r3 * nominal_.asDiagonal()).transpose();
  const Matrix rest = frozen - now * (now.transpose() * frozen);
  const bool norm = system_.options().undetermined == UndeterminedUnknowns::minimum_norm;
  const double bound = norm ? norm_sine_squared : largest_sine_squared;
  return rest.squaredNorm() >= bound && (norm || largest_squared(rest) >= bound);
}

void ReducedWorkspace::refresh(std::span<const double> x) {
  FrozenForm now = frozen_form(blocks(), system_.ranks(), system_.raw(), scaling_);
  now.basis.align_with(form_.basis);
  form_ = std::move(now);
  write_constraint_jacobian();
  write_correction();
  x_reference_ = Eigen::Map<const Vector>(x.data(), n_);
}

void ReducedWorkspace::follow_locks(double t, std::span<const double> x) {
  locks_have_changed_ = false;
  locks_->branches(branches_now_);
  const auto n = static_cast<std::ptrdiff_t>(locks_->n_equation_branches());
  if (std::equal(branches_now_.begin(), branches_now_.begin() + n, branches_.begin())) return;
  branches_ = branches_now_;
  // The first inverse is for finding y, that of the y found for what is frozen.
  if (!renew_inverse(t, x) || !find_higher(t, x, Precision::exact) || !renew_inverse(t, x)) return;
  y_good_ = y();
  t_good_ = t_y_;
  t_accepted_ = std::numeric_limits<double>::quiet_NaN();
  write_constraint_jacobian();
  write_correction();
  decompose_here();
  refresh(x);
}

// ---- redundant equations ---------------------------------------------------------------------------------

/// The largest row of F - Z2 Z2^T F, in units of what the tolerances of x and its derivatives allow.
double ReducedWorkspace::left_over(std::span<const double> x) {
  const ReduceOptions& o = system_.options();
  r2_.noalias() = form_.basis.z2.transpose() * phi();
  left_over_ = phi();
  left_over_.noalias() -= form_.basis.z2 * r2_;
  for (Eigen::Index k = 0; k < xi_.size(); ++k) {
    const Eigen::Index j = k % n_;
    const double atol = o.atol.size() == 1 ? o.atol[0] : o.atol[static_cast<std::size_t>(j)];
    const double size =
        k < n_ ? std::abs(x[static_cast<std::size_t>(j)]) / unit_[j] : std::abs(xi_[k]);
    tolerance_[k] = o.rtol * size + atol / unit_[j];
  }
  double worst = 0.0;
  for (std::size_t i = 0; i < phi_.size(); ++i) {
    double allowed = 0.0;
    for (std::size_t k = 0; k < matrix_.n_cols(); ++k) {
      allowed += std::abs(matrix_(i, k)) * tolerance_[static_cast<Eigen::Index>(k)];
    }
    const double size = std::abs(left_over_[static_cast<Eigen::Index>(i)]);
    // A row without unknowns is a matter of its own size.
    worst = std::max(worst, size / (allowed > 0 ? allowed : o.rtol));
  }
  return worst;
}

/// True if the run must not go on.
bool ReducedWorkspace::contradicts(double t, std::span<const double> x) {
  forced_refresh_ = false;
  if (system_.analysis().values.v == 0) return false;
  double size = left_over(x);
  if (size > 1.0) {
    // The engine meets constraints up to its tolerance only: what is left on them counts.
    std::copy(x.begin(), x.end(), x_probe_.begin());
    double moved = 0.0;
    y_before_projection_ = y();
    const Evaluation done = move_onto_constraints(t, x_probe_, moved);
    if (done) size = left_over(x_probe_);
    inverses_ = &frozen_;
    y() = y_before_projection_;
    if (!done || !linearize(t, x)) return false;
  }
  if (size > largest_.size) {
    largest_.size = size;
    largest_.t = t;
    if (size > 1.0) {
      largest_.equations = names_of_large(left_over_.cwiseAbs(), 0.3, [&](std::uint32_t row) {
        return system_.raw().equation_name(row % static_cast<std::uint32_t>(m_));
      });
    }
  }
  if (size <= 1.0) {
    agreed_until_ = t;
    return false;
  }
  // Frozen directions are not those of the least squares any more.
  forced_refresh_ = true;
  return system_.options().redundant == RedundantEquations::refuse;
}

Failure ReducedWorkspace::stop_reason() const {
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

// ---- regularity ------------------------------------------------------------------------------------------

SignedLogarithm ReducedWorkspace::determinant_here() const {
  const double sum = frozen_.m.log_volume() + of_n_.log_volume() + of_e_.log_volume();
  return std::isfinite(sum) ? SignedLogarithm{1, sum} : SignedLogarithm{};
}

Evaluation ReducedWorkspace::determinant(double t, std::span<const double> x,
                                         std::span<const double>, SignedLogarithm& value) {
  if (t == t_accepted_) {
    value = at_accepted_;
    return Evaluation::ok();
  }
  y_before_projection_ = y();
  const double t_y = t_y_;
  Evaluation done = find_higher(t, x, Precision::converged);
  if (done) done = renew_inverse(t, x);
  if (done) {
    write_constraint_jacobian();
    decompose_here();
    value = determinant_here();
  }
  y() = y_before_projection_;
  t_y_ = t_y;
  return done;
}

/// Row and column of the smallest singular values that count, in (I - M M^+) N or E T2.
std::string ReducedWorkspace::describe_loss(double t, std::span<const double> x,
                                            std::span<const double>) {
  const auto d = system_.ranks().d, a = system_.ranks().a;
  if (!find_higher(t, x, Precision::converged) || !renew_inverse(t, x)) return {};
  write_constraint_jacobian();
  decompose_here();
  constexpr unsigned thin = Eigen::ComputeThinU | Eigen::ComputeThinV;
  const Eigen::JacobiSVD<Matrix> of_n(projected_n_, thin), of_e(e_t2_, thin);
  const auto share = [](const auto& svd, Eigen::Index rank) {
    return rank == 0 ? 1.0 : svd.singularValues()[rank - 1] / svd.singularValues()[0];
  };
  Vector of_equation = Vector::Zero(m_), of_unknown;
  if (a > 0 && (d == 0 || share(of_n, a) <= share(of_e, d))) {
    const Vector row = of_n.matrixU().col(a - 1).cwiseAbs();
    for (Eigen::Index i = 0; i < row.size(); ++i) of_equation[i % m_] += row[i];
    of_unknown = of_n.matrixV().col(a - 1).cwiseAbs();
  } else {
    of_equation = of_e.matrixU().col(d - 1).cwiseAbs();
    of_unknown = (t2_ * of_e.matrixV().col(d - 1)).cwiseAbs();
  }
  const auto equations = names_of_large(
      of_equation, 0.3, [&](std::uint32_t i) { return system_.raw().equation_name(i); });
  const auto unknowns =
      names_of_large(of_unknown, 0.3, [&](std::uint32_t j) { return system_.unknown_name(j); });
  return (equations.size() == 1 ? "equation " : "equations ") + listed(equations) +
         (equations.size() == 1 ? " does" : " do") + " not determine " + listed(unknowns);
}

}  // namespace saltus::detail
