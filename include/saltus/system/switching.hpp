// Defines what a system that switches offers: switching functions, locks, enclosures along a step,
// actions at events. These are abilities like those of abilities.hpp.
//
// A relation holds on one side of its switching function's zero and not on the other. During a step
// all relations are frozen (Locks), so the system is smooth. The switching functions tell where it
// would leave the side on which it is frozen.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <saltus/numerics/interval.hpp>
#include <saltus/numerics/sparse.hpp>
#include <saltus/system/evaluation.hpp>
#include <saltus/system/step_polynomial.hpp>
#include <saltus/system/system.hpp>

namespace saltus {

/// Says how certain it is that no event of a step was missed.
enum class Guarantee : std::uint8_t {
  proven,     // enclosures over the whole step prove it
  heuristic,  // samples indicate it: the switching function cannot be enclosed
  marginal,   // a zero that is touched, or that the tolerance cannot distinguish from none
};

enum class SwitchKind : std::uint8_t {
  relation,     // chooses equations, outputs or actions
  lower_limit,  // a declared range: variable - min
  upper_limit,  // max - variable
  exit,  // exit from a surface on which the solution slides: 1 - h u or 1 + h u, with multiplier u
  hold,  // tells how a surface holds: not an event
};

/// Returns whether it is a declared range, on which no equation depends.
constexpr bool is_range(SwitchKind kind) {
  return kind == SwitchKind::lower_limit || kind == SwitchKind::upper_limit;
}

struct SwitchInfo {
  std::string name;  // the text of the relation, or a given name; different for all switches
  SwitchKind kind = SwitchKind::relation;
  /// The relation is true where g > 0 and false where g < 0, or the other way round.
  bool true_if_positive = true;
  bool true_at_zero = false;
  /// Its crossing may set unknowns (an action with new values for them). The state of the event is
  /// then taken from before the surface, which it must not pass.
  bool sets_unknowns = false;
  /// For a relation whose surface holds the solution until its multiplier reaches 1/h or -1/h
  /// instead of 1 or -1: the function of kind `hold` that gives h, which is kinetic over static
  /// friction, 0 < h <= 1.
  std::uint32_t hold = no_hold;
  /// The function of kind `hold` that gives the normal force, which is positive and the same on
  /// both sides.
  std::uint32_t hold_normal = no_hold;
  std::string held_by = {};  // the name of that friction
  static constexpr std::uint32_t no_hold = 0xffffffffU;
  /// An earlier function with the same values everywhere, as those of x > 0 and x <= 0.
  std::uint32_t same_as = no_other;
  static constexpr std::uint32_t no_other = 0xffffffffU;

