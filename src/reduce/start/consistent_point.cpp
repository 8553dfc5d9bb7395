#include <saltus/reduce/consistent_point.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>

#include "reduce/start/consistent_path.hpp"
#include "reduce/start/content_search.hpp"
#include "reduce/start/gauss_newton.hpp"
#include "reduce/start/limit_freedom.hpp"
#include "reduce/start/limit_rows.hpp"
#include "reduce/start/nearest_point.hpp"
#include "reduce/start/over_fixed.hpp"
#include "reduce/array/projectors.hpp"

namespace saltus::detail {

namespace {

// Relative residual of a point that is handed out.
constexpr double delivered_residual = 1e-10;
constexpr double weight_of_fixed = 1e3;
// Of unknowns without derivative, where those with one come first.
constexpr double weight_of_algebraic = 1e-3;
constexpr double weight_of_unstated = 1e-6;
// Of unknowns that equations between limits determine, where fixed values are wishes: their jumps must not
// move these by more than 1e-14 of what they jump.
constexpr double weight_beside_fixed = 1e-7;

LevelRanks ranks_of(const IndexAnalysis& known, std::size_t n_equations) {
  LevelRanks ranks;
  ranks.level = known.values.mu;
  const std::string wanted = "M_" + std::to_string(known.values.mu);
  bool found = false;
  for (const RankDecision& decision : known.decisions) {
    if (decision.matrix != wanted) continue;
    ranks.m.rank = decision.rank;
    found = true;
  }
  SALTUS_ASSERT(found);
  ranks.a.rank = known.values.a;
  ranks.d.rank = known.values.d;
  const auto n_rows =
      static_cast<std::uint32_t>(n_equations) * (static_cast<std::uint32_t>(ranks.level) + 1);
  ranks.corank = n_rows - ranks.m.rank - ranks.a.rank;
  return ranks;
}

class PointSearch {
 public:
  PointSearch(const System& system, Workspace& workspace, double t, const StartValues& wish,
              const IndexAnalysis& known, const PointOptions& options)
      : system_(system),
        search_(system, workspace, t, options.tolerated_contradiction),
        t_(t),
        wish_(wish),
        target_(wish.x),
        known_(known),
        scaling_(known.scaling),
        options_(options),
        n_(system.size()),
        mu_(known.values.mu),
        ranks_(ranks_of(known, system.n_equations())) {
    if (options.equations != nullptr) limit_.emplace(*options.equations, known.scaling, wish.x);
  }

  Result<ConsistentPoint> run() {
    if (auto ok = check_wish(); !ok) return ok.failure();
    if (options_.expects_consistent && solve_all_higher()) return finished();
    path_ = wish_.x;
    path_.insert(path_.end(), wish_.xdot.begin(), wish_.xdot.end());
    path_.resize(search_.array().n_columns(mu_), 0.0);
    find_higher_at_wish();
    if (!point_.was_consistent) {
      if (auto ok = move(); !ok) return ok.failure();
    }
    if (auto ok = check_freedom(); !ok) return ok.failure();
    if (options_.one_level_more) {
      if (auto ok = add_level(); !ok) return ok.failure();
    }
    return finished();
  }

 private:
  ConsistentPoint finished() {
    if (point_.was_consistent) std::copy(wish_.x.begin(), wish_.x.end(), path_.begin());
    restore_unmoved();
    restore_fixed();
    point_.path = std::move(path_);
    point_.n_evaluations = search_.n_evaluations();
    return std::move(point_);
  }

  Result<void> check_wish() const {
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (std::isfinite(wish_.x[i]) && std::isfinite(wish_.xdot[i])) continue;
      return Failure{FailureCode::not_finite, "start at t = " + to_text(t_) +
                                                  ": the start value of '" +
                                                  system_.unknown_name(i) + "' is not finite"};
    }
    return {};
  }

  Eigen::VectorXd scaled(const std::vector<double>& path) const {
    const std::vector<double> xi = scaled_path<double>(path, scaling_);
    return Eigen::Map<const Eigen::VectorXd>(xi.data(), static_cast<Eigen::Index>(xi.size()));
  }
  void store(const Eigen::VectorXd& xi) {
    path_ = unscaled_path<double>({xi.data(), static_cast<std::size_t>(xi.size())}, scaling_);
  }

