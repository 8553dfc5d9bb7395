// Derivatives of a mode's outputs along a direction, by a sweep of order one over their own program.
#pragma once

#include <memory>

#include <saltus/expr/evaluator.hpp>
#include <saltus/system/directions.hpp>

#include "lower/layout/lock_board.hpp"

namespace saltus::detail {

class CompiledSystem;
class CompiledWorkspace;

using SeriesOfOne = Locked<TaylorEvaluator<double>>;

/// Null if the program calls a function that cannot be differentiated.
std::unique_ptr<SeriesOfOne> series_of_one(std::shared_ptr<const Program> program);
/// Arguments at a point that moves. Previous values, and how they move, are the caller's.
void load_direction(TaylorEvaluator<double>& evaluator, const CompiledWorkspace& workspace,
                    double t, std::span<const double> x, std::span<const double> xdot,
                    const Direction& way);

class CompiledDirections final : public OutputDirections {
 public:
  CompiledDirections(const CompiledSystem& system, CompiledWorkspace& workspace)
      : system_(system), workspace_(workspace) {}
  bool along(double t, std::span<const double> x, std::span<const double> xdot,
             const Direction& way, std::span<double> out) override;

 private:
  const CompiledSystem& system_;
  CompiledWorkspace& workspace_;
  std::unique_ptr<SeriesOfOne> outputs_;
  bool tried_ = false;
};

}  // namespace saltus::detail
