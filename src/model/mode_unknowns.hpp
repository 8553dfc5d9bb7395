// Which unknowns a mode has.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <saltus/expr/transplant.hpp>
#include <saltus/model/definition.hpp>

namespace saltus::detail {

inline bool is_unknown_kind(InputKind kind) {
  return kind == InputKind::state || kind == InputKind::algebraic;
}

/// The highest derivative of every unknown that occurs in the equations of a mode.
class ModeUnknowns {
 public:
  explicit ModeUnknowns(const Graph& graph)
      : states_(graph.count(InputKind::state), none),
        algebraics_(graph.count(InputKind::algebraic), none) {}

  void meet(const Input& in) {
    std::uint32_t& highest = of(in);
    highest = highest == none ? in.order : std::max(highest, in.order);
  }

  bool has(const Input& in) const { return !is_unknown_kind(in.kind) || order_of(in) != none; }
  /// The derivative itself occurs, or a higher one, or the variable is meant.
  bool has_derivative(const Input& in) const {
    return !is_unknown_kind(in.kind) || (has(in) && in.order <= order_of(in));
  }
  /// A variable, or one of its derivatives below the highest.
  bool is_own_unknown(const Input& in) const {
    return is_unknown_kind(in.kind) && has(in) && (in.order == 0 || in.order < order_of(in));
  }
  /// Values can be computed: x' is there for all unknowns, whether or not it occurs.
  bool has_value(const Input& in) const {
    return !is_unknown_kind(in.kind) || (has(in) && in.order <= std::max(order_of(in), 1U));
  }
  std::uint32_t order_of(const Input& in) const {
    return in.kind == InputKind::state ? states_[in.index] : algebraics_[in.index];
  }

 private:
  std::uint32_t& of(const Input& in) {
    return in.kind == InputKind::state ? states_[in.index] : algebraics_[in.index];
  }

  std::vector<std::uint32_t> states_;
  std::vector<std::uint32_t> algebraics_;
};

/// Whether an equation holds in a mode.
inline bool holds_in(const Equation& equation, ModeId mode) {
  return equation.mode == none || equation.mode == mode;
}

ModeUnknowns unknowns_of_mode(const ModelDefinition& model, ModeId mode);

/// "x", "der(x)".
inline std::string input_text(const Graph& graph, const Input& in) {
  std::string text = graph.variable_name(in.kind, in.index);
  for (std::uint32_t order = 0; order < in.order; ++order) text = "der(" + text + ")";
  return text;
}

/// The variable an input stands for: itself, or what it is the previous value of.
inline const Input& variable_behind(const Graph& graph, const Input& in) {
  return in.kind == InputKind::previous ? graph.previous_variable(in.index) : in;
}

/// Whether an output or a when-clause exists in a mode: all unknowns that it reads do, now and before,
/// and those that it sets. `reach` is used and cleared.
bool exists_in(const ModeUnknowns& mode, const NamedExpression& output, Reach& reach);
bool exists_in(const ModeUnknowns& mode, const WhenClause& clause, Reach& reach);
/// What a clause lacks whose conditions can be watched in a mode, but which does not exist there: "it sets 'w'".
/// Empty: nothing, or it cannot be watched either.
std::string lack_of(const ModeUnknowns& mode, const WhenClause& clause, Reach& reach);

}  // namespace saltus::detail
