#include "sensitivity/variational_step.hpp"

#include <array>
#include <cmath>

#include <saltus/core/text.hpp>

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

VariationalStep::VariationalStep(const System& system, std::uint32_t n_columns)
    : system_(system),
      n_(system.size()),
      n_columns_(n_columns),
      stages_(of_stages(system.pattern()), LinearSolverKind::automatic),
      one_(system.pattern(), LinearSolverKind::automatic),
      x_(n_),
      xdot_(n_) {
  const std::size_t size = static_cast<std::size_t>(n_) * n_columns_;
  for (auto& s : stage_) s.resize(size);
  coefficients_.resize(4 * size);
  end_.resize(size);
  error_.resize(size);
}

Result<void> VariationalStep::evaluate(Workspace& workspace, const StepPolynomial& along, double t,
                                       Point& point) {
  along.state_at(t, x_);
  along.derivative_at(t, xdot_);
  const auto nnz = static_cast<std::size_t>(system_.pattern().nnz());
  point.of_x.resize(nnz);
  point.of_xdot.resize(nnz);
  if (const Evaluation e = workspace.jacobian(t, x_, xdot_, point.of_x, point.of_xdot); !e)
    return Failure{FailureCode::out_of_domain, "equation '" + system_.equation_name(e.row()) +
                                                   "' has no derivatives at t = " + to_text(t)};
  return {};
}

Result<void> VariationalStep::take(Workspace& workspace, const StepPolynomial& along, double t_from,
                                   double t_to, std::span<const double> s) {
  const Radau& r = radau();
  const double h = t_to - t_from;
  const CscPattern& p = system_.pattern();
  is_differential_.assign(n_, 0);
  for (std::size_t i = 0; i < 3; ++i) {
    const double t = i == 2 ? t_to : t_from + r.c[i] * h;
    if (auto done = evaluate(workspace, along, t, points_[i]); !done) return done;
  }
  matrix_.clear();
  for (std::size_t block = 0; block < 3; ++block) {
    for (std::size_t column = 0; column < n_; ++column) {
      const auto first = static_cast<std::size_t>(p.column_start[column]);
      const auto last = static_cast<std::size_t>(p.column_start[column + 1]);
      for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t slot = first; slot < last; ++slot) {
          if (points_[row].of_xdot[slot] != 0) is_differential_[column] = 1;
          matrix_.push_back(r.w[row][block] / h * points_[row].of_xdot[slot] +
                            (row == block ? points_[row].of_x[slot] : 0.0));
        }
      }
    }
  }
  ++n_factorisations_;
  if (!stages_.factor(matrix_))
    return Failure{
        FailureCode::singular,
        "the variational equations at t = " + to_text(t_from) +
            " do not determine the derivative of '" +
            system_.unknown_name(static_cast<std::uint32_t>(stages_.singular_column()) % n_) + "'"};
  right_.resize(3 * static_cast<std::size_t>(n_));
  for (std::uint32_t k = 0; k < n_columns_; ++k) {
    std::fill(right_.begin(), right_.end(), 0.0);
    for (std::size_t column = 0; column < n_; ++column) {
      const double from = s[column * n_columns_ + k];
      if (from == 0) continue;
      for (auto slot = static_cast<std::size_t>(p.column_start[column]);
           slot < static_cast<std::size_t>(p.column_start[column + 1]); ++slot) {
        for (std::size_t i = 0; i < 3; ++i) {
          const double weight = r.w[i][0] + r.w[i][1] + r.w[i][2];
          right_[i * n_ + static_cast<std::size_t>(p.row[slot])] +=
              weight / h * points_[i].of_xdot[slot] * from;
        }
      }
    }
    stages_.solve(right_);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < n_; ++j) stage_[i][j * n_columns_ + k] = right_[i * n_ + j];
    }
  }
  end_ = stage_[2];
  for (const double v : end_) {
    if (!std::isfinite(v))
      return Failure{FailureCode::not_finite,
                     "derivatives are no numbers after t = " + to_text(t_from)};
  }
  make_polynomials(s);
  return estimate(workspace, along, t_from, h);
}

/// Through the start and the stages, or, without a derivative, through the stages alone.
void VariationalStep::make_polynomials(std::span<const double> s) {
  const auto& c = radau().c;
  const std::size_t size = end_.size();
  for (std::size_t e = 0; e < size; ++e) {
    const bool starts = is_differential_[e / n_columns_] != 0;
    double value[3] = {stage_[0][e], stage_[1][e], stage_[2][e]};
    // (P(c) - P(0)) / c of those that start is a quadratic, too.
    const double first = starts ? s[e] : 0.0;
    if (starts) {
      for (std::size_t i = 0; i < 3; ++i) value[i] = (value[i] - first) / c[i];
    }
    const double d01 = (value[1] - value[0]) / (c[1] - c[0]);
    const double d12 = (value[2] - value[1]) / (c[2] - c[1]);
    const double d = (d12 - d01) / (c[2] - c[0]);
    const double quadratic[3] = {value[0] - c[0] * d01 + c[0] * c[1] * d, d01 - (c[0] + c[1]) * d,
                                 d};
    coefficients_[e] = starts ? first : quadratic[0];
    coefficients_[size + e] = starts ? quadratic[0] : quadratic[1];
    coefficients_[2 * size + e] = starts ? quadratic[1] : quadratic[2];
    coefficients_[3 * size + e] = starts ? quadratic[2] : 0.0;
  }
}

Result<void> VariationalStep::estimate(Workspace& workspace, const StepPolynomial& along,
                                       double t_from, double h) {
  if (auto done = evaluate(workspace, along, t_from, first_); !done) return done;
  const CscPattern& p = system_.pattern();
  const double part = radau().gamma * h;
  matrix_.resize(first_.of_x.size());
  for (std::size_t slot = 0; slot < matrix_.size(); ++slot)
    matrix_[slot] = first_.of_xdot[slot] + part * first_.of_x[slot];
  ++n_factorisations_;
  std::fill(error_.begin(), error_.end(), 0.0);
  if (!one_.factor(matrix_)) return {};
  const std::size_t size = end_.size();
  std::vector<double>& defect = right_;
  for (std::uint32_t k = 0; k < n_columns_; ++k) {
    defect.assign(n_, 0.0);
    for (std::size_t column = 0; column < n_; ++column) {
      const std::size_t e = column * n_columns_ + k;
      const double value = coefficients_[e], slope = coefficients_[size + e] / h;
      for (auto slot = static_cast<std::size_t>(p.column_start[column]);
           slot < static_cast<std::size_t>(p.column_start[column + 1]); ++slot)
        defect[static_cast<std::size_t>(p.row[slot])] -=
            part * (first_.of_x[slot] * value + first_.of_xdot[slot] * slope);
    }
    one_.solve(defect);
    for (std::size_t column = 0; column < n_; ++column) {
      if (is_differential_[column]) error_[column * n_columns_ + k] = defect[column];
    }
  }
  return {};
}

}  // namespace saltus::detail