  bool truth(double g) const { return g == 0 ? true_at_zero : (g > 0) == true_if_positive; }
};

/// Evaluates g(t, x, x') under the same locks and held values as the residual. Derivatives of
/// unknowns come from x'. If x' along a step is less accurate than x, a system makes these
/// derivatives unknowns of their own.
class SwitchingFunctions {
 public:
  virtual ~SwitchingFunctions() = default;
  virtual std::uint32_t count() const = 0;
  virtual const SwitchInfo& info(std::uint32_t which) const = 0;
  /// Sets the truth of every relation, in the order of Locks. Systems without locks cannot know it
  /// otherwise. It is called before anything that depends on it (is_active(),
  /// EventActions::triggers()).
  virtual void set_relations(std::span<const std::uint8_t>) {}
  /// Returns false if the function does not matter under the current locks (it is in a branch not
  /// taken). It need not be defined there, and evaluate() leaves it at zero.
  virtual bool is_active(std::uint32_t which) const = 0;
  /// Evaluates all functions at a point. `row` of a failed evaluation is the switch.
  virtual Evaluation evaluate(double t, std::span<const double> x, std::span<const double> xdot,
                              std::span<double> g) = 0;
  /// Evaluates one function at a point.
  virtual Evaluation evaluate_one(std::uint32_t which, double t, std::span<const double> x,
                                  std::span<const double> xdot, double& g) = 0;
  /// Evaluates all functions and their rates dg/dt + dg/dx x' along the solution.
  virtual Evaluation rates(double t, std::span<const double> x, std::span<const double> xdot,
                           std::span<double> g, std::span<double> gdot) = 0;
  /// Returns the pattern of dg/dx, a row per switch.
  virtual const CscPattern& gradient_pattern() const = 0;
  virtual Evaluation gradients(double t, std::span<const double> x, std::span<const double> xdot,
                               std::span<double> dg_dx) = 0;
  /// Returns the first time strictly after t, on the way to t_end, at which a function of time
  /// alone passes zero (t_end if there is none), exact to the last digit. `is_due` tells which
  /// functions do so at that very time. Functions that this covers need no search along steps.
  virtual double next_time(double t, double t_end) = 0;
  virtual bool is_timed(std::uint32_t which) const = 0;
  virtual bool is_due(std::uint32_t which, double t) = 0;
  /// Returns an equation that is not linear in the choice of the relation, such as one with
  /// where(y > 0, -1, 1)^3: there the average of the equation is not the equation of the average.
  /// With `and_derivatives`, returns an equation that is not linear in the choice and the
  /// derivatives together, such as one with where(y > 0, 1, 2) * der(x). Returns nothing if all
  /// equations are linear, or if the system does not know.
  virtual std::optional<std::uint32_t> nonlinear_in_choice(std::uint32_t /*which*/,
                                                           bool /*and_derivatives*/) const {
    return std::nullopt;
  }
};

/// The branch of every relation, frozen until it is set again: one truth value per switching
/// function of kind `relation`, in their order. A system that has switching functions without locks
/// evaluates the side on which it is, and is run one-sided.
class Locks {
 public:
  virtual ~Locks() = default;
  virtual std::span<const std::uint8_t> locks() const = 0;
  virtual void set_lock(std::uint32_t which, bool truth) = 0;
  /// Sets every lock to the truth of its relation at a point (on a surface:
  /// SwitchInfo::true_at_zero), whatever the locks were. Relations in branches not taken become
  /// false. A failure names the switch that has no value; the locks are then those of the relations
  /// that have one.
  virtual Evaluation decide(double t, std::span<const double> x, std::span<const double> xdot) = 0;
  /// Return the truth of every condition that chooses a branch, first those of equations, then
  /// those that occur in outputs only. Different locks that agree in these have the same equations.
  /// Conditions in branches that are not taken count as false.
  virtual std::uint32_t n_equation_branches() const = 0;
  virtual std::uint32_t n_branches() const = 0;
  virtual void branches(std::span<std::uint8_t> truth) const = 0;
};

/// Initialises the locks of a new workspace from a point, as far as they are decidable there.
inline void decide_locks(Workspace& workspace, double t, std::span<const double> x,
                         std::span<const double> xdot) {
  // A relation without a value keeps its lock; evaluating an equation there reports it.
  if (auto* locks = workspace.ability<Locks>()) (void)locks->decide(t, x, xdot);
}

/// Encloses switching functions along a step.
class StepEnclosure {
 public:
  virtual ~StepEnclosure() = default;
  /// Encloses the range of every active function over a part of the step, in one pass. Entries of
  /// functions that cannot be enclosed are the whole line; those of inactive ones are left alone.
  virtual void hulls(const StepPolynomial& step, Interval s, std::span<Interval> g) = 0;
  /// Encloses coefficients 0 … order of g(s + tau) in powers of tau, for every s of the given part
  /// of the step. Returns false if g is not smooth there or no enclosure exists.
  virtual bool series(std::uint32_t which, const StepPolynomial& step, Interval s, int order,
                      std::span<Interval> coefficients) = 0;
};

/// A variable that an action changes.
struct ActionTarget {
  bool is_unknown = false;  // else a discrete variable (HeldValues)
  std::uint32_t index = 0;

