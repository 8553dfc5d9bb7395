// Initial equations of a model in one of its modes, compiled.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <saltus/expr/evaluator.hpp>
#include <saltus/model/mode_model.hpp>
#include <saltus/system/initial_equations.hpp>

#include "lower/layout.hpp"

namespace saltus::detail {

class CompiledWorkspace;

/// What all workspaces share.
class InitialPlan {
 public:
  /// What the mode does not have is said by refusal(): it may never be the one a run begins in.
  InitialPlan(const ModelDefinition& whole, const ModeModel& mode, const Layout& layout);

  struct Argument {
    enum class From : std::uint8_t { time, x, xdot, signal, parameter, discrete, before };
    From from = From::time;
    std::uint32_t index = 0;
    int order = 0;  // of a signal
  };

  std::uint32_t count() const { return static_cast<std::uint32_t>(names_.size()); }
  const std::string& name(std::uint32_t equation) const { return names_[equation]; }
  const std::string& refusal() const { return refusal_; }
  std::span<const Argument> arguments() const { return arguments_; }
  const std::shared_ptr<const Program>& residual() const { return residual_; }
  const std::shared_ptr<const Program>& jacobian() const { return jacobian_; }
  /// The outputs of the Jacobian are entries of the pattern, in an order of their own.
  std::span<const std::size_t> places() const { return places_; }
  const CscPattern& pattern() const { return pattern_; }

 private:
  void compile_in(const ModelDefinition& whole, const ModeModel& mode, const Layout& layout);

  std::vector<std::string> names_;
  std::string refusal_;
  std::vector<Argument> arguments_;
  std::shared_ptr<const Program> residual_, jacobian_;
  std::vector<std::size_t> places_;
  CscPattern pattern_;
};

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
