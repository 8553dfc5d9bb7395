// From expressions of a text to expressions of a model.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <saltus/model/model.hpp>

#include "modelica/ast.hpp"
#include "modelica/budget.hpp"
#include "modelica/symbols.hpp"

namespace saltus::modelica {

/// A scalar, or one per lane of a family.
struct Value {
  Type type = Type::real;
  Expr number = {};              // Real, Integer, enumeration
  Literal truth = literal_true;  // Boolean
  const TypeDefinition* enumeration = nullptr;
  std::string text = {};  // String
};

/// Elements in the order of the last dimension first; without dimensions: a scalar.
struct Tensor {
  std::vector<std::uint32_t> dimensions;
  std::vector<Value> elements;

  bool is_scalar() const { return dimensions.empty(); }
};
/// "2 x 3", "4 elements", "a single value".
std::string text_of_dimensions(const std::vector<std::uint32_t>& dimensions);
/// A function of one number: sin, exp, ...
bool is_elementary(std::string_view name);
/// Of two sides, by their elements or by their dimensions.
[[noreturn]] void refuse_sizes(Span where, std::size_t left, std::size_t right);
[[noreturn]] void refuse_sizes(Span where, const Tensor& left, const Tensor& right);

/// The values of loop indices: one each, or one per lane.
struct Environment {
  struct Loop {
    std::string name;
    std::vector<std::int64_t> values;
  };
  std::vector<Loop> loops;
  std::uint32_t lanes = 0;  // 0: no family

  const Loop* find(const std::string& name) const {
    for (std::size_t k = loops.size(); k-- > 0;)
      if (loops[k].name == name) return &loops[k];
    return nullptr;
  }
};

/// Variables of a function that is being inlined.
struct Locals {
  struct Local {
    Type type = Type::real;
    const TypeDefinition* enumeration = nullptr;
    Tensor value;
    bool is_set = false;
    bool is_input = false;
    bool any_size = false;  // declared with ':'
  };
  std::unordered_map<std::string, Local> all;
  bool in_function = false;  // nothing else can be read, but constants
};

struct TypeTable {
  std::unordered_map<std::string, const TypeDefinition*> types;
  std::unordered_map<std::string, const ClassDefinition*> functions;
};

/// What is known while an expression is translated.
struct Context {
  const Environment* environment = nullptr;
  Locals* locals = nullptr;
  /// Values of parameters instead of parameters; anything else is refused, saying what needs it.
  bool numeric = false;
  std::string needed_for = {};
  Tracking tracking = Tracking::automatic;
  bool in_when = false;     // in what a when-clause does
  bool in_trigger = false;  // in the condition of one
  /// pre(v) of what changes at events is v: events are iterated until both are the same.
  bool previous_is_current = false;
  /// noEvent changes nothing: what conditions decide is wanted of all of them.
  bool all_tracked = false;
  /// In what a when-clause does: the values that it gives to variables, which others of it read.
  std::function<std::optional<Value>(std::uint32_t symbol, std::uint32_t element)> new_values = {};
};

class Translator {
 public:
  Translator(Model& model, Expressions& expressions, SymbolTable& symbols, const TypeTable& types,
             Budget& budget)
      : m_(model),
        g_(model.graph()),
        e_(expressions),
        symbols_(symbols),
        types_(types),
        budget_(budget) {}

  Context& context() { return context_; }
  Graph& graph() { return g_; }

  Value value(ExprId id);
  Expr number(ExprId id);
  Literal truth(ExprId id);
  Tensor tensor(ExprId id);
  /// Whether an expression has elements.
  bool is_array(ExprId id) const;

  /// Known when the text is read.
  double constant(ExprId id, const std::string& needed_for);
  Tensor constants(ExprId id, const std::string& needed_for);
  std::int64_t integer(ExprId id, const std::string& needed_for);
  /// The numbers a loop index takes.
  std::vector<std::int64_t> range(ExprId id);

  /// What a name stands for: the symbol and its elements, one per lane; `dimensions` of what is left by the
  /// subscripts.
  struct Reference {
    std::uint32_t symbol = 0;
    std::vector<std::uint32_t> elements;
    std::vector<std::uint32_t> dimensions;
    bool per_lane = false;
  };
  Reference reference(ExprId name);
  Value element(std::uint32_t symbol, std::uint32_t which);
  Expr as_number(const Value& v, Span where) const;
  Literal as_truth(const Value& v, Span where) const;
  /// As it is kept in a discrete variable: 0 or 1 for a Boolean.
  Expr as_kept(const Value& v) const;
  Value from_kept(const ResolvedType& type, const Expr& kept);

