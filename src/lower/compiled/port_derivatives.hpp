// Derivatives by inputs, and of outputs: what a linearisation needs beyond the Jacobian.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <saltus/expr/evaluator.hpp>
#include <saltus/system/abilities.hpp>

#include "lower/layout/layout.hpp"
#include "lower/layout/lock_board.hpp"

namespace saltus::detail {

class CompiledSystem;

/// How a workspace makes an evaluator with its own time, signals and parameters, and runs it.
struct EvaluatorAccess {
  std::function<Locked<Evaluator<double>>(std::shared_ptr<const Program>)> make;
  std::function<void(Locked<Evaluator<double>>&, double t, std::span<const double> x,
                     std::span<const double> xdot)>
      run;
};

/// Few runs ask for it: derivatives are built when first needed, once per workspace.
class PortProgram {
 public:
  const CscPattern& pattern() const { return pattern_; }
  bool ready() const { return evaluator_.has_value(); }
  void prepare(const CompiledSystem& system, std::span<const NodeId> rows,
               std::span<const Layout::Argument> columns, std::uint32_t n_more_rows,
               const EvaluatorAccess& access);
  Evaluation evaluate(const EvaluatorAccess& access, double t, std::span<const double> x,
                      std::span<const double> xdot, std::span<double> values);

 private:
  CscPattern pattern_;
  std::optional<Locked<Evaluator<double>>> evaluator_;
};

class CompiledInputDerivatives final : public InputDerivatives {
 public:
  CompiledInputDerivatives(const CompiledSystem& system, EvaluatorAccess access);
  std::span<const std::string> inputs() const override { return inputs_; }
  const CscPattern& pattern() const override { return prepared().pattern(); }
  Evaluation evaluate(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> df_du) override;

 private:
  PortProgram& prepared() const;

  const CompiledSystem& system_;
  EvaluatorAccess access_;
  std::vector<std::string> inputs_;
  mutable PortProgram program_;  // of one workspace, so of one thread
};

class CompiledOutputDerivatives final : public OutputDerivatives {
 public:
  CompiledOutputDerivatives(const CompiledSystem& system, EvaluatorAccess access);
  std::span<const std::string> outputs() const override { return outputs_; }
  const CscPattern& pattern() const override { return prepared().pattern(); }
  Evaluation evaluate(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> dy) override;

 private:
  PortProgram& prepared() const;

  const CompiledSystem& system_;
  EvaluatorAccess access_;
  std::vector<std::string> outputs_;
  mutable PortProgram program_;
};

}  // namespace saltus::detail
