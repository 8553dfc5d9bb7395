#include <saltus/initialize/regularity.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include <saltus/core/text.hpp>
#include <saltus/numerics/linear_solver.hpp>

#include "numerics/eigen.hpp"

namespace saltus {

namespace {

using WatchMatrix = Eigen::MatrixXd;
using WatchVector = Eigen::VectorXd;

constexpr std::uint32_t largest_projected = 100;
constexpr std::uint32_t largest_described = 300;

/// E and dF/dx with unknowns in nominal units.
class ScaledJacobian {
 public:
  ScaledJacobian(const System& system, Workspace& workspace)
      : system_(system),
        workspace_(workspace),
        by_x_(static_cast<std::size_t>(system.pattern().nnz())),
        by_xdot_(by_x_.size()) {}

  Evaluation evaluate(double t, std::span<const double> x, std::span<const double> xdot) {
    return workspace_.jacobian(t, x, xdot, by_x_, by_xdot_);
  }
  const System& system() const { return system_; }
  const std::vector<double>& by_xdot() const { return by_xdot_; }

  /// Columns of E where an unknown carries a derivative, of dF/dx elsewhere.
  void select(std::vector<double>& values) const {
    const CscPattern& p = system_.pattern();
    const auto differential = system_.carries_derivative();
    for (std::size_t j = 0; j < differential.size(); ++j) {
      const std::vector<double>& part = differential[j] ? by_xdot_ : by_x_;
      const double unit = system_.nominal(static_cast<std::uint32_t>(j));
      const auto end = static_cast<std::size_t>(p.column_start[j + 1]);
      for (auto s = static_cast<std::size_t>(p.column_start[j]); s < end; ++s) {
        values[s] = part[s] * unit;
      }
    }
  }
  WatchMatrix dense_e() const { return dense(by_xdot_); }
  WatchMatrix dense_a() const { return dense(by_x_); }
  void write_dense(WatchMatrix& e, WatchMatrix& a) const {
    write(by_xdot_, e);
    write(by_x_, a);
  }

 private:
  WatchMatrix dense(const std::vector<double>& values) const {
    WatchMatrix a;
    write(values, a);
    return a;
  }
  void write(const std::vector<double>& values, WatchMatrix& a) const {
    const CscPattern& p = system_.pattern();
    a.setZero(p.n_rows, p.n_cols);
    for (index_t j = 0; j < p.n_cols; ++j) {
      const double unit = system_.nominal(static_cast<std::uint32_t>(j));
      const auto end = static_cast<std::size_t>(p.column_start[static_cast<std::size_t>(j) + 1]);
      for (auto s = static_cast<std::size_t>(p.column_start[static_cast<std::size_t>(j)]); s < end;
           ++s) {
        a(p.row[s], j) = values[s] * unit;
      }
    }
  }

  const System& system_;
  Workspace& workspace_;
  std::vector<double> by_x_, by_xdot_;
};

template <class Name>
std::vector<std::string> large_names(const WatchVector& v, Name&& name) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(v.size()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Eigen::Index a, Eigen::Index b) { return std::abs(v[a]) > std::abs(v[b]); });
  constexpr std::size_t most = 3;
  constexpr double share = 0.2;  // of the largest
  std::vector<std::string> names;
  for (std::size_t k = 0; k < std::min(most, order.size()); ++k) {
    if (std::abs(v[order[k]]) < share * std::abs(v[order[0]])) break;
    names.push_back(quote(name(static_cast<std::uint32_t>(order[k]))));
  }
  return names;
}

/// Equations of size one: their units do not decide which vector is the smallest.
std::string describe(WatchMatrix m, const ScaledJacobian& jacobian,
                     const std::function<bool(Eigen::Index)>& is_derivative) {
  const System& system = jacobian.system();
  const WatchMatrix e = jacobian.dense_e(), a = jacobian.dense_a();
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    const double size = std::max(e.row(i).cwiseAbs().maxCoeff(), a.row(i).cwiseAbs().maxCoeff());
    if (size > 0) m.row(i) /= size;
  }
  const Eigen::JacobiSVD<WatchMatrix> svd(m, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const auto equations = large_names(svd.matrixU().col(m.cols() - 1),
                                     [&](std::uint32_t i) { return system.equation_name(i); });
  const auto unknowns = large_names(svd.matrixV().col(m.cols() - 1), [&](std::uint32_t j) {
    return is_derivative(j) ? "der(" + system.unknown_name(j) + ")" : system.unknown_name(j);
  });
  return undetermined_text(equations, unknowns);
}

/// Q selects unknowns without derivative.
class SelectedColumns final : public Regularity {
 public:
  SelectedColumns(const System& system, Workspace& workspace)
      : jacobian_(system, workspace),
        solver_(system.pattern(), LinearSolverKind::automatic),
        values_(static_cast<std::size_t>(system.pattern().nnz())) {}

  Evaluation determinant(double t, std::span<const double> x, std::span<const double> xdot,
                         SignedLogarithm& value) override {
    const Evaluation done = jacobian_.evaluate(t, x, xdot);
    if (!done) return done;
    jacobian_.select(values_);
    value = solver_.factor(values_) ? solver_.determinant() : SignedLogarithm{};
    return done;
  }

  Loss describe_loss(double t, std::span<const double> x, std::span<const double> xdot) override {
    const System& system = jacobian_.system();
    if (system.size() > largest_described || !jacobian_.evaluate(t, x, xdot)) return {};
    const auto differential = system.carries_derivative();
    WatchMatrix m = jacobian_.dense_a();
    const WatchMatrix e = jacobian_.dense_e();
    for (Eigen::Index j = 0; j < m.cols(); ++j) {
      if (differential[static_cast<std::size_t>(j)]) m.col(j) = e.col(j);
    }
    return {describe(std::move(m), jacobian_, [&](Eigen::Index j) {
      return differential[static_cast<std::size_t>(j)] != 0;
    })};
  }

