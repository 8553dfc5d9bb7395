#include "reduce/pencil/pencil_deflation.hpp"

#include <cmath>

#include "reduce/matrix/rank_cut.hpp"
#include "reduce/array/scaling.hpp"

namespace saltus::detail {

namespace {

/// The scaling of E and A together, from their common pattern.
ArrayScaling scaling_of_pencil(const Matrix& e, const Matrix& a) {
  std::vector<index_t> rows, columns;
  for (std::uint32_t j = 0; j < e.n_cols; ++j) {
    for (std::uint32_t i = 0; i < e.n_rows; ++i) {
      if (e(i, j) == 0.0 && a(i, j) == 0.0) continue;
      rows.push_back(static_cast<index_t>(i));
      columns.push_back(static_cast<index_t>(j));
    }
  }
  const CscAssembly whole =
      assemble(static_cast<index_t>(e.n_rows), static_cast<index_t>(e.n_cols), rows, columns);
  std::vector<double> values_a(rows.size()), values_e(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto slot = static_cast<std::size_t>(whole.slot[k]);
    const auto i = static_cast<std::size_t>(rows[k]), j = static_cast<std::size_t>(columns[k]);
    values_a[slot] = a(i, j);
    values_e[slot] = e(i, j);
  }
  return curtis_reid_scaling(whole.pattern, values_a, values_e);
}

double size_one_factor(double largest) {
  return largest > 0.0 ? std::ldexp(1.0, -std::ilogb(largest)) : 1.0;
}

/// Rows 0 … k of the leading k columns of E become [E_r; 0], the rows below them in A become [0 R].
class StageByStage {
 public:
  explicit StageByStage(const ScaledPencil& pencil)
      : e_(pencil.e),
        a_(pencil.a),
        n_(pencil.e.rows()),
        active_(n_),
        p_(Eigen::MatrixXd::Identity(n_, n_)),
        q_(p_),
        e_scale_(pencil.e.norm()),
        a_scale_(pencil.a.norm()) {}

  void run(Deflation& result) {
    result.regular = true;
    while (active_ > 0) {
      const std::string stage = std::to_string(result.deflated.size());
      const RankedSvd of_e = ranked_svd(e_.topLeftCorner(active_, active_), e_scale_);
      result.decisions.push_back(decision_of("E_" + stage, of_e));
      if (result.deflated.empty()) {
        result.kernel = of_e.v.rightCols(active_ - of_e.rank);
        result.left_kernel = of_e.u.rightCols(active_ - of_e.rank);
      }
      if (of_e.rank == active_) return;
      rotate_rows(of_e.u);
      const Eigen::Index rank = of_e.rank, n_left = active_ - rank;
      e_.block(rank, 0, n_left, active_).setZero();

      const RankedSvd of_a = ranked_svd(a_.block(rank, 0, n_left, active_), a_scale_);
      result.decisions.push_back(decision_of("A_" + stage, of_a));
      if (of_a.rank < n_left) {
        result.regular = false;
        return;
      }
      Eigen::MatrixXd columns(active_, active_);
      columns << of_a.v.rightCols(rank), of_a.v.leftCols(n_left);
      rotate_columns(columns);
      a_.block(rank, 0, n_left, rank).setZero();
      result.deflated.push_back(n_left);
      active_ = rank;
    }
  }

