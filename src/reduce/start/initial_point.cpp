#include <saltus/reduce/initial_point.hpp>

#include <algorithm>
#include <cmath>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>

#include "reduce/start/consistent_path.hpp"
#include "reduce/start/gauss_newton.hpp"
#include "reduce/start/limit_rows.hpp"
#include "reduce/start/nearest_point.hpp"

namespace saltus::detail {

namespace {

constexpr double weight_of_stated = 1e3;
constexpr double weight_without_derivative = 1e-3;

class InitialSearch {
 public:
  InitialSearch(const System& system, Workspace& workspace, double t, const StartValues& stated,
                const IndexAnalysis& known, InitialEquations& equations,
                const InitialPointOptions& options)
      : system_(system),
        search_(system, workspace, t),
        t_(t),
        stated_(stated),
        known_(known),
        options_(options),
        n_(system.size()),
        level_(known.values.mu + 1),
        limit_(equations, t, known.scaling, stated.x, stated.xdot),
        fixed_(stated.x_given.begin(), stated.x_given.end()) {
    if (options.relax) fixed_.assign(n_, 0);
    for (std::uint32_t i = 0; i < n_; ++i)
      if (system.is_constant(i)) fixed_[i] = 1;
  }

  Result<InitialPoint> run() {
    path_ = stated_.x;
    path_.insert(path_.end(), stated_.xdot.begin(), stated_.xdot.end());
    path_.resize(search_.array().n_columns(level_), 0.0);
    if (auto ok = solve(stated_.x, fixed_); !ok) {
      // From values that are consistent, if not those that were meant.
      path_ = known_.path;
      path_.resize(search_.array().n_columns(level_), 0.0);
      std::vector<double> x(path_.begin(), path_.begin() + static_cast<std::ptrdiff_t>(n_));
      for (std::uint32_t i = 0; i < n_; ++i)
        if (fixed_[i]) x[i] = stated_.x[i];
      if (!solve(x, fixed_)) return ok.failure();
    }
    if (options_.relax) {
      to_nearest(fixed_);
    } else if (auto ok = keep_guesses(); !ok) {
      return ok.failure();
    }
    const auto n = static_cast<std::ptrdiff_t>(n_);
    point_.x.assign(path_.begin(), path_.begin() + n);
    point_.xdot.assign(path_.begin() + n, path_.begin() + 2 * n);
    // Moved by rounding at most.
    for (std::uint32_t i = 0; i < n_; ++i)
      if (fixed_[i]) point_.x[i] = stated_.x[i];
    point_.n_evaluations = search_.n_evaluations();
    return std::move(point_);
  }

 private:
  Eigen::MatrixXd nothing() const { return Eigen::MatrixXd(0, static_cast<Eigen::Index>(n_)); }
  Eigen::VectorXd scaled(const std::vector<double>& path) const {
    const std::vector<double> xi = scaled_path<double>(path, known_.scaling);
    return Eigen::Map<const Eigen::VectorXd>(xi.data(), static_cast<Eigen::Index>(xi.size()));
  }

  Result<void> solve(const std::vector<double>& x, const std::vector<std::uint8_t>& fixed) {
    return search_.solve(path_, level_, known_.scaling, {x, nothing(), fixed, &limit_, false});
  }

  GaussNewtonProblem problem(const Eigen::MatrixXd& kept, const std::vector<std::uint8_t>& fixed) {
    constexpr int most = 50;
    return {search_.array(), level_, known_.scaling, true, scaled(stated_.x), kept, fixed, most, {},
            &limit_};
  }

