// Switching abilities of a sliding system: those of its base, and when sliding ends.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <saltus/system/directions.hpp>
#include <saltus/system/switching.hpp>

#include "slide/surface/sliding_sides.hpp"

namespace saltus::detail {

/// How a form of the equations knows its multipliers.
class MultiplierAccess {
 public:
  virtual ~MultiplierAccess() = default;
  /// Along a step it is the slope of this unknown of the sliding system, or its value: less accurate than
  /// states, by the order of an interpolation and by what Newton's method leaves.
  virtual std::uint32_t unknown(std::uint32_t k) const = 0;
  virtual bool is_slope() const = 0;
  /// False: they are unknowns that states do not determine, and nothing more is known of them.
  virtual bool follow_states() const { return true; }
  /// What they are with the states of a point, to the last digits.
  virtual Evaluation multipliers_at(double t, std::span<const double> x,
                                    std::span<const double> xdot, std::span<double> u) = 0;
  /// The same where they are known already, up to rounding of the point; false if they are not.
  virtual bool known_multipliers(double, std::span<const double>, std::span<double>) {
    return false;
  }
  /// du_k/dx at [k n + j] for the n unknowns of the base, others than states following.
  virtual Evaluation multiplier_gradients(double t, std::span<const double> x,
                                          std::span<const double> xdot,
                                          std::span<double> du_dx) = 0;
};

/// What the switches of a sliding system are called; shared by its workspaces.
std::vector<SwitchInfo> sliding_switches(const SlidingSides& sides);

class SlidingFunctions final : public SwitchingFunctions {
 public:
  SlidingFunctions(const System& base, std::uint32_t n_all, SlidingSides& sides,
                   std::span<const SwitchInfo> infos, MultiplierAccess& multipliers);

  std::uint32_t count() const override { return n_functions_ + 2 * sides_.n_surfaces(); }
  const SwitchInfo& info(std::uint32_t which) const override { return infos_[which]; }
  void set_relations(std::span<const std::uint8_t> truth) override;
  bool is_active(std::uint32_t which) const override;
  Evaluation evaluate(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> g) override;
  Evaluation evaluate_one(std::uint32_t which, double t, std::span<const double> x,
                          std::span<const double> xdot, double& g) override;
  Evaluation rates(double t, std::span<const double> x, std::span<const double> xdot,
                   std::span<double> g, std::span<double> gdot) override;
  const CscPattern& gradient_pattern() const override { return pattern_; }
  Evaluation gradients(double t, std::span<const double> x, std::span<const double> xdot,
                       std::span<double> dg_dx) override;
  double next_time(double t, double t_end) override;
  bool is_timed(std::uint32_t which) const override {
    return which < n_functions_ && sides_.functions().is_timed(which);
  }
  bool is_due(std::uint32_t which, double t) override;

  bool is_exit(std::uint32_t which) const { return which >= n_functions_; }
  /// Of an exit: g = 1 - side h_k u_k.
  std::uint32_t surface_of(std::uint32_t exit) const { return (exit - n_functions_) / 2; }
  double side_of(std::uint32_t exit) const { return (exit - n_functions_) % 2 == 0 ? 1.0 : -1.0; }
  /// The function of the base that says h of a surface; SwitchInfo::no_hold: it is 1.
  std::uint32_t hold_of(std::uint32_t surface) const { return hold_[surface]; }
  std::uint32_t n_base_functions() const { return n_functions_; }
  void set_exit_slopes(bool wanted) { has_exit_slopes_ = wanted; }
  SlidingSides& sides() const { return sides_; }
  MultiplierAccess& multipliers() const { return multipliers_; }

