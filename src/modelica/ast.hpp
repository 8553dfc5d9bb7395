// A text as a tree, before anything is known of what it means.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "modelica/source.hpp"

namespace saltus::modelica {

using ExprId = std::uint32_t;
inline constexpr ExprId no_expr = 0xffffffffU;

enum class ExprKind : std::uint8_t {
  number,    // number; op 1: an Integer
  boolean,   // number 0 or 1
  string,    // name: the content
  name,      // name, subscripts as children
  call,      // name of the function, arguments as children, those with a name at the end
  sum,       // n-ary; bit k of the signs: in `signs`
  product,   // n-ary; the same: divided by
  power,     // a ^ b
  negative,  // -a
  relation,  // a op b
  all_of,    // and, n-ary
  any_of,    // or, n-ary
  negation,  // not
  if_else,   // condition, value, condition, value, …, value
  array,     // {a, b, c}
  matrix,    // [a, b; c, d]: rows as arrays
  range,     // first:last or first:step:last
  colon,     // all elements
  last,      // end, in a subscript
  tuple,     // (a, b): results of a function
  loop,      // expression for i in range: body, then ranges; `name` the first of the index names
};

enum class RelationOp : std::uint8_t { less, less_equal, greater, greater_equal, equal, not_equal };

struct ExprNode {
  ExprKind kind = ExprKind::number;
  std::uint8_t op = 0;
  std::uint32_t first = 0, count = 0;  // children
  std::uint32_t name = 0;              // of the pool of names
  std::uint32_t extra = 0;             // first of further data: signs, argument names, index names
  double number = 0.0;
  Span span;
};

/// All expressions of a text. Children are a stretch of one table, so that nothing is deep to destroy.
class Expressions {
 public:
  const ExprNode& operator[](ExprId id) const { return nodes_[id]; }
  std::span<const ExprId> children(ExprId id) const {
    return {children_.data() + nodes_[id].first, nodes_[id].count};
  }
  const std::string& name(ExprId id) const { return names_[nodes_[id].name]; }
  const std::string& name_at(std::uint32_t k) const { return names_[k]; }
  /// Of sums and products: whether child k is subtracted or divided by.
  bool is_inverse(ExprId id, std::size_t k) const {
    return (inverse_[nodes_[id].extra + k] & inverted) != 0;
  }
  /// Whether its operator is one that begins with a point.
  bool is_by_element(ExprId id, std::size_t k) const {
    return (inverse_[nodes_[id].extra + k] & by_element) != 0;
  }
  enum Sign : std::uint8_t { inverted = 1, by_element = 2 };
  /// Of calls: the names of the last arguments; of loops: those of the indices.
  std::uint32_t n_extra_names(ExprId id) const { return nodes_[id].op; }
  const std::string& extra_name(ExprId id, std::size_t k) const {
    return names_[extra_names_[nodes_[id].extra + k]];
  }

  ExprId add(ExprNode node, std::span<const ExprId> children = {}) {
    node.first = static_cast<std::uint32_t>(children_.size());
    node.count = static_cast<std::uint32_t>(children.size());
    children_.insert(children_.end(), children.begin(), children.end());
    nodes_.push_back(node);
    return static_cast<ExprId>(nodes_.size() - 1);
  }
  std::size_t size() const { return nodes_.size(); }
  /// The name of an element becomes a name of its own.
  void make_plain(ExprId id, const std::string& name) {
    nodes_[id].name = add_name(name);
    nodes_[id].count = 0;
  }
  /// Those from one on belong to a text that stands behind others.
  void shift(ExprId from, std::uint32_t by) {
    for (ExprId id = from; id < size(); ++id) nodes_[id].span.begin += by;
  }
  /// Of powers: element by element.
  void mark(ExprId id, std::uint8_t op) { nodes_[id].op = op; }
  /// Equal names have equal numbers.
  std::uint32_t add_name(const std::string& name) {
    const auto next = static_cast<std::uint32_t>(names_.size());
    const auto [found, is_new] = name_ids_.try_emplace(name, next);
    if (is_new) names_.push_back(name);
    return found->second;
  }
  std::size_t n_names() const { return names_.size(); }
  std::uint32_t add_extra_names(std::span<const std::string> names) {
    const auto first = static_cast<std::uint32_t>(extra_names_.size());
    for (const std::string& n : names) extra_names_.push_back(add_name(n));
    return first;
  }
  std::uint32_t add_signs(std::span<const std::uint8_t> inverse) {
    inverse_.insert(inverse_.end(), inverse.begin(), inverse.end());
    return static_cast<std::uint32_t>(inverse_.size() - inverse.size());
  }

 private:
  std::vector<ExprNode> nodes_;
  std::vector<ExprId> children_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t> name_ids_;
  std::vector<std::uint32_t> extra_names_;
  std::vector<std::uint8_t> inverse_;
};

enum class StatementKind : std::uint8_t {
  equality,  // left = right
  assign,    // left := right
  call,      // left: reinit, assert, terminate, or a function
  if_else,
  for_loop,
  while_loop,
  when,
  leave_loop,      // break
  leave_function,  // return
};

struct Statement;

struct Branch {
  ExprId condition = no_expr;  // none: else
  Span span;
  std::vector<Statement> body;
};

struct LoopIndex {
  std::string name;
  Span span;
  ExprId range = no_expr;
};

/// An equation, or a statement of an algorithm.
struct Statement {
  StatementKind kind = StatementKind::equality;
  Span span;
  ExprId left = no_expr, right = no_expr;
  std::vector<Branch> branches;    // of loops: one
  std::vector<LoopIndex> indices;  // of for-loops
};

struct Modifier {
  std::string name;
  Span span;
  ExprId value = no_expr;
  bool is_final = false;
};

enum class Prefix : std::uint8_t { none, constant, parameter, discrete };
enum class Causality : std::uint8_t { none, input, output };

struct Declaration {
  std::string name;
  Span span;  // of the name
  std::string type;
  Span type_span;
  Prefix prefix = Prefix::none;
  Causality causality = Causality::none;
  bool is_final = false;
  bool is_protected = false;
  std::vector<ExprId> dimensions;
  std::vector<Modifier> modifiers;
  ExprId binding = no_expr;
  ExprId condition = no_expr;
  std::string description;
};

struct Section {
  bool is_initial = false;
  std::vector<Statement> body;
  Span span;
};

struct TypeDefinition {
  std::string name;
  Span span;
  std::string base;  // empty: an enumeration
  Span base_span;
  std::vector<ExprId> dimensions;
  std::vector<Modifier> modifiers;
  std::vector<std::string> literals;
};

struct ClassDefinition {
  std::string kind;  // model, function, record, package
  std::string name;
  Span span;  // of the name
  std::string description;
  std::vector<Declaration> declarations;
  std::vector<Section> equations;
  std::vector<Section> algorithms;
  std::vector<TypeDefinition> types;
  std::vector<ClassDefinition> classes;
  std::vector<Modifier> experiment;
  std::optional<Span> external;
};

struct ParsedText {
  Expressions expressions;
  std::vector<ClassDefinition> classes;
  std::vector<TypeDefinition> types;
};

}  // namespace saltus::modelica
