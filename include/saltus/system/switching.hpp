// What a system that switches offers: switching functions, locks, enclosures along a step, actions at
// events. Abilities like those of abilities.hpp.
//
// A relation holds on one side of its switching function's zero and not on the other. While a step is
// made all relations are frozen (Locks), so the system is smooth; the switching functions tell where it
// would leave the side it is frozen on.
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

/// How sure it is that no event of a step was overlooked.
enum class Guarantee : std::uint8_t {
  proven,     // enclosures over the whole step say so
  heuristic,  // samples say so: the switching function cannot be enclosed
  marginal,   // a zero that is touched, or too close to the tolerance to tell from none
};

enum class SwitchKind : std::uint8_t {
  relation,     // chooses equations, outputs or actions
  lower_limit,  // a declared range: variable - min
  upper_limit,  // max - variable
  exit,  // of a surface that the solution slides on: 1 - h u or 1 + h u, with its multiplier u
  hold,  // says of a surface how it holds: no event
};

/// A declared range, which no equation depends on.
constexpr bool is_range(SwitchKind kind) {
  return kind == SwitchKind::lower_limit || kind == SwitchKind::upper_limit;
}

struct SwitchInfo {
  std::string name;  // the text of the relation, or a name given; the same for no two switches
  SwitchKind kind = SwitchKind::relation;
  /// The relation is true where g > 0 and false where g < 0, or the other way round.
  bool true_if_positive = true;
  bool true_at_zero = false;
  /// Its crossing may set unknowns (an action with new values for them): the state of the event is
  /// taken from before the surface, which it must not pass.
  bool sets_unknowns = false;
  /// Of a relation whose surface holds the solution until its multiplier reaches 1/h or -1/h instead of 1 or -1: the
  /// function of kind `hold` that says h, which is kinetic over static friction, 0 < h <= 1.
  std::uint32_t hold = no_hold;
  /// The function of kind `hold` that says the normal force, which is positive and the same on both sides.
  std::uint32_t hold_normal = no_hold;
  static constexpr std::uint32_t no_hold = 0xffffffffU;
  /// A function before this one that has the same values everywhere, as those of x > 0 and x <= 0.
  std::uint32_t same_as = no_other;
  static constexpr std::uint32_t no_other = 0xffffffffU;

  bool truth(double g) const { return g == 0 ? true_at_zero : (g > 0) == true_if_positive; }
};

/// g(t, x, x'), evaluated under the same locks and held values as the residual. Derivatives of unknowns
/// come from x'; a system whose x' along a step is not as accurate as x makes them unknowns of their own.
class SwitchingFunctions {
 public:
  virtual ~SwitchingFunctions() = default;
  virtual std::uint32_t count() const = 0;
  virtual const SwitchInfo& info(std::uint32_t which) const = 0;
  /// Truth of every relation, in the order of Locks: told to systems without locks, which cannot know
  /// it otherwise, before anything that depends on it (is_active(), EventActions::triggers()) is asked.
  virtual void set_relations(std::span<const std::uint8_t>) {}
  /// False if it does not matter under the current locks (it stands in a branch not taken): it need
  /// not be defined there, and evaluate() leaves it at zero.
  virtual bool is_active(std::uint32_t which) const = 0;
  /// All functions at a point. `row` of a failed evaluation is the switch.
  virtual Evaluation evaluate(double t, std::span<const double> x, std::span<const double> xdot,
                              std::span<double> g) = 0;
  /// One function at a point.
  virtual Evaluation evaluate_one(std::uint32_t which, double t, std::span<const double> x,
                                  std::span<const double> xdot, double& g) = 0;
  /// All functions and their rates dg/dt + dg/dx x' along the solution.
  virtual Evaluation rates(double t, std::span<const double> x, std::span<const double> xdot,
                           std::span<double> g, std::span<double> gdot) = 0;
  /// dg/dx, a row per switch.
  virtual const CscPattern& gradient_pattern() const = 0;
  virtual Evaluation gradients(double t, std::span<const double> x, std::span<const double> xdot,
                               std::span<double> dg_dx) = 0;
  /// The first time strictly after t, on the way to t_end, at which a function of time alone passes
  /// zero (t_end if there is none), exact to the last digit; `is_due` says which ones do at that very
  /// time. Functions that this covers need no search along steps.
  virtual double next_time(double t, double t_end) = 0;
  virtual bool is_timed(std::uint32_t which) const = 0;
  virtual bool is_due(std::uint32_t which, double t) = 0;
  /// An equation that is not linear in what the relation chooses, such as one with where(y > 0, -1, 1)^3: there the
  /// average of the equation is not the equation of the average. With `and_derivatives`, an equation that is not linear in
  /// the choice and the derivatives together, such as one with where(y > 0, 1, 2) * der(x). Nothing if all equations are
  /// linear, or if the system does not know.
  virtual std::optional<std::uint32_t> nonlinear_in_choice(std::uint32_t /*which*/,
                                                           bool /*and_derivatives*/) const {
    return std::nullopt;
  }
};

