// Initial equations of a model in one of its modes, evaluated.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <saltus/expr/evaluator.hpp>
#include <saltus/system/initial_equations.hpp>

#include "lower/plan/initial_plan.hpp"

namespace saltus::detail {

class CompiledWorkspace;

class CompiledInitialEquations final : public InitialEquations {
 public:
  CompiledInitialEquations(const InitialPlan& plan, const ModelDefinition& model,
                           CompiledWorkspace& workspace);
  std::uint32_t count() const override { return plan_.count(); }
  std::string name(std::uint32_t equation) const override { return plan_.name(equation); }
  Evaluation residual(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> r) override;
  Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> dr) override;
  const CscPattern& pattern() const override { return plan_.pattern(); }
  std::string refusal() const override { return plan_.refusal(); }

 private:
  void load(Evaluator<double>& evaluator, double t, std::span<const double> x,
            std::span<const double> xdot);

  const InitialPlan& plan_;
  const ModelDefinition& model_;
  CompiledWorkspace& workspace_;
  std::vector<double> before_;  // what discrete variables start from
  std::optional<Evaluator<double>> residual_, jacobian_;
};

}  // namespace saltus::detail