 private:
  ScaledJacobian jacobian_;
  LinearSolver<double> solver_;
  std::vector<double> values_;
};

/// Q projects on the null space that E had when it was looked at last, of the rank it had first.
class ProjectedColumns final : public Regularity {
 public:
  ProjectedColumns(const System& system, Workspace& workspace) : jacobian_(system, workspace) {}

  /// Decides the rank of E; false if the matrix is singular.
  bool begin(double t, std::span<const double> x, std::span<const double> xdot) {
    rank_ = -1;
    return jacobian_.evaluate(t, x, xdot) && renew_projector() && is_regular();
  }

  Evaluation determinant(double t, std::span<const double> x, std::span<const double> xdot,
                         SignedLogarithm& value) override {
    const Evaluation done = jacobian_.evaluate(t, x, xdot);
    if (!done) return done;
    compose();
    value = SignedLogarithm::one();
    value.sign = static_cast<int>(lu_.permutationP().determinant());
    for (Eigen::Index i = 0; i < m_.rows(); ++i) value *= lu_.matrixLU()(i, i);
    return done;
  }

  bool confirm(double t, std::span<const double> x, std::span<const double> xdot) override {
    return !jacobian_.evaluate(t, x, xdot) || !renew_projector() || !is_regular();
  }

  Loss describe_loss(double t, std::span<const double> x, std::span<const double> xdot) override {
    if (!jacobian_.evaluate(t, x, xdot)) return {};
    compose();
    return {describe(m_, jacobian_, [&](Eigen::Index j) { return projector_(j, j) < 0.5; })};
  }

 private:
  // Beside a singular value this small nothing is determined to half of the digits.
  static constexpr double collapsed = 1e-8;

  void compose() {
    jacobian_.write_dense(e_, a_);
    m_.noalias() = a_ * projector_;
    m_ += e_;
    lu_.compute(m_);
  }

  bool renew_projector() {
    WatchMatrix e = jacobian_.dense_e();
    for (Eigen::Index i = 0; i < e.rows(); ++i) {
      const double size = e.row(i).cwiseAbs().maxCoeff();
      if (size > 0) e.row(i) /= size;
    }
    const Eigen::JacobiSVD<WatchMatrix> svd(e, Eigen::ComputeFullV);
    const auto& sigma = svd.singularValues();
    const double largest = sigma.size() > 0 ? sigma[0] : 0.0;
    if (rank_ < 0) {
      const double threshold =
          64.0 * static_cast<double>(e.rows()) * std::numeric_limits<double>::epsilon() * largest;
      rank_ = (sigma.array() > threshold).count();
    }
    if (rank_ > 0 && !(sigma[rank_ - 1] > collapsed * largest)) return false;
    const WatchMatrix null = svd.matrixV().rightCols(e.cols() - rank_);
    projector_ = null * null.transpose();
    return true;
  }

  bool is_regular() {
    compose();
    WatchMatrix scaled = m_;
    for (Eigen::Index i = 0; i < scaled.rows(); ++i) {
      const double size = scaled.row(i).cwiseAbs().maxCoeff();
      if (size > 0) scaled.row(i) /= size;
    }
    const Eigen::JacobiSVD<WatchMatrix> svd(scaled);
    const auto& sigma = svd.singularValues();
    return sigma.size() == 0 || sigma[sigma.size() - 1] > collapsed * sigma[0];
  }

  ScaledJacobian jacobian_;
  Eigen::Index rank_ = -1;
  WatchMatrix projector_, m_, e_, a_;
  Eigen::PartialPivLU<WatchMatrix> lu_;
};

/// Whether all derivatives occur with coefficients that are the same at another point.
bool has_constant_coefficients(const System& system, Workspace& workspace, double t,
                               std::span<const double> x, std::span<const double> xdot) {
  const auto differential = system.carries_derivative();
  if (std::find(differential.begin(), differential.end(), 0) != differential.end()) return false;
  if (system.has_constant_jacobian()) return true;
  ScaledJacobian here(system, workspace), there(system, workspace);
  std::vector<double> other(x.begin(), x.end());
  for (std::uint32_t i = 0; i < system.size(); ++i) {
    // Any change without a pattern will do.
    other[i] += 0.01 * system.nominal(i) * std::cos(1.0 + 2.3 * i);
  }
  if (!here.evaluate(t, x, xdot)) return false;
  const double t_other = t + 1e-3 * std::max(1.0, std::abs(t));
  if (!there.evaluate(t_other, other, xdot)) return false;
  return here.by_xdot() == there.by_xdot();
}

}  // namespace

std::unique_ptr<Regularity> watch_index_one(const System& system, Workspace& workspace, double t,
                                            std::span<const double> x,
                                            std::span<const double> xdot) {
  if (has_constant_coefficients(system, workspace, t, x, xdot)) return nullptr;
  auto selected = std::make_unique<SelectedColumns>(system, workspace);
  SignedLogarithm value;
  if (!selected->determinant(t, x, xdot, value)) return nullptr;
  if (value.sign != 0) return selected;
  if (system.size() > largest_projected) return nullptr;
  auto projected = std::make_unique<ProjectedColumns>(system, workspace);
  if (projected->begin(t, x, xdot)) return projected;
  return nullptr;
}

}  // namespace saltus
