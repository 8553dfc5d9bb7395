// Defines a finished model, which is immutable and can be shared between threads.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <saltus/core/restart_policy.hpp>
#include <saltus/expr.hpp>
#include <saltus/model/attributes.hpp>
#include <saltus/model/contact.hpp>
#include <saltus/model/signal.hpp>
#include <saltus/core/outside_input.hpp>

namespace saltus {

/// A declared variable: a scalar, or an array whose elements have consecutive numbers of their
/// kind.
struct Variable {
  std::string name;
  InputKind kind = InputKind::state;
  std::uint32_t first = 0;
  std::uint32_t count = 1;
  bool is_array = false;
  Attributes attributes;
  /// Start values element by element; empty if `attributes` holds the one for all elements.
  std::vector<double> starts;
  bool hidden = false;       // has no column in results
  bool is_constant = false;  // a state whose equation is der(x) == 0 and nothing else
  /// For a parameter: why derivatives with respect to it cannot be computed from the model. Empty:
  /// they can.
  std::string no_derivatives = {};
  /// For a parameter: why another value requires a new model. Empty: it does not.
  std::string no_other_value = {};

  std::optional<double> start_of(std::uint32_t element) const {
    if (!starts.empty()) return starts[element];
    return attributes.start;
  }
};

/// The range of a value that depends on parameters alone. with_values() refuses parameter values
/// that leave the range.
struct ValueRange {
  std::string name;
  NodeId node = none;  // a scalar
  double min = 0.0, max = 0.0;
};

using ModeId = std::uint32_t;

/// An equation left = right, lane by lane; the residual is left - right.
struct Equation {
  std::string name;  // as given, or its text
  NodeId left = none;
  NodeId right = none;
  NodeId residual = none;
  std::uint32_t count = 1;  // lanes
  ModeId mode = none;       // none: holds in every mode
};

/// An expression that the user wants in the result.
struct NamedExpression {
  std::string name;
  NodeId node = none;
  std::uint32_t count = 1;
  bool is_array = false;
  std::string unit;
  std::string description;
  bool is_invariant = false;  // should stay constant
  /// One node per mode if the expression differs between modes, else empty.
  std::vector<NodeId> by_mode = {};

  NodeId node_in(ModeId mode) const { return by_mode.empty() ? node : by_mode[mode]; }
};

/// An assignment at an event: sets a discrete variable, or restarts a state from a value.
struct Assignment {
  Input target;
  NodeId value = none;  // none: determined by the laws of contact
};

/// A when-clause: it fires when one of its conditions becomes true. It does not fire at the start,
/// unless `at_start` is set.
struct WhenClause {
  std::string name;
  std::vector<Literal> conditions;
  std::vector<Assignment> assignments;
  int priority = 0;       // among clauses that set the same variable the highest wins
  bool terminal = false;  // the run ends
  std::string message;    // why
  /// Fires at the very beginning of a run, without any condition.
  bool at_start = false;
  /// Fires at the end of a run that reaches it.
  bool at_end = false;
  /// Fires nothing: the run fails while one of the conditions holds, also at the start.
  bool fails = false;
  /// The laws of contact, which all contacts obey together, determine the values to set.
  bool by_contacts = false;
  /// For such a clause: fires where impacts of this contact accumulate, instead of on conditions.
  /// none: at events.
  std::uint32_t rest_of_contact = none;
  /// In a mode: why the clause is watched there but cannot fire ("it sets 'w', which mode 'a' does
  /// not have"). It sets nothing.
  std::string lacks = {};
};

/// A clock that ticks at start + k interval; the counter is the k of the next tick. Both numbers
/// are taken as the fractions that they were written as (0.07 is 7/100). Ticks are then
/// (first + k step) / parts with whole numbers, rounded once, so clocks of commensurate intervals
/// tick at exactly the same times.
struct Clock {
  std::string name;
  std::uint32_t counter = 0;  // a discrete variable
  double start = 0.0, interval = 1.0;
  double first = 0.0, step = 1.0, parts = 1.0;

  double tick(double k) const { return (first + k * step) / parts; }
};
/// Returns the clock of these numbers. If they are too long for fractions, ticks are
/// start + k interval in floating point.
Clock clock_of(std::string name, double start, double interval);

struct Mode {
  std::string name;
  /// The mode is possible only where all of these hold.
  std::vector<Literal> requirements = {};
  /// The states of components that a mode was made from ("D1 blocks"); empty for a declared mode.
  std::vector<std::string> parts = {};
};

/// A component that is either on or off and has one equation for each: voltage == 0 or
/// current == 0.
struct SwitchingPair {
  enum class Kind : std::uint8_t { diode, ideal_switch, thyristor };
  std::string name;
  Kind kind = Kind::diode;
  NodeId voltage = none;
  NodeId current = none;
  Literal condition = literal_true;  // under which a switch is closed, or a thyristor can be fired
};

struct Transition {
  std::string name;
  ModeId from = none;
  std::vector<ModeId> candidates;  // the modes it may lead to
  Literal guard = literal_true;
  int priority = 0;
  std::vector<Assignment> maps;     // variables that start from an expression; all others are held
  std::vector<Input> free;          // determined by the equations
  std::vector<Equation> equations;  // between both limits: x after, pre(x) before
  std::vector<std::string> conserved;  // outputs that are the same on both sides
  std::optional<RestartPolicy> restart;
  bool at_accumulation = false;  // taken where events of relations of the guard accumulate
  bool at_sliding = false;  // taken where the solution would slide on the surface of one of them
  /// The ends of the groups of candidates. Candidates of a later group are tried only if no earlier
  /// one is possible without impulses. Those after an empty group (the same end twice) are tried
  /// only if no earlier one is possible at all. Empty: all candidates form one group.
  std::vector<std::uint32_t> group_ends;
};

/// A condition that ends a mode which was taken out of its model (mode_model.hpp).
struct ModeExit {
  std::string name;
  Literal condition = literal_true;  // the mode is left, or has become impossible, where this holds
  std::uint32_t transition = none;   // of the whole model; none: a requirement does not hold
  int priority = 0;
  bool at_accumulation = false;
  bool at_sliding = false;
  bool sets_unknowns = false;