 private:
  void lay_out_gradients();
  /// Into udot_, by a difference along the motion.
  Evaluation find_multiplier_rates(double t, std::span<const double> x,
                                   std::span<const double> xdot);
  double exit_value(std::uint32_t which) const {
    const std::uint32_t k = surface_of(which);
    return 1.0 - side_of(which) * h_[k] * u_[k];
  }
  /// Picks h of all surfaces out of values of the base's functions; 1 and 0 where a surface has none.
  void take_holds(std::span<const double> g, std::vector<double>& h, double of_others) const;
  Evaluation add_hold_gradients(double t, std::span<const double> x, std::span<const double> xdot,
                                std::span<double> dg_dx);
  /// Calls look(which) for functions of the base that matter only on a side that was not told, there.
  template <class Look>
  Evaluation for_hidden(Look&& look);

  std::uint32_t n_, n_all_, n_functions_;
  SlidingSides& sides_;
  std::span<const SwitchInfo> infos_;
  MultiplierAccess& multipliers_;
  bool has_exit_slopes_ = true;
  CscPattern pattern_;
  std::vector<std::size_t> base_slot_;                // per slot of the base's pattern
  std::vector<std::size_t> exit_slot_;                // [exit][column]
  std::vector<double> base_g_, base_gdot_, entries_;  // of the base
  std::vector<double> u_, udot_, du_dx_, nominal_, moved_x_;
  std::vector<std::uint32_t> hold_;  // per surface
  std::vector<double> h_, hdot_;
};

/// Relations of surfaces keep what they are told.
class SlidingLocks final : public Locks {
 public:
  SlidingLocks(SlidingSides& sides, std::uint32_t n_base) : sides_(sides), n_(n_base) {}
  std::span<const std::uint8_t> locks() const override { return sides_.told(); }
  void set_lock(std::uint32_t which, bool truth) override { sides_.tell(which, truth); }
  Evaluation decide(double t, std::span<const double> x, std::span<const double> xdot) override;
  // Those of all sides: the motion on surfaces takes branches of each.
  std::uint32_t n_equation_branches() const override {
    return sides_.locks() != nullptr ? n_views() * sides_.locks()->n_equation_branches() : 0;
  }
  std::uint32_t n_branches() const override {
    return sides_.locks() != nullptr ? n_views() * sides_.locks()->n_branches() : 0;
  }
  void branches(std::span<std::uint8_t> truth) const override;

 private:
  Evaluation decide_hidden(double t, std::span<const double> x, std::span<const double> xdot);
  std::uint32_t n_views() const { return n_viewed_vertices(sides_.n_surfaces()); }

  SlidingSides& sides_;
  std::uint32_t n_;
  std::vector<std::uint8_t> kept_;
  mutable std::vector<std::uint8_t> of_side_;
};

/// Exits are enclosed by the polynomial of their multiplier. It is less accurate than the states, of which
/// multipliers are functions: near an exit it is corrected by a polynomial through the multipliers of five
/// points of the step, and widened by what a sixth one shows.
class SlidingEnclosure final : public StepEnclosure {
 public:
  /// `base` may be null: its functions are then not enclosed.
  SlidingEnclosure(std::uint32_t n_base, StepEnclosure* base, SlidingFunctions& functions)
      : n_(n_base), base_(base), functions_(functions) {}
  void hulls(const StepPolynomial& step, Interval s, std::span<Interval> g) override;
  bool series(std::uint32_t which, const StepPolynomial& step, Interval s, int order,
              std::span<Interval> coefficients) override;
  /// What is known of a step does not hold any more.
  void begin_again() { step_seen_.clear(); }

 private:
  StepPolynomial base_step(const StepPolynomial& step);
  void base_hulls(const StepPolynomial& step, Interval s, std::span<Interval> g);
  Interval multiplier_over(std::uint32_t k, const StepPolynomial& step, const Interval& s);
  void note_step(const StepPolynomial& step);
  /// The polynomial of a multiplier along the step, once per step.
  std::span<const Interval> multiplier_along(std::uint32_t k, const StepPolynomial& step);
  void correct(std::uint32_t k, const StepPolynomial& step, std::vector<Interval>& u);
  bool find_corrections(const StepPolynomial& step);
  double along_step(std::uint32_t k, const StepPolynomial& step, double s) const;
  void expand(std::span<const Interval> u, const Interval& s, std::size_t order);
  Interval coefficient_over(std::size_t k, const Interval& s);

