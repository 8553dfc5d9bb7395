// Writing a model.
//
//   Model m("belt");
//   Expr x = m.state("x", 0.0), v = m.state("v", 1.0);
//   Expr k = m.parameter("k", 3.0), belt = m.parameter("v_belt", 0.2);
//   m.equation(der(x) == v);
//   m.equation(der(v) == -k * x - sign(v - belt) / (1.0 + 3.0 * abs(v - belt)));
//   auto definition = m.build();
//
// This one switches where v passes the speed of the belt: the event is located and the other equations
// go on from there. Where both sides lead back to the surface the body sticks to the belt, until the spring
// is strong enough. What is wrong is refused when it is written, or by build(),
// naming the equation or variable.
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

/// How the unknowns of the new mode start: those that are neither mapped nor free are held, as far as its
/// equations allow. Values may read unknowns of the mode that is left (x and pre(x) are the same there).
struct TransitionOptions {
  std::vector<NewValue> maps = {};
  /// Found by the equations of the new mode, together with the following ones.
  std::vector<Expr> free = {};
  /// Between both limits: x is the value after, pre(x) the value before. No more than there are free
  /// unknowns.
  std::vector<Equality> equations = {};
  /// Outputs that have the same value on both sides; the report says how well.
  std::vector<std::string> conserved = {};
  /// Among transitions at the same instant the highest wins; two of the same priority that lead to different
  /// modes are refused.
  int priority = 0;
  /// Empty: what the run says (RunOptions::restart).
  std::optional<RestartPolicy> restart = {};
  /// Taken where events of the relations in the guard accumulate, not where it becomes true: a ball comes
  /// to rest where its bounces end.
  bool at_accumulation = false;
  /// Taken where the solution would slide on the surface of a relation in the guard, not where it becomes
  /// true: the new mode is the motion on that surface, with equations and ends of its own.
  bool at_sliding = false;
};

class Model {
 public:
  explicit Model(std::string name);
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  Graph& graph() { return graph_; }
  Expr time() { return saltus::time(graph_); }

  // ---- variables ---------------------------------------------------------------------------------

  /// An unknown that starts from a value. Whether it is differential follows from the equations.
  Expr state(const std::string& name, double start, Attributes attributes = {});
  Expr state(const std::string& name, Attributes attributes);
  Expr states(const std::string& name, std::span<const double> starts, Attributes attributes = {});
  Expr states(const std::string& name, std::uint32_t n, Attributes attributes);
  /// An unknown that follows from the others.
  Expr algebraic(const std::string& name, Attributes attributes = {});
  Expr algebraics(const std::string& name, std::uint32_t n, Attributes attributes = {});
  Expr parameter(const std::string& name, double value, Attributes attributes = {});
  Expr parameters(const std::string& name, std::span<const double> values,
                  Attributes attributes = {});
  /// Changes at events only.
  Expr discrete(const std::string& name, double start, Attributes attributes = {});
  /// Driven from outside by a table or a callback. (An input given by an expression of time is that
  /// expression: no declaration is needed.)
  Expr input(const std::string& name, std::shared_ptr<const Signal> signal,
             Attributes attributes = {});

  /// No column of a result.
  void hide(const Expr& variable);
  /// The solution depends on the parameter in a way that the model does not show, a start value that was computed
  /// from it: derivatives with respect to it are refused with the reason.
  void refuse_derivatives(const Expr& parameter, const std::string& reason);
  /// The model has been made for this value of the parameter, its number is used where the model does not show it:
  /// another value (with_values) is refused with the reason.
  void refuse_other_values(const Expr& parameter, const std::string& reason);

  /// What is made of parameters alone has a range too: values of them (with_values) by which it leaves that are refused,
  /// by the name given here.
  void value_range(const std::string& name, const Expr& value, double min, double max);

  // ---- equations ---------------------------------------------------------------------------------

  void equation(const Equality& sides);
  void equation(const std::string& name, const Equality& sides);
  /// E x' = A x + f for unknowns x: rows of numbers, zeros leave no trace.
  void linear(std::span<const Expr> x, const std::vector<std::vector<double>>& e,
              const std::vector<std::vector<double>>& a, std::span<const Expr> f);

  /// Holds at the very beginning of a run, beside the equations: der(x) == 0 for a run that begins at rest, x + y == 3.
  /// A start value that is stated counts as one more; where both are too few, guesses are kept, and where they contradict each
  /// other the run is refused by their names. Relations are decided by the values found.
  void initial_equation(const Equality& sides);
  void initial_equation(const std::string& name, const Equality& sides);

  /// A state of that name that is the integral of an expression since the beginning of the run, in every mode: as
  /// exact as the tolerances ask of any other.
  Expr integral(const std::string& name, const Expr& integrand, Attributes attributes = {});
  /// An expression to be computed along with the solution, under a name of its own.
  void output(const std::string& name, const Expr& value, const std::string& unit = "",
              const std::string& description = "");
  /// An output that should stay constant: energy, momentum, a norm. A run watches it at the end of every
  /// step and reports how far it strayed from its value at the beginning; nothing is corrected.
  void invariant(const std::string& name, const Expr& value, const std::string& unit = "",
                 const std::string& description = "");

