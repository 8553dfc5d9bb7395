#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <saltus/core/text.hpp>
#include <saltus/system/monitoring.hpp>

#include "initialize/start_matrix.hpp"
#include "numerics/eigen.hpp"

namespace saltus::detail {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

Matrix dense_of(const CscPattern& p, const std::vector<double>& values) {
  Matrix a = Matrix::Zero(p.n_rows, p.n_cols);
  for (index_t j = 0; j < p.n_cols; ++j) {
    const auto end = static_cast<std::size_t>(p.column_start[static_cast<std::size_t>(j) + 1]);
    for (auto s = static_cast<std::size_t>(p.column_start[static_cast<std::size_t>(j)]); s < end;
         ++s) {
      a(p.row[s], j) = values[s];
    }
  }
  return a;
}

/// The names behind the large components of a vector, largest first, three at most.
template <class Name>
std::vector<std::string> large_components(const Vector& v, Name&& name) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(v.size()));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
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

class ProjectingMatrix final : public StartMatrix {
 public:
  ProjectingMatrix(const System& system, std::vector<std::uint8_t> stays)
      : system_(system), stays_(std::move(stays)) {}

  bool factor(const JacobianValues& jacobian) override {
    Matrix e = dense_of(system_.pattern(), jacobian.df_dxdot);
    Matrix j = dense_of(system_.pattern(), jacobian.df_dx);
    // Unknowns in their own units, here and in the projector.
    unit_.resize(e.cols());
    for (Eigen::Index k = 0; k < e.cols(); ++k) {
      unit_[k] = system_.nominal(static_cast<std::uint32_t>(k));
    }
    e = e * unit_.asDiagonal();
    j = j * unit_.asDiagonal();
    // Rows of E in different units (farads beside kilograms) must not decide the rank.
    Vector row_size = e.cwiseAbs().rowwise().maxCoeff();
    for (Eigen::Index i = 0; i < e.rows(); ++i)
      if (row_size[i] == 0) row_size[i] = 1.0;
    const Matrix scaled = row_size.cwiseInverse().asDiagonal() * e;
    const Eigen::JacobiSVD<Matrix> svd(scaled, Eigen::ComputeFullU | Eigen::ComputeFullV);
    const double largest = svd.singularValues().size() > 0 ? svd.singularValues()[0] : 0.0;
    const double threshold =
        64.0 * static_cast<double>(e.rows()) * std::numeric_limits<double>::epsilon() * largest;
    Eigen::Index rank = 0;
    while (rank < svd.singularValues().size() && svd.singularValues()[rank] > threshold) ++rank;
    const Matrix null = svd.matrixV().rightCols(e.cols() - rank);
    projector_ = null * null.transpose();
    moving_ = projector_;
    if (!stays_.empty()) move_others(svd, rank, row_size.cwiseInverse().asDiagonal() * j);

    Matrix m = e + j * moving_;
    row_scale_ = Vector::Ones(m.rows());
    for (Eigen::Index i = 0; i < m.rows(); ++i) {
      // Not the size of m's own row: where that cancels, rounding would become the equation.
      const double size = std::max(e.row(i).cwiseAbs().maxCoeff(), j.row(i).cwiseAbs().maxCoeff());
      if (size > 0) row_scale_[i] = 1.0 / size;
    }
    m = row_scale_.asDiagonal() * m;
    lu_.compute(m);
    lu_.setThreshold(64.0 * static_cast<double>(m.rows()) * std::numeric_limits<double>::epsilon());
    if (lu_.rank() == m.rows()) return true;
    const Eigen::JacobiSVD<Matrix> why(m, Eigen::ComputeFullU | Eigen::ComputeFullV);
    left_ = why.matrixU().rightCols(1);
    right_ = why.matrixV().rightCols(1);
    return false;
  }

