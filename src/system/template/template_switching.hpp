// Switching functions and locks of a template system.
#pragma once

#include <span>
#include <vector>

#include <saltus/system/switching.hpp>

#include "system/template/template_runner.hpp"

namespace saltus::detail {

/// Named functions come first, then the comparisons of the code. A named function matters always, a
/// comparison where the locks lead to it.
class TemplateSwitching final : public SwitchingFunctions, public Locks {
 public:
  explicit TemplateSwitching(TemplateRunner& runner)
      : runner_(runner), n_named_(runner.parts().n_named()) {}

  std::uint32_t count() const override {
    return static_cast<std::uint32_t>(runner_.parts().switches.size());
  }
  const SwitchInfo& info(std::uint32_t which) const override {
    return runner_.parts().switches.at(which);
  }
  bool is_active(std::uint32_t which) const override {
    return which < n_named_ || runner_.call_of(which - n_named_) >= 0;
  }
  Evaluation evaluate(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> g) override;
  Evaluation evaluate_one(std::uint32_t which, double t, std::span<const double> x,
                          std::span<const double> xdot, double& g) override;
  Evaluation rates(double t, std::span<const double> x, std::span<const double> xdot,
                   std::span<double> g, std::span<double> gdot) override;
  const CscPattern& gradient_pattern() const override { return runner_.parts().gradient_pattern; }
  Evaluation gradients(double t, std::span<const double> x, std::span<const double> xdot,
                       std::span<double> dg_dx) override;
  double next_time(double, double t_end) override { return t_end; }
  bool is_timed(std::uint32_t) const override { return false; }
  bool is_due(std::uint32_t, double) override { return false; }

  std::span<const std::uint8_t> locks() const override { return runner_.locks(); }
  void set_lock(std::uint32_t which, bool truth) override { runner_.set_lock(which, truth); }
  Evaluation decide(double t, std::span<const double> x, std::span<const double> xdot) override {
    return runner_.decide(t, x, xdot);
  }
  /// Bits of a hash of the formulas that the locks select: comparisons that answer differently and lead
  /// to the same formulas change nothing.
  std::uint32_t n_equation_branches() const override { return 64; }
  std::uint32_t n_branches() const override { return n_named_ > 0 ? 128 : 64; }
  void branches(std::span<std::uint8_t> truth) const override;

 private:
  /// All functions from numbers of one kind whose arguments are set; `write(i, value)` gets those that
  /// are active.
  template <class V, class Write>
  Evaluation all_functions(const Write& write);

  TemplateRunner& runner_;
  std::uint32_t n_named_;
};

}  // namespace saltus::detail
