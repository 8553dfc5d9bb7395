#include "sensitivity/variational_step.hpp"

#include <array>
#include <cmath>

#include <saltus/core/text.hpp>

#include "sensitivity/linearised_point.hpp"

namespace saltus::detail {

namespace {

/// Radau IIA with three stages.
struct Radau {
  std::array<double, 3> c;
  double w[3][3];  // the inverse of its coefficients
  double gamma;    // the real eigenvalue of its coefficients
  Radau() {
    const double r = std::sqrt(6.0);
    c = {(4 - r) / 10, (4 + r) / 10, 1.0};
    // W_ij = l_j'(c_i) with l_j of degree 3 that vanish at 0 and at the other points.
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        const double other[] = {0.0, c[(j + 1) % 3], c[(j + 2) % 3]};
        double scale = 1.0, slope = 0.0;
        for (const double o : other) scale *= c[j] - o;
        for (std::size_t k = 0; k < 3; ++k)
          slope += (c[i] - other[(k + 1) % 3]) * (c[i] - other[(k + 2) % 3]);
        w[i][j] = slope / scale;
      }
    }
    gamma = (6 + std::cbrt(81.0) - std::cbrt(9.0)) / 30;
  }
};
const Radau& radau() {
  static const Radau method;
  return method;
}

/// Three by three blocks, each with the pattern of the system.
CscPattern of_stages(const CscPattern& one) {
  const index_t n = one.n_cols;
  CscPattern all{3 * n, 3 * n, {0}, {}};
  for (index_t block = 0; block < 3; ++block) {
    for (index_t column = 0; column < n; ++column) {
      for (index_t row = 0; row < 3; ++row) {
        const auto from = static_cast<std::size_t>(column);
        for (auto s = one.column_start[from]; s < one.column_start[from + 1]; ++s)
          all.row.push_back(row * n + one.row[static_cast<std::size_t>(s)]);
      }
      all.column_start.push_back(all.nnz());
    }
  }
  return all;
}

}  // namespace

VariationalStep::VariationalStep(const System& system, std::uint32_t n_columns,
                                 SensitivityWork& work)
    : system_(system),
      n_(system.size()),
      n_columns_(n_columns),
      work_(work),
      stages_(of_stages(system.pattern()), LinearSolverKind::automatic),
      one_(system.pattern(), LinearSolverKind::automatic),
      x_(n_),
      xdot_(n_) {
  const std::size_t size = static_cast<std::size_t>(n_) * n_columns_;
  stages_of_s_.resize(3 * size);
  coefficients_.resize(4 * size);
  error_.resize(size);
}

Result<void> VariationalStep::evaluate(Workspace& workspace, const FollowedPath& along, double t,
                                       Point& point) {
  along.state_at(t, x_);
  along.derivative_at(t, xdot_);
  if (!refines_) refines_ = depends_on_slopes(workspace, t);
  if (*refines_) refine_slopes(workspace, t);
  point.t = t;
  ++work_.n_jacobians;
  const auto nnz = static_cast<std::size_t>(system_.pattern().nnz());
  point.of_x.resize(nnz);
  point.of_xdot.resize(nnz);
  if (const Evaluation e = workspace.jacobian(t, x_, xdot_, point.of_x, point.of_xdot); !e)
    return Failure{FailureCode::out_of_domain, "equation '" + system_.equation_name(e.row()) +
                                                   "' has no derivatives at t = " + to_text(t)};
  return {};
}

bool VariationalStep::depends_on_slopes(Workspace& workspace, double t) {
  constexpr double elsewhere = 1e-3;
  const auto nnz = static_cast<std::size_t>(system_.pattern().nnz());
  std::vector<double> here(nnz), there(nnz), of_xdot(nnz), moved = xdot_;
  for (std::uint32_t i = 0; i < n_; ++i)
    moved[i] += elsewhere * (std::abs(xdot_[i]) + system_.nominal(i));
  work_.n_jacobians += 2;
  return workspace.jacobian(t, x_, xdot_, here, of_xdot) &&
         workspace.jacobian(t, x_, moved, there, of_xdot) && here != there;
}

