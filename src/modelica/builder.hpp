// From a tree to a model.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <saltus/modelica/read.hpp>

#include "modelica/ast.hpp"
#include "modelica/budget.hpp"
#include "modelica/source.hpp"
#include "modelica/symbols.hpp"
#include "modelica/translator.hpp"

namespace saltus::modelica {

using EnvironmentPointer = std::shared_ptr<const Environment>;

/// left = right, out of its loops and branches.
struct FlatEquation {
  ExprId left = no_expr, right = no_expr;
  Span span;
  EnvironmentPointer environment;
  bool is_definition = false;  // of a variable that is no unknown
};

struct FlatStatement {
  const Statement* statement = nullptr;
  EnvironmentPointer environment;
  /// Of a when-clause in an algorithm: which one, counted from 1, and its place there.
  std::size_t algorithm = 0, place = 0;
};

/// Equations without loops and branches.
struct FlatSection {
  std::vector<FlatEquation> equations;
  std::vector<FlatStatement> whens;
  std::vector<FlatStatement> calls;  // assert, terminate
};

class Builder {
 public:
  Builder(const Source& source, ParsedText& text, const ReadOptions& options, Messages& messages);
  /// A model, or none if something was wrong.
  ReadModel operator()();

  /// Instead of a model: its variables, each as something whose values are known. False if something was wrong.
  bool declare_as_known();
  Translator& translator() { return *translator_; }
  const SymbolTable& symbols() const { return symbols_; }

 private:
  // builder.cpp
  template <class Read>
  bool attempt(Span where, Read&& read);
  const ClassDefinition* chosen_model();
  void collect(const ClassDefinition& c, const std::string& prefix,
               std::vector<const ClassDefinition*>& models);
  void declare_symbols();
  ResolvedType resolved(const std::string& name, Span where, int depth = 0) const;
  void find_uses();
  void find_uses(const std::vector<Statement>& body, bool in_when);
  void find_uses(ExprId id);
  void note_set(ExprId target);
  void assign_roles();
  void check_sizes();

  void begin_model();
  void find_symbols();

  // values.cpp
  void find_held_values();
  std::vector<ExprId> read_by(const Symbol& s) const;
  std::vector<std::uint32_t> held_in_order();
  void hold(std::uint32_t symbol);
  void find_dimensions(Symbol& s);
  const Modifier* modifier(const Symbol& s, const std::string& name) const;
  /// Numbers of an attribute for every element, or the given one.
  std::vector<double> attribute(const Symbol& s, const std::string& name, double otherwise);
  std::string text_attribute(const Symbol& s, const std::string& name);
  void pin(ExprId id, const std::string& use, Pinned what = Pinned::value);
  void find_starts();
  void declare_variables();
  void declare_variable(std::uint32_t symbol);
  void read_experiment();
  void let_time_pass();
  void check_overrides();
  void use_given_starts();

  // initial.cpp
  void use_initial_equations();
  bool use_initial_equation(const FlatEquation& q);
  bool is_start_value(const Symbol& s, ExprId value) const;
  std::uint32_t target_of_start(ExprId id, bool& of_previous) const;
  void set_start_value(const FlatEquation& q, ExprId name, ExprId value);
  void add_initial_equations();
  void add_initial_equation(const FlatEquation& q);
  void add_equation_of_start(const std::string& name, const Expr& left, const Expr& right,
                             Span where);
  bool set_by_initial_equation(const FlatEquation& q);
  void set_discrete_at_start(std::uint32_t symbol, std::uint32_t element, const Value& v,
                             Span where);
  void check_initial_sets();
  void add_initial_algorithm(const Section& section);
  void add_initial_assert(const FlatStatement& call);

  // flatten.cpp
  FlatSection flatten(const std::vector<Section>& sections, bool initial);
  void flatten(const std::vector<Statement>& body, const EnvironmentPointer& environment,
               FlatSection& out);
  void flatten_loop(const Statement& s, const EnvironmentPointer& environment, FlatSection& out);
  void flatten_if(const Statement& s, const EnvironmentPointer& environment, FlatSection& out);
  bool can_be_family(const Statement& s) const;
  ExprId name_expression(const Symbol& s);
  ExprId if_expression(const std::vector<Branch>& branches, const std::vector<ExprId>& values,
                       Span span);
  bool same_text(ExprId a, ExprId b) const;
  std::string missing_in(const FlatSection& branch, const FlatSection& first) const;