  std::uint32_t n_;
  StepEnclosure* base_;
  SlidingFunctions& functions_;
  std::vector<double> coefficients_;
  std::vector<Interval> about_, bernstein_, hulls_, hold_;
  std::vector<std::uint8_t> is_found_;

  /// Of the step last seen, per surface: five coefficients and what is left.
  static constexpr std::size_t n_nodes_ = 5;
  std::vector<double> step_seen_, correction_, left_over_, x_, xdot_, u_exact_;
  std::vector<std::vector<Interval>> along_;  // empty: not yet asked for
  std::vector<std::optional<Interval>> over_whole_;
  enum class Corrections : std::uint8_t { unknown, found, none };
  Corrections corrections_ = Corrections::unknown;
};

/// Actions of the base see its unknowns.
class SlidingActions final : public EventActions, public ActionDirections {
 public:
  SlidingActions(std::uint32_t n_base, EventActions& base) : n_(n_base), base_(base) {}
  std::uint32_t count() const override { return base_.count(); }
  const ActionInfo& info(std::uint32_t action) const override { return base_.info(action); }
  std::uint32_t n_triggers() const override { return base_.n_triggers(); }
  std::uint32_t action_of(std::uint32_t trigger) const override { return base_.action_of(trigger); }
  std::string trigger_text(std::uint32_t trigger) const override {
    return base_.trigger_text(trigger);
  }
  void triggers(std::span<const double> before_x, std::span<const double> before_discrete,
                std::span<std::uint8_t> truth) override {
    base_.triggers(before_x.first(n_), before_discrete, truth);
  }
  Evaluation values(std::uint32_t action, double t, std::span<const double> x,
                    std::span<const double> xdot, std::span<double> out) override {
    return base_.values(action, t, x.first(n_), xdot.first(n_), out);
  }
  bool along(std::uint32_t action, double t, std::span<const double> x,
             std::span<const double> xdot, const Direction& way, std::span<double> out) override {
    auto* exact = dynamic_cast<ActionDirections*>(&base_);
    if (exact == nullptr) return false;
    return exact->along(action, t, x.first(n_), xdot.first(n_),
                        {way.dt, way.dx.first(n_), way.dxdot.first(n_)}, out);
  }
  void take_back() override { base_.take_back(); }
  std::string refusal() const override { return base_.refusal(); }
  std::string remark() const override { return base_.remark(); }
  std::vector<double> watched(double t, std::span<const double> x,
                              std::span<const double> xdot) override {
    return base_.watched(t, x.first(n_), xdot.first(n_));
  }
  void compare_with(std::span<const double> watched, double time_error) override {
    base_.compare_with(watched, time_error);
  }
  std::string jumped(std::uint32_t action, double t, std::span<const double> x,
                     std::span<const double> xdot) override {
    return base_.jumped(action, t, x.first(n_), xdot.first(n_));
  }

 private:
  std::uint32_t n_;
  EventActions& base_;
};

/// All of it for one workspace; what the base does not offer is not there.
struct SlidingSwitching {
  SlidingSwitching(const System& system, std::uint32_t n_all, Workspace& base, SlidingSides& sides,
                   std::span<const SwitchInfo> infos, MultiplierAccess& multipliers);
  SlidingSwitching(const SlidingSwitching&) = delete;
  SlidingSwitching& operator=(const SlidingSwitching&) = delete;

  SlidingFunctions functions;
  std::optional<SlidingLocks> locks;
  SlidingEnclosure enclosure;
  std::optional<SlidingActions> actions;
};

}  // namespace saltus::detail