  /// Returns whether the mode is left as soon as the condition holds.
  bool is_triggered() const { return !at_accumulation && !at_sliding; }
};

/// A relation whose surface holds the solution with a larger force than acts beside it: static
/// friction.
struct HoldingRelation {
  std::string name;  // of the friction
  std::uint32_t relation = none;
  NodeId ratio = none;   // of the force beside the surface to the largest one on it
  NodeId normal = none;  // the normal force
};

namespace detail {
class ModeExtraction;
class ContactCompletion;
class PairExpansion;
class ParameterTurning;
class ValueSetting;
}  // namespace detail

class ModelDefinition {
 public:
  const std::string& name() const { return name_; }
  const Graph& graph() const { return *graph_; }
  std::shared_ptr<const Graph> shared_graph() const { return graph_; }

  std::span<const Variable> variables() const { return variables_; }
  std::span<const ValueRange> value_ranges() const { return value_ranges_; }
  std::span<const Equation> equations() const { return equations_; }
  /// Returns the equations that hold at the very beginning of a run only.
  std::span<const Equation> initial_equations() const { return initial_equations_; }
  std::span<const NamedExpression> outputs() const { return outputs_; }
  std::span<const WhenClause> when_clauses() const { return when_clauses_; }
  std::span<const Clock> clocks() const { return clocks_; }
  /// Returns the name that the user gave to a relation of the graph; empty if none.
  std::string relation_name(std::uint32_t relation) const;
  std::span<const HoldingRelation> holding_relations() const { return holding_relations_; }
  std::span<const Mode> modes() const { return modes_; }
  std::span<const Transition> transitions() const { return transitions_; }
  /// Returns the transitions, then the requirements, of a model that is one mode of another; else
  /// empty.
  std::span<const ModeExit> exits() const { return exits_; }
  /// Returns the mode in which a run begins; none if there are no modes.
  ModeId first_mode() const { return modes_.empty() ? none : first_mode_; }
  /// Returns the modes in which a run may begin, if the run chooses among them at its start (groups
  /// as in Transition); else empty.
  std::span<const ModeId> first_modes() const { return first_modes_; }
  std::span<const std::uint32_t> first_group_ends() const { return first_group_ends_; }
  /// Returns diodes, switches and thyristors; build() has turned them into modes.
  std::span<const SwitchingPair> pairs() const { return pairs_; }
  /// Returns the signal that drives input number `index`.
  const Signal& signal(std::uint32_t index) const { return *signals_[index]; }
  /// Returns the inputs that the caller of a run sets.
  std::vector<NamedInput> outside_inputs() const;
  /// Returns the same model with outside inputs of its own, or the model itself if it has none.
  static std::shared_ptr<const ModelDefinition> with_own_inputs(
      std::shared_ptr<const ModelDefinition> model);

  /// Returns the variable of that name, or null.
  const Variable* find(std::string_view name) const;
  /// Returns the number of scalar unknowns: states and algebraic variables.
  std::uint32_t n_unknowns() const {
    return graph_->count(InputKind::state) + graph_->count(InputKind::algebraic);
  }
  /// Returns whether the counts of equations and unknowns may differ:
  /// Model::allow_unequal_counts().
  bool unequal_counts_allowed() const { return unequal_counts_; }
  std::span<const ContactDefinition> contacts() const { return contacts_; }
  const ContactRows& contact_rows() const { return contact_rows_; }
  ImpactLaw impact_law() const { return impact_law_; }
  /// Returns the values of all parameters (discrete variables) in the order of their numbers.
  std::vector<double> initial_values(InputKind kind) const;

 private:
  friend class Model;
  friend class detail::ModeExtraction;
  friend class detail::ContactCompletion;
  friend class detail::PairExpansion;
  friend class detail::ParameterTurning;
  friend class detail::ValueSetting;
  std::string name_;
  std::shared_ptr<const Graph> graph_;
  std::vector<Variable> variables_;
  std::vector<ValueRange> value_ranges_;
  std::shared_ptr<const Program> ranged_values_;  // from all parameters; null: there are no ranges
  std::vector<Equation> equations_;
  std::vector<Equation> initial_equations_;
  std::vector<NamedExpression> outputs_;
  std::vector<WhenClause> when_clauses_;
  std::vector<Clock> clocks_;
  std::vector<std::pair<std::uint32_t, std::string>> relation_names_;
  std::vector<HoldingRelation> holding_relations_;
  std::vector<Mode> modes_;
  std::vector<Transition> transitions_;
  std::vector<ModeExit> exits_;
  ModeId first_mode_ = 0;
  std::vector<ModeId> first_modes_;
  std::vector<std::uint32_t> first_group_ends_;
  std::vector<SwitchingPair> pairs_;
  std::vector<std::shared_ptr<const Signal>> signals_;
  bool unequal_counts_ = false;
  std::vector<ContactDefinition> contacts_;
  ContactRows contact_rows_;
  ImpactLaw impact_law_ = ImpactLaw::refuse_ambiguous;
};

}  // namespace saltus
