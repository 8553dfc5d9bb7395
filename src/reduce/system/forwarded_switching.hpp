// Switching abilities of a system, for one whose unknowns are others.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <saltus/system/differentiated.hpp>
#include <saltus/system/switching.hpp>
#include <saltus/system/system.hpp>

namespace saltus::detail {

/// Points of a raw system, from those of an engine.
class RawPoint {
 public:
  static constexpr std::uint32_t none = 0xffffffffU;
  /// Finds unknowns that the engine does not integrate; the others are there.
  using Fill =
      std::function<Evaluation(double t, std::span<const double> x, std::span<double> raw)>;

  /// `number`: per raw unknown the engine's unknown that it is, or none. `derivative`: per raw unknown
  /// the raw unknown that is its derivative, or none.
  RawPoint(std::vector<std::uint32_t> number, std::uint32_t n_engine,
           std::span<const std::uint32_t> derivative, Fill fill);

  std::uint32_t n_engine() const { return n_engine_; }
  std::uint32_t n_raw() const { return static_cast<std::uint32_t>(number_.size()); }
  std::uint32_t number(std::uint32_t raw) const { return number_[raw]; }
  /// The engine's vector begins with the raw unknowns, all of them.
  bool is_prefix() const { return is_prefix_; }

  /// Without `fill` what the engine does not integrate keeps the values it had last.
  Evaluation move_to(double t, std::span<const double> x, std::span<const double> xdot, bool fill);
  std::span<const double> x() const { return x_; }
  std::span<const double> xdot() const { return xdot_; }

 private:
  std::vector<std::uint32_t> number_;
  std::uint32_t n_engine_;
  std::vector<std::uint32_t> derivative_;
  Fill fill_;
  bool is_prefix_ = true;
  std::vector<double> x_, xdot_;
};

/// Locks of another workspace; what is frozen besides is told when one of them changes.
class NoticedLocks final : public Locks {
 public:
  /// `point`: null if the unknowns are the same, or begin with those of the raw system.
  NoticedLocks(Locks& raw, std::function<void()> changed, RawPoint* point = nullptr)
      : raw_(raw), changed_(std::move(changed)), point_(point) {}

  std::span<const std::uint8_t> locks() const override { return raw_.locks(); }
  void set_lock(std::uint32_t which, bool truth) override {
    if ((raw_.locks()[which] != 0) == truth) return;
    raw_.set_lock(which, truth);
    changed_();
  }
  Evaluation decide(double t, std::span<const double> x, std::span<const double> xdot) override;
  std::uint32_t n_equation_branches() const override { return raw_.n_equation_branches(); }
  std::uint32_t n_branches() const override { return raw_.n_branches(); }
  void branches(std::span<std::uint8_t> truth) const override { raw_.branches(truth); }

 private:
  Locks& raw_;
  std::function<void()> changed_;
  RawPoint* point_;
  std::vector<std::uint8_t> before_;
};

/// Functions of what the engine does not integrate are evaluated through RawPoint's `fill`, their slopes
/// by differences.
class ForwardedFunctions final : public SwitchingFunctions {
 public:
  ForwardedFunctions(SwitchingFunctions& raw, RawPoint& point);

  std::uint32_t count() const override { return raw_.count(); }
  const SwitchInfo& info(std::uint32_t which) const override { return raw_.info(which); }
  void set_relations(std::span<const std::uint8_t> truth) override { raw_.set_relations(truth); }
  bool is_active(std::uint32_t which) const override { return raw_.is_active(which); }
  Evaluation evaluate(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> g) override;
  Evaluation evaluate_one(std::uint32_t which, double t, std::span<const double> x,
                          std::span<const double> xdot, double& g) override;
  Evaluation rates(double t, std::span<const double> x, std::span<const double> xdot,
                   std::span<double> g, std::span<double> gdot) override;
  const CscPattern& gradient_pattern() const override { return pattern_; }
  Evaluation gradients(double t, std::span<const double> x, std::span<const double> xdot,
                       std::span<double> dg_dx) override;
  double next_time(double t, double t_end) override { return raw_.next_time(t, t_end); }
  bool is_timed(std::uint32_t which) const override { return raw_.is_timed(which); }
  bool is_due(std::uint32_t which, double t) override { return raw_.is_due(which, t); }
  std::optional<std::uint32_t> nonlinear_in_choice(std::uint32_t which,
                                                   bool and_derivatives) const override {
    return raw_.nonlinear_in_choice(which, and_derivatives);
  }

