#include "reduce/array/scaled_array.hpp"

#include <saltus/core/error.hpp>
#include <saltus/numerics/quad.hpp>

namespace saltus::detail {

namespace {

template <class T>
DerivativeLevels<T>& levels_of(Workspace& workspace) {
  auto* levels = workspace.ability<DerivativeLevels<T>>();
  SALTUS_ASSERT(levels != nullptr);
  return *levels;
}

/// path[j n + i] times 2^(sign (tau j - c_i)).
template <class T>
void scale_path(std::span<const T> from, const ArrayScaling& scaling, int sign, std::span<T> to) {
  const std::size_t n = scaling.column_exponent.size();
  for (std::size_t k = 0; k < from.size(); ++k) {
    const int exponent =
        scaling.time_exponent * static_cast<int>(k / n) - scaling.column_exponent[k % n];
    to[k] = from[k] * power_of_two<T>(sign * exponent);
  }
}

}  // namespace

ArrayScaling unit_scaling(const System& system) {
  return {std::vector<int>(system.n_equations(), 0), std::vector<int>(system.size(), 0), 0};
}

template <class T>
std::vector<T> scaled_path(std::span<const T> path, const ArrayScaling& scaling) {
  std::vector<T> xi(path.size());
  scale_path<T>(path, scaling, 1, xi);
  return xi;
}

template <class T>
std::vector<T> unscaled_path(std::span<const T> xi, const ArrayScaling& scaling) {
  std::vector<T> path(xi.size());
  scale_path<T>(xi, scaling, -1, path);
  return path;
}

template <class T>
ScaledArray<T>::ScaledArray(const System& system, Workspace& workspace, double t)
    : system_(system),
      levels_(levels_of<T>(workspace)),
      t_(t),
      m_(system.n_equations()),
      n_(system.size()) {}

template <class T>
std::span<const T> ScaledArray<T>::unscaled(std::span<const T> xi, int level,
                                            const ArrayScaling& scaling) {
  path_.resize(n_columns(level));
  scale_path<T>(xi.first(path_.size()), scaling, -1, path_);
  return path_;
}

template <class T>
Evaluation ScaledArray<T>::residuals(std::span<const T> xi, int level, const ArrayScaling& scaling,
                                     std::vector<T>& phi) {
  const std::span<const T> path = unscaled(xi, level, scaling);
  Evaluation evaluated = Evaluation::ok();
  if (remembers_ && last_residuals_.serves(path)) {
    const auto& known = last_residuals_.values[0];
    phi.assign(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(n_rows(level)));
  } else {
    ++n_evaluations_;
    phi.assign(n_rows(level), T(0.0));
    evaluated = levels_.residuals(t_, path, level, phi);
    if (!evaluated) return evaluated;
    if (remembers_) last_residuals_ = {{path.begin(), path.end()}, {phi, {}}};
  }
  for (std::size_t k = 0; k < phi.size(); ++k) {
    phi[k] *= power_of_two<T>(scaling.row_exponent[k % m_] +
                              scaling.time_exponent * static_cast<int>(k / m_));
  }
  return evaluated;
}

template <class T>
Evaluation ScaledArray<T>::coefficients(std::span<const T> xi, int level,
                                        const ArrayScaling& scaling, ArrayCoefficients<T>& out) {
  const auto nnz = static_cast<std::size_t>(system_.pattern().nnz());
  const std::size_t size = (static_cast<std::size_t>(level) + 1) * nnz;
  const std::span<const T> path = unscaled(xi, level, scaling);
  out.level = level;
  if (remembers_ && last_coefficients_.serves(path)) {
    const auto& [a, b] = last_coefficients_.values;
    out.a.assign(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(size));
    out.b.assign(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(size));
    return Evaluation::ok();
  }
  ++n_evaluations_;
  out.a.assign(size, T(0.0));
  out.b.assign(size, T(0.0));
  const Evaluation evaluated = levels_.jacobians(t_, path, level, out.a, out.b);
  if (evaluated && remembers_) last_coefficients_ = {{path.begin(), path.end()}, {out.a, out.b}};
  return evaluated;
}

template <class T>
DenseMatrix<T> ScaledArray<T>::jacobian(const ArrayCoefficients<T>& coefficients, int level,
                                        const ArrayScaling& scaling, bool with_e_rows) const {
  DenseMatrix<T> jacobian(n_rows(level) + (with_e_rows ? m_ : 0), n_columns(level));
  write_jacobian(coefficients, level, scaling, jacobian);
  return jacobian;
}

template <class T>
void ScaledArray<T>::write_jacobian(const ArrayCoefficients<T>& coefficients, int level,
                                    const ArrayScaling& scaling, DenseMatrix<T>& jacobian) const {
  SALTUS_ASSERT(level <= coefficients.level);
  const CscPattern& pattern = system_.pattern();
  const auto nnz = static_cast<std::size_t>(pattern.nnz());
  const auto n_levels = static_cast<std::size_t>(level) + 1;
  const std::size_t m = m_, n = n_;
  const bool with_e_rows = jacobian.n_rows() > n_rows(level);
  jacobian.set_zero();
  for (std::size_t column = 0; column < n; ++column) {
    for (auto slot = static_cast<std::size_t>(pattern.column_start[column]);
         slot < static_cast<std::size_t>(pattern.column_start[column + 1]); ++slot) {
      const auto row = static_cast<std::size_t>(pattern.row[slot]);
      const int unit = scaling.row_exponent[row] + scaling.column_exponent[column];
      // Both are Toeplitz but for the factor j: one product per diagonal.
      for (std::size_t i = 0; i < n_levels; ++i) {
        const int order = static_cast<int>(i);
        const T a =
            coefficients.a[i * nnz + slot] * power_of_two<T>(unit + scaling.time_exponent * order);
        const T b = coefficients.b[i * nnz + slot] *
                    power_of_two<T>(unit + scaling.time_exponent * (order - 1));
        for (std::size_t k = i; k < n_levels; ++k) {
          jacobian(k * m + row, (k - i) * n + column) += a;
          const std::size_t j = k + 1 - i;
          jacobian(k * m + row, j * n + column) += T(static_cast<double>(j)) * b;
        }
        if (i == 0 && with_e_rows) jacobian(n_levels * m + row, column) = b;
      }
    }
  }
}

template class ScaledArray<double>;
template class ScaledArray<Quad>;
template std::vector<double> scaled_path(std::span<const double>, const ArrayScaling&);
template std::vector<Quad> scaled_path(std::span<const Quad>, const ArrayScaling&);
template std::vector<double> unscaled_path(std::span<const double>, const ArrayScaling&);
template std::vector<Quad> unscaled_path(std::span<const Quad>, const ArrayScaling&);

}  // namespace saltus::detail
