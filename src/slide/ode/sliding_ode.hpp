// Motion on surfaces with the multipliers eliminated: x' = sum_b w_b f_b(t, x).
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <saltus/slide/sliding_system.hpp>
#include <saltus/system/abilities.hpp>
#include <saltus/system/started_system.hpp>

#include "slide/equations/sliding_base.hpp"
#include "slide/ode/sliding_field.hpp"
#include "slide/equations/sliding_map.hpp"
#include "slide/equations/sliding_regularity.hpp"
#include "slide/surface/sliding_switching.hpp"

namespace saltus::detail {

class SlidingOdeWorkspace;

class SlidingOde final : public System {
 public:
  /// `workspace`: one of the base, which is left as it was.
  SlidingOde(SlidingBase base, Workspace& workspace, SlidingRule rule);

  ~SlidingOde() override;

  std::uint32_t size() const override { return n_ + n_surfaces(); }
  const CscPattern& pattern() const override { return pattern_; }
  std::span<const std::uint8_t> carries_derivative() const override { return carries_derivative_; }
  std::string unknown_name(std::uint32_t unknown) const override;
  std::string equation_name(std::uint32_t row) const override;
  double nominal(std::uint32_t unknown) const override {
    return unknown < n_ ? base_.system->nominal(unknown) : 1.0;
  }
  bool is_constant(std::uint32_t unknown) const override {
    return unknown < n_ && base_.system->is_constant(unknown);
  }
  StartValues start_values() const override { return start_; }
  const VariableMap& variable_map() const override { return map_; }
  std::unique_ptr<Workspace> workspace() const override;

  const SlidingBase& base() const { return base_; }
  std::uint32_t n_base() const { return n_; }
  std::uint32_t n_surfaces() const { return static_cast<std::uint32_t>(base_.surfaces.size()); }
  SlidingRule rule() const { return rule_; }
  std::span<const SwitchInfo> switches() const { return switches_; }
  std::vector<std::string> surface_names() const;

  /// Multipliers and motion at the start; false if there are none.
  bool complete_start();
  /// The same from another point.
  StartValues start_at(const SlidingPoint& at) const;
  /// What was evaluated there.
  const SlidingField::Known& start_motion() const { return start_motion_; }
  std::uint64_t n_side_evaluations() const { return n_side_evaluations_; }

 private:
  SlidingBase base_;
  SlidingRule rule_;
  std::uint32_t n_;
  std::vector<SwitchInfo> switches_;
  CscPattern pattern_;
  std::vector<std::uint8_t> carries_derivative_;
  StartValues start_;
  SlidingMap map_;
  SlidingField::Known start_motion_;
  std::uint64_t n_side_evaluations_ = 0;  // that it took to make it
  /// The one that found the start: the first to ask for a workspace gets it.
  mutable std::unique_ptr<SlidingOdeWorkspace> first_;
  mutable std::mutex guard_;
};

class SlidingOdeWorkspace final : public Workspace,
                                  public ExplicitForm,
                                  public StepProjection,
                                  public StepRefresh,
                                  public OutputProjection,
                                  public Sliding,
                                  public MixtureOfSides,
                                  public MultiplierAccess,
                                  public AttractionSource {
 public:
  explicit SlidingOdeWorkspace(const SlidingOde& system);

  /// As if it were made at this point, where `base` runs; false if no motion on the surfaces begins there.
  bool begin_again(Workspace& base, StartValues& start, const SlidingPoint& at);
  const SlidingOde& system() const { return system_; }

  Evaluation residual(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> f) override;
  Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> df_dx, std::span<double> df_dxdot) override;
  std::string last_error() const override { return raw_->last_error(); }
  Evaluation derivative(double t, std::span<const double> x, std::span<double> xdot) override;
  Evaluation project(double t, std::span<double> x) override;
  /// Functions that cannot be enclosed are differentiated by differences, good to two thirds of the digits.
  double accuracy() const override {
    constexpr double of_differences = 1e-10;
    return raw_->ability<StepEnclosure>() == nullptr ? of_differences : 0.0;
  }
  Answer step_accepted(double t, std::span<const double> x, std::span<const double> xdot) override;
  Failure stop_reason() const override;
  Evaluation project(double t, std::span<double> x, std::span<double> xdot, double& moved) override;

  std::uint32_t n_surfaces() const override { return sides_.n_surfaces(); }
  std::span<const double> multipliers(std::span<const double> x,
                                      std::span<const double> xdot) override;
  Workspace& base() override { return *raw_; }
  void set_exit_slopes(bool wanted) override { switching_.functions.set_exit_slopes(wanted); }
  std::uint64_t n_side_evaluations() const override {
    return n_making_ + field_.n_side_evaluations();
  }
  const SlidingField& field() const { return field_; }

  Evaluation mixed_variables(const VariableMap& map, double t, std::span<const double> x,
                             std::span<const double> xdot, std::span<double> out) override;

  std::uint32_t unknown(std::uint32_t k) const override {
    return static_cast<std::uint32_t>(n_) + k;
  }
  bool is_slope() const override { return true; }
  Evaluation multipliers_at(double t, std::span<const double> x, std::span<const double> xdot,
                            std::span<double> u) override;
  Evaluation attraction(double t, std::span<const double> x, std::span<const double> xdot,
                        std::span<double> matrix) override;
  bool known_multipliers(double t, std::span<const double> x, std::span<double> u) override;
  Evaluation multiplier_gradients(double t, std::span<const double> x, std::span<const double> xdot,
                                  std::span<double> du_dx) override;

 private:
  /// Calls take(j, motion and multipliers there, distance) for a neighbour along every unknown of base.
  template <class Take>
  Evaluation differences(double t, std::span<const double> x, Take&& take);
  Evaluation all_rates(double t, std::span<const double> x, std::span<double> rates);

  const SlidingOde& system_;
  std::size_t n_;
  std::uint64_t n_making_;  // evaluations that it took to make the system
  std::unique_ptr<Workspace> raw_;
  SlidingSides sides_;
  SurfaceFunctions surfaces_;
  SlidingField field_;
  SlidingSwitching switching_;
  std::optional<NoticedTimes> scheduled_;
  SlidingRegularity regularity_;
  StepProjection* base_projection_;
  OutputProjection* base_output_projection_;
  StepRefresh* base_refresh_;
  std::vector<double> no_motion_, u_, moved_x_, rates_, moved_rates_, one_side_, before_,
      directions_;
};

}  // namespace saltus::detail
