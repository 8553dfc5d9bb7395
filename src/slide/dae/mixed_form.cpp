#include "slide/dae/mixed_form.hpp"

namespace saltus::detail {

Evaluation MixedForm::rows(double t, std::span<const double> x, std::span<const double>,
                           std::span<double> f) {
  SideEquations& equations = base_.equations;
  const auto w = point_.weights();
  if (const auto e = equations.residuals(t, x.first(layout_.n), point_.xdot()); !e) return e;
  for (std::size_t i = 0; i < layout_.n; ++i) {
    double sum = w[0] * equations.residual(0)[i];
    for (std::uint32_t b = 1; b < w.size(); ++b) sum += w[b] * equations.residual(b)[i];
    f[i] = sum;
  }
  return Evaluation::ok();
}

Evaluation MixedForm::jacobian(double t, std::span<const double> x, std::span<double> df_dx,
                               std::span<double> df_dxdot) {
  SideEquations& equations = base_.equations;
  const CscPattern& p = base_.system.pattern();
  const auto at = x.first(layout_.n), w = point_.weights();
  if (const auto e = equations.residuals(t, at, point_.xdot()); !e) return e;
  if (const auto e = equations.jacobians(t, at, point_.xdot()); !e) return e;
  for (std::size_t j = 0; j < layout_.n; ++j) {
    const std::uint32_t surface = point_.surface_of(j);
    const auto end = static_cast<std::size_t>(p.column_start[j + 1]);
    for (auto s = static_cast<std::size_t>(p.column_start[j]); s < end; ++s) {
      double by_x = w[0] * equations.df_dx(0)[s], by_xdot = w[0] * equations.df_dxdot(0)[s];
      for (std::uint32_t b = 1; b < w.size(); ++b) {
        by_x += w[b] * equations.df_dx(b)[s];
        by_xdot += w[b] * equations.df_dxdot(b)[s];
      }
      df_dx[layout_.mixed[s]] += by_x;
      if (surface == MixedPoint::no_surface) {
        df_dxdot[layout_.mixed[s]] += by_xdot;
      } else {
        const auto row = static_cast<std::size_t>(p.row[s]);
        df_dxdot[layout_.by_p[std::size_t{surface} * layout_.n + row]] += by_xdot;
      }
    }
  }
  const std::span<double> df_du = layout_.hidden ? df_dxdot : df_dx;
  for (std::uint32_t k = 0; k < layout_.z; ++k) {
    for (std::uint32_t b = 0; b < w.size(); ++b) {
      const double slope = weight_slope(point_.u(), b, k);
      for (std::size_t i = 0; i < layout_.n; ++i) {
        df_du[layout_.by_u[std::size_t{k} * layout_.n + i]] += slope * equations.residual(b)[i];
      }
    }
  }
  return Evaluation::ok();
}

}  // namespace saltus::detail
