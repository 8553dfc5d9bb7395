// The names of a model and what they stand for.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <saltus/expr.hpp>

#include "modelica/ast.hpp"

namespace saltus::modelica {

enum class Type : std::uint8_t { real, integer, boolean, enumeration, string };
std::string text_of(Type type);

enum class Role : std::uint8_t {
  constant,
  parameter,
  input,
  unknown,   // found by equations: a state or an algebraic variable
  discrete,  // set by when-clauses
  defined,   // an equation gives it outright: an expression under a name
};

/// Whether the value of a parameter was used once and for all while the text was read: other values would then miss that,
/// and derivatives if it is no step.
enum class Pinned : std::uint8_t { no, value, value_and_derivatives };

/// An enumeration or a type with attributes.
struct ResolvedType {
  Type type = Type::real;
  const TypeDefinition* enumeration = nullptr;
  std::vector<const Modifier*> modifiers;  // of the types it is made of, the innermost first
  std::vector<ExprId> dimensions;
};

struct Symbol {
  const Declaration* declaration = nullptr;
  ResolvedType type;
  Role role = Role::unknown;
  std::vector<std::uint32_t> dimensions;
  std::uint32_t size = 1;

  // How the text uses it.
  bool has_derivative = false;
  bool is_set = false;  // by a when-clause
  Pinned pinned = Pinned::no;
  bool follows = false;  // discrete, and an equation says what it is
  bool is_reinitialized = false;
  Span first_previous = {};  // pre, edge or change of it; length 0: none

  // What stands for its elements: numbers, or truth values of Boolean ones.
  std::vector<Expr> numbers;
  std::vector<Literal> truths;
  std::vector<double> values;  // of constants and parameters, and start values of others
  /// Of each start value: by the text (fixed = true, an initial equation), from outside, or not at all.
  enum Given : std::uint8_t { not_given, given_by_text, given_outside };
  std::vector<std::uint8_t> start_is_given;
  bool is_known = false;  // its elements are there

  const std::string& name() const { return declaration->name; }
  bool is_array() const { return !dimensions.empty(); }
  bool is_held() const { return role == Role::constant || role == Role::parameter; }
};

/// "x", "x[2]", "x[1,3]"
std::string element_name(const Symbol& s, std::uint32_t element);

class SymbolTable {
 public:
  static constexpr std::uint32_t none = 0xffffffffU;
  /// False if the name is taken.
  bool add(Symbol s);
  std::uint32_t find(const std::string& name) const;
  /// Also by the name of one of its elements.
  std::uint32_t find_array(const std::string& name) const;
  Symbol& operator[](std::uint32_t k) { return symbols_[k]; }
  const Symbol& operator[](std::uint32_t k) const { return symbols_[k]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(symbols_.size()); }
  auto begin() { return symbols_.begin(); }
  auto end() { return symbols_.end(); }
  /// ": did you mean 'x'?" or nothing.
  std::string suggestion(const std::string& name,
                         const std::vector<std::string>& further = {}) const;

 private:
  std::vector<Symbol> symbols_;
  std::unordered_map<std::string, std::uint32_t> by_name_;
};

}  // namespace saltus::modelica
