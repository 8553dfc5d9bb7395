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
// go on from there. (Where both sides lead back to the surface, so that the body would stick to the belt,
// a run ends with the name of the relation.) What is wrong is refused when it is written, or by build(),
// naming the equation or variable.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include <saltus/model/definition.hpp>

namespace saltus {

struct WhenOptions {
  /// Among clauses that set the same variable at the same instant the highest wins.
  int priority = 0;
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

  // ---- equations ---------------------------------------------------------------------------------

  void equation(const Equality& sides);
  void equation(const std::string& name, const Equality& sides);
  /// E x' = A x + f for unknowns x: rows of numbers, zeros leave no trace.
  void linear(std::span<const Expr> x, const std::vector<std::vector<double>>& e,
              const std::vector<std::vector<double>>& a, std::span<const Expr> f);

  /// An expression to be computed along with the solution, under a name of its own.
  void output(const std::string& name, const Expr& value, const std::string& unit = "",
              const std::string& description = "");
  /// An output that should stay constant: energy, momentum, a norm. A run watches it at the end of every
  /// step and reports how far it strayed from its value at the beginning; nothing is corrected.
  void invariant(const std::string& name, const Expr& value, const std::string& unit = "",
                 const std::string& description = "");

  // ---- events, modes -----------------------------------------------------------------------------

  /// variable := value, in a when-clause (discrete variables, states and their derivatives) or a
  /// transition.
  struct Set {
    Expr variable;
    Expr value;
  };
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
  /// Becomes true at start, start + interval, start + 2 interval, … exactly (no sum that drifts): as
  /// the condition of when-clauses. A tick at the very beginning of a run is none.
  Cond every(const std::string& name, double start, double interval);
  /// Under which name a relation appears among the events, instead of its text.
  Cond named(const std::string& name, const Cond& relation);

  ModeId mode(const std::string& name);
  void equation(ModeId mode, const Equality& sides);
  void transition(const std::string& name, ModeId from, ModeId to, const Cond& guard,
                  std::vector<Set> maps = {}, std::vector<Expr> free = {}, int priority = 0);

  /// The counts of equations and unknowns may differ: redundant equations, or unknowns that nothing
  /// determines. Such a model can be analysed and reduced; engines refuse it as it is.
  void allow_unequal_counts() { parts_.unequal_counts_ = true; }

  // ---- finishing ---------------------------------------------------------------------------------

  /// Checks the whole and returns an immutable copy; the model can go on growing.
  std::shared_ptr<const ModelDefinition> build() const;

 private:
  Expr declare(InputKind kind, const std::string& name, Attributes attributes,
               std::vector<double> starts, std::uint32_t count, bool is_array);
  void add_equation(std::string name, const Equality& sides, ModeId mode);
  Input target_of(const Expr& variable, const std::string& where, bool with_derivatives) const;
  void add_assignments(WhenClause& clause, const Set& set, const std::string& who);
  WhenClause& add_clause(const std::string& name, std::span<const Cond> conditions,
                         std::vector<Set> assignments);
  void check_mode(ModeId mode) const;

  Graph graph_;
  ModelDefinition parts_;
  std::unordered_set<std::string> equation_names_;  // with their mode
};

/// In a when-clause: the state starts anew from a value, as in {reinit(v, -0.8 * pre(v))}.
inline Model::Set reinit(const Expr& state, const Expr& value) { return {state, value}; }

/// Whether a discrete variable has just changed, in the condition of a when-clause.
inline Cond change(const Expr& discrete) { return discrete != pre(discrete); }

}  // namespace saltus