  friend bool operator==(const ActionTarget&, const ActionTarget&) = default;
};

enum class ActionKind : std::uint8_t {
  assignments,  // sets its targets when a trigger becomes true
  transition,   // leaves the mode as soon as a trigger holds
  requirement,  // the mode is impossible while a trigger holds
};

struct ActionInfo {
  std::string name;
  ActionKind kind = ActionKind::assignments;
  std::vector<ActionTarget> targets;
  std::vector<std::string> target_names;
  int priority = 0;              // among actions that write the same target the highest wins
  bool terminal = false;         // ends the run here
  std::string message;           // message of a terminal action
  std::uint32_t transition = 0;  // of ConfigurationSource::transitions()
  /// A transition without triggers, taken where events of one of these relations accumulate.
  std::vector<std::string> at_accumulation_of = {};
  /// A transition without triggers, taken where the solution would slide on the surface of one of
  /// these relations: its mode is the motion there.
  std::vector<std::string> at_sliding_of = {};
  /// Also executed at the very beginning of a run.
  bool at_start = false;
  /// Executed at the last instant of a run that reaches its end, or that an action ends.
  bool at_end = false;
  /// Executed after all other actions of an instant, with the values that they have set; also
  /// without a trigger, where EventActions::jumped() gives a reason.
  bool comes_last = false;
  /// Its values follow from laws that remember earlier events: call values() only once, where the
  /// action is executed.
  bool by_laws = false;
  /// If not empty, the reason why it cannot be executed in its mode. It is reported where the
  /// action would be executed.
  std::string lacks = {};
};

/// When-clauses: an action is executed when one of its triggers becomes true at an event. Triggers
/// that are true from the start do not fire. (Transitions and requirements use the current truth of
/// triggers, no matter when they became true.)
class EventActions {
 public:
  virtual ~EventActions() = default;
  virtual std::uint32_t count() const = 0;
  virtual const ActionInfo& info(std::uint32_t action) const = 0;
  virtual std::uint32_t n_triggers() const = 0;
  virtual std::uint32_t action_of(std::uint32_t trigger) const = 0;
  /// Returns the text of a trigger's condition.
  virtual std::string trigger_text(std::uint32_t trigger) const = 0;
  /// Returns the truth of all triggers under the current locks and held values. `before_x` and
  /// `before_discrete` give the meaning of pre() in a condition: the values before the last
  /// micro-step.
  virtual void triggers(std::span<const double> before_x, std::span<const double> before_discrete,
                        std::span<std::uint8_t> truth) = 0;
  /// Computes new values of the targets from the values before this micro-step (to which pre()
  /// refers as well).
  virtual Evaluation values(std::uint32_t action, double t, std::span<const double> x,
                            std::span<const double> xdot, std::span<double> out) = 0;
  /// Declares the calls of values() at this instant so far a trial: none of their results is used.
  virtual void take_back() {}
  /// Returns why the last values() failed, in words. Empty: the target of that row would become NaN
  /// or infinite.
  virtual std::string refusal() const { return {}; }
  /// Returns a remark for the user on the last values(), in words; empty: none.
  virtual std::string remark() const { return {}; }

  /// Returns the quantities that actions with `comes_last` watch at a point: their jumps at an
  /// instant matter.
  virtual std::vector<double> watched(double, std::span<const double>, std::span<const double>) {
    return {};
  }
  /// Receives the watched quantities from before an instant (empty at the beginning of a run, which
  /// has no before), and the uncertainty of the time of the instant. Called at every instant before
  /// any value is requested, and after an action with `comes_last`.
  virtual void compare_with(std::span<const double> /*watched*/, double /*time_error*/) {}
  /// Returns why an action with `comes_last` is to be executed, in words: a watched quantity has
  /// jumped. Empty: nothing has jumped.
  virtual std::string jumped(std::uint32_t /*action*/, double /*t*/, std::span<const double> /*x*/,
                             std::span<const double> /*xdot*/) {
    return {};
  }
};

}  // namespace saltus
