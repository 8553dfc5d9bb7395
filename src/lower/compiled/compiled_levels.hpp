// The derivative array of a compiled mode, by Taylor sweeps over its own programs.
#pragma once

#include <memory>
#include <vector>

#include <saltus/expr/evaluator.hpp>
#include <saltus/system/abilities.hpp>

#include "lower/layout/lock_board.hpp"

namespace saltus::detail {

class CompiledSystem;
class CompiledWorkspace;

/// T = double or Quad. Evaluators are made for the highest level asked for so far.
template <class T>
class CompiledLevels final : public DerivativeLevels<T> {
 public:
  CompiledLevels(const CompiledSystem& system, CompiledWorkspace& workspace)
      : system_(system), workspace_(workspace) {}

  Evaluation residuals(double t, std::span<const T> path, int level, std::span<T> f) override;
  Evaluation jacobians(double t, std::span<const T> path, int level, std::span<T> a,
                       std::span<T> b) override;

 private:
  using Series = Locked<TaylorEvaluator<T>>;
  TaylorEvaluator<T>& prepared(std::unique_ptr<Series>& evaluator,
                               std::shared_ptr<const Program> program, double t,
                               std::span<const T> path, int level);

  const CompiledSystem& system_;
  CompiledWorkspace& workspace_;
  std::unique_ptr<Series> residual_, jacobian_;
};

}  // namespace saltus::detail
