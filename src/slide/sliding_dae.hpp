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
#include <saltus/system/abilities.hpp>

#include "slide/sliding_base.hpp"
#include "slide/sliding_equations.hpp"
#include "slide/sliding_layout.hpp"
#include "slide/sliding_map.hpp"
#include "slide/sliding_newton.hpp"
#include "slide/sliding_pivots.hpp"
#include "slide/sliding_regularity.hpp"
#include "slide/sliding_switching.hpp"

namespace saltus::detail {

/// Which unknowns of a base are integrated: its choice, or those with derivatives.
std::span<const std::uint8_t> states_of(const System& base, Workspace& workspace);

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

class SlidingDaeWorkspace final : public Workspace,
                                  public StepRefresh,
                                  public ChosenStates,
                                  public OutputProjection,
                                  public Sliding,
                                  public MixtureOfSides,
                                  public MultiplierAccess,
                                  public AttractionSource {
 public:
  explicit SlidingDaeWorkspace(const SlidingDae& system);

  Evaluation residual(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> f) override;
  Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> df_dx, std::span<double> df_dxdot) override;
  std::string last_error() const override { return raw_->last_error(); }
  Answer step_accepted(double t, std::span<const double> x, std::span<const double> xdot) override;
  Failure stop_reason() const override;
  std::span<const std::uint8_t> chosen() const override { return chosen_; }
  std::span<const std::uint8_t> stand_ins() const override { return stand_ins_; }
  Evaluation project(double t, std::span<double> x, std::span<double> xdot, double& moved) override;

  std::uint32_t n_surfaces() const override { return sides_.n_surfaces(); }
  std::span<const double> multipliers(std::span<const double> x,
                                      std::span<const double> xdot) override {
    return (layout_.hidden ? xdot : x).subspan(layout_.n, layout_.z);
  }
  Workspace& base() override { return *raw_; }
  void set_exit_slopes(bool wanted) override { switching_.functions.set_exit_slopes(wanted); }
  std::uint64_t n_side_evaluations() const override {
    return system_.n_side_evaluations() + equations_.n_side_evaluations();
  }

  Evaluation mixed_variables(const VariableMap& map, double t, std::span<const double> x,
                             std::span<const double> xdot, std::span<double> out) override;

  std::uint32_t unknown(std::uint32_t k) const override { return layout_.u(k); }
  bool is_slope() const override { return layout_.hidden; }
  bool follow_states() const override { return layout_.hidden; }
  Evaluation multipliers_at(double t, std::span<const double> x, std::span<const double> xdot,
                            std::span<double> u) override;
  Evaluation attraction(double t, std::span<const double> x, std::span<const double> xdot,
                        std::span<double> matrix) override;
  Evaluation multiplier_gradients(double t, std::span<const double> x, std::span<const double> xdot,
                                  std::span<double> du_dx) override;

 private:
  /// Sets x' with pivots, velocities and weights of a point.
  void load(std::span<const double> x, std::span<const double> xdot);
  Evaluation mixed_rows(double t, std::span<const double> x, std::span<double> f);
  Evaluation mixed_jacobian(double t, std::span<const double> x, std::span<double> df_dx,
                            std::span<double> df_dxdot);
  Evaluation motion_rows(double t, std::span<const double> x, std::span<double> f);
  Evaluation motion_jacobian(double t, std::span<const double> x, std::span<double> df_dx,
                             std::span<double> df_dxdot);
  void add_motion_term(const MixedLayout::MotionRow& row, const MixedLayout::Term& term, double c,
                       double change, std::span<double> df_dx, std::span<double> df_dxdot);
  Evaluation find_exact_point(double t, std::span<const double> x, std::span<const double> xdot,
                              StatesKept::Accuracy accuracy = StatesKept::Accuracy::rounding);
  /// How far to go along the motion for differences.
  double small_time(double t, std::span<const double> x, double relative) const;
  // With copies: x and x' of a vertex, which are unknowns of its block or common ones.
  void load_copy(std::uint32_t vertex, std::span<const double> x);
  Evaluation copied_rows(double t, std::span<const double> x, std::span<const double> xdot,
                         std::span<double> f);
  Evaluation copied_jacobian(double t, std::span<const double> x, std::span<double> df_dx,
                             std::span<double> df_dxdot);
  bool copies_change_meaning(std::span<const double> x);

  void adopt(std::span<const std::uint32_t> pivots);
  void follow_choice();
  bool take_pivots(std::span<const std::uint32_t> better, double t, std::span<const double> x,
                   std::span<const double> xdot);
  /// rows_ get the gradients of surfaces by states, with a Jacobian of the base.
  Evaluation reduce_gradients(double t, std::span<const double> x, std::span<const double> by_x,
                              std::span<const double> by_xdot);
  bool solve_for_motions();
  bool pivots_have_aged(double t, std::span<const double> x, std::span<const double> xdot);

  const SlidingDae& system_;
  const MixedLayout& layout_;
  std::unique_ptr<Workspace> raw_;
  SlidingSides sides_;
  SurfaceFunctions surfaces_;
  SideEquations equations_;
  SlidingSwitching switching_;
  std::optional<NoticedTimes> scheduled_;
  SlidingRegularity regularity_;
  LinearSolver<double> base_solver_;
  StatesKept states_kept_;
  StateGradients state_gradients_;
  StepRefresh* base_refresh_;

  std::vector<std::uint32_t> pivots_;
  std::vector<std::uint32_t> pivot_of_;       // per unknown of the base its surface, or none
  std::vector<double> offset_, rates_taken_;  // x' of a pivot is P_k' + offset_k
  std::vector<std::uint8_t> chosen_;
  std::vector<std::uint8_t> stand_ins_;  // P_k
  std::vector<std::uint8_t> is_state_;   // of the base
  std::vector<double> copy_offset_;      // of unknowns of blocks, [b n + j]
  std::vector<double> copy_x_, copy_xdot_;
  std::vector<double> xhat_, velocity_, u_, w_, g_, gdot_;
  std::vector<double> moved_x_, kept_, f_moved_, a_moved_, unused_, gradients_now_;
  std::vector<double> rows_, one_side_, exact_x_, exact_xdot_, by_state_;
  std::vector<double> mean_by_x_, mean_by_xdot_, base_matrix_, by_multiplier_;  // of attraction()
  /// Multipliers of the last points.
  struct KnownMultipliers {
    double t = 0.0;
    std::vector<double> x, xdot, u;
    std::uint64_t epoch = 0;  // 0: nothing
  };
  static constexpr std::size_t n_known_ = 16;
  std::vector<KnownMultipliers> known_;
  std::size_t next_known_ = 0;
  int steps_since_look_ = 0;
  bool is_curved_ = false;  // gradients of surfaces change along the motion
};

}  // namespace saltus::detail