  bool is_fixed(std::size_t i) const { return !options_.fixed.empty() && options_.fixed[i]; }
  bool keeps_content() const {
    return options_.kept == KeptContent::differential && options_.fixed.empty() && !limit_;
  }
  LimitRows* limit() { return limit_ ? &*limit_ : nullptr; }
  PathWish wish(const Eigen::MatrixXd& kept) {
    return {target_, kept, options_.relax ? std::vector<std::uint8_t>{} : options_.fixed, limit(),
            higher_solved_ && options_.tolerated_contradiction == 0.0};
  }
  Eigen::MatrixXd nothing() const { return Eigen::MatrixXd(0, static_cast<Eigen::Index>(n_)); }

  GaussNewtonProblem problem(const Eigen::MatrixXd& kept, bool x_moves) {
    constexpr int most = 50;
    return {search_.array(),
            mu_,
            scaling_,
            x_moves,
            scaled(target_),
            kept,
            options_.relax ? std::vector<std::uint8_t>{} : options_.fixed,
            most,
            {},
            limit()};
  }

  bool solve_all_higher() {
    path_ = known_.path;
    point_.was_consistent =
        search_.solve_higher(path_, mu_ + 1, scaling_, {wish_.x, nothing(), {}});
    return point_.was_consistent;
  }

  /// Stage 0.
  void find_higher_at_wish() {
    const Eigen::MatrixXd none = nothing();
    Eigen::VectorXd xi = scaled(path_);
    const GaussNewtonEnd end = gauss_newton(problem(none, false), xi);
    if (!end.trouble && end.relative_residual.empty()) return;  // another x may do
    point_.was_consistent = end.worst() <= delivered_residual;
    higher_solved_ = true;
    store(xi);
  }

  /// Equations between limits and fixed values must leave nothing of the content open.
  Result<void> check_freedom() {
    if (!limit_) return {};
    ArrayCoefficients<double> coefficients;
    const std::vector<double> xi = scaled_path<double>(path_, scaling_);
    Eigen::MatrixXd drho;
    if (!search_.array().coefficients(xi, mu_, scaling_, coefficients) ||
        !limit_->jacobian(scaled(path_), drho)) {
      return cannot_evaluate();
    }
    const Projectors basis =
        projectors(search_.array().jacobian(coefficients, mu_, scaling_, true), n_, ranks_);
    const LimitFreedom freedom =
        limit_freedom(basis.t2, drho, options_.fixed, basis.w.rowwise().normalized());
    if (freedom.n_missing == 0) return {};
    std::vector<std::string> names;
    const auto carries = system_.carries_derivative();
    for (const std::uint32_t i : freedom.unknowns) {
      if (carries[i]) names.push_back("'" + system_.unknown_name(i) + "'");
    }
    const bool one = freedom.n_missing == 1;
    return Failure{FailureCode::not_certified,
                   "start at t = " + to_text(t_) + ": the transition leaves " + join(names, ", ") +
                       " undetermined: " + std::to_string(freedom.n_missing) +
                       (one ? " equation is" : " equations are") +
                       " missing; add equations to the transition, or free fewer unknowns"};
  }

  Failure cannot_evaluate() const {
    return {FailureCode::out_of_domain,
            "start at t = " + to_text(t_) +
                ": equations cannot be evaluated; other start values or guesses may help"};
  }

  /// Stage 1.
  Result<void> move() {
    if (keeps_content()) {
      ContentSearch keeping(system_, search_, {t_, known_, ranks_}, wish_.x);
      auto found = keeping.run(path_, higher_solved_);
      if (!found) return found.failure();
      path_ = std::move(found->path);
      scaling_ = std::move(found->scaling);
      target_ = std::move(found->target);
      point_.keeps_content = found->keeps_content;
      if (known_.values.u > 0) to_nearest(found->kept);
      return {};
    }
    if (auto ok = search_.solve(path_, mu_, scaling_, wish(nothing())); !ok) {
      return limit_ ? ok.failure() : blamed(ok.failure());
    }
    // Equations between limits and fixed values determine what is not undetermined by nature.
    if (!limit_ || options_.relax || known_.values.u > 0) to_nearest(nothing());
    return {};
  }

  /// Names fixed values as they are seen from a consistent point.
  Failure blamed(const Failure& failure) {
    std::vector<double> consistent = known_.path;
    consistent.resize(search_.array().n_columns(mu_));
    const Eigen::MatrixXd none = nothing();
    const auto names = fixed_to_blame_near(problem(none, true), scaled(consistent));
    return names.empty() ? failure : search_.over_fixed(names);
  }