  // equations.cpp
  void find_definitions();
  void define_in_order();
  std::string circle_text(const std::vector<std::uint32_t>& circle) const;
  void define(std::uint32_t symbol);
  void add_equations();
  void add_equation(const FlatEquation& q);
  void add_tuple(const FlatEquation& q);
  std::string equation_name(const FlatEquation& q);
  std::string unique_name(std::string name, Span where, const EnvironmentPointer& environment,
                          std::unordered_set<std::string>& used);
  void add_asserts();
  void add_assert(const FlatStatement& c);
  struct Assertion {
    ExprId condition = no_expr;
    std::string message;
    bool is_warning = false;
  };
  Assertion assertion_of(const Statement& s);
  bool mentions_time(ExprId id) const;

  // balance.cpp
  void add_model_equation(const std::string& name, const Expr& left, const Expr& right, Span where);
  void check_balance();
  void build_or_explain();
  Span declaration_of(const std::string& element) const;
  std::string lines_of(const std::vector<Span>& spans) const;

  // when.cpp
  struct Set {
    std::uint32_t symbol = 0, element = 0;
    ExprId value = no_expr;  // none: it stays what it is
    std::size_t which = 0;   // element of the value, if it has several
    Span span;
    bool is_reinit = false;
    EnvironmentPointer environment;
    bool is_by_statements = false;  // of the clause, all together
  };
  using Element = std::pair<std::uint32_t, std::uint32_t>;  // of a symbol
  /// assert inside of a clause.
  struct Check {
    Expr failed;  // a variable: 1 from where it has failed
    ExprId condition = no_expr;
    EnvironmentPointer environment;
  };
  /// One branch of a when-clause: its conditions and what it does.
  struct Clause {
    Span span;
    std::string name;
    std::vector<Cond> conditions;
    /// Also at the start: always, or where this holds.
    bool at_start = false;
    Literal start_condition = literal_true;
    int priority = 0;
    EnvironmentPointer environment;
    std::vector<Set> sets;
    std::set<Element> targets;      // of the sets
    std::vector<std::string> ends;  // messages of terminate
    std::vector<Check> checks;
    /// Of an algorithm: its statements, what they leave, and which of its clauses come after this one.
    std::vector<Statement> statements;
    std::optional<Locals> outcome;
    std::size_t algorithm = 0, place = 0;
  };
  /// Number of a clause, and of one of its sets.
  using ClauseSet = std::pair<std::size_t, std::size_t>;
  void add_when_clauses();
  std::vector<Clause> clauses_of(const FlatStatement& w);
  void find_triggers(ExprId condition, Clause& c);
  void join_equal_conditions(std::vector<Clause>& clauses) const;
  void collect_branch(const Branch& b, Clause& c);
  void collect_equation(const FlatEquation& q, Clause& c);
  void collect_call(const FlatStatement& call, Clause& c);
  void add_check(const FlatStatement& call, Clause& c);
  void add_set(Clause& c, Set set);
  std::vector<ClauseSet> sets_in_order();
  Value value_of(Clause& c, const Set& set);
  bool reads_old_value(const Clause& c, Element element) const;
  void for_each_read(const std::vector<Statement>& body,
                     const std::function<void(std::uint32_t, ExprId)>& visit) const;
  Value outcome_of_statements(Clause& c, const Set& set);
  Literal becomes_true(const Cond& condition);
  Value value_now(std::uint32_t symbol, std::uint32_t element);
  void set_at_start(const std::vector<ClauseSet>& order);
  void set_at_events(const std::vector<ClauseSet>& order);
  void emit(const Clause& c, std::vector<Model::Set> sets);
  void check_type(const Symbol& s, const Value& v, Span where) const;
  double begin_of_run();

