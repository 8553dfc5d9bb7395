// Transitions of a compiled model: how the unknowns of a mode follow from those of the one before.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <saltus/expr/evaluator.hpp>
#include <saltus/expr/differentiate.hpp>
#include <saltus/model/mode_model.hpp>
#include <saltus/system/transition.hpp>

#include "lower/compiled/compiled_system.hpp"

namespace saltus::detail {

/// A mode that has been built.
struct BuiltMode {
  ModeModel mode;
  std::shared_ptr<const CompiledSystem> system;

  /// The unknown that is a variable of the whole model, or a derivative of one; none if there is none.
  std::uint32_t unknown_of(const Input& whole) const;
};

/// Where an argument of a program comes from.
struct LimitArgument {
  enum class From : std::uint8_t { time, left, left_rate, right, signal, parameter, discrete };
  From from = From::time;
  std::uint32_t index = 0;
  int order = 0;  // of a signal
};

/// Expressions of a transition with all they read as one argument list.
struct LimitProgram {
  std::shared_ptr<const Program> program;  // null: there is nothing to compute
  std::vector<LimitArgument> arguments;
};

/// One transition into one candidate: what all its maps share.
class TransitionPlan {
 public:
  TransitionPlan(std::shared_ptr<const ModelDefinition> whole, std::uint32_t transition,
                 const BuiltMode& before, const BuiltMode& after);

  struct Unknown {
    UnknownStart start = UnknownStart::fresh;
    std::uint32_t before = none;  // the same unknown
    std::uint32_t rate = none;  // the unknown before whose derivative this one is, if that is none
    std::uint32_t successor = none;
    bool carries_derivative = false;
  };

  const ModelDefinition& whole() const { return *whole_; }
  const Transition& transition() const { return whole_->transitions()[transition_]; }
  std::span<const Unknown> unknowns() const { return unknowns_; }
  std::span<const UnknownStart> starts() const { return starts_; }
  std::span<const std::uint32_t> same_before() const { return same_before_; }

  /// Values of maps and the unknowns they are for.
  const LimitProgram& maps() const { return maps_; }
  std::span<const std::uint32_t> mapped() const { return mapped_; }

  const LimitProgram& residual() const { return residual_; }
  const LimitProgram& jacobian() const { return jacobian_; }
  /// Entries of the Jacobian, as places in the matrix row by row.
  std::span<const std::size_t> jacobian_places() const { return jacobian_places_; }
  std::span<const std::string> equation_names() const { return equation_names_; }

 private:
  void match(const BuiltMode& before, const BuiltMode& after);
  void choose_starts(const BuiltMode& after);
  void compile_maps(const BuiltMode& before);
  void compile_equations(const BuiltMode& before, const BuiltMode& after);
  std::string who() const;

  std::shared_ptr<const ModelDefinition> whole_;
  std::uint32_t transition_;
  std::vector<Unknown> unknowns_;
  std::vector<UnknownStart> starts_;
  std::vector<std::uint32_t> same_before_;
  LimitProgram maps_, residual_, jacobian_;
  std::vector<std::uint32_t> mapped_;
  std::vector<std::size_t> jacobian_places_;
  std::vector<std::string> equation_names_;
};

/// What was before.
struct LeftLimit {
  double t = 0.0;
  std::vector<double> x, xdot, parameters, discrete;
};

class CompiledLimitEquations final : public LimitEquations {
 public:
  CompiledLimitEquations(const TransitionPlan& plan, const LeftLimit& left);

  std::uint32_t count() const override {
    return static_cast<std::uint32_t>(plan_.equation_names().size());
  }
  std::string name(std::uint32_t equation) const override {
    return plan_.equation_names()[equation];
  }
  Evaluation residual(std::span<const double> x_plus, std::span<double> r) override;
  Evaluation jacobian(std::span<const double> x_plus, std::span<double> dr) override;

 private:
  const TransitionPlan& plan_;
  const LeftLimit& left_;
  Evaluator<double> residual_, jacobian_;
};

class CompiledTransition final : public TransitionMap {
 public:
  /// With the start values of what did not exist before.
  CompiledTransition(std::shared_ptr<const TransitionPlan> plan, StartValues fresh);

  std::span<const UnknownStart> starts() const override { return plan_->starts(); }
  std::span<const std::uint32_t> same_before() const override { return plan_->same_before(); }
  void set_left(double t, std::span<const double> x, std::span<const double> xdot,
                std::span<const double> parameters, std::span<const double> discrete) override;
  Evaluation wish(StartValues& start) override;
  LimitEquations* equations() override { return equations_.get(); }

 private:
  std::shared_ptr<const TransitionPlan> plan_;
  StartValues fresh_;
  LeftLimit left_;
  std::unique_ptr<Evaluator<double>> maps_;
  std::unique_ptr<CompiledLimitEquations> equations_;
};

}  // namespace saltus::detail
