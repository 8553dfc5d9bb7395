// Builds a model: variables, equations, events, modes, contacts and circuit elements.
//
//   Model m("belt");
//   Expr x = m.state("x", 0.0), v = m.state("v", 1.0);
//   Expr k = m.parameter("k", 3.0), belt = m.parameter("v_belt", 0.2);
//   m.equation(der(x) == v);
//   m.equation(der(v) == -k * x - sign(v - belt) / (1.0 + 3.0 * abs(v - belt)));
//   auto definition = m.build();
//
// This model switches where v passes the speed of the belt. Saltus locates the event and continues
// with the other equations. Where both sides lead back to the surface, the body sticks to the belt
// until the spring is strong enough. Mistakes are refused when they are written, or by build(), and
// the message names the equation or variable.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <saltus/model/definition.hpp>

namespace saltus {

struct WhenOptions {
  /// Among clauses that set the same variable at the same instant the highest wins.
  int priority = 0;
};

/// variable := value, in a when-clause (discrete variables, states and their derivatives) or a
/// transition.
struct NewValue {
  Expr variable;
  Expr value;
};

/// Says how the unknowns of the new mode start. Unknowns that are neither mapped nor free are held,
/// as far as the equations of the new mode allow. Values may read unknowns of the mode that is left
/// (x and pre(x) are the same there).
struct TransitionOptions {
  std::vector<NewValue> maps = {};
  /// Unknowns that the equations of the new mode determine, together with `equations`.
  std::vector<Expr> free = {};
  /// Equations between both limits: x is the value after, pre(x) the value before. No more than
  /// there are free unknowns.
  std::vector<Equality> equations = {};
  /// Outputs that have the same value on both sides; the report says how accurately.
  std::vector<std::string> conserved = {};
  /// Among transitions at the same instant the highest wins. Two of the same priority that lead to
  /// different modes are refused.
  int priority = 0;
  /// Empty: the policy of the run (RunOptions::restart).
  std::optional<RestartPolicy> restart = {};
  /// Takes the transition where events of the relations in the guard accumulate, not where the
  /// guard becomes true: a ball comes to rest where its bounces end.
  bool at_accumulation = false;
  /// Takes the transition where the solution would slide on the surface of a relation in the guard,
  /// not where the guard becomes true. The new mode is the motion on that surface, with equations
  /// and exits of its own.
  bool at_sliding = false;
};

class Model {
 public:
  explicit Model(std::string name);
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  Graph& graph() { return graph_; }
  Expr time() { return saltus::time(graph_); }

  // ---- variables --------------------------------------------------------------------------------

  /// Declares an unknown that starts from a value. The equations decide whether it is differential.
  Expr state(const std::string& name, double start, Attributes attributes = {});
  Expr state(const std::string& name, Attributes attributes);
  Expr states(const std::string& name, std::span<const double> starts, Attributes attributes = {});
  Expr states(const std::string& name, std::uint32_t n, Attributes attributes);
  /// Declares an unknown that follows from the others.
  Expr algebraic(const std::string& name, Attributes attributes = {});
  Expr algebraics(const std::string& name, std::uint32_t n, Attributes attributes = {});
  Expr parameter(const std::string& name, double value, Attributes attributes = {});
  Expr parameters(const std::string& name, std::span<const double> values,
                  Attributes attributes = {});
  /// Declares a variable that changes at events only.
  Expr discrete(const std::string& name, double start, Attributes attributes = {});
  /// Declares an input that a table or a callback drives. (An input that is an expression of time
  /// needs no declaration: use the expression.)
  Expr input(const std::string& name, std::shared_ptr<const Signal> signal,
             Attributes attributes = {});

  /// Declares an input that the caller of a run sets while it goes on (Run::set_input). It has its
  /// start value until then, and in runs to the end at once.
  Expr outside_input(const std::string& name, double start, Attributes attributes = {});

  /// Hides a variable: results have no column for it.
  void hide(const Expr& variable);
  /// Refuses derivatives with respect to the parameter, with this reason. Use it if the solution
  /// depends on the parameter in a way that the model does not show, such as a start value computed
  /// from it.
  void refuse_derivatives(const Expr& parameter, const std::string& reason);
  /// Refuses another value of the parameter (with_values), with this reason. Use it if the model
  /// was built for this value and its number is used where the model does not show it.
  void refuse_other_values(const Expr& parameter, const std::string& reason);

