// Evaluation of motion on surfaces as a DAE.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <saltus/system/abilities.hpp>

#include "slide/dae/exact_point.hpp"
#include "slide/dae/motion_attraction.hpp"
#include "slide/dae/pivot_watch.hpp"
#include "slide/dae/sliding_dae.hpp"
#include "slide/dae/surface_rows.hpp"
#include "slide/surface/sliding_switching.hpp"

namespace saltus::detail {

class SlidingDaeWorkspace final : public Workspace,
                                  public StepRefresh,
                                  public ChosenStates,
                                  public OutputProjection,
                                  public Sliding,
                                  public MixtureOfSides,
                                  public MultiplierAccess {
 public:
  explicit SlidingDaeWorkspace(const SlidingDae& system);

  Evaluation residual(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> f) override;
  Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> df_dx, std::span<double> df_dxdot) override;
  std::string last_error() const override { return base_.workspace->last_error(); }
  Answer step_accepted(double t, std::span<const double> x, std::span<const double> xdot) override;
  Failure stop_reason() const override;
  std::span<const std::uint8_t> chosen() const override { return point_.chosen(); }
  std::span<const std::uint8_t> stand_ins() const override { return stand_ins_; }
  Evaluation project(double t, std::span<double> x, std::span<double> xdot,
                     double& moved) override {
    return exact_.project(t, x, xdot, moved);
  }

  std::uint32_t n_surfaces() const override { return base_.sides.n_surfaces(); }
  std::span<const double> multipliers(std::span<const double> x,
                                      std::span<const double> xdot) override {
    return point_.multipliers(x, xdot);
  }
  Workspace& base() override { return *base_.workspace; }
  void set_exit_slopes(bool wanted) override { switching_.functions.set_exit_slopes(wanted); }
  std::uint64_t n_side_evaluations() const override {
    return system_.n_side_evaluations() + base_.equations.n_side_evaluations();
  }

  Evaluation mixed_variables(const VariableMap& map, double t, std::span<const double> x,
                             std::span<const double> xdot, std::span<double> out) override;

  std::uint32_t unknown(std::uint32_t k) const override { return layout_.u(k); }
  bool is_slope() const override { return layout_.hidden; }
  bool follow_states() const override { return layout_.hidden; }
  Evaluation multipliers_at(double t, std::span<const double> x, std::span<const double> xdot,
                            std::span<double> u) override {
    return exact_.multipliers(t, x, xdot, u);
  }
  Evaluation multiplier_gradients(double t, std::span<const double> x, std::span<const double> xdot,
                                  std::span<double> du_dx) override {
    return exact_.multiplier_gradients(t, x, xdot, du_dx);
  }

 private:
  const SlidingDae& system_;
  const MixedLayout& layout_;
  BaseAtSides base_;
  SlidingSwitching switching_;
  std::optional<NoticedTimes> scheduled_;
  MixedPoint point_;
  std::unique_ptr<VertexForm> form_;
  SurfaceRows surface_rows_;
  ExactPoint exact_;
  PivotWatch pivot_watch_;
  MotionAttraction attraction_;
  SlidingRegularity regularity_;
  StepRefresh* base_refresh_;
  std::vector<std::uint8_t> stand_ins_;  // P_k
  std::vector<double> one_side_;
};

}  // namespace saltus::detail
