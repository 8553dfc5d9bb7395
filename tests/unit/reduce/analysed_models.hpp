// Analysing models in one line.
#pragma once

#include <limits>
#include <memory>
#include <string>

#include <saltus/lower.hpp>
#include <saltus/model.hpp>
#include <saltus/reduce.hpp>

#include "problems/index_models.hpp"

namespace saltus::testing_support {

inline std::shared_ptr<const System> compiled(const Model& m) {
  return *compile_model(m.build())->system({});
}

inline Result<IndexAnalysis> analysed(const Model& m, double t = 0.3, IndexOptions options = {}) {
  const auto system = compiled(m);
  auto workspace = system->workspace();
  return analyze_index(*system, *workspace, t, system->start_values(), options);
}

/// "(2, 2, 3, 0, 0)", or why not.
inline std::string answer(const Result<IndexAnalysis>& r) {
  return r ? to_text(r->values) : std::string(name(r.failure().code)) + ": " + r.failure().message;
}

inline constexpr double eps = std::numeric_limits<double>::epsilon();
using namespace problems;

}  // namespace saltus::testing_support