  void to_nearest(const Eigen::MatrixXd& kept) {
    Eigen::VectorXd weight(static_cast<Eigen::Index>(n_));
    const auto has_derivative = system_.carries_derivative();
    const bool all_alike = options_.kept == KeptContent::nothing || options_.relax;
    for (std::uint32_t i = 0; i < n_; ++i) {
      double w = std::ldexp(1.0, scaling_.column_exponent[i]) / system_.nominal(i);
      if (!all_alike && !has_derivative[i]) w *= weight_of_algebraic;
      // A default is no wish: a multiplier nobody stated must not move positions.
      if (all_alike && !wish_.x_given[i]) w *= weight_of_unstated;
      if (options_.relax && is_fixed(i)) w *= weight_of_fixed;
      if (options_.relax && limit_ && !is_fixed(i)) w *= weight_beside_fixed;
      weight[i] = w;
    }
    Eigen::VectorXd xi = scaled(path_);
    move_to_nearest(problem(kept, true), weight, xi);
    store(xi);
  }

  /// Stage 2; and where double precision has left more than it may, quad precision.
  Result<void> add_level() {
    const std::vector<double> x(path_.begin(), path_.begin() + static_cast<std::ptrdiff_t>(n_));
    PathWish stay{x, nothing(), options_.fixed};
    std::vector<double> higher = path_;
    if (search_.solve_higher(higher, mu_ + 1, scaling_, stay)) {
      path_ = std::move(higher);
      return {};
    }
    if (const auto content = content_of(path_, {system_, search_.array(), scaling_, ranks_, true}))
      stay.kept = *content;
    if (auto ok = search_.solve(path_, mu_ + 1, scaling_, stay); !ok) return ok;
    if (search_.residual_left() <= std::max(delivered_residual, options_.tolerated_contradiction)) {
      return {};
    }
    auto polished = search_.polish(path_, mu_ + 1, scaling_);
    if (!polished) return polished.failure();
    std::transform(polished->path.begin(), polished->path.end(), path_.begin(),
                   [](const Quad& v) { return static_cast<double>(v); });
    return {};
  }

  /// A value that begins on a threshold must not leave it by rounding.
  void restore_unmoved() {
    constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();
    for (std::uint32_t i = 0; i < n_; ++i) {
      const double size = std::abs(wish_.x[i]) + system_.nominal(i);
      if (std::abs(path_[i] - wish_.x[i]) <= rounding * size) path_[i] = wish_.x[i];
    }
  }

  /// Moved by rounding at most.
  void restore_fixed() {
    if (options_.relax) return;
    for (std::size_t i = 0; i < n_; ++i) {
      if (is_fixed(i)) path_[i] = wish_.x[i];
    }
  }

  const System& system_;
  PathSearch search_;
  double t_;
  const StartValues& wish_;
  std::vector<double> target_;  // the wish, as far as it can be met
  const IndexAnalysis& known_;
  ArrayScaling scaling_;
  const PointOptions& options_;
  std::uint32_t n_;
  int mu_;
  LevelRanks ranks_;
  std::optional<LimitRows> limit_;
  std::vector<double> path_;
  bool higher_solved_ = false;  // of path_, by stage 0 or because it is consistent
  ConsistentPoint point_;
};

}  // namespace

Result<ConsistentPoint> search_point(const System& system, Workspace& workspace, double t,
                                     const StartValues& wish, const IndexAnalysis& known,
                                     const PointOptions& options) {
  return PointSearch(system, workspace, t, wish, known, options).run();
}

}  // namespace saltus::detail

namespace saltus {

Result<ConsistentPoint> find_consistent_point(const System& system, Workspace& workspace, double t,
                                              const StartValues& wish, const IndexAnalysis& known,
                                              const PointOptions& options) {
  if (!options.fixed.empty() && options.fixed.size() != system.size()) {
    throw OptionError("fixed", "must have one flag for each of the " +
                                   std::to_string(system.size()) + " unknowns, or none");
  }
  SALTUS_ASSERT(known.values.d + known.values.a + known.values.u == system.size());
  if (workspace.ability<DerivativeLevels<double>>() == nullptr ||
      workspace.ability<DerivativeLevels<Quad>>() == nullptr) {
    throw ModelError("system", "offers no derivatives of its equations");
  }
  return detail::search_point(system, workspace, t, wish, known, options);
}

}  // namespace saltus
