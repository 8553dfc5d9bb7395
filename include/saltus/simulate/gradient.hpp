// Computes how a number that results from a whole run depends on parameters and start values.
//
//   m.output("cost", 0.5 * x * x + m.integral("effort", u * u));
//   Gradient g = gradient(m, "cost", {"k", "x"}, {.t_end = 5.0});
//   if (g.ok()) step(g.value, g.of("k"));
//
// The functional is a variable or an output of the model at the end of the run. End-point terms are
// expressions; integrals are states (Model::integral), so the tolerances of the run apply to them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <saltus/core/options.hpp>
#include <saltus/model/model.hpp>
#include <saltus/simulate/simulate.hpp>

namespace saltus {

struct Gradient {
  std::string functional;
  double t = 0.0;      // time at which the run ended
  double value = 0.0;  // the left limit there; has no meaning if the run failed
  std::vector<Named<double>> derivatives;
  /// Why there are no derivatives.
  std::optional<NoDerivative> refused = {};

  bool ok() const { return !refused; }
  /// Returns the derivative with respect to a parameter. Throws Error with the reason, or naming
  /// the nearest parameter.
  double of(std::string_view parameter) const;
};

/// Returns the gradient at the end of a solution with sensitivities. If a terminal event ended the
/// run, its time depends on the parameters. The derivative is then that of the value at the moving
/// event, dJ/dp + J' dt*/dp. If the run reached t_end, the time is fixed. Throws Error if the
/// functional is not a variable of the solution.
Gradient gradient(const Solution& solution, std::string_view functional);

/// Runs the model first (RunOptions::sensitivities is replaced).
Gradient gradient(const Model& model, std::string_view functional,
                  std::vector<std::string> with_respect_to, RunOptions options = {});
Gradient gradient(std::shared_ptr<const ModelDefinition> model, std::string_view functional,
                  std::vector<std::string> with_respect_to, RunOptions options = {});

}  // namespace saltus
