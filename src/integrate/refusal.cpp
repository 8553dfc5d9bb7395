#include "integrate/refusal.hpp"

#include <string>
#include <vector>

#include <saltus/core/error.hpp>

namespace saltus::detail {

namespace {

// The first equation that is not one derivative and something without derivatives, judged at the
// start values; any other system could be solved for its derivatives row by row.
std::uint32_t first_coupled_equation(Problem& problem) {
  const System& system = problem.system();
  const CscPattern& pattern = system.pattern();
  const StartValues start = system.start_values();
  std::vector<double> df_dx(pattern.row.size());
  std::vector<double> df_dxdot(pattern.row.size());
  const Evaluation evaluation = problem.jacobian(0.0, start.x, start.xdot, df_dx, df_dxdot);
  if (!evaluation) return evaluation.row() < system.size() ? evaluation.row() : 0;

  std::vector<std::uint32_t> n_derivatives(system.size());
  for (std::size_t entry = 0; entry < df_dxdot.size(); ++entry) {
    if (df_dxdot[entry] != 0.0) ++n_derivatives[static_cast<std::size_t>(pattern.row[entry])];
  }
  for (std::uint32_t row = 0; row < system.size(); ++row) {
    if (n_derivatives[row] != 1) return row;
  }
  return 0;
}

}  // namespace

void refuse_implicit_system(EngineKind kind, Problem& problem) {
  const System& system = problem.system();
  std::string reason = std::string(name(kind)) + " needs x' = f(t, x), but ";
  const auto carries = system.carries_derivative();
  for (std::uint32_t i = 0; i < system.size(); ++i) {
    if (carries[i] != 0) continue;
    throw OptionError("engine", reason + "no equation contains the derivative of '" +
                                    system.unknown_name(i) + "'; use radau or ida");
  }
  const std::string equation = system.equation_name(first_coupled_equation(problem));
  throw OptionError("engine", reason + "equation '" + equation +
                                  "' is not solved for one derivative; use radau or ida");
}

}  // namespace saltus::detail
