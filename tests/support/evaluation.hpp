// Shorthands for evaluating programs in tests.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include <saltus/expr.hpp>

#include "support/engine_models.hpp"

namespace saltus::test {

/// Locks at a point: what an unlocked run decides.
inline std::vector<std::uint8_t> locks_at(const Graph& g, std::span<const Output> outputs,
                                          std::span<const InputSegment> segments,
                                          const std::vector<std::vector<double>>& arguments) {
  Evaluator<double> e(compile(g, outputs, segments, {.locking = Locking::unlocked}));
  for (std::size_t k = 0; k < arguments.size(); ++k)
    std::copy(arguments[k].begin(), arguments[k].end(), e.input(k).begin());
  e.run();
  return {e.locks().begin(), e.locks().end()};
}

inline void load(Evaluator<double>& e, const std::vector<std::vector<double>>& arguments) {
  for (std::size_t k = 0; k < arguments.size(); ++k)
    std::copy(arguments[k].begin(), arguments[k].end(), e.input(k).begin());
}

inline std::vector<double> values(Evaluator<double>& e) {
  e.run();
  return {e.outputs().begin(), e.outputs().end()};
}

inline std::vector<std::vector<double>> arguments_of(const engine_models::Point& x) {
  return {{x.t}, x.p, x.y, x.yp};
}

}  // namespace saltus::test