/// x' of what is integrated, as in (Z.6); left as it is where that does not determine it.
void VariationalStep::refine_slopes(Workspace& workspace, double t) {
  integrated_ = integrated_unknowns(system_, workspace);  // states may have been chosen anew
  const CscPattern& p = system_.pattern();
  const auto nnz = static_cast<std::size_t>(p.nnz());
  std::vector<double> of_x(nnz), correction(n_);
  matrix_.resize(nnz);
  ++work_.n_jacobians;
  if (!workspace.jacobian(t, x_, xdot_, of_x, matrix_) ||
      !workspace.residual(t, x_, xdot_, correction))
    return;
  for (std::size_t i = 0; i < n_; ++i) {
    for (auto s = static_cast<std::size_t>(p.column_start[i]);
         s < static_cast<std::size_t>(p.column_start[i + 1]); ++s) {
      if (integrated_[i] != 0) continue;
      if (matrix_[s] != 0) return;
      matrix_[s] = of_x[s];
    }
  }
  ++work_.n_factorizations;
  if (!one_.factor(matrix_)) return;
  one_.solve(correction);
  for (const double c : correction)
    if (!std::isfinite(c)) return;
  for (std::size_t i = 0; i < n_; ++i)
    if (integrated_[i] != 0) xdot_[i] -= correction[i];
}

/// What moves: a column that is one at a single unknown on which no equation depends stays as it is.
void VariationalStep::find_moving(std::span<const double> s) {
  const CscPattern& p = system_.pattern();
  moving_.clear();
  n_ones_.assign(n_columns_, 0);
  for (std::size_t i = 0; i < n_; ++i) {
    bool matters = false;
    for (auto slot = static_cast<std::size_t>(p.column_start[i]);
         slot < static_cast<std::size_t>(p.column_start[i + 1]); ++slot) {
      for (const Point& point : points_) matters |= point.of_x[slot] != 0;
    }
    for (std::size_t k = 0; k < n_columns_; ++k) {
      if (s[i * n_columns_ + k] != 0) n_ones_[k] += matters ? 2 : 1;
    }
  }
  for (std::uint32_t k = 0; k < n_columns_; ++k) {
    if (n_ones_[k] > 1) moving_.push_back(k);
  }
}

/// product[row n_columns + k] += factor A S, for all columns at once: A is sparse, rows of S are not.
void VariationalStep::add_product(std::span<const double> a, double factor,
                                  std::span<const double> s, std::span<double> product) const {
  const CscPattern& p = system_.pattern();
  const std::size_t width = n_columns_;
  for (std::size_t column = 0; column < n_; ++column) {
    for (auto slot = static_cast<std::size_t>(p.column_start[column]);
         slot < static_cast<std::size_t>(p.column_start[column + 1]); ++slot) {
      const double value = factor * a[slot];
      if (value == 0) continue;
      const double* from = s.data() + column * width;
      double* to = product.data() + static_cast<std::size_t>(p.row[slot]) * width;
      for (std::size_t k = 0; k < width; ++k) to[k] += value * from[k];
    }
  }
}

/// Moving columns of `by_rows`, each with `size` rows, one after the other, as solvers want them; and back.
void VariationalStep::solve_moving(LinearSolver<double>& solver, std::span<double> by_rows) {
  const std::size_t size = by_rows.size() / n_columns_;
  right_.resize(size * moving_.size());
  for (std::size_t m = 0; m < moving_.size(); ++m) {
    for (std::size_t i = 0; i < size; ++i)
      right_[m * size + i] = by_rows[i * n_columns_ + moving_[m]];
  }
  solver.solve(right_);
  for (std::size_t m = 0; m < moving_.size(); ++m) {
    for (std::size_t i = 0; i < size; ++i)
      by_rows[i * n_columns_ + moving_[m]] = right_[m * size + i];
  }
}

Result<void> VariationalStep::take(Workspace& workspace, const FollowedPath& along, double t_from,
                                   double t_to, std::span<const double> s) {
  const Radau& r = radau();
  const double h = t_to - t_from;
  if (auto done = begin_at(workspace, along, t_from); !done) return done;
  for (std::size_t i = 0; i < 3; ++i) {
    const double t = i == 2 ? t_to : t_from + r.c[i] * h;
    if (auto done = evaluate(workspace, along, t, points_[i]); !done) return done;
  }
  find_moving(s);
  const std::size_t size = s.size();
  if (moving_.empty()) {
    std::copy(s.begin(), s.end(), coefficients_.begin());
    std::fill(coefficients_.begin() + static_cast<std::ptrdiff_t>(size), coefficients_.end(), 0.0);
    std::copy(s.begin(), s.end(), stages_of_s_.begin() + static_cast<std::ptrdiff_t>(2 * size));
    std::fill(error_.begin(), error_.end(), 0.0);
    return {};
  }
  if (!factor_stages(h))
    return Failure{
        FailureCode::singular,
        "the variational equations at t = " + to_text(t_from) +
            " do not determine the derivative of '" +
            system_.unknown_name(static_cast<std::uint32_t>(stages_.singular_column()) % n_) + "'"};
  std::fill(stages_of_s_.begin(), stages_of_s_.end(), 0.0);
  for (std::size_t i = 0; i < 3; ++i)
    add_product(points_[i].of_xdot, (r.w[i][0] + r.w[i][1] + r.w[i][2]) / h, s, stage(i));
  solve_moving(stages_, stages_of_s_);
  if (moving_.size() < n_columns_) keep_resting(s);
  for (const double v : end()) {
    if (!std::isfinite(v))
      return Failure{FailureCode::not_finite,
                     "derivatives are not numbers after t = " + to_text(t_from)};
  }
  make_polynomials(s);
  return estimate(h);
}