  /// Gives a range to a value that depends on parameters alone. with_values() refuses parameter
  /// values that leave the range and reports the name given here.
  void value_range(const std::string& name, const Expr& value, double min, double max);

  // ---- equations --------------------------------------------------------------------------------

  void equation(const Equality& sides);
  void equation(const std::string& name, const Equality& sides);
  /// Adds the equations E x' = A x + f for unknowns x. E and A are rows of numbers; zeros add no
  /// terms.
  void linear(std::span<const Expr> x, const std::vector<std::vector<double>>& e,
              const std::vector<std::vector<double>>& a, std::span<const Expr> f);

  /// Adds an equation that holds only at the very beginning of a run, beside the others:
  /// der(x) == 0 for a run that begins at rest, or x + y == 3. Each stated start value counts as
  /// one more such equation. If there are too few, guesses are kept; if they contradict each other,
  /// the run is refused and they are named. The values found decide the relations.
  void initial_equation(const Equality& sides);
  void initial_equation(const std::string& name, const Equality& sides);

  /// Declares a state of that name: the integral of an expression since the beginning of the run,
  /// in every mode. It is as accurate as any other state.
  Expr integral(const std::string& name, const Expr& integrand, Attributes attributes = {});
  /// Adds a named expression that is computed along with the solution.
  void output(const std::string& name, const Expr& value, const std::string& unit = "",
              const std::string& description = "");
  /// Adds an output that should stay constant: energy, momentum, a norm. A run checks it at the end
  /// of every step and reports the largest deviation from its initial value; it corrects nothing.
  void invariant(const std::string& name, const Expr& value, const std::string& unit = "",
                 const std::string& description = "");

  // ---- events, modes ----------------------------------------------------------------------------

  using Set = NewValue;
  /// Adds a clause that fires when the condition becomes true. A condition that is true from the
  /// start does nothing until it has been false. All values are computed before the first is set,
  /// and pre(x) in them is x before the event.
  void when(const std::string& name, const Cond& condition, std::vector<Set> assignments,
            WhenOptions options = {});
  /// Adds a clause that fires when any of several conditions becomes true, also while others hold.
  void when_any(const std::string& name, std::span<const Cond> conditions,
                std::vector<Set> assignments, WhenOptions options = {});
  /// Ends the run where the condition becomes true; the run counts as successful.
  void terminate_when(const std::string& name, const Cond& condition,
                      const std::string& message = "");
  /// Adds a clause that fires at the very beginning of a run, before any time has passed. pre(x) in
  /// the values is the value from which x starts.
  void at_start(const std::string& name, std::vector<Set> assignments);
  /// Adds a clause that fires at the last instant of a run that reaches its end, or that a clause
  /// ends. Events may follow from it.
  void at_end(const std::string& name, std::vector<Set> assignments);
  /// Requires a condition at all times, also at the start. The run fails with the message where it
  /// does not hold.
  void assert_always(const std::string& name, const Cond& condition, const std::string& message);
  /// Returns a condition for when-clauses that becomes true at start, start + interval,
  /// start + 2 interval, … exactly (without a sum that drifts). A tick at the very beginning of a
  /// run does not count.
  Cond every(const std::string& name, double start, double interval);
  /// Names a relation: it appears under this name among the events, instead of its text.
  Cond named(const std::string& name, const Cond& relation);

  /// Declares a mode. It has its own equations and those written without a mode. An unknown that
  /// occurs in none of them does not exist there, nor do outputs and when-clauses that mention it.
  /// A run begins in the first mode declared, or in that of start_in().
  ModeId mode(const std::string& name);
  void start_in(ModeId mode);
  void equation(ModeId mode, const Equality& sides);
  void equation(ModeId mode, const std::string& name, const Equality& sides);
  /// Makes the mode possible only where the condition holds: the current through a conducting diode
  /// is not negative. Candidates whose values or impulses violate it are not entered. Where it
  /// ceases to hold in a run and no transition leads out, the run ends and names it.
  void require(ModeId mode, const Cond& condition);
  /// Adds a transition: the mode `from` is left as soon as the guard holds, also right when it is
  /// entered.
  void transition(const std::string& name, ModeId from, ModeId to, const Cond& guard,
                  TransitionOptions options = {});
  /// Adds a transition to the first possible one of several modes, preferring modes without
  /// impulses.
  void transition(const std::string& name, ModeId from, std::vector<ModeId> candidates,
                  const Cond& guard, TransitionOptions options = {});