  /// Unknowns, as many as there are free directions of x, along which these can be told apart.
  Result<std::vector<std::uint32_t>> free_unknowns() {
    constexpr double seen = 1e-8;  // of a direction of size one
    const Eigen::MatrixXd none = nothing();
    const GaussNewtonProblem p = problem(none, fixed_);
    Eigen::MatrixXd jacobian;
    if (const auto e = stacked_jacobian(p, scaled(path_), jacobian); !e)
      return Failure{FailureCode::out_of_domain, "start at t = " + to_text(t_) +
                                                     ": initial equations cannot be evaluated "
                                                     "where they are met"};
    Eigen::MatrixXd matrix = step_matrix(p, jacobian);
    const auto n = static_cast<Eigen::Index>(n_);
    // Unknowns that must not move are no directions.
    Eigen::MatrixXd pinned = Eigen::MatrixXd::Zero(n, matrix.cols());
    for (Eigen::Index i = 0; i < n; ++i)
      if (fixed_[static_cast<std::size_t>(i)]) pinned(i, i) = 1.0;
    matrix.conservativeResize(matrix.rows() + n, Eigen::NoChange);
    matrix.bottomRows(n) = pinned;
    const auto decomposition = step_decomposition(matrix);
    const Eigen::Index n_free = matrix.cols() - decomposition.rank();
    const Eigen::MatrixXd turned = decomposition.matrixZ().transpose();
    const Eigen::MatrixXd null = decomposition.colsPermutation() * turned.rightCols(n_free);
    // One column per unknown: how far it goes along each direction.
    Eigen::MatrixXd moves = null.topRows(n).transpose();
    const auto carries = system_.carries_derivative();
    for (Eigen::Index i = 0; i < n; ++i)
      if (!carries[static_cast<std::size_t>(i)]) moves.col(i) *= weight_without_derivative;
    std::vector<std::uint32_t> found;
    for (;;) {
      Eigen::Index furthest = 0;
      // Of nearly equal ones the first.
      constexpr double nearly = 1.0 - 1e-6;
      double largest = 0.0;
      for (Eigen::Index i = 0; i < n; ++i) {
        const double size = moves.col(i).norm();
        if (nearly * size > largest) {
          largest = size;
          furthest = i;
        }
      }
      if (largest <= seen) return found;
      if (!carries[static_cast<std::size_t>(furthest)] && known_.values.u > 0 &&
          found.size() >= known_.values.d)
        return found;
      found.push_back(static_cast<std::uint32_t>(furthest));
      const Eigen::VectorXd direction = moves.col(furthest) / moves.col(furthest).norm();
      moves -= direction * (direction.transpose() * moves).eval();
    }
  }

  Result<void> keep_guesses() {
    const auto free = free_unknowns();
    if (!free) return free.failure();
    if (free->empty()) return {};
    std::vector<std::uint8_t> fixed = fixed_;
    for (const std::uint32_t i : *free) fixed[i] = 1;
    const std::vector<double> any = path_;
    std::vector<double> x(path_.begin(), path_.begin() + static_cast<std::ptrdiff_t>(n_));
    for (const std::uint32_t i : *free) x[i] = stated_.x[i];
    if (solve(x, fixed)) {
      fixed_ = std::move(fixed);
      point_.kept_guesses = *free;
      return {};
    }
    path_ = any;
    point_.is_nearest = true;
    to_nearest(fixed_);
    return {};
  }

  void to_nearest(const std::vector<std::uint8_t>& fixed) {
    Eigen::VectorXd weight(static_cast<Eigen::Index>(n_));
    const auto carries = system_.carries_derivative();
    for (std::uint32_t i = 0; i < n_; ++i) {
      double w = std::ldexp(1.0, known_.scaling.column_exponent[i]) / system_.nominal(i);
      if (!carries[i]) w *= weight_without_derivative;
      if (options_.relax && stated_.x_given[i]) w *= weight_of_stated;
      weight[i] = w;
    }
    const Eigen::MatrixXd none = nothing();
    Eigen::VectorXd xi = scaled(path_);
    move_to_nearest(problem(none, fixed), weight, xi);
    path_ = unscaled_path<double>({xi.data(), static_cast<std::size_t>(xi.size())}, known_.scaling);
  }

  const System& system_;
  PathSearch search_;
  double t_;
  const StartValues& stated_;
  const IndexAnalysis& known_;
  const InitialPointOptions& options_;
  std::uint32_t n_;
  int level_;
  LimitRows limit_;
  std::vector<std::uint8_t> fixed_;
  std::vector<double> path_;
  InitialPoint point_;
};

}  // namespace

Result<InitialPoint> search_initial_point(const System& system, Workspace& workspace, double t,
                                          const StartValues& stated, const IndexAnalysis& known,
                                          InitialEquations& equations,
                                          const InitialPointOptions& options) {
  return InitialSearch(system, workspace, t, stated, known, equations, options).run();
}

}  // namespace saltus::detail

namespace saltus {

Result<InitialPoint> find_initial_point(const System& system, Workspace& workspace, double t,
                                        const StartValues& stated, const IndexAnalysis& known,
                                        InitialEquations& equations,
                                        const InitialPointOptions& options) {
  return detail::search_initial_point(system, workspace, t, stated, known, equations, options);
}

}  // namespace saltus
