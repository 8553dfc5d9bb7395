#include "reduce/start/consistent_path.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <saltus/core/text.hpp>

#include "reduce/matrix/elimination.hpp"
#include "reduce/start/gauss_newton.hpp"
#include "reduce/array/level_ranks.hpp"
#include "reduce/start/over_fixed.hpp"
#include "reduce/array/projectors.hpp"

namespace saltus::detail {

namespace {

// relative residual <= consistent_as_it_is: x_0 is not moved.
constexpr double consistent_as_it_is = 1e-10;
// relative residual <= consistent_residual: no other start is tried.
constexpr double consistent_residual = 1e-9;
// relative residual > beyond_rounding: fixed values may be to blame.
constexpr double beyond_rounding = 1e-8;
// A search that stopped with more than this is lost; with less, quad precision may finish it.
constexpr double close_enough_to_polish = 1e-3;
constexpr double polish_tolerance = 1e-28;
// Where rounding of larger intermediate terms ends the iteration earlier; still 1e-2 of the smallest
// pivot that counts.
constexpr double polish_floor = 1e-26;
// Twice the rounding of a few hundred data, far below what a user would call a solution.
constexpr double explained_by_rounding = 1e-13;
constexpr int stage_iterations[2] = {20, 50};

Eigen::VectorXd to_eigen_vector(const std::vector<double>& values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// From the path given, with higher coefficients of its own: on the way from level to level it is nearly
/// consistent. Then from stage 0, from the path as it is, and from the wish without its derivatives.
std::vector<Eigen::VectorXd> starts_of(const GaussNewtonProblem& stage_0,
                                       const Eigen::VectorXd& from_stage_0,
                                       const Eigen::VectorXd& given, bool higher_solved) {
  const Eigen::Index n = stage_0.wish.size();
  std::vector<Eigen::VectorXd> starts;
  if (given.head(n) != stage_0.wish && stage_0.fixed.empty()) {
    Eigen::VectorXd own = given;
    if (!higher_solved) (void)gauss_newton(stage_0, own);
    starts.push_back(own);
  }
  starts.push_back(from_stage_0);
  if (given != from_stage_0) starts.push_back(given);
  starts.push_back(given);
  starts.back().head(n) = stage_0.wish;
  starts.back().tail(given.size() - n).setZero();
  return starts;
}

}  // namespace

Failure PathSearch::not_evaluated(const Evaluation& evaluation) const {
  const bool failed = evaluation.status() == Evaluation::Status::failed;
  return {failed ? FailureCode::external_failed : FailureCode::out_of_domain,
          "index analysis at t = " + to_text(t_) + ": equation '" +
              system_.equation_name(evaluation.row()) +
              "' or a derivative of it cannot be evaluated; other start values may help"};
}

Failure PathSearch::limit_not_evaluated(const LimitRows& limit, const Evaluation& e) const {
  const auto row = static_cast<Eigen::Index>(e.row() - system_.n_equations());
  return {e.status() == Evaluation::Status::failed ? FailureCode::external_failed
                                                   : FailureCode::out_of_domain,
          "start at t = " + to_text(t_) + ": " +
              (limit.are_initial() ? "initial equation '" : "equation '") + limit.name(row) +
              (limit.are_initial() ? "' cannot be evaluated; other start values or guesses may help"
                                   : "' of the transition cannot be evaluated")};
}

std::string PathSearch::worst_equations(const std::vector<double>& relative) const {
  constexpr std::size_t most = 3;
  const std::size_t m = system_.n_equations();
  std::vector<std::size_t> order(relative.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return relative[i] > relative[j]; });
  std::string message;
  for (std::size_t k = 0; k < std::min(most, order.size()); ++k) {
    const std::size_t i = order[k];
    if (k > 0 && relative[i] < 1e-3 * relative[order[0]]) break;
    if (k > 0) message += ", ";
    if (i >= m) message += "derivative " + std::to_string(i / m) + " of ";
    message += "'" + system_.equation_name(static_cast<std::uint32_t>(i % m)) + "' " +
               to_text(relative[i]);
  }
  return message;
}

Failure PathSearch::not_converged(const std::vector<double>& relative) const {
  return {FailureCode::not_converged,
          "index analysis at t = " + to_text(t_) +
              ": no consistent values found; other start values or guesses may help; remaining "
              "residual, relative to its terms: " +
              worst_equations(relative)};
}

Failure PathSearch::over_fixed(const std::vector<std::uint32_t>& to_blame) const {
  std::string names;
  for (std::size_t k = 0; k < to_blame.size(); ++k) {
    names += (k > 0 ? ", '" : "'") + system_.unknown_name(to_blame[k]) + "'";
  }
  return {FailureCode::not_converged,
          "index analysis at t = " + to_text(t_) + ": the fixed start values of " + names +
              " contradict the equations, or fix values that the equations determine; remaining "
              "residual, relative to its terms: " +
              worst_equations(left_)};
}

Failure PathSearch::contradiction(const std::vector<double>& relative) const {
  constexpr std::size_t most = 4;
  constexpr double share = 0.3;  // of the largest
  const std::size_t m = system_.n_equations();
  const double largest = *std::max_element(relative.begin(), relative.end());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < relative.size() && names.size() < most; ++i) {
    if (relative[i] < share * largest) continue;
    const std::string name = "'" + system_.equation_name(static_cast<std::uint32_t>(i % m)) + "'";
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return {FailureCode::not_converged,
          (names.size() == 1 ? "equation " + names[0] + " contradicts the others"
                             : "equations " + listed(names) + " contradict each other") +
              " from t = " + to_text(t_) + " on: they or their derivatives differ by " +
              to_text(largest) + ", relative to their terms"};
}

Failure PathSearch::limits_contradict(const LimitRows& limit,
                                      const std::vector<std::uint32_t>& equations,
                                      const std::vector<std::uint32_t>& fixed) const {
  std::vector<std::string> names, held;
  for (const std::uint32_t i : equations) names.push_back("'" + limit.name(i) + "'");
  for (const std::uint32_t i : fixed) held.push_back("'" + system_.unknown_name(i) + "'");
  if (limit.are_initial()) {
    const std::string what = names.size() > 1 ? "initial equations " + join(names, ", ")
                                              : "initial equation " + join(names, ", ");
    return {FailureCode::not_converged,
            "start at t = " + to_text(t_) + ": " + what + " cannot hold " +
                (names.size() > 1 ? "together with" : "with") + " the equations of the model" +
                (held.empty() ? "" : " and the stated start values of " + join(held, ", ")) +
                (held.empty() ? "; leave one out, or give better guesses"
                              : "; leave one out, or let a start value be a guess")};
  }
  return {FailureCode::not_converged,
          "start at t = " + to_text(t_) + ": the equations of the transition contradict " +
              (names.size() > 1 ? "each other or those of the mode: " : "those of the mode: ") +
              join(names, ", ") +
              (held.empty() ? "" : ", with the values held of " + join(held, ", "))};
}

GaussNewtonProblem PathSearch::stage_0(int level, const ArrayScaling& scaling,
                                       const PathWish& wish) {
  return {array_,
          level,
          scaling,
          false,
          to_eigen_vector(scaled_path<double>(wish.x, scaling)),
          wish.kept,
          wish.fixed,
          stage_iterations[0],
          {},
          wish.limit};
}

// Without it, steps of smallest norm would move an x_0 that is consistent.
bool PathSearch::solve_higher(std::vector<double>& path, int level, const ArrayScaling& scaling,
                              const PathWish& wish) {
  path.resize(array_.n_columns(level), 0.0);
  std::copy(wish.x.begin(), wish.x.end(), path.begin());
  Eigen::VectorXd xi = to_eigen_vector(scaled_path<double>(path, scaling));
  const GaussNewtonEnd end = gauss_newton(stage_0(level, scaling, wish), xi);
  const bool is_known = end.trouble && !end.relative_residual.empty();
  residual_left_ = is_known ? end.worst() : std::numeric_limits<double>::infinity();
  path = unscaled_path<double>({xi.data(), static_cast<std::size_t>(xi.size())}, scaling);
  return residual_left_ <= consistent_as_it_is;
}

Result<void> PathSearch::solve(std::vector<double>& path, int level, const ArrayScaling& scaling,
                               const PathWish& wish) {
  path.resize(array_.n_columns(level), 0.0);
  std::vector<double> at_wish = path;
  std::copy(wish.x.begin(), wish.x.end(), at_wish.begin());
  if (!wish.higher_solved && solve_higher(at_wish, level, scaling, wish)) {
    path = at_wish;
    return {};
  }
  const double as_given =
      wish.higher_solved ? std::numeric_limits<double>::infinity() : residual_left_;
  GaussNewtonProblem problem = stage_0(level, scaling, wish);
  Eigen::VectorXd xi = to_eigen_vector(scaled_path<double>(at_wish, scaling));
  const auto store = [&] {
    path = unscaled_path<double>({xi.data(), static_cast<std::size_t>(xi.size())}, scaling);
  };
  const Eigen::VectorXd from_stage_0 = xi;
  const std::vector<Eigen::VectorXd> starts =
      starts_of(problem, from_stage_0, to_eigen_vector(scaled_path<double>(path, scaling)),
                wish.higher_solved);
  GaussNewtonEnd end;
  problem.x_moves = true;
  problem.max_iterations = stage_iterations[1];
  double best = std::numeric_limits<double>::infinity();
  bool converged = false;
  left_.clear();
  Eigen::VectorXd best_xi = xi;
  const auto note = [&] {
    if (!end.trouble && end.relative_residual.empty()) return;
    if (end.worst() >= best) return;
    best = residual_left_ = end.worst();
    converged = end.converged;
    left_ = end.relative_residual;
    left_.resize(array_.n_rows(level));  // without those of the limits
    best_xi = xi;
    store();
  };
  for (const Eigen::VectorXd& start : starts) {
    xi = start;
    end = gauss_newton(problem, xi);
    note();
    if (best <= consistent_residual) return {};
  }
  if (left_.empty()) {
    return wish.limit != nullptr && end.trouble.row() >= system_.n_equations()
               ? limit_not_evaluated(*wish.limit, end.trouble)
               : not_evaluated(end.trouble);
  }
  // Equations that contradict each other: moving x has gained nothing, and may have led far away.
  if (tolerated_contradiction_ > 0 && wish.fixed.empty() && as_given <= close_enough_to_polish &&
      as_given <= 10 * best) {
    xi = from_stage_0;
    residual_left_ = as_given;
    store();
    return {};
  }
  // Damped steps are stuck, or ended where the residual is smallest without being zero.
  if (best > close_enough_to_polish) {
    xi = starts.front();
    end = gauss_newton_by_homotopy(problem, xi);
    note();
    if (best <= consistent_residual) return {};
  }
  if (best > beyond_rounding) {
    const std::vector<std::uint32_t> to_blame = fixed_to_blame(problem, best_xi);
    const std::vector<std::uint32_t> limits = limits_to_blame(problem, best_xi);
    if (!limits.empty()) return limits_contradict(*wish.limit, limits, to_blame);
    if (!to_blame.empty()) return over_fixed(to_blame);
  }
  // A residual that no step in double precision reduces may be one that quad precision does.
  if (best <= close_enough_to_polish || converged) return {};
  return not_converged(left_);
}

double PathSearch::worst_relative(const std::vector<Quad>& phi,
                                  const std::vector<double>& row_size) const {
  double worst = 0.0;
  for (std::size_t i = 0; i < phi.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(phi[i])) / row_size[i]);
  }
  return worst;
}