  void solve(std::span<double> w) override {
    Eigen::Map<Vector> b(w.data(), static_cast<Eigen::Index>(w.size()));
    const Vector scaled = row_scale_.cwiseProduct(b);
    b = unit_.cwiseProduct(lu_.solve(scaled));
  }

  void split(std::span<const double> w, std::span<double> x_part,
             std::span<double> xdot_part) const override {
    const auto n = static_cast<Eigen::Index>(w.size());
    const Eigen::Map<const Vector> all(w.data(), n);
    Eigen::Map<Vector> moves_x(x_part.data(), n), moves_xdot(xdot_part.data(), n);
    const Vector w_of_unit = all.cwiseQuotient(unit_);
    moves_x = unit_.cwiseProduct(moving_ * w_of_unit);
    moves_xdot = unit_.cwiseProduct(w_of_unit - projector_ * w_of_unit);
  }

  std::string describe_singularity(const System& system) const override {
    const Vector of_x = moving_ * right_;
    const auto equations =
        large_components(left_, [&](std::uint32_t i) { return system.equation_name(i); });
    const auto unknowns = large_components(right_, [&](std::uint32_t i) {
      const bool is_value = std::abs(of_x[i]) >= 0.5 * std::abs(right_[i]);
      return is_value ? system.unknown_name(i) : "der(" + system.unknown_name(i) + ")";
    });
    return undetermined_text(equations, unknowns);
  }

 private:
  /// With E = U S V^T and its null vectors U2, V2: D = V2 (U2^T dF/dx V2)^-1 moves x onto the constraints and leaves
  /// E x, the columns of T move it along them. D - T (T_stays)^+ D_stays does so without what stays, and with the
  /// smallest change of E x. Where T_stays has not as many independent rows as it has rows, E x decides.
  void move_others(const Eigen::JacobiSVD<Matrix>& svd, Eigen::Index rank, const Matrix& j) {
    constexpr double independent = 1e-10;
    const Eigen::Index n = j.cols(), n_null = n - rank;
    const Matrix v1 = svd.matrixV().leftCols(rank), v2 = svd.matrixV().rightCols(n_null);
    const Matrix constraints = svd.matrixU().rightCols(n_null).transpose() * j;
    const Eigen::FullPivLU<Matrix> lu(constraints * v2);
    if (!lu.isInvertible()) return;
    const Matrix onto = v2 * lu.inverse();
    const Matrix along = v1 - onto * (constraints * v1);
    std::vector<Eigen::Index> rows;
    for (Eigen::Index i = 0; i < n; ++i)
      if (stays_[static_cast<std::size_t>(i)]) rows.push_back(i);
    Matrix along_stays(static_cast<Eigen::Index>(rows.size()), rank);
    Matrix onto_stays(static_cast<Eigen::Index>(rows.size()), n_null);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      along_stays.row(static_cast<Eigen::Index>(k)) = along.row(rows[k]);
      onto_stays.row(static_cast<Eigen::Index>(k)) = onto.row(rows[k]);
    }
    Eigen::CompleteOrthogonalDecomposition<Matrix> decomposition;
    decomposition.setThreshold(independent);
    decomposition.compute(along_stays);
    if (decomposition.rank() < along_stays.rows()) return;
    Matrix others = onto - along * decomposition.solve(onto_stays);
    for (const Eigen::Index i : rows) others.row(i).setZero();
    moving_ = others * v2.transpose();
  }

  const System& system_;
  std::vector<std::uint8_t> stays_;
  Matrix projector_;  // on the null space of E
  Matrix moving_;     // of w, what moves x
  Vector row_scale_, unit_;
  Eigen::FullPivLU<Matrix> lu_;
  Vector left_, right_;
};

}  // namespace

std::unique_ptr<StartMatrix> make_projecting_matrix(const System& system,
                                                    std::vector<std::uint8_t> stays) {
  return std::make_unique<ProjectingMatrix>(system, std::move(stays));
}

}  // namespace saltus::detail
