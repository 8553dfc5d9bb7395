#include "initialize/violated_equation.hpp"

#include <cmath>
#include <span>

#include <saltus/core/text.hpp>
#include <saltus/system/abilities.hpp>

namespace saltus::detail {

namespace {

/// Empty if they cannot be evaluated.
std::vector<double> residuals_with(const System& system, Workspace& workspace, double t,
                                   const std::vector<double>& x,
                                   const std::vector<std::uint8_t>& marked,
                                   const Restart& consistent) {
  const std::size_t n = system.size();
  std::vector<double> path = consistent.x;
  path.insert(path.end(), consistent.xdot.begin(), consistent.xdot.end());
  std::vector<double> f(system.n_equations());
  if (consistent.analysis) {
    const auto level = static_cast<std::size_t>(consistent.analysis->values.mu);
    path = consistent.analysis->path;
    path.resize(n * (level + 2));
    f.resize(f.size() * (level + 1));
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (marked[i]) path[i] = x[i];
  }
  const std::span<const double> all(path);
  const Evaluation done = consistent.analysis
                              ? workspace.ability<DerivativeLevels<double>>()->residuals(
                                    t, path, consistent.analysis->values.mu, f)
                              : workspace.residual(t, all.first(n), all.subspan(n, n), f);
  if (!done) f.clear();
  return f;
}

std::vector<std::uint8_t> rows_with_derivative(const System& system, Workspace& workspace, double t,
                                               const Restart& consistent) {
  std::vector<std::uint8_t> flags(system.n_equations(), 0);
  const CscPattern& p = system.pattern();
  std::vector<double> df_dx(static_cast<std::size_t>(p.nnz())), df_dxdot(df_dx.size());
  if (!workspace.jacobian(t, consistent.x, consistent.xdot, df_dx, df_dxdot)) return flags;
  for (std::size_t s = 0; s < df_dxdot.size(); ++s) {
    if (df_dxdot[s] != 0.0) flags[static_cast<std::size_t>(p.row[s])] = 1;
  }
  return flags;
}

}  // namespace

/// An equation without derivatives is violated by values; any other could be met by other
/// derivatives, and says less. So does the derivative of an equation that is itself violated.
std::string violated_equation(const System& system, Workspace& workspace, double t,
                              const std::vector<double>& x, const std::vector<std::uint8_t>& marked,
                              const Restart& consistent) {
  constexpr double clearly = 1e-9;
  const std::vector<double> f = residuals_with(system, workspace, t, x, marked, consistent);
  if (f.empty()) return "some equation cannot be evaluated";
  const std::size_t m = system.n_equations();
  const std::vector<std::uint8_t> has_derivative =
      rows_with_derivative(system, workspace, t, consistent);
  std::size_t worst = 0;
  double largest = 0.0;
  const auto look_at = [&](std::size_t first, bool with_derivative) {
    for (std::size_t k = first; k < first + m; ++k) {
      if (has_derivative[k - first] != with_derivative || std::abs(f[k]) <= largest) continue;
      largest = std::abs(f[k]);
      worst = k;
    }
  };
  for (const bool with_derivative : {false, true}) {
    for (std::size_t first = 0; first < f.size() && largest <= clearly; first += m) {
      look_at(first, with_derivative);
    }
  }
  return (worst < m ? "equation '" : "derivative " + std::to_string(worst / m) + " of equation '") +
         system.equation_name(static_cast<std::uint32_t>(worst % m)) + "' is left at " +
         to_text(f[worst]);
}

}  // namespace saltus::detail