  // ---- bodies that touch: contact.hpp -----------------------------------------------------------

  /// Declares a contact, gap >= 0, and returns its force. The force is complementary to the gap: it
  /// pushes where the gap is closed and is zero elsewhere.
  Expr unilateral(const std::string& name, const Expr& gap, UnilateralOptions options = {});
  /// Returns the force that keeps the gap at zero, pushing or pulling.
  Expr joint(const std::string& name, const Expr& gap);
  /// Returns the force that opposes a slip velocity. The normal force is that of a contact, as
  /// unilateral() returned it, or any other expression that is not negative.
  Expr friction(const std::string& name, const Expr& slip, const Expr& normal_force,
                FrictionOptions options);

  /// Chooses the law for several impacts at one instant where the contact laws alone do not
  /// determine the result.
  void simultaneous_impacts(ImpactLaw law) { parts_.impact_law_ = law; }

  // ---- diodes, switches -------------------------------------------------------------------------

  /// Declares an ideal diode by the voltage across it and the current through it, both counted in
  /// the direction in which it conducts. It stands for one equation. It either conducts
  /// (voltage == 0, current >= 0) or blocks (current == 0, voltage <= 0), for impulses too. The
  /// rest of the model decides which, also at the start.
  void diode(const std::string& name, const Expr& voltage, const Expr& current);
  /// Declares a switch: voltage == 0 while the condition holds, else current == 0. It stands for
  /// one equation.
  void ideal_switch(const std::string& name, const Expr& voltage, const Expr& current,
                    const Cond& closed);
  /// Declares a thyristor. It blocks (current == 0) until its voltage is positive while the gate is
  /// on. It then conducts (voltage == 0) like a diode until its current would be negative. It
  /// stands for one equation.
  void thyristor(const std::string& name, const Expr& voltage, const Expr& current,
                 const Cond& gate);

  /// Allows the counts of equations and unknowns to differ: redundant equations, or undetermined
  /// unknowns. Such a model can be analysed and reduced; engines refuse it as it is.
  void allow_unequal_counts() { parts_.unequal_counts_ = true; }

  // ---- finishing --------------------------------------------------------------------------------

  /// Checks the whole model and returns an immutable copy; you can continue to extend the model.
  std::shared_ptr<const ModelDefinition> build() const;

 private:
  Expr declare(InputKind kind, const std::string& name, Attributes attributes,
               std::vector<double> starts, std::uint32_t count, bool is_array);
  Equation as_equation(std::string name, const Equality& sides);
  void add_equation(std::string name, const Equality& sides, ModeId mode);
  Input target_of(const Expr& variable, const std::string& where, bool with_derivatives) const;
  void add_assignments(WhenClause& clause, const Set& set, const std::string& who);
  WhenClause& add_clause(const std::string& name, std::span<const Cond> conditions,
                         std::vector<Set> assignments);
  void check_mode(ModeId mode) const;
  void add_pair(SwitchingPair::Kind kind, const std::string& name, const Expr& voltage,
                const Expr& current, const Cond* condition);
  /// Returns the input of an unknown that this transition does not start yet.
  Input start_of_transition(const Transition& transition, const Expr& variable,
                            const std::string& who) const;
  void add_map(Transition& transition, const NewValue& set, const std::string& who);
  void add_free(Transition& transition, const Expr& variable, const std::string& who);
  NodeId part_of_contact(const Expr& expression, const std::string& who) const;
  ContactDefinition& add_contact(const std::string& name, const Expr& gap);
  Expr friction_by_sign(const std::string& name, const Expr& slip, NodeId normal,
                        const FrictionOptions& options);

  Variable& variable_of(const Expr& variable);

  Graph graph_;
  ModelDefinition parts_;
  std::unordered_set<std::string> equation_names_;  // with their mode
  std::unordered_set<std::string> initial_equation_names_;
  std::unordered_set<std::string> clause_names_, output_names_;
  std::unordered_map<std::string, std::size_t> variable_numbers_;
};

/// Restarts a state from a value in a when-clause, as in {reinit(v, -0.8 * pre(v))}.
inline Model::Set reinit(const Expr& state, const Expr& value) { return {state, value}; }

/// Returns the condition that a discrete variable has just changed, for a when-clause.
inline Cond change(const Expr& discrete) { return discrete != pre(discrete); }

}  // namespace saltus
