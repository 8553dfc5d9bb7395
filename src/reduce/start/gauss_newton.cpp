#include "reduce/start/gauss_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reduce/array/projectors.hpp"

namespace saltus::detail {

namespace {

using Decomposition = Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>;

std::span<const double> as_span(const Eigen::VectorXd& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

Eigen::Index rows_kept(const GaussNewtonProblem& p) { return p.x_moves ? p.kept.rows() : 0; }

/// Phi and what is kept, one below the other.
class StackedResidual {
 public:
  explicit StackedResidual(const GaussNewtonProblem& problem) : p_(problem) {}

  Evaluation evaluate(const Eigen::VectorXd& xi, Eigen::VectorXd& out) {
    const Evaluation evaluated = stacked_residual(p_, xi, out);
    if (!evaluated) return evaluated;
    out.conservativeResize(out.size() + n_kept());
    if (n_kept() > 0) out.tail(n_kept()) = p_.kept * (xi.head(p_.wish.size()) - p_.wish);
    if (p_.shift.size() > 0) out -= p_.shift;
    return evaluated;
  }
  Eigen::Index n_kept() const { return rows_kept(p_); }

 private:
  const GaussNewtonProblem& p_;
};

/// Takes the longest step that is monotone, and leaves in its place the one that the same matrix would take
/// next; false if there is none.
bool damped_step(StackedResidual& residual, const Decomposition& solver, Eigen::VectorXd& step,
                 Eigen::VectorXd& xi, Eigen::VectorXd& phi) {
  constexpr double smallest = 1.0 / 4096;
  const double size = step.norm();
  Eigen::VectorXd trial_phi;
  for (double lambda = 1.0; lambda >= smallest; lambda /= 2) {
    const Eigen::VectorXd trial = xi + lambda * step;
    if (!residual.evaluate(trial, trial_phi)) continue;
    const Eigen::VectorXd next = -solver.solve(trial_phi);
    if (!(next.norm() <= (1.0 - lambda / 4) * size)) continue;
    xi = trial;
    phi = trial_phi;
    step = next;
    return true;
  }
  return false;
}

/// As a row of Phi.
Evaluation below_array(const GaussNewtonProblem& p, const Evaluation& of_limit) {
  const auto row = static_cast<std::uint32_t>(p.array.n_equations()) + of_limit.row();
  return of_limit.status() == Evaluation::Status::failed ? Evaluation::failed(row)
                                                         : Evaluation::out_of_domain(row);
}

}  // namespace

Evaluation stacked_residual(const GaussNewtonProblem& p, const Eigen::VectorXd& xi,
                            Eigen::VectorXd& phi) {
  std::vector<double> of_array;
  const Evaluation evaluated = p.array.residuals(as_span(xi), p.level, p.scaling, of_array);
  if (!evaluated) return evaluated;
  const auto n_rows = static_cast<Eigen::Index>(of_array.size());
  phi = Eigen::Map<const Eigen::VectorXd>(of_array.data(), n_rows);
  if (p.limit == nullptr) return evaluated;
  Eigen::VectorXd rho;
  if (const Evaluation e = p.limit->residual(xi, rho); !e) return below_array(p, e);
  phi.conservativeResize(n_rows + rho.size());
  phi.tail(rho.size()) = rho;
  return evaluated;
}

Evaluation stacked_jacobian(const GaussNewtonProblem& p, const Eigen::VectorXd& xi,
                            Eigen::MatrixXd& jacobian) {
  ArrayCoefficients<double> coefficients;
  const Evaluation evaluated = p.array.coefficients(as_span(xi), p.level, p.scaling, coefficients);
  if (!evaluated) return evaluated;
  jacobian = to_eigen(p.array.jacobian(coefficients, p.level, p.scaling));
  if (p.limit == nullptr) return evaluated;
  Eigen::MatrixXd drho;
  if (const Evaluation e = p.limit->jacobian(xi, drho); !e) return below_array(p, e);
  const Eigen::Index n_rows = jacobian.rows();
  jacobian.conservativeResize(n_rows + drho.rows(), Eigen::NoChange);
  jacobian.bottomRows(drho.rows()).setZero();
  jacobian.bottomLeftCorner(drho.rows(), drho.cols()) = drho;
  return evaluated;
}

Eigen::MatrixXd step_matrix(const GaussNewtonProblem& p, const Eigen::MatrixXd& jacobian) {
  const Eigen::Index n_kept = rows_kept(p);
  const auto n = static_cast<Eigen::Index>(p.array.n_unknowns());
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(jacobian.rows() + n_kept, jacobian.cols());
  matrix.topRows(jacobian.rows()) = jacobian;
  if (!p.x_moves) matrix.leftCols(n).setZero();
  if (n_kept > 0) matrix.bottomLeftCorner(n_kept, n) = p.kept;
  for (std::size_t i = 0; i < p.fixed.size(); ++i) {
    if (p.fixed[i]) matrix.col(static_cast<Eigen::Index>(i)).setZero();
  }
  return matrix;
}

Decomposition step_decomposition(const Eigen::MatrixXd& matrix) {
  Decomposition decomposition;
  decomposition.setThreshold(1e-11);
  decomposition.compute(matrix);
  return decomposition;
}

std::vector<double> row_sizes(const Eigen::MatrixXd& jacobian, const Eigen::VectorXd& xi) {
  const Eigen::VectorXd sums = jacobian.cwiseAbs() * xi.cwiseAbs();
  std::vector<double> sizes(static_cast<std::size_t>(sums.size()));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sizes[i] = 1.0 + sums[static_cast<Eigen::Index>(i)];
  }
  return sizes;
}

double GaussNewtonEnd::worst() const {
  double worst = 0.0;
  for (const double r : relative_residual) worst = std::max(worst, r);
  return worst;
}

GaussNewtonEnd gauss_newton(const GaussNewtonProblem& p, Eigen::VectorXd& xi) {
  constexpr double tolerance = 1e-12, nearly = 1e-8;
  constexpr double quick = 1e-2;  // contraction with which a matrix is kept
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  GaussNewtonEnd end;
  StackedResidual residual(p);
  Eigen::VectorXd phi, step;
  end.trouble = residual.evaluate(xi, phi);
  Eigen::MatrixXd jacobian;
  Decomposition solver;
  bool keeps_matrix = false;
  double last_size = std::numeric_limits<double>::infinity();
  const auto measure = [&] {
    const std::vector<double> sizes = row_sizes(jacobian, xi);
    end.relative_residual.resize(sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      end.relative_residual[i] = std::abs(phi[static_cast<Eigen::Index>(i)]) / sizes[i];
    }
  };
  for (; end.trouble && end.n_iterations < p.max_iterations; ++end.n_iterations) {
    if (!keeps_matrix) {
      if (const Evaluation evaluated = stacked_jacobian(p, xi, jacobian); !evaluated) {
        end.trouble = evaluated;
        break;
      }
      measure();
      solver = step_decomposition(step_matrix(p, jacobian));
      step = -solver.solve(phi);
    }
    const double size = step.norm(), scale = 1.0 + xi.norm();
    if (!std::isfinite(size)) break;
    // Near the solution steps that no longer shrink are rounding.
    end.converged =
        size <= tolerance * scale || (last_size <= nearly * scale && size >= last_size / 2);
    if (end.converged) {
      // The last correction, if it is one and not rounding, nor of equations that contradict each other.
      const double worst = end.worst();
      if (worst <= rounding || worst > nearly) break;
      const Eigen::VectorXd last = xi + step;
      Eigen::VectorXd last_phi;
      if (residual.evaluate(last, last_phi) && last_phi.norm() < phi.norm()) {
        xi = last;
        phi = last_phi;
        measure();
      }
      break;
    }
    if (!damped_step(residual, solver, step, xi, phi)) {
      if (keeps_matrix) {
        keeps_matrix = false;  // once more with a matrix from here
        continue;
      }
      end.converged = size <= nearly * scale;
      end.stuck = !end.converged;
      break;
    }
    measure();
    // Elsewhere, a matrix that is kept would come to rest where its own projection of Phi vanishes.
    keeps_matrix = step.norm() <= quick * size && end.worst() <= nearly;
    last_size = size;
  }
  return end;
}

GaussNewtonEnd gauss_newton_by_homotopy(GaussNewtonProblem problem, Eigen::VectorXd& xi) {
  constexpr double first_part = 0.1, smallest_part = 1.0 / 1024, solved = 1e-6;
  constexpr int iterations_on_the_way = 8, most_parts = 60;
  const int max_iterations = problem.max_iterations;
  Eigen::VectorXd at_first;
  GaussNewtonEnd end;
  end.trouble = StackedResidual(problem).evaluate(xi, at_first);
  if (!end.trouble) return end;
  problem.max_iterations = iterations_on_the_way;
  double s = 0.0, part = first_part;
  for (int k = 0; k < most_parts && s < 1.0 && part >= smallest_part; ++k) {
    const double next = std::min(1.0, s + part);
    problem.shift = (1.0 - next) * at_first;
    Eigen::VectorXd trial = xi;
    end = gauss_newton(problem, trial);
    if (end.trouble && end.converged && end.worst() <= solved) {
      xi = std::move(trial);
      s = next;
      part *= 2;
    } else {
      part /= 2;
    }
  }
  problem.shift = {};
  problem.max_iterations = max_iterations;
  return gauss_newton(problem, xi);
}

}  // namespace saltus::detail