  /// [I -L; 0 I] P (lambda E - A) Q [I R; 0 I] is block diagonal. With N = A_inf^-1 E_inf, which is
  /// nilpotent,
  ///   E_f R = (A_f R + A_12) N - E_12,   L = (A_f R + A_12) A_inf^-1
  /// is solved by as many iterations as there are stages.
  FinitePart finite_part(const ScaledPencil& pencil, std::size_t n_stages) const {
    const Eigen::Index f = active_, g = n_ - active_;
    FinitePart part;
    part.e = e_.topLeftCorner(f, f);
    part.a = a_.topLeftCorner(f, f);
    if (f == 0) {
      part.b = Eigen::MatrixXd::Zero(0, pencil.b.cols());
      part.c = Eigen::MatrixXd::Zero(pencil.c.rows(), 0);
      return part;
    }
    const Eigen::MatrixXd pb = p_ * pencil.b;
    part.b = pb.topRows(f);
    if (g > 0 && pencil.b.cols() > 0) {
      const Eigen::PartialPivLU<Eigen::MatrixXd> a_inf(a_.bottomRightCorner(g, g)), e_f(part.e);
      const Eigen::MatrixXd nilpotent = a_inf.solve(e_.bottomRightCorner(g, g));
      const Eigen::MatrixXd e12 = e_.topRightCorner(f, g), a12 = a_.topRightCorner(f, g);
      Eigen::MatrixXd r = Eigen::MatrixXd::Zero(f, g);
      for (std::size_t k = 0; k <= n_stages; ++k)
        r = e_f.solve((part.a * r + a12) * nilpotent - e12);
      part.b -= (part.a * r + a12) * a_inf.solve(pb.bottomRows(g));
    }
    part.c = pencil.c * q_.leftCols(f);
    if (pencil.c_dot.size() > 0) {
      const Eigen::PartialPivLU<Eigen::MatrixXd> e_f(part.e);
      part.c += pencil.c_dot * q_.leftCols(f) * e_f.solve(part.a);
    }
    return part;
  }

 private:
  void rotate_rows(const Eigen::MatrixXd& u) {
    for (Eigen::MatrixXd* m : {&e_, &a_, &p_}) {
      m->topRows(active_) = (u.transpose() * m->topRows(active_)).eval();
    }
  }
  void rotate_columns(const Eigen::MatrixXd& v) {
    for (Eigen::MatrixXd* m : {&e_, &a_, &q_}) {
      m->leftCols(active_) = (m->leftCols(active_) * v).eval();
    }
  }

  Eigen::MatrixXd e_, a_;
  Eigen::Index n_, active_;
  Eigen::MatrixXd p_, q_;
  double e_scale_, a_scale_;
};

}  // namespace

ScaledPencil::ScaledPencil(const LinearSystem& system)
    : e(to_eigen(system.e)),
      a(to_eigen(system.a)),
      b(to_eigen(system.b)),
      c(to_eigen(system.c)),
      c_dot(to_eigen(system.c_dot)) {
  const ArrayScaling scaling = scaling_of_pencil(system.e, system.a);
  time_exponent = scaling.time_exponent;
  if (b.rows() != e.rows()) b = Eigen::MatrixXd::Zero(e.rows(), 0);
  if (c.cols() != e.cols()) c = Eigen::MatrixXd::Zero(0, e.cols());
  if (c_dot.cols() != e.cols()) c_dot = Eigen::MatrixXd::Zero(c.rows(), e.cols());
  for (Eigen::Index i = 0; i < e.rows(); ++i) {
    const double factor = std::ldexp(1.0, scaling.row_exponent[static_cast<std::size_t>(i)]);
    e.row(i) *= factor;
    a.row(i) *= factor;
    b.row(i) *= factor;
  }
  const double time = std::ldexp(1.0, -time_exponent);
  for (Eigen::Index j = 0; j < e.cols(); ++j) {
    const double factor = std::ldexp(1.0, scaling.column_exponent[static_cast<std::size_t>(j)]);
    a.col(j) *= factor;
    c.col(j) *= factor;
    e.col(j) *= factor * time;
    c_dot.col(j) *= factor * time;
  }
  for (Eigen::Index j = 0; j < b.cols(); ++j) b.col(j) *= size_one_factor(b.col(j).norm());
  for (Eigen::Index i = 0; i < c.rows(); ++i) {
    const double factor = size_one_factor(c.row(i).norm() + c_dot.row(i).norm());
    c.row(i) *= factor;
    c_dot.row(i) *= factor;
  }
}

Deflation deflate_infinite(const ScaledPencil& pencil) {
  Deflation result;
  StageByStage stages(pencil);
  stages.run(result);
  if (result.regular) result.finite = stages.finite_part(pencil, result.deflated.size());
  return result;
}

}  // namespace saltus::detail