  /// Whether a function reads what the engine does not integrate.
  bool reads_others(std::uint32_t which) const { return reads_others_[which] != 0; }

 private:
  void lay_out_gradients();
  Evaluation difference(std::uint32_t which, double t, std::span<const double> xdot, double g,
                        double& change);

  SwitchingFunctions& raw_;
  RawPoint& point_;
  std::vector<std::uint8_t> reads_others_;
  bool any_reads_others_ = false;
  CscPattern pattern_;
  /// Per slot of the raw pattern its slot here, or none.
  std::vector<std::uint32_t> slot_;
  std::vector<double> raw_values_, moved_;
};

class ForwardedEnclosure final : public StepEnclosure {
 public:
  ForwardedEnclosure(StepEnclosure& raw, const ForwardedFunctions& functions, RawPoint& point)
      : raw_(raw), functions_(functions), point_(point) {}
  void hulls(const StepPolynomial& step, Interval s, std::span<Interval> g) override;
  bool series(std::uint32_t which, const StepPolynomial& step, Interval s, int order,
              std::span<Interval> coefficients) override;

 private:
  StepPolynomial raw_step(const StepPolynomial& step);

  StepEnclosure& raw_;
  const ForwardedFunctions& functions_;
  RawPoint& point_;
  std::vector<double> coefficients_;
};

/// Two unknowns that an equation states to be equal, as "der(x) == v" does.
using EqualUnknowns = std::pair<std::uint32_t, std::uint32_t>;
/// Those of a raw system, by evaluating its equations.
std::vector<EqualUnknowns> equal_unknowns(const System& raw, Workspace& workspace,
                                          std::uint32_t n_equation_rows);

/// An action that sets an unknown sets those that equal it: left as they are, they would contradict it,
/// and a search for a consistent point might believe them.
class ForwardedActions final : public EventActions {
 public:
  /// What the engine's system has to do with it.
  struct Told {
    /// Before an action is carried out at a point of the engine.
    std::function<void(const ActionInfo& info, double t, std::span<const double> x,
                       std::span<const double> xdot)>
        prepare = {};
    std::function<void()> take_back = {};
  };

  /// Refuses (ModelError) an action that sets what the engine does not integrate.
  ForwardedActions(EventActions& raw, const System& raw_system,
                   std::span<const EqualUnknowns> equal, RawPoint& point, Told told);

  std::uint32_t count() const override { return raw_.count(); }
  const ActionInfo& info(std::uint32_t action) const override { return infos_[action]; }
  std::uint32_t n_triggers() const override { return raw_.n_triggers(); }
  std::uint32_t action_of(std::uint32_t trigger) const override { return raw_.action_of(trigger); }
  std::string trigger_text(std::uint32_t trigger) const override {
    return raw_.trigger_text(trigger);
  }
  void triggers(std::span<const double> before_x, std::span<const double> before_discrete,
                std::span<std::uint8_t> truth) override;
  Evaluation values(std::uint32_t action, double t, std::span<const double> x,
                    std::span<const double> xdot, std::span<double> out) override;
  void take_back() override {
    if (told_.take_back) told_.take_back();
    raw_.take_back();
  }
  std::string refusal() const override { return raw_.refusal(); }
  std::string remark() const override { return raw_.remark(); }
  std::vector<double> watched(double t, std::span<const double> x,
                              std::span<const double> xdot) override;
  void compare_with(std::span<const double> watched, double time_error) override {
    raw_.compare_with(watched, time_error);
  }
  std::string jumped(std::uint32_t action, double t, std::span<const double> x,
                     std::span<const double> xdot) override;

 private:
  EventActions& raw_;
  RawPoint& point_;
  Told told_;
  std::vector<ActionInfo> infos_;
  /// Per action and target beyond those of the raw action: whose value it gets.
  std::vector<std::vector<std::size_t>> follows_;
};

/// All of it for one workspace; what the raw one does not offer is not there. Stays where it is: its
/// parts point to each other.
struct ForwardedSwitching {
  ForwardedSwitching(const DifferentiatedSystem& differentiated, Workspace& raw, RawPoint point,
                     std::function<void()> locks_changed, ForwardedActions::Told told);

  ForwardedSwitching(const ForwardedSwitching&) = delete;
  ForwardedSwitching& operator=(const ForwardedSwitching&) = delete;

  RawPoint point;
  std::optional<NoticedLocks> locks;
  std::optional<ForwardedFunctions> functions;
  std::optional<ForwardedEnclosure> enclosure;
  std::optional<ForwardedActions> actions;
};

}  // namespace saltus::detail
