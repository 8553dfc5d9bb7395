// The abilities that state the same thing a second time: explicit form and variable map.
#include <cmath>
#include <limits>

#include <saltus/core/text.hpp>
#include <saltus/system/abilities.hpp>

#include "system/contract/trial.hpp"

namespace saltus::detail {

namespace {

/// The size of the terms of each row: sum of |dF/dx x| and |dF/dx' x'|.
std::vector<double> row_sizes(const Trial& trial, std::span<const double> x,
                              std::span<const double> xdot) {
  const CscPattern& p = trial.system.pattern();
  std::vector<double> size(trial.size(), 0.0);
  std::vector<double> df_dx(p.row.size());
  std::vector<double> df_dxdot(p.row.size());
  if (!trial.workspace->jacobian(trial.t(), x, xdot, df_dx, df_dxdot)) return {};
  for (std::size_t j = 0; j < trial.size(); ++j) {
    const auto end = static_cast<std::size_t>(p.column_start[j + 1]);
    for (auto s = static_cast<std::size_t>(p.column_start[j]); s < end; ++s) {
      size[static_cast<std::size_t>(p.row[s])] +=
          std::fabs(df_dx[s]) * magnitude_at(trial, x, j) +
          std::fabs(df_dxdot[s]) * magnitude_at(trial, xdot, j);
    }
  }
  return size;
}

}  // namespace

void check_explicit_form(Trial& trial) {
  auto* form = trial.workspace->ability<ExplicitForm>();
  if (!form) return;
  for (std::size_t j = 0; j < trial.size(); ++j) {
    if (trial.system.carries_derivative()[j]) continue;
    trial.findings.add("the explicit form", trial.unknown(j),
                       "there is an explicit form though " + trial.unknown(j) +
                           " is not flagged as carrying a derivative");
  }
  // An explicit form may solve linear systems: half of the digits are asked for.
  static const double tolerance = std::sqrt(std::numeric_limits<double>::epsilon());
  for (const TrialPoint& point : trial.points) {
    std::vector<double> xdot(trial.size());
    std::vector<double> f(trial.size());
    if (!form->derivative(trial.t(), point.x, xdot)) continue;
    const Evaluation evaluation = trial.workspace->residual(trial.t(), point.x, xdot, f);
    if (!evaluation) {
      trial.findings.add("the explicit form", "refused",
                         "the residual refuses what the explicit form gives: " +
                             trial.trouble(evaluation) + trial.where(point));
      continue;
    }
    const std::vector<double> size = row_sizes(trial, point.x, xdot);
    for (std::size_t i = 0; i < size.size(); ++i) {
      // Written such that NaN is a finding.
      if (std::fabs(f[i]) <= tolerance * size[i]) continue;
      trial.findings.add("the explicit form", trial.equation(i),
                         "the explicit form does not solve " + trial.equation(i) +
                             ": its residual is " + to_text(f[i]) + ", its terms are of size " +
                             to_text(size[i]) + trial.where(point));
    }
  }
}

void check_variable_values(Trial& trial) {
  const VariableMap& map = trial.system.variable_map();
  const auto variables = map.variables();
  constexpr double untouched = std::numeric_limits<double>::quiet_NaN();
  for (const TrialPoint& point : trial.points) {
    std::vector<double> out(variables.size(), untouched);
    if (!map.values(*trial.workspace, trial.t(), point.x, point.xdot, out)) continue;
    for (std::size_t v = 0; v < variables.size(); ++v) {
      const auto index = static_cast<std::uint32_t>(v);
      const std::string name = "variable " + quote(variables[v].name);
      if (!map.present(index)) {
        if (std::isnan(out[v])) continue;
        trial.findings.add(
            "the variable map", name,
            name + " is not present, but the map wrote " + to_text(out[v]) + trial.where(point));
      } else if (!std::isfinite(out[v])) {
        trial.findings.add(
            "the variable map", name,
            name + " is " + to_text(out[v]) + " though the map reports ok" + trial.where(point));
      } else if (const auto unknown = map.unknown(index); unknown && out[v] != point.x[*unknown]) {
        trial.findings.add("the variable map", name,
                           name + " is unknown " + trial.unknown(*unknown) + " with the value " +
                               to_text(point.x[*unknown]) + ", but the map says " +
                               to_text(out[v]) + trial.where(point));
      }
    }
  }
}

}  // namespace saltus::detail