  // ---- events, modes -----------------------------------------------------------------------------

  using Set = NewValue;
  /// Carried out at the moment the condition becomes true; one that is true from the start does nothing
  /// until it has been false. All values are computed before the first is set, and pre(x) in them is
  /// x before the event.
  void when(const std::string& name, const Cond& condition, std::vector<Set> assignments,
            WhenOptions options = {});
  /// When any of several conditions becomes true, also while others hold.
  void when_any(const std::string& name, std::span<const Cond> conditions,
                std::vector<Set> assignments, WhenOptions options = {});
  /// The run ends where the condition becomes true, as wished.
  void terminate_when(const std::string& name, const Cond& condition,
                      const std::string& message = "");
  /// Carried out at the very beginning of a run, before any time has passed. pre(x) in the values is what x
  /// starts from.
  void at_start(const std::string& name, std::vector<Set> assignments);
  /// Carried out at the last instant of a run that reaches its end, or that a clause ends; events may follow from it.
  void at_end(const std::string& name, std::vector<Set> assignments);
  /// Must hold all the time. Where it does not, also at the start, the run fails with the message.
  void assert_always(const std::string& name, const Cond& condition, const std::string& message);
  /// Becomes true at start, start + interval, start + 2 interval, … exactly (no sum that drifts): as
  /// the condition of when-clauses. A tick at the very beginning of a run is none.
  Cond every(const std::string& name, double start, double interval);
  /// Under which name a relation appears among the events, instead of its text.
  Cond named(const std::string& name, const Cond& relation);

  /// A mode has the equations of its own and those written without a mode. An unknown that occurs in none of
  /// them does not exist there, nor do outputs and when-clauses that mention it. A run begins in the first
  /// mode declared, or in that of start_in().
  ModeId mode(const std::string& name);
  void start_in(ModeId mode);
  void equation(ModeId mode, const Equality& sides);
  void equation(ModeId mode, const std::string& name, const Equality& sides);
  /// The mode is possible only where the condition holds: current through a diode that conducts is not
  /// negative. Candidates for which it does not hold, of values or of impulses, are not entered; where it
  /// ceases to hold in a run and no transition leads out, the run ends by name.
  void require(ModeId mode, const Cond& condition);
  /// The mode `from` is left as soon as the guard holds, also right when it is entered.
  void transition(const std::string& name, ModeId from, ModeId to, const Cond& guard,
                  TransitionOptions options = {});
  /// To the first of several modes that is possible, one without impulses before one with.
  void transition(const std::string& name, ModeId from, std::vector<ModeId> candidates,
                  const Cond& guard, TransitionOptions options = {});

  // ---- bodies that touch: contact.hpp ------------------------------------------------------------

  /// gap >= 0, complementary to the force that is returned: it pushes the gap open, where there is none.
  Expr unilateral(const std::string& name, const Expr& gap, UnilateralOptions options = {});
  /// The force that keeps the gap at zero, pushing or pulling.
  Expr joint(const std::string& name, const Expr& gap);
  /// The force that opposes a slip velocity. The normal force is that of a contact, which unilateral() has returned, or
  /// any other expression that is not negative.
  Expr friction(const std::string& name, const Expr& slip, const Expr& normal_force,
                FrictionOptions options);

  /// What is to be done where several impacts happen at one instant and laws do not say what comes of it.
  void simultaneous_impacts(ImpactLaw law) { parts_.impact_law_ = law; }

  // ---- diodes, switches ----------------------------------------------------------------------------

  /// An ideal diode, by the voltage across it and the current through it, both counted in the direction in
  /// which it conducts. It stands for one equation. Either it conducts (voltage == 0, current >= 0) or it blocks
  /// (current == 0, voltage <= 0), for impulses too; which of the two follows from the rest, also at the start.
  void diode(const std::string& name, const Expr& voltage, const Expr& current);
  /// voltage == 0 while the condition holds, else current == 0. One equation.
  void ideal_switch(const std::string& name, const Expr& voltage, const Expr& current,
                    const Cond& closed);
  /// Blocks (current == 0) until its voltage is positive while the gate is on, then conducts (voltage == 0) like a
  /// diode until its current would be negative. One equation.
  void thyristor(const std::string& name, const Expr& voltage, const Expr& current,
                 const Cond& gate);

  /// The counts of equations and unknowns may differ: redundant equations, or unknowns that nothing
  /// determines. Such a model can be analysed and reduced; engines refuse it as it is.
  void allow_unequal_counts() { parts_.unequal_counts_ = true; }

  // ---- finishing ---------------------------------------------------------------------------------

  /// Checks the whole and returns an immutable copy; the model can go on growing.
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
  /// An unknown that has not been said how to start yet.
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

/// In a when-clause: the state starts anew from a value, as in {reinit(v, -0.8 * pre(v))}.
inline Model::Set reinit(const Expr& state, const Expr& value) { return {state, value}; }

/// Whether a discrete variable has just changed, in the condition of a when-clause.
inline Cond change(const Expr& discrete) { return discrete != pre(discrete); }

}  // namespace saltus
