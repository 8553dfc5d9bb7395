// One call from expressions to their values, for graphs of a few variables.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <saltus/core/error.hpp>
#include <saltus/expr.hpp>

namespace saltus::test {

/// Arguments of every_input(): time, held values, states, their derivatives, algebraic variables.
inline std::vector<InputSegment> every_input(const Graph& g) {
  auto all = [&](InputKind kind, std::uint32_t order = 0) {
    return InputRange{kind, 0, g.count(kind), order};
  };
  return {{{InputKind::time, 0, 1, 0}},
          {all(InputKind::parameter), all(InputKind::discrete), all(InputKind::previous)},
          {all(InputKind::state)},
          {all(InputKind::state, 1)},
          {all(InputKind::algebraic)}};
}

struct SmallPoint {
  std::vector<double> x = {};     // states
  std::vector<double> held = {};  // parameters, then discrete variables, then previous values
  std::vector<double> xp = {};    // derivatives of states
};

inline std::vector<NodeId> nodes_of(std::span<const Expr> expressions) {
  std::vector<NodeId> ids;
  for (const Expr& e : expressions) ids.push_back(e.id());
  return ids;
}

template <class E>
void load_point(E& e, const SmallPoint& at) {
  for (std::size_t i = 0; i < at.held.size(); ++i) e.input(1)[i] = at.held[i];
  for (std::size_t i = 0; i < at.x.size(); ++i) e.input(2)[i] = at.x[i];
  for (std::size_t i = 0; i < at.xp.size(); ++i) e.input(3)[i] = at.xp[i];
}

inline Evaluator<double> evaluator_of(const Graph& g, const std::vector<Expr>& expressions,
                                      Locking locking = Locking::unlocked) {
  const std::vector<NodeId> ids = nodes_of(expressions);
  return Evaluator<double>(
      compile(g, outputs_in_order(g, ids), every_input(g), {.locking = locking}));
}

/// The value of one scalar in an unlocked run.
template <class T = double>
T value_of(const Graph& g, const Expr& expression, const SmallPoint& at) {
  const std::vector<Output> outputs{{.node = expression.id()}};
  Evaluator<T> e(compile(g, outputs, every_input(g), {.locking = Locking::unlocked}));
  load_point(e, at);
  e.run();
  return e.outputs()[0];
}

/// The message of the ModelError an action ends with; a test failure if it does not.
template <class F>
std::string refusal(F&& action) {
  try {
    action();
  } catch (const ModelError& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "refused, but not as a ModelError: " << error.what();
    return {};
  }
  ADD_FAILURE() << "not refused";
  return {};
}

inline bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace saltus::test