/// Where the last step ended or began, everything is known.
Result<void> VariationalStep::begin_at(Workspace& workspace, const FollowedPath& along,
                                       double t_from) {
  if (first_.t == t_from) return {};
  if (points_[2].t == t_from) {
    std::swap(first_, points_[2]);
    return {};
  }
  return evaluate(workspace, along, t_from, first_);
}

bool VariationalStep::factor_stages(double h) {
  const Radau& r = radau();
  const CscPattern& p = system_.pattern();
  is_differential_.assign(n_, 0);
  matrix_.resize(9 * static_cast<std::size_t>(p.nnz()));
  double* entry = matrix_.data();
  for (std::size_t block = 0; block < 3; ++block) {
    for (std::size_t column = 0; column < n_; ++column) {
      const auto first = static_cast<std::size_t>(p.column_start[column]);
      const auto last = static_cast<std::size_t>(p.column_start[column + 1]);
      for (std::size_t row = 0; row < 3; ++row) {
        const double weight = r.w[row][block] / h, own = row == block ? 1.0 : 0.0;
        for (std::size_t slot = first; slot < last; ++slot) {
          const double of_xdot = points_[row].of_xdot[slot];
          if (of_xdot != 0) is_differential_[column] = 1;
          *entry++ = weight * of_xdot + own * points_[row].of_x[slot];
        }
      }
    }
  }
  ++work_.n_factorizations;
  return stages_.factor(matrix_);
}

void VariationalStep::keep_resting(std::span<const double> s) {
  std::size_t m = 0;
  for (std::uint32_t k = 0; k < n_columns_; ++k) {
    if (m < moving_.size() && moving_[m] == k) {
      ++m;
      continue;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t e = k; e < s.size(); e += n_columns_) stage(i)[e] = s[e];
    }
  }
}

/// Through the start and the stages, or, without a derivative, through the stages alone.
void VariationalStep::make_polynomials(std::span<const double> s) {
  const auto& c = radau().c;
  const std::size_t size = s.size();
  const auto stage0 = stage(0), stage1 = stage(1), stage2 = stage(2);
  for (std::size_t i = 0; i < n_; ++i) {
    const bool starts = is_differential_[i] != 0;
    // (P(c) - P(0)) / c of those that start is a quadratic, too.
    const double divide[3] = {starts ? 1 / c[0] : 1.0, starts ? 1 / c[1] : 1.0, 1.0};
    const double by01 = 1 / (c[1] - c[0]), by12 = 1 / (c[2] - c[1]), by02 = 1 / (c[2] - c[0]);
    const std::size_t shift = starts ? size : 0;
    for (std::size_t e = i * n_columns_; e < (i + 1) * n_columns_; ++e) {
      const double first = starts ? s[e] : 0.0;
      const double value0 = (stage0[e] - first) * divide[0],
                   value1 = (stage1[e] - first) * divide[1], value2 = stage2[e] - first;
      const double d01 = (value1 - value0) * by01, d = ((value2 - value1) * by12 - d01) * by02;
      coefficients_[3 * size + e] = 0.0;
      coefficients_[e] = first;
      coefficients_[shift + e] = value0 - c[0] * d01 + c[0] * c[1] * d;
      coefficients_[shift + size + e] = d01 - (c[0] + c[1]) * d;
      coefficients_[shift + 2 * size + e] = d;
    }
  }
}

Result<void> VariationalStep::estimate(double h) {
  const double part = radau().gamma * h;
  matrix_.resize(first_.of_x.size());
  for (std::size_t slot = 0; slot < matrix_.size(); ++slot)
    matrix_[slot] = first_.of_xdot[slot] + part * first_.of_x[slot];
  ++work_.n_factorizations;
  std::fill(error_.begin(), error_.end(), 0.0);
  if (!one_.factor(matrix_)) return {};
  const std::size_t size = error_.size();
  const std::span<const double> coefficients = coefficients_;
  add_product(first_.of_x, -part, coefficients.first(size), error_);
  add_product(first_.of_xdot, -part / h, coefficients.subspan(size, size), error_);
  solve_moving(one_, error_);
  for (std::size_t i = 0; i < n_; ++i) {
    if (!is_differential_[i])
      std::fill_n(error_.begin() + static_cast<std::ptrdiff_t>(i * n_columns_), n_columns_, 0.0);
  }
  return {};
}

}  // namespace saltus::detail
