// Enclosures of a compiled mode's switching functions along a step.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <saltus/expr/evaluator.hpp>
#include <saltus/system/switching.hpp>

#include "lower/compiled/compiled_switching.hpp"
#include "lower/layout/step_ranges.hpp"

namespace saltus::detail {

class CompiledWorkspace;

class CompiledEnclosure final : public StepEnclosure {
 public:
  CompiledEnclosure(CompiledSwitching& switching, CompiledWorkspace& workspace)
      : switching_(switching),
        workspace_(workspace),
        plan_(switching.plan()),
        singles_(plan_.count()) {}

  void hulls(const StepPolynomial& step, Interval s, std::span<Interval> g) override;
  bool series(std::uint32_t which, const StepPolynomial& step, Interval s, int order,
              std::span<Interval> coefficients) override;

 private:
  using Series = Locked<TaylorEvaluator<Interval>>;

  /// Writes everything that a program reads, in powers of the position in the step, to the coefficients
  /// that place(argument, number) returns.
  template <class Place>
  void load(const GatheredProgram& program, const StepPolynomial& step, Interval s, Place&& place);
  void load_signal(std::uint32_t value, const StepPolynomial& step, Interval s,
                   std::span<Interval> to);
  Series& prepared(std::uint32_t which, int order);

  CompiledSwitching& switching_;
  CompiledWorkspace& workspace_;
  const SwitchPlan& plan_;
  std::unique_ptr<Locked<Evaluator<Interval>>> all_;
  std::vector<std::vector<std::unique_ptr<Series>>> singles_;  // per switch, by order
  StepRanges ranges_;
};

}  // namespace saltus::detail