/// The branch of every relation, frozen until it is set anew: one truth value per switching function
/// of kind `relation`, in their order. A system that has switching functions without locks evaluates
/// whatever side it is on, and is run one-sided.
class Locks {
 public:
  virtual ~Locks() = default;
  virtual std::span<const std::uint8_t> locks() const = 0;
  virtual void set_lock(std::uint32_t which, bool truth) = 0;
  /// Sets every lock to what holds at a point (on a surface: SwitchInfo::true_at_zero), whatever the
  /// locks were. Relations in branches not taken become false. A failure names the switch that has no
  /// value; the locks are then those of the relations that have one.
  virtual Evaluation decide(double t, std::span<const double> x, std::span<const double> xdot) = 0;
  /// Truth of every condition that chooses a branch, first those of equations, then those that occur in
  /// outputs only. Locks that differ but agree in these have the same equations. Conditions in branches
  /// that are not taken count as false.
  virtual std::uint32_t n_equation_branches() const = 0;
  virtual std::uint32_t n_branches() const = 0;
  virtual void branches(std::span<std::uint8_t> truth) const = 0;
};

/// For a workspace that nobody has told its locks yet: those of a point, as far as they can be decided.
inline void decide_locks(Workspace& workspace, double t, std::span<const double> x,
                         std::span<const double> xdot) {
  // A relation without a value keeps its lock; whoever evaluates an equation there will say so.
  if (auto* locks = workspace.ability<Locks>()) (void)locks->decide(t, x, xdot);
}

/// Encloses switching functions along a step.
class StepEnclosure {
 public:
  virtual ~StepEnclosure() = default;
  /// The range of every active function over a part of the step, one pass for all: entries of functions
  /// that cannot be enclosed are the whole line, those of inactive ones are left alone.
  virtual void hulls(const StepPolynomial& step, Interval s, std::span<Interval> g) = 0;
  /// Coefficients 0 … order of g(s + tau) in powers of tau, for every s of the given part of the
  /// step. False if g is not smooth there or no enclosure exists.
  virtual bool series(std::uint32_t which, const StepPolynomial& step, Interval s, int order,
                      std::span<Interval> coefficients) = 0;
};

/// What an action changes.
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
  int priority = 0;              // among actions that write the same target: the higher one wins
  bool terminal = false;         // the run ends here, as wished
  std::string message;           // what to say at a terminal action
  std::uint32_t transition = 0;  // of ConfigurationSource::transitions()
  /// A transition without triggers, taken where events of one of these relations accumulate.
  std::vector<std::string> at_accumulation_of = {};
  /// A transition without triggers, taken where the solution would slide on the surface of one of these
  /// relations: its mode is the motion there.
  std::vector<std::string> at_sliding_of = {};
  /// Carried out at the very beginning of a run as well.
  bool at_start = false;
  /// Carried out at the last instant of a run that reaches its end, or that an action ends.
  bool at_end = false;
  /// Carried out after all others of an instant, with what they have set; also without a trigger, where
  /// EventActions::jumped() says why.
  bool comes_last = false;
  /// What it sets is found by laws that remember earlier events: values() is to be asked once, where it is carried out.
  bool by_laws = false;
  /// Not empty: it cannot be carried out in its mode, for this reason. Where it would be, that is said.
  std::string lacks = {};
};

/// When-clauses: an action is carried out when one of its triggers becomes true at an event. Nothing
/// happens for triggers that are true from the start. (Transitions and requirements look at triggers as they
/// are, whenever they became true.)
class EventActions {
 public:
  virtual ~EventActions() = default;
  virtual std::uint32_t count() const = 0;
  virtual const ActionInfo& info(std::uint32_t action) const = 0;
  virtual std::uint32_t n_triggers() const = 0;
  virtual std::uint32_t action_of(std::uint32_t trigger) const = 0;
  /// The text of a trigger's condition.
  virtual std::string trigger_text(std::uint32_t trigger) const = 0;
  /// Truth of all triggers under the current locks and held values; `before_x` and `before_discrete` are
  /// what pre() means in a condition: the values before the last micro-step.
  virtual void triggers(std::span<const double> before_x, std::span<const double> before_discrete,
                        std::span<std::uint8_t> truth) = 0;
  /// New values of the targets, from values before this micro-step (which pre() means as well).
  virtual Evaluation values(std::uint32_t action, double t, std::span<const double> x,
                            std::span<const double> xdot, std::span<double> out) = 0;
  /// What values() was asked for at this instant so far was a trial: nothing of it is carried out.
  virtual void take_back() {}
  /// Why the last values() failed, in words; empty: the target of that row would get what is no number.
  virtual std::string refusal() const { return {}; }
  /// What the last values() did that a user should hear of, in words; empty: nothing.
  virtual std::string remark() const { return {}; }

  /// What actions that come last watch at a point: their jumps at an instant matter.
  virtual std::vector<double> watched(double, std::span<const double>, std::span<const double>) {
    return {};
  }
  /// Told at every instant before any value is asked for, and after an action that comes last: what was watched
  /// before (empty at the beginning of a run, which has no before), and by how much the time of the instant may be off.
  virtual void compare_with(std::span<const double> /*watched*/, double /*time_error*/) {}
  /// Why an action that comes last is to be carried out, in words: something it watches has jumped. Empty: nothing
  /// has.
  virtual std::string jumped(std::uint32_t /*action*/, double /*t*/, std::span<const double> /*x*/,
                             std::span<const double> /*xdot*/) {
    return {};
  }
};

}  // namespace saltus