  /// a where a condition holds, b elsewhere.
  Value select(Literal condition, const Value& a, const Value& b, Span where);

  /// All results of a call of a function of the text.
  std::vector<Tensor> results(ExprId call);
  /// Statements, on the variables of Context::locals.
  bool execute(const std::vector<Statement>& body);

  /// Symbols that an expression reads, each once and in the order of the text.
  /// Without those of which only the value before an event is read, if `but_previous`.
  void for_each_symbol(ExprId id, const std::function<void(std::uint32_t, ExprId)>& visit,
                       bool but_previous = false) const;
  std::uint32_t symbol_of(ExprId name) const;  // refuses what is not declared

  /// For clauses of its own: see sample() and floor().
  std::function<Cond(double start, double interval, Span where)> clock;
  std::function<Expr(const Expr& argument, Span where)> whole_part;
  /// Whether the run ends at this instant.
  std::function<Cond()> is_over;
  /// Told of every relation that is not decided when the text is read.
  std::function<void(Literal relation, ExprId text)> name_relation;
  /// Calls that mean something of their own where an expression is about a whole run.
  std::function<std::optional<Value>(ExprId call)> reduce;

 private:
  Value name_value(ExprId id);
  Value reference_value(const Reference& r, ExprId id);
  Value loop_value(const Environment::Loop& loop);
  Value sum(ExprId id);
  Value product(ExprId id);
  Value relation(ExprId id);
  Literal equal_whole(NodeId a, NodeId b, Span where);
  Value if_else(ExprId id);
  Value junction(ExprId id, bool all);
  Tensor select(Literal condition, const Tensor& a, const Tensor& b, Span where);
  std::vector<std::uint32_t> subscripted(const std::vector<std::uint32_t>& dimensions, ExprId id,
                                         std::vector<std::uint32_t>& left);
  bool depends_on_loop(ExprId id) const;
  std::vector<std::int64_t> integers_per_lane(ExprId id);

  // calls.cpp
  Value call(ExprId id);
  std::optional<Value> call_operator(ExprId id, const std::string& name);
  Value previous(ExprId id, const std::string& name);
  Value derivative(ExprId id);
  Value sampled(ExprId id);
  static bool is_unary(const std::string& name);
  std::optional<Value> unary(const std::string& name, const Value& v, Span where);
  Value rounding(ExprId id, const std::string& name);
  Expr floor(const Expr& a, Span where);
  Value reduction(ExprId id, const std::string& name);
  Value with_tracking(ExprId argument, Tracking tracking);
  void expect_arguments(ExprId id, std::size_t n) const;
  [[noreturn]] void unknown_function(ExprId id) const;

  // tensors.cpp
  Tensor tensor_name(ExprId id);
  Tensor tensor_call(ExprId id);
  Tensor tensor_product(ExprId id);
  Tensor elementwise(const Tensor& a, const Tensor& b, Span where,
                     const std::function<Value(const Value&, const Value&)>& f) const;
  Tensor broadcast(const Tensor& a, const Tensor& b, Span where,
                   const std::function<Value(const Value&, const Value&)>& f) const;
  Tensor comprehension(ExprId id);

  // functions.cpp
  void check_argument_names(ExprId id, const ClassDefinition& f) const;
  std::vector<Tensor> inlined(ExprId id, const ClassDefinition& f);
  Locals joined(Literal condition, const Locals& a, const Locals& b, Span where);
  void assign(ExprId target, const Tensor& value, Span where);
  bool execute_if(const Statement& s, std::size_t from);
  void execute_for(const Statement& s, std::size_t index);
  void execute_while(const Statement& s);
  Type type_named(const Declaration& d) const;

  /// What `end` means, inside of a block.
  class LastScope {
   public:
    LastScope(Translator& t, std::uint32_t size) : t_(t) { t_.last_of_.push_back(size); }
    ~LastScope() { t_.last_of_.pop_back(); }
    LastScope(const LastScope&) = delete;
    LastScope& operator=(const LastScope&) = delete;

   private:
    Translator& t_;
  };

  Model& m_;
  Graph& g_;
  Expressions& e_;
  SymbolTable& symbols_;
  const TypeTable& types_;
  Budget& budget_;
  Context context_;
  std::vector<std::uint32_t> last_of_;  // sizes that `end` means, the innermost last
  int inlining_ = 0;
};

/// A context that ends with a block.
class ContextScope {
 public:
  explicit ContextScope(Translator& t) : t_(t), saved_(t.context()) {}
  ~ContextScope() { t_.context() = saved_; }
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  Translator& t_;
  Context saved_;
};

}  // namespace saltus::modelica
