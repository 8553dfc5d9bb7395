// Options of engines.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include <saltus/core/options.hpp>
#include <saltus/numerics/linear_solver.hpp>

namespace saltus {

enum class EngineKind : std::uint8_t {
  automatic,
  ida,     // SUNDIALS IDA: BDF of orders 1 to 5
  radau,   // Radau IIA of order 5
  dopri5,  // Dormand-Prince 5(4), explicit
  dop853,  // Dormand-Prince 8(5,3), explicit
};

constexpr auto option_choices(EngineKind) {
  return std::array{Choice{"automatic", EngineKind::automatic}, Choice{"ida", EngineKind::ida},
                    Choice{"radau", EngineKind::radau}, Choice{"dopri5", EngineKind::dopri5},
                    Choice{"dop853", EngineKind::dop853}};
}
constexpr auto option_choices(LinearSolverKind) {
  return std::array{Choice{"automatic", LinearSolverKind::automatic},
                    Choice{"dense", LinearSolverKind::dense},
                    Choice{"sparse", LinearSolverKind::sparse}};
}

std::string_view name(EngineKind kind) noexcept;

/// What those who use engines need to know of one.
struct EngineTraits {
  bool is_explicit = false;  // takes x' = f(t, x)
  /// Its step follows from several points before: it begins with short steps of low order, and a
  /// point inside a step is that of a polynomial only.
  bool is_multistep = false;
  /// After an event it may begin with the step that suited the same branches before. A multistep
  /// engine begins with short steps anyway; dop853 saves evaluations too, but at loose tolerances,
  /// where it needs luck to see the shortest stays, this costs events (docs/design/0025).
  bool keeps_first_steps = false;
};
constexpr EngineTraits traits_of(EngineKind kind) {
  switch (kind) {
    case EngineKind::automatic:
      break;
    case EngineKind::ida:
      return {.is_multistep = true};
    case EngineKind::radau:
      return {.keeps_first_steps = true};
    case EngineKind::dopri5:
      return {.is_explicit = true, .keeps_first_steps = true};
    case EngineKind::dop853:
      return {.is_explicit = true};
  }
  return {};
}

/// Engine settings, derived from RunOptions when a run is set up.
struct EngineOptions {
  /// A step is accepted if the weighted root mean square of its error estimate is <= 1. Component i
  /// is divided by rtol |x_i| + atol_i.
  double rtol = 1e-6;
  /// One value for all unknowns, or one per unknown.
  std::vector<double> atol = {1e-8};

  double initial_step = 0.0;  // 0: chosen automatically
  double min_step = 0.0;      // steps below max(min_step, a few ulp of t) are a failure
  double max_step = std::numeric_limits<double>::infinity();
  /// > 0: every step has this length (the last one before a bound is shorter), without error
  /// control. For the study of orders; refused for ida.
  double fixed_step = 0.0;
  int max_order = 5;  // of ida
  LinearSolverKind linear_solver = LinearSolverKind::automatic;
  /// One flag per unknown that must not become negative, or empty. A step that ends below zero by
  /// more than its absolute tolerance is repeated smaller. Smaller negative values are set to zero
  /// and counted. If an equation cannot be evaluated because such an unknown is negative inside a
  /// step, zero replaces it.
  std::vector<std::uint8_t> non_negative = {};
};

}  // namespace saltus