void PathSearch::polish_by_elimination(std::vector<Quad>& xi, int level,
                                       const ArrayScaling& scaling,
                                       const std::vector<double>& row_size, double& worst) {
  constexpr int max_iterations = 10;
  ArrayCoefficients<Quad> coefficients;
  std::vector<Quad> phi, best = xi, at = xi;
  double last = worst;
  for (int k = 0; k < max_iterations; ++k) {
    if (!quad_array_.residuals(at, level, scaling, phi)) break;
    const double now = worst_relative(phi, row_size);
    if (now < worst) {
      worst = now;
      best = at;
    }
    if (now <= polish_tolerance || (k > 1 && now > last / 2)) break;
    last = now;
    if (!quad_array_.coefficients(at, level, scaling, coefficients)) break;
    const std::vector<Quad> step = basic_solution(
        quad_array_.jacobian(coefficients, level, scaling), phi, fine_rank_tolerance);
    for (std::size_t i = 0; i < at.size(); ++i) at[i] -= step[i];
  }
  xi = best;
}

Result<PolishedPath> PathSearch::polish(const std::vector<double>& path, int level,
                                        const ArrayScaling& scaling) {
  constexpr int max_iterations = 8;
  // Equations that contradict each other need a few to come to rest.
  const int least_iterations = tolerated_contradiction_ > 0 ? 4 : 0;
  const Eigen::VectorXd start = to_eigen_vector(scaled_path<double>(path, scaling));
  ArrayCoefficients<double> coefficients;
  const Evaluation evaluated = array_.coefficients(
      {start.data(), static_cast<std::size_t>(start.size())}, level, scaling, coefficients);
  if (!evaluated) return not_evaluated(evaluated);
  const Eigen::MatrixXd jacobian = to_eigen(array_.jacobian(coefficients, level, scaling));
  const std::vector<double> row_size = row_sizes(jacobian, start);
  const auto solver = step_decomposition(jacobian);

  std::vector<Quad> xi(path.size());
  for (std::size_t i = 0; i < xi.size(); ++i) xi[i] = Quad(start[static_cast<Eigen::Index>(i)]);
  std::vector<Quad> phi, best = xi;
  double worst = std::numeric_limits<double>::infinity();
  bool stationary = false;
  for (int k = 0; k < max_iterations; ++k) {
    if (const auto e = quad_array_.residuals(xi, level, scaling, phi); !e) return not_evaluated(e);
    const double now = worst_relative(phi, row_size);
    // The factorisation is from the first point: steps gain as many digits as it has right.
    const bool gains = now <= worst / 10;
    Eigen::VectorXd rhs(static_cast<Eigen::Index>(phi.size()));
    for (std::size_t i = 0; i < phi.size(); ++i) {
      rhs[static_cast<Eigen::Index>(i)] = static_cast<double>(phi[i]);
    }
    const Eigen::VectorXd step = solver.solve(rhs);
    // What is left is as small as possible: no step changes it.
    stationary = now > explained_by_rounding && step.norm() <= 1e-6 * rhs.norm();
    if (now < worst || stationary) {
      worst = now;
      best = xi;
    }
    if (worst <= polish_tolerance || stationary || (!gains && k >= least_iterations)) break;
    for (std::size_t i = 0; i < xi.size(); ++i) xi[i] -= Quad(step[static_cast<Eigen::Index>(i)]);
  }
  xi = best;
  const bool nearly =
      worst <= explained_by_rounding || (stationary && worst <= tolerated_contradiction_);
  if (worst > polish_tolerance) polish_by_elimination(xi, level, scaling, row_size, worst);
  PolishedPath result;
  if (worst > polish_floor) {
    if (!nearly) {
      if (const auto e = quad_array_.residuals(xi, level, scaling, phi); !e)
        return not_evaluated(e);
      std::vector<double> relative(phi.size());
      for (std::size_t i = 0; i < phi.size(); ++i) {
        relative[i] = std::abs(static_cast<double>(phi[i])) / row_size[i];
      }
      return stationary ? contradiction(relative) : not_converged(relative);
    }
    xi = best;
    result.only_up_to_rounding = true;
  }
  result.path = unscaled_path<Quad>(xi, scaling);
  return result;
}

}  // namespace saltus::detail
