#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <saltus/core/text.hpp>

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
std::string large_components(const Vector& v, Name&& name) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(v.size()));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](Eigen::Index a, Eigen::Index b) { return std::abs(v[a]) > std::abs(v[b]); });
  constexpr std::size_t most = 3;
  constexpr double share = 0.2;  // of the largest
  std::string text;
  for (std::size_t k = 0; k < std::min(most, order.size()); ++k) {
    if (std::abs(v[order[k]]) < share * std::abs(v[order[0]])) break;
    text += (k > 0 ? ", '" : "'") + name(static_cast<std::uint32_t>(order[k])) + "'";
  }
  return text;
}

class ProjectingMatrix final : public StartMatrix {
 public:
  explicit ProjectingMatrix(const System& system) : system_(system) {}

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
    Matrix scaled = e;
    for (Eigen::Index i = 0; i < e.rows(); ++i) {
      const double size = e.row(i).cwiseAbs().maxCoeff();
      if (size > 0) scaled.row(i) /= size;
    }
    const Eigen::JacobiSVD<Matrix> svd(scaled, Eigen::ComputeFullV);
    const double largest = svd.singularValues().size() > 0 ? svd.singularValues()[0] : 0.0;
    const double threshold =
        64.0 * static_cast<double>(e.rows()) * std::numeric_limits<double>::epsilon() * largest;
    Eigen::Index rank = 0;
    while (rank < svd.singularValues().size() && svd.singularValues()[rank] > threshold) ++rank;
    const Matrix null = svd.matrixV().rightCols(e.cols() - rank);
    projector_ = null * null.transpose();

    Matrix m = e + j * projector_;
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
    moves_x = unit_.cwiseProduct(projector_ * all.cwiseQuotient(unit_));
    moves_xdot = all - moves_x;
  }

  std::string describe_singularity(const System& system) const override {
    const Vector of_x = projector_ * right_;
    const std::string equations =
        large_components(left_, [&](std::uint32_t i) { return system.equation_name(i); });
    const bool several = equations.find("', '") != std::string::npos;
    return std::string(several ? "equations " : "equation ") + equations +
           (several ? " do" : " does") + " not determine " +
           large_components(right_, [&](std::uint32_t i) {
             const bool is_value = std::abs(of_x[i]) >= 0.5 * std::abs(right_[i]);
             return is_value ? system.unknown_name(i) : "der(" + system.unknown_name(i) + ")";
           });
  }

 private:
  const System& system_;
  Matrix projector_;
  Vector row_scale_, unit_;
  Eigen::FullPivLU<Matrix> lu_;
  Vector left_, right_;
};

}  // namespace

std::unique_ptr<StartMatrix> make_projecting_matrix(const System& system) {
  return std::make_unique<ProjectingMatrix>(system);
}

}  // namespace saltus::detail
