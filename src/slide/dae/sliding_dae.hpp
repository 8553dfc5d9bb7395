// Motion on surfaces as a DAE: mixed equations 0 = sum_b w_b(u) F_b(t, x, x') or copies F_b(t, x_b, x'_b) = 0
// with a mixture of their motions, g = 0, and (S.3) unless blended.
//
// g_k = 0 determines one of the states, its pivot, which is then not integrated; its derivative in F and (S.3),
// and u_k, are derivatives U_k' and P_k' of unknowns that occur nowhere else. As unknowns without derivatives
// they would be what Newton's method finds last: what a step predicts for x' is one order less accurate than x,
// and each iteration passes the error of x' on to them, divided by the length of the step.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/slide/sliding_system.hpp>

#include "slide/dae/base_at_sides.hpp"
#include "slide/dae/sliding_layout.hpp"
#include "slide/equations/sliding_map.hpp"

namespace saltus::detail {

class SlidingDae final : public System {
 public:
  /// Mixed, copies or blended. Fails (singular) if a surface determines no state.
  static Result<std::shared_ptr<const System>> make(SlidingBase base, SlidingForm form);

  std::uint32_t size() const override { return layout_->size(); }
  const CscPattern& pattern() const override { return layout_->pattern; }
  std::span<const std::uint8_t> carries_derivative() const override { return carries_derivative_; }
  std::string unknown_name(std::uint32_t unknown) const override;
  std::string equation_name(std::uint32_t row) const override;
  double nominal(std::uint32_t unknown) const override { return nominal_[unknown]; }
  bool is_constant(std::uint32_t unknown) const override {
    return unknown < base_.system->size() && base_.system->is_constant(unknown);
  }
  StartValues start_values() const override { return start_; }
  const VariableMap& variable_map() const override { return map_; }
  std::unique_ptr<Workspace> workspace() const override;

  const SlidingBase& base() const { return base_; }
  const MixedLayout& layout() const { return *layout_; }
  std::span<const SwitchInfo> switches() const { return switches_; }
  std::vector<std::string> surface_names() const;
  std::span<const std::uint32_t> first_pivots() const { return pivots_; }
  std::uint64_t n_side_evaluations() const { return n_side_evaluations_; }

 private:
  explicit SlidingDae(SlidingBase base);
  Result<void> lay_out(SlidingForm form);
  Result<void> choose_first_pivots(SideEquations& equations, SurfaceFunctions& surfaces,
                                   std::span<const std::uint8_t> is_state);
  void describe_unknowns(std::span<const std::uint8_t> is_state);
  void write_start(std::span<const std::uint8_t> is_state);
  void write_start_of_copies(std::span<const std::uint8_t> is_state);
  void complete_start();
  std::string surface_name(std::uint32_t k) const;
  std::string vertex_name(std::uint32_t vertex) const;

  SlidingBase base_;
  std::vector<SwitchInfo> switches_;
  std::optional<MixedLayout> layout_;
  std::vector<std::uint32_t> pivots_;
  std::vector<std::uint8_t> carries_derivative_;
  std::vector<double> nominal_;
  StartValues start_;
  SlidingMap map_;
  std::uint64_t n_side_evaluations_ = 0;  // that it took to make it
};

}  // namespace saltus::detail