  // algorithms.cpp
  void find_assigned(const std::vector<Statement>& body,
                     std::map<std::string, ExprId>& found) const;
  Locals::Local local_of(const Symbol& s) const;
  void add_algorithms();
  void add_algorithm(const Section& section);
  void collect_statements(const std::vector<Statement>& body, Clause& c);

  // explicit.cpp
  void find_explicit_variables();
  bool can_be_explicit(const Symbol& s) const;
  bool mentions_derivative(ExprId id) const;
  void break_circles();
  bool break_some_circles();
  void name_or_unknown(std::uint32_t symbol);
  std::vector<NodeId> unknowns_of(NodeId root);
  void name_relation(Literal relation, ExprId text);

  // parts.cpp
  struct Branched {
    std::uint32_t symbol;
    bool is_voltage;  // not zero where the symbol is negative
  };
  struct Part {
    std::string name;
    ExprId voltage, current;
    ExprId closed;  // of a switch
    Span span;
  };
  bool is_zero(ExprId id) const;
  std::optional<Branched> branch_of_diode(const FlatEquation& q) const;
  bool is_switch(const FlatEquation& q) const;
  void find_parts();
  void add_parts();

  // following.cpp
  void follow_equations();
  void follow(std::uint32_t symbol);
  void follow_element(const Symbol& s, std::uint32_t element, const FlatEquation& q, ExprId value,
                      std::size_t which);
  void add_start(const Expr& variable, const Expr& value) {
    start_sets_.push_back({variable, value});
  }
  void finish_start();
  Cond clock(double start, double interval, Span where);
  Expr whole_part(const Expr& argument, Span where);
  Cond is_over();

  const Source& source_;
  ParsedText& text_;
  Expressions& e_;
  const ReadOptions& options_;
  Messages& messages_;
  Budget budget_;
  const ClassDefinition* model_class_ = nullptr;
  ReadModel result_;
  bool has_unknowns_ = false;
  TypeTable types_;
  SymbolTable symbols_;
  std::unique_ptr<Translator> translator_;
  FlatSection flat_, initial_;
  std::vector<const FlatEquation*> initial_left_;  // that are more than start values
  std::vector<std::pair<std::uint32_t, std::uint32_t>> fixed_algebraics_;
  std::map<Element, Span> set_by_initial_;
  std::unordered_set<std::string> initial_names_;
  /// Per defined symbol: its equations.
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> definitions_;
  std::vector<Part> parts_;
  std::unordered_set<std::string> part_names_;
  /// Real variables that are names of expressions: their equations, and the unknowns of those.
  std::map<std::uint32_t, std::vector<std::size_t>> explicit_;
  /// A variable that stands alone on a side of two equations: one too many is one of these.
  struct GivenTwice {
    std::string name;
    Span first, second;
  };
  std::vector<GivenTwice> given_twice_;
  std::unordered_map<NodeId, std::vector<NodeId>> unknowns_of_names_;
  std::unordered_set<std::uint32_t> named_relations_;
  std::unordered_set<std::string> relation_names_;
  std::unordered_set<std::string> equation_names_, clause_names_;
  struct WrittenEquation {
    NodeId residual = none;
    Span span;
    std::uint32_t count = 1;  // lanes
  };
  std::vector<WrittenEquation> written_;  // all equations of the model
  std::map<std::pair<double, double>, Cond> clocks_;
  /// Which when-clause sets a variable, and where.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<Span, std::size_t>> set_by_;
  std::size_t when_number_ = 0, algorithm_number_ = 0;
  /// What is set at the very beginning, and what variables then are.
  std::vector<Model::Set> start_sets_;
  std::unordered_map<NodeId, Expr> rounded_;
  std::optional<Expr> started_;  // 0 before the start, 1 from there on
  std::optional<Expr> over_;     // 1 at the last instant
  std::map<Element, Value> known_at_start_;
  std::vector<Clause> clauses_;
  std::map<Element, std::vector<ClauseSet>> setters_;
  std::map<std::pair<std::size_t, Element>, Value> given_;  // what a clause gives to a variable
  std::map<Element, Value> values_now_;
  std::map<Literal, Expr> held_before_;
  bool as_families_ = true;  // for-equations may stay families
};

}  // namespace saltus::modelica
